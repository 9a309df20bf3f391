/* SPDX-License-Identifier: Apache-2.0 */
/* From a stack's location ids to its frames, fast: what every fold and every tree does once per stack slot.
 * Neighbours: compare/frames.h before, compare/delta.h and compare/tree_growth.h behind. */
#ifndef GATE_COMPARE_WALK_H
#define GATE_COMPARE_WALK_H

#include "gate/compare/pair_types.h"

/** In gate_run.frame_of_id: the location index of an id that is not exactly one frame. */
#define GATE_WALK_LOCATION UINT32_C(0x80000000)

/**
 * Fill run->frame_of_id from its frames: one look-up a slot in place of three. Left NULL, which is slower and no less
 * right, where ids are not dense, stacks are pruned or joined, or indices need more than 31 bits.
 *
 * run   frame_first, frames, prune and joins_equal are final
 * err   GATE_ERR_LIMIT, GATE_ERR_MEMORY
 *
 * 4 bytes an id; O(ids).
 */
GATE_MUST_CHECK
bool gate_walk_prepare(struct gate_run *run, uint32_t frame_count, struct gate_arena *arena, struct gate_error *err);

/**
 * Frames of one stack of a run, leaf first, after drop_frames, skid and ignored frames. `out` has room for
 * pair->max_frames. Returns how many were written; 0 for an empty stack. O(depth).
 */
uint32_t gate_walk_frames(const struct gate_run *run, const struct gate_stack *stack, uint32_t *out);

/** Whether drop_frames takes frames out of a stack of a run. `scratch` has room for pair->max_frames. O(depth). */
bool gate_walk_is_pruned(const struct gate_run *run, struct gate_stack_ref stack, uint32_t *scratch);

/* What a walk that stops early asks of each frame. */
enum { GATE_WALK_ENTERS = 1, GATE_WALK_SKID = 2, GATE_WALK_BEGINS = 4 };

/** Where a walk begins and which frames it may take. */
struct gate_walk {
    const uint8_t *marks; /* a byte a frame of the pair: GATE_WALK_* */
    bool from_leaf;       /* else from the root */
    uint32_t limit;       /* frames of interest; one more is written where the stack goes on */
};

/**
 * Frames of one stack in the walk's order, up to the first that does not enter or lies past the limit; the same frames
 * as gate_walk_frames, but what lies beyond is mostly not even read. None where the walk is from a leaf that does not
 * begin. `out` has room for pair->max_frames.
 *
 * is_whole  the stack ends with the last frame written
 *
 * Returns how many were written. O(frames written), mostly.
 */
uint32_t gate_walk_stack(bool *is_whole, const struct gate_walk *walk, const struct gate_run *run,
                         const struct gate_stack *stack, uint32_t *out);

#endif
