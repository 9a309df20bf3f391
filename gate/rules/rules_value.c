/* SPDX-License-Identifier: Apache-2.0 */
/* Single values of a rules file (see rules_value.h). */
#include "gate/rules/rules_value.h"

#include <stdio.h>

/* What users of neighbouring tools type, and our word for it. Told, never accepted: one word for one thing. */
static const char *const foreign_words[][2] = {{"assert", "budgets"},
                                               {"assertions", "budgets"},
                                               {"thresholds", "budgets"},
                                               {"rules", "budgets"},
                                               {"checks", "budgets"},
                                               {"threshold", "limit"},
                                               {"limits", "limit"},
                                               {"target", "limit"},
                                               {"maxSize", "limit"},
                                               {"max", "limit"},
                                               {"preset", "extends"},
                                               {"level", "severity"},
                                               {"informational", "severity"},
                                               {"abortOnFail", "severity"},
                                               {"critical", "error"},
                                               {"warning", "warn"},
                                               {"warnings", "warn"},
                                               {"fail", "error"},
                                               {"failure", "error"},
                                               {"info", "warn"},
                                               {"none", "off"},
                                               {"false", "off"},
                                               {"disabled", "off"},
                                               {"ignore", "off"},
                                               {"flat", "self"},
                                               {"cum", "cumulative"},
                                               {"inclusive", "cumulative"},
                                               {"exclusive", "self"},
                                               {"growth", "increase"},
                                               {"max_increase", "increase"},
                                               {"ratio", "increase"},
                                               {"path", "file"},
                                               {"module", "package"},
                                               {"binary", "mapping"},
                                               {"exclude", "not"},
                                               {"match", "select"},
                                               {"labels", "where"},
                                               {"tags", "where"},
                                               {"description", "message"},
                                               {"until", "expires"},
                                               {"type", "sample_type"},
                                               {"min_value", "min_share"},
                                               {"id", "name"},
                                               {"title", "name"},
                                               {"exclude", "select"},
                                               {"func", "function"},
                                               {"frame", "function"},
                                               {"warn", "limit"},
                                               {"from", "match"},
                                               {"with", "to"},
                                               {"mutex", "mutex_fraction"},
                                               {"rate", "period"},
                                               {NULL, NULL}};

struct gate_str gate_rules_value_key(const struct gate_yaml_node *node) {
    return node->key == NULL ? GATE_STR("the file") : node->key->text;
}

const char *gate_rules_value_found(char out[96], const struct gate_yaml_node *node) {
    if (node->kind == GATE_YAML_LIST || node->kind == GATE_YAML_MAP || node->kind == GATE_YAML_NULL)
        (void)snprintf(out, 96, "%s", gate_yaml_kind_name(node->kind));
    else
        (void)snprintf(out, 96, "'%.*s%s'", node->text.len > 60 ? 60 : (int)node->text.len, node->text.ptr,
                       node->text.len > 60 ? "..." : "");
    return out;
}

static const char *foreign_word(struct gate_str found, const char *const *words) {
    for (size_t i = 0; foreign_words[i][0] != NULL; i++) {
        if (!gate_str_equal(found, gate_str_from(foreign_words[i][0])))
            continue;
        for (const char *const *word = words; *word != NULL; word++)
            if (strcmp(*word, foreign_words[i][1]) == 0)
                return *word;
    }
    return NULL;
}

const char *gate_rules_value_hint(char out[GATE_RULES_HINT_BYTES], struct gate_str found, const char *const *words) {
    const char *near = foreign_word(found, words);
    if (near == NULL)
        near = gate_str_nearest(found, words);
    if (near != NULL) {
        (void)snprintf(out, GATE_RULES_HINT_BYTES, " (did you mean '%s'?)", near);
        return out;
    }
    size_t len = 0;
    out[0] = '\0';
    for (; *words != NULL && len < GATE_RULES_HINT_BYTES; words++) {
        int wrote = snprintf(out + len, GATE_RULES_HINT_BYTES - len, "%s%s", len == 0 ? " (one of: " : ", ", *words);
        len += wrote > 0 ? (size_t)wrote : 0;
    }
    if (len > 0 && len < GATE_RULES_HINT_BYTES - 1)
        (void)snprintf(out + len, GATE_RULES_HINT_BYTES - len, ")");
    else
        out[0] = '\0';
    return out;
}

bool gate_rules_value_expect(struct gate_rules_state *state, const struct gate_yaml_node *node,
                             enum gate_yaml_kind kind, const char *what) {
    char found[96];
    if (node->kind == kind)
        return true;
    const char *tip = "";
    if (kind == GATE_YAML_TEXT &&
        (node->kind == GATE_YAML_INT || node->kind == GATE_YAML_FLOAT || node->kind == GATE_YAML_BOOL))
        tip = ": put it in quotes";
    if (node->key == NULL)
        return GATE_RULES_ERROR(state, node, "expected %s, found %s%s", what, gate_rules_value_found(found, node), tip);
    return GATE_RULES_ERROR(state, node, "'%.*s' expects %s, found %s%s", GATE_STR_ARG(gate_rules_value_key(node)),
                            what, gate_rules_value_found(found, node), tip);
}

static bool unknown_key(struct gate_rules_state *state, const struct gate_yaml_node *key,
                        const struct gate_rules_row *keys) {
    const char *words[GATE_RULES_WORDS_MAX + 1];
    char hint[GATE_RULES_HINT_BYTES];
    uint32_t count = 0;
    for (; keys->name != NULL && count < GATE_RULES_WORDS_MAX; keys++)
        words[count++] = keys->name;
    words[count] = NULL;
    return GATE_RULES_ERROR(state, key, "unknown key '%.*s'%s", GATE_STR_ARG(key->text),
                            gate_rules_value_hint(hint, key->text, words));
}

bool gate_rules_value_map(struct gate_rules_state *state, const struct gate_yaml_node *node,
                          const struct gate_rules_row *keys, void *target) {
    if (!gate_rules_value_expect(state, node, GATE_YAML_MAP, "a map"))
        return false;
    for (const struct gate_yaml_node *value = node->first; value != NULL; value = value->next) {
        const struct gate_rules_row *key = keys;
        while (key->name != NULL && !gate_str_equal(value->key->text, gate_str_from(key->name)))
            key++;
        if (key->name == NULL)
            return unknown_key(state, value->key, keys);
        if (!key->read(state, (char *)target + key->offset, value))
            return false;
    }
    return true;
}

bool gate_rules_value_word(struct gate_rules_state *state, const struct gate_yaml_node *node, const char *const *words,
                           uint32_t *index) {
    char hint[GATE_RULES_HINT_BYTES];
    char found[96];
    bool is_scalar = node->kind != GATE_YAML_LIST && node->kind != GATE_YAML_MAP;
    if (node->kind == GATE_YAML_TEXT)
        for (uint32_t i = 0; words[i] != NULL; i++)
            if (gate_str_equal(node->text, gate_str_from(words[i]))) {
                *index = i;
                return true;
            }
    return GATE_RULES_ERROR(state, node, "'%.*s' cannot be %s%s", GATE_STR_ARG(gate_rules_value_key(node)),
                            gate_rules_value_found(found, node),
                            gate_rules_value_hint(hint, is_scalar ? node->text : GATE_STR(""), words));
}

bool gate_rules_value_number(struct gate_rules_state *state, const struct gate_yaml_node *node, double low, double high,
                             double *value) {
    double found = 0.0;
    char text[96];
    if (node->kind != GATE_YAML_INT && node->kind != GATE_YAML_FLOAT)
        return GATE_RULES_ERROR(state, node, "'%.*s' expects a number, found %s%s",
                                GATE_STR_ARG(gate_rules_value_key(node)), gate_rules_value_found(text, node),
                                gate_amount_decimal(&found, node->text, 0) ? ": remove the quotes" : "");
    if (!gate_amount_decimal(&found, node->text, 0) || !(found >= low && found <= high))
        return GATE_RULES_ERROR(state, node, "'%.*s' is out of range: expected %g to %g, found %s",
                                GATE_STR_ARG(gate_rules_value_key(node)), low, high,
                                gate_rules_value_found(text, node));
    *value = found;
    return true;
}

bool gate_rules_value_text(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    if (!gate_rules_value_expect(state, node, GATE_YAML_TEXT, "text"))
        return false;
    if (gate_str_trim(node->text).len == 0)
        return GATE_RULES_ERROR(state, node, "'%.*s' is empty: expected text",
                                GATE_STR_ARG(gate_rules_value_key(node)));
    if (node->text.len > GATE_RULES_TEXT_MAX)
        return GATE_RULES_ERROR(state, node, "'%.*s' is longer than %d bytes", GATE_STR_ARG(gate_rules_value_key(node)),
                                (int)GATE_RULES_TEXT_MAX);
    *(struct gate_str *)field = node->text;
    return true;
}

bool gate_rules_value_line(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    if (!gate_rules_value_text(state, field, node))
        return false;
    /* In a quoted scalar, "\n" and "\x1b" are characters by now. */
    for (size_t i = 0; i < node->text.len; i++)
        if ((unsigned char)node->text.ptr[i] < 0x20 || node->text.ptr[i] == 0x7F)
            return GATE_RULES_ERROR(state, node,
                                    "'%.*s' contains a line break or another control character: expected a single line",
                                    GATE_STR_ARG(gate_rules_value_key(node)));
    return true;
}

bool gate_rules_value_bool(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    if (!gate_rules_value_expect(state, node, GATE_YAML_BOOL, "true or false"))
        return false;
    *(bool *)field = node->text.ptr[0] == 't' || node->text.ptr[0] == 'T';
    return true;
}

bool gate_rules_value_severity(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, gate_severity_words, &index))
        return false;
    *(enum gate_severity *)field = (enum gate_severity)index;
    return true;
}

/* Every compiled pattern is the rules' to free, also of budgets that another file replaced. */
static bool keep_regex(struct gate_rules_state *state, struct gate_regex *regex) {
    struct gate_rules *rules = state->rules;
    struct gate_regex **grown = gate_arena_grow(state->arena, rules->regexes, rules->regex_count,
                                                &state->regex_capacity, sizeof(struct gate_regex *));
    if (grown == NULL) {
        gate_regex_free(regex);
        return gate_arena_error(state->arena, state->err);
    }
    rules->regexes = grown;
    rules->regexes[rules->regex_count++] = regex;
    return true;
}

bool gate_rules_value_pattern(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_pattern *pattern = field;
    struct gate_error inner = {0};
    struct gate_regex *regex = NULL;
    if (!gate_rules_value_expect(state, node, GATE_YAML_TEXT, "a pattern"))
        return false;
    if (node->text.len == 0)
        return GATE_RULES_ERROR(state, node, "'%.*s' is empty: write '.*' to match everything",
                                GATE_STR_ARG(gate_rules_value_key(node)));
    if (node->text.len > GATE_RULES_TEXT_MAX)
        return GATE_RULES_ERROR(state, node, "'%.*s' is longer than %d bytes", GATE_STR_ARG(gate_rules_value_key(node)),
                                (int)GATE_RULES_TEXT_MAX);
    if (!gate_regex_compile(&regex, node->text, &inner))
        return gate_error_set_at(state->err, inner.code, node->line, node->column, "%s", inner.message);
    pattern->text = node->text;
    pattern->regex = regex;
    return keep_regex(state, regex);
}

/* An amount that is written as `read` wants it. */
static bool read_amount(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node,
                        gate_amount_fn *read, const char *wants) {
    struct gate_amount amount;
    char found[96];
    if (node->kind == GATE_YAML_TEXT && gate_amount_split(&amount, node->text) && read(field, &amount))
        return true;
    return GATE_RULES_ERROR(state, node, "'%.*s' expects %s; found %s", GATE_STR_ARG(gate_rules_value_key(node)), wants,
                            gate_rules_value_found(found, node));
}

bool gate_rules_value_share(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return read_amount(state, field, node, gate_amount_share, "a share of the total, such as '0.5%'");
}

bool gate_rules_value_ratio(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return read_amount(state, field, node, gate_amount_ratio, "a ratio, such as '2x'");
}

bool gate_rules_value_days(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return read_amount(state, field, node, gate_amount_days, "days, such as '30d'");
}

bool gate_rules_value_points(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return read_amount(state, field, node, gate_amount_points, "points of the total without a sign, such as '10pp'");
}
