/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of a rules file beside the budgets (see rules_sections.h). */
#include "gate/rules/rules_sections.h"

#include "gate/rules/guard_rules.h"
#include "gate/rules/naming.h"

static bool read_alpha(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    /* Below 1e-9 Holm over a thousand frames leaves nothing that samples could show. */
    return gate_rules_value_number(state, node, 1e-9, 0.5, field);
}

static bool read_min_samples(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_number(state, node, 0.0, 1e12, field);
}

static bool read_on_inconclusive(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, gate_on_inconclusive_words, &index))
        return false;
    *(enum gate_on_inconclusive *)field = (enum gate_on_inconclusive)index;
    return true;
}

const struct gate_rules_row gate_rules_sections_defaults[] = {
    {"severity", gate_rules_value_severity, offsetof(struct gate_rules, severity)},
    {"alpha", read_alpha, offsetof(struct gate_rules, alpha)},
    {"alpha_margin", read_alpha, offsetof(struct gate_rules, alpha_margin)},
    {"min_samples", read_min_samples, offsetof(struct gate_rules, min_samples)},
    {"on_inconclusive", read_on_inconclusive, offsetof(struct gate_rules, on_inconclusive)},
    {NULL, NULL, 0}};

bool gate_rules_sections_read_defaults(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_map(state, node, gate_rules_sections_defaults, field);
}

static bool read_granularity(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, gate_naming_granularities, &index))
        return false;
    ((struct gate_frame_options *)field)->granularity = (enum gate_granularity)index;
    return true;
}

static bool read_names(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, gate_naming_modes, &index))
        return false;
    ((struct gate_frame_options *)field)->exact_names = index == 1;
    return true;
}

/* A list of patterns to regexes in the order of the file. */
static bool read_patterns(struct gate_rules_state *state, const struct gate_regex *const **out, uint32_t *count,
                          const struct gate_yaml_node *node) {
    if (!gate_rules_value_expect(state, node, GATE_YAML_LIST, "a list of patterns"))
        return false;
    const struct gate_regex **patterns = GATE_NEW_ARRAY(state->arena, const struct gate_regex *, node->count);
    if (patterns == NULL && node->count != 0)
        return gate_arena_error(state->arena, state->err);
    *count = 0;
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next) {
        struct gate_pattern pattern = {0};
        if (!gate_rules_value_pattern(state, &pattern, item))
            return false;
        patterns[(*count)++] = pattern.regex;
    }
    *out = patterns;
    return true;
}

static bool read_ignore(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_frame_options *frames = field;
    return read_patterns(state, &frames->ignore, &frames->ignore_count, node);
}

static bool read_include(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_own_options *own = field;
    return read_patterns(state, &own->include, &own->include_count, node);
}

static bool read_exclude(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_own_options *own = field;
    return read_patterns(state, &own->exclude, &own->exclude_count, node);
}

const struct gate_rules_row gate_rules_sections_own[] = {
    {"include", read_include, 0}, {"exclude", read_exclude, 0}, {NULL, NULL, 0}};

bool gate_rules_sections_read_own(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_map(state, node, gate_rules_sections_own, &((struct gate_rules *)field)->frames.own);
}

/* While a rename is read; struct gate_rename has no text. */
struct rename_draft {
    struct gate_pattern match;
    struct gate_str to;
};

static bool read_replacement(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_str *to = &((struct rename_draft *)field)->to;
    /* Nothing is a replacement too: it takes the match away. */
    if (node->kind != GATE_YAML_TEXT || node->text.len != 0)
        return gate_rules_value_line(state, to, node);
    *to = node->text;
    return true;
}

const struct gate_rules_row gate_rules_sections_rename[] = {
    {"match", gate_rules_value_pattern, offsetof(struct rename_draft, match)},
    {"to", read_replacement, 0},
    {NULL, NULL, 0}};

static bool check_replacement(struct gate_rules_state *state, const struct rename_draft *draft,
                              const struct gate_yaml_node *node) {
    struct gate_error inner = {0};
    if (gate_regex_check_replacement(draft->match.regex, draft->to, &inner))
        return true;
    return gate_error_set_at(state->err, inner.code, node->line, node->column, "%s", inner.message);
}

static bool read_rename(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_frame_options *frames = field;
    if (!gate_rules_value_expect(state, node, GATE_YAML_LIST, "a list of {match, to}"))
        return false;
    struct gate_rename *renames = GATE_NEW_ARRAY(state->arena, struct gate_rename, node->count);
    if (renames == NULL && node->count != 0)
        return gate_arena_error(state->arena, state->err);
    uint32_t count = 0;
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next) {
        struct rename_draft draft = {0};
        if (!gate_rules_value_map(state, item, gate_rules_sections_rename, &draft))
            return false;
        if (draft.match.regex == NULL || draft.to.ptr == NULL)
            return GATE_RULES_ERROR(state, item, "a rename needs both 'match' and 'to'");
        if (!check_replacement(state, &draft, gate_yaml_get(item, "to")))
            return false;
        renames[count++] = (struct gate_rename){draft.match.regex, draft.to};
    }
    frames->renames = renames;
    frames->rename_count = count;
    return true;
}

const struct gate_rules_row gate_rules_sections_frames[] = {{"granularity", read_granularity, 0},
                                                            {"names", read_names, 0},
                                                            {"ignore", read_ignore, 0},
                                                            {"rename", read_rename, 0},
                                                            {NULL, NULL, 0}};

bool gate_rules_sections_read_frames(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_map(state, node, gate_rules_sections_frames, &((struct gate_rules *)field)->frames);
}

static bool read_amount(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_number(state, node, 1e-6, 1e15, field);
}

const struct gate_rules_row gate_rules_sections_work[] = {
    {"unit", gate_rules_value_line, offsetof(struct gate_rules, work_unit)},
    {"baseline", read_amount, offsetof(struct gate_rules, work) + GATE_BASELINE * sizeof(double)},
    {"canary", read_amount, offsetof(struct gate_rules, work) + GATE_CANARY * sizeof(double)},
    {NULL, NULL, 0}};

bool gate_rules_sections_read_work(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_map(state, node, gate_rules_sections_work, field);
}

static bool read_fraction(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_number(state, node, 1.0, 1e9, field);
}

const struct gate_rules_row gate_rules_sections_counts[] = {
    {"period", read_amount, offsetof(struct gate_counts_options, period)},
    {"mutex_fraction", read_fraction, offsetof(struct gate_counts_options, mutex_fraction)},
    {NULL, NULL, 0}};

bool gate_rules_sections_read_counts(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_map(state, node, gate_rules_sections_counts, &((struct gate_rules *)field)->counts);
}

/* "cpu" or "cpu/nanoseconds": one slash at most, nothing empty. */
static bool read_candidate(struct gate_rules_state *state, const struct gate_yaml_node *node, struct gate_str *out) {
    if (!gate_rules_value_line(state, out, node))
        return false;
    size_t slash = gate_str_find(node->text, GATE_STR("/"), 0);
    bool bad = slash == 0 || slash + 1 == node->text.len;
    bad = bad || (slash != SIZE_MAX && gate_str_find(node->text, GATE_STR("/"), slash + 1) != SIZE_MAX);
    if (bad || gate_str_find(node->text, GATE_STR(" "), 0) != SIZE_MAX)
        return GATE_RULES_ERROR(state, node, "expected a sample type such as 'cpu' or 'cpu/nanoseconds', found '%.*s'",
                                GATE_STR_ARG(node->text));
    return true;
}

static bool read_candidates(struct gate_rules_state *state, struct gate_sample_type_alias *alias,
                            const struct gate_yaml_node *node) {
    bool single = node->kind == GATE_YAML_TEXT;
    if (!single && !gate_rules_value_expect(state, node, GATE_YAML_LIST, "sample types, such as [cpu/nanoseconds]"))
        return false;
    if (!single && node->count == 0)
        return GATE_RULES_ERROR(state, node, "'%.*s' is empty: expected at least one sample type",
                                GATE_STR_ARG(alias->key));
    alias->candidates = GATE_NEW_ARRAY(state->arena, struct gate_str, single ? 1 : node->count);
    alias->candidate_count = 0;
    if (alias->candidates == NULL)
        return gate_arena_error(state->arena, state->err);
    if (single) {
        alias->candidate_count = 1;
        return read_candidate(state, node, &alias->candidates[0]);
    }
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next)
        if (!read_candidate(state, item, &alias->candidates[alias->candidate_count++]))
            return false;
    return true;
}

bool gate_rules_sections_read_sample_types(struct gate_rules_state *state, void *field,
                                           const struct gate_yaml_node *node) {
    struct gate_rules *rules = field;
    if (!gate_rules_value_expect(state, node, GATE_YAML_MAP, "a map of names to sample types"))
        return false;
    struct gate_sample_type_alias *all =
        GATE_NEW_ARRAY(state->arena, struct gate_sample_type_alias, rules->sample_type_count + node->count + 1);
    if (all == NULL)
        return gate_arena_error(state->arena, state->err);
    uint32_t count = rules->sample_type_count;
    if (count != 0)
        memcpy(all, rules->sample_types, count * sizeof *all);
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next) {
        uint32_t i = 0;
        if (item->key->text.len == 0)
            return GATE_RULES_ERROR(state, item->key, "a sample type needs a name");
        while (i < count && !gate_str_equal(all[i].key, item->key->text))
            i++;
        count += i == count;
        all[i].key = item->key->text;
        if (!read_candidates(state, &all[i], item))
            return false;
    }
    rules->sample_types = all;
    rules->sample_type_count = count;
    return true;
}

static bool read_guard_severity(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_severity(state, &((struct gate_guard_rule *)field)->severity, node);
}

static bool read_guard_limit(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_guard_rule *rule = field;
    uint32_t guard = 0;
    while (!gate_str_equal(rule->name, gate_str_from(gate_guard_name((enum gate_guard)guard))))
        guard++;
    const char *unit = gate_guard_unit((enum gate_guard)guard);
    if (unit == NULL)
        return GATE_RULES_ERROR(state, node, "guard '%s' takes no limit: set only its severity",
                                gate_guard_name((enum gate_guard)guard));
    rule->limit_is_given = true;
    gate_rules_value_fn *read = unit[0] == 'x'   ? gate_rules_value_ratio
                                : unit[0] == 'd' ? gate_rules_value_days
                                                 : gate_rules_value_share;
    return read(state, &rule->limit, node);
}

const struct gate_rules_row gate_rules_sections_guard[] = {
    {"severity", read_guard_severity, 0}, {"limit", read_guard_limit, 0}, {NULL, NULL, 0}};

static bool read_guard(struct gate_rules_state *state, struct gate_rules *rules, const struct gate_yaml_node *node) {
    char hint[GATE_RULES_HINT_BYTES];
    const char *names[GATE_GUARD_NAMES + 1] = {NULL};
    uint32_t i = 0;
    uint32_t at = 0;
    for (int guard = 0; guard < GATE_GUARD_NAMES; guard++)
        names[guard] = gate_guard_name((enum gate_guard)guard);
    while (names[i] != NULL && !gate_str_equal(node->key->text, gate_str_from(names[i])))
        i++;
    if (names[i] == NULL)
        return GATE_RULES_ERROR(state, node->key, "unknown guard '%.*s'%s", GATE_STR_ARG(node->key->text),
                                gate_rules_value_hint(hint, node->key->text, names));
    while (at < rules->guard_count && !gate_str_equal(rules->guards[at].name, node->key->text))
        at++;
    struct gate_guard_rule *rule = &rules->guards[at];
    if (at == rules->guard_count) {
        *rule = (struct gate_guard_rule){.name = gate_str_from(names[i]), .severity = GATE_SEVERITY_WARN};
        rules->guard_count++;
    }
    if (node->kind == GATE_YAML_MAP && node->count != 0)
        return gate_rules_value_map(state, node, gate_rules_sections_guard, rule);
    return gate_rules_value_severity(state, &rule->severity, node);
}

bool gate_rules_sections_read_guards(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_rules *rules = field;
    if (!gate_rules_value_expect(state, node, GATE_YAML_MAP, "a map of guards to off, warn or error"))
        return false;
    if (rules->guards == NULL)
        rules->guards = GATE_NEW_ARRAY(state->arena, struct gate_guard_rule, GATE_GUARD_NAMES);
    if (rules->guards == NULL)
        return gate_arena_error(state->arena, state->err);
    for (const struct gate_yaml_node *guard = node->first; guard != NULL; guard = guard->next)
        if (!read_guard(state, rules, guard))
            return false;
    return true;
}
