/* SPDX-License-Identifier: Apache-2.0 */
/* Locks on files, which WASI lacks. packaging/wasi/posix.c defines them; each fails. */
#ifndef PACKAGING_WASI_SYS_FILE_H
#define PACKAGING_WASI_SYS_FILE_H

enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8 };

int flock(int descriptor, int operation);

#endif
