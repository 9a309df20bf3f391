/* SPDX-License-Identifier: Apache-2.0 */
/* How much each own function grew, and the common factor by which the others grew. */
#ifndef GATE_COMPARE_OWN_GROWTH_H
#define GATE_COMPARE_OWN_GROWTH_H

#include "gate/compare/delta.h"

/*
 * If one function became slower or faster, all others did their work as before. The factor by which their costs changed
 * together is then the work of the canary over that of the baseline. Formulas: docs/statistics.md, "Other readings".
 */

/** The growth of one own function. */
struct gate_own_growth_item {
    uint32_t frame;
    double counts[GATE_SIDES]; /* effective samples charged to it */
    double event[GATE_SIDES];  /* value of one of them */
    double x;                  /* ln(canary / baseline) of its cost */
    double v;                  /* variance of x: from sampling and from run to run */
};

/** Own functions with enough samples, in the order of the frame table. */
struct gate_own_growth {
    struct gate_own_growth_item *items;
    uint32_t count;
};

/** The factor by which a set of functions grew together. */
struct gate_common_factor {
    double m;       /* weighted mean of x */
    double q;       /* chi-square around it, with count - 1 degrees of freedom */
    double weight;  /* sum of 1 / v; 1 / weight is the variance of m */
    uint32_t count; /* functions in the set */
};

/** Functions with at least this many samples on both sides together take part in readings of a verdict. */
#define GATE_OWN_GROWTH_COUNTS 20.0

/**
 * Collect the own functions of both sides that have at least `counts` effective samples on both sides together, and at
 * least `each` on either side. If there is no own code, all functions but those of the runtime count as own. There are
 * no items if a side's events cannot be counted. `is_folded`: also count the cost of functions which only one side has,
 * as far as it is charged to the item's function.
 * err: GATE_ERR_LIMIT. O(frames * runs).
 */
GATE_MUST_CHECK
bool gate_own_growth_collect(struct gate_own_growth *out, const struct gate_pair *pair,
                             const struct gate_delta_list *deltas, double counts, double each, bool is_folded,
                             struct gate_arena *arena, struct gate_error *err);

/**
 * Copy `growth` to `out`. One item of the frame `as`, with the sum of their counts, replaces the items in `marks` (a
 * byte per frame). If none is marked, there is no such item. err: GATE_ERR_LIMIT. O(items).
 */
GATE_MUST_CHECK
bool gate_own_growth_merge(struct gate_own_growth *out, const struct gate_own_growth *growth,
                           const struct gate_pair *pair, const uint8_t *marks, uint32_t as, struct gate_arena *arena,
                           struct gate_error *err);

/** Return the common factor of all items except `left_out`, an index in `items` or GATE_NO_INDEX. O(items). */
struct gate_common_factor gate_own_growth_factor(const struct gate_own_growth *growth, uint32_t left_out);

/** Like gate_own_growth_factor, for the items that are in `marks` (a byte per frame), or that are not. O(items). */
struct gate_common_factor gate_own_growth_factor_of(const struct gate_own_growth *growth, const uint8_t *marks,
                                                    bool is_marked, uint32_t left_out);

/** Return the index of the item without which the others agree best, or GATE_NO_INDEX if there is none. Sets `*factor`
 * to the factor of the others. O(items). */
uint32_t gate_own_growth_odd(struct gate_common_factor *factor, const struct gate_own_growth *growth);

/** Return the 95% quantile of chi-square, approximately (Wilson and Hilferty, PNAS 17 (1931)). */
double gate_chi_square_95(double df);

/** Return the index of a frame's item, or GATE_NO_INDEX. O(items). */
uint32_t gate_own_growth_find(const struct gate_own_growth *growth, uint32_t frame);

/** Return whether the common factor of `count` functions is an estimate of the work: there are at least 3, and its
 * logarithm is known to within ±0.35. */
bool gate_own_growth_estimates_work(uint32_t count, const struct gate_common_factor *factor);

/* ---- estimates --------------------------------------------------------------------------------------------------- */

/** The work of the canary over that of the baseline, estimated from own functions. */
struct gate_estimated_work {
    double ratio;      /* without an estimate the ratio of the totals, so that own cost equals the share */
    bool is_estimate;  /* false: too few functions */
    bool is_contested; /* the functions that were left out agree on another ratio, and weigh as much as the others */
};

/** Estimate the work of the canary over that of the baseline: exp of the common factor of own functions with at least
 * 10 samples on each side. The function that disagrees most is left out. While the others still disagree (chi-square,
 * 5%), the next one is left out, too, up to four in ten. With fewer than 5 such functions there is no estimate. */
GATE_MUST_CHECK
bool gate_own_growth_work_ratio(struct gate_estimated_work *out, const struct gate_pair *pair,
                                const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err);

/** Total cost per estimated unit of work. */
struct gate_estimated_cost {
    double ratio; /* canary / baseline */
    double low;   /* its one-sided 95% lower bound */
};

/**
 * Estimate the total cost per unit of work from the other functions. `*is_known`: false with fewer than 3
 * own functions, or if the factor is not known to within ±0.35. err: GATE_ERR_LIMIT.
 */
GATE_MUST_CHECK
bool gate_own_growth_cost(struct gate_estimated_cost *out, bool *is_known, const struct gate_pair *pair,
                          const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err);

#endif
