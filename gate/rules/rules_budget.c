/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/rules/rules_budget.h"

#include "gate/rules/rules.h"
#include "gate/rules/yaml.h"

/* ---- `select:` --------------------------------------------------------------------------------------------------- */

static const struct gate_rules_row not_keys[] = {
    {"function", gate_rules_value_pattern, .offset = offsetof(struct gate_select, not_function)},
    {"package", gate_rules_value_pattern, .offset = offsetof(struct gate_select, not_package)},
    {"file", gate_rules_value_pattern, .offset = offsetof(struct gate_select, not_file)},
    {"mapping", gate_rules_value_pattern, .offset = offsetof(struct gate_select, not_mapping)},
    {0},
};

static bool read_not(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    if (node->kind == GATE_YAML_TEXT)
        return gate_rules_value_pattern(state, &((struct gate_select *)field)->not_function, node);
    if (node->kind == GATE_YAML_MAP && node->count == 0)
        return GATE_RULES_ERROR(state, node, "'not' is empty: expected a pattern");
    return gate_rules_value_map(state, node, not_keys, field);
}

static bool read_flag(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    if (!gate_rules_value_expect(state, node, GATE_YAML_BOOL, "true or false"))
        return false;
    *(bool *)field = node->text.ptr[0] == 't' || node->text.ptr[0] == 'T';
    return true;
}

static const struct gate_rules_row select_keys[] = {
    {"function", gate_rules_value_pattern, .offset = offsetof(struct gate_select, function)},
    {"package", gate_rules_value_pattern, .offset = offsetof(struct gate_select, package)},
    {"file", gate_rules_value_pattern, .offset = offsetof(struct gate_select, file)},
    {"mapping", gate_rules_value_pattern, .offset = offsetof(struct gate_select, mapping)},
    {"not", read_not, .rows = not_keys},
    {"under", gate_rules_value_pattern, .offset = offsetof(struct gate_select, under)},
    {"no_own_caller", read_flag, .offset = offsetof(struct gate_select, no_own_caller)},
    {"one_sided", read_flag, .offset = offsetof(struct gate_select, one_sided)},
    {0},
};

static bool any_is_given(const struct gate_rules_row *keys, const struct gate_select *select) {
    for (; keys->name != NULL; keys++)
        if (keys->read == gate_rules_value_pattern &&
            ((const struct gate_pattern *)(const void *)((const char *)select + keys->offset))->regex != NULL)
            return true;
    return false;
}

/** Return whether anything is selected. If not, the budget applies to every frame. */
static bool rules_select_is_given(const struct gate_select *select) {
    return select->no_own_caller || select->one_sided || any_is_given(select_keys, select) ||
           any_is_given(not_keys, select);
}

/** Read `select:` into `field`, a struct gate_select, replacing its contents. */
static bool rules_select_read(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_select *select = field;
    *select = (struct gate_select){0};
    if (node->kind == GATE_YAML_TEXT)
        return gate_rules_value_pattern(state, &select->function, node);
    if (node->kind == GATE_YAML_MAP && node->count == 0)
        return GATE_RULES_ERROR(state, node, "'select' is empty: leave it out to mean every frame");
    return gate_rules_value_map(state, node, select_keys, select);
}

/* ---- `limit:` ---------------------------------------------------------------------------------------------------- */

/* The words are those of severities, in their order. */
const char *const gate_rules_limit_levels[] = {"warn", "error", NULL};

static bool read_amount(struct gate_rules_state *state, struct gate_limit *limit, const struct gate_yaml_node *node,
                        enum gate_limit_kind kind) {
    const struct gate_limit_row *row = gate_limit_row(kind);
    struct gate_amount amount = {0};
    char found[96];
    char tip[GATE_LIMIT_TIP_BYTES] = "";
    bool is_scalar = node->kind != GATE_YAML_LIST && node->kind != GATE_YAML_MAP && node->kind != GATE_YAML_NULL;
    bool plain = is_scalar && gate_amount_split(&amount, node->text);
    if (!plain || node->kind != GATE_YAML_TEXT || !row->read(&limit->value, &amount)) {
        if (plain && row->tip != NULL)
            row->tip(tip, &amount);
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
    /* Room for each kind with two levels, which is the maximum. */
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

/* Find the only kind that the amount can be. Sign and unit determine it, except for a share without a sign. */
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

/* Read {warn: "+2pp", error: "+5pp"}. If `given` is NULL, infer the kind from the amount. */
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

/* Read {share_increase: "+5pp", share: "30%"}: several kinds, each with or without levels. */
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

/** Read `limit:` into `field`, a struct gate_budget, replacing its limits. */
static bool rules_limit_read(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
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

/* ---- `budgets:` -------------------------------------------------------------------------------------------------- */

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

/* Read "2 of 3". */
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
    /* gate_amount_decimal accepts a decimal point, as in "1.", so reject it here. */
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

static bool read_min_share(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_budget *budget = field;
    budget->has_min_share = true;
    return gate_rules_value_share(state, &budget->min_share, node);
}

static bool read_min_growth(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_amount amount;
    double ignored = 0.0;
    char found[96];
    if (node->kind != GATE_YAML_TEXT || !gate_amount_split(&amount, node->text) ||
        !gate_amount_absolute(&ignored, &amount))
        return GATE_RULES_ERROR(state, node,
                                "'min_growth' expects an amount such as '10ms', '4MB' or '50count'; found %s",
                                gate_rules_value_found(found, node));
    *(struct gate_str *)field = node->text;
    return true;
}

#define BUDGET(member) .offset = offsetof(struct gate_rules_draft, budget.member)
#define IN_BUDGET .offset = offsetof(struct gate_rules_draft, budget)
#define WORDS(member, words) GATE_RULES_WORDS(struct gate_rules_draft, budget.member, words)

static const char *const as_words[] = {"each", "group", NULL};                  /* the index is `as_group` */
static const char *const requires_words[] = {"nothing", "work", "equal", NULL}; /* enum gate_requires */

const struct gate_rules_row gate_rules_budget_keys[] = {
    {.name = "name"}, /* read_budget reads it first, because it selects the budget that the other keys change */
    {"severity", .read = read_severity},
    {"sample_type", gate_rules_value_line, BUDGET(sample_type)},
    {"measure", read_measure, BUDGET(measure)},
    {"of", WORDS(of, gate_trend_terms_of_words), .first = GATE_TREND_OF_CHARGED},
    {"per", WORDS(per, gate_per_words), .first = GATE_PER_ACCEPT},
    {"as", WORDS(as_group, as_words)},
    {"select", rules_select_read, BUDGET(select), .rows = select_keys},
    {"where", read_where, IN_BUDGET},
    {"limit", rules_limit_read, IN_BUDGET},
    {"min_share", read_min_share, IN_BUDGET},
    {"max_mde", gate_rules_value_points, BUDGET(max_mde)},
    {"min_growth", read_min_growth, BUDGET(min_growth)},
    {"must_match", read_flag, BUDGET(must_match)},
    {"requires", WORDS(requires, requires_words)},
    {"shift", WORDS(shift, gate_severity_words)},
    {"sustain", read_sustain, IN_BUDGET},
    {"owner", gate_rules_value_line, BUDGET(owner)},
    {"message", gate_rules_value_text, BUDGET(message)},
    {"reason", gate_rules_value_text, BUDGET(reason)},
    {"expires", read_expires, BUDGET(expires)},
    {0}};

static struct gate_rules_draft *find_draft(struct gate_rules_drafts *drafts, struct gate_str name) {
    for (size_t i = 0; i < drafts->count; i++)
        if (gate_str_equal(drafts->items[i].budget.name, name))
            return &drafts->items[i];
    return NULL;
}

static struct gate_rules_draft *add_draft(struct gate_rules_state *state, struct gate_rules_drafts *drafts,
                                          struct gate_str name) {
    if (!GATE_GROW(state->arena, drafts->items, drafts->count, drafts->capacity)) {
        (void)gate_arena_error(state->arena, state->err);
        return NULL;
    }
    struct gate_rules_draft *draft = &drafts->items[drafts->count++];
    *draft = (struct gate_rules_draft){.budget = {.name = name, .shift = GATE_SEVERITY_WARN}};
    draft->budget.is_of_preset = gate_str_ends(state->source, GATE_RULES_BUILT_IN);
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

/* Report a budget without a limit. The most common cause is a misspelt name of a budget in the extended file. */
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
    const struct gate_limit_row *row = gate_limit_row(limit->kind);
    if (measure->is_trend && !row->is_of_trend)
        return gate_error_set_at(state->err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "limit '%s' is not one of growth over time, which measure 'trend' is: use 'increase', "
                                 "'share_increase' or 'growth'",
                                 row->key);
    if (measure->is_leak && limit->kind != GATE_LIMIT_GROWTH)
        return gate_error_set_at(
            state->err, GATE_ERR_CONFIG, limit->line, limit->column,
            "limit '%s' is not an amount, which measure 'leak' needs: use 'growth', such as '+60MB'", row->key);
    if (!measure->is_trend && !measure->is_leak && row->is_of_trend_only)
        return gate_error_set_at(
            state->err, GATE_ERR_CONFIG, limit->line, limit->column,
            "limit '%s' is for measures 'trend' and 'leak' alone: use 'increase', 'share_increase' or "
            "'absolute'",
            row->key);
    if (measure->is_cost && row->is_of_share)
        return gate_error_set_at(state->err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "limit '%s' bounds a share, which measure '%s' is not: use 'increase', 'decrease' or "
                                 "'absolute'",
                                 row->key, measure->word);
    return true;
}

static bool check_trend(struct gate_rules_state *state, const struct gate_budget *budget) {
    const bool is_trend = gate_budget_measure_row(budget->measure)->is_trend;
    if (!is_trend && budget->of != GATE_TREND_OF_UNSET)
        return budget_error(state, budget, "has 'of', which is for measure 'trend' alone");
    if (is_trend && budget->sustain_n > 0)
        return budget_error(state, budget,
                            "measures a trend, which is of many runs as it is: 'sustain' does not apply");
    if (is_trend && budget->of == GATE_TREND_OF_TOTAL && (rules_select_is_given(&budget->select) || budget->as_group))
        return budget_error(state, budget, "follows the whole profile: 'select' and 'as: group' do not apply");
    return true;
}

/* Check `per` and `min_growth`: a trend is per time, a cost per second or run. A share has no `per`. */
static bool check_per(struct gate_rules_state *state, const struct gate_budget *budget) {
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(budget->measure);
    const bool is_of_cost = budget->per == GATE_PER_SECOND || budget->per == GATE_PER_RUN;
    if (measure->is_trend && is_of_cost)
        return budget_error(state, budget, "measures a trend, which is per 'accept', 'hour', 'day' or 'week'");
    if (measure->is_cost && budget->per != GATE_PER_UNSET && !is_of_cost)
        return budget_error(state, budget, "measures a cost, which is per 'second' or 'run'");
    const bool is_of_time = budget->per >= GATE_PER_HOUR && budget->per <= GATE_PER_WEEK;
    if (measure->is_leak && budget->per != GATE_PER_UNSET && !is_of_time)
        return budget_error(state, budget, "measures a leak, which is per 'hour', 'day' or 'week'");
    if (!measure->is_trend && !measure->is_cost && !measure->is_leak && budget->per != GATE_PER_UNSET)
        return budget_error(state, budget, "has 'per', which is for costs and for measures 'trend' and 'leak' alone");
    if (measure->is_leak && (rules_select_is_given(&budget->select) || budget->as_group || budget->where_count > 0))
        return budget_error(state, budget, "measures a leak of the whole: 'select', 'where' and 'as' do not apply");
    if (measure->is_trend && budget->min_growth.len > 0)
        return budget_error(state, budget, "measures a trend: 'min_growth' does not apply");
    return true;
}

static bool check_measure(struct gate_rules_state *state, const struct gate_budget *budget) {
    const struct gate_budget_measure_row *measure = gate_budget_measure_row(budget->measure);
    if (measure->is_total && rules_select_is_given(&budget->select))
        return budget_error(state, budget,
                            "measures the whole profile: 'select' does not apply (use 'where', or "
                            "measure 'cumulative')");
    if (budget->select.no_own_caller && budget->measure != GATE_MEASURE_SELF)
        return budget_error(state, budget, "selects by 'no_own_caller', which is for measure 'self' alone");
    if (budget->select.no_own_caller && (budget->as_group || budget->select.under.regex != NULL))
        return budget_error(state, budget, "selects by 'no_own_caller': 'as: group' and 'under' do not apply");
    if (budget->select.one_sided && budget->measure != GATE_MEASURE_CHARGED)
        return budget_error(state, budget, "selects by 'one_sided', which is for measure 'charged' alone");
    if (budget->select.one_sided &&
        (budget->as_group || any_is_given(select_keys, &budget->select) || any_is_given(not_keys, &budget->select)))
        return budget_error(state, budget, "selects by 'one_sided': no other key of 'select' and no 'as' applies");
    if (measure->is_path && (budget->as_group || budget->select.under.regex != NULL))
        return budget_error(state, budget, "measures the paths of own functions: 'as: group' and 'under' do not apply");
    if (measure->is_total && budget->as_group)
        return budget_error(state, budget, "measures the whole profile: 'as: group' does not apply");
    if (!check_trend(state, budget) || !check_per(state, budget))
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
