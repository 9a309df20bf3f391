/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of work (see steps.h). Weights were measured: docs/performance.md. */
#include "gate/profile/steps.h"

#include "gate/profile/location.h"
#include "gate/profile/sample.h"

/* Of a stored byte: so few nobody has to count exactly. */
enum { STEPS_UNDOUBTED = 16 };
enum { SAMPLE_STEPS = 8, NAME_BYTE_STEPS = 8, FILE_BYTE_STEPS = 2, BYTES_A_STEP = 32 };

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

static uint64_t frames_of(const struct gate_profile *profile, const struct gate_sample *sample) {
    uint64_t frames = 0, id = 0;
    for (uint32_t at = 0; gate_stack_next(sample->stack, &at, &id);)
        frames += gate_location_frames(profile, gate_location_find(profile, id));
    return frames;
}

/* The samples were checked when the profile was decoded: a walk that fails ran out of memory, and who reads them next
 * will say so. */
static uint64_t stack_steps(const struct gate_profile *profile) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error err = {0};
    uint64_t steps = 0;
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &err))
        steps = add(steps, SAMPLE_STEPS + frames_of(profile, &sample));
    gate_sample_end(&cursor);
    return steps;
}

uint64_t gate_steps_of(const struct gate_profile *profile, uint64_t roughly) {
    uint64_t most = times(profile->sample_count, SAMPLE_STEPS + (uint64_t)profile->max_frames);
    return add(name_steps(profile), most <= roughly ? most : stack_steps(profile));
}

void gate_steps_add(struct gate_steps *steps, const struct gate_profile *profile, uint64_t stored_bytes) {
    steps->asked = add(steps->asked, gate_steps_of(profile, times(stored_bytes, STEPS_UNDOUBTED)));
    steps->stored_bytes += stored_bytes;
}

uint64_t gate_steps_most(const struct gate_steps *steps, const struct gate_limits *limits) {
    uint64_t most = times(steps->stored_bytes, GATE_LIMITS_STEPS_RATIO);
    most = most < GATE_LIMITS_STEPS_LEAST ? GATE_LIMITS_STEPS_LEAST : most;
    return limits->steps != 0 ? limits->steps : most;
}

bool gate_steps_check(const struct gate_steps *steps, const struct gate_limits *limits, struct gate_error *err) {
    uint64_t most = gate_steps_most(steps, limits);
    if (steps->asked <= most)
        return true;
    return gate_error_set(err, GATE_ERR_LIMIT,
                          "the stacks and names of %llu bytes of profiles ask for %llu steps of work, more than %llu; "
                          "raise --max-steps if the input is trusted",
                          (unsigned long long)steps->stored_bytes, (unsigned long long)steps->asked,
                          (unsigned long long)most);
}
