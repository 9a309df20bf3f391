/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search. */
#ifndef GATE_BASE_SEARCH_H
#define GATE_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Set `at`, a size_t, to the first index below `count` for which `is_before` is false; to `count` if there is none.
 * `is_before` is an expression with `at`: true for all indices up to some index, false for all after it.
 * O(log count) evaluations.
 */
#define GATE_SEARCH(at, count, is_before)                                                                              \
    do {                                                                                                               \
        size_t search_low = 0, search_end = (count);                                                                   \
        while (search_low < search_end) {                                                                              \
            (at) = search_low + (search_end - search_low) / 2;                                                         \
            if (is_before)                                                                                             \
                search_low = (at) + 1;                                                                                 \
            else                                                                                                       \
                search_end = (at);                                                                                     \
        }                                                                                                              \
        (at) = search_low;                                                                                             \
    } while (false)

#endif
