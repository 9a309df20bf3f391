/* SPDX-License-Identifier: Apache-2.0 */
/* Other readings of the profiles, which contradict a fail or a pass: it becomes inconclusive, or a warning. */
#ifndef GATE_BUDGET_READINGS_H
#define GATE_BUDGET_READINGS_H

#include "gate/budget/reading_state.h"

/*
 * A share changes if other costs change. If no quantity is known to be equal on both sides (compare/cost.h), decisions
 * on shares are checked against other readings of the profiles. A3 is also used if the work is known.
 *
 *   A1  a fail: another function became cheaper, and all others grew by the same factor (GATE_REASON_OTHERS_CHEAPER)
 *   A2  a fail: per run, or per second, the function is within its limit (GATE_REASON_TOTAL_FELL)
 *   A3  a fail: new names replaced others at about the same cost (GATE_REASON_REPLACED). A warning unless the total
 *       grew
 *   A4  a fail on allocations since the start, also if the work is known: it is within its limit per run, or without
 *       the allocations of start-up code (GATE_REASON_SINCE_START)
 *   A5  a fail of start-up code, if the profiles are not known to be whole runs (GATE_REASON_START_UP), or if each
 *       side has one run (GATE_REASON_ONE_START). Little growth that is not confirmed only warns
 *       (GATE_REASON_SMALL_START)
 *   A6  a fail on delays: all waiting fell, and threads that waited elsewhere may now wait here
 *       (GATE_REASON_WAITING_MOVED), or at most half of the canary's runs are over the limit (GATE_REASON_FEW_RUNS).
 *       A fail of the runtime under less load: it may be idle work (GATE_REASON_UNEQUAL_LOAD)
 *   A7  a fail of cumulative cost: the profiler may have cut it off the baseline's stacks (GATE_REASON_CUT_STACKS)
 *   B0  the estimated work excuses growth, but the total per second grew significantly (GATE_REASON_TOTAL_GREW)
 *   B1  "the cost moved": the others fell by one factor, as in a worker that is always busy (GATE_REASON_SLOWED)
 *
 * Two guards contradict a pass of the whole run: estimated_cost (B2) and cost_per_second (B3). If the work is known, a
 * fail of the total needs about the same load on both sides (GATE_REASON_UNEQUAL_LOAD). Some samplers also count time
 * in which other programs had the processor. A total then cannot fail with one or two runs per side. With three or four
 * it must be over its limit by a quarter of it (GATE_REASON_PREEMPTED). With one run of Python per side, a function
 * must also be over its limit as a share of its threads (GATE_REASON_THREADS). With one run of the JVM per side, growth
 * must be over its limit in compiled code alone (GATE_REASON_INTERPRETED). Formulas and measurements:
 * docs/statistics.md, "Other readings".
 */

/*
 * A budget with `no_own_caller` passes here if the frame's growth is on stacks of own functions
 * (GATE_REASON_OWN_CALLERS). It does not pass if the frame is new, replaced nothing, and these functions grew together
 * by more than the limit. A fail then stays if that growth is significant and each side has three runs. Otherwise it is
 * inconclusive, for the same reason.
 */

/**
 * Check the decided hypotheses of comparison `index`, and set outcome, reason and reading of those that another reading
 * contradicts. Hypotheses whose cost moved (budget/moved_cost.h) are already marked.
 *
 * tree  the comparison's call tree by caller; NULL: budgets with `no_own_caller` are not checked
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(frames * runs + failing and excused hypotheses * (own functions + nodes)).
 */
GATE_MUST_CHECK
bool gate_readings_apply(struct gate_hypothesis_list *list, const struct gate_comparison *comparison, uint32_t index,
                         const struct gate_tree *tree, struct gate_arena *arena, struct gate_error *err);

#endif
