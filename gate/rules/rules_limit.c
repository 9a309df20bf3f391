/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a budget: "+5pp", "+100%", "2x", "30%", "250ms", "-10%", alone or as warn and error levels.
 * Neighbours: rules_budget.c (whose budget it is), rules_value.c. */
#include "gate/rules/rules_parts.h"

#include <stdio.h>

/* A quantity taken apart: sign, number, unit. */
struct quantity {
    char sign; /* '+', '-', or 0 */
    struct gate_str number;
    struct gate_str unit;
};

/* Units of `absolute`, by dimension, with what one of them is in the dimension's smallest. */
static const struct {
    const char *name;
    int dimension;
    double scale;
} absolute_units[] = {
    {"ns", 1, 1.0},         {"us", 1, 1e3},          {"\xC2\xB5s", 1, 1e3},    {"ms", 1, 1e6},          {"\xCE\xBCs", 1, 1e3},
    {"s", 1, 1e9},          {"min", 1, 60e9},        {"h", 1, 3600e9},         {"B", 2, 1.0},
    {"kB", 2, 1024.0},      {"KB", 2, 1024.0},       {"KiB", 2, 1024.0},       {"MB", 2, 1048576.0},
    {"MiB", 2, 1048576.0},  {"GB", 2, 1073741824.0}, {"GiB", 2, 1073741824.0}, {"count", 3, 1.0},
};

static const char *const limit_names[] = {"share_increase", "increase", "share", "absolute", "new_frame", "decrease"};

/* What each kind wants, for messages. */
static const char *const limit_wants[] = {
    "points of the total with their sign, such as '+5pp'",
    "growth with its sign, such as '+10%', or a ratio, such as '2x'",
    "a share without a sign, such as '30%'",
    "an amount with its unit, such as '250ms', '4MB' or '1000count'",
    "a share without a sign, such as '2%'",
    "a loss with its sign, such as '-10%', or a ratio, such as '0.9x'",
};

const char *gate_limit_kind_name(enum gate_limit_kind kind) {
    return limit_names[kind];
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* (0|[1-9][0-9]{0,11})(\.[0-9]{1,6})? so that the schema can say the same. */
static bool number_is_plain(struct gate_str number) {
    size_t whole = 0;
    while (whole < number.len && is_digit(number.ptr[whole]))
        whole++;
    if (whole == 0 || whole > 12 || (whole > 1 && number.ptr[0] == '0'))
        return false;
    size_t decimals = number.len - whole;
    return decimals == 0 || (decimals >= 2 && decimals <= 7);
}

static bool quantity_split(struct gate_str text, struct quantity *out) {
    size_t at = 0;
    *out = (struct quantity){0};
    if (text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-'))
        out->sign = text.ptr[at++];
    size_t from = at;
    while (at < text.len && is_digit(text.ptr[at]))
        at++;
    if (at < text.len && text.ptr[at] == '.') {
        at++;
        while (at < text.len && is_digit(text.ptr[at]))
            at++;
    }
    out->number = gate_str_slice(text, from, at);
    at += at < text.len && text.ptr[at] == ' ';
    out->unit = gate_str_slice(text, at, text.len);
    return number_is_plain(out->number);
}

static bool unit_is(const struct quantity *quantity, const char *unit) {
    return gate_str_equal(quantity->unit, gate_str_from(unit));
}

/* percent / 100 in [0, 1). */
static bool fraction_of(const struct quantity *quantity, double *value) {
    return rules_decimal(quantity->number, -2, value) && *value < 1.0;
}

static bool value_share_increase(const struct quantity *quantity, double *value) {
    return quantity->sign == '+' && unit_is(quantity, "pp") && fraction_of(quantity, value);
}

static bool value_share(const struct quantity *quantity, double *value) {
    return quantity->sign == 0 && unit_is(quantity, "%") && fraction_of(quantity, value);
}

static bool value_increase(const struct quantity *quantity, double *value) {
    if (quantity->sign == 0 && unit_is(quantity, "x"))
        return rules_decimal(quantity->number, 0, value) && *value >= 1.0 && *value < 1000.0;
    if (quantity->sign != '+' || !unit_is(quantity, "%") || !rules_decimal(quantity->number, -2, value))
        return false;
    *value += 1.0;
    return *value < 1001.0;
}

static bool value_decrease(const struct quantity *quantity, double *value) {
    if (quantity->sign == 0 && unit_is(quantity, "x"))
        return rules_decimal(quantity->number, 0, value) && *value > 0.0 && *value <= 1.0;
    if (quantity->sign != '-' || !unit_is(quantity, "%") || !fraction_of(quantity, value))
        return false;
    *value = 1.0 - *value;
    return true;
}

static bool value_absolute(const struct quantity *quantity, double *value) {
    for (size_t i = 0; i < sizeof absolute_units / sizeof *absolute_units; i++)
        if (quantity->sign == 0 && unit_is(quantity, absolute_units[i].name)) {
            if (!rules_decimal(quantity->number, 0, value))
                return false;
            *value *= absolute_units[i].scale;
            return true;
        }
    return false;
}

static bool limit_value(enum gate_limit_kind kind, const struct quantity *quantity, double *value) {
    switch (kind) {
    case GATE_LIMIT_SHARE_INCREASE:
        return value_share_increase(quantity, value);
    case GATE_LIMIT_INCREASE:
        return value_increase(quantity, value);
    /* No number of samples shows that something is exactly nothing: a level has to be above it. */
    case GATE_LIMIT_SHARE:
    case GATE_LIMIT_NEW_FRAME:
        return value_share(quantity, value) && *value > 0.0;
    case GATE_LIMIT_ABSOLUTE:
        return value_absolute(quantity, value) && *value > 0.0;
    case GATE_LIMIT_DECREASE:
        return value_decrease(quantity, value);
    }
    return false;
}

/* The next step for the mistakes that the two signs and the two units invite. */
static void limit_tip(char out[160], enum gate_limit_kind kind, const struct quantity *q) {
    out[0] = '\0';
    int len = (int)q->number.len;
    bool percent = unit_is(q, "%");
    bool level = kind == GATE_LIMIT_SHARE || kind == GATE_LIMIT_NEW_FRAME;
    double zero = 1.0;
    if (kind == GATE_LIMIT_SHARE_INCREASE && percent)
        (void)snprintf(out, 160, ": '%%' is of the frame's own baseline; write '+%.*spp', or 'increase: +%.*s%%'", len,
                       q->number.ptr, len, q->number.ptr);
    else if (kind == GATE_LIMIT_INCREASE && unit_is(q, "pp"))
        (void)snprintf(out, 160, ": 'pp' is points of the total; write 'share_increase: +%.*spp'", len, q->number.ptr);
    else if (kind == GATE_LIMIT_INCREASE && percent && q->sign == 0)
        (void)snprintf(out, 160, ": write '+%.*s%%' for growth by that much, or '2x' for a ratio", len, q->number.ptr);
    else if (kind == GATE_LIMIT_SHARE_INCREASE && q->sign == 0 && unit_is(q, "pp"))
        (void)snprintf(out, 160, ": write '+%.*spp'", len, q->number.ptr);
    else if (kind == GATE_LIMIT_DECREASE && percent && q->sign != '-')
        (void)snprintf(out, 160, ": write '-%.*s%%'", len, q->number.ptr);
    else if (level && percent && q->sign == 0 && rules_decimal(q->number, 0, &zero) && zero <= 0.0)
        (void)snprintf(out, 160, ": no number of samples shows nothing at all; write '0.1%%'");
    else if (level && percent && q->sign != 0)
        (void)snprintf(out, 160, ": write '%.*s%%'; growth belongs to 'increase' or 'share_increase'", len,
                       q->number.ptr);
}

static bool read_quantity(struct rules_parse *parse, const struct gate_yaml_node *node, enum gate_limit_kind kind,
                          struct gate_limit *limit) {
    struct quantity quantity = {0};
    char found[96];
    char tip[160] = "";
    bool is_scalar = node->kind != GATE_YAML_LIST && node->kind != GATE_YAML_MAP && node->kind != GATE_YAML_NULL;
    bool plain = is_scalar && quantity_split(node->text, &quantity);
    if (!plain || node->kind != GATE_YAML_TEXT || !limit_value(kind, &quantity, &limit->value)) {
        if (plain)
            limit_tip(tip, kind, &quantity);
        return RULES_ERROR(parse, node, "'%s' expects %s; found %s%s", limit_names[kind], limit_wants[kind],
                           rules_describe(found, node), tip);
    }
    limit->kind = kind;
    limit->text = node->text;
    limit->line = node->line;
    limit->column = node->column;
    return true;
}

static bool add_limit(struct rules_parse *parse, struct gate_budget *budget, const struct gate_yaml_node *node,
                      enum gate_limit_kind kind, enum gate_severity severity) {
    /* Six kinds with two levels each is all that can be written. */
    if (budget->limits == NULL)
        budget->limits = GATE_NEW_ARRAY(parse->arena, struct gate_limit, 12);
    if (budget->limits == NULL)
        return gate_arena_error(parse->arena, parse->err);
    struct gate_limit *limit = &budget->limits[budget->limit_count];
    if (!read_quantity(parse, node, kind, limit))
        return false;
    limit->severity = severity;
    budget->limit_count++;
    return true;
}

/* A kind that only one quantity can mean: signs and units keep them apart, except for a bare share. */
static bool infer_kind(struct rules_parse *parse, const struct gate_yaml_node *node, enum gate_limit_kind *kind) {
    static const enum gate_limit_kind inferred[] = {GATE_LIMIT_SHARE_INCREASE, GATE_LIMIT_INCREASE,
                                                    GATE_LIMIT_DECREASE, GATE_LIMIT_ABSOLUTE};
    struct quantity quantity;
    double ignored = 0.0;
    char found[96];
    if (node->kind == GATE_YAML_TEXT && quantity_split(node->text, &quantity))
        for (size_t i = 0; i < sizeof inferred / sizeof *inferred; i++)
            if (limit_value(inferred[i], &quantity, &ignored)) {
                *kind = inferred[i];
                return true;
            }
    if (node->kind == GATE_YAML_TEXT && quantity.sign == 0 && unit_is(&quantity, "%"))
        return RULES_ERROR(parse, node, "'%.*s' can mean several things: write '+%.*s' for growth, or {share: \"%.*s\"}",
                           GATE_STR_ARG(node->text), GATE_STR_ARG(node->text), GATE_STR_ARG(node->text));
    return RULES_ERROR(parse, node, "'%.*s' expects a limit such as '+5pp', '+10%%', '2x' or '250ms'; found %s",
                       GATE_STR_ARG(rules_key_name(node)), rules_describe(found, node));
}

/* 1: a time, 2: bytes, 3: a count; 0: not an amount. */
static int dimension_of(const struct gate_limit *limit) {
    struct quantity quantity;
    (void)quantity_split(limit->text, &quantity);
    for (size_t i = 0; i < sizeof absolute_units / sizeof *absolute_units; i++)
        if (unit_is(&quantity, absolute_units[i].name))
            return absolute_units[i].dimension;
    return 0;
}

static bool check_levels(struct rules_parse *parse, const struct gate_yaml_node *map, const struct gate_limit *warn,
                         const struct gate_limit *error) {
    if (warn->kind != error->kind)
        return RULES_ERROR(parse, map, "'warn' is a limit of kind '%s', 'error' of kind '%s': expected one kind",
                           limit_names[warn->kind], limit_names[error->kind]);
    if (dimension_of(warn) != dimension_of(error))
        return RULES_ERROR(parse, map, "the levels '%.*s' and '%.*s' cannot be compared: expected units of one kind",
                           GATE_STR_ARG(warn->text), GATE_STR_ARG(error->text));
    if (warn->value >= error->value)
        return RULES_ERROR(parse, map, "the warn level '%.*s' is not below the error level '%.*s': it would never speak",
                           GATE_STR_ARG(warn->text), GATE_STR_ARG(error->text));
    return true;
}

/* {warn: "+2pp", error: "+5pp"}; `given` NULL: inferred from what is written. */
static bool read_levels(struct rules_parse *parse, struct gate_budget *budget, const struct gate_yaml_node *map,
                        const enum gate_limit_kind *given) {
    static const char *const words[] = {"warn", "error", NULL};
    const struct gate_limit *levels[2] = {NULL, NULL};
    char hint[400];
    if (map->count == 0)
        return RULES_ERROR(parse, map, "'%.*s' has no level: expected 'warn', 'error' or both",
                           GATE_STR_ARG(rules_key_name(map)));
    for (const struct gate_yaml_node *node = map->first; node != NULL; node = node->next) {
        bool error = gate_str_equal(node->key->text, GATE_STR("error"));
        enum gate_limit_kind kind = given == NULL ? GATE_LIMIT_INCREASE : *given;
        if (!error && !gate_str_equal(node->key->text, GATE_STR("warn")))
            return RULES_ERROR(parse, node->key, "unknown level '%.*s'%s", GATE_STR_ARG(node->key->text),
                               rules_hint(hint, node->key->text, words));
        if (given == NULL && !infer_kind(parse, node, &kind))
            return false;
        if (!add_limit(parse, budget, node, kind, error ? GATE_SEVERITY_ERROR : GATE_SEVERITY_WARN))
            return false;
        levels[error] = &budget->limits[budget->limit_count - 1];
    }
    return levels[0] == NULL || levels[1] == NULL || check_levels(parse, map, levels[0], levels[1]);
}

static bool read_kind(struct rules_parse *parse, void *field, const struct gate_yaml_node *node,
                      enum gate_limit_kind kind) {
    if (node->kind == GATE_YAML_MAP)
        return read_levels(parse, field, node, &kind);
    return add_limit(parse, field, node, kind, GATE_SEVERITY_OFF);
}

static bool read_share_increase(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return read_kind(parse, field, node, GATE_LIMIT_SHARE_INCREASE);
}

static bool read_increase(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return read_kind(parse, field, node, GATE_LIMIT_INCREASE);
}

static bool read_share(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return read_kind(parse, field, node, GATE_LIMIT_SHARE);
}

static bool read_absolute(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return read_kind(parse, field, node, GATE_LIMIT_ABSOLUTE);
}

static bool read_new_frame(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return read_kind(parse, field, node, GATE_LIMIT_NEW_FRAME);
}

static bool read_decrease(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return read_kind(parse, field, node, GATE_LIMIT_DECREASE);
}

const struct rules_key rules_limit_keys[] = {
    {"share_increase", read_share_increase, 0}, {"increase", read_increase, 0},   {"share", read_share, 0},
    {"absolute", read_absolute, 0},             {"new_frame", read_new_frame, 0}, {"decrease", read_decrease, 0},
    {NULL, NULL, 0}};

/* Levels are read in pairs by read_levels; the rows are for the reference and its test. */
const struct rules_key rules_level_keys[] = {{"warn", NULL, 0}, {"error", NULL, 0}, {NULL, NULL, 0}};

bool rules_read_limit(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    struct gate_budget *budget = field;
    budget->limits = NULL;
    budget->limit_count = 0;
    if (node->kind == GATE_YAML_MAP) {
        if (node->count == 0)
            return RULES_ERROR(parse, node, "'limit' is empty: expected one such as {share_increase: \"+5pp\"}");
        bool levels = gate_yaml_get(node, "warn") != NULL || gate_yaml_get(node, "error") != NULL;
        return levels ? read_levels(parse, budget, node, NULL) : rules_read_map(parse, node, rules_limit_keys, budget);
    }
    enum gate_limit_kind kind = GATE_LIMIT_INCREASE;
    return infer_kind(parse, node, &kind) && add_limit(parse, budget, node, kind, GATE_SEVERITY_OFF);
}

bool rules_read_share(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    struct quantity quantity;
    char found[96];
    if (node->kind == GATE_YAML_TEXT && quantity_split(node->text, &quantity) && value_share(&quantity, field))
        return true;
    return RULES_ERROR(parse, node, "'%.*s' expects a share of the total, such as '0.5%%'; found %s",
                       GATE_STR_ARG(rules_key_name(node)), rules_describe(found, node));
}

bool rules_read_ratio(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    struct quantity quantity;
    char found[96];
    if (node->kind == GATE_YAML_TEXT && quantity_split(node->text, &quantity) && unit_is(&quantity, "x") &&
        value_increase(&quantity, field))
        return true;
    return RULES_ERROR(parse, node, "'%.*s' expects a ratio, such as '2x'; found %s",
                       GATE_STR_ARG(rules_key_name(node)), rules_describe(found, node));
}

bool rules_read_points(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    struct quantity quantity;
    double *value = field;
    char found[96];
    if (node->kind == GATE_YAML_TEXT && quantity_split(node->text, &quantity) && quantity.sign == 0 &&
        unit_is(&quantity, "pp") && fraction_of(&quantity, value) && *value > 0.0)
        return true;
    return RULES_ERROR(parse, node, "'%.*s' expects points of the total without a sign, such as '10pp'; found %s",
                       GATE_STR_ARG(rules_key_name(node)), rules_describe(found, node));
}
