/* SPDX-License-Identifier: Apache-2.0 */
/* Locks on files, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_FCNTL_H
#define PACKAGING_WASI_FCNTL_H

#include_next <fcntl.h>

enum { F_WRLCK = 1, F_SETLK = 6 };

#endif
