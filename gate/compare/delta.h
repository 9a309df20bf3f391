/* SPDX-License-Identifier: Apache-2.0 */
/* Per-frame change between the two sides of a pair.
 * Pipeline: compare/pair.h -> compare/delta.h -> compare/evidence.h */
#ifndef GATE_COMPARE_DELTA_H
#define GATE_COMPARE_DELTA_H

#include "gate/compare/pair.h"

enum GATE_ONE_BYTE gate_measure { GATE_SELF, GATE_CUMULATIVE, GATE_CHARGED, GATE_MEASURES };

const char *gate_measure_name(enum gate_measure measure); /* "self", ...: keys in JSON; static text */

/**
 * What one frame costs on each side, in the pair's unit.
 *
 * value[GATE_SELF]        stacks whose leaf is this frame
 * value[GATE_CUMULATIVE]  stacks that hold it anywhere; a recursive stack counts once, so it cannot exceed the total
 * value[GATE_CHARGED]     stacks whose leafmost frame of the program's own it is: what libraries cost is charged to the
 *                         code that called them. A stack without a frame of one's own is charged to its root. Like
 * self, it adds up to the total set_id                  sum of a random id of each stack counted: equal sums mean equal
 * sample sets
 */
struct gate_delta {
    int64_t value[GATE_MEASURES][GATE_SIDES];
    uint64_t set_id[GATE_MEASURES];
};

/** The same of one run, with what its variance needs. */
struct gate_tally {
    int64_t value;
    double weight_sq;
};

/** One per frame of the pair; tallies are [measure][run][frame], runs of the baseline first. Arena memory. */
struct gate_delta_list {
    struct gate_delta *items;
    uint32_t count;
    uint32_t run_count; /* of both sides */
    struct gate_tally *tallies[GATE_MEASURES];
};

/** Only stacks that hold one of these frames above the leaf's measure point; NULL `frames`: all. A byte a frame. */
struct gate_delta_filter {
    const uint8_t *under; /* NULL, or 1 for each frame that a stack must hold */
};

/**
 * Fold both sides of `pair` into one delta a frame.
 *
 * out    written only on success
 * err    GATE_ERR_OVERFLOW a sum left int64_t; GATE_ERR_LIMIT the arena is full
 *
 * O(frames * runs + stack slots). The once-a-stack rule is google/pprof's (internal/graph, newGraph).
 */
GATE_MUST_CHECK
bool gate_delta_fold(struct gate_delta_list *out, const struct gate_pair *pair, const struct gate_delta_filter *filter,
                     struct gate_arena *arena, struct gate_error *err);

/**
 * All frames marked in `group` (a byte a frame) as one: self is any of them at the leaf, cumulative any of them
 * anywhere, charged what any of them is charged. The list has one item and its tallies are [measure][run][1].
 */
GATE_MUST_CHECK
bool gate_delta_group(struct gate_delta_list *out, const struct gate_pair *pair, const uint8_t *group,
                      const struct gate_delta_filter *filter, struct gate_arena *arena, struct gate_error *err);

/** Index in a stack's `frames`, leaf first, of the one it is charged to: the leafmost of the program's own, else the
 * root. `count` > 0. O(count). */
uint32_t gate_delta_charged(const struct gate_pair *pair, const uint32_t *frames, uint32_t count);

static inline const struct gate_tally *gate_tally_at(const struct gate_delta_list *list, enum gate_measure measure,
                                                     uint32_t run, uint32_t frame) {
    return &list->tallies[measure][(size_t)run * list->count + frame];
}

#endif
