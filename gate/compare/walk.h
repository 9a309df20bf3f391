/* SPDX-License-Identifier: Apache-2.0 */
/* From a stack's location ids to its frames, fast: what every fold and every tree does once per stack slot.
 * Neighbours: compare/frames.h before, compare/pair.h's gate_run_frames is the walk itself. */
#ifndef GATE_COMPARE_WALK_H
#define GATE_COMPARE_WALK_H

#include "gate/compare/pair.h"

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

#endif
