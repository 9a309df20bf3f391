/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.json of a folder of captured profiles. */
#include "gate/capture/manifest.h"

#include "gate/base/buf.h"
#include "gate/base/file.h"
#include "gate/base/hash.h"
#include "gate/base/json_io.h"
#include "gate/compare/error_spending.h"
#include "gate/compare/pair.h"
#include "gate/compare/pair_types.h"
#include "gate/formats/format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- looks ------------------------------------------------------------------------------------------------------- */

void gate_manifest_looks_write(struct gate_json *json, const struct gate_manifest_looks *looks) {
    if (looks->planned == 0)
        return;
    gate_json_put_open_flat(json, "looks", '{');
    gate_json_put_string(json, "rules", looks->rules);
    if (looks->equal != GATE_EQUAL_UNKNOWN)
        gate_json_put_string(json, "equal", gate_str_from(gate_equal_name(looks->equal)));
    gate_json_put_integer(json, "planned", looks->planned);
    gate_json_put_integer(json, "round", looks->round);
    gate_json_put_open_flat(json, "fractions", '[');
    for (uint32_t i = 0; i < looks->count; i++)
        gate_json_number(json, looks->fractions[i]);
    gate_json_close_all(json, "]}");
}

static bool looks_refuse(struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_CONFIG,
                          "expected 'looks' to be 'rules', perhaps 'equal', 'planned', from 1 to %u, the last 'round', "
                          "and no more 'fractions' than planned, growing, above 0 and at most 1",
                          GATE_SPENDING_LOOKS_MAX);
}

static bool equal_read(enum gate_equal *out, const json_t *value) {
    if (value == NULL)
        return true;
    for (int i = GATE_EQUAL_UNKNOWN + 1; json_is_string(value) && gate_equal_words[i] != NULL; i++)
        if (strcmp(gate_equal_words[i], json_string_value(value)) == 0)
            *out = (enum gate_equal)i;
    return *out != GATE_EQUAL_UNKNOWN;
}

bool gate_manifest_looks_read(struct gate_manifest_looks *out, const json_t *value, struct gate_arena *arena,
                              struct gate_error *err) {
    const json_t *planned = json_object_get(value, "planned"), *fractions = json_object_get(value, "fractions");
    const json_t *round = json_object_get(value, "round"), *rules = json_object_get(value, "rules");
    const json_t *equal = json_object_get(value, "equal");
    size_t count = json_array_size(fractions);
    json_int_t most = json_integer_value(planned), last_round = json_integer_value(round);
    *out = (struct gate_manifest_looks){0};
    if (value == NULL)
        return true;
    if (json_object_size(value) != (equal == NULL ? 4 : 5) || !equal_read(&out->equal, equal) ||
        !json_is_string(rules) || !json_is_integer(planned) || most < 1 || most > GATE_SPENDING_LOOKS_MAX ||
        !json_is_integer(round) || last_round < (count > 0) || last_round > UINT32_MAX || !json_is_array(fractions) ||
        count > (size_t)most)
        return looks_refuse(err);
    out->planned = (uint32_t)most;
    out->round = (uint32_t)last_round;
    out->rules = gate_str_copy(arena, (struct gate_str){json_string_value(rules), json_string_length(rules)});
    out->fractions = GATE_NEW_ARRAY(arena, double, out->planned);
    if (out->fractions == NULL || out->rules.ptr == NULL)
        return gate_arena_error(arena, err);
    for (double last = 0; out->count < count; last = out->fractions[out->count++]) {
        double next = json_number_value(json_array_get(fractions, out->count));
        if (!(next > last && next <= 1))
            return looks_refuse(err);
        out->fractions[out->count] = next;
    }
    return true;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

#define GATE_MANIFEST_SCHEMA "pprofgate-manifest/1"

enum { DIGEST_DIGITS = 2 * GATE_SHA256_BYTES, KIND_BYTES_MAX = 64 };

const char *const gate_retried_words[GATE_RETRIED_VALUES] = {
    [GATE_RETRIED_NOT] = "", [GATE_RETRIED_BUSY] = "busy", [GATE_RETRIED_CUT] = "cut", [GATE_RETRIED_DOWN] = "down"};

void gate_manifest_begin(struct gate_manifest *out) {
    *out = (struct gate_manifest){.host = {.load = -1}, .lock = -1};
}

/* ---- checking a run ---------------------------------------------------------------------------------------------- */

/* Return whether the path stays inside the folder: relative, without NUL and without empty parts, "." and "..". */
static bool file_is_inside(struct gate_str file) {
    for (size_t from = 0; from <= file.len;) {
        size_t slash = gate_str_find(file, GATE_STR("/"), from), end = slash == SIZE_MAX ? file.len : slash;
        struct gate_str part = gate_str_slice(file, from, end);
        if (part.len == 0 || gate_str_equal(part, GATE_STR(".")) || gate_str_equal(part, GATE_STR("..")))
            return false;
        from = end + 1;
    }
    return memchr(file.ptr, '\0', file.len) == NULL;
}

static bool run_check(const struct gate_manifest_run *run, const char *place, struct gate_error *err) {
    if (run->round == 0)
        return gate_error_set(err, GATE_ERR_CONFIG, "%s: expected a 'round' of 1 or more, found 0", place);
    if (run->kind.len == 0 || run->kind.len > KIND_BYTES_MAX)
        return gate_error_set(err, GATE_ERR_CONFIG, "%s: expected a 'kind' such as cpu, found '%.*s'", place,
                              GATE_STR_ARG(run->kind));
    if (run->file.len == 0 || !file_is_inside(run->file))
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%s: expected a 'file' inside the folder of the manifest, found '%.*s'", place,
                              GATE_STR_ARG(run->file));
    if (!gate_sha256_is_hex(run->digest))
        return gate_error_set(err, GATE_ERR_CONFIG, "%s: expected a 'digest' of %d hexadecimal digits, found '%.*s'",
                              place, DIGEST_DIGITS, GATE_STR_ARG(run->digest));
    if (run->end_ms < run->start_ms)
        return gate_error_set(err, GATE_ERR_CONFIG, "%s: 'end_ms' is before 'start_ms'", place);
    if (!isfinite(run->work) || run->work < 0)
        return gate_error_set(err, GATE_ERR_CONFIG, "%s: expected a 'work' of zero or more, found %g", place,
                              run->work);
    for (uint32_t i = 0; i < run->by_count; i++)
        if (run->by[i].key.len == 0 || !isfinite(run->by[i].number) || run->by[i].number < 0)
            return gate_error_set(err, GATE_ERR_CONFIG,
                                  "%s: expected a label and a number of zero or more in 'work_by', found '%.*s' and %g",
                                  place, GATE_STR_ARG(run->by[i].key), run->by[i].number);
    return true;
}

static bool manifest_append(struct gate_manifest *manifest, const struct gate_manifest_run *run, const char *place,
                            struct gate_arena *arena, struct gate_error *err) {
    if (!run_check(run, place, err))
        return false;
    for (uint32_t i = 0; i < manifest->count; i++)
        if (gate_str_equal(manifest->runs[i].file, run->file))
            return gate_error_set(err, GATE_ERR_CONFIG, "%s: the file '%.*s' is that of runs[%u] too", place,
                                  GATE_STR_ARG(run->file), (unsigned)i);
    return GATE_APPEND(arena, manifest->runs, manifest->count, manifest->capacity, err, *run);
}

static bool run_copy(struct gate_manifest_run *copy, struct gate_arena *arena) {
    struct gate_str *const texts[] = {&copy->kind,     &copy->file,   &copy->source,
                                      &copy->instance, &copy->digest, &copy->revision};
    struct gate_manifest_work *by = GATE_NEW_ARRAY(arena, struct gate_manifest_work, copy->by_count);
    if (by == NULL)
        return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((*texts[i] = gate_str_copy(arena, *texts[i])).ptr == NULL)
            return false;
    for (uint32_t i = 0; i < copy->by_count; i++) {
        by[i] = (struct gate_manifest_work){gate_str_copy(arena, copy->by[i].key),
                                            gate_str_copy(arena, copy->by[i].value), copy->by[i].number};
        if (by[i].key.ptr == NULL || by[i].value.ptr == NULL)
            return false;
    }
    copy->by = by;
    return true;
}

bool gate_manifest_add(struct gate_manifest *manifest, const struct gate_manifest_run *run, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_manifest_run copy = *run;
    return (run_copy(&copy, arena) || gate_arena_error(arena, err)) &&
           manifest_append(manifest, &copy, "a new run", arena, err);
}

uint32_t gate_manifest_last_round(const struct gate_manifest *manifest) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < manifest->count; i++)
        last = manifest->runs[i].round > last ? manifest->runs[i].round : last;
    return last;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_text(struct gate_json *json, const char *key, struct gate_str text) {
    if (text.len == 0)
        return;
    gate_json_put_string(json, key, text);
}

static void write_host(struct gate_json *json, const struct gate_manifest_host *host) {
    gate_json_put_open_flat(json, "host", '{');
    if (host->cpus > 0)
        gate_json_put_integer(json, "cpus", host->cpus);
    write_text(json, "cpu_model", host->cpu_model);
    write_text(json, "kernel", host->kernel);
    if (host->load >= 0)
        gate_json_put_number(json, "load", host->load);
    gate_json_close(json, '}');
}

double gate_manifest_work_of(const struct gate_manifest_work *by, uint32_t by_count, struct gate_str key,
                             struct gate_str value) {
    for (uint32_t i = 0; i < by_count; i++)
        if (gate_str_equal(by[i].key, key) && gate_str_equal(by[i].value, value))
            return by[i].number;
    return 0;
}

void gate_manifest_work_write(struct gate_json *json, double work, const struct gate_manifest_work *by,
                              uint32_t by_count) {
    if (work > 0)
        gate_json_put_number(json, "work", work);
    if (by_count == 0)
        return;
    gate_json_put_open(json, "work_by", '[');
    for (uint32_t i = 0; i < by_count; i++) {
        gate_json_open_flat(json, '{');
        gate_json_put_string(json, "label", by[i].key);
        gate_json_put_string(json, "value", by[i].value);
        gate_json_put_number(json, "work", by[i].number);
        gate_json_close(json, '}');
    }
    gate_json_close(json, ']');
}

static void write_run(struct gate_json *json, const struct gate_manifest_run *run) {
    gate_json_open(json, '{');
    gate_json_put_integer(json, "round", run->round);
    gate_json_put_text(json, "side", gate_side_word(run->side));
    write_text(json, "kind", run->kind);
    write_text(json, "file", run->file);
    write_text(json, "source", run->source);
    write_text(json, "instance", run->instance);
    gate_json_put_integer(json, "start_ms", run->start_ms);
    gate_json_put_integer(json, "end_ms", run->end_ms);
    gate_manifest_work_write(json, run->work, run->by, run->by_count);
    write_text(json, "retried", gate_str_from(gate_retried_words[run->retried]));
    write_text(json, "revision", run->revision);
    write_text(json, "digest", run->digest);
    gate_json_close(json, '}');
}

bool gate_manifest_write(struct gate_buf *out, const struct gate_manifest *manifest) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    write_text(&json, "schema", GATE_STR(GATE_MANIFEST_SCHEMA));
    write_host(&json, &manifest->host);
    gate_json_put_bool(&json, "interleaved", manifest->interleaved);
    gate_manifest_looks_write(&json, &manifest->looks);
    gate_json_put_open(&json, "runs", '[');
    for (uint32_t i = 0; i < manifest->count; i++)
        write_run(&json, &manifest->runs[i]);
    gate_json_close_all(&json, "]}");
    return !out->failed;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool read_host(struct gate_manifest_host *out, const struct gate_json_reader *host) {
    static const char *const known[] = {"cpus", "cpu_model", "kernel", "load", NULL};
    int64_t cpus = 0;
    if (!gate_json_reader_keys(host, known) ||
        !gate_json_reader_integer(&cpus, host, "cpus", 1, UINT32_MAX, GATE_JSON_READER_MAY))
        return false;
    out->cpus = (uint32_t)cpus;
    return gate_json_reader_text(&out->cpu_model, host, "cpu_model", GATE_JSON_READER_MAY) &&
           gate_json_reader_text(&out->kernel, host, "kernel", GATE_JSON_READER_MAY) &&
           gate_json_reader_number(&out->load, host, "load", GATE_JSON_READER_MAY);
}

bool gate_manifest_work_read(struct gate_manifest_work **by, uint32_t *count, const struct gate_json_reader *reader,
                             uint32_t most) {
    static const char *const known[] = {"label", "value", "work", NULL};
    const json_t *list;
    if (!gate_json_reader_list(&list, reader, "work_by", most, GATE_JSON_READER_MAY))
        return false;
    *by = GATE_NEW_ARRAY(reader->arena, struct gate_manifest_work, json_array_size(list));
    *count = 0;
    if (*by == NULL)
        return gate_arena_error(reader->arena, reader->err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const struct gate_json_reader item = gate_json_reader_item(reader, list, i, reader->place);
        struct gate_manifest_work *work = &(*by)[(*count)++];
        if (!gate_json_reader_keys(&item, known) ||
            !gate_json_reader_text(&work->key, &item, "label", GATE_JSON_READER_FILLED) ||
            !gate_json_reader_text(&work->value, &item, "value", GATE_JSON_READER_MUST) ||
            !gate_json_reader_number(&work->number, &item, "work", GATE_JSON_READER_MUST))
            return false;
    }
    return true;
}

static bool read_side(enum gate_side_name *out, const struct gate_json_reader *reader) {
    struct gate_str word;
    if (!gate_json_reader_text(&word, reader, "side", GATE_JSON_READER_MUST))
        return false;
    for (int side = 0; side < GATE_SIDES; side++) {
        *out = (enum gate_side_name)side;
        if (gate_str_equal(word, gate_str_from(gate_side_word(*out))))
            return true;
    }
    return gate_error_set(reader->err, GATE_ERR_CONFIG, "%s: expected 'side' to be baseline or canary, found '%.*s'",
                          reader->place, GATE_STR_ARG(word));
}

static bool read_retried(enum gate_retried *out, const struct gate_json_reader *reader) {
    struct gate_str word = {0};
    if (!gate_json_reader_text(&word, reader, "retried", GATE_JSON_READER_MAY))
        return false;
    for (int i = 0; i < GATE_RETRIED_VALUES; i++) {
        *out = (enum gate_retried)i;
        if (gate_str_equal(word, gate_str_from(gate_retried_words[i])))
            return true;
    }
    return gate_error_set(reader->err, GATE_ERR_CONFIG, "%s: expected 'retried' to be busy, cut or down, found '%.*s'",
                          reader->place, GATE_STR_ARG(word));
}

static bool read_run(struct gate_manifest_run *run, const struct gate_json_reader *reader) {
    static const char *const known[] = {"round",  "side", "kind",    "file",    "source",   "instance", "start_ms",
                                        "end_ms", "work", "work_by", "retried", "revision", "digest",   NULL};
    const enum gate_json_reader_need may = GATE_JSON_READER_MAY, must = GATE_JSON_READER_MUST;
    int64_t round = 0;
    if (!gate_json_reader_keys(reader, known) ||
        !gate_json_reader_integer(&round, reader, "round", 1, UINT32_MAX, must))
        return false;
    run->round = (uint32_t)round;
    return read_side(&run->side, reader) && gate_json_reader_text(&run->kind, reader, "kind", must) &&
           gate_json_reader_text(&run->file, reader, "file", must) &&
           gate_json_reader_text(&run->source, reader, "source", may) &&
           gate_json_reader_text(&run->instance, reader, "instance", may) &&
           gate_json_reader_integer(&run->start_ms, reader, "start_ms", 0, INT64_MAX, must) &&
           gate_json_reader_integer(&run->end_ms, reader, "end_ms", 0, INT64_MAX, must) &&
           gate_json_reader_number(&run->work, reader, "work", may) &&
           gate_manifest_work_read(&run->by, &run->by_count, reader, UINT32_MAX / 2) &&
           read_retried(&run->retried, reader) && gate_json_reader_text(&run->revision, reader, "revision", may) &&
           gate_json_reader_text(&run->digest, reader, "digest", must);
}

static bool read_runs(struct gate_manifest *out, const struct gate_json_reader *reader) {
    const json_t *list;
    if (!gate_json_reader_list(&list, reader, "runs", UINT32_MAX, GATE_JSON_READER_MUST))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        char place[32];
        (void)snprintf(place, sizeof place, "runs[%zu]", i);
        struct gate_manifest_run run = {0};
        const struct gate_json_reader item = gate_json_reader_item(reader, list, i, place);
        if (!read_run(&run, &item) || !manifest_append(out, &run, place, reader->arena, reader->err))
            return false;
    }
    return true;
}

static bool read_document(struct gate_manifest *out, const struct gate_json_reader *reader) {
    static const char *const known[] = {"schema", "host", "interleaved", "looks", "runs", NULL};
    if (!gate_json_reader_schema(reader, GATE_MANIFEST_SCHEMA,
                                 "take the profiles again with this pprofgate, or check them with the one that took "
                                 "them"))
        return false;
    const json_t *interleaved = json_object_get(reader->map, "interleaved");
    if (interleaved != NULL && !json_is_boolean(interleaved))
        return gate_json_reader_refuse(reader, "interleaved", "true or false");
    out->interleaved = json_is_true(interleaved);
    struct gate_json_reader host = *reader;
    host.map = json_object_get(reader->map, "host");
    host.place = "host";
    return gate_json_reader_keys(reader, known) &&
           gate_manifest_looks_read(&out->looks, json_object_get(reader->map, "looks"), reader->arena, reader->err) &&
           (host.map == NULL || read_host(&out->host, &host)) && read_runs(out, reader);
}

bool gate_manifest_read(struct gate_manifest *out, struct gate_str text, struct gate_arena *arena,
                        struct gate_error *err) {
    gate_manifest_begin(out);
    json_t *root = gate_json_reader_parse(text, "a manifest", GATE_ERR_CONFIG, err);
    if (root == NULL)
        return false;
    const struct gate_json_reader reader = {root, "the manifest", GATE_ERR_CONFIG, arena, err};
    bool ok = read_document(out, &reader);
    json_decref(root);
    return ok;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

enum { MANIFEST_BYTES_MAX = 16 * 1024 * 1024, FACT_BYTES = 4096 };

bool gate_manifest_file_exists(const char *dir, struct gate_arena *arena) {
    struct stat status;
    const char *path = gate_path_join(dir, GATE_STR(GATE_MANIFEST_FILE), arena);
    return path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool gate_manifest_file_read(struct gate_manifest *out, const char *dir, struct gate_arena *arena,
                             struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_str text;
    limits.compressed_bytes = MANIFEST_BYTES_MAX;
    const char *path = gate_path_join(dir, GATE_STR(GATE_MANIFEST_FILE), arena);
    if (path == NULL)
        return gate_arena_error(arena, err);
    return (gate_source_read(&text, gate_str_from(path), &limits, arena, err) &&
            gate_manifest_read(out, text, arena, err)) ||
           gate_error_prefix_file(err, path);
}

/* ---- beginning a folder ------------------------------------------------------------------------------------------ */

/* Return the processor's model on Linux; empty elsewhere. */
static struct gate_str host_cpu_model(struct gate_arena *arena) {
    char text[FACT_BYTES];
    FILE *file = fopen("/proc/cpuinfo", "r");
    size_t len = file == NULL ? 0 : gate_stream_read(text, sizeof text, file);
    if (file != NULL)
        (void)fclose(file);
    const struct gate_str all = {text, len};
    size_t at = gate_str_find(all, GATE_STR("model name"), 0);
    size_t colon = at == SIZE_MAX ? at : gate_str_find(all, GATE_STR(":"), at);
    if (colon == SIZE_MAX)
        return GATE_STR("");
    struct gate_str line = gate_str_slice(all, colon + 1, gate_str_find(all, GATE_STR("\n"), colon));
    struct gate_str model = gate_str_copy(arena, gate_str_trim(line));
    return model.ptr == NULL ? GATE_STR("") : model;
}

static double host_load(void) {
    double load = -1;
    FILE *file = fopen("/proc/loadavg", "r");
    char text[64];
    char *end = text;
    if (file != NULL && fgets(text, sizeof text, file) != NULL)
        load = strtod(text, &end);
    if (file != NULL)
        (void)fclose(file);
    return end == text ? -1 : load;
}

void gate_manifest_file_host(struct gate_manifest_host *out, struct gate_arena *arena) {
    struct utsname name;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    *out = (struct gate_manifest_host){
        .cpus = cpus > 0 ? (uint32_t)cpus : 0, .cpu_model = host_cpu_model(arena), .load = host_load()};
    if (uname(&name) != 0)
        return;
    struct gate_str kernel = gate_str_format(arena, "%s %s", name.sysname, name.release);
    out->kernel = kernel.ptr == NULL ? GATE_STR("") : kernel;
}

static bool folder_is_empty(const char *dir) {
    DIR *folder = opendir(dir);
    bool is_empty = true;
    const struct dirent *entry;
    while (errno = 0, folder != NULL && is_empty && (entry = readdir(folder)) != NULL)
        is_empty = entry->d_name[0] == '.' || /* hidden files are not profiles */
                   gate_str_starts(gate_str_from(entry->d_name), GATE_STR(GATE_MANIFEST_FILE ".")); /* an unfinished
                                                                                                       manifest */
    is_empty = is_empty && errno == 0; /* else the folder could not be read */
    if (folder != NULL)
        (void)closedir(folder);
    return is_empty;
}

/* Lock the folder. Another writer would overwrite this one's profiles. */
static bool folder_lock(int *lock, const char *dir, struct gate_error *err) {
    *lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot open the folder: %s", dir, strerror(errno));
    while (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%s: another capture, gate or try writes to this folder; wait until it is done, or "
                                  "name another folder",
                                  dir);
        if (errno != EINTR)
            return true; /* a file system without locks, such as a network file system */
    }
    return true;
}

/* Read the manifest of `dir`, or start one. `out` must be initialised. */
static bool folder_begin(struct gate_manifest *out, const char *dir, bool is_forced, struct gate_arena *arena,
                         struct gate_error *err) {
    if (gate_manifest_file_exists(dir, arena))
        return gate_manifest_file_read(out, dir, arena, err);
    if (!is_forced && !folder_is_empty(dir))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: the folder has files and no " GATE_MANIFEST_FILE
                              "; name a new or an empty one, or use --force to add to it",
                              dir);
    gate_manifest_file_host(&out->host, arena);
    return true;
}

bool gate_manifest_file_begin(struct gate_manifest *out, const char *dir, bool is_forced, struct gate_arena *arena,
                              struct gate_error *err) {
    struct stat status;
    int lock = -1;
    gate_manifest_begin(out);
    if (stat(dir, &status) == 0 && !S_ISDIR(status.st_mode))
        return gate_error_set(err, GATE_ERR_IO, "%s: expected a folder, found a file; name another one", dir);
    if (!gate_folders_make(dir, err))
        return false;
    bool ok = folder_lock(&lock, dir, err) && folder_begin(out, dir, is_forced, arena, err);
    out->lock = lock;
    if (!ok)
        gate_manifest_file_end(out);
    return ok;
}

void gate_manifest_file_end(struct gate_manifest *manifest) {
    if (manifest->lock >= 0)
        (void)close(manifest->lock);
    manifest->lock = -1;
}

/* ---- adding profiles --------------------------------------------------------------------------------------------- */

static bool file_write(const struct gate_manifest *manifest, const char *path, struct gate_str bytes,
                       const struct gate_arena *arena, struct gate_error *err) {
    if (manifest->writing != NULL)
        (void)pthread_mutex_lock(manifest->writing);
    bool ok = gate_outfile_keep(path, bytes, arena, err);
    if (manifest->writing != NULL)
        (void)pthread_mutex_unlock(manifest->writing);
    return ok;
}

bool gate_manifest_file_write(const struct gate_manifest *manifest, const char *dir, struct gate_arena *arena,
                              struct gate_error *err) {
    struct gate_buf text = {0};
    const char *path = gate_path_join(dir, GATE_STR(GATE_MANIFEST_FILE), arena);
    bool ok = (path != NULL || gate_arena_error(arena, err)) &&
              (gate_manifest_write(&text, manifest) || gate_buf_check(&text, err)) &&
              file_write(manifest, path, gate_buf_view(&text), arena, err);
    gate_buf_free(&text);
    return ok;
}

static bool has_file(const struct gate_manifest *manifest, struct gate_str name) {
    for (uint32_t i = 0; i < manifest->count; i++)
        if (gate_str_equal(manifest->runs[i].file, name))
            return true;
    return false;
}

/* Choose a file name that does not exist. A file that the manifest lacks may be the user's, or of a killed run, so it
 * is kept and a number is inserted in the name. `*path` is its path. `.ptr` is NULL if `arena` is full. */
static struct gate_str file_unused(const char **path, const char *dir, struct gate_str name, struct gate_arena *arena) {
    struct stat status;
    size_t dot = gate_str_find(name, GATE_STR("."), 0);
    struct gate_str stem = gate_str_slice(name, 0, dot), ending = gate_str_slice(name, stem.len, name.len);
    *path = gate_path_join(dir, name, arena);
    for (unsigned number = 2; name.ptr != NULL && *path != NULL && lstat(*path, &status) == 0; number++) {
        name = gate_str_format(arena, "%.*s.%u%.*s", GATE_STR_ARG(stem), number, GATE_STR_ARG(ending));
        *path = name.ptr == NULL ? NULL : gate_path_join(dir, name, arena);
    }
    return name;
}

bool gate_manifest_file_take(struct gate_manifest *manifest, const char *dir, const struct gate_manifest_run *run,
                             struct gate_str bytes, struct gate_arena *arena, struct gate_error *err) {
    struct gate_manifest_run taken = *run;
    taken.digest = gate_sha256_hex(bytes, arena);
    const char *path;
    if (has_file(manifest, run->file))
        return gate_manifest_add(manifest, &taken, arena, err); /* fails */
    taken.file = file_unused(&path, dir, run->file, arena);
    if (taken.digest.ptr == NULL || path == NULL)
        return gate_arena_error(arena, err);
    /* A folder with files but no manifest could not be continued later. */
    if (manifest->count == 0 && !gate_manifest_file_write(manifest, dir, arena, err))
        return false;
    /* Write the file first, so that the manifest never names a file that is missing. */
    return file_write(manifest, path, bytes, arena, err) && gate_manifest_add(manifest, &taken, arena, err) &&
           gate_manifest_file_write(manifest, dir, arena, err);
}
