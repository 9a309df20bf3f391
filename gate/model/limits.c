/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/model/limits.h"

#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"

#include <stddef.h>
#include <stdint.h>

/* ---- limits and their defaults ----------------------------------------------------------------------------------- */

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

size_t gate_limits_memory_of(size_t stored_bytes) {
    const size_t most = gate_limits_default().memory_bytes;
    size_t bytes = stored_bytes > most / GATE_LIMITS_MEMORY_RATIO ? most : stored_bytes * GATE_LIMITS_MEMORY_RATIO;
    return bytes < GATE_LIMITS_MEMORY_LEAST ? (size_t)GATE_LIMITS_MEMORY_LEAST : bytes;
}

/* ---- steps of work; the weights were measured (docs/performance.md) ---------------------------------------------- */

/* Steps per stored byte up to which the upper bound is used, instead of a walk over all stacks. */
enum { STEPS_UNDOUBTED = 16 };

enum { SAMPLE_STEPS = 8, NAME_BYTE_STEPS = 8, FILE_BYTE_STEPS = 2, BYTES_A_STEP = 32 };

/* Steps for each function and location of a converted profile, to intern its texts while the profile is built. */
enum { CONVERTED_FUNCTION_STEPS = 120, CONVERTED_LOCATION_STEPS = 100 };

enum { USUAL_FRAMES = 512, DEEP_FRAME_STEPS = 10 };

enum { PATTERN_STEPS = 16, BYTES_A_PATTERN_STEP = 16, PATTERNS_TO_NAME = 100 };

static uint64_t add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t name_steps(const struct gate_profile *profile) {
    uint64_t steps = 0;
    for (uint32_t i = 0; i < profile->function_count; i++) {
        steps = add(steps, times(profile->functions[i].name.len, NAME_BYTE_STEPS));
        steps = add(steps, times(profile->functions[i].file.len, FILE_BYTE_STEPS));
    }
    return add(steps, profile->line_name_bytes / BYTES_A_STEP);
}

/* Frames of very deep stacks cost more, because call trees and reports find them in no cache. */
static uint64_t frame_steps(uint64_t frames) {
    return frames <= USUAL_FRAMES ? frames : add(USUAL_FRAMES, times(frames - USUAL_FRAMES, DEEP_FRAME_STEPS));
}

/* Errors are ignored: the decoder checked the samples, so a walk can only run out of memory. The next reader of the
 * samples reports that. */
static uint64_t stack_steps(const struct gate_profile *profile) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error err = {0};
    uint64_t steps = 0;
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &err))
        steps = add(steps, SAMPLE_STEPS + frame_steps(gate_location_stack_frames(profile, sample.stack)));
    gate_sample_end(&cursor);
    return steps;
}

static uint64_t conversion_steps(const struct gate_profile *profile) {
    if (profile->format == GATE_FORMAT_PPROF)
        return 0;
    return add(times(profile->function_count, CONVERTED_FUNCTION_STEPS),
               times(profile->location_count, CONVERTED_LOCATION_STEPS));
}

uint64_t gate_steps_of(const struct gate_profile *profile, uint64_t roughly) {
    uint64_t most = times(profile->sample_count, SAMPLE_STEPS + frame_steps(profile->max_frames));
    uint64_t steps = add(name_steps(profile), conversion_steps(profile));
    return add(steps, most <= roughly ? most : stack_steps(profile));
}

static uint64_t pattern_steps(const struct gate_profile *profile) {
    uint64_t steps = times(profile->function_count, PATTERN_STEPS);
    for (uint32_t i = 0; i < profile->function_count; i++)
        steps = add(steps, profile->functions[i].name.len / BYTES_A_PATTERN_STEP);
    return steps;
}

void gate_steps_add(struct gate_steps *steps, const struct gate_profile *profile, uint64_t stored_bytes) {
    if (steps->patterns != 0)
        steps->needed = add(steps->needed, times(steps->patterns, pattern_steps(profile)));
    steps->needed = add(steps->needed, gate_steps_of(profile, times(stored_bytes, STEPS_UNDOUBTED)));
    steps->stored_bytes += stored_bytes;
}

uint64_t gate_steps_most(const struct gate_steps *steps, const struct gate_limits *limits) {
    uint64_t most = times(steps->stored_bytes, GATE_LIMITS_STEPS_RATIO);
    most = most < GATE_LIMITS_STEPS_LEAST ? GATE_LIMITS_STEPS_LEAST : most;
    return limits->steps != 0 ? limits->steps : most;
}

bool gate_steps_check(const struct gate_steps *steps, const struct gate_limits *limits, struct gate_error *err) {
    uint64_t most = gate_steps_most(steps, limits);
    if (steps->needed <= most)
        return true;
    return gate_error_set(
        err, GATE_ERR_LIMIT,
        "the stacks and names of %llu bytes of profiles ask for %llu steps of work%s, more than %llu; "
        "raise --max-steps if the input is trusted",
        (unsigned long long)steps->stored_bytes, (unsigned long long)steps->needed,
        steps->patterns > PATTERNS_TO_NAME ? " with this many patterns in the rules" : "", (unsigned long long)most);
}
