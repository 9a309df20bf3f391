/* SPDX-License-Identifier: Apache-2.0 */
/* Two-sample statistics of proportions: pure functions of numbers, no profile in sight.
 * Baseline is side 1, canary is side 2; p = k / n; counts are effective counts and need not be integers.
 * Neighbours: compare/evidence.h applies these to frames. */
#ifndef GATE_COMPARE_STATS_H
#define GATE_COMPARE_STATS_H

#include "gate/base/error.h"

/** k of n on each side; 0 <= k <= n, n > 0. */
struct gate_counts2 {
    double k1, n1, k2, n2;
};

/**
 * SCAS z of H0: p2 - p1 <= b; positive speaks for more growth than b. 0 where the variance vanishes.
 * -1 < b < 1. Source: Gart & Nam, Biometrics 46 (1990); Laud, Pharm. Stat. 16 (2017). O(1).
 */
double gate_score_z(struct gate_counts2 counts, double b);

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
 * Minimum detectable effect at 80 % power: the true growth that a "may grow by at most b" budget would fail four times
 * in five. z_family: critical value of growth > 0 after the family-wise correction; z_margin: of growth > b.
 */
double gate_detectable_effect(struct gate_counts2 counts, double b, double z_family, double z_margin);

/** Upper-tail probability of the standard normal, and its natural logarithm (finite far into the tail). */
double gate_normal_p(double z);
double gate_normal_log_p(double z);
/** z of an upper-tail probability, 0 < p < 1. */
double gate_normal_z(double p);

/** Upper tail of Student's t with `df` degrees (INFINITY: normal), by the incomplete beta (Lentz). */
double gate_student_p(double t, double df);
double gate_student_log_p(double t, double df);
/** t of an upper-tail probability. */
double gate_student_t(double p, double df);

/** Wilson interval of k of n at z. */
void gate_wilson_interval(double k, double n, double z, double *low, double *high);

/**
 * Holm's adjusted p values of `count` log-probabilities: adjusted[i] belongs to log_p[i]. A hypothesis that is rejected
 * only where p <= attainable is rejected by chance at a level p with probability min(p, attainable) at most; those are
 * summed, over those not rejected before, where Holm multiplies p by their number; one with attainable < p is never
 * rejected. log_attainable[i] 0 is Holm's own method. `scratch` has room for
 * 2 count indices. Source: Holm, Scand. J. Stat. 6 (1979); Tarone, Biometrics 46 (1990); Westfall & Wolfinger, Am. Stat.
 * 51 (1997). O(count log count).
 */
void gate_holm_adjust(const double *log_p, const double *log_attainable, double *adjusted_log_p, uint32_t *scratch,
                      uint32_t count);

/** log of the largest level p at which min(p, attainable) adds up to at most alpha, itself at most alpha. */
double gate_holm_level(const double *log_attainable, uint32_t *scratch, uint32_t count, double alpha);

/** Benjamini-Hochberg adjusted values, the same way; `scratch` has room for `count`. Source: JRSS B 57 (1995). */
void gate_bh_adjust(const double *log_p, double *adjusted_log_p, uint32_t *scratch, uint32_t count);

#endif
