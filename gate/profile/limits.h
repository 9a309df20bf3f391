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
    uint32_t labels;         /* --max-labels, 256 labels a sample */
    uint32_t strings;        /* --max-strings, 50 M */
    size_t memory_bytes;     /* --max-memory, 4 GiB: all that a run holds of its inputs, and its reports */
    uint64_t steps;          /* --max-steps of a run (profile/steps.h); 0: by its inputs */
};

/**
 * Where nobody says how much, a run takes 256 times the bytes of its inputs as they are on the disk, and at least 224
 * MiB, so that with the program itself and its libraries it stays below 256: profiles as profilers write them take a
 * tenth of that, and a small file costs no more than a large one may.
 */
enum { GATE_LIMITS_MEMORY_RATIO = 256, GATE_LIMITS_MEMORY_LEAST = 224 * 1024 * 1024 };

/**
 * Likewise of steps: profiles as profilers write them ask for three to twenty a byte. The least is about a second.
 */
enum { GATE_LIMITS_STEPS_RATIO = 128, GATE_LIMITS_STEPS_LEAST = 128 * 1000 * 1000 };

struct gate_limits gate_limits_default(void);

/** `given` with the default for each 0; the defaults for NULL. */
struct gate_limits gate_limits_fill(const struct gate_limits *given);

#endif
