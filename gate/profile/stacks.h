/* SPDX-License-Identifier: Apache-2.0 */
/* Equal stacks once: the records of a profile joined by stack, for one sample type and one label filter.
 * Pipeline: profile/sample.h + profile/counts.h -> profile/stacks.h -> compare/pair.h */
#ifndef GATE_PROFILE_STACKS_H
#define GATE_PROFILE_STACKS_H

#include "gate/profile/counts.h"
#include "gate/profile/mix.h"
#include "gate/profile/resample.h"
#include "gate/profile/sample.h"
#include "gate/profile/where.h"

struct gate_stack {
    struct gate_stack_ref ref;
    int64_t value;    /* in the profile's own unit */
    double weight_sq; /* sum of squared weights, the value's unit squared */
};

struct gate_stacks {
    struct gate_stack *items; /* in order of first appearance */
    uint32_t count;
    uint64_t record_count; /* samples that passed the filter */
    int64_t total;         /* sum of value */
    double events;
    double weight_sq;
    double mixed;     /* value of samples that the mix has a part for */
    double valueless; /* events that are counted beside the value, and whose value is 0 */
    bool has_negative;
};

/**
 * Join the records of `profile` by stack. With a `mix` (or NULL) each weighs what it would in that traffic; what is not
 * whole is rounded up or down by a chance that its place in the profile decides, and the variance of that is in
 * weight_sq. With a `resample` (or NULL) the counts of each are drawn anew, before that; what draws none is left out.
 *
 * err    GATE_ERR_OVERFLOW a sum left int64_t; GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of samples). Memory 32 bytes a distinct stack, plus a hash table of 4 to 8 bytes each while it runs.
 */
GATE_MUST_CHECK
bool gate_stacks_collect(struct gate_stacks *out, const struct gate_profile *profile,
                         const struct gate_counts_model *model, const struct gate_label_filter *where,
                         const struct gate_mix *mix, const struct gate_resample *resample, struct gate_arena *arena,
                         struct gate_error *err);

#endif
