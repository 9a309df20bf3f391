/* SPDX-License-Identifier: Apache-2.0 */
/* From budgets, each decided, to the one outcome of a run.
 * Pipeline: budget/finding.h + rules/on_inconclusive.h -> budget/verdict_outcome.h -> budget/verdict.h */
#ifndef GATE_BUDGET_VERDICT_OUTCOME_H
#define GATE_BUDGET_VERDICT_OUTCOME_H

#include "gate/budget/finding.h"

/** The worst of the budgets, warnings aside; `is_raised`: the sides cannot be compared. An inconclusive run ends as the
 * rules say. */
enum gate_outcome gate_verdict_outcome(const struct gate_budget_result *budgets, uint32_t count,
                                       enum gate_on_inconclusive on_inconclusive, bool is_raised);

#endif
