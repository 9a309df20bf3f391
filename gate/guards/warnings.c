/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings as data (see warnings.h). */
#include "gate/guards/warnings.h"

bool gate_warning_add(struct gate_warning_list *list, const struct gate_rules *rules, struct gate_warning warning,
                      bool *raised, struct gate_arena *arena, struct gate_error *err) {
    if (warning.code.ptr == NULL || warning.message.ptr == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < rules->guard_count; i++) {
        if (!gate_str_equal(rules->guards[i].name, warning.code))
            continue;
        if (rules->guards[i].severity == GATE_SEVERITY_OFF)
            return true;
        *raised = *raised || rules->guards[i].severity == GATE_SEVERITY_ERROR;
    }
    struct gate_warning *items = gate_arena_grow(arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return gate_arena_error(arena, err);
    list->items = items;
    list->items[list->count++] = warning;
    return true;
}
