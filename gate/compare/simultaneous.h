/* SPDX-License-Identifier: Apache-2.0 */
/* Total cost per second of runs that both sides took at the same time. */
#ifndef GATE_COMPARE_SIMULTANEOUS_H
#define GATE_COMPARE_SIMULTANEOUS_H

#include "gate/compare/pair_types.h"

/** The totals of two sides whose runs cover the same time. */
struct gate_simultaneous {
    double seconds[GATE_SIDES]; /* length of a run, on average */
    double value[GATE_SIDES];   /* total of a run on average, in the pair's unit */
    double ratio;               /* canary / baseline, per second */
    double ratio_bounds[2];     /* its 90% confidence interval */
    double log_p; /* natural logarithm of the one-sided p value of "the canary costs no more per second" */
};

/**
 * Measure the total cost per second of both sides of `pair`.
 *
 * Return false if the runs are not simultaneous: if a run has no time or no duration, or if it has no run of the other
 * side whose window is as long to 5% and overlaps its own window by 90%. A run that was drawn anew from another one has
 * no window of its own.
 *
 * The logarithm of the ratio has the variance 1/k1 + 1/k2 + s²(1/R1 + 1/R2), where k are effective samples and R runs.
 * s² is the variance of a run beyond its samples: 0.10² with the weight of 4 degrees of freedom, and what the runs of
 * a side, or rounds of both sides, differ by. Critical values are those of Student's t with as many degrees of freedom,
 * or of the normal distribution with one run per side.
 *
 * O(runs of the baseline * runs of the canary).
 */
bool gate_simultaneous_measure(struct gate_simultaneous *out, const struct gate_pair *pair);

#endif
