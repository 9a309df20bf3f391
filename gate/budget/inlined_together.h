/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of growth in a function that a compiler at run time inlines in some runs only. */
#ifndef GATE_BUDGET_INLINED_TOGETHER_H
#define GATE_BUDGET_INLINED_TOGETHER_H

#include "gate/budget/reading_state.h"

/**
 * Check the growth of a function of the JVM or of JavaScript that is inlined in some runs, or of one into which others
 * are. In such a run its cost is its caller's. It is judged together with its own callers, a few levels up, and with
 * the functions beneath these that are inlined in some runs: where they together, with their variation from run to
 * run, are within the limit and won less than half of what the function won, it is a warning; where they did not
 * surely win half, a fail is open.
 *
 * err: GATE_ERR_LIMIT, in `r`. O(nodes * depth + frames * runs).
 */
GATE_MUST_CHECK
bool gate_reading_judge_inlined_together(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
