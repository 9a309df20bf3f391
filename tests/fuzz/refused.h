/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses one arena request, selected by its number. refused.c intercepts the requests with the linker's --wrap. */
#ifndef TESTS_FUZZ_REFUSED_H
#define TESTS_FUZZ_REFUSED_H

#include <stdbool.h>

/** Refuse the `n`-th arena request from now on; 0: refuse none. Returns whether a request was refused since the last
 * call. */
bool fuzz_refuse(unsigned long n);

#endif
