/* SPDX-License-Identifier: Apache-2.0 */
/* Caps and their defaults (see limits.h). */
#include "gate/profile/limits.h"

struct gate_limits gate_limits_default(void) {
    const size_t gib = (size_t)1 << 30;
    return (struct gate_limits){.compressed_bytes = gib,
                                .inflated_bytes = 2 * gib,
                                .samples = 100000000,
                                .depth = 16384,
                                .lines = 4096,
                                .labels = 256,
                                .strings = 50000000,
                                .memory_bytes = 4 * gib};
}

struct gate_limits gate_limits_fill(const struct gate_limits *given) {
    struct gate_limits limits = gate_limits_default();
    if (given == NULL)
        return limits;
    limits.compressed_bytes = given->compressed_bytes == 0 ? limits.compressed_bytes : given->compressed_bytes;
    limits.inflated_bytes = given->inflated_bytes == 0 ? limits.inflated_bytes : given->inflated_bytes;
    limits.samples = given->samples == 0 ? limits.samples : given->samples;
    limits.depth = given->depth == 0 ? limits.depth : given->depth;
    limits.lines = given->lines == 0 ? limits.lines : given->lines;
    limits.labels = given->labels == 0 ? limits.labels : given->labels;
    limits.strings = given->strings == 0 ? limits.strings : given->strings;
    limits.memory_bytes = given->memory_bytes == 0 ? limits.memory_bytes : given->memory_bytes;
    limits.steps = given->steps;
    return limits;
}
