/* SPDX-License-Identifier: Apache-2.0 */
/* Records the warnings of guards. */
#include "gate/guards/guard_check.h"

#include "gate/rules/guard_rules.h"
#include "gate/rules/rules.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- warnings ---------------------------------------------------------------------------------------------------- */

bool gate_warning_add(struct gate_warning_list *list, const struct gate_rules *rules, struct gate_warning warning,
                      bool *raised, struct gate_arena *arena, struct gate_error *err) {
    if (warning.message.ptr == NULL)
        return gate_arena_error(arena, err);
    enum gate_severity severity = gate_guard_severity(rules, warning.guard);
    if (severity == GATE_SEVERITY_OFF)
        return true;
    *raised = *raised || severity == GATE_SEVERITY_ERROR;
    return GATE_APPEND(arena, list->items, list->count, list->capacity, err, warning);
}

/* ---- one guard --------------------------------------------------------------------------------------------------- */

bool gate_guard_check_warn(struct gate_guard_check *check, enum gate_guard guard, const char *format, ...) {
    char text[900];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* A truncated message may end inside a multi-byte character. */
    struct gate_str copy = gate_str_copy(check->arena, gate_str_from(text));
    struct gate_str message = gate_str_repair_utf8(check->arena, copy);
    if (copy.ptr == NULL || message.ptr == NULL)
        return gate_arena_error(check->arena, check->err);
    GATE_ASSERT(check->count < GATE_GUARD_NAMES);
    check->items[check->count++] = (struct gate_warning){.guard = guard, .message = message};
    return true;
}
