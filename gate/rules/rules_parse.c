/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of rules files: top level, all sections except `budgets`, and `extends`. */
#include "gate/rules/rules_parse.h"

#include "gate/base/arena.h"
#include "gate/base/embedded.h"
#include "gate/base/str.h"
#include "gate/compare/cost.h"
#include "gate/compare/error_spending.h"
#include "gate/rules/guard_rules.h"
#include "gate/rules/limit.h"
#include "gate/rules/rules.h"
#include "gate/rules/rules_budget.h"
#include "gate/rules/rules_diff.h"

/* Find the preset `name`.
 *
 * text    contents of the preset; `.ptr` is NULL if there is no such preset
 * source  name for messages, "recommended (built in)"; arena memory
 * err     GATE_ERR_LIMIT, GATE_ERR_MEMORY */
static bool preset_find(struct gate_str *text, struct gate_str *source, const char *name, struct gate_arena *arena,
                        struct gate_error *err) {
    struct gate_str file = gate_str_format(arena, "%s.yml", name);
    *source = gate_str_format(arena, "%s (built in)", name);
    if (file.ptr == NULL || source->ptr == NULL)
        return gate_arena_error(arena, err);
    *text = gate_embedded_find(file.ptr);
    return true;
}

/* ---- the section `try:` ------------------------------------------------------------------------------------------ */

/* Keys of the section. */
extern const struct gate_rules_row rules_try_keys[];

_Static_assert(GATE_TRY_ROUNDS_MAX <= GATE_SPENDING_LOOKS_MAX, "each round is a look");

/* Read a command, which is passed to `sh -c` unchanged. */
static bool read_command(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    if (!gate_rules_value_text(state, field, node))
        return false;
    if (memchr(node->text.ptr, '\0', node->text.len) != NULL)
        return GATE_RULES_ERROR(state, node, "'%.*s' holds a zero byte, which no command can",
                                GATE_STR_ARG(gate_rules_value_key(node)));
    return true;
}

/* Read a URL, or a path below the checkout. Other paths are rejected, because other programs may write there. */
static bool read_profile(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_try_rules *section = field;
    if (!gate_rules_value_line(state, &section->profile, node))
        return false;
    struct gate_str path = section->profile;
    if (gate_try_rules_is_url(path))
        return true;
    bool leads_out = path.ptr[0] == '/' || gate_str_equal(path, GATE_STR("..")) ||
                     gate_str_starts(path, GATE_STR("../")) || gate_str_ends(path, GATE_STR("/..")) ||
                     gate_str_find(path, GATE_STR("/../"), 0) != SIZE_MAX;
    if (leads_out)
        return GATE_RULES_ERROR(state, node,
                                "'profile' expects a path below the directory that is tried, such as 'cpu-*.pprof', or "
                                "an http URL; found '%.*s'; a run may also write to \"$PPROFGATE_PROFILE\"",
                                GATE_STR_ARG(path));
    return true;
}

/* Read a number, or a pattern that finds the work in the run's output. */
static bool read_work(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_try_rules *section = field;
    struct gate_pattern pattern = {0};
    section->work = 0;
    section->work_regex = NULL;
    if (node->kind != GATE_YAML_TEXT)
        return gate_rules_value_number(state, &section->work, node, 1e-6, 1e15);
    if (!gate_rules_value_pattern(state, &pattern, node))
        return false;
    if (gate_regex_groups(pattern.regex) != 1)
        return GATE_RULES_ERROR(state, node,
                                "'work' expects a number, or a pattern with one group that finds it in what the run "
                                "prints, such as 'requests: (\\d+)'; this one has %u groups",
                                (unsigned)gate_regex_groups(pattern.regex));
    section->work_regex = pattern.regex;
    return true;
}

static bool read_rounds(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    char found[96];
    if (node->kind == GATE_YAML_FLOAT)
        return GATE_RULES_ERROR(state, node, "'rounds' expects a whole number, found %s",
                                gate_rules_value_found(found, node));
    return gate_rules_value_number(state, field, node, 1, GATE_TRY_ROUNDS_MAX);
}

static bool is_variable_name(struct gate_str name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_letter = gate_is_letter(c) || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return name.len != 0;
}

static bool is_scalar(const struct gate_yaml_node *node) {
    return node->kind != GATE_YAML_LIST && node->kind != GATE_YAML_MAP && node->kind != GATE_YAML_NULL;
}

/* Read variables. Variables of an extended file stay unless this file sets them too. */
static bool read_env(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_try_rules *section = field;
    if (!gate_rules_value_expect(state, node, GATE_YAML_MAP, "a map of variables to text"))
        return false;
    struct gate_try_variable *all =
        GATE_NEW_ARRAY(state->arena, struct gate_try_variable, (size_t)section->env_count + node->count);
    if (all == NULL)
        return gate_arena_error(state->arena, state->err);
    uint32_t count = section->env_count;
    if (count != 0)
        memcpy(all, section->env, count * sizeof *all);
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next) {
        struct gate_str name = item->key->text;
        uint32_t at = 0;
        if (!is_variable_name(name) || gate_str_starts(name, GATE_STR("PPROFGATE_")))
            return GATE_RULES_ERROR(
                state, item->key, "'env' expects names of variables, which do not begin with PPROFGATE_; found '%.*s'",
                GATE_STR_ARG(name));
        if (!is_scalar(item) || memchr(item->text.ptr, '\0', item->text.len) != NULL)
            return GATE_RULES_ERROR(state, item, "'%.*s' expects text", GATE_STR_ARG(name));
        while (at < count && !gate_str_equal(all[at].name, name))
            at++;
        count += at == count;
        all[at] = (struct gate_try_variable){name, item->text};
    }
    section->env = all;
    section->env_count = count;
    return true;
}

#define AT(field) .offset = offsetof(struct gate_try_rules, field)
#define SECONDS .low = 0.01, .high = 86400

const struct gate_rules_row rules_try_keys[] = {
    {"preset", GATE_RULES_WORDS(struct gate_try_rules, preset, gate_try_preset_words)},
    {"build", read_command, AT(build)},
    {"run", read_command, AT(run)},
    {"load", read_command, AT(load)},
    {"profile", .read = read_profile},
    {"ready", gate_rules_value_line, AT(ready)},
    {"work", .read = read_work},
    {"bench", gate_rules_value_line, AT(bench)},
    {"package", gate_rules_value_line, AT(package)},
    {"script", gate_rules_value_line, AT(script)},
    {"seconds", AT(seconds), SECONDS},
    {"rounds", read_rounds, AT(rounds)},
    {"timeout", AT(timeout), SECONDS},
    {"env", .read = read_env},
    {0}};

/* Read the section `try`. `field` is the struct gate_rules to fill. */
static bool rules_try_read(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_try_rules *section = &((struct gate_rules *)field)->trial;
    section->is_given = true;
    section->line = state->extends_line == 0 ? node->line : 0;
    section->column = state->extends_line == 0 ? node->column : 0;
    return gate_rules_value_map(state, node, rules_try_keys, section);
}

/* Keys that only some presets accept. */
struct limited_key {
    const char *name;
    size_t offset;
    unsigned presets; /* bits of the presets that accept it */
    unsigned needed;  /* bits of the presets that require it */
};

enum {
    COMMAND = 1U << GATE_TRY_COMMAND,
    GO_BENCH = 1U << GATE_TRY_GO_BENCH,
    GO_SERVER = 1U << GATE_TRY_GO_SERVER,
    NODE = 1U << GATE_TRY_NODE,
    PY_SPY = 1U << GATE_TRY_PY_SPY
};

static const struct limited_key limited_keys[] = {
    {"run", AT(run), COMMAND | GO_SERVER, COMMAND},
    {"load", AT(load), COMMAND | GO_SERVER, GO_SERVER},
    {"profile", AT(profile), COMMAND | GO_SERVER, 0},
    {"ready", AT(ready), COMMAND | GO_SERVER, 0},
    {"bench", AT(bench), GO_BENCH, 0},
    {"package", AT(package), GO_BENCH | GO_SERVER, 0},
    {"script", AT(script), NODE | PY_SPY, NODE | PY_SPY},
};

/* Check the keys for servers. They are not allowed for a program that ends by itself. */
static bool check_server(struct gate_rules_state *state, const struct gate_try_rules *section) {
    bool is_server = section->preset == GATE_TRY_GO_SERVER || gate_try_rules_is_url(section->profile);
    const char *key = section->load.len != 0 ? "load" : section->ready.len != 0 ? "ready" : NULL;
    if (section->preset == GATE_TRY_GO_SERVER && section->profile.len != 0 && !gate_try_rules_is_url(section->profile))
        return GATE_RULES_ERROR(state, section, "the preset 'go-server' takes 'profile' from an http URL");
    if (is_server || key == NULL)
        return true;
    return GATE_RULES_ERROR(state, section,
                            "'%s' is for a server: it needs a 'profile' that is an http URL, to be taken while 'run' "
                            "goes",
                            key);
}

/*
 * Check the section after all files were read: it has the keys that its preset needs, and no others.
 *
 * err   GATE_ERR_CONFIG at the section, or without line and column if an extended file contains it
 */
static bool rules_try_settle(struct gate_rules_state *state) {
    const struct gate_try_rules *section = &state->rules->trial;
    const char *preset = gate_try_preset_words[section->preset];
    if (!section->is_given)
        return true;
    for (size_t i = 0; i < sizeof limited_keys / sizeof *limited_keys; i++) {
        const struct limited_key *key = &limited_keys[i];
        bool is_given = ((const struct gate_str *)(const void *)((const char *)section + key->offset))->len != 0;
        if (is_given && (key->presets & 1U << section->preset) == 0)
            return GATE_RULES_ERROR(state, section, "the preset '%s' does not take '%s'%s", preset, key->name,
                                    (key->presets & COMMAND) != 0 ? "; 'preset: command' takes it" : "");
        if (!is_given && (key->needed & 1U << section->preset) != 0)
            return GATE_RULES_ERROR(state, section, "'try' needs '%s': the preset '%s' has no default for it",
                                    key->name, preset);
    }
    if (section->preset == GATE_TRY_GO_BENCH && (section->work > 0 || section->work_regex != NULL))
        return GATE_RULES_ERROR(state, section, "the preset 'go-bench' counts the work itself: leave 'work' out");
    return check_server(state, section);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

#define RULES(field) .offset = offsetof(struct gate_rules, field)

/* With a smaller alpha, Holm's correction over a thousand frames leaves a level that no samples can reach. */
#define ALPHA .low = 1e-9, .high = 0.5

static const struct gate_rules_row defaults_keys[] = {
    {"severity", GATE_RULES_WORDS(struct gate_rules, severity, gate_severity_words)},
    {"alpha", RULES(alpha), ALPHA},
    {"alpha_margin", RULES(alpha_margin), ALPHA},
    {"min_samples", RULES(min_samples), .high = 1e12},
    {"on_inconclusive", GATE_RULES_WORDS(struct gate_rules, on_inconclusive, gate_on_inconclusive_words)},
    {0}};

/* Compile a list of patterns, in the order of the file. */
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

static const struct gate_rules_row own_keys[] = {
    {"include", .read = read_include}, {"exclude", .read = read_exclude}, {0}};

/* A rename while it is read. struct gate_rename has no field for the pattern's text. */
struct rename_draft {
    struct gate_pattern match;
    struct gate_str to;
};

static bool read_replacement(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_str *to = &((struct rename_draft *)field)->to;
    /* An empty replacement is allowed: it removes the match. */
    if (node->kind != GATE_YAML_TEXT || node->text.len != 0)
        return gate_rules_value_line(state, to, node);
    *to = node->text;
    return true;
}

static const struct gate_rules_row rename_keys[] = {
    {"match", gate_rules_value_pattern, .offset = offsetof(struct rename_draft, match)},
    {"to", .read = read_replacement},
    {0}};

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
        if (!gate_rules_value_map(state, item, rename_keys, &draft))
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

static const struct gate_rules_row frames_keys[] = {
    {"granularity", GATE_RULES_WORDS(struct gate_frame_options, granularity, gate_naming_granularities)},
    {"names", GATE_RULES_WORDS(struct gate_frame_options, exact_names, gate_naming_modes)},
    {"ignore", .read = read_ignore},
    {"rename", read_rename, .rows = rename_keys},
    {0}};

#define AMOUNT .low = 1e-6, .high = 1e15

static const struct gate_rules_row work_keys[] = {{"unit", gate_rules_value_line, RULES(work_unit)},
                                                  {"baseline", RULES(work[GATE_BASELINE]), AMOUNT},
                                                  {"canary", RULES(work[GATE_CANARY]), AMOUNT},
                                                  {0}};

static const struct gate_rules_row counts_keys[] = {
    {"period", .offset = offsetof(struct gate_counts_options, period), AMOUNT},
    {"mutex_fraction", .offset = offsetof(struct gate_counts_options, mutex_fraction), .low = 1.0, .high = 1e9},
    {0}};

/* Read "cpu" or "cpu/nanoseconds": at most one slash, no empty part and no blank. */
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

static bool read_sample_types(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_rules *rules = field;
    if (!gate_rules_value_expect(state, node, GATE_YAML_MAP, "a map of names to sample types"))
        return false;
    struct gate_sample_type_alias *all =
        GATE_NEW_ARRAY(state->arena, struct gate_sample_type_alias, rules->sample_type_count + node->count);
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

static bool read_guard_limit(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_guard_rule *rule = field;
    const enum gate_guard guard = (enum gate_guard)rule->guard;
    const char *unit = gate_guard_unit(guard);
    if (unit == NULL)
        return GATE_RULES_ERROR(state, node, "guard '%s' takes no limit: set only its severity",
                                gate_guard_name(guard));
    rule->limit_is_given = true;
    gate_rules_value_fn *read = unit[0] == 'x'   ? gate_rules_value_ratio
                                : unit[0] == 'd' ? gate_rules_value_days
                                                 : gate_rules_value_share;
    return read(state, &rule->limit, node);
}

static const struct gate_rules_row guard_keys[] = {
    {"severity", GATE_RULES_WORDS(struct gate_guard_rule, severity, gate_severity_words)},
    {"limit", .read = read_guard_limit},
    {0}};

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
    while (at < rules->guard_count && rules->guards[at].guard != i)
        at++;
    struct gate_guard_rule *rule = &rules->guards[at];
    if (at == rules->guard_count) {
        *rule = (struct gate_guard_rule){.guard = i, .severity = GATE_SEVERITY_WARN};
        rules->guard_count++;
    }
    if (node->kind == GATE_YAML_MAP && node->count != 0)
        return gate_rules_value_map(state, node, guard_keys, rule);
    return gate_rules_value_severity(state, &rule->severity, node);
}

static bool read_guards(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
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

/* ---- files and `extends` ----------------------------------------------------------------------------------------- */

enum { EXTENDS_MAX = 8, FILES_MAX = 64 };

/* Result of all files. Budgets stay drafts until the last file was read. */
struct document {
    struct gate_rules rules;
    struct gate_rules_drafts drafts;
};

/* State of one parse over all files. */
struct parse {
    struct gate_rules_state state;
    struct document document;
    const struct gate_rules_reader *reader;
    struct gate_str sources[EXTENDS_MAX]; /* the chain of extended files up to the current one */
    uint32_t depth;
    struct gate_rules_digest digest;
};

const char *const gate_rules_section_names[GATE_RULES_SECTIONS] = {"sample_types", "frames", "own",
                                                                   "work",         "counts", "try"};

static bool read_file(struct parse *parse, struct gate_str text, struct gate_str source);

#define IN_DOCUMENT .offset = offsetof(struct document, rules)

const struct gate_rules_row gate_rules_keys[] = {
    {.name = "version"}, /* read_file handles this key and the next before the others */
    {.name = "extends"},
    {"defaults", IN_DOCUMENT, .rows = defaults_keys},
    /* Words of a rules file and of --equal: all but "unknown". */
    {"equal", GATE_RULES_WORDS(struct document, rules.equal, gate_equal_words + GATE_EQUAL_WORK),
     .first = GATE_EQUAL_WORK},
    {"sample_types", read_sample_types, IN_DOCUMENT},
    {"frames", .offset = offsetof(struct document, rules.frames), .rows = frames_keys},
    {"own", .offset = offsetof(struct document, rules.frames.own), .rows = own_keys},
    {"work", IN_DOCUMENT, .rows = work_keys},
    {"counts", .offset = offsetof(struct document, rules.counts), .rows = counts_keys},
    {"guards", read_guards, IN_DOCUMENT, .rows = guard_keys},
    {"budgets", gate_rules_budget_read, .offset = offsetof(struct document, drafts), .rows = gate_rules_budget_keys},
    {"try", rules_try_read, IN_DOCUMENT, .rows = rules_try_keys},
    {0},
};

static bool check_version(struct gate_rules_state *state, const struct gate_yaml_node *root) {
    const struct gate_yaml_node *version = gate_yaml_get(root, "version");
    char found[96];
    if (version == NULL)
        return GATE_RULES_ERROR(state, root, "missing key 'version': expected 'version: 1'");
    if (version->kind != GATE_YAML_INT || !gate_str_equal(version->text, GATE_STR("1")))
        return GATE_RULES_ERROR(state, version, "'version' expects 1%s, found %s",
                                version->kind == GATE_YAML_TEXT ? " without quotes" : "",
                                gate_rules_value_found(found, version));
    return true;
}

/* Resolve `path` relative to the file `from`: "base.yml" in "ci/gate.yml" is "ci/base.yml". "." and inner ".." are
 * removed, so that a cycle is recognised. */
static struct gate_str resolve_path(const struct parse *parse, struct gate_str from, struct gate_str path) {
    size_t folder = from.len - gate_str_basename(from).len;
    bool absolute = path.len > 0 && path.ptr[0] == '/';
    char *out = gate_arena_alloc(parse->state.arena, folder + path.len + 2);
    if (out == NULL)
        return (struct gate_str){NULL, 0};
    struct gate_str joined =
        gate_str_format(parse->state.arena, "%.*s%.*s", absolute ? 0 : (int)folder, from.ptr, GATE_STR_ARG(path));
    if (joined.ptr == NULL)
        return joined;
    size_t len = 0;
    for (size_t at = 0; at < joined.len;) {
        size_t slash = gate_str_find(joined, GATE_STR("/"), at);
        size_t end = slash == SIZE_MAX ? joined.len : slash;
        struct gate_str part = gate_str_slice(joined, at, end);
        struct gate_str done = {out, len};
        bool up = gate_str_equal(part, GATE_STR("..")) && len > 1 && !gate_str_ends(done, GATE_STR("../"));
        if (up)
            len -= gate_str_basename((struct gate_str){out, len - 1}).len + 1;
        else if ((part.len != 0 || len == 0) && !gate_str_equal(part, GATE_STR("."))) {
            memcpy(out + len, part.ptr, part.len);
            len += part.len;
            if (slash != SIZE_MAX)
                out[len++] = '/';
        }
        at = end + 1;
    }
    return (struct gate_str){out, len};
}

/* Move an error of an extended file to the `extends` in the current file, with the inner place in its message. */
static bool extended_error(struct parse *parse, const struct gate_yaml_node *node, struct gate_str source) {
    struct gate_error *err = parse->state.err;
    if (err->code == GATE_ERR_MEMORY)
        return false;
    if (err->line == 0)
        return gate_error_set_at(err, err->code, node->line, node->column, "extends '%.*s': %s", GATE_STR_ARG(source),
                                 err->message);
    return gate_error_set_at(err, err->code, node->line, node->column, "extends '%.*s': %u:%u: %s",
                             GATE_STR_ARG(source), (unsigned)err->line, (unsigned)err->column, err->message);
}

/* Extend "none" or a built-in preset. */
static bool extend_preset(struct parse *parse, const struct gate_yaml_node *node) {
    struct gate_rules_state *state = &parse->state;
    struct gate_str text, source;
    char hint[GATE_RULES_HINT_BYTES];
    if (gate_str_equal(node->text, GATE_STR("none")))
        return true;
    struct gate_str name = gate_str_copy(state->arena, node->text);
    const char *const *presets = gate_preset_names(state->arena);
    if (name.ptr == NULL || presets == NULL)
        return gate_arena_error(state->arena, state->err);
    if (!preset_find(&text, &source, name.ptr, state->arena, state->err))
        return false;
    if (text.ptr != NULL)
        return read_file(parse, text, source) || extended_error(parse, node, source);
    const char *words[GATE_RULES_WORDS_MAX + 1] = {"none"};
    for (uint32_t i = 0; presets[i] != NULL && i + 1 < GATE_RULES_WORDS_MAX; i++)
        words[i + 1] = presets[i];
    return GATE_RULES_ERROR(state, node, "unknown preset '%.*s'%s; a path has to end in .yml or contain a '/'",
                            GATE_STR_ARG(node->text), gate_rules_value_hint(hint, node->text, words));
}

/* Return whether a resolved path is in the folder of the first file or below it. */
static bool is_beside(const struct parse *parse, struct gate_str path) {
    struct gate_str first = resolve_path(parse, parse->sources[0], gate_str_basename(parse->sources[0]));
    struct gate_str folder = gate_str_slice(first, 0, first.len - gate_str_basename(first).len);
    if (first.ptr == NULL || !gate_str_starts(path, folder) || (folder.len == 0 && path.ptr[0] == '/'))
        return false;
    struct gate_str rest = gate_str_slice(path, folder.len, path.len);
    return !gate_str_starts(rest, GATE_STR("../")) && !gate_str_equal(rest, GATE_STR(".."));
}

static bool extend_path(struct parse *parse, const struct gate_yaml_node *node) {
    struct gate_rules_state *state = &parse->state;
    struct gate_str bytes = {0};
    struct gate_str path = resolve_path(parse, parse->sources[parse->depth - 1], node->text);
    if (path.ptr == NULL)
        return gate_arena_error(state->arena, state->err);
    if (!is_beside(parse, path))
        return GATE_RULES_ERROR(state, node,
                                "'%.*s' lies outside of the folder of the rules file: expected a path in it or below",
                                GATE_STR_ARG(node->text));
    for (uint32_t i = 0; i < parse->depth; i++)
        if (gate_str_equal(parse->sources[i], path))
            return GATE_RULES_ERROR(state, node, "'%.*s' extends itself%s", GATE_STR_ARG(path),
                                    i + 1 == parse->depth ? "" : " through other files");
    if (parse->reader == NULL || parse->reader->read == NULL)
        return GATE_RULES_ERROR(state, node, "cannot read '%.*s' here: expected the name of a preset",
                                GATE_STR_ARG(path));
    if (!parse->reader->read(parse->reader->context, &bytes, path, state->arena, state->err))
        return extended_error(parse, node, path);
    return read_file(parse, bytes, path) || extended_error(parse, node, path);
}

static bool extend_one(struct parse *parse, const struct gate_yaml_node *node) {
    struct gate_rules_state *state = &parse->state;
    struct gate_str text = {0};
    if (parse->depth == 1)
        state->extends_line = node->line;
    if (!gate_rules_value_expect(state, node, GATE_YAML_TEXT, "the name of a preset or a path") ||
        !gate_rules_value_line(state, &text, node))
        return false;
    /* A limit on depth alone would allow a million reads through lists of files that extend lists of files. */
    if (state->file >= FILES_MAX)
        return GATE_RULES_ERROR(state, node, "'extends' pulls in more than %d files", (int)FILES_MAX);
    if (parse->depth >= EXTENDS_MAX)
        return GATE_RULES_ERROR(state, node, "'extends' is nested more than %d files deep", (int)EXTENDS_MAX);
    bool path = gate_str_find(text, GATE_STR("/"), 0) != SIZE_MAX || gate_str_ends(text, GATE_STR(".yml")) ||
                gate_str_ends(text, GATE_STR(".yaml"));
    return path ? extend_path(parse, node) : extend_preset(parse, node);
}

static bool read_extends(struct parse *parse, const struct gate_yaml_node *node) {
    if (node->kind != GATE_YAML_LIST)
        return extend_one(parse, node);
    if (node->count == 0)
        return GATE_RULES_ERROR(&parse->state, node, "'extends' is empty: write 'none', or leave it out");
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next)
        if (!extend_one(parse, item))
            return false;
    return true;
}

/* Parse a file and check that it starts like a rules file: a map with a valid `version`. */
static bool read_root(struct gate_yaml_node **root, struct gate_rules_state *state, struct gate_str text) {
    return gate_yaml_parse(root, text, state->arena, state->err) &&
           gate_rules_value_expect(state, *root, GATE_YAML_MAP, "a map that begins with 'version: 1'") &&
           check_version(state, *root);
}

/* Replace an error message that could reveal contents. `extends` can name any file that the program may read, and
 * messages may be public. They must therefore not quote a file that is not a rules file. */
static bool hide_content(struct gate_error *err) {
    if (err->code != GATE_ERR_CONFIG)
        return false;
    return gate_error_set_at(err, err->code, err->line, err->column,
                             "not a rules file: expected a map that begins with 'version: 1'; 'pprofgate validate' on "
                             "that file shows the reason");
}

/* Check that all keys are keys of rules files. Another kind of file may also start with 'version: 1', so its keys
 * are not quoted either. */
static bool check_own(struct gate_rules_state *state, const struct gate_yaml_node *root) {
    for (const struct gate_yaml_node *item = root->first; item != NULL; item = item->next) {
        bool is_known = false;
        for (const struct gate_rules_row *row = gate_rules_keys; row->name != NULL; row++)
            is_known = is_known || gate_str_equal(item->key->text, gate_str_from(row->name));
        if (!is_known)
            return GATE_RULES_ERROR(state, item->key,
                                    "not a rules file: unknown key; 'pprofgate validate' on that file names it");
    }
    return true;
}

/* Append the contents of a node, independent of its layout. */
static void write_node(struct gate_buf *out, const struct gate_yaml_node *node) {
    struct gate_str key = node->key == NULL ? GATE_STR("") : node->key->text;
    gate_buf_printf(out, "%d:%zu:%.*s:%zu:%.*s{", (int)node->kind, key.len, GATE_STR_ARG(key), node->text.len,
                    GATE_STR_ARG(node->text));
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next)
        write_node(out, item);
    gate_buf_char(out, '}');
}

/* Update the digest of each section that the file has: over the previous digest and the section's contents. */
static bool note_sections(struct parse *parse, const struct gate_yaml_node *root) {
    for (int i = 0; i < GATE_RULES_SECTIONS; i++) {
        const struct gate_yaml_node *node = gate_yaml_get(root, gate_rules_section_names[i]);
        uint8_t *digest = parse->document.rules.sections[i];
        struct gate_buf said = {0};
        if (node == NULL)
            continue;
        gate_buf_str(&said, (struct gate_str){(const char *)digest, GATE_RULES_SECTION_BYTES});
        write_node(&said, node);
        bool ok = gate_buf_check(&said, parse->state.err);
        if (ok)
            gate_sha256(digest, gate_buf_view(&said));
        gate_buf_free(&said);
        if (!ok)
            return false;
    }
    return true;
}

/* Read one file of the chain: first the files that it extends, then its own keys, which override theirs. */
static bool read_file(struct parse *parse, struct gate_str text, struct gate_str source) {
    struct gate_rules_state *state = &parse->state;
    struct gate_yaml_node *root = NULL;
    parse->sources[parse->depth++] = source;
    if (!read_root(&root, state, text))
        return parse->depth > 1 && hide_content(state->err);
    if (parse->depth > 1 && !check_own(state, root))
        return false;
    const struct gate_yaml_node *extends = gate_yaml_get(root, "extends");
    if (extends != NULL && !read_extends(parse, extends))
        return false;
    state->file++;
    state->source = source;
    gate_rules_digest_add(&parse->digest, text);
    if (parse->depth == 1)
        state->extends_line = 0;
    if (!note_sections(parse, root) || !gate_rules_value_map(state, root, gate_rules_keys, &parse->document) ||
        !gate_rules_budget_check(state, &parse->document.drafts))
        return false;
    parse->depth--;
    return true;
}

static bool check_whole(const struct gate_rules *rules, struct gate_error *err) {
    if (rules->budget_count == 0)
        return gate_error_set_at(err, GATE_ERR_CONFIG, 1, 1,
                                 "no budgets: expected 'budgets' or 'extends: recommended'");
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (rules->budgets[i].severity != GATE_SEVERITY_OFF)
            return true;
    return gate_error_set_at(err, GATE_ERR_CONFIG, 1, 1,
                             "every budget is off, so nothing would be checked: turn one on");
}

/* Apply the budget's severity as a maximum: under `severity: warn`, an error level only warns. */
static void settle_limits(struct gate_budget *budget) {
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        struct gate_limit *limit = &budget->limits[i];
        if (limit->severity == GATE_SEVERITY_OFF || limit->severity > budget->severity)
            limit->severity = budget->severity;
    }
}

/* Determine the severity of every draft and its limits, and move the budgets into `state->rules`. */
static bool budgets_settle(struct gate_rules_state *state, const struct gate_rules_drafts *drafts) {
    struct gate_rules *rules = state->rules;
    rules->budgets = GATE_NEW_ARRAY(state->arena, struct gate_budget, drafts->count);
    if (rules->budgets == NULL && drafts->count != 0)
        return gate_arena_error(state->arena, state->err);
    for (size_t i = 0; i < drafts->count; i++) {
        struct gate_budget *budget = &rules->budgets[rules->budget_count++];
        *budget = drafts->items[i].budget;
        if (!drafts->items[i].severity_is_given)
            budget->severity = rules->severity;
        if (gate_budget_measure_row(budget->measure)->is_leak && budget->per == GATE_PER_UNSET)
            budget->per = GATE_PER_HOUR;
        settle_limits(budget);
    }
    return true;
}

/* List the patterns of functions that budgets select and leave out, for the comparison. */
static bool list_own_limits(struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_regex **selected = GATE_NEW_ARRAY(arena, const struct gate_regex *, rules->budget_count);
    const struct gate_regex **left_out = GATE_NEW_ARRAY(arena, const struct gate_regex *, rules->budget_count);
    struct gate_frame_options *frames = &rules->frames;
    if (selected == NULL || left_out == NULL)
        return gate_arena_error(arena, err);
    frames->selected_count = frames->left_out_count = 0;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_select *select = &rules->budgets[i].select;
        if (select->function.regex != NULL)
            selected[frames->selected_count++] = select->function.regex;
        if (select->not_function.regex != NULL)
            left_out[frames->left_out_count++] = select->not_function.regex;
    }
    frames->selected = selected;
    frames->left_out = left_out;
    return true;
}

bool gate_rules_parse(struct gate_rules *out, struct gate_str text, struct gate_str source,
                      const struct gate_rules_reader *reader, struct gate_arena *arena, struct gate_error *err) {
    struct parse parse = {.state = {.arena = arena, .err = err},
                          .document.rules = {.source = source,
                                             .alpha = 0.01,
                                             .alpha_margin = 0.05,
                                             .min_samples = GATE_RULES_MIN_SAMPLES,
                                             .severity = GATE_SEVERITY_ERROR,
                                             .work_unit = GATE_STR(GATE_RULES_WORK_UNIT)},
                          .reader = reader};
    struct gate_rules *rules = &parse.document.rules;
    parse.state.rules = rules;
    if (read_file(&parse, text, source) && budgets_settle(&parse.state, &parse.document.drafts) &&
        rules_try_settle(&parse.state) && check_whole(rules, err) && list_own_limits(rules, arena, err)) {
        rules->digest = gate_rules_digest_text(&parse.digest, arena);
        if (rules->digest.ptr != NULL) {
            *out = *rules; /* only on success: otherwise the patterns would be freed twice */
            return true;
        }
        (void)gate_arena_error(arena, err);
    }
    gate_rules_free(rules);
    return false;
}

bool gate_rules_parse_preset(struct gate_rules *out, const char *name, struct gate_arena *arena,
                             struct gate_error *err) {
    struct gate_str text, source;
    return preset_find(&text, &source, name, arena, err) &&
           (text.ptr != NULL ? gate_rules_parse(out, text, source, NULL, arena, err)
                             : gate_error_set(err, GATE_ERR_CONFIG, "unknown preset '%s'", name));
}
