/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of new code: it moved out of functions around it, or had been inlined (docs/statistics.md). */
#ifndef GATE_BUDGET_NEW_CODE_H
#define GATE_BUDGET_NEW_CODE_H

#include "gate/budget/reading_state.h"

/** Return whether a hypothesis is within its limit, or its cost is below min_share, if the canary did `ratio` times the
 * baseline's work. The cost that new code took over from its callers is subtracted. Tests no significance. O(frames)
 * for new code, else O(1). */
bool gate_reading_is_within_at(const struct gate_reading_state *r, const struct gate_hypothesis *h, double ratio);

/**
 * Check a fail of new code, which may be old code under a new name. Either its callers or callees became cheaper, or,
 * with one run per side, a run-time compiler had inlined it. err: GATE_ERR_LIMIT, in `r`. O(nodes * depth).
 */
GATE_MUST_CHECK
bool gate_new_code_judge(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a function that is over its limit only because new code is charged to it. That code may have moved out of
 * functions that it calls. So its cumulative growth (with all that it calls) takes the place of its charged growth. If
 * the function is significantly within the limit by that, a fail or inconclusive growth becomes a warning. If it is
 * within the limit as measured, a fail becomes inconclusive. Does nothing if the function is over the limit without the
 * new code. err: GATE_ERR_LIMIT, in `r`. O(nodes * depth + frames + runs).
 */
GATE_MUST_CHECK
bool gate_new_code_judge_caller(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check growth of new code that is not confirmed. It becomes a warning if its callers became significantly cheaper
 * (one-sided, 5%), and without what they lost it is within the limit as measured. Costs are compared by the work that
 * is known, or estimated. The estimate is not used if the total grew significantly, because it may count that growth as
 * work. By shares alone, it must be significantly within the limit without that; else it stays inconclusive, and its
 * reading names the caller. err: GATE_ERR_LIMIT, in `r`. O(frames + runs).
 */
GATE_MUST_CHECK
bool gate_new_code_excuse(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a pass of a function that the budget names, that only the baseline has, and that had 0.5% of it or more. Of
 * the new functions beneath its callers, one may be the function under another name. So the pass becomes inconclusive
 * if they cost significantly more (one-sided, 5%) than all that are gone there, and by more than the limit. New
 * functions that the budget judges by themselves do not count. Costs are compared per unit of work, second or run if
 * the limit is one on costs, else as shares. Needs the tree, and r->folded. err: GATE_ERR_LIMIT, in `r`.
 *
 * O(nodes log nodes) once for a comparison, O(hypotheses + nodes) for a budget.
 */
GATE_MUST_CHECK
bool gate_new_code_judge_gone(struct gate_hypothesis *h, struct gate_reading_state *r);

/**
 * Check a fail of code without a function name: a binary without symbols has the baseline's code, too. New code becomes
 * inconclusive if it is within its limit without the part that has no name, and the baseline lost at least half as
 * much. A binary's frame on both sides becomes inconclusive if it is within its limit with the named functions that the
 * baseline lost. err: GATE_ERR_LIMIT, in `r`. O(frames).
 */
GATE_MUST_CHECK
bool gate_new_code_judge_nameless(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
