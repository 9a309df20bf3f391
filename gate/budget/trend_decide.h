/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of one series under one limit: pure functions of a fit and the rules' levels.
 * Pipeline: compare/trend.h -> budget/trend_decide.h -> budget/trend_verdict.h */
#ifndef GATE_BUDGET_TREND_DECIDE_H
#define GATE_BUDGET_TREND_DECIDE_H

#include "gate/budget/outcome.h"
#include "gate/compare/trend.h"

/** Fewer points are never decided. */
enum { GATE_TREND_DECIDE_LEAST = 5, GATE_TREND_DECIDE_MOST_NEEDED = 200 };

/** Why a series is judged as it is. */
enum gate_trend_reason {
    GATE_TREND_WITHIN,         /* the upper end of the slope is within the limit */
    GATE_TREND_UNSEEN,         /* all of what it may have grown by is below max_mde */
    GATE_TREND_OVER,           /* it rises, and by more than the limit, also without its largest step */
    GATE_TREND_SEVERITY_WARN,  /* the same, of a budget or level that only warns */
    GATE_TREND_STEP,           /* it grew at once: without a large step it is within the limit; a warning */
    GATE_TREND_STEP_OR_SLOPE,  /* it rises by more than the limit; whether at once or steadily is open */
    GATE_TREND_TOO_FEW_POINTS, /* fewer than 5, or than it takes to show anything in a family of this size */
    GATE_TREND_UNCERTAIN,      /* the limit is inside the interval, or the rise is not significant */
    GATE_TREND_NOT_COMPARABLE, /* no work, no length, no times: the budget says what it needs */
    GATE_TREND_NO_MATCH,       /* must_match, and no frame matches */
    GATE_TREND_EXPIRED         /* the waiver's day has passed */
};

/** "within", "over_budget", ...: stable in JSON. */
const char *gate_trend_decide_reason(enum gate_trend_reason reason);

/** A series under a limit. */
struct gate_trend_case {
    struct gate_trend_fit fit;
    double limit;          /* slope that is allowed, in y a unit of x */
    double unseen;         /* slope below which growth may go unnoticed; 0: none may */
    double log_p_adjusted; /* Holm, over the family */
    double alpha;          /* of the family */
    uint32_t family;       /* hypotheses in it */
    bool warns_only;
    enum gate_outcome outcome;
    enum gate_trend_reason reason;
    uint32_t points_needed; /* in all, that would probably decide; 0: does not apply, or not within reach */
};

/** Whether the series could be shown to rise at all: else it is in no family. Needs fit and alpha. */
bool gate_trend_decide_is_testable(const struct gate_trend_case *one);

/** Fill outcome, reason and points_needed. */
void gate_trend_decide(struct gate_trend_case *one);

#endif
