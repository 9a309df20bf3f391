/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of an interval in a third of the tests: from a guess, where compare/stats.h knows nothing but the ends. Of the
 * intervals that reports tell; what decides takes those of stats.h.
 * Pipeline: compare/stats.h -> compare/score_near.h -> compare/evidence.h */
#ifndef GATE_COMPARE_SCORE_NEAR_H
#define GATE_COMPARE_SCORE_NEAR_H

#include "gate/compare/stats.h"

/** How exact a bound is, as a part of its distance from what was measured: to be rounded, or to all its digits. */
#define GATE_SCORE_NEAR_ROUNDED 1e-12
#define GATE_SCORE_NEAR_WHOLE 1e-17

/**
 * The p2 - p1 at which gate_score_z is `z`: gate_score_bound from Newcombe's interval on, in three tests or four. Of
 * few samples, and near the ends, it is gate_score_bound itself.
 */
double gate_score_near(struct gate_counts2 counts, double z, double precision);

#endif
