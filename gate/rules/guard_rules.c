/* SPDX-License-Identifier: Apache-2.0 */
/* The table of guards. rules/README.md documents the limits. */
#include "gate/rules/guard_rules.h"

#include "gate/rules/rules.h"

static const struct {
    const char *name;
    const char *unit; /* unit of the limit; NULL: no limit */
    double limit;
    enum gate_severity severity; /* default severity */
    bool passes;                 /* further runs may end the warning */
} guards[GATE_GUARD_NAMES] = {
    [GATE_GUARD_SWAPPED] = {"swapped", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_DIFFERENT_TYPES] = {"different_types", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_DIFFERENT_PERIOD] = {"different_period", "x", 1.25, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_DIFFERENT_RATE] = {"different_rate", "x", 1.5, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_DIFFERENT_PRODUCER] = {"different_producer", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_DIFFERENT_ARCHITECTURE] = {"different_architecture", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_DIFFERENT_DURATION] = {"different_duration", "x", 2.0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_IDLE] = {"idle", "%", 0.10, GATE_SEVERITY_WARN, true},
    [GATE_GUARD_NO_LOAD] = {"no_load", "%", 0.10, GATE_SEVERITY_ERROR, true},
    [GATE_GUARD_WAITING] = {"waiting", "%", 0.10, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_MOSTLY_WAITING] = {"mostly_waiting", "%", 0.50, GATE_SEVERITY_ERROR, false},
    [GATE_GUARD_UNSYMBOLISED] = {"unsymbolised", "%", 0.10, GATE_SEVERITY_ERROR, false},
    [GATE_GUARD_MINIFIED] = {"minified", "%", 0.10, GATE_SEVERITY_ERROR, false},
    [GATE_GUARD_INLINED_NAMES] = {"inlined_names", NULL, 0, GATE_SEVERITY_ERROR, false},
    [GATE_GUARD_OWN_CODE] = {"own_code", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_TRUNCATED_STACKS] = {"truncated_stacks", "%", 0.01, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_SHAPE_CHANGED] = {"shape_changed", "%", 0.50, GATE_SEVERITY_WARN, true},
    [GATE_GUARD_COLD_START] = {"cold_start", "%", 0.30, GATE_SEVERITY_WARN, true},
    [GATE_GUARD_MISPLACED_SAMPLES] = {"misplaced_samples", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_PROFILER_OVERHEAD] = {"profiler_overhead", "%", 0.02, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_DELTA_PROFILE] = {"delta_profile", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_DEBUG_BUILD] = {"debug_build", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_SAME_FILE] = {"same_file", NULL, 0, GATE_SEVERITY_ERROR, false},
    [GATE_GUARD_UNCOUNTED_EVENTS] = {"uncounted_events", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_FEW_SAMPLES] = {"few_samples", NULL, 0, GATE_SEVERITY_WARN, true},
    [GATE_GUARD_UNDERSAMPLED] = {"undersampled", "%", 0.25, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_TOTAL_COST] = {"total_cost", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_COST_PER_SECOND] = {"cost_per_second", "x", 1.2, GATE_SEVERITY_ERROR, true},
    [GATE_GUARD_ESTIMATED_COST] = {"estimated_cost", "x", 1.2, GATE_SEVERITY_ERROR, true},
    [GATE_GUARD_TOTAL_SHRANK] = {"total_shrank", "x", 1.5, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_UNEQUAL_LOAD] = {"unequal_load", "x", 2.0, GATE_SEVERITY_ERROR, false},
    [GATE_GUARD_MIX] = {"mix", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_BY_VALUES] = {"by_values", "%", 0.50, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_UNSEEN] = {"unseen", "%", 0.05, GATE_SEVERITY_ERROR, true}, /* more samples of rare names */
    [GATE_GUARD_NEW_NAMES] = {"new_names", "%", 0.10, GATE_SEVERITY_ERROR, true},
    [GATE_GUARD_ONE_PAIR] = {"one_pair", NULL, 0, GATE_SEVERITY_WARN, true},
    [GATE_GUARD_MISSING_KIND] = {"missing_kind", NULL, 0, GATE_SEVERITY_ERROR, true},
    [GATE_GUARD_ROUNDS_LEFT_OUT] = {"rounds_left_out", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_ONE_PROCESS] = {"one_process", NULL, 0, GATE_SEVERITY_ERROR, false},
    [GATE_GUARD_RETRIED] = {"retried", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_TREND_BUDGETS] = {"trend_budgets", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_NO_MATCH] = {"no_match", NULL, 0, GATE_SEVERITY_WARN, true},
    [GATE_GUARD_RENAMED] = {"renamed", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_REPLACED_CODE] = {"replaced_code", "%", 0.25, GATE_SEVERITY_ERROR, true},
    [GATE_GUARD_NEW_FUNCTIONS] = {"new_functions", "%", 0.02, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_RULES_EDITED] = {"rules_edited", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_TOOTHLESS] = {"toothless", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_BASELINE_MISSING] = {"baseline_missing", NULL, 0, GATE_SEVERITY_ERROR, false},
    [GATE_GUARD_BASELINE_DAMAGED] = {"baseline_damaged", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_BASELINE_AGE] = {"baseline_age", "d", 30, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_BASELINE_ANCESTOR] = {"baseline_ancestor", NULL, 0, GATE_SEVERITY_WARN, false},
    [GATE_GUARD_BASELINE_MACHINE] = {"baseline_machine", NULL, 0, GATE_SEVERITY_WARN, false},
};

const char *gate_guard_name(enum gate_guard guard) {
    return guards[guard].name;
}

const char *gate_guard_unit(enum gate_guard guard) {
    return guards[guard].unit;
}

static const struct gate_guard_rule *rule_of(const struct gate_rules *rules, enum gate_guard guard) {
    GATE_ASSERT((unsigned)guard < GATE_GUARD_NAMES);
    for (uint32_t i = 0; i < rules->guard_count; i++)
        if (rules->guards[i].guard == (unsigned)guard)
            return &rules->guards[i];
    return NULL;
}

double gate_guard_limit(const struct gate_rules *rules, enum gate_guard guard) {
    const struct gate_guard_rule *rule = rule_of(rules, guard);
    return rule == NULL || !rule->limit_is_given ? guards[guard].limit : rule->limit;
}

bool gate_guard_passes(enum gate_guard guard) {
    return guards[guard].passes;
}

bool gate_guard_is_setup(enum gate_guard guard) {
    static const enum gate_guard setup[] = {GATE_GUARD_SWAPPED,
                                            GATE_GUARD_DIFFERENT_PERIOD,
                                            GATE_GUARD_DIFFERENT_RATE,
                                            GATE_GUARD_DIFFERENT_PRODUCER,
                                            GATE_GUARD_DIFFERENT_ARCHITECTURE,
                                            GATE_GUARD_DEBUG_BUILD};
    for (size_t i = 0; i < sizeof setup / sizeof *setup; i++)
        if (setup[i] == guard)
            return true;
    return false;
}

enum gate_severity gate_guard_severity(const struct gate_rules *rules, enum gate_guard guard) {
    const struct gate_guard_rule *rule = rule_of(rules, guard);
    return rule == NULL ? guards[guard].severity : rule->severity;
}
