/* SPDX-License-Identifier: Apache-2.0 */
/* The list of guards and how they are run (see guards.h). */
#include "gate/guards/guards.h"

#include "gate/guards/guards_parts.h"
#include "gate/rules/guard_rules.h"

#include <stdarg.h>
#include <stdio.h>

static guard_fn *const checks[GATE_GUARDS] = {
    [GATE_GUARD_SWAPPED] = guard_swapped,
    [GATE_GUARD_DIFFERENT_TYPES] = guard_different_types,
    [GATE_GUARD_DIFFERENT_PERIOD] = guard_different_period,
    [GATE_GUARD_DIFFERENT_RATE] = guard_different_rate,
    [GATE_GUARD_DIFFERENT_PRODUCER] = guard_different_producer,
    [GATE_GUARD_DIFFERENT_ARCHITECTURE] = guard_different_architecture,
    [GATE_GUARD_DIFFERENT_DURATION] = guard_different_duration,
    [GATE_GUARD_IDLE] = guard_idle,
    [GATE_GUARD_UNSYMBOLISED] = guard_unsymbolised,
    [GATE_GUARD_HEX_NAMES] = guard_hex_names,
    [GATE_GUARD_TRUNCATED_STACKS] = guard_truncated_stacks,
    [GATE_GUARD_SHAPE_CHANGED] = guard_shape_changed,
    [GATE_GUARD_COLD_START] = guard_cold_start,
    [GATE_GUARD_PROFILER_OVERHEAD] = guard_profiler_overhead,
    [GATE_GUARD_DELTA_PROFILE] = guard_delta_profile,
    [GATE_GUARD_DEBUG_BUILD] = guard_debug_build,
};

const char *guard_side_name(uint32_t side) {
    return gate_side_word((enum gate_side_name)side);
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
        (struct gate_warning){.code = gate_str_from(gate_guard_name(guard)), .message = message};
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
        if (gate_guard_severity(rules, gate_str_from(gate_guard_name((enum gate_guard)i))) == GATE_SEVERITY_OFF)
            continue;
        if (!checks[i](&check, gate_guard_limit(rules, (enum gate_guard)i)))
            return false;
    }
    *out = check.items;
    *count = check.count;
    return true;
}
