/* SPDX-License-Identifier: Apache-2.0 */
/* The mode of new files, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_SYS_STAT_H
#define PACKAGING_WASI_SYS_STAT_H

#include_next <sys/stat.h>

mode_t umask(mode_t mask);

#endif
