/* SPDX-License-Identifier: Apache-2.0 */
/* How much the whole cost of good runs varies, per unit of work and per second: all over, and between neighbours in
 * time, since a host drifts. Formulas: docs/statistics.md, "Cost per unit of work".
 * Pipeline: compare/pair.h -> compare/drift.h -> compare/noise.h -> compare/cost.h */
#ifndef GATE_COMPARE_DRIFT_H
#define GATE_COMPARE_DRIFT_H

#include "gate/compare/pair_types.h"

/** Standard deviations of the logarithm of a run's cost, beyond sampling; NAN: not known. */
struct gate_drift {
    double apart; /* between any two runs: sqrt(2) of it */
    double near;  /* between neighbours in time; at most `apart` */
};

/** Of the runs of a side, per unit of work or per second; NAN where one of them does not tell it, or there are fewer
 * than three. O(runs^2). */
struct gate_drift gate_drift_estimate(const struct gate_side *side, bool is_per_second);

/**
 * Whether run i of the baseline and run i of the canary are neighbours in time, for every i: sides taken in turn, or at
 * the same time, no further apart than ten times what they took or a quarter of an hour. False where a time is not
 * known. O(runs^2).
 */
bool gate_drift_is_interleaved(const struct gate_side sides[GATE_SIDES]);

/** Whether every run tells its round: then rounds say which runs belong together, whatever their times say. */
bool gate_drift_tells_rounds(const struct gate_side sides[GATE_SIDES]);

/**
 * Put the runs of each side into the order of their rounds, where every run tells one; runs of one round stay in their
 * order. False where they are not pairs: a run without a round, or a round with more runs on one side. O(runs^2).
 */
bool gate_drift_sort_rounds(struct gate_side sides[GATE_SIDES]);

#endif
