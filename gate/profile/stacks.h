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

/** A stack whose ids lie in the profile's bytes, and whose value and weight are a multiple of the units that all stacks
 * have in common: nearly all are like this. */
struct gate_small_stack {
    uint32_t place;        /* in the bytes, less its high eight bits */
    uint32_t len_of_place; /* the ids' length, and under it those eight bits */
    uint32_t times;
};

/** In order of first appearance; read with gate_stacks_at. */
struct gate_stacks {
    struct gate_stack *items;       /* or NULL: all are small */
    struct gate_small_stack *small; /* or NULL */
    const uint8_t *bytes;           /* of the profile */
    int64_t unit;                   /* value of a small stack, once */
    double unit_sq;                 /* and its weight_sq; each multiple of it that there is has no rounding */
    uint32_t count;
    uint64_t record_count; /* samples that passed the filter */
    int64_t total;         /* sum of value */
    double events;
    double weight_sq;
    double mixed;     /* value of samples that the mix has a part for */
    double valueless; /* events that are counted beside the value, and whose value is 0 */
    bool has_negative;
};

static inline struct gate_stack_ref gate_stacks_ref_at(const struct gate_stacks *stacks, uint32_t i) {
    if (stacks->items != NULL)
        return stacks->items[i].ref;
    const struct gate_small_stack *small = &stacks->small[i];
    uint64_t place = small->place | (uint64_t)(small->len_of_place & 0xFF) << 32;
    return (struct gate_stack_ref){stacks->bytes + place, small->len_of_place >> 8};
}

/** Stack number `i` < count. */
static inline struct gate_stack gate_stacks_at(const struct gate_stacks *stacks, uint32_t i) {
    if (stacks->items != NULL)
        return stacks->items[i];
    uint32_t times = stacks->small[i].times;
    return (struct gate_stack){gate_stacks_ref_at(stacks, i), stacks->unit * times, stacks->unit_sq * times};
}

/**
 * Join the records of `profile` by stack. With a `mix` (or NULL) each weighs what it would in that traffic; what is not
 * whole is rounded up or down by a chance that its place in the profile decides, and the variance of that is in
 * weight_sq. With a `resample` (or NULL) the counts of each are drawn anew, before that; what draws none is left out.
 *
 * err    GATE_ERR_OVERFLOW a sum left int64_t; GATE_ERR_LIMIT the arena is full
 *
 * O(bytes of samples). Memory 12 bytes a distinct stack, 32 where one is not small, plus a hash table of 4 to 8 bytes
 * each while it runs.
 */
GATE_MUST_CHECK
bool gate_stacks_collect(struct gate_stacks *out, const struct gate_profile *profile,
                         const struct gate_counts_model *model, const struct gate_label_filter *where,
                         const struct gate_mix *mix, const struct gate_resample *resample, struct gate_arena *arena,
                         struct gate_error *err);

#endif
