/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of cumulative cost: the profiler cut the ends of deep stacks (docs/statistics.md, "Stacks were cut"). */
#ifndef GATE_BUDGET_CUT_STACKS_H
#define GATE_BUDGET_CUT_STACKS_H

#include "gate/budget/reading_state.h"

/**
 * Check a fail by a cumulative cost or a path. The profiler may have cut the function off the baseline's stacks, but
 * not off the canary's, if their depth differs. The cost of the baseline's cut stacks without the function is added to
 * its baseline cost. If it is then within its limit, the fail becomes inconclusive (GATE_REASON_CUT_STACKS).
 * O(locations of all stacks). err: GATE_ERR_LIMIT or GATE_ERR_MEMORY, in `r`.
 */
GATE_MUST_CHECK
bool gate_reading_judge_cut(struct gate_hypothesis *h, struct gate_reading_state *r);

#endif
