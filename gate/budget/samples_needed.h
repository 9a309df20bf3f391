/* SPDX-License-Identifier: Apache-2.0 */
/* How many more runs, or how much longer runs, would decide an undecided hypothesis. */
#ifndef GATE_BUDGET_SAMPLES_NEEDED_H
#define GATE_BUDGET_SAMPLES_NEEDED_H

#include "gate/budget/decide.h"

/** Maximum number of runs per side that is worth recommending. */
#define GATE_SAMPLES_NEEDED_RUNS_MANY 20.0

/** Return whether a decided hypothesis is undecided for lack of samples. */
bool gate_samples_needed_is_open(const struct gate_hypothesis *hypothesis);

/**
 * Return whether to search for the runs that would decide a hypothesis. False for library and runtime frames that the
 * budget does not name and that did not warn.
 */
bool gate_samples_needed_applies(const struct gate_hypothesis *hypothesis);

/** Maximum number of searches per run: each takes 0.1 ms, and a small file can have 40,000 undecided hypotheses. */
#define GATE_SAMPLES_NEEDED_MOST 4096

/**
 * Return how many of `hypotheses`, from the first on, contain at most `*left` that need a search. `*left` is reduced by
 * their number. O(count).
 */
size_t gate_samples_needed_limit(const struct gate_hypothesis *hypotheses, size_t count, size_t *left);

/**
 * Fill settle_factor and longer_factor of a decided hypothesis: the smallest factors on the number of runs, and on
 * their length, that would decide it. It is in 9 of 10 repetitions, if the true shares are the measured ones. 0
 * if nothing is open, or if no factor up to 10,000 suffices.
 *
 * runs   number of runs of each side of the comparison
 *
 * More runs average out run-to-run variation and add degrees of freedom. Longer runs reduce only the sampling error.
 * About 300 tests for an open hypothesis.
 */
void gate_samples_needed_find(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules,
                              const uint32_t runs[GATE_SIDES]);

/** Return the number of runs per side that would decide `hypothesis`; 0: none is known. `runs`: runs per side now. */
double gate_samples_needed_runs(const struct gate_hypothesis *hypothesis, const uint32_t runs[GATE_SIDES]);

/**
 * Return the largest gate_samples_needed_runs of all inconclusive hypotheses, because the run is decided only when all
 * are. Return 0 if there is none, if one needs more than GATE_SAMPLES_NEEDED_RUNS_MANY runs, or if one is about rounds
 * of one process: no number of rounds decides it.
 */
double gate_samples_needed_verdict_runs(const struct gate_hypothesis *hypotheses, size_t count,
                                        const struct gate_comparison *comparisons);

#endif
