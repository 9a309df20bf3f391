/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses one arena request, selected by its number. refused.c intercepts the requests with the linker's --wrap. */
#ifndef TESTS_FUZZ_REFUSED_H
#define TESTS_FUZZ_REFUSED_H

/** Refuse the `n`-th arena request from now on; 0: refuse and count none. Returns the number of requests that were
 * counted since the last call. */
unsigned long fuzz_refuse(unsigned long n);

#endif
