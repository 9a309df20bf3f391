/* SPDX-License-Identifier: Apache-2.0 */
/* Inlining by a compiler at run time as the reason of a fail; methods that are still interpreted. */
#ifndef GATE_BUDGET_INLINING_H
#define GATE_BUDGET_INLINING_H

#include "gate/budget/reading_state.h"

/**
 * Check a fail of a function of one run per side: a compiler at run time inlines it in one run and not in the next, so
 * that its cost is that of functions around it. It is open if these lost much of what it won; a ratio already if they
 * had as much, since many times the share says little then, unless they grew by more than the limit, too.
 * err: GATE_ERR_LIMIT, in `r`. O(nodes * depth).
 */
GATE_MUST_CHECK
bool gate_reading_judge_inlined(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check the growth of a function of the JVM or of JavaScript that is inlined in some runs, of any number, or into which
 * others are. It is judged together with those beneath it that are inlined in some runs and, if it is one of these
 * itself, with its own callers, a few levels up, and those beneath them. Where they together, with their variation from
 * run to run, are within the limit and won at most half of what the function won, it is a warning; where they did not
 * surely win half, a fail is open. A function of the JVM that is open is judged so, too, with those whose samples it
 * may have (compare/misplaced.h), if the work is known or others tell it. err: GATE_ERR_LIMIT, in `r`. O(nodes * (depth
 * + runs) + frames * runs).
 */
GATE_MUST_CHECK
bool gate_reading_judge_inlined_together(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail of a function in recordings of a JVM that misplace samples of inlined methods (compare/misplaced.h). It
 * is open if most of what it won is at the leaves of compiled methods, and these, with the methods around them, did not
 * win half of that together. err: GATE_ERR_LIMIT, in `r`. O(misplaced costs + nodes * depth).
 */
GATE_MUST_CHECK
bool gate_reading_judge_misplaced(struct gate_hypothesis *h, const struct gate_reading_state *r);

/** Check a fail of a function whose samples the profiler may have named by chance (gate_guards_names_are_random). */
GATE_MUST_CHECK
bool gate_reading_judge_inlined_names(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail of one run per side of the JVM: in compiled code alone, a function may not be surely over its limit, and
 * the total within it. A method that is interpreted costs many times as much, and which ones are compiled yet differs
 * from run to run. err: GATE_ERR_LIMIT, in `r`. O(frames).
 */
GATE_MUST_CHECK
bool gate_reading_judge_interpreted(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
