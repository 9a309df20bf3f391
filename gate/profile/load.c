/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of any kind to a checked profile (see load.h). */
#include "gate/profile/load.h"

#include "gate/profile/foreign.h"
#include "gate/profile/inflate.h"
#include "gate/profile/pprof.h"
#include "gate/profile/sniff.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { READ_PIECE_BYTES = 256 * 1024 };

struct gate_limits gate_limits_default(void) {
    const size_t gib = (size_t)1 << 30;
    return (struct gate_limits){.compressed_bytes = gib,
                                .inflated_bytes = 2 * gib,
                                .samples = 100000000,
                                .depth = 16384,
                                .lines = 4096,
                                .strings = 50000000,
                                .memory_bytes = 8 * gib};
}

static struct gate_limits limits_fill(const struct gate_limits *given) {
    struct gate_limits limits = gate_limits_default();
    if (given == NULL)
        return limits;
    limits.compressed_bytes = given->compressed_bytes == 0 ? limits.compressed_bytes : given->compressed_bytes;
    limits.inflated_bytes = given->inflated_bytes == 0 ? limits.inflated_bytes : given->inflated_bytes;
    limits.samples = given->samples == 0 ? limits.samples : given->samples;
    limits.depth = given->depth == 0 ? limits.depth : given->depth;
    limits.lines = given->lines == 0 ? limits.lines : given->lines;
    limits.strings = given->strings == 0 ? limits.strings : given->strings;
    limits.memory_bytes = given->memory_bytes == 0 ? limits.memory_bytes : given->memory_bytes;
    return limits;
}

/* What is being read: a block of its own in the arena. */
struct reading {
    struct gate_arena *arena;
    char *ptr;
    size_t len, capacity;
};

static bool reading_widen(struct reading *reading, size_t capacity, struct gate_error *err) {
    char *grown = gate_arena_resize(reading->arena, reading->ptr, reading->capacity, capacity);
    if (grown == NULL)
        return gate_arena_error(reading->arena, err);
    reading->ptr = grown;
    reading->capacity = capacity;
    return true;
}

/* Read to the end. `hint` is the expected size, 0 when it is a pipe. */
static bool stream_read(struct reading *reading, FILE *file, size_t hint, size_t cap, struct gate_error *err) {
    size_t capacity = hint + 1 > READ_PIECE_BYTES && hint < cap ? hint + 1 : READ_PIECE_BYTES;
    bool ok = reading_widen(reading, capacity, err);
    while (ok) {
        size_t got = fread(reading->ptr + reading->len, 1, reading->capacity - reading->len, file);
        reading->len += got;
        if (reading->len > cap)
            return gate_error_set(err, GATE_ERR_LIMIT,
                                  "larger than %zu bytes; raise --max-compressed-size if the input is trusted", cap);
        if (got == 0 && ferror(file))
            return gate_error_set(err, GATE_ERR_IO, "cannot be read: %s", strerror(errno));
        if (got == 0 && feof(file))
            return true;
        if (reading->len == reading->capacity)
            ok = reading_widen(reading, reading->capacity * 2, err);
    }
    return false;
}

static bool file_open(FILE **file, size_t *hint, struct gate_str path, struct gate_error *err) {
    char name[4096];
    struct stat status;
    if (path.len >= sizeof name || memchr(path.ptr, '\0', path.len) != NULL)
        return gate_error_set(err, GATE_ERR_IO, "the path is not a file name");
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    *file = fopen(name, "rb");
    if (*file == NULL)
        return gate_error_set(err, GATE_ERR_IO, "cannot be opened: %s", strerror(errno));
    if (fstat(fileno(*file), &status) != 0)
        return gate_error_set(err, GATE_ERR_IO, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return gate_error_set(err, GATE_ERR_IO, "a directory: name the profile in it");
    if (S_ISREG(status.st_mode) && status.st_size > 0)
        *hint = (size_t)status.st_size;
    return true;
}

bool gate_source_read(struct gate_str *bytes, struct gate_str path, const struct gate_limits *limits,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits caps = limits_fill(limits);
    struct reading reading = {.arena = arena};
    FILE *file = stdin;
    size_t hint = 0;
    bool is_stdin = gate_str_equal(path, GATE_STR("-"));
    bool ok = path.len != 0 || gate_error_set(err, GATE_ERR_IO, "the path is empty");
    if (ok && !is_stdin) {
        file = NULL;
        ok = file_open(&file, &hint, path, err);
    }
    if (ok && hint > caps.compressed_bytes)
        ok = gate_error_set(err, GATE_ERR_LIMIT, "%zu bytes, more than %zu; raise --max-compressed-size if the input is trusted",
                            hint, caps.compressed_bytes);
    ok = ok && stream_read(&reading, file, hint, caps.compressed_bytes, err);
    if (file != NULL && !is_stdin)
        (void)fclose(file);
    if (!ok)
        return false;
    void *fitted = gate_arena_resize(arena, reading.ptr, reading.capacity, reading.len);
    *bytes = (struct gate_str){reading.len == 0 ? "" : fitted == NULL ? reading.ptr : fitted, reading.len};
    return true;
}

typedef bool convert_fn(struct gate_buf *, struct gate_str, const struct gate_limits *, struct gate_arena *,
                        struct gate_error *);

/* A foreign format becomes pprof bytes in `arena`. */
static bool foreign_convert(struct gate_str *plain, convert_fn *convert, const struct gate_limits *limits,
                            struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf buf = {0};
    struct gate_arena scratch;
    const struct gate_str mark = GATE_STR("\xEF\xBB\xBF"); /* Windows tools begin a text with it */
    if (gate_str_starts(*plain, mark))
        *plain = gate_str_slice(*plain, mark.len, plain->len);
    gate_arena_fork(&scratch, arena);
    bool ok = convert(&buf, *plain, limits, &scratch, err);
    gate_arena_free(&scratch);
    if (ok && !gate_arena_adopt(arena, buf.ptr, buf.len))
        ok = gate_arena_error(arena, err);
    if (!ok) {
        gate_buf_free(&buf);
        return false;
    }
    *plain = gate_buf_view(&buf);
    return true;
}

static bool profile_read(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                         struct gate_arena *arena, struct gate_error *err) {
    static convert_fn *const converters[] = {[GATE_FORMAT_GPERFTOOLS] = gate_gperftools_convert,
                                             [GATE_FORMAT_COLLAPSED] = gate_collapsed_convert,
                                             [GATE_FORMAT_CPUPROFILE] = gate_cpuprofile_convert,
                                             [GATE_FORMAT_SPEEDSCOPE] = gate_speedscope_convert};
    enum gate_format format = GATE_FORMAT_PPROF;
    struct gate_str plain = bytes;
    if (!gate_inflate(&plain, bytes, limits->inflated_bytes, arena, err) || !gate_format_sniff(&format, plain, err))
        return false;
    if (format != GATE_FORMAT_PPROF && !foreign_convert(&plain, converters[format], limits, arena, err))
        return false;
    if (!gate_pprof_decode(out, plain, limits, arena, err))
        return false;
    out->container = gate_container_sniff(bytes);
    out->format = format;
    return true;
}

bool gate_profile_load(struct gate_profile *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits caps = limits_fill(limits);
    struct gate_arena own;
    gate_arena_fork(&own, arena);
    gate_arena_cap(&own, caps.memory_bytes);
    bool ok = profile_read(out, bytes, &caps, &own, err);
    if (ok)
        gate_arena_absorb(arena, &own);
    gate_arena_free(&own);
    return ok;
}
