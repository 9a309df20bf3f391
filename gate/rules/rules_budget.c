/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets of a rules file: their keys, how one file's budget lies over another's, and what a whole budget must be.
 * Neighbours: rules.c (the file), rules_limit.c (its limits), rules_value.c. */
#include "gate/rules/rules.h"
#include "gate/rules/rules_parts.h"
#include "gate/rules/waiver.h"

#include <stdio.h>

static const char *const measure_names[] = {
    [GATE_MEASURE_SELF] = "self",
    [GATE_MEASURE_CUMULATIVE] = "cumulative",
    [GATE_MEASURE_CHARGED] = "charged",
    [GATE_MEASURE_TOTAL] = "total",
    [GATE_MEASURE_SELF_COST] = "self_cost",
    [GATE_MEASURE_CUMULATIVE_COST] = "cumulative_cost",
    [GATE_MEASURE_CHARGED_COST] = "charged_cost",
    [GATE_MEASURE_TOTAL_COST] = "total_cost",
    NULL,
};

const char *gate_budget_measure_name(enum gate_budget_measure measure) {
    return measure_names[measure];
}

static bool read_measure(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    uint32_t index = 0;
    if (!rules_word(parse, node, measure_names, &index))
        return false;
    *(enum gate_budget_measure *)field = (enum gate_budget_measure)index;
    return true;
}

static bool read_as(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    static const char *const words[] = {"each", "group", NULL};
    uint32_t index = 0;
    if (!rules_word(parse, node, words, &index))
        return false;
    *(bool *)field = index == 1;
    return true;
}

static bool read_where(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    struct gate_budget *budget = field;
    if (!rules_expect(parse, node, GATE_YAML_MAP, "a map of labels, such as {endpoint: /checkout}"))
        return false;
    if (node->count == 0)
        return RULES_ERROR(parse, node, "'where' is empty: expected labels, such as {endpoint: /checkout}");
    budget->where = GATE_NEW_ARRAY(parse->arena, struct gate_label_match, node->count);
    budget->where_count = 0;
    if (budget->where == NULL)
        return gate_arena_error(parse->arena, parse->err);
    for (const struct gate_yaml_node *label = node->first; label != NULL; label = label->next) {
        bool fits = label->kind == GATE_YAML_TEXT || label->kind == GATE_YAML_INT || label->kind == GATE_YAML_BOOL;
        if (!fits || label->key->text.len == 0)
            return RULES_ERROR(parse, label, "label '%.*s' expects one value, found %s", GATE_STR_ARG(label->key->text),
                               gate_yaml_kind_name(label->kind));
        budget->where[budget->where_count++] = (struct gate_label_match){label->key->text, label->text};
    }
    return true;
}

static bool read_not(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    if (node->kind == GATE_YAML_TEXT)
        return rules_read_pattern(parse, &((struct gate_select *)field)->not_function, node);
    if (node->kind == GATE_YAML_MAP && node->count == 0)
        return RULES_ERROR(parse, node, "'not' is empty: expected a pattern");
    return rules_read_map(parse, node, rules_not_keys, field);
}

const struct rules_key rules_not_keys[] = {
    {"function", rules_read_pattern, offsetof(struct gate_select, not_function)},
    {"package", rules_read_pattern, offsetof(struct gate_select, not_package)},
    {"file", rules_read_pattern, offsetof(struct gate_select, not_file)},
    {"mapping", rules_read_pattern, offsetof(struct gate_select, not_mapping)},
    {NULL, NULL, 0}};

const struct rules_key rules_select_keys[] = {
    {"function", rules_read_pattern, offsetof(struct gate_select, function)},
    {"package", rules_read_pattern, offsetof(struct gate_select, package)},
    {"file", rules_read_pattern, offsetof(struct gate_select, file)},
    {"mapping", rules_read_pattern, offsetof(struct gate_select, mapping)},
    {"not", read_not, 0},
    {"under", rules_read_pattern, offsetof(struct gate_select, under)},
    {NULL, NULL, 0}};

bool rules_read_select(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    struct gate_select *select = field;
    *select = (struct gate_select){0};
    if (node->kind == GATE_YAML_TEXT)
        return rules_read_pattern(parse, &select->function, node);
    if (node->kind == GATE_YAML_MAP && node->count == 0)
        return RULES_ERROR(parse, node, "'select' is empty: leave it out to mean every frame");
    return rules_read_map(parse, node, rules_select_keys, select);
}

/* "2 of 3" */
static bool read_sustain(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    struct gate_budget *budget = field;
    const struct gate_str of = GATE_STR(" of ");
    double k = 0.0;
    double n = 0.0;
    char found[96];
    size_t at = node->kind == GATE_YAML_TEXT ? gate_str_find(node->text, of, 0) : SIZE_MAX;
    bool ok = at != SIZE_MAX && at >= 1 && at <= 2 && node->text.len - at - of.len <= 2;
    ok = ok && node->text.ptr[0] >= '1' && node->text.ptr[0] <= '9' && node->text.ptr[at + of.len] >= '1';
    ok = ok && rules_decimal(gate_str_slice(node->text, 0, at), 0, &k) &&
         rules_decimal(gate_str_slice(node->text, at + of.len, node->text.len), 0, &n);
    /* rules_decimal takes a point; two digits with one in them are not a whole number. */
    if (!ok || k < 1 || n < k || k > (uint32_t)k || n > (uint32_t)n ||
        gate_str_find(node->text, GATE_STR("."), 0) != SIZE_MAX)
        return RULES_ERROR(parse, node, "'sustain' expects how many of the last runs must agree, such as '2 of 3'; "
                                        "found %s", rules_describe(found, node));
    budget->sustain_k = (uint32_t)k;
    budget->sustain_n = (uint32_t)n;
    return true;
}

static bool read_expires(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    char found[96];
    if (node->kind != GATE_YAML_TEXT || !gate_waiver_date_is_valid(node->text))
        return RULES_ERROR(parse, node, "'expires' expects a day as YYYY-MM-DD, found %s", rules_describe(found, node));
    *(struct gate_str *)field = node->text;
    return true;
}

static bool read_severity(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    struct rules_draft *draft = field;
    draft->severity_is_given = true;
    return rules_severity_of(parse, node, &draft->budget.severity);
}

/* Read before the others: the name says which budget the rest lies over. */
static bool read_name(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    (void)parse;
    (void)field;
    (void)node;
    return true;
}

#define BUDGET(member) (offsetof(struct rules_draft, budget) + offsetof(struct gate_budget, member))

const struct rules_key rules_budget_keys[] = {
    {"name", read_name, 0},
    {"severity", read_severity, 0},
    {"sample_type", rules_read_line, BUDGET(sample_type)},
    {"measure", read_measure, BUDGET(measure)},
    {"as", read_as, BUDGET(as_group)},
    {"select", rules_read_select, BUDGET(select)},
    {"where", read_where, offsetof(struct rules_draft, budget)},
    {"limit", rules_read_limit, offsetof(struct rules_draft, budget)},
    {"min_share", rules_read_share, BUDGET(min_share)},
    {"max_mde", rules_read_points, BUDGET(max_mde)},
    {"must_match", rules_read_bool, BUDGET(must_match)},
    {"shift", rules_read_severity, BUDGET(shift)},
    {"sustain", read_sustain, offsetof(struct rules_draft, budget)},
    {"owner", rules_read_line, BUDGET(owner)},
    {"message", rules_read_text, BUDGET(message)},
    {"reason", rules_read_text, BUDGET(reason)},
    {"expires", read_expires, BUDGET(expires)},
    {NULL, NULL, 0}};

static struct rules_draft *find_draft(struct rules_parse *parse, struct gate_str name) {
    for (size_t i = 0; i < parse->draft_count; i++)
        if (gate_str_equal(parse->drafts[i].budget.name, name))
            return &parse->drafts[i];
    return NULL;
}

static struct rules_draft *add_draft(struct rules_parse *parse, struct gate_str name) {
    struct rules_draft *grown = gate_arena_grow(parse->arena, parse->drafts, parse->draft_count,
                                                &parse->draft_capacity, sizeof *grown);
    if (grown == NULL) {
        (void)gate_arena_error(parse->arena, parse->err);
        return NULL;
    }
    parse->drafts = grown;
    struct rules_draft *draft = &parse->drafts[parse->draft_count++];
    *draft = (struct rules_draft){.budget = {.name = name, .shift = GATE_SEVERITY_WARN}};
    return draft;
}

static bool read_budget(struct rules_parse *parse, const struct gate_yaml_node *node) {
    if (!rules_expect(parse, node, GATE_YAML_MAP, "a budget, such as {name: ..., limit: \"+5pp\"}"))
        return false;
    const struct gate_yaml_node *name = gate_yaml_get(node, "name");
    struct gate_str text = {0};
    if (name == NULL)
        return RULES_ERROR(parse, node, "budget without a 'name': reports and overrides need one");
    if (!rules_read_line(parse, &text, name))
        return false;
    struct rules_draft *draft = find_draft(parse, text);
    if (draft != NULL && draft->file == parse->file)
        return RULES_ERROR(parse, name, "duplicate budget '%.*s' (first on line %u): give it a name of its own",
                           GATE_STR_ARG(text), (unsigned)draft->budget.line);
    if (draft == NULL)
        draft = add_draft(parse, text);
    if (draft == NULL)
        return false;
    draft->file = parse->file;
    draft->budget.source = parse->sources[parse->depth - 1];
    draft->budget.line = node->line;
    draft->budget.column = node->column;
    return rules_read_map(parse, node, rules_budget_keys, draft);
}

bool rules_read_budgets(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    (void)field;
    if (!rules_expect(parse, node, GATE_YAML_LIST, "a list of budgets"))
        return false;
    if (node->count == 0)
        return RULES_ERROR(parse, node, "'budgets' is empty: expected at least one, or leave the key out");
    for (const struct gate_yaml_node *budget = node->first; budget != NULL; budget = budget->next)
        if (!read_budget(parse, budget))
            return false;
    return true;
}

static bool budget_error(struct rules_parse *parse, const struct gate_budget *budget, const char *what) {
    return gate_error_set_at(parse->err, GATE_ERR_CONFIG, budget->line, budget->column, "budget '%.*s' %s",
                             GATE_STR_ARG(budget->name), what);
}

/* The commonest reason for a budget without a limit: it was meant to change one of the extended file. */
static bool limit_missing(struct rules_parse *parse, const struct gate_budget *budget) {
    const char *words[RULES_WORDS_MAX + 1];
    uint32_t count = 0;
    for (size_t i = 0; i < parse->draft_count && count < RULES_WORDS_MAX; i++) {
        const struct rules_draft *other = &parse->drafts[i];
        struct gate_str copy = gate_str_copy(parse->arena, other->budget.name);
        if (other->file == parse->file)
            continue;
        if (copy.ptr == NULL)
            return gate_arena_error(parse->arena, parse->err);
        words[count++] = copy.ptr;
    }
    words[count] = NULL;
    const char *near = gate_str_nearest(budget->name, words);
    if (near == NULL)
        return budget_error(parse, budget, "has no 'limit': it would never speak");
    return gate_error_set_at(parse->err, GATE_ERR_CONFIG, budget->line, budget->column,
                             "budget '%.*s' has no 'limit', and no extended budget has that name (did you mean '%s'?)",
                             GATE_STR_ARG(budget->name), near);
}

static bool select_is_given(const struct gate_select *select) {
    enum { PATTERNS = 9 };
    const struct gate_pattern *const all[PATTERNS] = {
        &select->function,     &select->package,     &select->file,     &select->mapping,    &select->under,
        &select->not_function, &select->not_package, &select->not_file, &select->not_mapping};
    for (size_t i = 0; i < PATTERNS; i++)
        if (all[i]->regex != NULL)
            return true;
    return false;
}

static bool check_measure(struct rules_parse *parse, const struct gate_budget *budget) {
    bool total = budget->measure == GATE_MEASURE_TOTAL || budget->measure == GATE_MEASURE_TOTAL_COST;
    bool cost = budget->measure >= GATE_MEASURE_SELF_COST;
    if (total && select_is_given(&budget->select))
        return budget_error(parse, budget, "measures the whole profile: 'select' does not apply (use 'where', or "
                                           "measure 'cumulative')");
    if (total && budget->as_group)
        return budget_error(parse, budget, "measures the whole profile: 'as: group' does not apply");
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        const struct gate_limit *limit = &budget->limits[i];
        bool share = limit->kind == GATE_LIMIT_SHARE_INCREASE || limit->kind == GATE_LIMIT_SHARE ||
                     limit->kind == GATE_LIMIT_NEW_FRAME;
        if (share && (total || cost))
            return gate_error_set_at(parse->err, GATE_ERR_CONFIG, limit->line, limit->column,
                                     "limit '%s' is about shares, measure '%s' has none: use 'increase', 'decrease' or "
                                     "'absolute'", gate_limit_kind_name(limit->kind),
                                     gate_budget_measure_name(budget->measure));
    }
    return true;
}

bool rules_check_budgets(struct rules_parse *parse) {
    for (size_t i = 0; i < parse->draft_count; i++) {
        const struct rules_draft *draft = &parse->drafts[i];
        if (draft->file != parse->file)
            continue;
        if (draft->budget.limit_count == 0)
            return limit_missing(parse, &draft->budget);
        if (!check_measure(parse, &draft->budget))
            return false;
    }
    return true;
}

/* The budget's severity is a ceiling: under `severity: warn` an error level warns. */
static void settle_limits(struct gate_budget *budget) {
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        struct gate_limit *limit = &budget->limits[i];
        if (limit->severity == GATE_SEVERITY_OFF || limit->severity > budget->severity)
            limit->severity = budget->severity;
    }
}

bool rules_settle_budgets(struct rules_parse *parse) {
    struct gate_rules *rules = parse->rules;
    rules->budgets = GATE_NEW_ARRAY(parse->arena, struct gate_budget, parse->draft_count);
    if (rules->budgets == NULL && parse->draft_count != 0)
        return gate_arena_error(parse->arena, parse->err);
    for (size_t i = 0; i < parse->draft_count; i++) {
        struct gate_budget *budget = &rules->budgets[rules->budget_count++];
        *budget = parse->drafts[i].budget;
        if (!parse->drafts[i].severity_is_given)
            budget->severity = rules->severity;
        settle_limits(budget);
    }
    return true;
}
