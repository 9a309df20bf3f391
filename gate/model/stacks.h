/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct stacks of a profile for one sample type and one label filter, with resampling for simulations. */
#ifndef GATE_MODEL_STACKS_H
#define GATE_MODEL_STACKS_H

#include "gate/base/arena.h"
#include "gate/model/effective_samples.h"
#include "gate/model/labels.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- traffic mix: weights samples by a label, as if a run had had the traffic of another run --------------------- */

/** Weight of the samples that have one value of the label. */
struct gate_mix_part {
    struct gate_str value; /* value of the label */
    double factor;         /* weight of its samples, > 0 */
};

/** A traffic mix. Samples without a part have weight 1. */
struct gate_mix {
    struct gate_str key; /* key of the label */
    const struct gate_mix_part *parts;
    uint32_t count;
};

/* ---- resampling: simulates another run of the same program by drawing new counts for the records of a profile ---- */

/** Expected counts of the new run, and its seed. */
struct gate_resample {
    const float *factors; /* per record, in the order of the profile: expected events / present events */
    uint64_t record_count;
    uint64_t seed; /* equal seeds draw equal runs */
};

/** Return a pseudo-random number in (0, 1) for `index` of the series `seed`. Equal on every machine. */
double gate_resample_uniform(uint64_t seed, uint64_t index);

/** Return a standard normal pseudo-random number for `index` of the series `seed`. */
double gate_resample_normal(uint64_t seed, uint64_t index);

/**
 * Draw Poisson events for record number `record`, which has `events` events. With one seed a larger factor never
 * draws fewer events, so growth is added to the same run. One exception: at an expectation of 30, where a normal
 * approximation takes over. O(1).
 */
double gate_resample_events(const struct gate_resample *resample, uint64_t record, double events);

/**
 * Replace a record's value, events and sum of squared weights by drawn numbers. Returns false if no events were drawn.
 */
bool gate_resample_record(int64_t *value, double *events, double *weight_sq, const struct gate_resample *resample,
                          uint64_t record);

/* ---- distinct stacks: the records of a profile joined by stack, for one sample type and one label filter --------- */

/** One distinct stack. */
struct gate_stack {
    struct gate_stack_ref ref;
    int64_t value;    /* in the profile's unit */
    double weight_sq; /* sum of squared weights, in the value's unit squared */
};

/**
 * Compact form of a stack. Its ids are in the profile's bytes, and its value and weight are `times` the common units
 * of gate_stacks. Nearly all stacks have this form.
 */
struct gate_small_stack {
    uint32_t place;        /* low 32 bits of the offset in the bytes */
    uint32_t len_of_place; /* length of the ids << 8 | bits 32 to 39 of the offset */
    uint32_t times;
};

/**
 * Stacks in order of first appearance. Read them with gate_stacks_next, or if they are not packed, with gate_stacks_at.
 * Stacks of packed samples (model/profile.h) are packed: varints of the offset of the stack in `bytes`, and of `times`.
 * If some stack has no compact form, the value follows instead, and the bytes of `weight_sq`.
 */
struct gate_stacks {
    struct gate_stack *items;       /* NULL: all are in `small` or packed */
    struct gate_small_stack *small; /* NULL: all are in `items` or packed */
    const uint8_t *packed;          /* NULL: not packed */
    size_t packed_len;
    bool packed_is_wide;  /* the packed stacks have values instead of `times` */
    const uint8_t *bytes; /* the profile's bytes */
    size_t bytes_len;
    int64_t unit;   /* value of a small stack with times = 1 */
    double unit_sq; /* weight_sq of a small stack with times = 1; its multiples are exact */
    uint32_t count;
    uint64_t record_count; /* samples that passed the filter */
    int64_t total;         /* sum of all values */
    double events;
    double weight_sq;
    double mixed;     /* sum of the values of samples that the mix has a factor for */
    double valueless; /* events of the count column whose value is 0 */
    bool has_negative;
};

/** Return whether all stacks have the compact form. */
static inline bool gate_stacks_are_small(const struct gate_stacks *stacks) {
    return stacks->packed != NULL ? !stacks->packed_is_wide : stacks->items == NULL;
}

/** Return the ids of stack number `i` < count. They must not be packed. */
static inline struct gate_stack_ref gate_stacks_ref_at(const struct gate_stacks *stacks, uint32_t i) {
    if (stacks->items != NULL)
        return stacks->items[i].ref;
    const struct gate_small_stack *small = &stacks->small[i];
    uint64_t place = small->place | (uint64_t)(small->len_of_place & 0xFF) << 32;
    return (struct gate_stack_ref){stacks->bytes + place, small->len_of_place >> 8};
}

/** Return stack number `i` < count. They must not be packed. */
static inline struct gate_stack gate_stacks_at(const struct gate_stacks *stacks, uint32_t i) {
    if (stacks->items != NULL)
        return stacks->items[i];
    uint32_t times = stacks->small[i].times;
    return (struct gate_stack){gate_stacks_ref_at(stacks, i), stacks->unit * times, stacks->unit_sq * times};
}

/** Position of a walk over stacks. */
struct gate_stacks_walk {
    const struct gate_stacks *stacks;
    uint32_t i;              /* number of the next stack */
    struct gate_wire packed; /* the rest */
};

static inline struct gate_stacks_walk gate_stacks_begin(const struct gate_stacks *stacks) {
    struct gate_wire packed = {stacks->packed, stacks->packed};
    if (stacks->packed != NULL)
        packed.end += stacks->packed_len;
    return (struct gate_stacks_walk){stacks, 0, packed};
}

/** Read a number of packed stacks, which are well formed. */
static inline uint64_t gate_stacks_packed_number(struct gate_stacks_walk *walk) {
    uint64_t number = 0;
    bool ok = gate_wire_varint(&walk->packed, &number);
    GATE_ASSERT(ok);
    return number;
}

/** Read the next stack, all of which have the compact form (gate_stacks_are_small). Returns false at the end. */
static inline bool gate_stacks_next_small(struct gate_stack_ref *ref, uint32_t *times, struct gate_stacks_walk *walk) {
    const struct gate_stacks *stacks = walk->stacks;
    if (walk->i == stacks->count)
        return false;
    if (stacks->packed == NULL) {
        *ref = gate_stacks_ref_at(stacks, walk->i);
        *times = stacks->small[walk->i].times;
    } else {
        *ref = gate_stack_stored(stacks->bytes + gate_stacks_packed_number(walk));
        *times = (uint32_t)gate_stacks_packed_number(walk);
    }
    walk->i++;
    return true;
}

/** Read the next stack. Returns false at the end. */
static inline bool gate_stacks_next(struct gate_stack *stack, struct gate_stacks_walk *walk) {
    const struct gate_stacks *stacks = walk->stacks;
    uint32_t times = 0;
    if (gate_stacks_are_small(stacks)) {
        if (!gate_stacks_next_small(&stack->ref, &times, walk))
            return false;
        stack->value = stacks->unit * times;
        stack->weight_sq = stacks->unit_sq * times;
        return true;
    }
    if (walk->i == stacks->count)
        return false;
    if (stacks->packed == NULL) {
        *stack = stacks->items[walk->i];
    } else {
        stack->ref = gate_stack_stored(stacks->bytes + gate_stacks_packed_number(walk));
        stack->value = (int64_t)gate_stacks_packed_number(walk);
        memcpy(&stack->weight_sq, walk->packed.at, sizeof stack->weight_sq);
        walk->packed.at += sizeof stack->weight_sq;
    }
    walk->i++;
    return true;
}

/** Skip `count` stacks, or all that are left. */
static inline void gate_stacks_skip(struct gate_stacks_walk *walk, uint32_t count) {
    const struct gate_stacks *stacks = walk->stacks;
    struct gate_stack ignored;
    uint32_t left = stacks->count - walk->i;
    if (stacks->packed == NULL)
        walk->i += count < left ? count : left;
    else
        while (count-- > 0 && gate_stacks_next(&ignored, walk))
            ;
}

/**
 * Join the records of `profile` by stack.
 *
 * where      filter; NULL for all samples
 * mix        multiplies each record's value by its factor; NULL for none. Fractions are rounded up or down by a hash
 *            of the record's number; the variance of that is added to weight_sq
 * resample   draws new counts before the mix; NULL for none. Records that draw 0 are left out
 * err        GATE_ERR_OVERFLOW: a sum exceeds int64_t; GATE_ERR_LIMIT: `arena` is full or there are too many stacks
 *
 * O(bytes of samples). Memory: 12 bytes per distinct stack, or 32 if one stack has no compact form; packed 3 to 10, or
 * about 15. A temporary hash table takes 4 to 8 bytes per stack.
 */
GATE_MUST_CHECK
bool gate_stacks_collect(struct gate_stacks *out, const struct gate_profile *profile,
                         const struct gate_counts_model *model, const struct gate_label_filter *where,
                         const struct gate_mix *mix, const struct gate_resample *resample, struct gate_arena *arena,
                         struct gate_error *err);

/* ---- sums of runs ------------------------------------------------------------------------------------------------ */

/** The sum of stacks that are packed and have the same `bytes`. Set `arena` and `scratch`, zero the rest. */
struct gate_stacks_sum {
    struct gate_stacks stacks; /* the result, in `items`, without squared weights */
    struct gate_arena *arena;  /* of `stacks` */
    struct gate_arena *scratch;
    size_t capacity;
    uint32_t *numbers; /* by half the offset of the ids: number of the stack + 1, or 0 */
};

/**
 * Add the stacks of `from`, with values times `ratio`. The sums must fit int64_t. Returns false if an arena is full.
 * O(stacks). Memory: 32 bytes per distinct stack, and in `scratch` twice the length of `bytes`.
 */
GATE_MUST_CHECK
bool gate_stacks_sum_add(struct gate_stacks_sum *sum, const struct gate_stacks *from, int64_t ratio);

#endif
