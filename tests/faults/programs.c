/* SPDX-License-Identifier: Apache-2.0 */
/* Calls about processes, the network, time and random numbers, in front of those of the C library (see faults.h).
 * calls.c has those about files. */
#include "tests/faults/faults.h"
#include "tests/faults/next.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#undef execvp /* defined in ci/coverage.h */
#undef fork

/* ---- programs ---------------------------------------------------------------------------------------------------- */

EXPORTED pid_t fork(void) {
    pid_t (*real)(void);
    if (faults_fail(FAULTS_FORK, -1, EAGAIN))
        return -1;
    NEXT(real, "fork");
    return real();
}

/* This runs in the child, which counts in the same sheet. */
EXPORTED int execvp(const char *file, char *const *argv) {
    int (*real)(const char *, char *const *);
    if (faults_fail(FAULTS_FORK, -1, EACCES))
        return -1;
    NEXT(real, "execvp");
    return real(file, argv);
}

EXPORTED pid_t waitpid(pid_t which, int *status, int flags) {
    pid_t (*real)(pid_t, int *, int);
    if (faults_fail(FAULTS_WAIT, -1, ECHILD))
        return -1;
    NEXT(real, "waitpid");
    return real(which, status, flags);
}

EXPORTED int waitid(idtype_t kind, id_t which, siginfo_t *out, int flags) {
    int (*real)(idtype_t, id_t, siginfo_t *, int);
    if (faults_fail(FAULTS_WAIT, -1, ECHILD))
        return -1;
    NEXT(real, "waitid");
    return real(kind, which, out, flags);
}

EXPORTED int pipe(int ends[2]) {
    int (*real)(int *);
    if (faults_fail(FAULTS_PIPE, -1, EMFILE))
        return -1;
    NEXT(real, "pipe");
    return real(ends);
}

EXPORTED int pipe2(int ends[2], int flags) {
    int (*real)(int *, int);
    if (faults_fail(FAULTS_PIPE, -1, EMFILE))
        return -1;
    NEXT(real, "pipe2");
    return real(ends, flags);
}

EXPORTED int socketpair(int domain, int type, int protocol, int ends[2]) {
    int (*real)(int, int, int, int *);
    if (faults_fail(FAULTS_PIPE, -1, EMFILE))
        return -1;
    NEXT(real, "socketpair");
    return real(domain, type, protocol, ends);
}

EXPORTED int eventfd(unsigned begin, int flags) {
    int (*real)(unsigned, int);
    if (faults_fail(FAULTS_PIPE, -1, EMFILE))
        return -1;
    NEXT(real, "eventfd");
    return real(begin, flags);
}

EXPORTED int dup2(int from, int to) {
    int (*real)(int, int);
    if (faults_fail(FAULTS_PIPE, from, EMFILE))
        return -1;
    NEXT(real, "dup2");
    return real(from, to);
}

/* Only locks can be made to fail; other commands are passed on. */
EXPORTED int fcntl(int descriptor, int what, ...) {
    int (*real)(int, int, void *);
    va_list rest;
    va_start(rest, what);
    void *with = va_arg(rest, void *);
    va_end(rest);
    if ((what == F_SETLK || what == F_SETLKW) && faults_fail(FAULTS_LOCK, descriptor, ENOLCK))
        return -1;
    NEXT(real, "fcntl");
    return real(descriptor, what, with);
}
ALSO(int, fcntl64(int, int, ...), fcntl);

EXPORTED int munmap(void *memory, size_t len) {
    int (*real)(void *, size_t);
    if (faults_fail(FAULTS_UNMAP, -1, ENOMEM))
        return -1;
    NEXT(real, "munmap");
    return real(memory, len);
}

/* ---- network ----------------------------------------------------------------------------------------------------- */

EXPORTED int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **out) {
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    if (faults_fail(FAULTS_CONNECT, -1, EAGAIN))
        return EAI_AGAIN;
    NEXT(real, "getaddrinfo");
    return real(host, port, hints, out);
}

EXPORTED int socket(int domain, int type, int protocol) {
    int (*real)(int, int, int);
    if (faults_fail(FAULTS_CONNECT, -1, EMFILE))
        return -1;
    NEXT(real, "socket");
    return real(domain, type, protocol);
}

EXPORTED int connect(int descriptor, const struct sockaddr *address, socklen_t len) {
    int (*real)(int, const struct sockaddr *, socklen_t);
    if (faults_fail(FAULTS_CONNECT, descriptor, ECONNREFUSED))
        return -1;
    NEXT(real, "connect");
    return real(descriptor, address, len);
}

EXPORTED ssize_t send(int descriptor, const void *bytes, size_t len, int flags) {
    ssize_t (*real)(int, const void *, size_t, int);
    if (faults_fail_bytes(FAULTS_SEND, descriptor, EPIPE, &len))
        return -1;
    NEXT(real, "send");
    return real(descriptor, bytes, len, flags);
}

EXPORTED ssize_t recv(int descriptor, void *bytes, size_t len, int flags) {
    ssize_t (*real)(int, void *, size_t, int);
    if (faults_fail_bytes(FAULTS_RECV, descriptor, ECONNRESET, &len))
        return -1;
    NEXT(real, "recv");
    return real(descriptor, bytes, len, flags);
}

EXPORTED ssize_t __recv_chk(int descriptor, void *bytes, size_t len, size_t room, int flags);
EXPORTED ssize_t __recv_chk(int descriptor, void *bytes, size_t len, size_t room, int flags) {
    (void)room;
    return recv(descriptor, bytes, len, flags);
}

EXPORTED int poll(struct pollfd *descriptors, nfds_t count, int wait_ms) {
    int (*real)(struct pollfd *, nfds_t, int);
    if (faults_fail(FAULTS_POLL, -1, ENOMEM))
        return -1;
    NEXT(real, "poll");
    return real(descriptors, count, wait_ms);
}

EXPORTED int __poll_chk(struct pollfd *descriptors, nfds_t count, int wait_ms, size_t room);
EXPORTED int __poll_chk(struct pollfd *descriptors, nfds_t count, int wait_ms, size_t room) {
    (void)room;
    return poll(descriptors, count, wait_ms);
}

/* ---- time and random numbers ------------------------------------------------------------------------------------- */

EXPORTED int clock_gettime(clockid_t clock, struct timespec *out) {
    int (*real)(clockid_t, struct timespec *);
    if (faults_fail(FAULTS_CLOCK, -1, EINVAL))
        return -1;
    NEXT(real, "clock_gettime");
    return real(clock, out);
}

EXPORTED int nanosleep(const struct timespec *length, struct timespec *left) {
    int (*real)(const struct timespec *, struct timespec *);
    if (faults_fail(FAULTS_SLEEP, -1, EINTR)) {
        if (left != NULL)
            *left = *length;
        return -1;
    }
    NEXT(real, "nanosleep");
    return real(length, left);
}

EXPORTED int getentropy(void *bytes, size_t len) {
    int (*real)(void *, size_t);
    if (faults_fail(FAULTS_RANDOM, -1, ENOSYS))
        return -1;
    NEXT(real, "getentropy");
    return real(bytes, len);
}

EXPORTED ssize_t getrandom(void *bytes, size_t len, unsigned flags) {
    ssize_t (*real)(void *, size_t, unsigned);
    if (faults_fail_bytes(FAULTS_RANDOM, -1, ENOSYS, &len))
        return -1;
    NEXT(real, "getrandom");
    return real(bytes, len, flags);
}
