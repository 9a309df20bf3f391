/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to files (see outfile.h). */
#define _DEFAULT_SOURCE /* syscall */
#include "gate/base/outfile.h"

#include "gate/base/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINKS_MAX = 40, LINK_BYTES = 4096 }; /* as Linux has it */

static bool output_failed(const char *path, int reason, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: %s", path, strerror(reason));
}

/* One step along a symbolic link; `path` stays as it is where there is none. False: errno. Nothing is allocated: what
 * memory is lacking for is removed by this as well. */
static bool link_follow(char path[LINK_BYTES], bool *is_link) {
    char target[LINK_BYTES];
    ssize_t len = readlink(path, target, sizeof target);
    *is_link = len >= 0;
    if (len < 0)
        return errno == EINVAL || errno == ENOENT; /* no link; nothing there yet */
    struct gate_str whole = gate_str_from(path);
    size_t kept = target[0] == '/' ? 0 : whole.len - gate_str_basename(whole).len;
    errno = ENAMETOOLONG;
    if (len == sizeof target || kept + (size_t)len >= LINK_BYTES)
        return false;
    memcpy(path + kept, target, (size_t)len);
    path[kept + (size_t)len] = '\0';
    return true;
}

/* Names of open files, which are not ours to replace; /dev/stdout is a link to one. */
static bool is_special(const char *path) {
    static const char *const prefixes[] = {"/proc/", "/dev/fd/", "/dev/stdout", "/dev/stderr", NULL};
    for (int i = 0; prefixes[i] != NULL; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Where `path` leads, whether a file is there yet or not. False with errno set. */
static bool link_resolve(char target[LINK_BYTES], bool *special, const char *path) {
    bool is_link = true;
    errno = ENAMETOOLONG;
    if (strlen(path) >= LINK_BYTES)
        return false;
    memcpy(target, path, strlen(path) + 1);
    *special = is_special(path);
    for (int i = 0; is_link && !*special; i++) {
        errno = ELOOP;
        if (i == LINKS_MAX || !link_follow(target, &is_link))
            return false;
        *special = is_special(target);
    }
    return true;
}

/* Returns 0 or an errno. */
static int output_bytes(int descriptor, struct gate_str bytes) {
    for (size_t at = 0; at < bytes.len;) {
        ssize_t wrote = write(descriptor, bytes.ptr + at, bytes.len - at);
        if (wrote < 0 && errno != EINTR)
            return errno;
        at += wrote < 0 ? 0 : (size_t)wrote;
    }
    return 0;
}

/* Close, and what is kept is on the disk then. `reason`: not 0: that it is for nothing. Returns 0 or an errno. */
static int output_end(int descriptor, bool is_kept, int reason) {
    if (reason == 0 && is_kept && fsync(descriptor) != 0 && errno != EINVAL)
        reason = errno;
    if (close(descriptor) != 0 && reason == 0)
        reason = errno;
    return reason;
}

/* What asks a program to end. While a file is between its two names they wait, so that none is left half written. */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ};
enum { ENDS = sizeof ends / sizeof *ends };

static void output_signals(sigset_t *out) {
    (void)sigemptyset(out);
    for (size_t i = 0; i < ENDS; i++)
        (void)sigaddset(out, ends[i]);
}

mode_t gate_outfile_mode(void) {
    mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

/* As `name`, a template of mkstemp's, which is left where it succeeds. Returns a descriptor, or -1 with errno. */
static int output_create(char *name, mode_t mode) {
    int descriptor = mkstemp(name);
    /* mkstemp's files are private; a report is for whoever the umask lets read. */
    if (descriptor >= 0)
        (void)fchmod(descriptor, mode);
    return descriptor;
}

/* Returns 0 or an errno. */
static int output_beside(char *name, struct gate_str bytes, bool is_kept, mode_t mode) {
    int descriptor = output_create(name, mode);
    if (descriptor < 0)
        return errno;
    int reason = output_end(descriptor, is_kept, output_bytes(descriptor, bytes));
    if (reason != 0)
        (void)unlink(name);
    return reason;
}

/* In place of another at once, which then has our name and is removed: a file system that makes up for writers who do
 * not flush waits for the disk in rename(). False: nothing is there, or what cannot be removed, such as a folder, or
 * the system does not know how. */
static bool output_exchange(const char *name, const char *target) {
#ifdef SYS_renameat2
    enum { EXCHANGE = 2 };
    if (syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, target, EXCHANGE) != 0)
        return false;
    if (unlink(name) == 0)
        return true;
    (void)syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, target, EXCHANGE);
#else
    (void)name;
    (void)target;
#endif
    return false;
}

/* Returns 0 or an errno. */
static int output_rename(const char *name, const char *target, bool is_kept) {
    int reason = (!is_kept && output_exchange(name, target)) || rename(name, target) == 0 ? 0 : errno;
    if (reason != 0)
        (void)unlink(name);
    return reason;
}

void gate_outfile_hold(sigset_t *before) {
    sigset_t signals;
    output_signals(&signals);
    (void)pthread_sigmask(SIG_BLOCK, &signals, before);
}

void gate_outfile_release(const sigset_t *before) {
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

static const char ending[] = GATE_OUTFILE_UNFINISHED "XXXXXX";

/* `target` is the file, `path` what messages call it. */
static bool output_replace(const char *path, const char *target, struct gate_str bytes, bool is_kept,
                           struct gate_error *err) {
    char name[LINK_BYTES + sizeof ending];
    size_t len = strlen(target);
    memcpy(name, target, len);
    memcpy(name + len, ending, sizeof ending);
    sigset_t before;
    gate_outfile_hold(&before);
    int reason = output_beside(name, bytes, is_kept, gate_outfile_mode());
    if (reason == 0)
        reason = output_rename(name, target, is_kept);
    gate_outfile_release(&before);
    return reason == 0 || output_failed(path, reason, err);
}

/* An ordinary file, or nothing yet. */
static bool is_ordinary(const char *target) {
    struct stat status;
    return stat(target, &status) == 0 ? S_ISREG(status.st_mode) : errno == ENOENT;
}

void gate_outfile_open(struct gate_outfile *out, const char *path, mode_t mode, struct gate_arena *arena) {
    char target[LINK_BYTES];
    bool special = false;
    *out = (struct gate_outfile){.descriptor = -1};
    if (!link_resolve(target, &special, path) || special || !is_ordinary(target))
        return;
    size_t len = strlen(target);
    char *name = gate_arena_alloc(arena, len + sizeof ending);
    out->target = gate_arena_alloc(arena, len + 1);
    if (name == NULL || out->target == NULL)
        return;
    memcpy(out->target, target, len + 1);
    memcpy(name, target, len);
    memcpy(name + len, ending, sizeof ending);
    out->descriptor = output_create(name, mode);
    if (out->descriptor >= 0)
        out->name = name;
}

bool gate_outfile_add(struct gate_outfile *file, struct gate_str bytes) {
    if (file->name != NULL && output_bytes(file->descriptor, bytes) != 0)
        gate_outfile_drop(file);
    return file->name != NULL;
}

bool gate_outfile_close(struct gate_outfile *file) {
    int descriptor = file->descriptor;
    file->descriptor = -1;
    if (file->name != NULL && output_end(descriptor, false, 0) != 0)
        gate_outfile_drop(file);
    return file->name != NULL;
}

void gate_outfile_begin(struct gate_outfile *out, const char *path, struct gate_str bytes, mode_t mode,
                        struct gate_arena *arena) {
    gate_outfile_open(out, path, mode, arena);
    if (!gate_outfile_add(out, bytes) || !gate_outfile_close(out))
        out->name = NULL; /* dropped */
}

bool gate_outfile_place(struct gate_outfile *file, const char *path, struct gate_error *err) {
    GATE_ASSERT(file->descriptor < 0);
    int reason = output_rename(file->name, file->target, false);
    file->name = NULL;
    return reason == 0 || output_failed(path, reason, err);
}

void gate_outfile_drop(struct gate_outfile *file) {
    if (file->name == NULL)
        return;
    if (file->descriptor >= 0)
        (void)close(file->descriptor);
    (void)unlink(file->name);
    *file = (struct gate_outfile){.descriptor = -1};
}

bool gate_outfile_parts_begin(struct gate_outfile_parts *out, const char *path, struct gate_arena *arena) {
    out->path = path;
    gate_outfile_hold(&out->before);
    gate_outfile_open(&out->file, path, gate_outfile_mode(), arena);
    if (out->file.name == NULL)
        gate_outfile_release(&out->before);
    return out->file.name != NULL;
}

/* Something asks the program to end that did not wait before. */
static bool is_ending(const sigset_t *before) {
    sigset_t pending;
    bool is_asked = false;
    if (sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < ENDS; i++)
        is_asked |= sigismember(&pending, ends[i]) == 1 && sigismember(before, ends[i]) != 1;
    return is_asked;
}

bool gate_outfile_parts_add(struct gate_outfile_parts *out, struct gate_str bytes, struct gate_error *err) {
    int reason = is_ending(&out->before) ? EINTR : output_bytes(out->file.descriptor, bytes);
    return reason == 0 || output_failed(out->path, reason, err);
}

bool gate_outfile_parts_end(struct gate_outfile_parts *out, bool is_whole, struct gate_error *err) {
    int reason = output_end(out->file.descriptor, true, 0);
    out->file.descriptor = -1;
    bool ok = is_whole &&
              (reason == 0 ? gate_outfile_place(&out->file, out->path, err) : output_failed(out->path, reason, err));
    gate_outfile_drop(&out->file);
    gate_outfile_release(&out->before);
    return ok;
}

static bool output_direct(const char *path, struct gate_str bytes, struct gate_error *err) {
    FILE *stream = fopen(path, "wb");
    if (stream == NULL)
        return output_failed(path, errno, err);
    bool ok = gate_stream_write(stream, bytes);
    int reason = errno;
    if (fclose(stream) != 0 && ok) {
        reason = errno;
        ok = false;
    }
    return ok || output_failed(path, reason, err);
}

static bool output_put(const char *path, struct gate_str bytes, bool is_kept, const struct gate_arena *arena,
                       struct gate_error *err) {
    char target[LINK_BYTES];
    bool special = false;
    struct stat status;
    if (!gate_arena_check(arena, err))
        return false;
    if (!link_resolve(target, &special, path))
        return output_failed(path, errno, err);
    bool exists = stat(target, &status) == 0;
    if (!exists && errno != ENOENT) /* what is there is not known: it may be a device */
        return output_failed(path, errno, err);
    if (exists && S_ISDIR(status.st_mode))
        return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: it is a directory; name a file in it", path);
    if (special || (exists && !S_ISREG(status.st_mode)))
        return output_direct(path, bytes, err);
    return output_replace(path, target, bytes, is_kept, err);
}

bool gate_outfile_write(const char *path, struct gate_str bytes, const struct gate_arena *arena,
                        struct gate_error *err) {
    return output_put(path, bytes, false, arena, err);
}

bool gate_outfile_keep(const char *path, struct gate_str bytes, const struct gate_arena *arena,
                       struct gate_error *err) {
    return output_put(path, bytes, true, arena, err);
}

bool gate_outfile_remove(const char *path) {
    char target[LINK_BYTES];
    bool special = false;
    struct stat status;
    if (!link_resolve(target, &special, path))
        return errno == ENOTDIR; /* a folder of it is a file: nothing is there */
    if (special)
        return true;
    if (stat(target, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR; /* there is nothing to remove */
    return !S_ISREG(status.st_mode) || unlink(target) == 0;
}
