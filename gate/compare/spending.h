/* SPDX-License-Identifier: Apache-2.0 */
/* A level that is spent over several looks at growing data: pure functions of numbers.
 * Neighbours: compare/student.h below, compare/looks.h above. Reasons: docs/statistics.md, "Looking more than once". */
#ifndef GATE_COMPARE_SPENDING_H
#define GATE_COMPARE_SPENDING_H

#include "gate/base/error.h"

/** No more looks than this. */
#define GATE_SPENDING_LOOKS_MAX 64u

enum { GATE_SPENDING_NODES = 40 };

/** One look: what a p value of now is worth over all looks so far. Zeroed: the only look there is. */
struct gate_spending {
    double t;                         /* information now, of what there can be; 0: one look is all there is */
    double loss[GATE_SPENDING_NODES]; /* log(spent so far / nominal level), at certain total levels */
};

/**
 * log of what is spent of a total level by information `t`, 0 < t <= 1: the level times t^3. Boundaries are nearly
 * those of O'Brien & Fleming, and hypotheses spend together what the sum of their levels would. Source: Lan & DeMets,
 * Biometrika 70 (1983); Kim & DeMets, Biometrika 74 (1987).
 */
double gate_spending_spent(double log_total, double t);

/**
 * The last of `count` looks at information t[0] < t[1] < … <= 1. No looks, or one at 1, is the only look.
 *
 * err   GATE_ERR_INPUT information that does not grow, or is not within 0 and 1; GATE_ERR_LIMIT too many looks
 *
 * The boundaries are found by recursive numerical integration (Armitage, McPherson & Rowe, JRSS A 132 (1969)), for as
 * many totals as there are nodes; exact to 1e-4 of a level. About a millisecond a look.
 */
GATE_MUST_CHECK
bool gate_spending_begin(struct gate_spending *out, const double *t, uint32_t count, struct gate_error *err);

/** Then, where this look has none of the samples of those before: the level is what was spent since the last one. */
void gate_spending_begin_alone(struct gate_spending *spending, const double *t, uint32_t count);

/** log of the p value that this look needs when `log_total` is what all looks may spend together. */
double gate_spending_nominal(const struct gate_spending *spending, double log_total);

/**
 * The other way round, a sequential p value: log of the least total level with which a p value of this look is small
 * enough (Liu & Anderson, Stat. Med. 27 (2008)). 0 where that is above 1/2. The only look: the p value, bit for bit.
 */
double gate_spending_total(const struct gate_spending *spending, double log_p);

#endif
