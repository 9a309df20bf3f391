/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of new code: it moved out of functions around it, or had been inlined (docs/statistics.md). */
#ifndef GATE_BUDGET_NEW_CODE_H
#define GATE_BUDGET_NEW_CODE_H

#include "gate/budget/reading_state.h"

/** Return whether a hypothesis is within its limit if the canary did `ratio` times the baseline's work, or has a cost
 * below min_share then; new code without what was moved out of its callers, as measured. O(frames) for new code. */
bool gate_reading_is_within_at(const struct gate_reading_state *r, const struct gate_hypothesis *h, double ratio);

/**
 * Check a fail of new code. It may be old code: that of functions which call it, or which it calls, and which cost less
 * now; or, of one run per side, what a compiler at run time had inlined. err: GATE_ERR_LIMIT, in `r`. O(nodes * depth).
 */
GATE_MUST_CHECK
bool gate_new_code_judge(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check what a function is charged with that new code makes larger than its limit. The new code may have moved out of
 * functions beneath it. So the growth of the function with all that it calls takes the place of its charged growth: if
 * it is within the limit by that as measured, a fail is open; if it surely is, a fail or open growth becomes a warning.
 * Not if its own part is over the limit. err: GATE_ERR_LIMIT, in `r`. O(nodes * depth + frames + runs).
 */
GATE_MUST_CHECK
bool gate_new_code_judge_caller(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check growth of new code that is not confirmed. It is excused if it would be once it is confirmed: what is beyond the
 * limit was moved out of its callers, as measured, and these surely cost less (one-sided, 5%). An estimate of the work
 * excuses nothing if the total surely grew, since it may have taken that for more work. If that is so by shares alone,
 * it stays undecided, and its reading names the caller. err: GATE_ERR_LIMIT, in `r`. O(frames + runs).
 */
GATE_MUST_CHECK
bool gate_new_code_excuse(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
