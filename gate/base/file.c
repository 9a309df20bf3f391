/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* for mkstemp, fchmod */
#include "gate/base/file.h"

#include "gate/base/error.h"
#include "gate/base/str.h"
#include "gate/base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/** How long gate_stream_open waits for a process to open a named pipe for writing. */
enum { GATE_STREAM_WRITER_SECONDS = 10 };

enum { LOOK_MS = 50 }; /* poll interval: opening a pipe for writing wakes nobody */

/* Return whether a read or write that failed with `reason` can be retried. If the descriptor is not ready, wait
 * until it is. */
static bool may_go_on(int descriptor, short events, int reason) {
    struct pollfd ready = {.fd = descriptor, .events = events};
    if (reason == EINTR)
        return true;
    return reason == EAGAIN && descriptor >= 0 && (poll(&ready, 1, -1) >= 0 || errno == EINTR);
}

/* Wait until a non-blocking pipe has or had a writer. `*first` is its first byte if one was read, else EOF. Return 0
 * or an errno. */
static int pipe_wait(int *first, int descriptor) {
    const int64_t until = gate_clock_ms(CLOCK_MONOTONIC) + GATE_STREAM_WRITER_SECONDS * INT64_C(1000);
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    *first = EOF;
    do {
        unsigned char byte = 0;
        ssize_t got = read(descriptor, &byte, 1);
        if (got > 0)
            *first = byte;
        if (got > 0 || (got < 0 && errno == EAGAIN)) /* a writer has opened the pipe */
            return 0;
        if (got < 0 && errno != EINTR)
            return errno;
        if (got == 0 && poll(&ready, 1, LOOK_MS) > 0 && (ready.revents & (POLLIN | POLLHUP)) == POLLHUP)
            return 0; /* a writer has closed the pipe without writing */
    } while (gate_clock_ms(CLOCK_MONOTONIC) < until);
    return ETIMEDOUT;
}

/* Open a stream for a descriptor that is in non-blocking mode, and make it blocking. Return 0 or an errno. */
static int stream_of(FILE **out, int descriptor) {
    struct stat status;
    int first = EOF;
    if (fstat(descriptor, &status) != 0)
        return errno;
    int reason = S_ISFIFO(status.st_mode) ? pipe_wait(&first, descriptor) : 0;
    if (reason != 0)
        return reason;
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) < 0)
        return errno;
    *out = fdopen(descriptor, "rb");
    if (*out == NULL)
        return errno;
    if (first != EOF)
        (void)ungetc(first, *out);
    return 0;
}

FILE *gate_stream_open(const char *path) {
    FILE *file = NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int reason = descriptor < 0 ? errno : stream_of(&file, descriptor);
    if (reason != 0 && descriptor >= 0)
        (void)close(descriptor);
    errno = reason;
    return file;
}

const char *gate_stream_open_reason(int reason) {
    return reason == ETIMEDOUT ? "it is a named pipe, and nothing opened it for writing within 10 s; start the program "
                                 "that writes to it first, or name a file"
                               : strerror(reason);
}

size_t gate_stream_read(void *bytes, size_t len, FILE *file) {
    size_t done = 0;
    while (done < len) {
        done += fread((char *)bytes + done, 1, len - done, file);
        int reason = errno;
        if (done == len || feof(file) || !ferror(file))
            break;
        if (!may_go_on(fileno(file), POLLIN, reason)) {
            errno = reason;
            break;
        }
        clearerr(file);
    }
    return done;
}

size_t gate_stream_read_at(void *bytes, size_t len, int descriptor, uint64_t at) {
    size_t done = 0;
    errno = EOVERFLOW;
    if (at > INT64_MAX - len)
        return 0;
    while (done < len) {
        ssize_t got = pread(descriptor, (char *)bytes + done, len - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return done;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    errno = 0;
    return done;
}

/* Write `text` from `*at` on, and advance `*at`. */
static bool bytes_write(size_t *at, int descriptor, struct gate_str text) {
    while (*at < text.len) {
        ssize_t wrote = write(descriptor, text.ptr + *at, text.len - *at);
        int reason = errno;
        if (wrote >= 0) {
            *at += (size_t)wrote;
        } else if (!may_go_on(descriptor, POLLOUT, reason)) {
            errno = reason;
            return false;
        }
    }
    return true;
}

/* Remove the last `len` bytes of a regular file, if they are still its end. */
static void bytes_cut(int descriptor, size_t len) {
    struct stat status;
    off_t end = lseek(descriptor, 0, SEEK_CUR);
    if (len == 0 || end < (off_t)len || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size != end)
        return;
    if (ftruncate(descriptor, end - (off_t)len) == 0)
        (void)lseek(descriptor, end - (off_t)len, SEEK_SET);
}

bool gate_stream_write(FILE *file, struct gate_str text) {
    int descriptor = fileno(file);
    size_t at = 0;
    if (descriptor < 0) /* it is a memory stream */
        return fwrite(text.ptr, 1, text.len, file) == text.len && fflush(file) == 0;
    if (fflush(file) != 0)
        return false;
    if (bytes_write(&at, descriptor, text))
        return true;
    int reason = errno;
    bytes_cut(descriptor, at);
    errno = reason;
    return false;
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

static bool refuse_file(const char *path, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot make the folder: a file has this name; name another one", path);
}

/* Create one folder, whose parent exists. */
static bool make_one(const char *path, struct gate_error *err) {
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return true;
    int reason = errno;
    bool is_there = stat(path, &status) == 0;
    if (is_there && S_ISDIR(status.st_mode))
        return true;
    if (is_there)
        return refuse_file(path, err);
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot make the folder: %s", path, strerror(reason));
}

/* Create the folder that the first `len` bytes of `path` name, and all its parents. */
static bool make_all(const char *path, size_t len, struct gate_error *err) {
    char name[PATH_MAX];
    if (len >= sizeof name)
        return gate_error_set(err, GATE_ERR_IO, "the path of %zu bytes is too long for a folder", len);
    memcpy(name, path, len);
    name[len] = '\0';
    for (size_t i = 1; i <= len; i++) {
        if (i < len && name[i] != '/')
            continue;
        name[i] = '\0';
        if (!make_one(name, err))
            return false;
        name[i] = i < len ? '/' : '\0';
    }
    return true;
}

bool gate_folders_make(const char *path, struct gate_error *err) {
    return make_all(path, strlen(path), err);
}

bool gate_folders_make_above(const char *path, struct gate_error *err) {
    struct stat status;
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path || stat(path, &status) == 0)
        return true;
    return make_all(path, (size_t)(slash - path), err);
}

/* ---- suggestion for a mistyped path ------------------------------------------------------------------------------ */

/* Return whether the parts between the common start and end of two names are similar too. "cpu-001-canary" and
 * "cpu-001-baseline" share most of their bytes but mean different things. */
static bool is_slip(struct gate_str a, struct gate_str b) {
    enum { SLIP_BYTES = 2, NAME_BYTES = GATE_NEAR_FILE_BYTES };
    char other[NAME_BYTES];
    size_t from = 0, most = a.len < b.len ? a.len : b.len, behind = 0;
    while (from < most && a.ptr[from] == b.ptr[from])
        from++;
    while (behind < most - from && a.ptr[a.len - 1 - behind] == b.ptr[b.len - 1 - behind])
        behind++;
    struct gate_str left = gate_str_slice(a, from, a.len - behind), right = gate_str_slice(b, from, b.len - behind);
    if (left.len <= SLIP_BYTES && right.len <= SLIP_BYTES)
        return true;
    (void)snprintf(other, sizeof other, "%.*s", GATE_STR_ARG(right));
    return gate_str_nearest(left, (const char *const[]){other, NULL}) != NULL;
}

/* Keep the closer of `out` and `name` in `out`. Of equally close names keep the first by name, so that the order of
 * the folder does not matter. */
static void keep_nearer(char *out, const char *name, struct gate_str wanted) {
    bool is_before = out[0] == '\0' || strcmp(name, out) < 0;
    const char *words[3] = {is_before ? name : out, out[0] == '\0' ? NULL : is_before ? out : name, NULL};
    const char *nearest = gate_str_nearest(wanted, words);
    if (nearest == name && is_slip(wanted, gate_str_from(name)))
        (void)snprintf(out, GATE_NEAR_FILE_BYTES, "%s", name);
}

bool gate_near_file_find(char out[GATE_NEAR_FILE_BYTES], const char *path) {
    char folder[PATH_MAX];
    struct gate_str whole = gate_str_from(path), wanted = gate_str_basename(whole);
    size_t len = whole.len - wanted.len;
    out[0] = '\0';
    if (wanted.len == 0 || len >= sizeof folder)
        return false;
    (void)snprintf(folder, sizeof folder, "%.*s", (int)len, len == 0 ? "" : path);
    DIR *stream = opendir(len == 0 ? "." : folder);
    for (struct dirent *entry = stream == NULL ? NULL : readdir(stream); entry != NULL; entry = readdir(stream))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strlen(entry->d_name) < GATE_NEAR_FILE_BYTES)
            keep_nearer(out, entry->d_name, wanted);
    if (stream != NULL)
        (void)closedir(stream);
    return out[0] != '\0';
}

/* ---- atomic writing ---------------------------------------------------------------------------------------------- */

enum { LINKS_MAX = 40, LINK_BYTES = GATE_OUTFILE_PATH_BYTES }; /* the limits of Linux */

static bool output_failed(const char *path, int reason, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: %s", path, strerror(reason));
}

static bool refuse_directory(const char *path, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_IO, "%s: cannot write: it is a directory; name a file in it", path);
}

/* Replace `path` by the target of one symbolic link; leave it unchanged if it is not a link. Return false and set
 * errno on failure. Allocates nothing, because outputs must be removed when memory is out, too. */
static bool link_follow(char path[LINK_BYTES], bool *is_link) {
    char target[LINK_BYTES];
    ssize_t len = readlink(path, target, sizeof target);
    *is_link = len >= 0;
    if (len < 0)
        return errno == EINVAL || errno == ENOENT; /* not a link; does not exist yet */
    struct gate_str whole = gate_str_from(path);
    size_t kept = target[0] == '/' ? 0 : whole.len - gate_str_basename(whole).len;
    errno = ENAMETOOLONG;
    if (len == sizeof target || kept + (size_t)len >= LINK_BYTES)
        return false;
    memcpy(path + kept, target, (size_t)len);
    path[kept + (size_t)len] = '\0';
    return true;
}

/* Return whether `path` names an open file, which must not be replaced. /dev/stdout is a link to one. */
static bool is_special(const char *path) {
    static const char *const prefixes[] = {"/proc/", "/dev/fd/", "/dev/stdout", "/dev/stderr", NULL};
    for (int i = 0; prefixes[i] != NULL; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

bool gate_outfile_target(char target[GATE_OUTFILE_PATH_BYTES], bool *special, const char *path) {
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

/* Write all bytes. Return 0 or an errno. */
static int output_bytes(int descriptor, struct gate_str bytes) {
    for (size_t at = 0; at < bytes.len;) {
        ssize_t wrote = write(descriptor, bytes.ptr + at, bytes.len - at);
        if (wrote < 0 && errno != EINTR)
            return errno;
        at += wrote < 0 ? 0 : (size_t)wrote;
    }
    return 0;
}

/* Close the file, and sync it first if `is_kept` is set. `reason` is an earlier error or 0. Return it, or 0 or an
 * errno. */
static int output_end(int descriptor, bool is_kept, int reason) {
    if (reason == 0 && is_kept && fsync(descriptor) != 0 && errno != EINVAL)
        reason = errno;
    if (close(descriptor) != 0 && reason == 0)
        reason = errno;
    return reason;
}

/* Signals that end the program. They are blocked while a temporary file exists, so that none is left half written. */
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

/* Create a temporary file with the template `name` for mkstemp, which receives its name. Return a descriptor, or -1
 * and set errno. */
static int output_create(char *name, mode_t mode) {
    int descriptor = mkstemp(name);
    /* mkstemp creates private files; a report gets the permissions of the umask. */
    if (descriptor >= 0)
        (void)fchmod(descriptor, mode);
    return descriptor;
}

/* Write a temporary file. Return 0 or an errno. */
static int output_beside(char *name, struct gate_str bytes, bool is_kept, mode_t mode) {
    int descriptor = output_create(name, mode);
    if (descriptor < 0)
        return errno;
    int reason = output_end(descriptor, is_kept, output_bytes(descriptor, bytes));
    if (reason != 0)
        (void)unlink(name);
    return reason;
}

/* Swap the temporary file with `target` and remove the old file. This is faster than rename(), for which some file
 * systems wait until the data is on the disk. Return false if there is no target, if it cannot be removed (a
 * folder), or if the system does not support swapping. */
static bool output_exchange(const char *name, const char *target) {
    if (!gate_system_exchange(name, target))
        return false;
    if (unlink(name) == 0)
        return true;
    (void)gate_system_exchange(name, target);
    return false;
}

/* Move the temporary file to its target. Return 0 or an errno. */
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

/* Replace `target` by a file with `bytes`. `path` is its name in messages. */
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

/* Return whether `target` is a regular file or does not exist yet. */
static bool is_ordinary(const char *target) {
    struct stat status;
    return stat(target, &status) == 0 ? S_ISREG(status.st_mode) : errno == ENOENT;
}

void gate_outfile_open(struct gate_outfile *out, const char *path, mode_t mode, struct gate_arena *arena) {
    char target[LINK_BYTES];
    bool special = false;
    *out = (struct gate_outfile){.descriptor = -1};
    if (!gate_outfile_target(target, &special, path) || special || !is_ordinary(target))
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
        out->name = NULL; /* the temporary file was removed */
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
    *file = (struct gate_outfile){0};
}

bool gate_outfile_parts_begin(struct gate_outfile_parts *out, const char *path, struct gate_arena *arena) {
    out->path = path;
    gate_outfile_hold(&out->before);
    gate_outfile_open(&out->file, path, gate_outfile_mode(), arena);
    if (out->file.name == NULL)
        gate_outfile_release(&out->before);
    return out->file.name != NULL;
}

/* Return whether a signal that ends the program is pending and was not blocked before. */
static bool is_ending(const sigset_t *before) {
    sigset_t pending;
    bool is_pending = false;
    if (sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < ENDS; i++)
        is_pending |= sigismember(&pending, ends[i]) == 1 && sigismember(before, ends[i]) != 1;
    return is_pending;
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
    if (!gate_outfile_target(target, &special, path))
        return output_failed(path, errno, err);
    bool exists = stat(target, &status) == 0;
    if (!exists && errno != ENOENT) /* the file may be a device, so it must not be replaced */
        return output_failed(path, errno, err);
    if (exists && S_ISDIR(status.st_mode))
        return refuse_directory(path, err);
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

/* Cut a path to the folder that it is in. Return whether that is another path. */
static bool cut_to_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (strcmp(path, ".") == 0 || strcmp(path, "/") == 0)
        return false;
    if (slash == NULL)
        memcpy(path, ".", sizeof ".");
    else
        slash[slash == path] = '\0';
    return true;
}

bool gate_outfile_check(const char *path, struct gate_error *err) {
    char target[LINK_BYTES];
    bool special = false;
    struct stat status;
    if (path[0] == '\0' || (!gate_outfile_target(target, &special, path) && errno != ENOTDIR) || special)
        return true;
    bool exists = stat(target, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return refuse_directory(path, err);
    if (exists && !S_ISREG(status.st_mode))
        return true;
    do {
        if (!cut_to_folder(target))
            return true;
    } while (stat(target, &status) != 0);
    if (!S_ISDIR(status.st_mode))
        return refuse_file(target, err);
    return access(target, W_OK | X_OK) == 0 || output_failed(path, errno, err);
}

bool gate_outfile_replaces(bool *replaces, const char *path) {
    char target[LINK_BYTES];
    bool special = false;
    struct stat status;
    bool is_found = gate_outfile_target(target, &special, path) && (special || stat(target, &status) == 0);
    *replaces = is_found && !special && S_ISREG(status.st_mode);
    return is_found || errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG;
}
