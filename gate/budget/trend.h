/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of `trend`. */
#ifndef GATE_BUDGET_TREND_H
#define GATE_BUDGET_TREND_H

#include "gate/base/arena.h"
#include "gate/budget/outcome.h"
#include "gate/budget/plan.h"
#include "gate/budget/trend_replaced.h"
#include "gate/compare/delta.h"

/* ---- Kendall's S ------------------------------------------------------------------------------------------------- */

/* The Mann-Kendall statistic S: the number of later points that are larger than an earlier one, minus the number that
 * are smaller. Its distribution in a series without trend gives the p value. */

/** S of one or more segments; points are compared within their segment only (Hirsch, Slack & Smith 1982). */
struct gate_kendall {
    double s;
    double most;     /* maximum of S over all orders of these values */
    double variance; /* variance of S in a random order, with ties (Kendall 1975) */
    bool is_exact;   /* `chances` is set */
    double *chances; /* probabilities of S = `most`, `most` - 2, ...; arena memory */
    uint32_t chance_count;
};

/** Start without values: S is 0 with probability 1. */
GATE_MUST_CHECK
bool gate_kendall_begin(struct gate_kendall *out, struct gate_arena *arena, struct gate_error *err);

/** Add a segment with its values in time order. Ties add nothing to S. O(count^2), or O(count^4) if half of up to 30
 * values are ties. */
GATE_MUST_CHECK
bool gate_kendall_add(struct gate_kendall *kendall, const double *values, uint32_t count, struct gate_arena *arena,
                      struct gate_error *err);

/**
 * Return the log of the probability of S >= `s` in a random order. `inflation` (>= 1) multiplies the variance to allow
 * for serial correlation. Above 1, the result is the larger of the exact p value and the normal approximation with
 * `inflation`.
 */
double gate_kendall_log_p(const struct gate_kendall *kendall, double s, double inflation);

/** Return the smallest S whose p value (gate_kendall_log_p) is at most `level`, or INFINITY if there is none. */
double gate_kendall_critical(const struct gate_kendall *kendall, double level, double inflation);

/* ---- trend of a series ------------------------------------------------------------------------------------------- */

/* Whether a series rises, and by how much: Theil-Sen slope and Mann-Kendall test, with and without the largest step.
 * Pure functions of numbers. Reasons and measurements: docs/statistics.md, "Trends". */

/** A slope and its interval; -INFINITY and INFINITY if there are too few pairs for a bound. */
struct gate_trend_slope {
    double slope; /* median of the slopes of all pairs of points */
    double low, high;
    uint32_t pairs;
};

/** The fitted trend. */
struct gate_trend_fit {
    uint32_t count;
    struct gate_trend_slope whole;  /* from all pairs of points */
    struct gate_trend_slope within; /* from the pairs on one side of the largest step */
    double intercept;               /* y at x = 0: the median of the residuals */
    double s, log_p;                /* Mann-Kendall test of a rise */
    double log_p_least;             /* smallest p value that these values could have in any order */
    double serial;      /* lag-1 correlation of the residuals that the test and the intervals allow for; 0: none */
    double log_p_drift; /* if `serial` > 0: p value of a rise by the mean of the differences */
    double inflation;   /* factor of the variance that allows for it; 1: no correlation found */
    bool is_exact;
    uint32_t step_at;     /* first point after the largest step */
    double step;          /* median from there on minus the median before */
    double residual;      /* sum of absolute deviations from the line */
    double step_residual; /* sum of absolute deviations from the two levels of the step */
};

/**
 * Fit a series.
 *
 * x      strictly ascending
 * count  >= 2
 * level  of one end of the intervals: .05 gives 90% intervals
 *
 * Sources: Theil, Proc. Kon. Ned. Akad. 53 (1950); Sen, JASA 63 (1968); Mann, Econometrica 13 (1945); Kendall, Rank
 * Correlation Methods (1975); Hirsch, Slack & Smith, Water Resour. Res. 18 (1982); Hamed & Rao, J. Hydrol. 204 (1998).
 * O(count^2 log count).
 */
GATE_MUST_CHECK
bool gate_trend_fit(struct gate_trend_fit *out, const double *x, const double *y, uint32_t count, double level,
                    struct gate_arena *arena, struct gate_error *err);

/** Return the median. Reorders `values`; `count` > 0. */
double gate_trend_median(double *values, uint32_t count);

/** Return the minimum number of points for significance of `hypotheses` of one family at `alpha`: m / n! <= alpha. */
uint32_t gate_trend_points_needed(uint32_t hypotheses, double alpha);

/* ---- series of builds -------------------------------------------------------------------------------------------- */

/* The level of a frame, or of the total, at each accepted build: runs in, one number per build out. */

/** Divisor that makes runs of different length and load comparable. */
enum gate_series_scale {
    GATE_SERIES_LEVEL,      /* the value itself, for memory in use and the like */
    GATE_SERIES_PER_WORK,   /* per unit of work, if every run has work */
    GATE_SERIES_PER_SECOND, /* totals without work, if every run has a duration */
    GATE_SERIES_SHARE,      /* frames without work: share of the run's total */
    GATE_SERIES_NONE        /* totals with neither work nor duration: not comparable */
};

/** One number per point: the mean, minimum and maximum over its runs. */
struct gate_series {
    double *y, *low, *high;
    uint32_t count;
    double median;
};

/** Return the scale for frames of the baseline's runs, or for their totals if `is_total`. O(runs). */
enum gate_series_scale gate_series_scale_of(const struct gate_pair *pair, bool is_total);

/** Compute the series of item `item` of `deltas`, or of the totals if `item` is GATE_NO_INDEX. `scale` must not be
 * GATE_SERIES_NONE. O(runs + points log points). */
GATE_MUST_CHECK
bool gate_series_make(struct gate_series *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                      enum gate_measure measure, uint32_t item, enum gate_series_scale scale,
                      const struct gate_series_point *points, uint32_t count, struct gate_arena *arena,
                      struct gate_error *err);

/* ---- one series under a limit ------------------------------------------------------------------------------------ */

/* Pure functions of a fit and the levels of the rules. */

/** Reason of the outcome of a series. */
enum gate_trend_reason {
    GATE_TREND_WITHIN,         /* the upper end of the slope's interval is within the limit */
    GATE_TREND_UNSEEN,         /* the upper end of the slope's interval is below max_mde */
    GATE_TREND_OVER,           /* it rises by more than the limit, even without its largest step */
    GATE_TREND_SEVERITY_WARN,  /* like GATE_TREND_OVER, with severity "warn" */
    GATE_TREND_STEP,           /* without a large step it is within the limit; a warning */
    GATE_TREND_STEP_OR_SLOPE,  /* it rises by more than the limit; step or slope is undecided */
    GATE_TREND_TOO_FEW_POINTS, /* fewer than 5 points, or too few for significance in a family of this size */
    GATE_TREND_UNCERTAIN,      /* the limit is inside the interval, or the rise is not significant */
    GATE_TREND_NOT_COMPARABLE, /* no work, durations or times; the finding states which are needed */
    GATE_TREND_NO_MATCH,       /* must_match is set and no frame matches */
    GATE_TREND_EXPIRED,        /* the waiver's date has passed */
    GATE_TREND_REPLACED        /* too much of the profile is functions that replaced others */
};

/** A series under a limit. */
struct gate_trend_case {
    struct gate_trend_fit fit;
    double limit;          /* allowed slope, in y per unit of x */
    double unseen;         /* slope up to which growth may go undetected; 0: none */
    double log_p_adjusted; /* corrected by Holm over the family */
    double alpha;          /* of the family */
    uint32_t family;       /* number of hypotheses in the family */
    uint32_t series;       /* number of series, all of which may be in the family when there are more points */
    bool warns_only;
    enum gate_outcome outcome;
    enum gate_trend_reason reason;
    uint32_t points_needed; /* points in total that would probably decide; 0: unknown, too many, or not open */
};

/** Set outcome, reason and points_needed. Needs all other fields. */
void gate_trend_decide(struct gate_trend_case *one);

/* ---- trend budgets ----------------------------------------------------------------------------------------------- */

/* Budgets of measure `trend` on a series of accepted builds: the input of every report of `pprofgate trend`. */

/** A limit of a budget on one series. */
struct gate_trend_finding {
    struct gate_str name;           /* of the frame or group, or "the whole profile" */
    const struct gate_frame *frame; /* NULL: a group or the total */
    const struct gate_limit *limit; /* NULL: a finding about the budget itself */
    struct gate_trend_case judged;
    struct gate_series series;
    uint32_t since;      /* first judged point; above 0 for a folded function that does not exist before */
    double level;        /* base of a limit in %: the median of the series, or its mean if the median is 0 */
    struct gate_str why; /* explanation of a finding about the budget itself */
};

struct gate_trend_result {
    const struct gate_budget *budget;
    const struct gate_comparison *comparison; /* NULL: the profiles lack its sample type */
    enum gate_series_scale scale;
    enum gate_outcome outcome;
    double *x;                           /* of each point, in the budget's unit, starting at 0; NULL: unknown */
    double whole;                        /* median of the totals, on the same scale; 1 for shares */
    struct gate_trend_finding *findings; /* worst first; includes those that hold */
    uint32_t finding_count, matched;
    uint32_t failed, open, warned, held;
};

struct gate_trend_verdict {
    enum gate_outcome outcome; /* PASS, INCONCLUSIVE or FAIL, after on_inconclusive */
    const struct gate_rules *rules;
    const struct gate_series_point *points;
    uint32_t point_count;
    struct gate_value_type type; /* of the first comparison */
    const struct gate_comparison *comparisons;
    struct gate_trend_replaced replaced;
    struct gate_arena *arena; /* for texts of reports */
    struct gate_trend_result *results;
    uint32_t result_count;
    uint32_t family;        /* number of series that can be significant */
    struct gate_str from;   /* "service shop, default"; or the folder or first profile of a list */
    struct gate_str *notes; /* further remarks, such as budgets left out */
    uint32_t note_count;
};

struct gate_trend_verdict_input {
    const struct gate_rules *rules;
    const struct gate_plan *plan; /* the runs of all points are its baseline side; folded (budget/trend_replaced.h) */
    const struct gate_series_point *points;
    uint32_t point_count;
    const struct gate_trend_replaced *replaced; /* or NULL */
    struct gate_str today;                      /* as in gate_verdict_options */
};

/** Decide every trend budget of the rules. Leaves `from`, `notes` and `replaced` empty. O(frames * points^2 log
 * points). err: GATE_ERR_CONFIG a pattern is too hard, or a limit's unit does not convert. */
GATE_MUST_CHECK
bool gate_trend_verdict_reach(struct gate_trend_verdict *out, const struct gate_trend_verdict_input *input,
                              struct gate_arena *arena, struct gate_error *err);

/** Turn off the budgets that `pprofgate trend` does not decide. Returns how many of them were on. Sets `*has_own` to
 * whether a budget of measure trend is on. */
uint32_t gate_trend_verdict_set_aside(struct gate_rules *rules, bool *has_own);

#endif
