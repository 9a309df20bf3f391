/* SPDX-License-Identifier: Apache-2.0 */
/* The seccomp filter of the sandbox. */
#ifndef GATE_BASE_SECCOMP_FILTER_H
#define GATE_BASE_SECCOMP_FILTER_H

#include <stdbool.h>

/** What the filter depends on. */
struct gate_seccomp_choice {
    bool has_network;    /* sockets are allowed */
    bool denies_signals; /* only `process` may be sent signals; with Landlock's scope the kernel does so better */
    int process;         /* this process */
};

/**
 * Add the rules to `filter`, a scmp_filter_ctx whose default is to allow. A list of allowed calls would break with the
 * next C library.
 *
 * Returns 0 or an errno.
 */
int gate_seccomp_filter_fill(void *filter, const struct gate_seccomp_choice *choice);

/** Install the filter for this process and all its threads. Returns 0 or an errno; ENOSYS if this build has none. */
int gate_seccomp_filter_load(const struct gate_seccomp_choice *choice);

#endif
