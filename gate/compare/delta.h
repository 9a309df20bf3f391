/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of each frame on both sides: self, cumulative, charged. */
#ifndef GATE_COMPARE_DELTA_H
#define GATE_COMPARE_DELTA_H

#include "gate/compare/pair.h"

enum GATE_ONE_BYTE gate_measure { GATE_SELF, GATE_CUMULATIVE, GATE_CHARGED, GATE_MEASURES };

const char *gate_measure_name(enum gate_measure measure); /* "self", ...: keys in JSON; static text */

/**
 * Cost of one frame on each side, in the pair's unit.
 *
 * value[GATE_SELF]        stacks whose leaf is this frame
 * value[GATE_CUMULATIVE]  stacks that contain this frame; a recursive stack counts once, so it cannot exceed the total
 * value[GATE_CHARGED]     stacks whose leafmost own-code frame is this frame. Library cost is thus charged to the code
 *                         that called the library. A stack without own code is charged to its root. A stack whose
 *                         leafmost own frame is folded (only one side has it) also counts for the next own frame that
 *                         is not folded, or for pair->one_sided. Like self, the charged values of all frames that are
 *                         not folded add up to the total.
 * set_id                  sum of a random id of each counted stack; equal sums mean equal sample sets
 */
struct gate_delta {
    int64_t value[GATE_MEASURES][GATE_SIDES];
    int64_t folded[GATE_SIDES]; /* part of the charged value whose leafmost own frame is folded */
    uint64_t set_id[GATE_MEASURES];
};

/** Cost of one frame in one run, with the sum of squared weights that its variance needs. */
struct gate_tally {
    int64_t value;
    double weight_sq;
};

/** One delta per frame of the pair. Tallies are [measure][run][frame], baseline runs first. Arena memory. */
struct gate_delta_list {
    struct gate_delta *items;
    uint32_t count;
    uint32_t run_count; /* runs of both sides */
    struct gate_tally *tallies[GATE_MEASURES];
    bool is_own_sum; /* its only item is the sum of charged costs of own functions; it varies like one function */
};

/** Restricts a fold to stacks that contain one of the marked frames. */
struct gate_delta_filter {
    const uint8_t *under; /* one byte per frame, 1 if the frame is marked; NULL: all stacks. Frames above the outermost
                             marked one do not count */
};

/**
 * Fold both sides of `pair` into one delta per frame.
 *
 * out     written on success only
 * filter  NULL: all stacks
 * err     GATE_ERR_OVERFLOW a sum exceeds int64_t
 *
 * O(frames * runs + stack slots). Recursion counts once per stack, as in google/pprof (internal/graph, newGraph).
 */
GATE_MUST_CHECK
bool gate_delta_fold(struct gate_delta_list *out, const struct gate_pair *pair, const struct gate_delta_filter *filter,
                     struct gate_arena *arena, struct gate_error *err);

/**
 * Fold all frames marked in `group` (one byte per frame) as if they were one frame. Self: the leaf is in the group;
 * cumulative: any frame is; charged: the charged frame is. The list has one item; its tallies are [measure][run][1].
 * Errors as gate_delta_fold.
 */
GATE_MUST_CHECK
bool gate_delta_group(struct gate_delta_list *out, const struct gate_pair *pair, const uint8_t *group,
                      const struct gate_delta_filter *filter, struct gate_arena *arena, struct gate_error *err);

/**
 * Return the index in `frames` (leaf first) of the frame that a stack is charged to: the leafmost own-code frame, else
 * the root. `count` > 0. O(count).
 */
uint32_t gate_delta_charged(const struct gate_pair *pair, const uint32_t *frames, uint32_t count);

/** Return the cost of stacks whose leafmost own frame, or root, is this frame, whether it is folded or not. */
static inline int64_t gate_delta_unfolded(const struct gate_delta *delta, int side) {
    return delta->value[GATE_CHARGED][side] - delta->folded[side];
}

static inline const struct gate_tally *gate_tally_at(const struct gate_delta_list *list, enum gate_measure measure,
                                                     uint32_t run, uint32_t frame) {
    return &list->tallies[measure][(size_t)run * list->count + frame];
}

/**
 * Compute the share of each side's cost that is self cost of frames without a name. 0 with GATE_BY_MAPPING, where a
 * frame is a binary. O(frames).
 */
void gate_delta_unnamed(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas);

/**
 * Like gate_delta_unnamed, for the frames without a name that hide functions which should be compared. Frames of the
 * kernel and of the system's shared libraries do not count, because their cost is charged to own code. O(frames * rows
 * of the own-code table).
 */
void gate_delta_hidden(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas);

#endif
