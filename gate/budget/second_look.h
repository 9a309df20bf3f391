/* SPDX-License-Identifier: Apache-2.0 */
/* Second thoughts on what was decided, which take a call tree: cost that only moved, functions that were only renamed.
 * Pipeline: budget/hypotheses.h -> budget/shift.h + budget/renamed.h -> budget/second_look.h -> budget/verdict.h */
#ifndef GATE_BUDGET_SECOND_LOOK_H
#define GATE_BUDGET_SECOND_LOOK_H

#include "gate/budget/hypotheses.h"
#include "gate/compare/tree.h"
#include "gate/guards/warnings.h"

/** Of the trees here and in budget/cause.h: lighter paths are not followed. */
#define GATE_SECOND_LOOK_MIN_SHARE 0.002

/**
 * Look at comparison `index` again: broken hypotheses whose cost moved become warnings, likely renames are warned of.
 *
 * tree  the comparison's call tree where one was made, else NULL
 *
 * Makes the tree only when there is something to look for, of the finer one that stays with the comparison, of which
 * flame graphs are made too (budget/tree_ahead.h). O(stack slots + broken * nodes).
 */
GATE_MUST_CHECK
bool gate_second_look(const struct gate_tree **tree, struct gate_hypothesis_list *list,
                      struct gate_warning_list *warnings, bool *raised, const struct gate_rules *rules,
                      struct gate_comparison *comparison, uint32_t index, struct gate_arena *arena,
                      struct gate_error *err);

#endif
