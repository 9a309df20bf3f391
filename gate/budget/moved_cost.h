/* SPDX-License-Identifier: Apache-2.0 */
/* Cost that moved instead of growing: into a caller by inlining, to a sibling, or to a new name. */
#ifndef GATE_BUDGET_MOVED_COST_H
#define GATE_BUDGET_MOVED_COST_H

#include "gate/budget/hypotheses.h"
#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"
#include "gate/guards/guard_check.h"

/* ---- shifts ------------------------------------------------------------------------------------------------------ */

/** Return whether the cost of a broken hypothesis of comparison `index` may have moved, which needs a call tree.
 */
bool gate_shift_is_wanted(const struct gate_hypothesis_list *list, const struct gate_rules *rules, uint32_t index);

/**
 * Check the decided hypotheses of comparison `index` again. A broken one whose cost moved gets GATE_REASON_SHIFT and
 * becomes a warning, or inconclusive if it only may have moved, unless its budget has `shift: error`.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(broken * nodes * depth).
 */
GATE_MUST_CHECK
bool gate_shift_apply(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                      const struct gate_comparison *comparison, uint32_t index, const struct gate_tree *tree,
                      struct gate_arena *arena, struct gate_error *err);

#endif
