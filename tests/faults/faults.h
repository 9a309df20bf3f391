/* SPDX-License-Identifier: Apache-2.0 */
/* Which call of a program is to fail, and what came of it. faults.py reads and writes the same words and numbers.
 * faults.py -> the environment -> calls.c, preloaded -> faults.c -> the sheet -> faults.py */
#ifndef GATE_TESTS_FAULTS_H
#define GATE_TESTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rows of a sheet, in the order of faults.py. A stream's calls count as what they do to its descriptor. */
enum faults_call {
    FAULTS_MALLOC,
    FAULTS_CALLOC,
    FAULTS_REALLOC,
    FAULTS_MEMORY, /* each of the three above */
    FAULTS_MMAP,
    FAULTS_OPEN,
    FAULTS_READ,
    FAULTS_WRITE,
    FAULTS_FSYNC,
    FAULTS_RENAME,
    FAULTS_CLOSE,
    FAULTS_THREAD,
    FAULTS_STAT,
    FAULTS_UNLINK,
    FAULTS_MKDIR,
    FAULTS_LOCK,
    FAULTS_LOOK, /* at a name: access, readlink, realpath, getcwd, glob */
    FAULTS_CLOCK,
    FAULTS_RANDOM,
    FAULTS_FORK,    /* and exec, in the child */
    FAULTS_PIPE,    /* and socketpair, eventfd, dup2 */
    FAULTS_WAIT,    /* for a child */
    FAULTS_CONNECT, /* and socket, getaddrinfo */
    FAULTS_SEND,
    FAULTS_RECV,
    FAULTS_POLL,
    FAULTS_SLEEP,
    FAULTS_UNMAP,
    FAULTS_CALLS
};

enum faults_manner {
    FAULTS_NEVER,
    FAULTS_ONCE,
    FAULTS_LASTING,   /* this call and all behind it */
    FAULTS_SHORT,     /* half of what was asked for is read or written */
    FAULTS_INTERRUPT, /* EINTR, once */
    FAULTS_AGAIN,     /* EAGAIN, once */
    FAULTS_SIGNAL     /* the call succeeds; a signal came just before it */
};

/* A file of faults.py's, mapped: it outlives a program that is killed. */
struct faults_sheet {
    _Atomic uint64_t counts[FAULTS_CALLS];
    _Atomic uint64_t touched;   /* calls that were made to fail */
    _Atomic int64_t descriptor; /* of the last of them; -1: it has none */
};

/*
 * Counts one call in the sheet. NEVER: it is to be made as it is. SIGNAL never comes back: the signal was raised, and
 * a program that lives on makes its call.
 *
 * descriptor  what is read, written or closed; -1: the call has none
 */
enum faults_manner faults_meet(enum faults_call call, int descriptor);

/* meet, for a call that can only fail: true with errno set to `reason`, or to EINTR or EAGAIN. */
bool faults_fail(enum faults_call call, int descriptor, int reason);

/* meet, for a call that takes or gives up to *len bytes: true with errno set, or *len is what is left to be done. */
bool faults_fail_bytes(enum faults_call call, int descriptor, int reason, size_t *len);

#endif
