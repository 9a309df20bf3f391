/* SPDX-License-Identifier: Apache-2.0 */
/* In front of the C library's open, fopen and write: before the call is made, this process tries what a program that
 * was taken over would try, and notes which of it is denied. Preloaded by test_sealed.py.
 * GATE_SEALED_NOTES is the file of the notes, opened at the start. A line is "WHAT SUBJECT NAME:N ...", N the errno.
 * GATE_SEALED_VICTIM is another process of this user. GATE_SEALED_PLACE is a folder outside of the outputs, with the
 * files "env", which a later step obeys, "plain" and "secret". GATE_SEALED_REPORT is the folder of the outputs. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { LINE_BYTES = 1000, PATH_BYTES = 400, IO_URING_SETUP = 425 };

static long notes_file = -1;

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value == NULL ? "/nonexistent" : value;
}

static long open_call(const char *path, int flags, int mode) {
    return syscall(SYS_openat, (long)AT_FDCWD, path, (long)(flags | O_CLOEXEC), (long)mode);
}

__attribute__((constructor)) static void notes_open(void) {
    notes_file = getenv("GATE_SEALED_NOTES") == NULL
                     ? -1
                     : open_call(setting("GATE_SEALED_NOTES"), O_WRONLY | O_APPEND | O_CREAT, 0600);
}

static int errno_of(long answer) {
    return answer < 0 ? errno : 0;
}

/* Open a file, read a byte if it is opened for reading, and remove it if it was created. Return 0 or the errno. */
static int try_open(const char *folder, const char *name, int flags, int mode) {
    char path[PATH_BYTES], byte;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    long file = open_call(path, flags, mode);
    int reason = errno_of(file);
    if (file >= 0 && (flags & O_ACCMODE) == O_RDONLY)
        reason = errno_of(syscall(SYS_read, file, &byte, 1L));
    if (file >= 0)
        (void)syscall(SYS_close, file);
    if (file >= 0 && (flags & O_CREAT) != 0)
        (void)syscall(SYS_unlinkat, (long)AT_FDCWD, path, 0L);
    return reason;
}

static int try_socket(void) {
    long made = syscall(SYS_socket, (long)AF_UNIX, (long)SOCK_STREAM, 0L);
    int reason = errno_of(made);
    if (made >= 0)
        (void)syscall(SYS_close, made);
    return reason;
}

static int try_chmod(const char *place) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/plain", place);
    return errno_of(syscall(SYS_fchmodat, (long)AT_FDCWD, path, 0755L));
}

/* Make the system calls themselves, past all libraries, and append their results. The program that execve names does
 * not exist, so an allowed call replaces nothing. */
static int notes_line(char *line, const char *what, const char *subject) {
    char *const argv[] = {(char *)"nothing", NULL};
    char victim[PATH_BYTES];
    const char *place = setting("GATE_SEALED_PLACE"), *report = setting("GATE_SEALED_REPORT");
    const long process = atol(setting("GATE_SEALED_VICTIM"));
    (void)snprintf(victim, sizeof victim, "/proc/%ld", process);
    int of_socket = try_socket();
    int of_execve = errno_of(syscall(SYS_execve, "/nonexistent/nothing", argv, NULL));
    int of_ring = errno_of(syscall((long)IO_URING_SETUP, 0L, 0L));
    int of_signal = process <= 0 ? ESRCH : errno_of(syscall(SYS_kill, process, (long)SIGCONT));
    return snprintf(line, LINE_BYTES,
                    "%s %.400s socket:%d execve:%d io_uring:%d signal:%d environ:%d memory:%d append:%d make:%d "
                    "program:%d chmod:%d secret:%d\n",
                    what, subject, of_socket, of_execve, of_ring, of_signal, try_open(victim, "environ", O_RDONLY, 0),
                    try_open(victim, "mem", O_RDWR, 0), try_open(place, "env", O_WRONLY | O_APPEND, 0),
                    try_open(place, "made", O_WRONLY | O_CREAT | O_EXCL, 0644),
                    try_open(report, "program", O_WRONLY | O_CREAT | O_EXCL, 0755), try_chmod(place),
                    try_open(place, "secret", O_RDONLY, 0));
}

static void note(const char *what, const char *subject) {
    int saved = errno;
    char line[LINE_BYTES];
    int len = notes_file < 0 ? 0 : notes_line(line, what, subject);
    if (len > 0)
        (void)syscall(SYS_write, notes_file, line, (long)len);
    errno = saved;
}

EXPORTED int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, int) : 0;
    va_end(rest);
    if ((flags & O_PATH) == 0) /* nothing is read: O_PATH descriptors are for the sandbox that is about to be entered */
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
