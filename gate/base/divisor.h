/* SPDX-License-Identifier: Apache-2.0 */
/* What numbers have in common. Used by profile/, and by the page, whose numbers are short then. */
#ifndef GATE_BASE_DIVISOR_H
#define GATE_BASE_DIVISOR_H

#include <stdint.h>

/** The absolute value; also of the lowest number. */
static inline uint64_t gate_divisor_size(int64_t value) {
    return value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
}

/** The greatest common divisor (Euclid's); of a number and 0 it is the number. O(log), nearly always one division where
 * one number divides the other. */
static inline uint64_t gate_divisor_common(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
