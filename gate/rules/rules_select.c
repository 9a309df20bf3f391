/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames a budget means (see rules_select.h). */
#include "gate/rules/rules_select.h"

const struct gate_rules_row gate_rules_select_not_keys[] = {
    {"function", gate_rules_value_pattern, offsetof(struct gate_select, not_function)},
    {"package", gate_rules_value_pattern, offsetof(struct gate_select, not_package)},
    {"file", gate_rules_value_pattern, offsetof(struct gate_select, not_file)},
    {"mapping", gate_rules_value_pattern, offsetof(struct gate_select, not_mapping)},
    {NULL, NULL, 0},
};

static bool read_not(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    if (node->kind == GATE_YAML_TEXT)
        return gate_rules_value_pattern(state, &((struct gate_select *)field)->not_function, node);
    if (node->kind == GATE_YAML_MAP && node->count == 0)
        return GATE_RULES_ERROR(state, node, "'not' is empty: expected a pattern");
    return gate_rules_value_map(state, node, gate_rules_select_not_keys, field);
}

const struct gate_rules_row gate_rules_select_keys[] = {
    {"function", gate_rules_value_pattern, offsetof(struct gate_select, function)},
    {"package", gate_rules_value_pattern, offsetof(struct gate_select, package)},
    {"file", gate_rules_value_pattern, offsetof(struct gate_select, file)},
    {"mapping", gate_rules_value_pattern, offsetof(struct gate_select, mapping)},
    {"not", read_not, 0},
    {"under", gate_rules_value_pattern, offsetof(struct gate_select, under)},
    {NULL, NULL, 0},
};

static bool any_is_given(const struct gate_rules_row *keys, const struct gate_select *select) {
    for (; keys->name != NULL; keys++)
        if (keys->read == gate_rules_value_pattern &&
            ((const struct gate_pattern *)(const void *)((const char *)select + keys->offset))->regex != NULL)
            return true;
    return false;
}

bool gate_rules_select_is_given(const struct gate_select *select) {
    return any_is_given(gate_rules_select_keys, select) || any_is_given(gate_rules_select_not_keys, select);
}

bool gate_rules_select_read(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_select *select = field;
    *select = (struct gate_select){0};
    if (node->kind == GATE_YAML_TEXT)
        return gate_rules_value_pattern(state, &select->function, node);
    if (node->kind == GATE_YAML_MAP && node->count == 0)
        return GATE_RULES_ERROR(state, node, "'select' is empty: leave it out to mean every frame");
    return gate_rules_value_map(state, node, gate_rules_select_keys, select);
}
