/* SPDX-License-Identifier: Apache-2.0 */
/* Cost that moved instead of growing: into a callee that is now inlined, to a sibling, to a new name.
 * Pipeline: compare/tree.h + budget/hypotheses.h -> budget/shift.h -> budget/verdict.h */
#ifndef GATE_BUDGET_SHIFT_H
#define GATE_BUDGET_SHIFT_H

#include "gate/budget/hypotheses.h"
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
 * per unit of work are compared where the work is known or estimated: in shares everything else shrinks when one frame
 * grows. Shares serve too, since what holds a grown frame f and h of the profile grows by (1 - h) / (1 - f) of its
 * growth at least, which is more than a quarter while it is at most half of the profile.
 *
 * A shift needs a frame at most two callers up that holds most of the grown frame's cost, weighs at most half of the
 * profile, and whose own growth is neither a quarter of the frame's nor significant; and within it frames that shrank
 * significantly (z < -3) by at least half of the growth together.
 * O(nodes + frames * runs of the frames looked at).
 */
bool gate_shift_find(struct gate_shift *out, const struct gate_shift_search *search,
                     const struct gate_hypothesis *hypothesis);

/** Whether a failed or broken hypothesis of comparison `index` might be a shift: only then is a call tree worth its
 * cost. */
bool gate_shift_is_wanted(const struct gate_hypothesis_list *list, const struct gate_rules *rules, uint32_t index);

/**
 * Look at the decided hypotheses of comparison `index` again: a broken one whose cost moved gets GATE_REASON_SHIFT and,
 * unless its budget says `shift: error`, becomes a warning. O(broken * nodes).
 */
GATE_MUST_CHECK
bool gate_shift_apply(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                      const struct gate_comparison *comparison, uint32_t index, const struct gate_tree *tree,
                      struct gate_arena *arena, struct gate_error *err);

#endif
