/* SPDX-License-Identifier: Apache-2.0 */
/* One request of an arena that is refused, by its number. refused.c stands in front of the arena by --wrap. */
#ifndef TESTS_FUZZ_REFUSED_H
#define TESTS_FUZZ_REFUSED_H

#include <stdbool.h>

/** The n-th request from here on is refused; 0: none. True: the one before was. */
bool fuzz_refuse(unsigned long n);

#endif
