/* SPDX-License-Identifier: Apache-2.0 */
/* Readings that blame the machine: it was slower or busier on one side, or had another load (docs/statistics.md). */
#ifndef GATE_BUDGET_MACHINE_H
#define GATE_BUDGET_MACHINE_H

#include "gate/budget/reading_state.h"

/**
 * Check a fail on time by work that is known: the canary's machine may have been slower. That is so if the other
 * functions indicate more work than it did, by no more than the total varies between runs (one-sided, 5%). err:
 * GATE_ERR_LIMIT, in `r`. O(frames * runs).
 */
GATE_MUST_CHECK
bool gate_machine_judge_slower(struct gate_hypothesis *h, const struct gate_reading_state *r);

/** Return whether costs may be those of a busy machine: the profiler counts the time that a thread waits for a
 * processor, and there are at most two runs per side, which were not taken in turn. O(1). */
bool gate_machine_may_be_busy(const struct gate_pair *pair);

/**
 * Check a larger share that work that is known excuses: the baseline's machine may have been busier. That is so if the
 * profiler counts time without a processor, and all other own functions cost less by one factor (one-sided, 5%) with
 * which the share is over its limit. Enough runs, or runs in turn, tell it. `r` has its own functions. err:
 * GATE_ERR_LIMIT, in `r`. O(own functions).
 */
GATE_MUST_CHECK
bool gate_machine_judge_busier(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail of the runtime's or a library's own function: a side with less traffic does as much of its idle work,
 * which is more per unit of work. err: GATE_ERR_LIMIT, in `r`. O(runs).
 */
GATE_MUST_CHECK
bool gate_machine_judge_runtime(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a total per second of captures in turn or at once whose profiles did not last equally long, although the same
 * time was asked for: on a machine with too few processors free, a profile ends late. It is open unless it is on the
 * same side of its limit per run. err: GATE_ERR_LIMIT, in `r`. O(runs).
 */
GATE_MUST_CHECK
bool gate_machine_judge_windows(struct gate_hypothesis *h, const struct gate_reading_state *r);

/** Check a fail of the total: unequal load, or time without a processor, may explain it. As gate_machine_judge_runtime.
 */
GATE_MUST_CHECK
bool gate_machine_judge_total(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
