/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets that only `pprofgate trend` judges (see guards_trends.h). */
#include "gate/guards/guards_trends.h"

#include "gate/rules/guard_rules.h"

bool gate_guards_trends_check(struct gate_warning_list *out, const struct gate_rules *rules, bool *raised,
                              struct gate_arena *arena, struct gate_error *err) {
    uint32_t trends = 0, others = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        bool is_trend = gate_budget_measure_row(budget->measure)->is_trend;
        trends += is_trend && budget->severity != GATE_SEVERITY_OFF;
        others += !is_trend && budget->severity != GATE_SEVERITY_OFF;
    }
    if (trends == 0)
        return true;
    if (others == 0)
        return gate_error_set(err, GATE_ERR_CONFIG,
                              "%.*s: all budgets are of measure 'trend', which 'pprofgate trend' judges: there is "
                              "nothing to check",
                              GATE_STR_ARG(rules->source));
    const struct gate_warning warning = {
        gate_str_from(gate_guard_name(GATE_GUARD_TREND_BUDGETS)),
        gate_str_format(arena,
                        "%u budget%s of measure 'trend' %s not looked at: 'pprofgate trend' judges %s over accepted "
                        "builds",
                        (unsigned)trends, trends == 1 ? "" : "s", trends == 1 ? "is" : "are",
                        trends == 1 ? "it" : "them")};
    return gate_warning_add(out, rules, warning, raised, arena, err);
}
