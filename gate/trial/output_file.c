/* SPDX-License-Identifier: Apache-2.0 */
/* Files that programs write to (see output_file.h). */
#include "gate/trial/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_BYTES_MAX = 16 * 1024 * 1024 };

/* A file that is gone from its folder as soon as it is there; no signal comes between. */
static int open_nameless(struct gate_arena *arena) {
    const char *folder = getenv("TMPDIR");
    struct gate_str text =
        gate_str_format(arena, "%s/pprofgate.XXXXXX", folder == NULL || folder[0] == '\0' ? "/tmp" : folder);
    char *name = text.ptr == NULL ? NULL : gate_arena_alloc(arena, text.len + 1);
    errno = ENOMEM;
    if (name == NULL)
        return -1;
    memcpy(name, text.ptr, text.len + 1);
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    int descriptor = mkstemp(name);
    int reason = errno;
    if (descriptor >= 0)
        (void)unlink(name);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return descriptor;
}

bool gate_output_file_open(struct gate_output_file *out, const char *path, struct gate_arena *arena,
                           struct gate_error *err) {
    *out = (struct gate_output_file){.path = path};
    out->descriptor = path == NULL ? open_nameless(arena) : open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0666);
    if (out->descriptor < 0)
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: %s", path == NULL ? "a temporary file" : path,
                              strerror(errno));
    (void)fcntl(out->descriptor, F_SETFD, FD_CLOEXEC);
    return true;
}

/* The last `most` bytes. */
static bool read_end(const struct gate_output_file *file, struct gate_str *out, size_t most, struct gate_arena *arena,
                     struct gate_error *err) {
    struct stat status;
    if (fstat(file->descriptor, &status) != 0)
        return gate_error_set(err, GATE_ERR_IO, "cannot read what a program said: %s", strerror(errno));
    off_t from = status.st_size > (off_t)most ? status.st_size - (off_t)most : 0;
    size_t len = (size_t)(status.st_size - from), got = 0;
    char *bytes = gate_arena_alloc(arena, len + 1);
    if (bytes == NULL)
        return gate_arena_error(arena, err);
    while (got < len) {
        ssize_t more = pread(file->descriptor, bytes + got, len - got, from + (off_t)got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0) /* half of what was said may mean something else */
            return gate_error_set(err, GATE_ERR_IO, "cannot read what a program said: %s", strerror(errno));
        if (more == 0)
            break;
        got += (size_t)more;
    }
    bytes[got] = '\0';
    *out = (struct gate_str){bytes, got};
    return true;
}

bool gate_output_file_read(const struct gate_output_file *file, struct gate_str *out, struct gate_arena *arena,
                           struct gate_error *err) {
    return read_end(file, out, READ_BYTES_MAX, arena, err);
}

struct gate_str gate_output_file_tail(const struct gate_output_file *file, size_t bytes, struct gate_arena *arena) {
    struct gate_error ignored = {0};
    struct gate_str text = {0};
    if (file->descriptor < 0 || !read_end(file, &text, bytes, arena, &ignored))
        return GATE_STR("");
    size_t line = text.len == bytes ? gate_str_find(text, GATE_STR("\n"), 0) : SIZE_MAX;
    text = gate_str_trim(gate_str_slice(text, line == SIZE_MAX ? 0 : line + 1, text.len));
    struct gate_str whole = gate_str_repair_utf8(arena, text); /* the cut may go through a character */
    return whole.ptr == NULL ? GATE_STR("") : whole;
}

void gate_output_file_close(struct gate_output_file *file) {
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
    file->descriptor = -1;
}
