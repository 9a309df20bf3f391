/* SPDX-License-Identifier: Apache-2.0 */
/* Counts arena requests, and refuses one of them (see refused.h). */
#include "tests/fuzz/refused.h"

#include "tests/refusals/places.h"

#include <stdatomic.h>

static _Atomic unsigned long wanted, count;

unsigned long fuzz_refuse(unsigned long n) {
    unsigned long was = count;
    wanted = n;
    count = 0;
    return was;
}

bool places_refuse(void *const *frame) {
    (void)frame;
    return wanted != 0 && ++count == wanted;
}
