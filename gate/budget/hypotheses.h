/* SPDX-License-Identifier: Apache-2.0 */
/* Every (budget, frame, limit) of a run.
 * Pipeline: budget/select.h + compare/evidence.h -> budget/hypotheses.h -> budget/families.h */
#ifndef GATE_BUDGET_HYPOTHESES_H
#define GATE_BUDGET_HYPOTHESES_H

#include "gate/budget/decide.h"
#include "gate/budget/scope.h"

/**
 * In the order of budgets, then frames, then limits. Arena memory.
 *
 * A frame that a limit does not look at for how its counts happen to be split between the sides (too small in the
 * canary, not new) could have failed with another split. Such `unseen` hypotheses are neither decided nor reported, but
 * the correction is over them too: else it would be over those alone that grew by chance.
 */
struct gate_hypothesis_list {
    struct gate_hypothesis *items;
    size_t count, capacity;
    struct gate_hypothesis *unseen;
    size_t unseen_count, unseen_capacity;
};

/**
 * Append the hypotheses of one budget, untested pieces included; `*matched` counts the frames that it selects (the
 * group counts once). Frames below min_share on both sides and limits that do not apply to a frame are left out.
 *
 * err   GATE_ERR_CONFIG a pattern that is too hard; GATE_ERR_OVERFLOW, GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_hypotheses_collect(struct gate_hypothesis_list *list, uint32_t *matched,
                             const struct gate_budget_scope *scope, struct gate_arena *arena, struct gate_error *err);

#endif
