/* SPDX-License-Identifier: Apache-2.0 */
/* What the score test of two proportions has to say, told without it: for the many frames that are far from a limit.
 * Pipeline: compare/stats.h -> compare/score_bounds.h -> compare/within.h */
#ifndef GATE_COMPARE_SCORE_BOUNDS_H
#define GATE_COMPARE_SCORE_BOUNDS_H

#include "gate/compare/stats.h"

/**
 * Whether gate_score_z of growth > b is sure to be -z or less; false where only the test can tell, which it always is
 * where a share is above a half or z below 1. 0 <= b < 1. O(1), with one root.
 *
 * The restricted shares lie between those that were measured and those that are b apart from them, so that the variance
 * and the skewness of the test have bounds: docs/statistics.md, "What needs no test".
 */
bool gate_score_bounds_below(const struct gate_counts2 *counts, double b, double z);

#endif
