/* SPDX-License-Identifier: Apache-2.0 */
/* The table of what budgets measure (see budget_measure.h). */
#include "gate/rules/budget_measure.h"

static const struct gate_budget_measure_row rows[GATE_BUDGET_MEASURES] = {
    [GATE_MEASURE_SELF] = {.word = "self", .of = GATE_SELF},
    [GATE_MEASURE_CUMULATIVE] = {.word = "cumulative", .of = GATE_CUMULATIVE},
    [GATE_MEASURE_CHARGED] = {.word = "charged", .of = GATE_CHARGED},
    [GATE_MEASURE_TOTAL] = {.word = "total", .of = GATE_CUMULATIVE, .is_total = true, .is_cost = true},
    [GATE_MEASURE_SELF_COST] = {.word = "self_cost", .of = GATE_SELF, .is_cost = true, .needs_work = true},
    [GATE_MEASURE_CUMULATIVE_COST] = {.word = "cumulative_cost",
                                      .of = GATE_CUMULATIVE,
                                      .is_cost = true,
                                      .needs_work = true},
    [GATE_MEASURE_CHARGED_COST] = {.word = "charged_cost", .of = GATE_CHARGED, .is_cost = true, .needs_work = true},
    [GATE_MEASURE_TOTAL_COST] =
        {.word = "total_cost", .of = GATE_CUMULATIVE, .is_total = true, .is_cost = true, .needs_work = true},
    /* Which cost it follows the budget itself says: rules/trend_terms.h. */
    [GATE_MEASURE_TREND] = {.word = "trend", .of = GATE_CHARGED, .is_trend = true},
};

const struct gate_budget_measure_row *gate_budget_measure_row(enum gate_budget_measure measure) {
    GATE_ASSERT((unsigned)measure < GATE_BUDGET_MEASURES);
    return &rows[measure];
}

const char *gate_budget_measure_name(enum gate_budget_measure measure) {
    return gate_budget_measure_row(measure)->word;
}
