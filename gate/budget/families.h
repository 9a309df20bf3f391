/* SPDX-License-Identifier: Apache-2.0 */
/* Which hypotheses are corrected together, and Holm's correction over those that may fail the run.
 * Pipeline: budget/hypotheses.h + compare/holm.h -> budget/families.h -> budget/verdict.h */
#ifndef GATE_BUDGET_FAMILIES_H
#define GATE_BUDGET_FAMILIES_H

#include "gate/budget/hypotheses.h"

/**
 * Fill log_p_adjusted, log_level and family: Holm at `alpha` over the hypotheses in the family that can fail the run,
 * and apart from them over those that can only warn. Budgets that name what they mean have one half of alpha, those
 * that look at everything the other, where there are both: who asks for one function does not pay for hundreds.
 * Hypotheses on identical sample sets count once and share the adjusted value; the weakest of them speaks for all.
 *
 * spending  of this look: every p value, and what is attainable, is made a sequential one before (Maurer & Bretz, Stat.
 *           Biopharm. Res. 5 (2013)); log_level is that of this look
 */
GATE_MUST_CHECK
bool gate_families_adjust(struct gate_hypothesis_list *list, double alpha, const struct gate_spending *spending,
                          struct gate_arena *arena, struct gate_error *err);

#endif
