/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a perf.data file around its records: header, events and features, of files and of pipes. */
#include "gate/formats/perf_file.h"

#include "gate/formats/perf_events.h"

enum { PIPE_HEADER_BYTES = 16, HEADER_BYTES = 104, RECORD_BYTES = 8, FEATURES = 256, ATTR_BYTES_LEAST = 64 };

enum { FEATURE_BUILD_ID = 2, FEATURE_EVENT_DESC = 12 };

/* Offsets in the header, in an event's attributes and in a build id. */
enum { AT_SIZE = 8, AT_ATTR_SIZE = 16, AT_ATTRS = 24, AT_DATA = 40, AT_FLAGS = 72, SECTION_BYTES = 16 };

enum { AT_TYPE = 0, AT_OWN_SIZE = 4, AT_CONFIG = 8, AT_PERIOD = 16, AT_SAMPLE_TYPE = 24, AT_READ_FORMAT = 32 };

enum { AT_ATTR_FLAGS = 40, AT_BRANCH_TYPE = 72, FLAG_FREQ = 10, FLAG_SAMPLE_ID = 18, BRANCH_CALL_STACK = 1 << 11 };

enum { BUILD_ID_BYTES = 20, AT_BUILD_ID = 12, AT_BUILD_ID_SIZE = 32, AT_BUILD_ID_FILE = 36, HAS_ID_SIZE = 1 << 15 };

#define TO_TEXT "convert it with 'perf script -i FILE > FILE.txt'"

static const char magic_big[] = "2ELIFREP";

uint64_t gate_perf_number(const struct gate_perf_file *file, struct gate_str bytes, size_t at, size_t size) {
    uint64_t value = 0;
    if (at > bytes.len || size > bytes.len - at)
        return 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | (unsigned char)bytes.ptr[at + (file->is_big ? i : size - 1 - i)];
    return value;
}

struct gate_str gate_perf_text(struct gate_str bytes, size_t at) {
    struct gate_str rest = gate_str_slice(bytes, at < bytes.len ? at : bytes.len, bytes.len);
    const char *end = rest.len == 0 ? NULL : memchr(rest.ptr, '\0', rest.len);
    return gate_str_slice(rest, 0, end == NULL ? rest.len : (size_t)(end - rest.ptr));
}

struct gate_str gate_perf_build_id(struct gate_arena *arena, struct gate_str bytes, size_t at, size_t len) {
    char text[2 * BUILD_ID_BYTES + 1];
    if (len > BUILD_ID_BYTES || at > bytes.len || len > bytes.len - at)
        return GATE_STR("");
    gate_str_hex(text, bytes.ptr + at, len);
    return gate_str_copy(arena, (struct gate_str){text, 2 * len});
}

/* Read the part of the file that a section's offset and size at `at` describe. */
static bool section_read(struct gate_str *out, const struct gate_perf_file *file, size_t at, struct gate_error *err) {
    uint64_t offset = gate_perf_number(file, file->bytes, at, 8), size = gate_perf_number(file, file->bytes, at + 8, 8);
    if (at + SECTION_BYTES > file->bytes.len || offset > file->bytes.len || size > file->bytes.len - offset)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the perf.data file is truncated: a section of %llu bytes at byte %llu ends behind it",
                              (unsigned long long)size, (unsigned long long)offset);
    *out = gate_str_slice(file->bytes, (size_t)offset, (size_t)(offset + size));
    return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Flag `bit` of an event: the bit field starts at the lowest bit of little-endian numbers, else at the highest one. */
static bool flag_of(const struct gate_perf_file *file, struct gate_str attr, unsigned bit) {
    uint64_t flags = gate_perf_number(file, attr, AT_ATTR_FLAGS, 8);
    return (flags >> (file->is_big ? 63 - bit : bit) & 1) != 0;
}

/* Name an event that the file does not describe, as perf calls it. */
static struct gate_str name_guess(const struct gate_perf_file *file, struct gate_str attr) {
    static const char *const hardware[] = {
        "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
        "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};
    static const char *const software[] = {"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
                                           "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
                                           "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
    uint64_t type = gate_perf_number(file, attr, AT_TYPE, 4), config = gate_perf_number(file, attr, AT_CONFIG, 8);
    if (type == 0 && config < sizeof hardware / sizeof *hardware)
        return gate_str_from(hardware[config]);
    if (type == 1 && config < sizeof software / sizeof *software)
        return gate_str_from(software[config]);
    return gate_str_format(file->arena, "event-%llu-%llu", (unsigned long long)type, (unsigned long long)config);
}

/* Refuse recordings whose stacks or values are not in their samples. */
static bool attr_check(const struct gate_perf_file *file, const struct gate_perf_attr *attr, struct gate_str bytes,
                       struct gate_error *err) {
    uint64_t branches = gate_perf_number(file, bytes, AT_BRANCH_TYPE, 8);
    if ((attr->sample_type & GATE_PERF_HAS_USER_STACK) != 0)
        return gate_error_set(
            err, GATE_ERR_FORMAT,
            "a perf.data file with copies of the stack (--call-graph dwarf), which only perf unwinds: "
            "%s, or record with -g and frame pointers",
            TO_TEXT);
    if ((branches & BRANCH_CALL_STACK) != 0)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a perf.data file with stacks of branch records (--call-graph lbr): %s", TO_TEXT);
    if ((attr->sample_type & GATE_PERF_HAS_READ) != 0 && (attr->read_format & GATE_PERF_READ_GROUP) != 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "a perf.data file with a sampled group of events (:S): %s",
                              TO_TEXT);
    return true;
}

static bool attr_add(struct gate_perf_file *file, struct gate_str bytes, struct gate_error *err) {
    struct gate_perf_attr *grown =
        gate_arena_grow(file->arena, file->attrs, file->attr_count, &file->attr_capacity, sizeof *grown);
    struct gate_perf_attr attr = {.sample_type = gate_perf_number(file, bytes, AT_SAMPLE_TYPE, 8),
                                  .read_format = gate_perf_number(file, bytes, AT_READ_FORMAT, 8),
                                  .period = gate_perf_number(file, bytes, AT_PERIOD, 8),
                                  .has_sample_id = flag_of(file, bytes, FLAG_SAMPLE_ID),
                                  .name = name_guess(file, bytes)};
    if (grown == NULL || attr.name.ptr == NULL)
        return gate_arena_error(file->arena, err);
    /* A frequency tells no period; of a period of 1 the counts say all. */
    if (flag_of(file, bytes, FLAG_FREQ) || attr.period == 1 || attr.period > INT64_MAX)
        attr.period = 0;
    file->attrs = grown;
    grown[file->attr_count++] = attr;
    return attr_check(file, &attr, bytes, err);
}

/* Add the ids in `bytes` to the last event. */
static bool ids_add(struct gate_perf_file *file, struct gate_str bytes, struct gate_error *err) {
    for (size_t at = 0; bytes.len - at >= 8; at += 8) {
        uint64_t id = gate_perf_number(file, bytes, at, 8);
        struct gate_str key = {(const char *)&id, sizeof id};
        uint32_t known = file->ids.count, index = gate_table_intern_copy(&file->ids, key);
        uint32_t *grown = gate_arena_grow(file->arena, file->id_attrs, known, &file->id_capacity, sizeof *grown);
        if (index == GATE_TABLE_NONE || grown == NULL)
            return gate_arena_error(file->arena, err);
        file->id_attrs = grown;
        grown[index] = (uint32_t)file->attr_count - 1;
    }
    return true;
}

static bool attrs_read(struct gate_perf_file *file, struct gate_error *err) {
    struct gate_str table = GATE_STR(""), ids = GATE_STR("");
    uint64_t size = gate_perf_number(file, file->bytes, AT_ATTR_SIZE, 8);
    if (!section_read(&table, file, AT_ATTRS, err))
        return false;
    if (size < ATTR_BYTES_LEAST + SECTION_BYTES || size > table.len)
        return gate_error_set(err, GATE_ERR_FORMAT, "the perf.data file has no events: its header is damaged");
    size_t at = (size_t)(table.ptr - file->bytes.ptr), end = at + table.len;
    for (; end - at >= size; at += (size_t)size)
        if (!attr_add(file, gate_str_slice(file->bytes, at, at + (size_t)size - SECTION_BYTES), err) ||
            !section_read(&ids, file, at + (size_t)size - SECTION_BYTES, err) || !ids_add(file, ids, err))
            return false;
    return true;
}

/* ---- features ---------------------------------------------------------------------------------------------------- */

/* Read the names of events: their attributes, a number of ids, a text with its length, and the ids. */
static bool names_read(struct gate_perf_file *file, struct gate_str bytes, struct gate_error *err) {
    uint64_t count = gate_perf_number(file, bytes, 0, 4), size = gate_perf_number(file, bytes, 4, 4);
    size_t at = 8;
    for (uint64_t i = 0; i < count && i < file->attr_count && at <= bytes.len && size <= bytes.len - at; i++) {
        at += (size_t)size;
        uint64_t ids = gate_perf_number(file, bytes, at, 4), len = gate_perf_number(file, bytes, at + 4, 4);
        if (bytes.len - at < 8 || len > bytes.len - at - 8 || ids > (bytes.len - at - 8 - len) / 8)
            break;
        struct gate_str name = gate_perf_text(gate_str_slice(bytes, at + 8, at + 8 + (size_t)len), 0);
        name = gate_str_repair_utf8(file->arena, gate_perf_event_name(name));
        if (name.ptr == NULL)
            return gate_arena_error(file->arena, err);
        if (name.len != 0)
            file->attrs[i].name = name;
        at += 8 + (size_t)len + 8 * (size_t)ids;
    }
    return true;
}

/* Add the build id of one file from its record. */
static bool build_id_add(struct gate_perf_file *file, const struct gate_perf_record *record, struct gate_error *err) {
    bool has_size = (record->misc & HAS_ID_SIZE) != 0;
    size_t len = has_size ? (size_t)gate_perf_number(file, record->bytes, AT_BUILD_ID_SIZE, 1) : BUILD_ID_BYTES;
    struct gate_str id = gate_perf_build_id(file->arena, record->bytes, AT_BUILD_ID, len);
    struct gate_str name = gate_perf_text(record->bytes, AT_BUILD_ID_FILE);
    uint32_t known = file->id_files.count, index = gate_table_intern_copy(&file->id_files, name);
    struct gate_str *grown =
        gate_arena_grow(file->arena, file->build_ids, known, &file->build_id_capacity, sizeof *grown);
    if (id.ptr == NULL || index == GATE_TABLE_NONE || grown == NULL)
        return gate_arena_error(file->arena, err);
    file->build_ids = grown;
    grown[index] = id;
    return true;
}

static bool build_ids_read(struct gate_perf_file *file, struct gate_str bytes, struct gate_error *err) {
    struct gate_perf_file part = *file;
    struct gate_perf_record record;
    part.data = bytes;
    for (size_t at = 0;;) {
        struct gate_error ignored = {0};
        if (!gate_perf_record_next(&record, &part, &at, &ignored) || record.bytes.len == 0)
            return true; /* names do without it */
        if (!build_id_add(file, &record, err))
            return false;
    }
}

struct gate_str gate_perf_file_build_id(const struct gate_perf_file *file, struct gate_str name) {
    uint32_t index = gate_table_find(&file->id_files, name);
    return index == GATE_TABLE_NONE ? GATE_STR("") : file->build_ids[index];
}

static bool feature_read(struct gate_perf_file *file, uint64_t feature, struct gate_str bytes, struct gate_error *err) {
    if (feature == FEATURE_EVENT_DESC)
        return names_read(file, bytes, err);
    return feature != FEATURE_BUILD_ID || build_ids_read(file, bytes, err);
}

/* The sections of the features follow the records, one for each bit that is set. */
static bool features_read(struct gate_perf_file *file, struct gate_error *err) {
    size_t at = (size_t)(file->data.ptr - file->bytes.ptr) + file->data.len;
    for (unsigned bit = 0; bit < FEATURES; bit++) {
        uint64_t word = gate_perf_number(file, file->bytes, AT_FLAGS + 8 * (size_t)(bit / 64), 8);
        struct gate_str section = GATE_STR("");
        if ((word >> bit % 64 & 1) == 0)
            continue;
        if (!section_read(&section, file, at, err) || !feature_read(file, bit, section, err))
            return false;
        at += SECTION_BYTES;
    }
    return true;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Return the bytes that follow a record without belonging to it. */
static uint64_t bytes_behind(const struct gate_perf_file *file, const struct gate_perf_record *record) {
    if (record->type == GATE_PERF_TRACING_DATA && file->is_pipe)
        return (gate_perf_number(file, record->bytes, RECORD_BYTES, 4) + 7) / 8 * 8;
    return 0;
}

bool gate_perf_record_next(struct gate_perf_record *out, const struct gate_perf_file *file, size_t *at,
                           struct gate_error *err) {
    size_t left = file->data.len - *at;
    *out = (struct gate_perf_record){.bytes = GATE_STR("")};
    if (left == 0)
        return true;
    uint64_t size = gate_perf_number(file, file->data, *at + 6, 2);
    if (left < RECORD_BYTES || size < RECORD_BYTES || size > left)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the perf.data file is truncated or damaged: the record at byte %zu of its data has %llu "
                              "bytes, and %zu are left",
                              *at, (unsigned long long)size, left);
    out->type = (uint32_t)gate_perf_number(file, file->data, *at, 4);
    out->misc = (uint32_t)gate_perf_number(file, file->data, *at + 4, 2);
    out->bytes = gate_str_slice(file->data, *at, *at + (size_t)size);
    uint64_t behind = bytes_behind(file, out);
    if (behind > left - size)
        return gate_error_set(err, GATE_ERR_FORMAT, "the perf.data file is truncated at byte %zu of its data", *at);
    *at += (size_t)(size + behind);
    return true;
}

/* A pipe has the events, their names and build ids among its records. */
static bool pipe_record_read(struct gate_perf_file *file, const struct gate_perf_record *record,
                             struct gate_error *err) {
    struct gate_str body = gate_str_slice(record->bytes, RECORD_BYTES, record->bytes.len);
    uint64_t own_size = gate_perf_number(file, body, AT_OWN_SIZE, 4);
    if (record->type == GATE_PERF_BUILD_ID)
        return build_id_add(file, record, err);
    if (record->type == GATE_PERF_FEATURE)
        return body.len < 8 ||
               feature_read(file, gate_perf_number(file, body, 0, 8), gate_str_slice(body, 8, body.len), err);
    if (record->type != GATE_PERF_ATTR)
        return true;
    if (own_size < ATTR_BYTES_LEAST || own_size > body.len)
        return gate_error_set(err, GATE_ERR_FORMAT, "the perf.data pipe has an event of %llu bytes",
                              (unsigned long long)own_size);
    return attr_add(file, gate_str_slice(body, 0, (size_t)own_size), err) &&
           ids_add(file, gate_str_slice(body, (size_t)own_size, body.len), err);
}

/* Refuse records whose contents are elsewhere or compressed. */
static bool record_check(const struct gate_perf_record *record, struct gate_error *err) {
    switch (record->type) {
    case GATE_PERF_COMPRESSED:
    case GATE_PERF_COMPRESSED2:
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a perf.data file with compressed records (-z): %s, or record without -z", TO_TEXT);
    case GATE_PERF_AUXTRACE_INFO:
    case GATE_PERF_AUXTRACE:
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a perf.data file with a hardware trace (Intel PT, CoreSight, SPE): %s", TO_TEXT);
    case GATE_PERF_CALLCHAIN_DEFERRED:
        return gate_error_set(err, GATE_ERR_FORMAT, "a perf.data file with deferred stacks: %s", TO_TEXT);
    default:
        return true;
    }
}

static bool records_check(struct gate_perf_file *file, struct gate_error *err) {
    struct gate_perf_record record;
    size_t at = 0;
    do {
        if (!gate_perf_record_next(&record, file, &at, err) || !record_check(&record, err) ||
            (file->is_pipe && record.bytes.len != 0 && !pipe_record_read(file, &record, err)))
            return false;
    } while (record.bytes.len != 0);
    return true;
}

bool gate_perf_file_open(struct gate_perf_file *out, struct gate_str bytes, struct gate_arena *arena,
                         struct gate_error *err) {
    *out = (struct gate_perf_file){.arena = arena, .bytes = bytes};
    out->is_big = gate_str_starts(bytes, gate_str_from(magic_big));
    gate_table_init(&out->ids, arena);
    gate_table_init(&out->id_files, arena);
    uint64_t size = gate_perf_number(out, bytes, AT_SIZE, 8);
    out->is_pipe = size == PIPE_HEADER_BYTES;
    if (size != PIPE_HEADER_BYTES && size != HEADER_BYTES)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a perf.data file with a header of %llu bytes, expected %d or %d: it is damaged, or of "
                              "another version; %s",
                              (unsigned long long)size, HEADER_BYTES, PIPE_HEADER_BYTES, TO_TEXT);
    if (out->is_pipe) {
        out->data = gate_str_slice(bytes, PIPE_HEADER_BYTES, bytes.len);
    } else if (!section_read(&out->data, out, AT_DATA, err)) {
        return false;
    }
    if (!out->is_pipe && out->data.len == 0)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the perf.data file has no records: perf was killed before it had written its header");
    if (!(out->is_pipe || attrs_read(out, err)) || !records_check(out, err) ||
        !(out->is_pipe || features_read(out, err)))
        return false;
    return out->attr_count != 0 || gate_error_set(err, GATE_ERR_FORMAT, "the perf.data pipe has no events");
}
