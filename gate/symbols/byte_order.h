/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of binaries, which have the byte order of the machine that the binary is for, not of this one. */
#ifndef GATE_SYMBOLS_BYTE_ORDER_H
#define GATE_SYMBOLS_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Return the unsigned number of `size` bytes, at most 8, at `at`. */
static inline uint64_t gate_number_at(const void *at, size_t size, bool is_big_endian) {
    const unsigned char *bytes = at;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[is_big_endian ? i : size - 1 - i];
    return value;
}

#endif
