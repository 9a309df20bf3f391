/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a profile's bytes from a file or standard input. */
#include "gate/formats/source.h"

#include "gate/base/file.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { READ_PIECE_BYTES = 256 * 1024 };

/* The bytes read so far: a separate block of the arena. */
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

/* Read to the end. `hint` is the expected size; 0: unknown, as for a pipe. */
static bool stream_read(struct reading *reading, FILE *file, size_t hint, size_t cap, struct gate_error *err) {
    size_t capacity = hint + 1 > READ_PIECE_BYTES && hint < cap ? hint + 1 : READ_PIECE_BYTES;
    bool ok = reading_widen(reading, capacity, err);
    while (ok) {
        size_t got = gate_stream_read(reading->ptr + reading->len, reading->capacity - reading->len, file);
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

/* Set the error for a missing file, with the nearest existing name. */
static bool file_missing(const char *path, int reason, struct gate_error *err) {
    char near[GATE_NEAR_FILE_BYTES];
    if (reason == ENOENT && gate_near_file_find(near, path))
        return gate_error_set(err, GATE_ERR_IO, "cannot be opened: %s (did you mean '%s'?)", strerror(reason), near);
    return gate_error_set(err, GATE_ERR_IO, "cannot be opened: %s", gate_stream_open_reason(reason));
}

static bool file_open(FILE **file, size_t *hint, struct gate_str path, struct gate_error *err) {
    char name[4096];
    struct stat status;
    if (path.len >= sizeof name || memchr(path.ptr, '\0', path.len) != NULL)
        return gate_error_set(err, GATE_ERR_IO, "the path is not a file name");
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    *file = gate_stream_open(name);
    if (*file == NULL)
        return file_missing(name, errno, err);
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
    struct gate_limits caps = gate_limits_fill(limits);
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
        ok = gate_error_set(err, GATE_ERR_LIMIT,
                            "%zu bytes, more than %zu; raise --max-compressed-size if the input is trusted", hint,
                            caps.compressed_bytes);
    ok = ok && stream_read(&reading, file, hint, caps.compressed_bytes, err);
    if (file != NULL && !is_stdin)
        (void)fclose(file);
    if (!ok)
        return false;
    void *fitted = gate_arena_resize(arena, reading.ptr, reading.capacity, reading.len);
    *bytes = (struct gate_str){reading.len == 0 ? "" : fitted == NULL ? reading.ptr : fitted, reading.len};
    return true;
}
