/* SPDX-License-Identifier: Apache-2.0 */
/* A reading of cumulative cost: the profiler cut the ends of deep stacks (docs/statistics.md, "Stacks were cut"). */
#ifndef GATE_BUDGET_CUT_STACKS_H
#define GATE_BUDGET_CUT_STACKS_H

#include "gate/budget/reading_state.h"

/**
 * Check a fail by a cumulative cost or a path. A function can be missing in the ends that the profiler cut off the
 * baseline's stacks, while the canary's stacks, one frame deeper or less, have it. If it is within its limit together
 * with the cost of the baseline's cut stacks that do not have it, it becomes inconclusive (GATE_REASON_CUT_STACKS).
 * O(locations of all stacks). err: GATE_ERR_LIMIT or GATE_ERR_MEMORY, in `r`.
 */
GATE_MUST_CHECK
bool gate_reading_judge_cut(struct gate_hypothesis *h, struct gate_reading_state *r);

#endif
