/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a budget, alone or as warn and error levels (see rules_limit.h). */
#include "gate/rules/rules_limit.h"

#include <stdio.h>

/* A level is read for its severity; the words of levels are those of severities. */
const char *const gate_rules_limit_levels[] = {"warn", "error", NULL};

/* The next step for the mistakes that the two signs and the two units invite. */
static void limit_tip(char out[160], enum gate_limit_kind kind, const struct gate_amount *amount) {
    out[0] = '\0';
    int len = (int)amount->number.len;
    const char *number = amount->number.ptr;
    bool percent = gate_amount_has_unit(amount, "%");
    bool points = gate_amount_has_unit(amount, "pp");
    bool level = kind == GATE_LIMIT_SHARE || kind == GATE_LIMIT_NEW_FRAME;
    double zero = 1.0;
    if (kind == GATE_LIMIT_SHARE_INCREASE && percent)
        (void)snprintf(out, 160,
                       ": '%%' means per cent of the frame's own baseline; write '+%.*spp', or 'increase: +%.*s%%'",
                       len, number, len, number);
    else if (kind == GATE_LIMIT_INCREASE && points)
        (void)snprintf(out, 160, ": 'pp' means points of the total; write 'share_increase: +%.*spp'", len, number);
    else if (kind == GATE_LIMIT_INCREASE && percent && amount->sign == 0)
        (void)snprintf(out, 160, ": write '+%.*s%%' for growth by that much, or '2x' for a ratio", len, number);
    else if (kind == GATE_LIMIT_SHARE_INCREASE && amount->sign == 0 && points)
        (void)snprintf(out, 160, ": write '+%.*spp'", len, number);
    else if (kind == GATE_LIMIT_DECREASE && percent && amount->sign != '-')
        (void)snprintf(out, 160, ": write '-%.*s%%'", len, number);
    else if (level && percent && amount->sign == 0 && gate_amount_decimal(&zero, amount->number, 0) && zero <= 0.0)
        (void)snprintf(out, 160, ": no number of samples can prove a share of zero; write '0.1%%'");
    else if (level && percent && amount->sign != 0)
        (void)snprintf(out, 160, ": write '%.*s%%'; growth belongs to 'increase' or 'share_increase'", len, number);
}

static bool read_amount(struct gate_rules_state *state, struct gate_limit *limit, const struct gate_yaml_node *node,
                        enum gate_limit_kind kind) {
    const struct gate_limit_row *row = gate_limit_row(kind);
    struct gate_amount amount = {0};
    char found[96];
    char tip[160] = "";
    bool is_scalar = node->kind != GATE_YAML_LIST && node->kind != GATE_YAML_MAP && node->kind != GATE_YAML_NULL;
    bool plain = is_scalar && gate_amount_split(&amount, node->text);
    if (!plain || node->kind != GATE_YAML_TEXT || !row->read(&limit->value, &amount)) {
        if (plain)
            limit_tip(tip, kind, &amount);
        return GATE_RULES_ERROR(state, node, "'%s' expects %s; found %s%s", row->key, row->wants,
                                gate_rules_value_found(found, node), tip);
    }
    limit->kind = kind;
    limit->text = node->text;
    limit->source = state->source;
    limit->line = node->line;
    limit->column = node->column;
    return true;
}

static bool add_limit(struct gate_rules_state *state, struct gate_budget *budget, const struct gate_yaml_node *node,
                      enum gate_limit_kind kind, enum gate_severity severity) {
    /* Each kind with two levels is all that can be written. */
    if (budget->limits == NULL)
        budget->limits = GATE_NEW_ARRAY(state->arena, struct gate_limit, 2 * GATE_LIMIT_KINDS);
    if (budget->limits == NULL)
        return gate_arena_error(state->arena, state->err);
    struct gate_limit *limit = &budget->limits[budget->limit_count];
    if (!read_amount(state, limit, node, kind))
        return false;
    limit->severity = severity;
    budget->limit_count++;
    return true;
}

/* The only kind that the amount can be: signs and units keep them apart, except for a bare share. */
static bool infer_kind(struct gate_rules_state *state, const struct gate_yaml_node *node, enum gate_limit_kind *kind) {
    struct gate_amount amount;
    double ignored = 0.0;
    char found[96];
    if (node->kind == GATE_YAML_TEXT && gate_amount_split(&amount, node->text))
        for (int i = 0; i < GATE_LIMIT_KINDS; i++) {
            const struct gate_limit_row *row = gate_limit_row((enum gate_limit_kind)i);
            if (row->is_unmistakable && row->read(&ignored, &amount)) {
                *kind = (enum gate_limit_kind)i;
                return true;
            }
        }
    if (node->kind == GATE_YAML_TEXT && amount.sign == 0 && gate_amount_has_unit(&amount, "%"))
        return GATE_RULES_ERROR(state, node,
                                "'%.*s' can mean several things: write '+%.*s' for growth, or {share: \"%.*s\"}",
                                GATE_STR_ARG(node->text), GATE_STR_ARG(node->text), GATE_STR_ARG(node->text));
    return GATE_RULES_ERROR(state, node, "'%.*s' expects a limit such as '+5pp', '+10%%', '2x' or '250ms'; found %s",
                            GATE_STR_ARG(gate_rules_value_key(node)), gate_rules_value_found(found, node));
}

static bool check_levels(struct gate_rules_state *state, const struct gate_yaml_node *map,
                         const struct gate_limit *warn, const struct gate_limit *error) {
    if (warn->kind != error->kind)
        return GATE_RULES_ERROR(state, map,
                                "'warn' is a limit of kind '%s' and 'error' one of kind '%s': expected the same kind",
                                gate_limit_kind_name(warn->kind), gate_limit_kind_name(error->kind));
    if (gate_amount_dimension_of(warn->text) != gate_amount_dimension_of(error->text))
        return GATE_RULES_ERROR(state, map,
                                "the levels '%.*s' and '%.*s' cannot be compared: expected units of the same kind",
                                GATE_STR_ARG(warn->text), GATE_STR_ARG(error->text));
    if (warn->value >= error->value)
        return GATE_RULES_ERROR(
            state, map,
            "the warn level '%.*s' is not below the error level '%.*s': expected the warn level to be "
            "stricter",
            GATE_STR_ARG(warn->text), GATE_STR_ARG(error->text));
    return true;
}

/* {warn: "+2pp", error: "+5pp"}; `given` NULL: inferred from what is written. */
static bool read_levels(struct gate_rules_state *state, struct gate_budget *budget, const struct gate_yaml_node *map,
                        const enum gate_limit_kind *given) {
    const struct gate_limit *levels[2] = {NULL, NULL};
    char hint[GATE_RULES_HINT_BYTES];
    if (map->count == 0)
        return GATE_RULES_ERROR(state, map, "'%.*s' has no level: expected 'warn', 'error' or both",
                                GATE_STR_ARG(gate_rules_value_key(map)));
    for (const struct gate_yaml_node *node = map->first; node != NULL; node = node->next) {
        bool error = gate_str_equal(node->key->text, GATE_STR("error"));
        enum gate_limit_kind kind = given == NULL ? GATE_LIMIT_INCREASE : *given;
        if (!error && !gate_str_equal(node->key->text, GATE_STR("warn")))
            return GATE_RULES_ERROR(state, node->key, "unknown level '%.*s'%s", GATE_STR_ARG(node->key->text),
                                    gate_rules_value_hint(hint, node->key->text, gate_rules_limit_levels));
        if (given == NULL && !infer_kind(state, node, &kind))
            return false;
        if (!add_limit(state, budget, node, kind, error ? GATE_SEVERITY_ERROR : GATE_SEVERITY_WARN))
            return false;
        levels[error] = &budget->limits[budget->limit_count - 1];
    }
    return levels[0] == NULL || levels[1] == NULL || check_levels(state, map, levels[0], levels[1]);
}

/* {share_increase: "+5pp", share: "30%"}: each its own kind, with levels or without. */
static bool read_kinds(struct gate_rules_state *state, struct gate_budget *budget, const struct gate_yaml_node *map) {
    const char *words[GATE_LIMIT_KINDS + 1] = {NULL};
    char hint[GATE_RULES_HINT_BYTES];
    for (int i = 0; i < GATE_LIMIT_KINDS; i++)
        words[i] = gate_limit_kind_name((enum gate_limit_kind)i);
    for (const struct gate_yaml_node *node = map->first; node != NULL; node = node->next) {
        int at = 0;
        while (words[at] != NULL && !gate_str_equal(node->key->text, gate_str_from(words[at])))
            at++;
        if (words[at] == NULL)
            return GATE_RULES_ERROR(state, node->key, "unknown key '%.*s'%s", GATE_STR_ARG(node->key->text),
                                    gate_rules_value_hint(hint, node->key->text, words));
        enum gate_limit_kind kind = (enum gate_limit_kind)at;
        if (!(node->kind == GATE_YAML_MAP ? read_levels(state, budget, node, &kind)
                                          : add_limit(state, budget, node, kind, GATE_SEVERITY_OFF)))
            return false;
    }
    return true;
}

bool gate_rules_limit_read(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_budget *budget = field;
    budget->limits = NULL;
    budget->limit_count = 0;
    if (node->kind == GATE_YAML_MAP) {
        if (node->count == 0)
            return GATE_RULES_ERROR(state, node, "'limit' is empty: expected one such as {share_increase: \"+5pp\"}");
        bool levels = gate_yaml_get(node, "warn") != NULL || gate_yaml_get(node, "error") != NULL;
        return levels ? read_levels(state, budget, node, NULL) : read_kinds(state, budget, node);
    }
    enum gate_limit_kind kind = GATE_LIMIT_INCREASE;
    return infer_kind(state, node, &kind) && add_limit(state, budget, node, kind, GATE_SEVERITY_OFF);
}
