/* SPDX-License-Identifier: Apache-2.0 */
/* Budgets of a rules file (see rules_budget.h). */
#include "gate/rules/rules_budget.h"

#include "gate/rules/rules_limit.h"
#include "gate/rules/rules_select.h"
#include "gate/rules/waiver.h"

#include <stdio.h>

static bool read_measure(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    const char *words[GATE_BUDGET_MEASURES + 1] = {NULL};
    uint32_t index = 0;
    for (int i = 0; i < GATE_BUDGET_MEASURES; i++)
        words[i] = gate_budget_measure_name((enum gate_budget_measure)i);
    if (!gate_rules_value_word(state, node, words, &index))
        return false;
    *(enum gate_budget_measure *)field = (enum gate_budget_measure)index;
    return true;
}

static bool read_as(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    static const char *const words[] = {"each", "group", NULL};
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, words, &index))
        return false;
    *(bool *)field = index == 1;
    return true;
}

static bool read_of(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, gate_trend_terms_of_words, &index))
        return false;
    *(enum gate_trend_of *)field = (enum gate_trend_of)(GATE_TREND_OF_CHARGED + index);
    return true;
}

static bool read_per(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, gate_trend_terms_per_words, &index))
        return false;
    *(enum gate_trend_per *)field = (enum gate_trend_per)(GATE_TREND_PER_ACCEPT + index);
    return true;
}

static bool read_where(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_budget *budget = field;
    if (!gate_rules_value_expect(state, node, GATE_YAML_MAP, "a map of labels, such as {endpoint: /checkout}"))
        return false;
    if (node->count == 0)
        return GATE_RULES_ERROR(state, node, "'where' is empty: expected labels, such as {endpoint: /checkout}");
    budget->where = GATE_NEW_ARRAY(state->arena, struct gate_label_match, node->count);
    budget->where_count = 0;
    if (budget->where == NULL)
        return gate_arena_error(state->arena, state->err);
    for (const struct gate_yaml_node *label = node->first; label != NULL; label = label->next) {
        bool fits = label->kind == GATE_YAML_TEXT || label->kind == GATE_YAML_INT || label->kind == GATE_YAML_BOOL;
        if (!fits || label->key->text.len == 0)
            return GATE_RULES_ERROR(state, label, "label '%.*s' expects a single value, found %s",
                                    GATE_STR_ARG(label->key->text), gate_yaml_kind_name(label->kind));
        budget->where[budget->where_count++] = (struct gate_label_match){label->key->text, label->text};
    }
    return true;
}

/* "2 of 3" */
static bool read_sustain(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_budget *budget = field;
    const struct gate_str of = GATE_STR(" of ");
    double k = 0.0;
    double n = 0.0;
    char found[96];
    size_t at = node->kind == GATE_YAML_TEXT ? gate_str_find(node->text, of, 0) : SIZE_MAX;
    bool ok = at != SIZE_MAX && at >= 1 && at <= 2 && node->text.len - at - of.len <= 2;
    ok = ok && node->text.ptr[0] >= '1' && node->text.ptr[0] <= '9' && node->text.ptr[at + of.len] >= '1';
    ok = ok && gate_amount_decimal(&k, gate_str_slice(node->text, 0, at), 0) &&
         gate_amount_decimal(&n, gate_str_slice(node->text, at + of.len, node->text.len), 0);
    /* gate_amount_decimal takes a point; two digits with one in them are not a whole number. */
    if (!ok || k < 1 || n < k || k > (uint32_t)k || n > (uint32_t)n ||
        gate_str_find(node->text, GATE_STR("."), 0) != SIZE_MAX)
        return GATE_RULES_ERROR(state, node,
                                "'sustain' expects how many of the last runs must agree, such as '2 of 3'; "
                                "found %s",
                                gate_rules_value_found(found, node));
    budget->sustain_k = (uint32_t)k;
    budget->sustain_n = (uint32_t)n;
    return true;
}

static bool read_expires(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    char found[96];
    if (node->kind != GATE_YAML_TEXT || !gate_waiver_date_is_valid(node->text))
        return GATE_RULES_ERROR(state, node, "'expires' expects a date in the form YYYY-MM-DD, found %s",
                                gate_rules_value_found(found, node));
    *(struct gate_str *)field = node->text;
    return true;
}

static bool read_severity(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_rules_draft *draft = field;
    draft->severity_is_given = true;
    return gate_rules_value_severity(state, &draft->budget.severity, node);
}

static bool read_requires(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    static const char *const words[] = {"nothing", "work", NULL};
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, words, &index))
        return false;
    *(bool *)field = index == 1;
    return true;
}

/* Read before the others: the name says which budget the rest lies over. */
static bool read_name(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    (void)state;
    (void)field;
    (void)node;
    return true;
}

#define BUDGET(member) (offsetof(struct gate_rules_draft, budget) + offsetof(struct gate_budget, member))

const struct gate_rules_row gate_rules_budget_keys[] = {
    {"name", read_name, 0},
    {"severity", read_severity, 0},
    {"sample_type", gate_rules_value_line, BUDGET(sample_type)},
    {"measure", read_measure, BUDGET(measure)},
    {"of", read_of, BUDGET(of)},
    {"per", read_per, BUDGET(per)},
    {"as", read_as, BUDGET(as_group)},
    {"select", gate_rules_select_read, BUDGET(select)},
    {"where", read_where, offsetof(struct gate_rules_draft, budget)},
    {"limit", gate_rules_limit_read, offsetof(struct gate_rules_draft, budget)},
    {"min_share", gate_rules_value_share, BUDGET(min_share)},
    {"max_mde", gate_rules_value_points, BUDGET(max_mde)},
    {"must_match", gate_rules_value_bool, BUDGET(must_match)},
    {"requires", read_requires, BUDGET(requires_work)},
    {"shift", gate_rules_value_severity, BUDGET(shift)},
    {"sustain", read_sustain, offsetof(struct gate_rules_draft, budget)},
    {"owner", gate_rules_value_line, BUDGET(owner)},
    {"message", gate_rules_value_text, BUDGET(message)},
    {"reason", gate_rules_value_text, BUDGET(reason)},
    {"expires", read_expires, BUDGET(expires)},
    {NULL, NULL, 0}};

static struct gate_rules_draft *find_draft(struct gate_rules_drafts *drafts, struct gate_str name) {
    for (size_t i = 0; i < drafts->count; i++)
        if (gate_str_equal(drafts->items[i].budget.name, name))
            return &drafts->items[i];
    return NULL;
}

static struct gate_rules_draft *add_draft(struct gate_rules_state *state, struct gate_rules_drafts *drafts,
                                          struct gate_str name) {
    struct gate_rules_draft *grown =
        gate_arena_grow(state->arena, drafts->items, drafts->count, &drafts->capacity, sizeof *grown);
    if (grown == NULL) {
        (void)gate_arena_error(state->arena, state->err);
        return NULL;
    }
    drafts->items = grown;
    struct gate_rules_draft *draft = &drafts->items[drafts->count++];
    *draft = (struct gate_rules_draft){.budget = {.name = name, .shift = GATE_SEVERITY_WARN}};
    return draft;
}

static bool read_budget(struct gate_rules_state *state, struct gate_rules_drafts *drafts,
                        const struct gate_yaml_node *node) {
    if (!gate_rules_value_expect(state, node, GATE_YAML_MAP, "a budget, such as {name: ..., limit: \"+5pp\"}"))
        return false;
    const struct gate_yaml_node *name = gate_yaml_get(node, "name");
    struct gate_str text = {0};
    if (name == NULL)
        return GATE_RULES_ERROR(state, node, "this budget has no 'name': reports and overrides refer to it by name");
    if (!gate_rules_value_line(state, &text, name))
        return false;
    struct gate_rules_draft *draft = find_draft(drafts, text);
    if (draft != NULL && draft->file == state->file)
        return GATE_RULES_ERROR(state, name, "duplicate budget '%.*s' (first on line %u): rename one of them",
                                GATE_STR_ARG(text), (unsigned)draft->budget.line);
    if (draft == NULL)
        draft = add_draft(state, drafts, text);
    if (draft == NULL)
        return false;
    draft->file = state->file;
    draft->budget.source = state->source;
    draft->budget.extends_line = state->extends_line;
    draft->budget.line = node->line;
    draft->budget.column = node->column;
    return gate_rules_value_map(state, node, gate_rules_budget_keys, draft);
}

bool gate_rules_budget_read(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    if (!gate_rules_value_expect(state, node, GATE_YAML_LIST, "a list of budgets"))
        return false;
    if (node->count == 0)
        return GATE_RULES_ERROR(state, node, "'budgets' is empty: expected at least one, or leave the key out");
    for (const struct gate_yaml_node *budget = node->first; budget != NULL; budget = budget->next)
        if (!read_budget(state, field, budget))
            return false;
    return true;
}

static bool budget_error(struct gate_rules_state *state, const struct gate_budget *budget, const char *what) {
    return gate_error_set_at(state->err, GATE_ERR_CONFIG, budget->line, budget->column, "budget '%.*s' %s",
                             GATE_STR_ARG(budget->name), what);
}

/* The commonest reason for a budget without a limit: it was meant to change one of the extended file. */
static bool limit_missing(struct gate_rules_state *state, const struct gate_rules_drafts *drafts,
                          const struct gate_budget *budget) {
    const char *words[GATE_RULES_WORDS_MAX + 1];
    uint32_t count = 0;
    for (size_t i = 0; i < drafts->count && count < GATE_RULES_WORDS_MAX; i++) {
        const struct gate_rules_draft *other = &drafts->items[i];
        struct gate_str copy = gate_str_copy(state->arena, other->budget.name);
        if (other->file == state->file)
            continue;
        if (copy.ptr == NULL)
            return gate_arena_error(state->arena, state->err);
        words[count++] = copy.ptr;
    }
    words[count] = NULL;
    const char *near = gate_str_nearest(budget->name, words);
    if (near == NULL)
        return budget_error(state, budget, "has no 'limit', so it can never warn or fail: add one");
    return gate_error_set_at(state->err, GATE_ERR_CONFIG, budget->line, budget->column,
                             "budget '%.*s' has no 'limit', and no extended budget has that name (did you mean '%s'?)",
                             GATE_STR_ARG(budget->name), near);
}

static bool check_limit(struct gate_rules_state *state, const struct gate_limit *limit,
                        const struct gate_budget_measure_row *measure) {
    bool is_growth = limit->kind == GATE_LIMIT_GROWTH || limit->kind == GATE_LIMIT_INCREASE ||
                     limit->kind == GATE_LIMIT_SHARE_INCREASE;
    const char *kind = gate_limit_kind_name(limit->kind);
    if (measure->is_trend && !is_growth)
        return gate_error_set_at(state->err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "limit '%s' is not one of growth over time, which measure 'trend' is: use 'increase', "
                                 "'share_increase' or 'growth'",
                                 kind);
    if (!measure->is_trend && limit->kind == GATE_LIMIT_GROWTH)
        return gate_error_set_at(state->err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "limit 'growth' is for measure 'trend' alone: use 'increase', 'share_increase' or "
                                 "'absolute'");
    if (measure->is_cost && gate_limit_row(limit->kind)->is_of_share)
        return gate_error_set_at(state->err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "limit '%s' bounds a share, which measure '%s' is not: use 'increase', 'decrease' or "
                                 "'absolute'",
                                 kind, measure->word);
    return true;
}

static bool check_trend(struct gate_rules_state *state, const struct gate_budget *budget) {
    const bool is_trend = gate_budget_measure_row(budget->measure)->is_trend;
    if (!is_trend && (budget->of != GATE_TREND_OF_UNTOLD || budget->per != GATE_TREND_PER_UNTOLD))
        return budget_error(state, budget, "has 'of' or 'per', which are for measure 'trend' alone");
    if (is_trend && budget->sustain_n > 0)
        return budget_error(state, budget,
                            "measures a trend, which is of many runs as it is: 'sustain' does not apply");
    if (is_trend && budget->of == GATE_TREND_OF_TOTAL &&
        (gate_rules_select_is_given(&budget->select) || budget->as_group))
        return budget_error(state, budget, "follows the whole profile: 'select' and 'as: group' do not apply");
    return true;
}

static bool check_measure(struct gate_rules_state *state, const struct gate_budget *budget) {
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(budget->measure);
    if (measure->is_total && gate_rules_select_is_given(&budget->select))
        return budget_error(state, budget,
                            "measures the whole profile: 'select' does not apply (use 'where', or "
                            "measure 'cumulative')");
    if (measure->is_total && budget->as_group)
        return budget_error(state, budget, "measures the whole profile: 'as: group' does not apply");
    if (!check_trend(state, budget))
        return false;
    for (uint32_t i = 0; i < budget->limit_count; i++)
        if (!check_limit(state, &budget->limits[i], measure))
            return false;
    return true;
}

bool gate_rules_budget_check(struct gate_rules_state *state, const struct gate_rules_drafts *drafts) {
    for (size_t i = 0; i < drafts->count; i++) {
        const struct gate_rules_draft *draft = &drafts->items[i];
        if (draft->file != state->file)
            continue;
        if (draft->budget.limit_count == 0)
            return limit_missing(state, drafts, &draft->budget);
        if (!check_measure(state, &draft->budget))
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

bool gate_rules_budget_settle(struct gate_rules_state *state, const struct gate_rules_drafts *drafts) {
    struct gate_rules *rules = state->rules;
    rules->budgets = GATE_NEW_ARRAY(state->arena, struct gate_budget, drafts->count);
    if (rules->budgets == NULL && drafts->count != 0)
        return gate_arena_error(state->arena, state->err);
    for (size_t i = 0; i < drafts->count; i++) {
        struct gate_budget *budget = &rules->budgets[rules->budget_count++];
        *budget = drafts->items[i].budget;
        if (!drafts->items[i].severity_is_given)
            budget->severity = rules->severity;
        settle_limits(budget);
    }
    return true;
}
