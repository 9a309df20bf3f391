/* SPDX-License-Identifier: Apache-2.0 */
/* The rules file: version, extends, sections, and what the file as a whole must be.
 * Pipeline: bytes -> rules/yaml.h -> this, rules_sections.c, rules_budget.c, rules_limit.c -> rules/rules.h */
#include "gate/rules/rules.h"

#include "gate/base/embedded.h"
#include "gate/rules/rules_keys.h"
#include "gate/rules/rules_parts.h"

static bool read_file(struct rules_parse *parse, struct gate_str text, struct gate_str source);

/* Handled before the other keys, wherever they stand. */
static bool read_earlier(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    (void)parse;
    (void)field;
    (void)node;
    return true;
}

static bool read_defaults(struct rules_parse *parse, void *field, const struct gate_yaml_node *node) {
    return rules_read_map(parse, node, rules_defaults_keys, field);
}

const struct rules_key rules_top_keys[] = {{"version", read_earlier, 0},
                                           {"extends", read_earlier, 0},
                                           {"defaults", read_defaults, 0},
                                           {"sample_types", rules_read_sample_types, 0},
                                           {"frames", rules_read_frames, 0},
                                           {"work", rules_read_work, 0},
                                           {"counts", rules_read_counts, 0},
                                           {"guards", rules_read_guards, 0},
                                           {"budgets", rules_read_budgets, 0},
                                           {NULL, NULL, 0}};

static const struct {
    const char *path;
    const struct rules_key *keys;
} sections[] = {
    {"", rules_top_keys},
    {"defaults", rules_defaults_keys},
    {"frames", rules_frames_keys},
    {"frames.rename[]", rules_rename_keys},
    {"work", rules_work_keys},
    {"counts", rules_counts_keys},
    {"guards.*", rules_guard_keys},
    {"budgets[]", rules_budget_keys},
    {"budgets[].select", rules_select_keys},
    {"budgets[].select.not", rules_not_keys},
    {"budgets[].limit", rules_limit_keys},
    {"budgets[].limit.*", rules_level_keys},
};

bool gate_rules_key_at(uint32_t index, struct gate_rules_key *out) {
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        for (const struct rules_key *key = sections[i].keys; key->name != NULL; key++)
            if (index-- == 0) {
                *out = (struct gate_rules_key){sections[i].path, key->name};
                return true;
            }
    return false;
}

const char *gate_severity_name(enum gate_severity severity) {
    static const char *const names[] = {
        [GATE_SEVERITY_OFF] = "off", [GATE_SEVERITY_WARN] = "warn", [GATE_SEVERITY_ERROR] = "error"};
    return names[severity];
}

static bool unknown_key(struct rules_parse *parse, const struct gate_yaml_node *key, const struct rules_key *keys) {
    const char *words[RULES_WORDS_MAX + 1];
    char hint[400];
    uint32_t count = 0;
    for (; keys->name != NULL && count < RULES_WORDS_MAX; keys++)
        words[count++] = keys->name;
    words[count] = NULL;
    return RULES_ERROR(parse, key, "unknown key '%.*s'%s", GATE_STR_ARG(key->text),
                       rules_hint(hint, key->text, words));
}

bool rules_read_map(struct rules_parse *parse, const struct gate_yaml_node *node, const struct rules_key *keys,
                    void *target) {
    if (!rules_expect(parse, node, GATE_YAML_MAP, "a map"))
        return false;
    for (const struct gate_yaml_node *value = node->first; value != NULL; value = value->next) {
        const struct rules_key *key = keys;
        while (key->name != NULL && !gate_str_equal(value->key->text, gate_str_from(key->name)))
            key++;
        if (key->name == NULL)
            return unknown_key(parse, value->key, keys);
        if (!key->read(parse, (char *)target + key->offset, value))
            return false;
    }
    return true;
}

static bool check_version(struct rules_parse *parse, const struct gate_yaml_node *root) {
    const struct gate_yaml_node *version = gate_yaml_get(root, "version");
    char found[96];
    if (version == NULL)
        return RULES_ERROR(parse, root, "missing key 'version': expected 'version: 1'");
    if (version->kind != GATE_YAML_INT || !gate_str_equal(version->text, GATE_STR("1")))
        return RULES_ERROR(parse, version, "'version' expects 1%s, found %s",
                           version->kind == GATE_YAML_TEXT ? " without quotes" : "", rules_describe(found, version));
    return true;
}

const char *const *rules_preset_names(struct gate_arena *arena) {
    const struct gate_str suffix = GATE_STR(".yml");
    uint32_t count = 0;
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++)
        count++;
    const char **names = GATE_NEW_ARRAY(arena, const char *, count + 2);
    if (names == NULL)
        return NULL;
    count = 0;
    names[count++] = "none";
    for (const struct gate_embedded *file = gate_embedded_files; file->name != NULL; file++) {
        struct gate_str name = gate_str_from(file->name);
        if (!gate_str_ends(name, suffix))
            continue;
        struct gate_str copy = gate_str_copy(arena, gate_str_slice(name, 0, name.len - suffix.len));
        if (copy.ptr == NULL)
            return NULL;
        names[count++] = copy.ptr;
    }
    return names;
}

/* "base.yml" said in "ci/gate.yml" is "ci/base.yml"; "." and inner ".." are folded, so that a cycle is seen as one. */
static struct gate_str resolve_path(struct rules_parse *parse, struct gate_str path) {
    struct gate_str from = parse->sources[parse->depth - 1];
    size_t folder = from.len - gate_str_basename(from).len;
    bool absolute = path.ptr[0] == '/';
    char *out = gate_arena_alloc(parse->arena, folder + path.len + 2);
    if (out == NULL)
        return (struct gate_str){NULL, 0};
    struct gate_str joined = gate_str_format(parse->arena, "%.*s%.*s", absolute ? 0 : (int)folder, from.ptr,
                                             GATE_STR_ARG(path));
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

/* An error in an extended file is shown at the `extends` that led there, with the inner place in its text. */
static bool extended_error(struct rules_parse *parse, const struct gate_yaml_node *node, struct gate_str source) {
    if (parse->err->code == GATE_ERR_MEMORY)
        return false;
    if (parse->err->line == 0)
        return gate_error_set_at(parse->err, parse->err->code, node->line, node->column, "extends '%.*s': %s",
                                 GATE_STR_ARG(source), parse->err->message);
    return gate_error_set_at(parse->err, parse->err->code, node->line, node->column, "extends '%.*s': %u:%u: %s",
                             GATE_STR_ARG(source), (unsigned)parse->err->line, (unsigned)parse->err->column,
                             parse->err->message);
}

static bool extend_preset(struct rules_parse *parse, const struct gate_yaml_node *node) {
    char hint[400];
    const char *const *names = rules_preset_names(parse->arena);
    if (names == NULL)
        return gate_arena_error(parse->arena, parse->err);
    size_t i = 0;
    while (names[i] != NULL && !gate_str_equal(node->text, gate_str_from(names[i])))
        i++;
    if (names[i] == NULL)
        return RULES_ERROR(parse, node, "unknown preset '%.*s'%s; a path ends in .yml or holds a '/'",
                           GATE_STR_ARG(node->text), rules_hint(hint, node->text, names));
    if (i == 0)
        return true;
    struct gate_str file = gate_str_format(parse->arena, "%s.yml", names[i]);
    struct gate_str source = gate_str_format(parse->arena, "%s (built in)", names[i]);
    if (file.ptr == NULL || source.ptr == NULL)
        return gate_arena_error(parse->arena, parse->err);
    return read_file(parse, gate_embedded_find(file.ptr), source) || extended_error(parse, node, source);
}

static bool extend_path(struct rules_parse *parse, const struct gate_yaml_node *node) {
    struct gate_str bytes = {0};
    struct gate_str path = resolve_path(parse, node->text);
    if (path.ptr == NULL)
        return gate_arena_error(parse->arena, parse->err);
    for (uint32_t i = 0; i < parse->depth; i++)
        if (gate_str_equal(parse->sources[i], path))
            return RULES_ERROR(parse, node, "'%.*s' extends itself%s", GATE_STR_ARG(path),
                               i + 1 == parse->depth ? "" : " by way of other files");
    if (parse->reader == NULL || parse->reader->read == NULL)
        return RULES_ERROR(parse, node, "cannot read '%.*s' here: expected the name of a preset", GATE_STR_ARG(path));
    if (!parse->reader->read(parse->reader->context, &bytes, path, parse->arena, parse->err))
        return extended_error(parse, node, path);
    return read_file(parse, bytes, path) || extended_error(parse, node, path);
}

static bool extend_one(struct rules_parse *parse, const struct gate_yaml_node *node) {
    struct gate_str text = {0};
    if (!rules_expect(parse, node, GATE_YAML_TEXT, "the name of a preset or a path"))
        return false;
    if (!rules_read_line(parse, &text, node))
        return false;
    /* Depth alone would still let a list of lists of files read the same one a million times. */
    if (parse->file >= RULES_FILES_MAX)
        return RULES_ERROR(parse, node, "'extends' leads to more than %d files", (int)RULES_FILES_MAX);
    if (parse->depth >= RULES_EXTENDS_MAX)
        return RULES_ERROR(parse, node, "'extends' goes deeper than %d files", (int)RULES_EXTENDS_MAX);
    bool path = gate_str_find(text, GATE_STR("/"), 0) != SIZE_MAX || gate_str_ends(text, GATE_STR(".yml")) ||
                gate_str_ends(text, GATE_STR(".yaml"));
    return path ? extend_path(parse, node) : extend_preset(parse, node);
}

static bool read_extends(struct rules_parse *parse, const struct gate_yaml_node *node) {
    if (node->kind != GATE_YAML_LIST)
        return extend_one(parse, node);
    if (node->count == 0)
        return RULES_ERROR(parse, node, "'extends' is empty: write 'none', or leave it out");
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next)
        if (!extend_one(parse, item))
            return false;
    return true;
}

/* One file of the chain: what it extends first, then its own keys over it. */
static bool read_file(struct rules_parse *parse, struct gate_str text, struct gate_str source) {
    struct gate_yaml_node *root = NULL;
    parse->sources[parse->depth++] = source;
    if (!gate_yaml_parse(&root, text, parse->arena, parse->err))
        return false;
    if (!rules_expect(parse, root, GATE_YAML_MAP, "a map that begins with 'version: 1'") ||
        !check_version(parse, root))
        return false;
    const struct gate_yaml_node *extends = gate_yaml_get(root, "extends");
    if (extends != NULL && !read_extends(parse, extends))
        return false;
    parse->file++;
    if (!rules_read_map(parse, root, rules_top_keys, parse->rules) || !rules_check_budgets(parse))
        return false;
    parse->depth--;
    return true;
}

static bool check_whole(struct rules_parse *parse) {
    const struct gate_rules *rules = parse->rules;
    if (rules->budget_count == 0)
        return gate_error_set_at(parse->err, GATE_ERR_CONFIG, 1, 1,
                                 "no budgets: expected 'budgets' or 'extends: recommended'");
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (rules->budgets[i].severity != GATE_SEVERITY_OFF)
            return true;
    return gate_error_set_at(parse->err, GATE_ERR_CONFIG, 1, 1, "every budget is off: nothing would be checked");
}

bool gate_rules_parse(struct gate_rules *out, struct gate_str text, struct gate_str source,
                      const struct gate_rules_reader *reader, struct gate_arena *arena, struct gate_error *err) {
    struct gate_rules rules = {.source = source,
                               .alpha = 0.01,
                               .alpha_margin = 0.05,
                               .min_samples = 500,
                               .severity = GATE_SEVERITY_ERROR,
                               .work_unit = GATE_STR("request")};
    struct rules_parse parse = {.rules = &rules, .arena = arena, .err = err, .reader = reader};
    if (read_file(&parse, text, source) && rules_settle_budgets(&parse) && check_whole(&parse)) {
        *out = rules;
        return true;
    }
    gate_rules_free(&rules);
    return false;
}

bool gate_rules_preset(struct gate_rules *out, const char *name, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str file = gate_str_format(arena, "%s.yml", name);
    struct gate_str source = gate_str_format(arena, "%s (built in)", name);
    if (file.ptr == NULL || source.ptr == NULL)
        return gate_arena_error(arena, err);
    struct gate_str text = gate_embedded_find(file.ptr);
    if (text.ptr == NULL)
        return gate_error_set(err, GATE_ERR_CONFIG, "unknown preset '%s'", name);
    return gate_rules_parse(out, text, source, NULL, arena, err);
}

void gate_rules_free(struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->regex_count; i++)
        gate_regex_free(rules->regexes[i]);
    rules->regexes = NULL;
    rules->regex_count = 0;
}
