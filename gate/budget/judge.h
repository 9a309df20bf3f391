/* SPDX-License-Identifier: Apache-2.0 */
/* What the reports show of every frame, budget or not.
 * Pipeline: compare/evidence.h -> budget/judge.h -> budget/verdict.h */
#ifndef GATE_BUDGET_JUDGE_H
#define GATE_BUDGET_JUDGE_H

#include "gate/budget/verdict.h"

/**
 * Fill frames, by_self, work_ratio and work_is_known of a comparison whose pair, deltas and noise are set. `work`: what
 * each side did, 0 where it was not told; then the ratio is estimated.
 *
 * O(frames log frames + frames * runs).
 */
GATE_MUST_CHECK
bool gate_comparison_judge(struct gate_comparison *comparison, const double work[GATE_SIDES], struct gate_arena *arena,
                           struct gate_error *err);

#endif
