/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of processes, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_SYS_RESOURCE_H
#define PACKAGING_WASI_SYS_RESOURCE_H

#include_next <sys/resource.h>

typedef unsigned long long rlim_t;

struct rlimit {
    rlim_t rlim_cur, rlim_max;
};

enum { RLIMIT_CPU, RLIMIT_CORE = 4, RLIMIT_AS = 9 };

int setrlimit(int resource, const struct rlimit *limit);

#endif
