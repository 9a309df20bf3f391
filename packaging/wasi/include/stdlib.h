/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files, which WASI's C library lacks. packaging/wasi/posix.c defines them; mkstemp works as elsewhere. */
#ifndef PACKAGING_WASI_STDLIB_H
#define PACKAGING_WASI_STDLIB_H

#include_next <stdlib.h>

int mkstemp(char *name);
char *mkdtemp(char *name);

#endif
