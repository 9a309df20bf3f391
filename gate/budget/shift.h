/* SPDX-License-Identifier: Apache-2.0 */
/* Cost that moved instead of growing: into a callee that is now inlined, to a sibling, to a new name.
 * Pipeline: compare/tree.h + budget/decide.h -> budget/shift.h -> budget/verdict.h */
#ifndef GATE_BUDGET_SHIFT_H
#define GATE_BUDGET_SHIFT_H

#include "gate/budget/decide.h"
#include "gate/compare/tree.h"

/** What a search needs; made once a comparison. */
struct gate_shift_search {
    const struct gate_comparison *comparison;
    const struct gate_tree *tree;
    struct gate_evidence_options options; /* of own cost: work_ratio is set */
    uint8_t *marks;                       /* a byte a frame, scratch */
};

/**
 * Whether the growth of `hypothesis` (a single frame, a growth limit) is matched by what frames around it lost. Costs
 * per unit of work are compared, never shares: in shares everything else shrinks when one frame grows.
 *
 * A shift needs a frame at most two callers up that holds most of the grown frame's cost, weighs at most half of the
 * profile, and whose own growth is neither a quarter of the frame's nor significant; and within it frames that shrank
 * significantly (z < -3) by at least half of the growth together.
 * O(nodes + frames * runs of the frames looked at).
 */
bool gate_shift_find(struct gate_shift *out, const struct gate_shift_search *search,
                     const struct gate_hypothesis *hypothesis);

/** A frame that vanished and a new one that stands where it stood. */
struct gate_rename_hint {
    uint32_t gone, fresh;
};

/**
 * Pairs of a frame without canary cost and one without baseline cost, each at least .5 % cumulative, of weights within
 * a factor 1.5, with a common caller and, where either has callees known to both sides, a common callee. Each frame is
 * in one pair at most: the heaviest first.
 */
GATE_MUST_CHECK
bool gate_rename_hints(struct gate_rename_hint **out, uint32_t *count, const struct gate_comparison *comparison,
                       const struct gate_tree *tree, struct gate_arena *arena, struct gate_error *err);

#endif
