/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of `trend`. */
#ifndef GATE_BUDGET_TREND_VERDICT_H
#define GATE_BUDGET_TREND_VERDICT_H

#include "gate/budget/outcome.h"
#include "gate/budget/plan.h"
#include "gate/compare/trend.h"

/* ---- one series under a limit ------------------------------------------------------------------------------------ */

/* Pure functions of a fit and the levels of the rules. */

/** Reason of the outcome of a series. */
enum gate_trend_reason {
    GATE_TREND_WITHIN,         /* the upper end of the slope's interval is within the limit */
    GATE_TREND_UNSEEN,         /* the upper end of the slope's interval is below max_mde */
    GATE_TREND_OVER,           /* it rises by more than the limit, even without its largest step */
    GATE_TREND_SEVERITY_WARN,  /* the same, with severity "warn" */
    GATE_TREND_STEP,           /* without a large step it is within the limit; a warning */
    GATE_TREND_STEP_OR_SLOPE,  /* it rises by more than the limit; step or slope is undecided */
    GATE_TREND_TOO_FEW_POINTS, /* fewer than 5 points, or too few for significance in a family of this size */
    GATE_TREND_UNCERTAIN,      /* the limit is inside the interval, or the rise is not significant */
    GATE_TREND_NOT_COMPARABLE, /* no work, no duration or no times; the finding says what is needed */
    GATE_TREND_NO_MATCH,       /* must_match is set and no frame matches */
    GATE_TREND_EXPIRED         /* the waiver's date has passed */
};

/** Return "within", "over_budget", ...: stable in JSON. */
const char *gate_trend_decide_reason(enum gate_trend_reason reason);

/** A series under a limit. */
struct gate_trend_case {
    struct gate_trend_fit fit;
    double limit;          /* allowed slope, in y per unit of x */
    double unseen;         /* slope up to which growth may go undetected; 0: none */
    double log_p_adjusted; /* corrected by Holm over the family */
    double alpha;          /* of the family */
    uint32_t family;       /* number of hypotheses in the family */
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
    struct gate_trend_result *results;
    uint32_t result_count;
    uint32_t family;        /* number of series that can be significant */
    struct gate_str from;   /* "service shop, default"; or the folder or first profile of a list */
    struct gate_str *notes; /* further remarks, such as budgets left out */
    uint32_t note_count;
};

struct gate_trend_verdict_input {
    const struct gate_rules *rules;
    const struct gate_plan *plan; /* the runs of all points are its baseline side */
    const struct gate_series_point *points;
    uint32_t point_count;
    struct gate_str today; /* as in gate_verdict_options */
};

/**
 * Decide every trend budget of the rules. Leaves `from` and `notes` empty.
 *
 * err   GATE_ERR_CONFIG a pattern is too hard, or a limit's unit does not convert; GATE_ERR_LIMIT the arena is full
 *
 * O(frames * points^2 log points).
 */
GATE_MUST_CHECK
bool gate_trend_verdict_reach(struct gate_trend_verdict *out, const struct gate_trend_verdict_input *input,
                              struct gate_arena *arena, struct gate_error *err);

/** Turn off the budgets that `pprofgate trend` does not decide. Returns how many were on. */
uint32_t gate_trend_verdict_set_aside(struct gate_rules *rules);

/** Return whether a budget of measure trend is on. */
bool gate_trend_verdict_has(const struct gate_rules *rules);

#endif
