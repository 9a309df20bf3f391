/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a series of levels rises, and by how much: Theil and Sen's slope, the Mann-Kendall test, and what is left of
 * both without the largest step. Pure functions of numbers. docs/statistics.md has the reasons and what was measured.
 * Pipeline: compare/series.h -> compare/trend.h -> budget/trend_decide.h */
#ifndef GATE_COMPARE_TREND_H
#define GATE_COMPARE_TREND_H

#include "gate/compare/kendall.h"

/** A slope and its interval; -INFINITY and INFINITY where too few pairs bound it. */
struct gate_trend_slope {
    double slope; /* the median of the slopes of all pairs */
    double low, high;
    uint32_t pairs;
};

/** All of it arena memory or by value. */
struct gate_trend_fit {
    uint32_t count;
    struct gate_trend_slope whole;  /* of all pairs of points */
    struct gate_trend_slope within; /* of the pairs that do not span the largest step */
    double intercept;               /* y at x = 0: the median of what is left of the slope */
    double s, log_p;                /* Mann-Kendall: a rise */
    double log_p_least;             /* the least that these values could have, in whatever order */
    double serial;                  /* serial correlation of what is left, that the test and the intervals allow for */
    double log_p_drift;             /* where it does: of the mean of the differences */
    double inflation;               /* by this factor of the variance; 1: none was found */
    bool is_exact;
    uint32_t step_at;     /* the first point behind the largest step */
    double step;          /* the median from there on, less the median before */
    double residual;      /* absolute deviations from the line, their sum */
    double step_residual; /* and from the two levels of the step */
};

/**
 * Fit a series.
 *
 * x      strictly ascending
 * count  >= 2
 * level  of one end of the intervals: .05 makes intervals of 90 %
 * err    the arena is full
 *
 * Sources: Theil, Proc. Kon. Ned. Akad. 53 (1950); Sen, JASA 63 (1968); Mann, Econometrica 13 (1945); Kendall, Rank
 * Correlation Methods (1975); Hirsch, Slack & Smith, Water Resour. Res. 18 (1982); Hamed & Rao, J. Hydrol. 204 (1998).
 * O(count^2 log count).
 */
GATE_MUST_CHECK
bool gate_trend_fit(struct gate_trend_fit *out, const double *x, const double *y, uint32_t count, double level,
                    struct gate_arena *arena, struct gate_error *err);

/** The median; `values` are put in order. `count` > 0. */
double gate_trend_median(double *values, uint32_t count);

/** The least points with which `hypotheses` of one family can be shown at `alpha`: m / n! <= alpha. */
uint32_t gate_trend_points_needed(uint32_t hypotheses, double alpha);

#endif
