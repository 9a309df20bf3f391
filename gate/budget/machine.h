/* SPDX-License-Identifier: Apache-2.0 */
/* Readings that blame the machine: it was slower or busier on one side, or had another load (docs/statistics.md). */
#ifndef GATE_BUDGET_MACHINE_H
#define GATE_BUDGET_MACHINE_H

#include "gate/budget/reading_state.h"

/**
 * Check a fail on time if the work is known: the canary's machine may have been slower. The fail becomes inconclusive
 * if the other functions indicate more work than the canary did, and the function is within its limit at that work. The
 * difference must be no more than the total varies between runs (one-sided, 5%). err: GATE_ERR_LIMIT, in `r`. O(frames
 * * runs).
 */
GATE_MUST_CHECK
bool gate_machine_judge_slower(struct gate_hypothesis *h, const struct gate_reading_state *r);

/** Return whether a busy machine may have made costs larger: the profiler counts time without a processor, and a side
 * has one run, or two that were not taken in turn. O(1). */
bool gate_machine_may_be_busy(const struct gate_pair *pair);

/**
 * Check a pass of a function whose share grew, but whose cost per unit of known work did not: the baseline's machine
 * may have been busier. Call it only if the profiler counts time without a processor. The pass becomes inconclusive if
 * all other own functions became cheaper by one factor (one-sided, 5%), and by that factor the function is over its
 * limit. Does nothing with five runs per side, or with two or more taken in turn, because these show how busy the
 * machine was. `r->own` must be set. err: GATE_ERR_LIMIT, in `r`. O(own functions).
 */
GATE_MUST_CHECK
bool gate_machine_judge_busier(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail of a runtime's or library's own function. It becomes inconclusive if the sides had different traffic.
 * Idle work does not shrink with the traffic, so the side with less traffic has a higher cost per unit of work. err:
 * GATE_ERR_LIMIT, in `r`. O(runs).
 */
GATE_MUST_CHECK
bool gate_machine_judge_runtime(struct gate_hypothesis *h, const struct gate_reading_state *r);

/** Check a fail on the delays per second of sides whose load is not known. It becomes inconclusive if the canary waited
 * more often in all functions alike, which shows that it had more load (compare/waits.h). err: GATE_ERR_LIMIT, in `r`.
 * O(1). */
GATE_MUST_CHECK
bool gate_machine_judge_waits(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a total per second of sides that were captured in turn or at the same time. Each profile was requested for the
 * same duration, but on a busy machine a profile ends late. If the durations differ by more than 5%, a pass or fail
 * becomes inconclusive unless the total per run has the same outcome. err: GATE_ERR_LIMIT, in `r`. O(runs).
 */
GATE_MUST_CHECK
bool gate_machine_judge_windows(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail of the total. Unequal load, time without a processor, or delays of fewer than three runs per side make
 * it inconclusive. err: GATE_ERR_LIMIT, in `r`. O(runs).
 */
GATE_MUST_CHECK
bool gate_machine_judge_total(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Check a fail on delays. It becomes inconclusive unless the canary is over the limit in more than half of its runs.
 * While the thread that holds a lock has no processor, all others wait, and one such run can be most of a side's delay.
 * O(runs). err: GATE_ERR_LIMIT, in `r`.
 */
GATE_MUST_CHECK
bool gate_machine_judge_stalled(struct gate_hypothesis *h, const struct gate_reading_state *r);

/**
 * Return the minimum growth of goroutines for a fail, as a fraction of the baseline's total. The length of a queue at
 * one moment is random, so the number must grow 99-fold with one snapshot per side, and 16-fold with two. Returns 0
 * with three, and for other sample types: any significant growth over the limit fails. O(1).
 */
double gate_machine_moment_growth(const struct gate_hypothesis *h, const struct gate_pair *pair);

/** Return the larger of gate_hypothesis_detectable and gate_machine_moment_growth. */
double gate_machine_detectable(const struct gate_hypothesis *h, const struct gate_pair *pair);

/** Make a fail inconclusive if the growth is below gate_machine_moment_growth. O(1). err: GATE_ERR_LIMIT, in `r`. */
GATE_MUST_CHECK
bool gate_machine_judge_moment(struct gate_hypothesis *h, const struct gate_reading_state *r);

#endif
