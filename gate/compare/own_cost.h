/* SPDX-License-Identifier: Apache-2.0 */
/* Share or own cost: how much work the canary did beside the baseline, told or estimated from the profiles.
 * Pipeline: compare/delta.h -> compare/own_cost.h -> compare/comparison.h, budget/decide.h */
#ifndef GATE_COMPARE_OWN_COST_H
#define GATE_COMPARE_OWN_COST_H

#include "gate/compare/delta.h"

/**
 * Work ratio of canary to baseline from the profiles alone: exp of the trimmed mean (30 % each side, weights
 * 1 / (1/k1 + 1/k2)) of ln(canary / baseline) over self frames with >= 10 counts on both sides; that of the totals
 * with fewer than 5 such frames: own cost then says what the share says.
 *
 * is_estimate  false where there were too few frames
 */
GATE_MUST_CHECK
bool gate_own_cost_work_ratio(double *ratio, bool *is_estimate, const struct gate_pair *pair,
                              const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err);

#endif
