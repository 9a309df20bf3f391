/* SPDX-License-Identifier: Apache-2.0 */
/* Score tests and confidence intervals for differences and ratios of proportions. */
#ifndef GATE_COMPARE_STATS_H
#define GATE_COMPARE_STATS_H

#include "gate/compare/student.h"

/** k of n on each side; 0 <= k <= n, n > 0. */
struct gate_counts2 {
    double k1, n1, k2, n2;
};

/**
 * Return the SCAS z of H0: p2 - p1 <= b; positive if the growth exceeds b. 0 if the variance is 0. -1 < b < 1. O(1).
 * Source: Gart & Nam, Biometrics 46 (1990); Laud, Pharm. Stat. 16 (2017).
 */
double gate_score_z(struct gate_counts2 counts, double b);

/** Return the same at b = the measured change, without solving for p1. Not exactly 0 if the distribution is skewed. */
double gate_score_z_measured(struct gate_counts2 counts);

/** Return the restricted maximum-likelihood estimate of p1 under p2 - p1 = b, in [max(0, -b), min(1, 1 - b)]. */
double gate_score_restricted_p1(struct gate_counts2 counts, double b);

/** Return the SCAS z of H0: p2 / p1 <= r. r > 0; defined at k1 = 0. O(1). */
double gate_ratio_z(struct gate_counts2 counts, double r);

/** Return the restricted maximum-likelihood estimate of p1 under p2 / p1 = r. */
double gate_ratio_restricted_p1(struct gate_counts2 counts, double r);

/** Compute the interval of p2 - p1 where |z| <= z_critical, within [-1, 1]. */
void gate_score_interval(struct gate_counts2 counts, double z_critical, double *low, double *high);

/** Compute the interval of p2 / p1; `high` may be INFINITY. */
void gate_ratio_interval(struct gate_counts2 counts, double z_critical, double *low, double *high);

/** Return the p2 - p1 at which gate_score_z is `z`: one end of an interval, within [-1, 1]. About 10 tests. */
double gate_score_bound(struct gate_counts2 counts, double z);

/** Return the p2 / p1 at which gate_ratio_z is `z`; 0 or INFINITY if there is no such ratio. */
double gate_ratio_bound(struct gate_counts2 counts, double z);

/** Return the skewness-corrected score z of H0: k / n <= p0, 0 < p0 < 1. */
double gate_one_sample_z(double k, double n, double p0);

/** Return the p0 at which gate_one_sample_z is `z`, within [0, 1]. */
double gate_one_sample_bound(double k, double n, double z);

/**
 * Return the true growth at which gate_score_z of growth > b is `z` if the measured growth falls short of it by
 * `deviations` standard errors (.84: such a growth is found with 80% power). Returns 1 - p1, the maximum, if no growth
 * is found. About 10 tests.
 */
double gate_detectable_effect(struct gate_counts2 counts, double b, double z, double deviations);

/** Return the counts if the true growth is `effect` and the measured one falls short of it by `deviations` standard
 * errors. */
struct gate_counts2 gate_detectable_missed(struct gate_counts2 counts, double effect, double deviations);

/** Compute the Wilson interval of k of n at z. */
void gate_wilson_interval(double k, double n, double z, double *low, double *high);

#endif
