/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings as data (see warnings.h). */
#include "gate/guards/warnings.h"

#include "gate/rules/guard_rules.h"

bool gate_warning_add(struct gate_warning_list *list, const struct gate_rules *rules, struct gate_warning warning,
                      bool *raised, struct gate_arena *arena, struct gate_error *err) {
    if (warning.code.ptr == NULL || warning.message.ptr == NULL)
        return gate_arena_error(arena, err);
    enum gate_severity severity = gate_guard_severity(rules, warning.code);
    if (severity == GATE_SEVERITY_OFF)
        return true;
    *raised = *raised || severity == GATE_SEVERITY_ERROR;
    struct gate_warning *items = gate_arena_grow(arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    list->items = items;
    list->items[list->count++] = warning;
    return true;
}
