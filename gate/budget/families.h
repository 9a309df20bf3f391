/* SPDX-License-Identifier: Apache-2.0 */
/* Holm's correction: which hypotheses are corrected together. */
#ifndef GATE_BUDGET_FAMILIES_H
#define GATE_BUDGET_FAMILIES_H

#include "gate/budget/hypotheses.h"

/**
 * Fill log_p_adjusted, log_level and family by Holm's correction at `alpha`. Hypotheses that can fail the run are one
 * set, those that can only warn another. In each set, budgets that select frames get half of alpha and budgets on all
 * frames the other half, if both exist. So a budget on one function is not corrected for all frames. Hypotheses on
 * identical sample sets count once and share the adjusted value of the least significant one.
 *
 * spending  of this look: p values and attainable p values are first made sequential (Maurer & Bretz, Stat. Biopharm.
 *           Res. 5 (2013)); log_level is the level of this look
 */
GATE_MUST_CHECK
bool gate_families_adjust(struct gate_hypothesis_list *list, double alpha, const struct gate_spending *spending,
                          struct gate_arena *arena, struct gate_error *err);

#endif
