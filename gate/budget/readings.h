/* SPDX-License-Identifier: Apache-2.0 */
/* Other readings of a verdict: a fail or a pass that another reading of the profiles contradicts is inconclusive. */
#ifndef GATE_BUDGET_READINGS_H
#define GATE_BUDGET_READINGS_H

#include "gate/budget/reading_state.h"

/*
 * A share changes if other costs change. If no fact is known that is equal on both sides (compare/cost.h), the
 * decisions on shares are checked against other readings of the profiles (A3 also where a fact is known):
 *
 *   A1  a fail: another function became cheaper, and all others grew by the same factor (GATE_REASON_OTHERS_CHEAPER)
 *   A2  a fail: per run, or per second, the function is within its limit (GATE_REASON_TOTAL_FELL)
 *   A3  a fail: new names replaced others at about the same cost (GATE_REASON_REPLACED)
 *   A4  a fail on allocations since the start, also where the work is known: per run it is within its limit, or beside
 *       what start-up code allocated (GATE_REASON_SINCE_START)
 *   A5  a fail of start-up code, unless each profile is known to be a whole run (GATE_REASON_START_UP) and a side has
 *       more than one (GATE_REASON_ONE_START); and little growth of it that is not confirmed (GATE_REASON_SMALL_START)
 *   A6  a fail on delays: all waiting fell, and what waited elsewhere may wait there (GATE_REASON_WAITING_MOVED); half
 *       of the canary's runs or fewer are over the limit (GATE_REASON_FEW_RUNS); a fail of the runtime under less load
 *       is idle work (GATE_REASON_UNEQUAL_LOAD)
 *   A7  a fail of cumulative cost: the profiler cut that much off the baseline's stacks (GATE_REASON_CUT_STACKS)
 *   B0  others shrank by an estimate of the work, but the total per second surely grew (GATE_REASON_TOTAL_GREW)
 *   B1  "the cost moved": the losers fell by one factor, as in a worker that is always busy (GATE_REASON_SLOWED)
 *
 * Two more readings contradict a pass as a whole; they are guards: estimated_cost (B2) and cost_per_second (B3). Where
 * the work is known, a total that grew fails alone only if both sides had about the same load
 * (GATE_REASON_UNEQUAL_LOAD). With one run per side of a sampler that also counts time in which other programs had the
 * processor, a total never fails alone, and with fewer than five it has to be over its limit by a quarter of it
 * (GATE_REASON_PREEMPTED), and a function of Python only if it is over its limit as a part of its threads, too
 * (GATE_REASON_THREADS). With one run per side of the JVM, growth that is not over its limit in compiled code alone
 * does not fail (GATE_REASON_INTERPRETED). Formulas and what was measured: docs/statistics.md, "Other readings".
 */

/*
 * Budgets with `no_own_caller` pass here if the frame's growth is on stacks of own functions
 * (GATE_REASON_OWN_CALLERS). If the frame is new, replaced nothing, and these functions grew together by more than the
 * limit, they keep a fail from three runs per side on, provided that the growth is significant. Otherwise they are
 * inconclusive. Both have the same reason.
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
