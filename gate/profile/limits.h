/* SPDX-License-Identifier: Apache-2.0 */
/* Caps on one input: what keeps a hostile file harmless. Each has an option, which the message of its refusal names.
 * Used by every stage from the source to the decoder. */
#ifndef GATE_PROFILE_LIMITS_H
#define GATE_PROFILE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/** Caps on one input; 0 means the default, see gate_limits_default. */
struct gate_limits {
    size_t compressed_bytes; /* --max-compressed-size, 1 GiB */
    size_t inflated_bytes;   /* --max-size, 2 GiB */
    uint64_t samples;        /* --max-samples, 100 M */
    uint32_t depth;          /* --max-depth, 16 384 locations or frames a stack, inlined calls among them */
    uint32_t lines;          /* --max-lines, 4 096 lines a location */
    uint32_t strings;        /* --max-strings, 50 M */
    size_t memory_bytes;     /* --max-memory, 8 GiB: what is inflated and all tables, of this input and before it */
};

struct gate_limits gate_limits_default(void);

/** `given` with the default for each 0; the defaults for NULL. */
struct gate_limits gate_limits_fill(const struct gate_limits *given);

#endif
