/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of one budget, and what would settle those that stay open.
 * Pipeline: budget/families.h -> budget/decide.h, budget/known.h, budget/settle.h -> budget/deciding.h ->
 * budget/verdict.h */
#ifndef GATE_BUDGET_DECIDING_H
#define GATE_BUDGET_DECIDING_H

#include "gate/budget/decide.h"
#include "gate/budget/scope.h"

/**
 * Decide hypotheses of the scope's budget, whose families are known.
 *
 * is_intolerant  something of the comparison is known to have grown (struct gate_decision_rules)
 * settle_left    how many may still be asked what would settle them; what was asked is taken off
 */
void gate_deciding_run(struct gate_hypothesis *hypotheses, size_t count, const struct gate_budget_scope *scope,
                       bool is_intolerant, size_t *settle_left);

#endif
