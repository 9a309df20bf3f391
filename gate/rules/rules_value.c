/* SPDX-License-Identifier: Apache-2.0 */
/* Single values of a rules file: words, numbers, texts, patterns, and how mistakes in them are told.
 * Neighbours: rules_parts.h, rules.c (the file), rules_budget.c and rules_limit.c (what is built from these). */
#include "gate/rules/rules_parts.h"

#include <stdio.h>

/* What users of neighbouring tools type, and our word for it. Told, never accepted: one word for one thing. */
static const char *const foreign_words[][2] = {
    {"assert", "budgets"},       {"assertions", "budgets"},     {"thresholds", "budgets"},  {"rules", "budgets"},
    {"checks", "budgets"},       {"threshold", "limit"},        {"limits", "limit"},        {"target", "limit"},
    {"maxSize", "limit"},        {"max", "limit"},              {"preset", "extends"},      {"level", "severity"},
    {"informational", "severity"}, {"abortOnFail", "severity"}, {"critical", "error"},      {"warning", "warn"},
    {"warnings", "warn"},        {"fail", "error"},             {"failure", "error"},       {"info", "warn"},
    {"none", "off"},             {"false", "off"},              {"disabled", "off"},        {"ignore", "off"},
    {"flat", "self"},            {"cum", "cumulative"},         {"inclusive", "cumulative"}, {"exclusive", "self"},
    {"growth", "increase"},      {"max_increase", "increase"},  {"ratio", "increase"},      {"path", "file"},
    {"module", "package"},       {"binary", "mapping"},         {"exclude", "not"},         {"match", "select"},
    {"labels", "where"},         {"tags", "where"},             {"description", "message"}, {"until", "expires"},
    {"type", "sample_type"},     {"min_value", "min_share"},    {"id", "name"},             {"title", "name"},
    {"exclude", "select"},       {"func", "function"},         {"frame", "function"},      {"warn", "limit"},
    {"from", "match"},           {"with", "to"},                {"mutex", "mutex_fraction"}, {"rate", "period"},
    {NULL, NULL}};

struct gate_str rules_key_name(const struct gate_yaml_node *node) {
    return node->key == NULL ? GATE_STR("the file") : node->key->text;
}

const char *rules_describe(char out[96], const struct gate_yaml_node *node) {
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

const char *rules_hint(char out[400], struct gate_str found, const char *const *words) {
    const char *near = foreign_word(found, words);
    if (near == NULL)
        near = gate_str_nearest(found, words);
    if (near != NULL) {
        (void)snprintf(out, 400, " (did you mean '%s'?)", near);
        return out;
    }
    size_t len = 0;
    out[0] = '\0';
    for (; *words != NULL && len < 400; words++) {
        int wrote = snprintf(out + len, 400 - len, "%s%s", len == 0 ? " (one of: " : ", ", *words);
        len += wrote > 0 ? (size_t)wrote : 0;
    }
    if (len > 0 && len < 399)
        (void)snprintf(out + len, 400 - len, ")");
    else
        out[0] = '\0';
    return out;
}

bool rules_expect(struct rules_parse *parse, const struct gate_yaml_node *node, enum gate_yaml_kind kind,
                  const char *what) {
    char found[96];
    if (node->kind == kind)
        return true;
    const char *tip = "";
    if (kind == GATE_YAML_TEXT && (node->kind == GATE_YAML_INT || node->kind == GATE_YAML_FLOAT ||
                                   node->kind == GATE_YAML_BOOL))
        tip = ": put it in quotes";
    if (node->key == NULL)
        return RULES_ERROR(parse, node, "expected %s, found %s%s", what, rules_describe(found, node), tip);
    return RULES_ERROR(parse, node, "'%.*s' expects %s, found %s%s", GATE_STR_ARG(rules_key_name(node)), what,
                       rules_describe(found, node), tip);
}

bool rules_word(struct rules_parse *parse, const struct gate_yaml_node *node, const char *const *words,
                uint32_t *index) {
    char hint[400];
    char found[96];
    bool is_scalar = node->kind != GATE_YAML_LIST && node->kind != GATE_YAML_MAP;
    if (node->kind == GATE_YAML_TEXT)
        for (uint32_t i = 0; words[i] != NULL; i++)
            if (gate_str_equal(node->text, gate_str_from(words[i]))) {
                *index = i;
                return true;
            }
    return RULES_ERROR(parse, node, "'%.*s' does not take %s%s", GATE_STR_ARG(rules_key_name(node)),
                       rules_describe(found, node), rules_hint(hint, is_scalar ? node->text : GATE_STR(""), words));
}

/* Up to 18 digits as an integer; the decimal point moves `*shift`. */
static bool decimal_digits(struct gate_str text, size_t *at, uint64_t *mantissa, int *shift) {
    unsigned digits = 0;
    bool point = false;
    for (; *at < text.len; (*at)++) {
        char c = text.ptr[*at];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        if (++digits > 18)
            return false;
        *mantissa = *mantissa * 10 + (uint64_t)(c - '0');
        *shift -= point;
    }
    return digits > 0;
}

static bool decimal_exponent(struct gate_str text, size_t at, int *shift) {
    int exponent = 0;
    at++;
    bool negative = at < text.len && text.ptr[at] == '-';
    at += at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+');
    if (at == text.len || text.len - at > 3)
        return false;
    for (; at < text.len; at++) {
        if (text.ptr[at] < '0' || text.ptr[at] > '9')
            return false;
        exponent = exponent * 10 + (text.ptr[at] - '0');
    }
    *shift += negative ? -exponent : exponent;
    return true;
}

bool rules_decimal(struct gate_str text, int shift, double *value) {
    uint64_t mantissa = 0;
    size_t at = text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-');
    bool negative = at == 1 && text.ptr[0] == '-';
    if (!decimal_digits(text, &at, &mantissa, &shift))
        return false;
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
        if (!decimal_exponent(text, at, &shift))
            return false;
    } else if (at != text.len) {
        return false;
    }
    /* Powers of ten up to 22 are exact doubles, so that there is one rounding and 0.05 is the literal's double. */
    double power = 1.0;
    double result = (double)mantissa;
    if (shift > 22 || shift < -22)
        return false;
    for (int i = 0; i < (shift < 0 ? -shift : shift); i++)
        power *= 10.0;
    result = shift < 0 ? result / power : result * power;
    *value = negative ? -result : result;
    return true;
}

bool rules_number(struct rules_parse *parse, const struct gate_yaml_node *node, double low, double high,
                  double *value) {
    double found = 0.0;
    char text[96];
    if (node->kind != GATE_YAML_INT && node->kind != GATE_YAML_FLOAT)
        return RULES_ERROR(parse, node, "'%.*s' expects a number, found %s%s", GATE_STR_ARG(rules_key_name(node)),
                           rules_describe(text, node),
                           rules_decimal(node->text, 0, &found) ? ": take the quotes away" : "");
    if (!rules_decimal(node->text, 0, &found) || !(found >= low && found <= high))
        return RULES_ERROR(parse, node, "'%.*s' is out of range: expected %g to %g, found %s",
                           GATE_STR_ARG(rules_key_name(node)), low, high, rules_describe(text, node));
    *value = found;
    return true;
}

bool rules_text(struct rules_parse *parse, const struct gate_yaml_node *node, struct gate_str *text) {
    if (!rules_expect(parse, node, GATE_YAML_TEXT, "text"))
        return false;
    if (gate_str_trim(node->text).len == 0)
        return RULES_ERROR(parse, node, "'%.*s' is empty: expected text", GATE_STR_ARG(rules_key_name(node)));
    if (node->text.len > RULES_TEXT_MAX)
        return RULES_ERROR(parse, node, "'%.*s' is longer than %d bytes", GATE_STR_ARG(rules_key_name(node)),
                           (int)RULES_TEXT_MAX);
    *text = node->text;
    return true;
}

bool rules_read_text(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return rules_text(parse, node, field);
}

bool rules_read_line(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    if (!rules_text(parse, node, field))
        return false;
    /* In a quoted scalar, "\n" and "\x1b" are characters by now. */
    for (size_t i = 0; i < node->text.len; i++)
        if ((unsigned char)node->text.ptr[i] < 0x20 || node->text.ptr[i] == 0x7F)
            return RULES_ERROR(parse, node, "'%.*s' holds a line break or another control character: expected one line",
                               GATE_STR_ARG(rules_key_name(node)));
    return true;
}

bool rules_read_bool(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    if (!rules_expect(parse, node, GATE_YAML_BOOL, "true or false"))
        return false;
    *(bool *)field = node->text.ptr[0] == 't' || node->text.ptr[0] == 'T';
    return true;
}

bool rules_severity_of(struct rules_parse *parse, const struct gate_yaml_node *node, enum gate_severity *severity) {
    static const char *const words[] = {"off", "warn", "error", NULL};
    uint32_t index = 0;
    if (!rules_word(parse, node, words, &index))
        return false;
    *severity = (enum gate_severity)index;
    return true;
}

bool rules_read_severity(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return rules_severity_of(parse, node, field);
}

/* Every compiled pattern is the rules' to free, also of budgets that another file replaced. */
static bool keep_regex(struct rules_parse *parse, struct gate_regex *regex) {
    struct gate_rules *rules = parse->rules;
    struct gate_regex **grown = gate_arena_grow(parse->arena, rules->regexes, rules->regex_count,
                                                &parse->regex_capacity, sizeof(struct gate_regex *));
    if (grown == NULL) {
        gate_regex_free(regex);
        return gate_arena_error(parse->arena, parse->err);
    }
    rules->regexes = grown;
    rules->regexes[rules->regex_count++] = regex;
    return true;
}

bool rules_pattern(struct rules_parse *parse, const struct gate_yaml_node *node, struct gate_pattern *pattern) {
    struct gate_error inner = {0};
    struct gate_regex *regex = NULL;
    if (!rules_expect(parse, node, GATE_YAML_TEXT, "a pattern"))
        return false;
    if (node->text.len == 0)
        return RULES_ERROR(parse, node, "'%.*s' is empty: write '.*' for everything",
                           GATE_STR_ARG(rules_key_name(node)));
    if (node->text.len > RULES_TEXT_MAX)
        return RULES_ERROR(parse, node, "'%.*s' is longer than %d bytes", GATE_STR_ARG(rules_key_name(node)),
                           (int)RULES_TEXT_MAX);
    if (!gate_regex_compile(&regex, node->text, &inner))
        return gate_error_set_at(parse->err, inner.code, node->line, node->column, "%s", inner.message);
    pattern->text = node->text;
    pattern->regex = regex;
    return keep_regex(parse, regex);
}

bool rules_read_pattern(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return rules_pattern(parse, node, field);
}
