/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of the section `try`. */
#include "gate/rules/rules_try.h"

#include "gate/compare/error_spending.h"
#include "gate/rules/yaml.h"

_Static_assert(GATE_TRY_ROUNDS_MAX <= GATE_SPENDING_LOOKS_MAX, "each round is a look");

static bool read_preset(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_word(state, node, gate_try_preset_words, &((struct gate_try_rules *)field)->preset);
}

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
    section->work_text = GATE_STR("");
    section->work_regex = NULL;
    if (node->kind != GATE_YAML_TEXT)
        return gate_rules_value_number(state, node, 1e-6, 1e15, &section->work);
    if (!gate_rules_value_pattern(state, &pattern, node))
        return false;
    if (gate_regex_groups(pattern.regex) != 1)
        return GATE_RULES_ERROR(state, node,
                                "'work' expects a number, or a pattern with one group that finds it in what the run "
                                "prints, such as 'requests: (\\d+)'; this one has %u groups",
                                (unsigned)gate_regex_groups(pattern.regex));
    section->work_text = pattern.text;
    section->work_regex = pattern.regex;
    return true;
}

static bool read_seconds(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    return gate_rules_value_number(state, node, 0.01, 86400, field);
}

static bool read_rounds(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    char found[96];
    if (node->kind == GATE_YAML_FLOAT)
        return GATE_RULES_ERROR(state, node, "'rounds' expects a whole number, found %s",
                                gate_rules_value_found(found, node));
    return gate_rules_value_number(state, node, 1, GATE_TRY_ROUNDS_MAX, field);
}

static bool is_variable_name(struct gate_str name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
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
        GATE_NEW_ARRAY(state->arena, struct gate_try_variable, (size_t)section->env_count + node->count + 1);
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

#define AT(field) offsetof(struct gate_try_rules, field)

const struct gate_rules_row gate_rules_try_keys[] = {{"preset", read_preset, 0},
                                                     {"build", read_command, AT(build)},
                                                     {"run", read_command, AT(run)},
                                                     {"load", read_command, AT(load)},
                                                     {"profile", read_profile, 0},
                                                     {"ready", gate_rules_value_line, AT(ready)},
                                                     {"work", read_work, 0},
                                                     {"bench", gate_rules_value_line, AT(bench)},
                                                     {"package", gate_rules_value_line, AT(package)},
                                                     {"script", gate_rules_value_line, AT(script)},
                                                     {"seconds", read_seconds, AT(seconds)},
                                                     {"rounds", read_rounds, AT(rounds)},
                                                     {"timeout", read_seconds, AT(timeout)},
                                                     {"env", read_env, 0},
                                                     {NULL, NULL, 0}};

bool gate_rules_try_read(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    struct gate_try_rules *section = &((struct gate_rules *)field)->trial;
    section->is_given = true;
    section->line = state->extends_line == 0 ? node->line : 0;
    section->column = state->extends_line == 0 ? node->column : 0;
    return gate_rules_value_map(state, node, gate_rules_try_keys, section);
}

/* Keys that only some presets accept. */
struct limited_key {
    const char *name;
    size_t at;
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

/* Check keys of servers, which do not apply to a program that ends by itself. */
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

bool gate_rules_try_settle(struct gate_rules_state *state) {
    const struct gate_try_rules *section = &state->rules->trial;
    const char *preset = gate_try_preset_words[section->preset];
    if (!section->is_given)
        return true;
    for (size_t i = 0; i < sizeof limited_keys / sizeof *limited_keys; i++) {
        const struct limited_key *key = &limited_keys[i];
        bool is_given = ((const struct gate_str *)(const void *)((const char *)section + key->at))->len != 0;
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
