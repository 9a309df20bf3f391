/* SPDX-License-Identifier: Apache-2.0 */
/* Files of rules, laid over each other (see rules_parse.h). */
#include "gate/rules/rules_parse.h"

#include "gate/rules/preset.h"
#include "gate/rules/rules_budget.h"
#include "gate/rules/rules_digest.h"
#include "gate/rules/rules_sections.h"
#include "gate/rules/rules_try.h"

enum { EXTENDS_MAX = 8, FILES_MAX = 64 };

/* What a file is read into: its budgets stay drafts until the last file has had its say. */
struct document {
    struct gate_rules rules;
    struct gate_rules_drafts drafts;
};

/* One parse over all files. */
struct parse {
    struct gate_rules_state state;
    struct document document;
    const struct gate_rules_reader *reader;
    struct gate_str sources[EXTENDS_MAX]; /* the chain of extends that led here */
    uint32_t depth;
    struct gate_rules_digest digest;
};

const char *const gate_rules_section_names[GATE_RULES_SECTIONS] = {"sample_types", "frames", "own",
                                                                   "work",         "counts", "try"};

static bool read_file(struct parse *parse, struct gate_str text, struct gate_str source);

/* Handled before the other keys, wherever they stand. */
static bool read_earlier(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    (void)state;
    (void)field;
    (void)node;
    return true;
}

const struct gate_rules_row gate_rules_parse_keys[] = {
    {"version", read_earlier, 0},
    {"extends", read_earlier, 0},
    {"defaults", gate_rules_sections_read_defaults, offsetof(struct document, rules)},
    {"sample_types", gate_rules_sections_read_sample_types, offsetof(struct document, rules)},
    {"frames", gate_rules_sections_read_frames, offsetof(struct document, rules)},
    {"own", gate_rules_sections_read_own, offsetof(struct document, rules)},
    {"work", gate_rules_sections_read_work, offsetof(struct document, rules)},
    {"counts", gate_rules_sections_read_counts, offsetof(struct document, rules)},
    {"guards", gate_rules_sections_read_guards, offsetof(struct document, rules)},
    {"budgets", gate_rules_budget_read, offsetof(struct document, drafts)},
    {"try", gate_rules_try_read, offsetof(struct document, rules)},
    {NULL, NULL, 0},
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

/* "base.yml" said in "ci/gate.yml" is "ci/base.yml"; "." and inner ".." are folded, so that a cycle is seen as one. */
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

/* An error in an extended file is shown at the `extends` that led there, with the inner place in its text. */
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

/* "none", or one that the program carries. */
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
    if (!gate_preset_find(&text, &source, name.ptr, state->arena, state->err))
        return false;
    if (text.ptr != NULL)
        return read_file(parse, text, source) || extended_error(parse, node, source);
    const char *words[GATE_RULES_WORDS_MAX + 1] = {"none"};
    for (uint32_t i = 0; presets[i] != NULL && i + 1 < GATE_RULES_WORDS_MAX; i++)
        words[i + 1] = presets[i];
    return GATE_RULES_ERROR(state, node, "unknown preset '%.*s'%s; a path has to end in .yml or contain a '/'",
                            GATE_STR_ARG(node->text), gate_rules_value_hint(hint, node->text, words));
}

/* Whether a resolved path lies in the folder of the first file, or below. */
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
    /* Depth alone would still let a list of lists of files read the same one a million times. */
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

/* The top of a file that says that it is one of rules. */
static bool read_root(struct gate_yaml_node **root, struct gate_rules_state *state, struct gate_str text) {
    return gate_yaml_parse(root, text, state->arena, state->err) &&
           gate_rules_value_expect(state, *root, GATE_YAML_MAP, "a map that begins with 'version: 1'") &&
           check_version(state, *root);
}

/* `extends` can name any file that the program may read, and a report of the error may be public: of a file that is not
 * one of rules, nothing is repeated. */
static bool hide_content(struct gate_error *err) {
    if (err->code != GATE_ERR_CONFIG)
        return false;
    return gate_error_set_at(err, err->code, err->line, err->column,
                             "not a rules file: expected a map that begins with 'version: 1'; 'pprofgate validate' on "
                             "the file itself says what was found");
}

/* A file may begin with 'version: 1' and be another's: then its keys are not repeated either. */
static bool check_own(struct gate_rules_state *state, const struct gate_yaml_node *root) {
    for (const struct gate_yaml_node *item = root->first; item != NULL; item = item->next) {
        bool is_known = false;
        for (const struct gate_rules_row *row = gate_rules_parse_keys; row->name != NULL; row++)
            is_known = is_known || gate_str_equal(item->key->text, gate_str_from(row->name));
        if (!is_known)
            return GATE_RULES_ERROR(state, item->key,
                                    "not a rules file: a key here is none of theirs; 'pprofgate validate' on the file "
                                    "itself says which");
    }
    return true;
}

/* All that a node says, without its layout. */
static void write_node(struct gate_buf *out, const struct gate_yaml_node *node) {
    struct gate_str key = node->key == NULL ? GATE_STR("") : node->key->text;
    gate_buf_printf(out, "%d:%zu:%.*s:%zu:%.*s{", (int)node->kind, key.len, GATE_STR_ARG(key), node->text.len,
                    GATE_STR_ARG(node->text));
    for (const struct gate_yaml_node *item = node->first; item != NULL; item = item->next)
        write_node(out, item);
    gate_buf_char(out, '}');
}

/* What a file says in a section is put behind what those before it said there. */
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

/* One file of the chain: what it extends first, then its own keys over it. */
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
    if (!note_sections(parse, root) || !gate_rules_value_map(state, root, gate_rules_parse_keys, &parse->document) ||
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

bool gate_rules_parse(struct gate_rules *out, struct gate_str text, struct gate_str source,
                      const struct gate_rules_reader *reader, struct gate_arena *arena, struct gate_error *err) {
    struct parse parse = {.state = {.arena = arena, .err = err},
                          .document.rules = {.source = source,
                                             .alpha = 0.01,
                                             .alpha_margin = 0.05,
                                             .min_samples = GATE_RULES_MIN_SAMPLES,
                                             .severity = GATE_SEVERITY_ERROR,
                                             .work_unit = GATE_STR("request")},
                          .reader = reader};
    struct gate_rules *rules = &parse.document.rules;
    parse.state.rules = rules;
    if (read_file(&parse, text, source) && gate_rules_budget_settle(&parse.state, &parse.document.drafts) &&
        gate_rules_try_settle(&parse.state) && check_whole(rules, err)) {
        rules->digest = gate_rules_digest_text(&parse.digest, arena);
        if (rules->digest.ptr != NULL) {
            *out = *rules; /* not before: who frees `out` would free these patterns again */
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
    if (!gate_preset_find(&text, &source, name, arena, err))
        return false;
    if (text.ptr == NULL)
        return gate_error_set(err, GATE_ERR_CONFIG, "unknown preset '%s'", name);
    return gate_rules_parse(out, text, source, NULL, arena, err);
}
