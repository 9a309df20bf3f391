/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that can be made to fail, in front of those of the C library (see faults.h). Some have several names there: for
 * large files, and with the size checks of optimised builds. */
#include "tests/faults/faults.h"
#include "tests/faults/next.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* libseccomp 2.5 ends with a signal where memory is refused. Its allocations are left out: they are between the
 * program's PR_SET_DUMPABLE and the PR_SET_NO_NEW_PRIVS with which libseccomp loads the filter. */
static _Atomic bool is_making_filter;

EXPORTED int prctl(int option, ...) {
    int (*real)(int, unsigned long, unsigned long, unsigned long, unsigned long);
    unsigned long given[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        given[i] = va_arg(list, unsigned long);
    va_end(list);
    is_making_filter = option == PR_SET_DUMPABLE || (is_making_filter && option != PR_SET_NO_NEW_PRIVS);
    NEXT(real, "prctl");
    return real(option, given[0], given[1], given[2], given[3]);
}

static bool memory_fails(enum faults_call call) {
    return !is_making_filter && faults_fail(call, -1, ENOMEM);
}

EXPORTED void *malloc(size_t size) {
    void *(*real)(size_t);
    if (memory_fails(FAULTS_MALLOC))
        return NULL;
    NEXT(real, "malloc");
    return real(size);
}

EXPORTED void *calloc(size_t count, size_t size) {
    void *(*real)(size_t, size_t);
    if (memory_fails(FAULTS_CALLOC))
        return NULL;
    NEXT(real, "calloc");
    return real(count, size);
}

EXPORTED void *realloc(void *memory, size_t size) {
    void *(*real)(void *, size_t);
    if (memory_fails(FAULTS_REALLOC))
        return NULL;
    NEXT(real, "realloc");
    return real(memory, size);
}

EXPORTED void *mmap(void *wanted, size_t len, int protection, int flags, int descriptor, off_t offset) {
    void *(*real)(void *, size_t, int, int, int, off_t);
    if (faults_fail(FAULTS_MMAP, descriptor, ENOMEM))
        return MAP_FAILED;
    NEXT(real, "mmap");
    return real(wanted, len, protection, flags, descriptor, offset);
}
ALSO(void *, mmap64(void *, size_t, int, int, int, off_t), mmap);

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*begin)(void *), void *context) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (faults_fail(FAULTS_THREAD, -1, EAGAIN))
        return EAGAIN;
    NEXT(real, "pthread_create");
    return real(thread, how, begin, context);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

EXPORTED int open(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (faults_fail(FAULTS_OPEN, -1, EMFILE))
        return -1;
    NEXT(real, "open");
    return real(path, flags, mode);
}
ALSO(int, open64(const char *, int, ...), open);

EXPORTED int __open_2(const char *path, int flags);
EXPORTED int __open_2(const char *path, int flags) {
    return open(path, flags);
}
ALSO(int, __open64_2(const char *, int), __open_2);

EXPORTED int mkstemp(char *name) {
    int (*real)(char *);
    if (faults_fail(FAULTS_OPEN, -1, EMFILE))
        return -1;
    NEXT(real, "mkstemp");
    return real(name);
}
ALSO(int, mkstemp64(char *), mkstemp);

EXPORTED FILE *fopen(const char *path, const char *how) {
    FILE *(*real)(const char *, const char *);
    if (faults_fail(FAULTS_OPEN, -1, EMFILE))
        return NULL;
    NEXT(real, "fopen");
    return real(path, how);
}
ALSO(FILE *, fopen64(const char *, const char *), fopen);

EXPORTED DIR *opendir(const char *path) {
    DIR *(*real)(const char *);
    if (faults_fail(FAULTS_OPEN, -1, EMFILE))
        return NULL;
    NEXT(real, "opendir");
    return real(path);
}

EXPORTED int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *);
    if (faults_fail(FAULTS_RENAME, -1, EACCES))
        return -1;
    NEXT(real, "rename");
    return real(from, to);
}

EXPORTED int unlink(const char *path) {
    int (*real)(const char *);
    if (faults_fail(FAULTS_UNLINK, -1, EACCES))
        return -1;
    NEXT(real, "unlink");
    return real(path);
}

EXPORTED int mkdir(const char *path, mode_t mode) {
    int (*real)(const char *, mode_t);
    if (faults_fail(FAULTS_MKDIR, -1, ENOSPC))
        return -1;
    NEXT(real, "mkdir");
    return real(path, mode);
}

EXPORTED int stat(const char *path, struct stat *out) {
    int (*real)(const char *, struct stat *);
    if (faults_fail(FAULTS_STAT, -1, EACCES))
        return -1;
    NEXT(real, "stat");
    return real(path, out);
}

EXPORTED int lstat(const char *path, struct stat *out) {
    int (*real)(const char *, struct stat *);
    if (faults_fail(FAULTS_STAT, -1, EACCES))
        return -1;
    NEXT(real, "lstat");
    return real(path, out);
}

EXPORTED int fstat(int descriptor, struct stat *out) {
    int (*real)(int, struct stat *);
    if (faults_fail(FAULTS_STAT, descriptor, EIO))
        return -1;
    NEXT(real, "fstat");
    return real(descriptor, out);
}

EXPORTED int access(const char *path, int how) {
    int (*real)(const char *, int);
    if (faults_fail(FAULTS_LOOK, -1, EACCES))
        return -1;
    NEXT(real, "access");
    return real(path, how);
}

EXPORTED ssize_t readlink(const char *path, char *target, size_t room) {
    ssize_t (*real)(const char *, char *, size_t);
    if (faults_fail(FAULTS_LOOK, -1, EACCES))
        return -1;
    NEXT(real, "readlink");
    return real(path, target, room);
}

EXPORTED char *realpath(const char *path, char *resolved) {
    char *(*real)(const char *, char *);
    if (faults_fail(FAULTS_LOOK, -1, EACCES))
        return NULL;
    NEXT(real, "realpath");
    return real(path, resolved);
}

EXPORTED char *getcwd(char *path, size_t room) {
    char *(*real)(char *, size_t);
    if (faults_fail(FAULTS_LOOK, -1, EACCES))
        return NULL;
    NEXT(real, "getcwd");
    return real(path, room);
}

EXPORTED int glob(const char *pattern, int flags, int (*failed)(const char *, int), glob_t *out) {
    int (*real)(const char *, int, int (*)(const char *, int), glob_t *);
    if (faults_fail(FAULTS_LOOK, -1, ENOMEM))
        return GLOB_NOSPACE;
    NEXT(real, "glob");
    return real(pattern, flags, failed, out);
}

/* ---- descriptors ------------------------------------------------------------------------------------------------- */

EXPORTED int flock(int descriptor, int how) {
    int (*real)(int, int);
    if (faults_fail(FAULTS_LOCK, descriptor, ENOLCK))
        return -1;
    NEXT(real, "flock");
    return real(descriptor, how);
}

EXPORTED ssize_t read(int descriptor, void *bytes, size_t len) {
    ssize_t (*real)(int, void *, size_t);
    if (faults_fail_bytes(FAULTS_READ, descriptor, EIO, &len))
        return -1;
    NEXT(real, "read");
    return real(descriptor, bytes, len);
}

EXPORTED ssize_t pread(int descriptor, void *bytes, size_t len, off_t offset) {
    ssize_t (*real)(int, void *, size_t, off_t);
    if (faults_fail_bytes(FAULTS_READ, descriptor, EIO, &len))
        return -1;
    NEXT(real, "pread");
    return real(descriptor, bytes, len, offset);
}
ALSO(ssize_t, pread64(int, void *, size_t, off_t), pread);

EXPORTED ssize_t write(int descriptor, const void *bytes, size_t len) {
    ssize_t (*real)(int, const void *, size_t);
    if (faults_fail_bytes(FAULTS_WRITE, descriptor, ENOSPC, &len))
        return -1;
    NEXT(real, "write");
    return real(descriptor, bytes, len);
}

EXPORTED int fsync(int descriptor) {
    int (*real)(int);
    if (faults_fail(FAULTS_FSYNC, descriptor, EIO))
        return -1;
    NEXT(real, "fsync");
    return real(descriptor);
}

/* The descriptor is closed although the call fails, as on Linux. */
EXPORTED int close(int descriptor) {
    int (*real)(int);
    bool failed = faults_fail(FAULTS_CLOSE, descriptor, EIO);
    NEXT(real, "close");
    int status = real(descriptor);
    if (failed)
        errno = EIO;
    return failed ? -1 : status;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

/* The last stream on which a call was made to fail; the C library does not know of it. */
static FILE *_Atomic broken;

static bool stream_fail(enum faults_call call, FILE *stream, int reason) {
    if (call == FAULTS_READ && feof(stream)) /* at the end of the file the stream does not read again */
        return false;
    if (!faults_fail(call, fileno(stream), reason))
        return false;
    broken = stream;
    return true;
}

EXPORTED size_t fread(void *bytes, size_t size, size_t count, FILE *stream) {
    size_t (*real)(void *, size_t, size_t, FILE *);
    if (stream_fail(FAULTS_READ, stream, EIO))
        return 0;
    NEXT(real, "fread");
    return real(bytes, size, count, stream);
}

EXPORTED char *fgets(char *line, int size, FILE *stream) {
    char *(*real)(char *, int, FILE *);
    if (stream_fail(FAULTS_READ, stream, EIO))
        return NULL;
    NEXT(real, "fgets");
    return real(line, size, stream);
}

EXPORTED size_t __fread_chk(void *bytes, size_t room, size_t size, size_t count, FILE *stream);
EXPORTED size_t __fread_chk(void *bytes, size_t room, size_t size, size_t count, FILE *stream) {
    (void)room;
    return fread(bytes, size, count, stream);
}

EXPORTED char *__fgets_chk(char *line, size_t room, int size, FILE *stream);
EXPORTED char *__fgets_chk(char *line, size_t room, int size, FILE *stream) {
    (void)room;
    return fgets(line, size, stream);
}

EXPORTED ssize_t __read_chk(int descriptor, void *bytes, size_t len, size_t room);
EXPORTED ssize_t __read_chk(int descriptor, void *bytes, size_t len, size_t room) {
    (void)room;
    return read(descriptor, bytes, len);
}

EXPORTED size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream) {
    size_t (*real)(const void *, size_t, size_t, FILE *);
    if (stream_fail(FAULTS_WRITE, stream, ENOSPC))
        return 0;
    NEXT(real, "fwrite");
    return real(bytes, size, count, stream);
}

EXPORTED int fflush(FILE *stream) {
    int (*real)(FILE *);
    if (stream != NULL && __fpending(stream) > 0 && stream_fail(FAULTS_WRITE, stream, ENOSPC))
        return EOF;
    NEXT(real, "fflush");
    return real(stream);
}

EXPORTED void clearerr(FILE *stream) {
    void (*real)(FILE *);
    FILE *cleared = stream;
    (void)atomic_compare_exchange_strong(&broken, &cleared, NULL);
    NEXT(real, "clearerr");
    real(stream);
}

EXPORTED int ferror(FILE *stream) {
    int (*real)(FILE *);
    NEXT(real, "ferror");
    return stream == broken ? 1 : real(stream);
}

EXPORTED int fclose(FILE *stream) {
    int (*real)(FILE *);
    bool failed = faults_fail(FAULTS_CLOSE, fileno(stream), EIO);
    FILE *closed = stream;
    (void)atomic_compare_exchange_strong(&broken, &closed, NULL);
    NEXT(real, "fclose");
    int status = real(stream);
    if (failed)
        errno = EIO;
    return failed ? EOF : status;
}

/* A signal never interrupts readdir. */
EXPORTED struct dirent *readdir(DIR *folder) {
    struct dirent *(*real)(DIR *);
    int before = errno;
    if (faults_fail(FAULTS_READ, dirfd(folder), EIO) && errno != EINTR)
        return NULL;
    errno = before;
    NEXT(real, "readdir");
    return real(folder);
}
