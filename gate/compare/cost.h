/* SPDX-License-Identifier: Apache-2.0 */
/* Cost per unit of work, not share of a total: sees a slow-down that is the same everywhere.
 * Pipeline: compare/delta.h -> compare/cost.h -> budget/verdict.h */
#ifndef GATE_COMPARE_COST_H
#define GATE_COMPARE_COST_H

#include "gate/compare/evidence.h"

/** What each side's values are divided by. */
struct gate_exposure {
    double ratio;                   /* canary / baseline: of work, of seconds, of runs; > 0 */
    const struct gate_noise *noise; /* or NULL: what good runs vary by is not known */
    bool is_per_second;             /* a run's part follows its duration; else all runs of a side did the same work */
};

/**
 * Evidence on the cost of item `item` of `deltas` (NULL: of the side's total) per unit of work. Shares are fractions of
 * the baseline's total cost; the canary's may exceed 1. Counts are Poisson: `dilution` is large, so that the binomial
 * tests of stats.h become tests of two rates. Run-to-run variation comes from replicates, from the differences of pairs
 * where both sides were taken in turn and these agree better, and from a noise model; with one run a side and no model
 * it is assumed, and `variation` says so. O(runs).
 */
struct gate_evidence gate_cost_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                           uint32_t item, enum gate_measure measure,
                                           const struct gate_exposure *exposure);

#endif
