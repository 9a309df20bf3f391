/* SPDX-License-Identifier: Apache-2.0 */
/* The list of guards and how they are run (see guards.h). */
#include "gate/budget/guards.h"

#include "gate/budget/guards_parts.h"

#include <stdarg.h>
#include <stdio.h>

const char *const gate_guard_names[GATE_GUARD_NAMES + 1] = {
    "swapped", "different_types", "different_period", "different_rate", "different_producer",
    "different_architecture", "different_duration", "idle", "unsymbolised", "hex_names", "truncated_stacks",
    "shape_changed", "cold_start", "profiler_overhead", "delta_profile", "debug_build", "same_file",
    "few_samples", "one_pair", "uncounted_events", "no_match", "renamed", "total_cost", NULL
};

/* In the order of the names. The limits are documented in rules/README.md. */
static const struct {
    guard_fn *check;
    const char *unit;
    double limit;
} guards[GATE_GUARDS] = {
    {guard_swapped, NULL, 0},
    {guard_different_types, NULL, 0},
    {guard_different_period, "x", 1.25},
    {guard_different_rate, "x", 1.5},
    {guard_different_producer, NULL, 0},
    {guard_different_architecture, NULL, 0},
    {guard_different_duration, "x", 2.0},
    {guard_idle, "%", 0.10},
    {guard_unsymbolised, "%", 0.05},
    {guard_hex_names, "%", 0.05},
    {guard_truncated_stacks, "%", 0.01},
    {guard_shape_changed, "%", 0.50},
    {guard_cold_start, "%", 0.30},
    {guard_profiler_overhead, "%", 0.02},
    {guard_delta_profile, NULL, 0},
    {guard_debug_build, NULL, 0},
};

const char *gate_guard_unit(enum gate_guard guard) {
    return guard < GATE_GUARDS ? guards[guard].unit : NULL;
}

static const struct gate_guard_rule *rule_of(const struct gate_rules *rules, struct gate_str code) {
    for (uint32_t i = 0; i < rules->guard_count; i++)
        if (gate_str_equal(rules->guards[i].name, code))
            return &rules->guards[i];
    return NULL;
}

double gate_guard_limit(const struct gate_rules *rules, enum gate_guard guard) {
    GATE_ASSERT(guard < GATE_GUARDS);
    const struct gate_guard_rule *rule = rule_of(rules, gate_str_from(gate_guard_names[guard]));
    return rule == NULL || !rule->limit_is_given ? guards[guard].limit : rule->limit;
}

enum gate_severity gate_guard_severity(const struct gate_rules *rules, struct gate_str code) {
    const struct gate_guard_rule *rule = rule_of(rules, code);
    return rule == NULL ? GATE_SEVERITY_WARN : rule->severity;
}

const char *guard_side_name(uint32_t side) {
    return side == GATE_BASELINE ? "baseline" : "canary";
}

bool guard_warn(struct guard_check *check, enum gate_guard guard, const char *format, ...) {
    char text[900];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* A message that was cut may end inside a character of some name. */
    struct gate_str message = gate_str_repair_utf8(check->arena, gate_str_copy(check->arena, gate_str_from(text)));
    if (message.ptr == NULL)
        return gate_arena_error(check->arena, check->err);
    GATE_ASSERT(check->count < GATE_GUARDS);
    check->items[check->count++] =
        (struct gate_warning){.code = gate_str_from(gate_guard_names[guard]), .message = message};
    return true;
}

bool gate_guards_check(struct gate_warning **out, uint32_t *count, const struct gate_comparison *comparison,
                       const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    struct guard_check check = {
        .comparison = comparison, .pair = &comparison->pair, .rules = rules, .arena = arena, .err = err};
    check.items = GATE_NEW_ARRAY(arena, struct gate_warning, GATE_GUARDS);
    if (check.items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < GATE_GUARDS; i++) {
        if (gate_guard_severity(rules, gate_str_from(gate_guard_names[i])) == GATE_SEVERITY_OFF)
            continue;
        if (!guards[i].check(&check, gate_guard_limit(rules, (enum gate_guard)i)))
            return false;
    }
    *out = check.items;
    *count = check.count;
    return true;
}
