/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets of measure `trend` on a row of accepted builds: the input of every report of `pprofgate trend`.
 * Pipeline: rules/rules.h + budget/plan.h + compare/series.h -> budget/trend_verdict.h -> report/trend_*.h */
#ifndef GATE_BUDGET_TREND_VERDICT_H
#define GATE_BUDGET_TREND_VERDICT_H

#include "gate/budget/plan.h"
#include "gate/budget/trend_decide.h"
#include "gate/compare/series.h"

/** A budget on one series. */
struct gate_trend_finding {
    struct gate_str name;           /* the frame's, the group's, or "the whole profile" */
    const struct gate_frame *frame; /* NULL: a group or the total */
    const struct gate_limit *limit; /* NULL: a finding about the budget itself */
    struct gate_trend_case judged;
    struct gate_series series;
    double level;        /* what a limit in % is of: the median of the series, or its mean where that is nothing */
    struct gate_str why; /* of a finding about the budget itself */
};

struct gate_trend_result {
    const struct gate_budget *budget;
    const struct gate_comparison *comparison; /* NULL: the profiles do not have its type */
    enum gate_series_scale scale;
    enum gate_outcome outcome;
    double *x;                           /* of each point, in the budget's unit from the first on; NULL: not known */
    double whole;                        /* the median of the totals, on the same scale: 1 of shares */
    struct gate_trend_finding *findings; /* worst first; all that were looked at */
    uint32_t finding_count, matched;
    uint32_t failed, open, warned, held;
};

struct gate_trend_verdict {
    enum gate_outcome outcome; /* PASS, INCONCLUSIVE or FAIL after on_inconclusive */
    const struct gate_rules *rules;
    const struct gate_series_point *points;
    uint32_t point_count;
    struct gate_value_type type; /* of the first comparison */
    struct gate_trend_result *results;
    uint32_t result_count;
    uint32_t family;        /* series that could be shown to rise */
    struct gate_str from;   /* "service shop, default"; or the folder or first profile of a list */
    struct gate_str *notes; /* what else is to be said, such as budgets that were left out */
    uint32_t note_count;
};

struct gate_trend_verdict_input {
    const struct gate_rules *rules;
    const struct gate_plan *plan; /* the points' runs as baseline */
    const struct gate_series_point *points;
    uint32_t point_count;
    struct gate_str today; /* as of gate_verdict_options */
};

/**
 * Decide every trend budget of the rules; `from` and `notes` are left empty.
 *
 * err   GATE_ERR_CONFIG a pattern that is too hard, a limit whose unit does not convert; the arena is full
 *
 * O(frames looked at * points^2 log points).
 */
GATE_MUST_CHECK
bool gate_trend_verdict_reach(struct gate_trend_verdict *out, const struct gate_trend_verdict_input *input,
                              struct gate_arena *arena, struct gate_error *err);

/** Turn off what `pprofgate trend` does not judge. How many budgets that were. */
uint32_t gate_trend_verdict_set_aside(struct gate_rules *rules);

/** Whether some budget that is on is of measure trend. */
bool gate_trend_verdict_has(const struct gate_rules *rules);

#endif
