/* SPDX-License-Identifier: Apache-2.0 */
/* Corrections for multiple tests: Holm and Benjamini-Hochberg. All p values are natural logarithms. */
#ifndef GATE_COMPARE_HOLM_H
#define GATE_COMPARE_HOLM_H

#include "gate/base/sort.h"

/**
 * Compute Holm's adjusted p values of `count` hypotheses: adjusted_log_p[i] belongs to log_p[i].
 *
 * log_attainable  largest log p at which hypothesis i can be rejected; 0 for all is Holm's own method
 * scratch         room for 2 * count rows
 *
 * Holm multiplies p by the number of hypotheses not rejected before. Here min(p, attainable) is summed over them
 * instead: it bounds the probability that a hypothesis is rejected by chance at level p. A hypothesis with attainable <
 * p stays in the sum. O(count log count).
 *
 * Source: Holm, Scand. J. Stat. 6 (1979); Tarone, Biometrics 46 (1990); Westfall & Wolfinger, Am. Stat. 51 (1997).
 */
void gate_holm_adjust(const double *log_p, const double *log_attainable, double *adjusted_log_p,
                      struct gate_ranked *scratch, uint32_t count);

/**
 * Return the log of the largest level p <= alpha at which the sum of min(p, attainable) is at most alpha. `scratch` has
 * room for `count` rows.
 */
double gate_holm_level(const double *log_attainable, struct gate_ranked *scratch, uint32_t count, double alpha);

/**
 * Compute Benjamini-Hochberg's adjusted p values of the `count` smallest p values of a family of `family` hypotheses;
 * `scratch` has room for `count` rows. Source: JRSS B 57 (1995).
 *
 * If `count` is less than `family`, the other p values must be above the level of interest. An adjusted value is then
 * exact if it is at most that level, and otherwise also above it.
 */
void gate_holm_bh_adjust(const double *log_p, double *adjusted_log_p, struct gate_ranked *scratch, uint32_t count,
                         uint32_t family);

#endif
