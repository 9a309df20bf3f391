/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of processor time, which WASI lacks: the monotonic clock takes its place. packaging/wasi/posix.c defines
 * them; each fails. */
#ifndef PACKAGING_WASI_TIME_H
#define PACKAGING_WASI_TIME_H

#include_next <time.h>

#define CLOCK_PROCESS_CPUTIME_ID CLOCK_MONOTONIC

#endif
