/* SPDX-License-Identifier: Apache-2.0 */
/* In front of the C library's open, fopen and write: before the call is made, this process tries what a program that
 * was taken over would try, and notes which of it is denied. Preloaded by test_sealed.py; GATE_SEALED_NOTES names the
 * file of the notes.
 * A line is "WHAT SUBJECT socket:N execve:N io_uring:N", N the errno. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { LINE_BYTES = 600, IO_URING_SETUP = 425 };

static int errno_of(long answer) {
    return answer < 0 ? errno : 0;
}

/* The calls themselves, past all libraries. A program that is not there takes nobody's place. */
static int notes_line(char *line, const char *what, const char *subject) {
    char *const argv[] = {(char *)"nothing", NULL};
    long socket_made = syscall(SYS_socket, (long)AF_UNIX, (long)SOCK_STREAM, 0L);
    int of_socket = errno_of(socket_made);
    if (socket_made >= 0)
        (void)syscall(SYS_close, socket_made);
    int of_execve = errno_of(syscall(SYS_execve, "/nonexistent/nothing", argv, NULL));
    int of_ring = errno_of(syscall((long)IO_URING_SETUP, 0L, 0L));
    return snprintf(line, LINE_BYTES, "%s %.400s socket:%d execve:%d io_uring:%d\n", what, subject, of_socket,
                    of_execve, of_ring);
}

static void note(const char *what, const char *subject) {
    const char *path = getenv("GATE_SEALED_NOTES");
    int saved = errno;
    char line[LINE_BYTES];
    if (path == NULL)
        return;
    int len = notes_line(line, what, subject);
    long file = syscall(SYS_openat, (long)AT_FDCWD, path, (long)(O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC), 0600L);
    if (len > 0 && file >= 0) {
        (void)syscall(SYS_write, file, line, (long)len);
        (void)syscall(SYS_close, file);
    }
    errno = saved;
}

EXPORTED int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, int) : 0;
    va_end(rest);
    note("open", path);
    return (int)syscall(SYS_openat, (long)AT_FDCWD, path, (long)flags, (long)mode);
}
EXPORTED int open64(const char *path, int flags, ...) __attribute__((alias("open")));

EXPORTED FILE *fopen(const char *path, const char *how) {
    FILE *(*real)(const char *, const char *);
    void *found = dlsym(RTLD_NEXT, "fopen");
    memcpy(&real, &found, sizeof real);
    note("open", path);
    return real(path, how);
}
EXPORTED FILE *fopen64(const char *path, const char *how) __attribute__((alias("fopen")));

EXPORTED ssize_t write(int descriptor, const void *bytes, size_t len) {
    note("write", descriptor == STDOUT_FILENO ? "stdout" : "other");
    return (ssize_t)syscall(SYS_write, (long)descriptor, bytes, len);
}
