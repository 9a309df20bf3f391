/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a budget and a comparison fit each other (see scope.h). */
#include "gate/budget/scope.h"

#include "gate/rules/budget_measure.h"

/* A run that does not tell its duration would count its cost and not its time. */
static bool tells_duration(const struct gate_side *side) {
    for (uint32_t r = 0; r < side->run_count; r++)
        if (side->runs[r].input.profile->duration_ns <= 0)
            return false;
    return side->duration_ns > 0;
}

/* What costs are divided by; false where nothing is known to divide by. */
static bool find_exposure(struct gate_exposure *out, const struct gate_budget *budget,
                          const struct gate_comparison *comparison) {
    *out = (struct gate_exposure){.ratio = 1.0, .noise = comparison->noise};
    if (comparison->work_is_known) {
        out->ratio = comparison->work_ratio;
        return true;
    }
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(budget->measure);
    if (measure->needs_work)
        return false;
    if (!measure->is_total)
        return true;
    const struct gate_side *sides = comparison->pair.sides;
    bool absolute_only = budget->limit_count > 0;
    for (uint32_t i = 0; i < budget->limit_count; i++)
        absolute_only = absolute_only && budget->limits[i].kind == GATE_LIMIT_ABSOLUTE;
    if (absolute_only)
        return true;
    if (!tells_duration(&sides[GATE_BASELINE]) || !tells_duration(&sides[GATE_CANARY]))
        return false;
    out->is_per_second = true;
    out->ratio = (double)sides[GATE_CANARY].duration_ns / (double)sides[GATE_BASELINE].duration_ns;
    return true;
}

const char *gate_budget_scope_fill(struct gate_budget_scope *scope, const struct gate_comparison *comparisons) {
    const struct gate_budget *budget = &scope->rules->budgets[scope->budget];
    if (scope->comparison_index == GATE_NO_INDEX)
        return "the profiles have no such sample type";
    scope->comparison = &comparisons[scope->comparison_index];
    if (find_exposure(&scope->exposure, budget, scope->comparison))
        return NULL;
    return !gate_budget_measure_row(budget->measure)->needs_work
               ? "totals compare only per unit of work or per second, and the profiles tell neither"
               : "a cost needs the work done on both sides";
}
