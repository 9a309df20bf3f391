/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of perf.data, the file that `perf record` writes. Layout of records: perf_event_open(2);
 * of the rest: the description of perf's file format in the sources of Linux (tools/perf/Documentation). */
#include "gate/base/search.h"
#include "gate/base/table.h"
#include "gate/formats/builder.h"
#include "gate/formats/perf_events.h"
#include "gate/formats/reader.h"
#include "gate/model/limits.h"

#include <stdlib.h>

/* ---- parts of the file around its records ------------------------------------------------------------------------ */

/* Types of records. From 64 on they are perf's own, without sample id; all before are the kernel's. */
enum { RECORD_MMAP = 1, RECORD_COMM = 3, RECORD_FORK = 7, RECORD_SAMPLE = 9, RECORD_MMAP2 = 10 };

enum { RECORD_CALLCHAIN_DEFERRED = 22, RECORD_ATTR = 64, RECORD_TRACING_DATA = 66, RECORD_BUILD_ID = 67 };

enum { RECORD_AUXTRACE_INFO = 70, RECORD_AUXTRACE = 71, RECORD_FEATURE = 80, RECORD_COMPRESSED = 81 };

enum { RECORD_COMPRESSED2 = 83 };

/* Bits of the sample type. */
enum { HAS_IP = 1 << 0, HAS_TID = 1 << 1, HAS_TIME = 1 << 2, HAS_ADDR = 1 << 3, HAS_READ = 1 << 4 };

enum { HAS_CALLCHAIN = 1 << 5, HAS_ID = 1 << 6, HAS_CPU = 1 << 7, HAS_PERIOD = 1 << 8, HAS_STREAM_ID = 1 << 9 };

enum { HAS_USER_STACK = 1 << 13, HAS_IDENTIFIER = 1 << 16 };

/* Bits of the read format. */
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

/* An event that was recorded. */
struct perf_attr {
    struct gate_str name; /* without modifiers */
    uint64_t sample_type, read_format;
    uint64_t period;    /* 0: it is in each sample, or unknown */
    bool has_sample_id; /* records that are no samples end with a sample id */
};

/* A record: its header, and all its bytes. */
struct perf_record {
    uint32_t type, misc;
    struct gate_str bytes;
};

/* An open file. Views point into the bytes of the file. */
struct perf_file {
    struct gate_arena *arena;
    struct gate_str bytes, data; /* `data` are the records */
    bool is_big, is_pipe;
    struct perf_attr *attrs;
    size_t attr_count, attr_capacity;
    struct gate_table ids; /* the 8 bytes of each event id */
    uint32_t *id_attrs;    /* event of each id */
    size_t id_capacity;
    struct gate_table id_files; /* names of files with a build id */
    struct gate_str *build_ids; /* build id of each, hexadecimal */
    size_t build_id_capacity;
};

enum { PIPE_HEADER_BYTES = 16, HEADER_BYTES = 104, RECORD_BYTES = 8, FEATURES = 256, ATTR_BYTES_LEAST = 64 };

enum { FEATURE_BUILD_ID = 2, FEATURE_EVENT_DESC = 12 };

/* Offsets in the header, in an event's attributes and in a build id. */
enum { AT_SIZE = 8, AT_ATTR_SIZE = 16, AT_ATTRS = 24, AT_DATA = 40, AT_FLAGS = 72, SECTION_BYTES = 16 };

enum { AT_TYPE = 0, AT_OWN_SIZE = 4, AT_CONFIG = 8, AT_PERIOD = 16, AT_SAMPLE_TYPE = 24, AT_READ_FORMAT = 32 };

enum { AT_ATTR_FLAGS = 40, AT_BRANCH_TYPE = 72, FLAG_FREQ = 10, FLAG_SAMPLE_ID = 18, BRANCH_CALL_STACK = 1 << 11 };

enum { BUILD_ID_BYTES = 20, AT_BUILD_ID = 12, AT_BUILD_ID_SIZE = 32, AT_BUILD_ID_FILE = 36, HAS_ID_SIZE = 1 << 15 };

#define TO_TEXT "convert it with 'perf script -i FILE > FILE.txt'"

static const char magic_big[] = "2ELIFREP";

/* Return a number of `size` bytes (2, 4 or 8) at `at`; 0 beyond the end. */
static uint64_t perf_number(const struct perf_file *file, struct gate_str bytes, size_t at, size_t size) {
    uint64_t value = 0;
    if (at > bytes.len || size > bytes.len - at)
        return 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | (unsigned char)bytes.ptr[at + (file->is_big ? i : size - 1 - i)];
    return value;
}

/* Return the text at `at`, up to a NUL or the end. */
static struct gate_str perf_text(struct gate_str bytes, size_t at) {
    struct gate_str rest = gate_str_slice(bytes, at < bytes.len ? at : bytes.len, bytes.len);
    const char *end = rest.len == 0 ? NULL : memchr(rest.ptr, '\0', rest.len);
    return gate_str_slice(rest, 0, end == NULL ? rest.len : (size_t)(end - rest.ptr));
}

/* Return `len` bytes at `at` in hexadecimal. Its `ptr` is NULL if the arena is full. */
static struct gate_str perf_build_id(struct gate_arena *arena, struct gate_str bytes, size_t at, size_t len) {
    char text[2 * BUILD_ID_BYTES + 1];
    if (len > BUILD_ID_BYTES || at > bytes.len || len > bytes.len - at)
        return GATE_STR("");
    gate_str_hex(text, bytes.ptr + at, len);
    return gate_str_copy(arena, (struct gate_str){text, 2 * len});
}

/* Read the part of the file that a section's offset and size at `at` describe. */
static bool section_read(struct gate_str *out, const struct perf_file *file, size_t at, struct gate_error *err) {
    uint64_t offset = perf_number(file, file->bytes, at, 8), size = perf_number(file, file->bytes, at + 8, 8);
    if (at + SECTION_BYTES > file->bytes.len || offset > file->bytes.len || size > file->bytes.len - offset)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the perf.data file is truncated: a section of %llu bytes at byte %llu ends behind it",
                              (unsigned long long)size, (unsigned long long)offset);
    *out = gate_str_slice(file->bytes, (size_t)offset, (size_t)(offset + size));
    return true;
}

/* Return the bytes that follow a record without belonging to it. */
static uint64_t bytes_behind(const struct perf_file *file, const struct perf_record *record) {
    if (record->type == RECORD_TRACING_DATA && file->is_pipe)
        return (perf_number(file, record->bytes, RECORD_BYTES, 4) + 7) / 8 * 8;
    return 0;
}

/* Read the record at `*at` and move `*at` behind it. `out->bytes.len` is 0 at the end. err: GATE_ERR_FORMAT. */
static bool perf_record_next(struct perf_record *out, const struct perf_file *file, size_t *at,
                             struct gate_error *err) {
    size_t left = file->data.len - *at;
    *out = (struct perf_record){.bytes = GATE_STR("")};
    if (left == 0)
        return true;
    uint64_t size = perf_number(file, file->data, *at + 6, 2);
    if (left < RECORD_BYTES || size < RECORD_BYTES || size > left)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the perf.data file is truncated or damaged: the record at byte %zu of its data has %llu "
                              "bytes, and %zu are left",
                              *at, (unsigned long long)size, left);
    out->type = (uint32_t)perf_number(file, file->data, *at, 4);
    out->misc = (uint32_t)perf_number(file, file->data, *at + 4, 2);
    out->bytes = gate_str_slice(file->data, *at, *at + (size_t)size);
    uint64_t behind = bytes_behind(file, out);
    if (behind > left - size)
        return gate_error_set(err, GATE_ERR_FORMAT, "the perf.data file is truncated at byte %zu of its data", *at);
    *at += (size_t)(size + behind);
    return true;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Flag `bit` of an event: the bit field starts at the lowest bit of little-endian numbers, else at the highest one. */
static bool flag_of(const struct perf_file *file, struct gate_str attr, unsigned bit) {
    uint64_t flags = perf_number(file, attr, AT_ATTR_FLAGS, 8);
    return (flags >> (file->is_big ? 63 - bit : bit) & 1) != 0;
}

/* Name an event that the file does not describe, as perf calls it. */
static struct gate_str name_guess(const struct perf_file *file, struct gate_str attr) {
    static const char *const hardware[] = {
        "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
        "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};
    static const char *const software[] = {"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
                                           "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
                                           "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
    uint64_t type = perf_number(file, attr, AT_TYPE, 4), config = perf_number(file, attr, AT_CONFIG, 8);
    if (type == 0 && config < sizeof hardware / sizeof *hardware)
        return gate_str_from(hardware[config]);
    if (type == 1 && config < sizeof software / sizeof *software)
        return gate_str_from(software[config]);
    return gate_str_format(file->arena, "event-%llu-%llu", (unsigned long long)type, (unsigned long long)config);
}

/* Refuse recordings whose stacks or values are not in their samples. */
static bool attr_check(const struct perf_file *file, const struct perf_attr *attr, struct gate_str bytes,
                       struct gate_error *err) {
    uint64_t branches = perf_number(file, bytes, AT_BRANCH_TYPE, 8);
    if ((attr->sample_type & HAS_USER_STACK) != 0)
        return gate_error_set(
            err, GATE_ERR_FORMAT,
            "a perf.data file with copies of the stack (--call-graph dwarf), which only perf unwinds: "
            "%s, or record with -g and frame pointers",
            TO_TEXT);
    if ((branches & BRANCH_CALL_STACK) != 0)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a perf.data file with stacks of branch records (--call-graph lbr): %s", TO_TEXT);
    if ((attr->sample_type & HAS_READ) != 0 && (attr->read_format & READ_GROUP) != 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "a perf.data file with a sampled group of events (:S): %s",
                              TO_TEXT);
    return true;
}

static bool attr_add(struct perf_file *file, struct gate_str bytes, struct gate_error *err) {
    struct perf_attr attr = {.sample_type = perf_number(file, bytes, AT_SAMPLE_TYPE, 8),
                             .read_format = perf_number(file, bytes, AT_READ_FORMAT, 8),
                             .period = perf_number(file, bytes, AT_PERIOD, 8),
                             .has_sample_id = flag_of(file, bytes, FLAG_SAMPLE_ID),
                             .name = name_guess(file, bytes)};
    if (attr.name.ptr == NULL || !GATE_GROW(file->arena, file->attrs, file->attr_count, file->attr_capacity))
        return gate_arena_error(file->arena, err);
    /* A frequency does not determine a period. With a period of 1, the values would equal the counts. */
    if (flag_of(file, bytes, FLAG_FREQ) || attr.period == 1 || attr.period > INT64_MAX)
        attr.period = 0;
    file->attrs[file->attr_count++] = attr;
    return attr_check(file, &attr, bytes, err);
}

/* Add the ids in `bytes` to the last event. */
static bool ids_add(struct perf_file *file, struct gate_str bytes, struct gate_error *err) {
    for (size_t at = 0; bytes.len - at >= 8; at += 8) {
        uint64_t id = perf_number(file, bytes, at, 8);
        struct gate_str key = {(const char *)&id, sizeof id};
        uint32_t known = file->ids.count, index = gate_table_intern_copy(&file->ids, key);
        if (index == GATE_TABLE_NONE || !GATE_GROW(file->arena, file->id_attrs, known, file->id_capacity))
            return gate_arena_error(file->arena, err);
        file->id_attrs[index] = (uint32_t)file->attr_count - 1;
    }
    return true;
}

static bool attrs_read(struct perf_file *file, struct gate_error *err) {
    struct gate_str table = GATE_STR(""), ids = GATE_STR("");
    uint64_t size = perf_number(file, file->bytes, AT_ATTR_SIZE, 8);
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
static bool names_read(struct perf_file *file, struct gate_str bytes, struct gate_error *err) {
    uint64_t count = perf_number(file, bytes, 0, 4), size = perf_number(file, bytes, 4, 4);
    size_t at = 8;
    for (uint64_t i = 0; i < count && i < file->attr_count && at <= bytes.len && size <= bytes.len - at; i++) {
        at += (size_t)size;
        uint64_t ids = perf_number(file, bytes, at, 4), len = perf_number(file, bytes, at + 4, 4);
        if (bytes.len - at < 8 || len > bytes.len - at - 8 || ids > (bytes.len - at - 8 - len) / 8)
            break;
        struct gate_str name = perf_text(gate_str_slice(bytes, at + 8, at + 8 + (size_t)len), 0);
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
static bool build_id_add(struct perf_file *file, const struct perf_record *record, struct gate_error *err) {
    bool has_size = (record->misc & HAS_ID_SIZE) != 0;
    size_t len = has_size ? (size_t)perf_number(file, record->bytes, AT_BUILD_ID_SIZE, 1) : BUILD_ID_BYTES;
    struct gate_str id = perf_build_id(file->arena, record->bytes, AT_BUILD_ID, len);
    struct gate_str name = perf_text(record->bytes, AT_BUILD_ID_FILE);
    uint32_t known = file->id_files.count, index = gate_table_intern_copy(&file->id_files, name);
    if (id.ptr == NULL || index == GATE_TABLE_NONE ||
        !GATE_GROW(file->arena, file->build_ids, known, file->build_id_capacity))
        return gate_arena_error(file->arena, err);
    file->build_ids[index] = id;
    return true;
}

static bool build_ids_read(struct perf_file *file, struct gate_str bytes, struct gate_error *err) {
    struct perf_file part = *file;
    struct perf_record record;
    part.data = bytes;
    for (size_t at = 0;;) {
        struct gate_error ignored = {0};
        if (!perf_record_next(&record, &part, &at, &ignored) || record.bytes.len == 0)
            return true; /* ignored: names can be found without build ids */
        if (!build_id_add(file, &record, err))
            return false;
    }
}

/* Return the build id of the file `name`, or an empty text. */
static struct gate_str perf_file_build_id(const struct perf_file *file, struct gate_str name) {
    uint32_t index = gate_table_find(&file->id_files, name);
    return index == GATE_TABLE_NONE ? GATE_STR("") : file->build_ids[index];
}

static bool feature_read(struct perf_file *file, uint64_t feature, struct gate_str bytes, struct gate_error *err) {
    if (feature == FEATURE_EVENT_DESC)
        return names_read(file, bytes, err);
    return feature != FEATURE_BUILD_ID || build_ids_read(file, bytes, err);
}

/* The sections of the features follow the records, one for each bit that is set. */
static bool features_read(struct perf_file *file, struct gate_error *err) {
    size_t at = (size_t)(file->data.ptr - file->bytes.ptr) + file->data.len;
    for (unsigned bit = 0; bit < FEATURES; bit++) {
        uint64_t word = perf_number(file, file->bytes, AT_FLAGS + 8 * (size_t)(bit / 64), 8);
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

/* A pipe has the events, their names and build ids among its records. */
static bool pipe_record_read(struct perf_file *file, const struct perf_record *record, struct gate_error *err) {
    struct gate_str body = gate_str_slice(record->bytes, RECORD_BYTES, record->bytes.len);
    uint64_t own_size = perf_number(file, body, AT_OWN_SIZE, 4);
    if (record->type == RECORD_BUILD_ID)
        return build_id_add(file, record, err);
    if (record->type == RECORD_FEATURE)
        return body.len < 8 ||
               feature_read(file, perf_number(file, body, 0, 8), gate_str_slice(body, 8, body.len), err);
    if (record->type != RECORD_ATTR)
        return true;
    if (own_size < ATTR_BYTES_LEAST || own_size > body.len)
        return gate_error_set(err, GATE_ERR_FORMAT, "the perf.data pipe has an event of %llu bytes",
                              (unsigned long long)own_size);
    return attr_add(file, gate_str_slice(body, 0, (size_t)own_size), err) &&
           ids_add(file, gate_str_slice(body, (size_t)own_size, body.len), err);
}

/* Refuse records whose contents are elsewhere or compressed. */
static bool record_check(const struct perf_record *record, struct gate_error *err) {
    switch (record->type) {
    case RECORD_COMPRESSED:
    case RECORD_COMPRESSED2:
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a perf.data file with compressed records (-z): %s, or record without -z", TO_TEXT);
    case RECORD_AUXTRACE_INFO:
    case RECORD_AUXTRACE:
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a perf.data file with a hardware trace (Intel PT, CoreSight, SPE): %s", TO_TEXT);
    case RECORD_CALLCHAIN_DEFERRED:
        return gate_error_set(err, GATE_ERR_FORMAT, "a perf.data file with deferred stacks: %s", TO_TEXT);
    default:
        return true;
    }
}

static bool records_check(struct perf_file *file, struct gate_error *err) {
    struct perf_record record;
    size_t at = 0;
    do {
        if (!perf_record_next(&record, file, &at, err) || !record_check(&record, err) ||
            (file->is_pipe && record.bytes.len != 0 && !pipe_record_read(file, &record, err)))
            return false;
    } while (record.bytes.len != 0);
    return true;
}

/* Read the header, the events and the build ids. err: GATE_ERR_FORMAT: truncated, damaged, or recorded in a way that
 * this reader cannot use, with what to do. */
static bool perf_file_open(struct perf_file *out, struct gate_str bytes, struct gate_arena *arena,
                           struct gate_error *err) {
    *out = (struct perf_file){.arena = arena, .bytes = bytes};
    out->is_big = gate_str_starts(bytes, gate_str_from(magic_big));
    gate_table_init(&out->ids, arena);
    gate_table_init(&out->id_files, arena);
    uint64_t size = perf_number(out, bytes, AT_SIZE, 8);
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

/* Return the event of id `id`, or NULL. */
static const struct perf_attr *perf_file_event(const struct perf_file *file, uint64_t id) {
    uint32_t index = gate_table_find(&file->ids, (struct gate_str){(const char *)&id, sizeof id});
    return index == GATE_TABLE_NONE ? NULL : &file->attrs[file->id_attrs[index]];
}

/* ---- processes and threads of a recording: their names, and which file is mapped at an address ------------------- */

/* Number of the kernel among the processes. */
enum { PID_KERNEL = UINT32_MAX };

/* A mapping as its event has it. Addresses `start` to `end` are from byte `offset` of the file on. */
struct perf_map {
    uint64_t start, end, offset;
    struct gate_str file;
    struct gate_str build_id; /* hexadecimal; empty: unknown */
};

/* A piece of a mapping: later mappings replace parts of earlier ones. */
struct perf_piece {
    uint64_t start, end;
    uint32_t map;
};

/* Pieces of one process, by address, without overlaps. */
struct perf_process {
    struct perf_piece *pieces;
    size_t count, capacity;
};

/* State of all processes at one time of the recording. */
struct perf_processes {
    struct gate_builder *builder; /* counts the steps; its arena is used */
    struct gate_table pids, tids; /* the four bytes of each number */
    struct perf_process *processes;
    size_t process_capacity;
    struct gate_str *comms; /* name of each thread; its `ptr` is NULL: unknown */
    size_t comm_capacity;
    struct perf_map *maps;
    size_t map_count, map_capacity;
};

/* A step is about 10 ns, in which this many pieces are moved. */
enum { PIECES_PER_STEP = 8 };

static struct gate_str number_key(const uint32_t *number) {
    return (struct gate_str){(const char *)number, sizeof *number};
}

/* Return the process, adding it if it is new; NULL if the arena is full. */
static struct perf_process *process_of(struct perf_processes *all, uint32_t pid) {
    uint32_t known = all->pids.count, index = gate_table_intern_copy(&all->pids, number_key(&pid));
    if (index == GATE_TABLE_NONE)
        return NULL;
    if (index < known)
        return &all->processes[index];
    if (!GATE_REGROW(all->builder->arena, all->processes, known, all->process_capacity))
        return NULL;
    all->processes[known] = (struct perf_process){0};
    return &all->processes[known];
}

/* Return the index of the first piece that ends after `address`. */
static size_t piece_at(const struct perf_process *process, uint64_t address) {
    size_t at = 0;
    GATE_SEARCH(at, process->count, process->pieces[at].end <= address);
    return at;
}

static bool charge(struct perf_processes *all, size_t pieces, struct gate_error *err) {
    return gate_builder_charge(all->builder, 1 + pieces / PIECES_PER_STEP, err);
}

/* Make room for two more pieces: a mapping inside of another one leaves its start and its end. */
static bool room_make(struct perf_processes *all, struct perf_process *process) {
    for (size_t more = 1; more <= 2; more++) {
        if (!GATE_REGROW(all->builder->arena, process->pieces, process->count + more, process->capacity))
            return false;
    }
    return true;
}

/* Replace the pieces between `piece->start` and `piece->end`. There is room for two more. */
static void piece_put(struct perf_process *process, const struct perf_piece *piece) {
    struct perf_piece *pieces = process->pieces, put[3];
    size_t first = piece_at(process, piece->start), last = first, count = 0;
    while (last < process->count && pieces[last].start < piece->end)
        last++;
    if (last > first && pieces[first].start < piece->start)
        put[count++] = (struct perf_piece){pieces[first].start, piece->start, pieces[first].map};
    put[count++] = *piece;
    if (last > first && pieces[last - 1].end > piece->end)
        put[count++] = (struct perf_piece){piece->end, pieces[last - 1].end, pieces[last - 1].map};
    memmove(pieces + first + count, pieces + last, (process->count - last) * sizeof *pieces);
    memcpy(pieces + first, put, count * sizeof *pieces);
    process->count += count - (last - first);
}

/* Map a file in process `pid`. It replaces what was mapped at its addresses. O(pieces of the process), charged as
 * steps. */
static bool perf_processes_map(struct perf_processes *all, uint32_t pid, const struct perf_map *map,
                               struct gate_error *err) {
    struct gate_arena *arena = all->builder->arena;
    struct perf_process *process = process_of(all, pid);
    if (process == NULL || !GATE_REGROW(arena, all->maps, all->map_count, all->map_capacity))
        return gate_arena_error(arena, err);
    if (map->end <= map->start || all->map_count == GATE_NO_INDEX)
        return true;
    if (!charge(all, process->count - piece_at(process, map->start), err))
        return false;
    if (!room_make(all, process))
        return gate_arena_error(arena, err);
    all->maps[all->map_count] = *map;
    piece_put(process, &(struct perf_piece){map->start, map->end, (uint32_t)all->map_count++});
    return true;
}

/* Return the mapping at `address` of process `pid`, or NULL. O(log pieces). */
static const struct perf_map *perf_processes_find(const struct perf_processes *all, uint32_t pid, uint64_t address) {
    uint32_t index = gate_table_find(&all->pids, number_key(&pid));
    if (index == GATE_TABLE_NONE)
        return NULL;
    const struct perf_process *process = &all->processes[index];
    size_t at = piece_at(process, address);
    bool is_in = at < process->count && process->pieces[at].start <= address;
    return is_in ? &all->maps[process->pieces[at].map] : NULL;
}

/* Name thread `tid`. `comm` must outlive the state. A process that starts another program keeps its mappings until that
 * program's replace them: its last samples have addresses of the old ones. */
static bool comm_set(struct perf_processes *all, uint32_t tid, struct gate_str comm, struct gate_error *err) {
    struct gate_arena *arena = all->builder->arena;
    uint32_t known = all->tids.count, index = gate_table_intern_copy(&all->tids, number_key(&tid));
    if (index == GATE_TABLE_NONE)
        return gate_arena_error(arena, err);
    if (index == known && !GATE_REGROW(arena, all->comms, known, all->comm_capacity))
        return gate_arena_error(arena, err);
    all->comms[index] = comm;
    return true;
}

/* Copy the mappings of process `from` to `to`. */
static bool maps_copy(struct perf_processes *all, uint32_t to, uint32_t from, struct gate_error *err) {
    struct perf_process *child = process_of(all, to);
    uint32_t index = gate_table_find(&all->pids, number_key(&from));
    if (child == NULL)
        return gate_arena_error(all->builder->arena, err);
    child->count = 0;
    if (index == GATE_TABLE_NONE)
        return true;
    const struct perf_process *parent = &all->processes[index];
    if (!charge(all, parent->count, err))
        return false;
    if (child->capacity < parent->count) {
        struct perf_piece *pieces = gate_arena_resize(all->builder->arena, child->pieces,
                                                      child->capacity * sizeof *pieces, parent->count * sizeof *pieces);
        if (pieces == NULL)
            return gate_arena_error(all->builder->arena, err);
        child->pieces = pieces;
        child->capacity = parent->count;
    }
    if (parent->count != 0)
        memcpy(child->pieces, parent->pieces, parent->count * sizeof *child->pieces);
    child->count = parent->count;
    return true;
}

/* Start thread `tid` of process `pid`. It gets the name of the thread that started it; a new process gets the mappings
 * of its parent. O(pieces of the parent), charged as steps. */
static bool perf_processes_fork(struct perf_processes *all, const uint32_t pid[2], const uint32_t tid[2],
                                struct gate_error *err) {
    uint32_t parent = gate_table_find(&all->tids, number_key(&tid[1]));
    struct gate_str comm = GATE_STR("");
    if (parent != GATE_TABLE_NONE)
        comm = all->comms[parent];
    return comm_set(all, tid[0], comm, err) && (pid[0] == pid[1] || maps_copy(all, pid[0], pid[1], err));
}

/* Return the name of thread `tid`, ":TID" if it is unknown. Its `ptr` is NULL if the arena is full. */
static struct gate_str perf_processes_name(const struct perf_processes *all, uint32_t tid) {
    uint32_t index = gate_table_find(&all->tids, number_key(&tid));
    if (index != GATE_TABLE_NONE && all->comms[index].ptr != NULL)
        return all->comms[index];
    return tid == 0 ? GATE_STR("swapper") : gate_str_format(all->builder->arena, ":%u", tid);
}

/* ---- records, in the order of time ------------------------------------------------------------------------------- */

enum { BODY = 8 /* offset of a record's body */, CONTEXTS = 4095 };

/* Bits of a record's misc field. */
enum { MISC_MODE = 7, MISC_MMAP_DATA = 1 << 13, MISC_BUILD_ID = 1 << 14 };

/* Values of MISC_MODE: whether an address is in the kernel or in the program. */
enum mode { MODE_KERNEL = 1, MODE_USER = 2 };

/* Offsets in records that map a file. */
enum { AT_ADDRESS = 16, AT_LEN = 24, AT_OFFSET = 32, AT_FILE = 40, AT_ID_LEN = 40, AT_ID = 44, AT_FILE_2 = 72 };

/* Marks in a stack: the addresses after them are in the kernel, or in the program. */
static const uint64_t context_kernel = -(uint64_t)128, context_user = -(uint64_t)512;

/* Offset of a record and its time, for sorting. */
struct place {
    uint64_t time;
    size_t at;
};

/* The fields of a sample that are used. */
struct sample {
    const struct perf_attr *attr;
    uint64_t ip, time, period;
    uint32_t pid, tid, mode;
    bool has_time;
    size_t chain; /* offset of its first address */
    uint64_t chain_len;
};

struct reading {
    struct perf_file file;
    struct perf_processes processes;
    struct gate_builder *builder;
    struct gate_perf_events events;
    struct place *places;
    size_t place_count, place_capacity;
};

/* ---- fields of records ------------------------------------------------------------------------------------------- */

static uint64_t word_at(const struct reading *reading, const struct perf_record *record, size_t at) {
    return perf_number(&reading->file, record->bytes, at, 8);
}

static uint32_t half_at(const struct reading *reading, const struct perf_record *record, size_t at) {
    return (uint32_t)perf_number(&reading->file, record->bytes, at, 4);
}

static size_t has(uint64_t sample_type, uint64_t bits) {
    size_t count = 0;
    for (uint64_t left = sample_type & bits; left != 0; left &= left - 1)
        count++;
    return count;
}

/* Return the event of a record. The id is first in a sample, or last in other records, if the event has an IDENTIFIER;
 * else its place is the same for all events of a file. */
static const struct perf_attr *event_of(const struct reading *reading, const struct perf_record *record) {
    const struct perf_attr *first = &reading->file.attrs[0], *found = NULL;
    uint64_t type = first->sample_type;
    size_t at = record->bytes.len;
    if (reading->file.attr_count == 1)
        return first;
    if (record->type == RECORD_SAMPLE)
        at = BODY + ((type & HAS_IDENTIFIER) != 0 ? 0 : 8 * has(type, HAS_IP | HAS_TID | HAS_TIME | HAS_ADDR));
    else
        at -= 8 * ((type & HAS_IDENTIFIER) != 0 ? 1 : has(type, HAS_ID | HAS_STREAM_ID | HAS_CPU));
    if ((type & (HAS_IDENTIFIER | HAS_ID)) != 0)
        found = perf_file_event(&reading->file, word_at(reading, record, at));
    return found != NULL || record->type == RECORD_SAMPLE ? found : first;
}

/* Return the bytes of the sample id at the end of a record that is not a sample. */
static size_t id_bytes(const struct perf_attr *attr) {
    return !attr->has_sample_id
               ? 0
               : 8 * has(attr->sample_type, HAS_TID | HAS_TIME | HAS_ID | HAS_STREAM_ID | HAS_CPU | HAS_IDENTIFIER);
}

/* Skip the counter values of a sample. */
static size_t read_bytes(const struct perf_attr *attr) {
    return 8 * (1 + has(attr->read_format, READ_ENABLED | READ_RUNNING | READ_ID | READ_LOST));
}

static bool truncated(const struct perf_record *record, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "a sample of %zu bytes in the perf.data file is too short",
                          record->bytes.len);
}

/* Read a sample up to its stack. The order of its fields is that of perf_event_open(2). */
static bool sample_read(struct sample *out, const struct reading *reading, const struct perf_record *record,
                        struct gate_error *err) {
    size_t at = BODY;
    const struct perf_attr *event = event_of(reading, record);
    *out = (struct sample){.attr = event == NULL ? reading->file.attrs : event, .mode = record->misc & MISC_MODE};
    if (event == NULL)
        return gate_error_set(err, GATE_ERR_FORMAT, "a sample in the perf.data file is of no event of the file");
    uint64_t type = out->attr->sample_type;
    at += 8 * has(type, HAS_IDENTIFIER);
    out->ip = (type & HAS_IP) != 0 ? word_at(reading, record, at) : 0;
    at += 8 * has(type, HAS_IP);
    if ((type & HAS_TID) != 0) {
        out->pid = half_at(reading, record, at);
        out->tid = half_at(reading, record, at + 4);
        at += 8;
    }
    out->has_time = (type & HAS_TIME) != 0;
    out->time = out->has_time ? word_at(reading, record, at) : 0;
    at += 8 * has(type, HAS_TIME | HAS_ADDR | HAS_ID | HAS_STREAM_ID | HAS_CPU);
    bool has_period = (type & HAS_PERIOD) != 0;
    out->period = has_period ? word_at(reading, record, at) : out->attr->period;
    at += has_period ? 8 : 0;
    at += (type & HAS_READ) != 0 ? read_bytes(out->attr) : 0;
    bool has_chain = (type & HAS_CALLCHAIN) != 0;
    if (at + (has_chain ? 8 : 0) > record->bytes.len)
        return truncated(record, err);
    out->chain_len = has_chain ? word_at(reading, record, at) : 0;
    out->chain = at + 8;
    if (has_chain && out->chain_len > (record->bytes.len - out->chain) / 8)
        return truncated(record, err);
    return out->period <= INT64_MAX ||
           gate_error_set(err, GATE_ERR_FORMAT, "a sample in the perf.data file has an impossible period");
}

/* ---- sorting records by time ------------------------------------------------------------------------------------- */

static int place_compare(const void *a, const void *b) {
    const struct place *left = a, *right = b;
    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/* Return the time of a record; 0 if it has none, so that it comes first. */
static uint64_t time_of(const struct reading *reading, const struct perf_record *record) {
    const struct perf_attr *attr = event_of(reading, record);
    if (attr == NULL || (attr->sample_type & HAS_TIME) == 0)
        return 0;
    uint64_t type = attr->sample_type, time = 0;
    size_t behind = 8 * has(type, HAS_TIME | HAS_ID | HAS_STREAM_ID | HAS_CPU | HAS_IDENTIFIER);
    if (record->type == RECORD_SAMPLE)
        time = word_at(reading, record, BODY + 8 * has(type, HAS_IDENTIFIER | HAS_IP | HAS_TID));
    else if (attr->has_sample_id && behind + BODY <= record->bytes.len)
        time = word_at(reading, record, record->bytes.len - behind);
    return time == UINT64_MAX ? 0 : time;
}

static bool is_used(uint32_t type) {
    return type == RECORD_SAMPLE || type == RECORD_MMAP || type == RECORD_MMAP2 || type == RECORD_COMM ||
           type == RECORD_FORK;
}

/* Files hold the records of each processor in a row: sort them. */
static bool places_find(struct reading *reading, struct gate_arena *arena, struct gate_error *err) {
    struct perf_record record;
    for (size_t at = 0, start = 0;; start = at) {
        if (!perf_record_next(&record, &reading->file, &at, err))
            return false;
        if (record.bytes.len == 0)
            break;
        if (!is_used(record.type))
            continue;
        if (!GATE_REGROW(arena, reading->places, reading->place_count, reading->place_capacity))
            return gate_arena_error(arena, err);
        reading->places[reading->place_count++] = (struct place){time_of(reading, &record), start};
    }
    if (reading->place_count > 1)
        qsort(reading->places, reading->place_count, sizeof *reading->places, place_compare);
    return true;
}

/* ---- processes and their mappings -------------------------------------------------------------------------------- */

/* Return "[kernel.kallsyms]" for "[kernel.kallsyms]_text", and "[nfs]" for "/lib/modules/6.1/kernel/fs/nfs.ko.xz". */
static struct gate_str kernel_file(struct gate_arena *arena, struct gate_str file) {
    const struct gate_str kernel = GATE_STR("[kernel.kallsyms]");
    struct gate_str base = gate_str_basename(file);
    size_t end = gate_str_find(base, GATE_STR(".ko"), 0);
    if (gate_str_starts(file, kernel))
        return kernel;
    if (end == SIZE_MAX)
        return file;
    struct gate_str name = gate_str_format(arena, "[%.*s]", (int)(end > 255 ? 255 : end), base.ptr);
    for (size_t i = 0; name.ptr != NULL && i < name.len; i++)
        if (name.ptr[i] == '-')
            ((char *)(uintptr_t)name.ptr)[i] = '_';
    return name;
}

static bool map_add(struct reading *reading, const struct perf_record *record, struct gate_error *err) {
    struct gate_arena *arena = reading->builder->arena;
    bool is_kernel = (record->misc & MISC_MODE) == MODE_KERNEL, is_wide = record->type == RECORD_MMAP2;
    size_t tail = id_bytes(event_of(reading, record)), len = record->bytes.len;
    struct gate_str bytes = gate_str_slice(record->bytes, 0, tail > len ? 0 : len - tail);
    struct gate_str file = perf_text(bytes, is_wide ? AT_FILE_2 : AT_FILE);
    struct perf_map map = {.start = word_at(reading, record, AT_ADDRESS),
                           .offset = word_at(reading, record, AT_OFFSET),
                           .build_id = perf_file_build_id(&reading->file, file)};
    uint64_t bytes_mapped = word_at(reading, record, AT_LEN);
    map.end = bytes_mapped > UINT64_MAX - map.start ? UINT64_MAX : map.start + bytes_mapped;
    if ((record->misc & MISC_MMAP_DATA) != 0)
        return true;
    if (is_wide && (record->misc & MISC_BUILD_ID) != 0)
        map.build_id = perf_build_id(arena, bytes, AT_ID, (size_t)perf_number(&reading->file, bytes, AT_ID_LEN, 1));
    map.file = gate_str_repair_utf8(arena, is_kernel ? kernel_file(arena, file) : file);
    if (map.build_id.len == 0 && map.file.ptr != NULL) /* the kernel's is of "[kernel.kallsyms]" */
        map.build_id = perf_file_build_id(&reading->file, map.file);
    if (map.build_id.ptr == NULL || map.file.ptr == NULL)
        return gate_arena_error(arena, err);
    uint32_t pid = is_kernel ? PID_KERNEL : half_at(reading, record, BODY);
    return perf_processes_map(&reading->processes, pid, &map, err);
}

/* Read a record that changes the processes. */
static bool process_change(struct reading *reading, const struct perf_record *record, struct gate_error *err) {
    uint32_t first = half_at(reading, record, BODY), second = half_at(reading, record, BODY + 4);
    uint32_t third = half_at(reading, record, BODY + 8), fourth = half_at(reading, record, BODY + 12);
    if (record->type == RECORD_FORK) /* process, its parent, thread, its parent */
        return perf_processes_fork(&reading->processes, (uint32_t[2]){first, second}, (uint32_t[2]){third, fourth},
                                   err);
    if (record->type != RECORD_COMM)
        return map_add(reading, record, err);
    struct gate_str comm = gate_str_repair_utf8(reading->builder->arena, perf_text(record->bytes, BODY + 8));
    if (comm.ptr == NULL)
        return gate_arena_error(reading->builder->arena, err);
    return comm_set(&reading->processes, second, comm, err);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/* Return false for memory that no file backs: its addresses stay those of the process, as perf maps have them. */
static bool is_file(struct gate_str file) {
    static const char *const others[] = {"//anon",  "/dev/zero",   "/anon_hugepage", "/SYSV",
                                         "/memfd:", "anon_inode:", "[heap]",         "[stack"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (gate_str_starts(file, gate_str_from(others[i])))
            return false;
    return file.len != 0;
}

/* Add the frame at `address`. Its location has no name. */
static bool frame_push(struct reading *reading, const struct sample *sample, uint32_t mode, uint64_t address,
                       struct gate_error *err) {
    struct gate_builder *builder = reading->builder;
    uint32_t pid = mode == MODE_KERNEL ? PID_KERNEL : sample->pid;
    const struct perf_map *map =
        mode == MODE_KERNEL || mode == MODE_USER ? perf_processes_find(&reading->processes, pid, address) : NULL;
    struct gate_mapping mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")};
    uint64_t start = 0, id = 0;
    if (map == NULL && mode == MODE_KERNEL)
        mapping.file = GATE_STR("[kernel.kallsyms]");
    if (map != NULL) {
        mapping.file = map->file;
        mapping.build_id = map->build_id;
    }
    if (map != NULL && mode == MODE_KERNEL) {
        uint64_t first = map->offset != 0 && map->offset <= address ? map->offset : map->start;
        mapping.start = GATE_FILE_BASE;
        mapping.limit = GATE_FILE_LIMIT;
        address = address - first + GATE_FILE_BASE;
    } else if (map != NULL && is_file(map->file)) {
        mapping.start = GATE_FILE_BASE + map->offset;
        mapping.limit = mapping.start + (map->end - map->start);
        mapping.offset = map->offset;
        address = address - map->start + mapping.start;
    }
    if (mapping.file.len != 0)
        id = gate_builder_mapping(builder, &mapping, &start);
    return gate_builder_push(builder, gate_builder_location(builder, id, address, NULL, 0), err) &&
           (!builder->is_full || gate_arena_error(builder->arena, err));
}

/* Add the frames of a sample's stack. The first address after a mark is exact, all others are return addresses. */
static bool stack_read(struct reading *reading, const struct sample *sample, const struct perf_record *record,
                       struct gate_error *err) {
    uint32_t mode = sample->mode;
    bool is_exact = true;
    reading->builder->depth = 0;
    for (uint64_t i = 0; i < sample->chain_len; i++) {
        uint64_t address = word_at(reading, record, sample->chain + 8 * (size_t)i);
        if (address >= -(uint64_t)CONTEXTS) {
            mode = address == context_kernel ? MODE_KERNEL : address == context_user ? MODE_USER : 0;
            is_exact = true;
            continue;
        }
        if (!frame_push(reading, sample, mode, address - (is_exact || address == 0 ? 0 : 1), err))
            return false;
        is_exact = false;
    }
    bool has_ip = (sample->attr->sample_type & HAS_IP) != 0;
    return reading->builder->depth != 0 || !has_ip || frame_push(reading, sample, sample->mode, sample->ip, err);
}

static bool sample_add(struct reading *reading, const struct sample *sample, const struct perf_record *record,
                       struct gate_error *err) {
    int64_t values[GATE_VALUES_MAX] = {0};
    struct gate_label label = {.key = GATE_STR("comm")};
    struct gate_builder_sample added = {.locations = reading->builder->stack, .values = values, .labels = &label};
    if (!stack_read(reading, sample, record, err))
        return false;
    added.depth = reading->builder->depth;
    const struct gate_perf_event *event = gate_perf_events_find(&reading->events, sample->attr->name);
    label.text = perf_processes_name(&reading->processes, sample->tid);
    if (label.text.ptr == NULL)
        return gate_arena_error(reading->builder->arena, err);
    added.label_count = label.text.len != 0 && (sample->attr->sample_type & HAS_TID) != 0;
    values[event->samples] = 1;
    if (event->has_periods)
        values[event->periods] = (int64_t)sample->period;
    return gate_builder_sample(reading->builder, &added, err);
}

/* Read all records: the first pass notes the events, the second one adds samples. */
static bool records_read(struct reading *reading, bool is_first, struct gate_error *err) {
    for (size_t i = 0; i < reading->place_count; i++) {
        struct perf_record record;
        struct sample sample;
        size_t at = reading->places[i].at;
        if (!perf_record_next(&record, &reading->file, &at, err))
            return false;
        if (record.type != RECORD_SAMPLE) {
            if (!is_first && !process_change(reading, &record, err))
                return false;
            continue;
        }
        if (!sample_read(&sample, reading, &record, err))
            return false;
        int64_t time = sample.has_time && sample.time <= INT64_MAX ? (int64_t)sample.time : -1;
        if (!(is_first ? gate_perf_events_note(&reading->events, sample.attr->name, (int64_t)sample.period, time, err)
                       : sample_add(reading, &sample, &record, err)))
            return false;
    }
    return true;
}

/*
 * Convert to pprof. Columns and labels are those of perf's text (formats/perf_events.h); a fixed period (`-c`) is
 * used, too. `limits` has no zeros (gate_limits_fill).
 *
 * Frames have no names. An address in a file becomes its offset in the file (GATE_FILE_BASE), with the build id; one of
 * the kernel becomes its distance from the kernel's start, in the mapping "[kernel.kallsyms]". Other addresses stay. Of
 * a return address, the byte before it is used, which belongs to the call.
 *
 * err   GATE_ERR_FORMAT: truncated or damaged, or recorded in a way that only perf reads, with the command that
 *       converts it; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + records log records).
 */
static bool perf_data_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                           struct gate_error *err) {
    struct gate_arena *arena = builder->arena;
    struct reading *reading = GATE_NEW_ARRAY(arena, struct reading, 1);
    (void)limits;
    if (reading == NULL)
        return gate_arena_error(arena, err);
    *reading =
        (struct reading){.builder = builder, .events = {.first_ns = -1, .last_ns = -1}, .processes.builder = builder};
    gate_table_init(&reading->processes.pids, arena);
    gate_table_init(&reading->processes.tids, arena);
    if (!perf_file_open(&reading->file, bytes, arena, err) || !places_find(reading, arena, err) ||
        !records_read(reading, true, err))
        return false;
    if (reading->events.count == 0)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the perf.data file has no samples: the program was too short, or used no CPU time");
    return gate_perf_events_columns(&reading->events, builder, err) && records_read(reading, false, err);
}

const struct gate_reader gate_perf_data_reader = {
    .name = "perf.data",
    .magic = GATE_READER_MAGIC("PERFILE2"),
    .format = GATE_FORMAT_PERF_DATA,
    .fill = perf_data_fill,
};

const struct gate_reader gate_perf_data_reader_swapped = {
    .name = "perf.data",
    .magic = GATE_READER_MAGIC("2ELIFREP"), /* of the other byte order */
    .format = GATE_FORMAT_PERF_DATA,
    .fill = perf_data_fill,
};
