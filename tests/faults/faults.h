/* SPDX-License-Identifier: Apache-2.0 */
/* Which call of a program fails, and what happened. faults.py uses the same words and numbers: faults.py -> environment
 * -> calls.c (preloaded) -> faults.c -> sheet -> faults.py */
#ifndef GATE_TESTS_FAULTS_H
#define GATE_TESTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of a sheet, in the order of faults.py. Calls on a stream count as the call that they make on its descriptor. */
enum faults_call {
    FAULTS_MALLOC,
    FAULTS_CALLOC,
    FAULTS_REALLOC,
    FAULTS_MEMORY, /* any of the three above */
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
    FAULTS_LOOK, /* access, readlink, realpath, getcwd, glob */
    FAULTS_CLOCK,
    FAULTS_RANDOM,
    FAULTS_FORK,    /* also exec, in the child */
    FAULTS_PIPE,    /* also socketpair, eventfd, dup2 */
    FAULTS_WAIT,    /* waitpid, waitid */
    FAULTS_CONNECT, /* also socket, getaddrinfo */
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
    FAULTS_LASTING,   /* this call and all later ones */
    FAULTS_SHORT,     /* only half of the bytes are read or written */
    FAULTS_INTERRUPT, /* EINTR, once */
    FAULTS_AGAIN,     /* EAGAIN, once */
    FAULTS_SIGNAL     /* the call succeeds, but a signal comes just before it */
};

/* A mapped file made by faults.py. It outlives a program that is killed. */
struct faults_sheet {
    _Atomic uint64_t counts[FAULTS_CALLS];
    _Atomic uint64_t touched;   /* calls that were made to fail */
    _Atomic int64_t descriptor; /* descriptor of the last of these calls; -1: none */
};

/*
 * Count one call in the sheet. Returns how it must fail; FAULTS_NEVER: the call is made as it is. FAULTS_SIGNAL is
 * never returned: the signal has been raised, and a program that survives it makes its call.
 *
 * descriptor  the descriptor that is read, written or closed; -1: the call has none
 */
enum faults_manner faults_meet(enum faults_call call, int descriptor);

/* Like faults_meet, for a call that can only fail: returns true with errno set to `reason`, or to EINTR or EAGAIN. */
bool faults_fail(enum faults_call call, int descriptor, int reason);

/* Like faults_meet, for a call that transfers up to *len bytes: returns true with errno set, or reduces *len to the
 * bytes to transfer. */
bool faults_fail_bytes(enum faults_call call, int descriptor, int reason, size_t *len);

#endif
