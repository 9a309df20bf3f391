/* SPDX-License-Identifier: Apache-2.0 */
/* Cost per unit of work: the work ratio of the sides, and evidence on total cost and on a frame's own cost. */
#ifndef GATE_COMPARE_COST_H
#define GATE_COMPARE_COST_H

#include "gate/compare/delta.h"
#include "gate/compare/evidence.h"

/* ---- work ratio -------------------------------------------------------------------------------------------------- */

/* Share or own cost: the work of the canary relative to the baseline, estimated from the profiles. */

/**
 * Estimate the canary-to-baseline work ratio from the profiles alone.
 *
 * The estimate is exp of the trimmed mean of ln(canary / baseline) over frames with at least 10 effective counts on
 * both sides. 30% are trimmed at each end; weights are 1 / (1/k1 + 1/k2). With fewer than 5 such frames `ratio` is the
 * ratio of the totals, and own cost then equals the share.
 *
 * is_estimate  false if there were too few frames
 * err          GATE_ERR_LIMIT the arena is full
 */
GATE_MUST_CHECK
bool gate_own_cost_work_ratio(double *ratio, bool *is_estimate, const struct gate_pair *pair,
                              const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err);

/* ---- cost per unit of work --------------------------------------------------------------------------------------- */

/* Unlike a share of the total, cost per unit of work shows a slow-down that is the same everywhere. */

/** The divisor of each side's values. */
struct gate_exposure {
    double ratio;                   /* canary / baseline, of work, seconds or runs; > 0 */
    const struct gate_noise *noise; /* noise model, or NULL */
    bool is_per_second; /* a run's part of the side follows its duration; else its work, or all runs count equally */
};

/**
 * Return evidence on the cost per unit of work of item `item` of `deltas`, or of the side's total if `deltas` is NULL.
 *
 * Shares are fractions of the baseline's total cost, so the canary's may exceed 1. Counts are Poisson: `dilution` is
 * large, so the binomial tests of stats.h become tests of two rates.
 *
 * Run-to-run variation comes from replicates and from a noise model. If runs are interleaved, the differences of pairs
 * replace replicates within sides: always with 3 or more runs per side, with 2 only if pairs agree better. With
 * one run per side and no model it is assumed, and `variation` is GATE_VARIATION_ASSUMED. O(runs).
 */
struct gate_evidence gate_cost_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                           uint32_t item, enum gate_measure measure,
                                           const struct gate_exposure *exposure);

#endif
