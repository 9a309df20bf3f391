/* SPDX-License-Identifier: Apache-2.0 */
/* Many tests at once: Holm decides, Benjamini-Hochberg orders the suspects. Pure functions of numbers.
 * Neighbours: compare/comparison.h and budget/hypotheses.h apply these. */
#ifndef GATE_COMPARE_HOLM_H
#define GATE_COMPARE_HOLM_H

#include "gate/base/error.h"

/**
 * Holm's adjusted p values of `count` log-probabilities: adjusted[i] belongs to log_p[i]. A hypothesis that is rejected
 * only where p <= attainable is rejected by chance at a level p with probability min(p, attainable) at most; those are
 * summed, over those not rejected before, where Holm multiplies p by their number; one with attainable < p is never
 * rejected. log_attainable[i] 0 is Holm's own method. `scratch` has room for
 * 2 count indices. Source: Holm, Scand. J. Stat. 6 (1979); Tarone, Biometrics 46 (1990); Westfall & Wolfinger, Am.
 * Stat. 51 (1997). O(count log count).
 */
void gate_holm_adjust(const double *log_p, const double *log_attainable, double *adjusted_log_p, uint32_t *scratch,
                      uint32_t count);

/** log of the largest level p at which min(p, attainable) adds up to at most alpha, itself at most alpha. */
double gate_holm_level(const double *log_attainable, uint32_t *scratch, uint32_t count, double alpha);

/** Benjamini-Hochberg adjusted values, the same way; `scratch` has room for `count`. Source: JRSS B 57 (1995). */
void gate_holm_bh_adjust(const double *log_p, double *adjusted_log_p, uint32_t *scratch, uint32_t count);

/** The same of the `count` smallest of a family, where no other one is below the level that is asked for: an adjusted
 * value is right where it is at most that level, and above it where it is not. */
void gate_holm_bh_adjust_first(const double *log_p, double *adjusted_log_p, uint32_t *scratch, uint32_t count,
                               uint32_t family);

#endif
