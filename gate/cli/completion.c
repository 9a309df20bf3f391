/* SPDX-License-Identifier: Apache-2.0 */
/* What options take, as shells want to know it (see completion.h). */
#include "gate/cli/completion.h"

#include "gate/rules/preset.h"

enum gate_completion_value gate_completion_value_of(const struct gate_option *option) {
    struct gate_str value = gate_str_from(option->value_name == NULL ? "" : option->value_name);
    if (option->value_name == NULL)
        return GATE_VALUE_NONE;
    if (strcmp(option->name, "rules") == 0)
        return GATE_VALUE_RULES;
    if (gate_str_starts(value, GATE_STR("FILE")) || gate_str_starts(value, GATE_STR("PATH")))
        return GATE_VALUE_FILE;
    return gate_str_starts(value, GATE_STR("DIR")) ? GATE_VALUE_FOLDER : GATE_VALUE_ANY;
}

const char *const *gate_completion_words(const struct gate_option *option, struct gate_arena *arena) {
    if (gate_completion_value_of(option) == GATE_VALUE_RULES)
        return gate_preset_names(arena);
    return option->words;
}

struct gate_str gate_completion_brief(struct gate_str help) {
    static const char *const ends[] = {" (", ": ", "; ", ", such as"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t at = gate_str_find(help, gate_str_from(ends[i]), 1);
        help = gate_str_slice(help, 0, at == SIZE_MAX ? help.len : at);
    }
    return help;
}
