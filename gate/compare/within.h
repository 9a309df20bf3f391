/* SPDX-License-Identifier: Apache-2.0 */
/* Tests whether a change is within a limit, without computing the interval. */
#ifndef GATE_COMPARE_WITHIN_H
#define GATE_COMPARE_WITHIN_H

#include "gate/compare/evidence.h"
#include "gate/compare/stats.h"

/* ---- bounds of the score test ------------------------------------------------------------------------------------ */

/* Decides many frames that are far from a limit without the score test. */

/**
 * Return whether gate_score_z of growth > b is certainly -z or less. Otherwise the test must be run. Always false if a
 * share is above 1/2 or z is below 1. 0 <= b < 1. O(1), with one square root.
 *
 * The restricted shares lie between the measured shares and shares that are b apart from them. So the variance and
 * skewness of the test have bounds: docs/statistics.md, "What needs no test".
 */
bool gate_score_bounds_below(const struct gate_counts2 *counts, double b, double z);

/* ---- tests against a limit --------------------------------------------------------------------------------------- */

/* Compares an upper bound of compare/evidence.h with a limit by one test instead of about ten, or by none if the limit
 * is far away. */

/** Return whether gate_evidence_upper at `level` is at most `limit`. */
bool gate_within_growth(const struct gate_evidence *evidence, double limit, double level);

/** Return whether gate_evidence_ratio_upper at `level` is at most `limit`. */
bool gate_within_ratio(const struct gate_evidence *evidence, double limit, double level);

/** Return whether gate_evidence_share_upper at `level` is at most `limit`. */
bool gate_within_share(const struct gate_evidence *evidence, double limit, double level);

#endif
