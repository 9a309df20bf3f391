/* SPDX-License-Identifier: Apache-2.0 */
/* The commands (see command_table.h). */
#include "gate/cli/command_table.h"

const struct gate_command *const gate_command_table[] = {
    &gate_command_baseline, &gate_command_calibrate, &gate_command_capture,
    &gate_command_check,    &gate_command_diff,      &gate_command_explain,
    &gate_command_gate,     &gate_command_init,      &gate_command_inspect,
    &gate_command_merge,    &gate_command_prove,     &gate_command_trend,
    &gate_command_try,      &gate_command_validate,  &gate_command_completion,
    &gate_command_manual,   &gate_command_version,   NULL,
};

const struct gate_command *const *gate_command_table_of(const struct gate_command *group) {
    return group == NULL ? gate_command_table : group->commands;
}

const struct gate_command *gate_command_table_find(const struct gate_command *group, const char *name) {
    for (const struct gate_command *const *at = gate_command_table_of(group); *at != NULL; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

static bool walk(const struct gate_command *group, gate_command_visit *visit, void *context, struct gate_error *err) {
    for (const struct gate_command *const *at = gate_command_table_of(group); *at != NULL; at++)
        if (!((*at)->commands != NULL ? walk(*at, visit, context, err) : visit(context, group, *at, err)))
            return false;
    return true;
}

bool gate_command_table_walk(gate_command_visit *visit, void *context, struct gate_error *err) {
    return walk(NULL, visit, context, err);
}
