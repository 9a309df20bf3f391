/* SPDX-License-Identifier: Apache-2.0 */
/* Two-sample statistics of proportions: pure functions of numbers, no profile in sight.
 * Baseline is side 1, canary is side 2; p = k / n; counts are effective counts and need not be integers.
 * Neighbours: compare/evidence.h applies these to frames. */
#ifndef GATE_COMPARE_STATS_H
#define GATE_COMPARE_STATS_H

#include "gate/compare/student.h"

/** k of n on each side; 0 <= k <= n, n > 0. */
struct gate_counts2 {
    double k1, n1, k2, n2;
};

/**
 * SCAS z of H0: p2 - p1 <= b; positive speaks for more growth than b. 0 where the variance vanishes.
 * -1 < b < 1. Source: Gart & Nam, Biometrics 46 (1990); Laud, Pharm. Stat. 16 (2017). O(1).
 */
double gate_score_z(struct gate_counts2 counts, double b);
/** The same at the change that was measured: not quite 0, where the distribution is skew. Nothing is solved for it. */
double gate_score_z_measured(struct gate_counts2 counts);

/** The restricted maximum-likelihood estimate of p1 under p2 - p1 = b, in [max(0, -b), min(1, 1 - b)]. */
double gate_score_restricted_p1(struct gate_counts2 counts, double b);

/** SCAS z of H0: p2 / p1 <= r; r > 0; defined at k1 = 0. O(1). */
double gate_ratio_z(struct gate_counts2 counts, double r);

/** The restricted estimate of p1 under p2 / p1 = r. */
double gate_ratio_restricted_p1(struct gate_counts2 counts, double r);

/** Interval of p2 - p1 where |z| <= z_critical, by bracketing; within [-1, 1]. */
void gate_score_interval(struct gate_counts2 counts, double z_critical, double *low, double *high);

/** Interval of p2 / p1; high may be INFINITY. */
void gate_ratio_interval(struct gate_counts2 counts, double z_critical, double *low, double *high);

/** The p2 - p1 at which gate_score_z is `z`: one end of an interval. Within [-1, 1]; about 10 tests. */
double gate_score_bound(struct gate_counts2 counts, double z);

/** The p2 / p1 at which gate_ratio_z is `z`; 0 or INFINITY where there is no such ratio. */
double gate_ratio_bound(struct gate_counts2 counts, double z);

/** Skewness-corrected score z of H0: k / n <= p0, 0 < p0 < 1. */
double gate_one_sample_z(double k, double n, double p0);

/** The p0 at which gate_one_sample_z is `z`, within [0, 1]. */
double gate_one_sample_bound(double k, double n, double z);

/**
 * The true growth at which gate_score_z of growth > b is `z` where the measured growth falls short of it by so many
 * standard errors (.84: found four times in five). 1 - p1 where none is found so: more than that
 * there cannot be. About 10 tests.
 */
double gate_detectable_effect(struct gate_counts2 counts, double b, double z, double deviations);

/** What is measured where the true growth is `effect` and falls short by so many standard errors. */
struct gate_counts2 gate_detectable_missed(struct gate_counts2 counts, double effect, double deviations);

/** Wilson interval of k of n at z. */
void gate_wilson_interval(double k, double n, double z, double *low, double *high);

#endif
