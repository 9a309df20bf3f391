/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/store/record.h"

#include "gate/base/file.h"
#include "gate/base/hash.h"
#include "gate/base/json_io.h"
#include "gate/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

/* ---- facts about a machine (processor, kernel, container limits), as facts of a record --------------------------- */

enum { FACT_BYTES = 256 };

/* Return the text of the file `path`, trimmed; empty if it cannot be read. */
static struct gate_str line_of(const char *path, struct gate_arena *arena) {
    char text[FACT_BYTES];
    FILE *file = fopen(path, "r");
    size_t len = file == NULL ? 0 : gate_stream_read(text, sizeof text, file);
    if (file != NULL)
        (void)fclose(file);
    struct gate_str copy = gate_str_copy(arena, gate_str_trim((struct gate_str){text, len}));
    return copy.ptr == NULL ? GATE_STR("") : copy;
}

static bool add(struct gate_record *record, const char *key, struct gate_str value, struct gate_arena *arena,
                struct gate_error *err) {
    if (value.ptr == NULL)
        return gate_arena_error(arena, err);
    return value.len == 0 || gate_record_add_fact(record, gate_str_from(key), value, arena, err);
}

struct gate_str gate_machine_cpu_limit(struct gate_str text, struct gate_arena *arena) {
    char number[64];
    char *end = number;
    if (text.len == 0 || text.len >= sizeof number)
        return GATE_STR("");
    memcpy(number, text.ptr, text.len);
    number[text.len] = '\0';
    double quota = strtod(number, &end); /* "max" (no limit) gives 0 */
    double period = end == number || *end != ' ' ? 0 : strtod(end, NULL);
    if (!(quota > 0) || !(period > 0))
        return GATE_STR("");
    return gate_str_format(arena, "%.3g", quota / period);
}

struct gate_str gate_machine_memory_limit(struct gate_str text) {
    enum { DIGITS_MAX = 15 }; /* cgroup v1 writes "no limit" as a number near 2^63 */
    return gate_str_equal(text, GATE_STR("max")) || text.len > DIGITS_MAX ? GATE_STR("") : text;
}

/* The files of cgroup v2 as a container sees them, else those of cgroup v1. */
static bool add_container(struct gate_record *record, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str cpus = line_of("/sys/fs/cgroup/cpu.max", arena);
    if (cpus.len == 0) {
        struct gate_str quota = line_of("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", arena);
        struct gate_str period = line_of("/sys/fs/cgroup/cpu/cpu.cfs_period_us", arena);
        cpus = gate_str_format(arena, "%.*s %.*s", GATE_STR_ARG(quota), GATE_STR_ARG(period));
        if (cpus.ptr == NULL)
            return gate_arena_error(arena, err);
    }
    struct gate_str memory = line_of("/sys/fs/cgroup/memory.max", arena);
    if (memory.len == 0)
        memory = line_of("/sys/fs/cgroup/memory/memory.limit_in_bytes", arena);
    return add(record, "container_cpus", gate_machine_cpu_limit(cpus, arena), arena, err) &&
           add(record, "container_memory", gate_machine_memory_limit(memory), arena, err);
}

bool gate_machine_add_host(struct gate_record *record, const struct gate_manifest_host *host, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_str cpus = host->cpus == 0 ? GATE_STR("") : gate_str_format(arena, "%u", (unsigned)host->cpus);
    return add(record, "cpu_model", host->cpu_model.len == 0 ? GATE_STR("") : host->cpu_model, arena, err) &&
           add(record, "cpus", cpus, arena, err) &&
           add(record, "kernel", host->kernel.len == 0 ? GATE_STR("") : host->kernel, arena, err);
}

bool gate_machine_add_here(struct gate_record *record, struct gate_arena *arena, struct gate_error *err) {
    struct gate_manifest_host host;
    struct utsname name;
    gate_manifest_file_host(&host, arena);
    struct gate_str arch = uname(&name) == 0 ? gate_str_format(arena, "%s", name.machine) : GATE_STR("");
    return gate_machine_add_host(record, &host, arena, err) && add(record, "arch", arch, arena, err) &&
           add_container(record, arena, err);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

#define GATE_RECORD_SCHEMA "pprofgate-baseline/1"

enum { FACTS_MAX = 200, WORKS_MAX = 10000 };

#define RUN(field) offsetof(struct gate_record_run, field)

#define RECORD(field) offsetof(struct gate_record, field)

/* A JSON key and the offset of its field. Empty texts and zeros are not written; a missing key reads as these. */
struct field {
    const char *key;
    size_t at;
    bool is_needed;
};

static const struct field record_texts[] = {{"service", RECORD(service), true},
                                            {"environment", RECORD(environment), true},
                                            {"revision", RECORD(revision), true},
                                            {"verdict", RECORD(verdict), false},
                                            {"reason", RECORD(reason), false},
                                            {"tool", RECORD(tool), false},
                                            {NULL, 0, false}};

static const struct field record_integers[] = {{"accepted_ms", RECORD(accepted_ms), true}, {NULL, 0, false}};

static const struct field run_texts[] = {{"object", RUN(object), true},
                                         {"name", RUN(name), false},
                                         {"kind", RUN(kind), true},
                                         {"types", RUN(types), false},
                                         {"language", RUN(language), false},
                                         {"build_id", RUN(build_id), false},
                                         {"version", RUN(version), false},
                                         {"source", RUN(source), false},
                                         {"instance", RUN(instance), false},
                                         {"period_type", RUN(period_type), false},
                                         {NULL, 0, false}};

static const struct field run_integers[] = {
    {"bytes", RUN(bytes), false},       {"period", RUN(period), false},
    {"taken_ns", RUN(taken_ns), false}, {"duration_ns", RUN(duration_ns), false},
    {"samples", RUN(samples), false},   {NULL, 0, false}};

void gate_record_begin(struct gate_record *out) {
    *out = (struct gate_record){.id = {"", 0}, .service = {"", 0}, .environment = {"", 0}, .revision = {"", 0}};
    out->verdict = out->reason = out->tool = GATE_STR("");
}

bool gate_record_add_fact(struct gate_record *record, struct gate_str key, struct gate_str value,
                          struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t i = 0; i < record->fact_count; i++)
        if (gate_str_equal(record->facts[i].key, key)) {
            record->facts[i].value = value;
            return true;
        }
    return GATE_APPEND(arena, record->facts, record->fact_count, record->fact_capacity, err,
                       (struct gate_record_fact){key, value});
}

bool gate_record_add_run(struct gate_record *record, const struct gate_record_run *run, struct gate_arena *arena,
                         struct gate_error *err) {
    return GATE_APPEND(arena, record->runs, record->run_count, record->run_capacity, err, *run);
}

struct gate_str gate_record_fact(const struct gate_record *record, const char *key) {
    for (uint32_t i = 0; i < record->fact_count; i++)
        if (gate_str_equal(record->facts[i].key, gate_str_from(key)))
            return record->facts[i].value;
    return GATE_STR("");
}

bool gate_record_has_kind(const struct gate_record *record, struct gate_str kind) {
    for (uint32_t i = 0; i < record->run_count; i++)
        if (gate_str_equal(record->runs[i].kind, kind))
            return true;
    return false;
}

bool gate_record_check_name(const char *what, struct gate_str text, struct gate_error *err) {
    bool is_revision = strcmp(what, "revision") == 0;
    size_t most = is_revision ? GATE_RECORD_REVISION_MAX : GATE_RECORD_NAME_MAX;
    bool ok = text.len > 0 && text.len <= most && !(is_revision && text.ptr[0] == '-');
    for (size_t i = 0; ok && i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        ok = c >= ' ' && c != 0x7f && !(is_revision && c == ' ');
    }
    return ok ||
           gate_error_set(err, GATE_ERR_USAGE, "expected a %s of 1 to %zu printable bytes%s, found '%.*s'", what, most,
                          is_revision ? " without blanks and without '-' in front" : "", GATE_STR_ARG(text));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_texts(struct gate_json *json, const struct field *fields, const void *base) {
    for (; fields->key != NULL; fields++) {
        const struct gate_str *text = (const void *)((const char *)base + fields->at);
        if (text->len == 0)
            continue;
        gate_json_put_string(json, fields->key, *text);
    }
}

static void write_integers(struct gate_json *json, const struct field *fields, const void *base) {
    for (; fields->key != NULL; fields++) {
        const int64_t *value = (const void *)((const char *)base + fields->at);
        if (*value == 0 && !fields->is_needed)
            continue;
        gate_json_put_integer(json, fields->key, *value);
    }
}

bool gate_record_write(struct gate_buf *out, const struct gate_record *record) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_put_text(&json, "schema", GATE_RECORD_SCHEMA);
    write_texts(&json, record_texts, record);
    write_integers(&json, record_integers, record);
    gate_json_put_open(&json, "facts", '[');
    for (uint32_t i = 0; i < record->fact_count; i++) {
        gate_json_open_flat(&json, '{');
        gate_json_put_string(&json, "key", record->facts[i].key);
        gate_json_put_string(&json, "value", record->facts[i].value);
        gate_json_close(&json, '}');
    }
    gate_json_close(&json, ']');
    gate_json_put_open(&json, "runs", '[');
    for (uint32_t i = 0; i < record->run_count; i++) {
        gate_json_open(&json, '{');
        write_texts(&json, run_texts, &record->runs[i]);
        write_integers(&json, run_integers, &record->runs[i]);
        gate_manifest_work_write(&json, record->runs[i].work, record->runs[i].by, record->runs[i].by_count);
        gate_json_close(&json, '}');
    }
    gate_json_close_all(&json, "]}");
    return !out->failed;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Refuse keys that are neither in the two tables nor in `more`, which is NULL-terminated. */
static bool read_keys(const struct gate_json_reader *reader, const struct field *texts, const struct field *integers,
                      const char *const *more) {
    enum { KEYS_MAX = 24 };
    const char *known[KEYS_MAX + 1] = {NULL};
    size_t count = 0;
    for (; texts->key != NULL; texts++)
        known[count++] = texts->key;
    for (; integers->key != NULL; integers++)
        known[count++] = integers->key;
    for (; *more != NULL; more++)
        known[count++] = *more;
    GATE_ASSERT(count <= KEYS_MAX);
    return gate_json_reader_keys(reader, known);
}

static bool read_fields(void *base, const struct field *texts, const struct field *integers,
                        const struct gate_json_reader *reader) {
    for (; texts->key != NULL; texts++)
        if (!gate_json_reader_text((void *)((char *)base + texts->at), reader, texts->key,
                                   texts->is_needed ? GATE_JSON_READER_FILLED : GATE_JSON_READER_MAY))
            return false;
    for (; integers->key != NULL; integers++)
        if (!gate_json_reader_integer((void *)((char *)base + integers->at), reader, integers->key, 0, INT64_MAX,
                                      integers->is_needed ? GATE_JSON_READER_MUST : GATE_JSON_READER_MAY))
            return false;
    return true;
}

static bool read_run(struct gate_record *out, const struct gate_json_reader *reader) {
    static const char *const more[] = {"work", "work_by", NULL};
    struct gate_record_run run = {0};
    if (!read_keys(reader, run_texts, run_integers, more) || !read_fields(&run, run_texts, run_integers, reader))
        return false;
    if (!gate_sha256_is_hex(run.object))
        return gate_json_reader_refuse(reader, "object", "64 hexadecimal digits");
    return gate_json_reader_number(&run.work, reader, "work", GATE_JSON_READER_MAY) &&
           gate_manifest_work_read(&run.by, &run.by_count, reader, WORKS_MAX) &&
           gate_record_add_run(out, &run, reader->arena, reader->err);
}

static bool read_runs(struct gate_record *out, const struct gate_json_reader *reader) {
    const json_t *list;
    if (!gate_json_reader_list(&list, reader, "runs", GATE_RECORD_RUNS_MAX, GATE_JSON_READER_MUST))
        return false;
    if (json_array_size(list) == 0)
        return gate_json_reader_refuse(reader, "runs", "a run or more");
    for (size_t i = 0; i < json_array_size(list); i++) {
        char place[32];
        (void)snprintf(place, sizeof place, "runs[%zu]", i);
        const struct gate_json_reader item = gate_json_reader_item(reader, list, i, place);
        if (!read_run(out, &item))
            return false;
    }
    return true;
}

static bool read_facts(struct gate_record *out, const struct gate_json_reader *reader) {
    static const char *const known[] = {"key", "value", NULL};
    const json_t *list;
    if (!gate_json_reader_list(&list, reader, "facts", FACTS_MAX, GATE_JSON_READER_MUST))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct gate_json_reader item = gate_json_reader_item(reader, list, i, "facts");
        struct gate_record_fact fact;
        if (!gate_json_reader_keys(&item, known) ||
            !gate_json_reader_text(&fact.key, &item, "key", GATE_JSON_READER_FILLED) ||
            !gate_json_reader_text(&fact.value, &item, "value", GATE_JSON_READER_MAY) ||
            !gate_record_add_fact(out, fact.key, fact.value, reader->arena, reader->err))
            return false;
    }
    return true;
}

static bool read_document(struct gate_record *out, const struct gate_json_reader *reader) {
    static const char *const more[] = {"schema", "facts", "runs", NULL};
    struct gate_error why = {0};
    if (!gate_json_reader_schema(reader, GATE_RECORD_SCHEMA,
                                 "read it with the pprofgate that wrote it, or accept again") ||
        !read_keys(reader, record_texts, record_integers, more) ||
        !read_fields(out, record_texts, record_integers, reader))
        return false;
    if (!gate_record_check_name("service", out->service, &why) ||
        !gate_record_check_name("environment", out->environment, &why) ||
        !gate_record_check_name("revision", out->revision, &why))
        return gate_error_set(reader->err, GATE_ERR_FORMAT, "%s", why.message);
    return read_facts(out, reader) && read_runs(out, reader);
}

bool gate_record_read(struct gate_record *out, struct gate_str text, struct gate_arena *arena, struct gate_error *err) {
    gate_record_begin(out);
    json_t *root = gate_json_reader_parse(text, "a record", GATE_ERR_FORMAT, err);
    if (root == NULL)
        return false;
    const struct gate_json_reader reader = {root, "the record", GATE_ERR_FORMAT, arena, err};
    bool ok = read_document(out, &reader);
    json_decref(root);
    return ok;
}

/* ---- the JSON report of a check, whose profiles are accepted ----------------------------------------------------- */

enum { DIGEST_DIGITS = 32 };

static bool add_side(struct gate_checked *out, const json_t *comparison, struct gate_arena *arena,
                     struct gate_error *err) {
    const json_t *runs = json_object_get(json_object_get(comparison, "canary"), "runs");
    size_t count = json_array_size(runs);
    struct gate_str *all = GATE_NEW_ARRAY(arena, struct gate_str, out->digest_count + count);
    if (all == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < out->digest_count; i++)
        all[i] = out->digests[i];
    out->digests = all;
    for (size_t i = 0; i < count; i++) {
        const json_t *digest = json_object_get(json_array_get(runs, i), "digest");
        if (!json_is_string(digest))
            return gate_error_set(err, GATE_ERR_FORMAT, "expected a 'digest' of each run of the canary");
        all[out->digest_count] = gate_str_copy(arena, gate_str_from(json_string_value(digest)));
        if (all[out->digest_count++].ptr == NULL)
            return gate_arena_error(arena, err);
    }
    return true;
}

static bool read_report(struct gate_checked *out, const json_t *root, struct gate_arena *arena,
                        struct gate_error *err) {
    static const char *const verdicts[] = {"pass", "inconclusive", "fail", NULL};
    const char *verdict = json_string_value(json_object_get(root, "verdict"));
    int known = 0;
    while (verdict != NULL && verdicts[known] != NULL && strcmp(verdict, verdicts[known]) != 0)
        known++;
    if (verdict == NULL || verdicts[known] == NULL)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "expected the JSON report of a check, with a 'verdict' of pass, inconclusive or fail");
    out->verdict = gate_str_from(verdicts[known]);
    const json_t *accepted = json_object_get(root, "accepted");
    if (accepted != NULL) {
        const char *by = json_string_value(json_object_get(accepted, "by"));
        const char *reason = json_string_value(json_object_get(accepted, "reason"));
        if (by == NULL || reason == NULL)
            return gate_error_set(err, GATE_ERR_FORMAT, "expected 'by' and 'reason' in 'accepted'");
        out->accepted = gate_str_format(arena, "accepted by %s: %s", by, reason);
        if (out->accepted.ptr == NULL)
            return gate_arena_error(arena, err);
    }
    const json_t *more = json_object_get(root, "comparisons");
    if (!add_side(out, root, arena, err))
        return false;
    for (size_t i = 0; i < json_array_size(more); i++)
        if (!add_side(out, json_array_get(more, i), arena, err))
            return false;
    return out->digest_count > 0 || gate_error_set(err, GATE_ERR_FORMAT, "expected the runs of a canary, found none");
}

bool gate_checked_read(struct gate_checked *out, struct gate_str text, struct gate_arena *arena,
                       struct gate_error *err) {
    *out = (struct gate_checked){.verdict = {"", 0}, .accepted = {"", 0}};
    json_t *root = gate_json_reader_parse(text, "the report of a check", GATE_ERR_FORMAT, err);
    if (root == NULL)
        return false;
    bool ok = read_report(out, root, arena, err);
    json_decref(root);
    return ok;
}

bool gate_checked_has(const struct gate_checked *checked, struct gate_str bytes) {
    char digest[DIGEST_DIGITS + 1];
    (void)snprintf(digest, sizeof digest, "%016llx%016llx",
                   (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 1),
                   (unsigned long long)gate_hash_bytes(bytes.ptr, bytes.len, 2));
    for (uint32_t i = 0; i < checked->digest_count; i++)
        if (gate_str_equal(checked->digests[i], gate_str_from(digest)))
            return true;
    return false;
}
