/* SPDX-License-Identifier: Apache-2.0 */
/* What a budget measures of a frame or of the whole: one row of facts each, which everybody else asks.
 * Pipeline: compare/delta.h -> rules/budget_measure.h -> rules/rules.h, budget/hypotheses.h, report/ */
#ifndef GATE_RULES_BUDGET_MEASURE_H
#define GATE_RULES_BUDGET_MEASURE_H

#include "gate/compare/delta.h"

/** `_COST`: per unit of work instead of as a share. A new one needs a row in budget_measure.c. */
enum gate_budget_measure {
    GATE_MEASURE_SELF,
    GATE_MEASURE_CUMULATIVE,
    GATE_MEASURE_CHARGED,
    GATE_MEASURE_TOTAL,
    GATE_MEASURE_SELF_COST,
    GATE_MEASURE_CUMULATIVE_COST,
    GATE_MEASURE_CHARGED_COST,
    GATE_MEASURE_TOTAL_COST,
    GATE_MEASURE_TREND,
    GATE_BUDGET_MEASURES
};

struct gate_budget_measure_row {
    const char *word;     /* under `measure:` and in reports */
    enum gate_measure of; /* which cost of a frame; of a total GATE_CUMULATIVE */
    bool is_total;        /* of the whole profile: no frame is selected */
    bool is_cost;         /* of the baseline's cost, not a share of each side: limits on shares do not apply */
    bool is_trend;        /* of accepted runs one after the other: `pprofgate trend` judges it, and nothing else does */
    bool needs_work;      /* not comparable where the work is not known; a total may be per second instead */
};

/** The facts about a measure; never NULL. */
const struct gate_budget_measure_row *gate_budget_measure_row(enum gate_budget_measure measure);

const char *gate_budget_measure_name(enum gate_budget_measure measure); /* "self", ... */

#endif
