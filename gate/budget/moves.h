/* SPDX-License-Identifier: Apache-2.0 */
/* Second thoughts on broken budgets: cost that only moved, frames that were only renamed.
 * Pipeline: budget/decide.h + budget/shift.h -> budget/moves.h -> budget/verdict.h */
#ifndef GATE_BUDGET_MOVES_H
#define GATE_BUDGET_MOVES_H

#include "gate/budget/hypotheses.h"
#include "gate/guards/warnings.h"

/**
 * Look at the decided hypotheses of comparison `index`: a failed one whose cost moved gets GATE_REASON_SHIFT and, unless
 * its budget says `shift: error`, becomes a warning. Likely renames are added as warnings ("renamed").
 *
 * Builds the call tree only when there is something to look for. O(stack slots + failed * nodes).
 */
GATE_MUST_CHECK
bool gate_moves_find(struct gate_hypothesis_list *list, struct gate_warning_list *warnings, bool *raised,
                     const struct gate_rules *rules, const struct gate_comparison *comparison, uint32_t index,
                     struct gate_arena *arena, struct gate_error *err);

#endif
