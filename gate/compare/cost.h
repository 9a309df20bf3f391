/* SPDX-License-Identifier: Apache-2.0 */
/* Cost per unit of work, per second or per run: evidence on total cost and on a frame's own cost. */
#ifndef GATE_COMPARE_COST_H
#define GATE_COMPARE_COST_H

#include "gate/compare/delta.h"
#include "gate/compare/evidence.h"
#include "gate/compare/total_cost.h"

/* ---- cost per unit of work --------------------------------------------------------------------------------------- */

/* Unlike a share of the total, cost per unit of work shows a slow-down that is the same everywhere. */

/** The divisor of each side's values. */
struct gate_exposure {
    double ratio;                   /* canary / baseline, of work, seconds or runs; > 0 */
    const struct gate_noise *noise; /* noise model, or NULL */
    enum gate_equal equal;          /* what costs are divided by: time, work or runs */
};

/**
 * Return evidence on the cost per unit of work of item `item` of `deltas`, or of the side's total if `deltas` is NULL.
 *
 * Shares are fractions of the baseline's total cost, so the canary's may exceed 1. Counts are Poisson: `dilution` is
 * large, so the binomial tests of stats.h become tests of two rates.
 *
 * Run-to-run variation comes from replicates and from a noise model. If runs are interleaved, the differences of pairs
 * replace replicates within sides: always with 3 or more runs per side, with 2 only if pairs agree better. The
 * variation of the total is that of gate_total_cost_run_variance, and the prior of each item's. With one run per side
 * and no model it is assumed, and `variation` is GATE_VARIATION_ASSUMED. O(runs).
 */
struct gate_evidence gate_cost_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                           uint32_t item, enum gate_measure measure,
                                           const struct gate_exposure *exposure);

#endif
