/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/rules/yaml.h"

#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/rules/rules.h"

#include <stdio.h>
#include <yaml.h>

/* ---- document tree over libyaml's events ------------------------------------------------------------------------- */

/* libyaml accepts duplicate keys and aliases silently, so they are checked here. */

struct yaml_reader {
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
    struct gate_str text;
    struct gate_arena *arena;
    struct gate_error *err;
    uint32_t node_count;
};

static bool read_node(struct yaml_reader *reader, struct gate_yaml_node **out, const struct gate_yaml_node *key,
                      unsigned depth);

static bool yaml_error(struct yaml_reader *reader, yaml_mark_t mark, const char *what) {
    return gate_error_set_at(reader->err, GATE_ERR_CONFIG, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1, "%s",
                             what);
}

/* Return whether the indentation of the mark's line contains a tab: the most common mistake, with its own message. */
static bool mark_is_tab(const struct yaml_reader *reader, yaml_mark_t mark) {
    size_t at = 0;
    for (size_t line = 0; line < mark.line && at != SIZE_MAX; line++) {
        at = gate_str_find(reader->text, GATE_STR("\n"), at);
        at += at != SIZE_MAX;
    }
    for (; at < reader->text.len && (reader->text.ptr[at] == ' ' || reader->text.ptr[at] == '\t'); at++)
        if (reader->text.ptr[at] == '\t')
            return true;
    return false;
}

/* Return advice for a frequent syntax error, because libyaml's message does not contain any; "" for others. */
static const char *yaml_hint(const yaml_parser_t *parser) {
    static const char *const hints[][2] = {
        {"unknown escape character", ": write the text in single quotes, in which a backslash is a backslash"},
        {"expected '-' indicator", ": indent the line like the keys above it"},
        {"mapping values are not allowed", ": is the line indented too far, or does the text before it lack quotes?"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints && parser->problem != NULL; i++)
        if (strstr(parser->problem, hints[i][0]) != NULL)
            return hints[i][1];
    return "";
}

static bool yaml_syntax_error(struct yaml_reader *reader) {
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return gate_error_set(reader->err, GATE_ERR_MEMORY, "out of memory");
    yaml_mark_t mark = parser->problem_mark;
    if (mark_is_tab(reader, mark))
        return yaml_error(reader, mark, "tab in the indentation: YAML allows only spaces there");
    return gate_error_set_at(reader->err, GATE_ERR_CONFIG, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1,
                             "not YAML: %s%s%s%s", parser->problem == NULL ? "unreadable" : parser->problem,
                             parser->context == NULL ? "" : " ", parser->context == NULL ? "" : parser->context,
                             yaml_hint(parser));
}

static void yaml_drop_event(struct yaml_reader *reader) {
    if (reader->has_event)
        yaml_event_delete(&reader->event);
    reader->has_event = false;
}

static bool yaml_next(struct yaml_reader *reader) {
    yaml_drop_event(reader);
    if (!yaml_parser_parse(&reader->parser, &reader->event))
        return yaml_syntax_error(reader);
    reader->has_event = true;
    return true;
}

/* Move `*at` past digits. Return false if there are none. */
static bool take_digits(struct gate_str text, size_t *at) {
    size_t from = *at;
    while (*at < text.len && gate_is_digit(text.ptr[*at]))
        (*at)++;
    return *at > from;
}

static bool is_one_of(struct gate_str text, const char *const *words) {
    for (; *words != NULL; words++)
        if (gate_str_equal(text, gate_str_from(*words)))
            return true;
    return false;
}

static enum gate_yaml_kind number_kind(struct gate_str text) {
    static const char *const special[] = {".inf",  ".Inf",  ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
                                          "-.Inf", "-.INF", ".nan", ".NaN",  ".NAN",  NULL};
    if (is_one_of(text, special))
        return GATE_YAML_FLOAT;
    size_t at = text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-');
    bool whole = take_digits(text, &at);
    bool is_float = false;
    if (at < text.len && text.ptr[at] == '.') {
        at++;
        bool fraction = take_digits(text, &at);
        if (!whole && !fraction)
            return GATE_YAML_TEXT;
        is_float = true;
    } else if (!whole) {
        return GATE_YAML_TEXT;
    }
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
        at++;
        if (at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-'))
            at++;
        if (!take_digits(text, &at))
            return GATE_YAML_TEXT;
        is_float = true;
    }
    if (at != text.len)
        return GATE_YAML_TEXT;
    return is_float ? GATE_YAML_FLOAT : GATE_YAML_INT;
}

/* Return whether `text` is an integer such as 0x1F or 0o17 (YAML 1.2). */
static bool is_based_integer(struct gate_str text) {
    if (text.len < 3 || text.ptr[0] != '0' || (text.ptr[1] != 'x' && text.ptr[1] != 'o'))
        return false;
    const char *digits = text.ptr[1] == 'x' ? "0123456789abcdefABCDEF" : "01234567";
    for (size_t i = 2; i < text.len; i++)
        if (text.ptr[i] == '\0' || strchr(digits, text.ptr[i]) == NULL)
            return false;
    return true;
}

static enum gate_yaml_kind plain_kind(struct gate_str text) {
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const bools[] = {"true", "True", "TRUE", "false", "False", "FALSE", NULL};
    if (is_one_of(text, nulls))
        return GATE_YAML_NULL;
    if (is_one_of(text, bools))
        return GATE_YAML_BOOL;
    return is_based_integer(text) ? GATE_YAML_INT : number_kind(text);
}

static struct gate_yaml_node *make_node(struct yaml_reader *reader, enum gate_yaml_kind kind) {
    if (reader->node_count++ >= GATE_YAML_MAX_NODES) {
        (void)gate_error_set_at(reader->err, GATE_ERR_LIMIT, (uint32_t)reader->event.start_mark.line + 1,
                                (uint32_t)reader->event.start_mark.column + 1, "more than %d values in one file",
                                (int)GATE_YAML_MAX_NODES);
        return NULL;
    }
    struct gate_yaml_node *node = GATE_NEW_ARRAY(reader->arena, struct gate_yaml_node, 1);
    if (node == NULL) {
        (void)gate_arena_error(reader->arena, reader->err);
        return NULL;
    }
    node->kind = kind;
    node->line = (uint32_t)reader->event.start_mark.line + 1;
    node->column = (uint32_t)reader->event.start_mark.column + 1;
    return node;
}

static bool refuse_marks(struct yaml_reader *reader, const yaml_char_t *anchor, const yaml_char_t *tag) {
    if (anchor != NULL)
        return yaml_error(reader, reader->event.start_mark, "anchors are not accepted: write the value out");
    if (tag != NULL)
        return yaml_error(reader, reader->event.start_mark, "tags are not accepted: write the plain value");
    return true;
}

static bool read_scalar(struct yaml_reader *reader, struct gate_yaml_node **out) {
    const yaml_event_t *event = &reader->event;
    if (!refuse_marks(reader, event->data.scalar.anchor, event->data.scalar.tag))
        return false;
    struct gate_yaml_node *node = make_node(reader, GATE_YAML_TEXT);
    if (node == NULL)
        return false;
    struct gate_str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    node->text = gate_str_copy(reader->arena, text);
    if (node->text.ptr == NULL)
        return gate_arena_error(reader->arena, reader->err);
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        node->kind = plain_kind(node->text);
    *out = node;
    return true;
}

static void append(struct gate_yaml_node *parent, struct gate_yaml_node **last, struct gate_yaml_node *child) {
    if (*last == NULL)
        parent->first = child;
    else
        (*last)->next = child;
    *last = child;
    parent->count++;
}

static bool read_list(struct yaml_reader *reader, struct gate_yaml_node **out, const struct gate_yaml_node *key,
                      unsigned depth) {
    if (!refuse_marks(reader, reader->event.data.sequence_start.anchor, reader->event.data.sequence_start.tag))
        return false;
    struct gate_yaml_node *list = make_node(reader, GATE_YAML_LIST);
    if (list == NULL)
        return false;
    struct gate_yaml_node *last = NULL;
    for (;;) {
        struct gate_yaml_node *item = NULL;
        if (!yaml_next(reader))
            return false;
        if (reader->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (!read_node(reader, &item, key, depth + 1))
            return false;
        append(list, &last, item);
    }
    *out = list;
    return true;
}

/* Read a key and check that it is unique in its map: interning gives each new key the next index. */
static bool read_key(struct yaml_reader *reader, struct gate_yaml_node **out, struct gate_table *keys,
                     const struct gate_yaml_node *map) {
    if (reader->event.type == YAML_ALIAS_EVENT)
        return yaml_error(reader, reader->event.start_mark, "aliases are not accepted: write the value out");
    if (reader->event.type != YAML_SCALAR_EVENT)
        return yaml_error(reader, reader->event.start_mark, "expected a key, found a list or a map");
    if (!read_scalar(reader, out))
        return false;
    struct gate_yaml_node *key = *out;
    uint32_t before = keys->count;
    uint32_t index = gate_table_intern(keys, key->text);
    if (index == GATE_TABLE_NONE)
        return gate_arena_error(reader->arena, reader->err);
    if (keys->count != before)
        return true;
    const struct gate_yaml_node *first = map->first;
    while (index-- > 0 && first != NULL)
        first = first->next;
    GATE_ASSERT(first != NULL);
    return gate_error_set_at(reader->err, GATE_ERR_CONFIG, key->line, key->column,
                             "duplicate key '%.*s' (first on line %u): keep one of them", GATE_STR_ARG(key->text),
                             (unsigned)first->key->line);
}

static bool read_map(struct yaml_reader *reader, struct gate_yaml_node **out, unsigned depth) {
    if (!refuse_marks(reader, reader->event.data.mapping_start.anchor, reader->event.data.mapping_start.tag))
        return false;
    struct gate_yaml_node *map = make_node(reader, GATE_YAML_MAP);
    if (map == NULL)
        return false;
    struct gate_table keys;
    gate_table_init(&keys, reader->arena);
    struct gate_yaml_node *last = NULL;
    for (;;) {
        struct gate_yaml_node *key = NULL;
        struct gate_yaml_node *value = NULL;
        if (!yaml_next(reader))
            return false;
        if (reader->event.type == YAML_MAPPING_END_EVENT)
            break;
        if (!read_key(reader, &key, &keys, map) || !yaml_next(reader) || !read_node(reader, &value, key, depth + 1))
            return false;
        append(map, &last, value);
    }
    *out = map;
    return true;
}

static bool read_node(struct yaml_reader *reader, struct gate_yaml_node **out, const struct gate_yaml_node *key,
                      unsigned depth) {
    yaml_mark_t mark = reader->event.start_mark;
    if (depth > GATE_YAML_MAX_DEPTH)
        return gate_error_set_at(reader->err, GATE_ERR_LIMIT, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1,
                                 "nested deeper than %d levels", (int)GATE_YAML_MAX_DEPTH);
    bool ok = false;
    if (reader->event.type == YAML_SCALAR_EVENT)
        ok = read_scalar(reader, out);
    else if (reader->event.type == YAML_SEQUENCE_START_EVENT)
        ok = read_list(reader, out, key, depth);
    else if (reader->event.type == YAML_MAPPING_START_EVENT)
        ok = read_map(reader, out, depth);
    else
        return yaml_error(reader, mark, "aliases are not accepted: write the value out");
    if (ok)
        (*out)->key = key;
    return ok;
}

/* Return whether the character is a control character, or a line break that editors do not count as one. */
static bool is_refused(struct gate_str text, size_t at, uint32_t c) {
    if (c == '\r')
        return at + 1 == text.len || text.ptr[at + 1] != '\n';
    return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
           c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

/* Check size and encoding first: libyaml reports bad bytes only by offset, and would accept UTF-16. */
static bool check_bytes(struct gate_str text, struct gate_error *err) {
    uint32_t line = 1;
    uint32_t column = 1;
    if (text.len > GATE_YAML_MAX_BYTES)
        return gate_error_set(err, GATE_ERR_LIMIT, "larger than %d bytes: too large for a file that people review",
                              (int)GATE_YAML_MAX_BYTES);
    for (size_t at = 0; at < text.len;) {
        uint32_t c = 0;
        size_t step = gate_utf8_decode(text, at, &c);
        if (step == 0)
            return gate_error_set_at(err, GATE_ERR_CONFIG, line, column, "not UTF-8: byte 0x%02X",
                                     (unsigned)(unsigned char)text.ptr[at]);
        if (is_refused(text, at, c))
            return gate_error_set_at(err, GATE_ERR_CONFIG, line, column, "control character U+%04X: remove it",
                                     (unsigned)c);
        line += c == '\n';
        column = c == '\n' ? 1 : column + 1;
        at += step;
    }
    return true;
}

static bool read_document(struct yaml_reader *reader, struct gate_yaml_node **out) {
    if (!yaml_next(reader) || !yaml_next(reader)) /* start of the stream, start of the document */
        return false;
    if (reader->event.type == YAML_STREAM_END_EVENT)
        return gate_error_set_at(reader->err, GATE_ERR_CONFIG, 1, 1,
                                 "the file is empty: expected a map of keys and values");
    if (reader->event.data.document_start.version_directive != NULL ||
        reader->event.data.document_start.tag_directives.start != reader->event.data.document_start.tag_directives.end)
        return yaml_error(reader, reader->event.start_mark, "YAML directives are not accepted: remove the '%' line");
    if (!yaml_next(reader) || !read_node(reader, out, NULL, 0))
        return false;
    if (!yaml_next(reader) || !yaml_next(reader)) /* end of the document, end of the stream */
        return false;
    if (reader->event.type != YAML_STREAM_END_EVENT)
        return yaml_error(reader, reader->event.start_mark, "several documents in one file: expected one");
    return true;
}

bool gate_yaml_parse(struct gate_yaml_node **out, struct gate_str text, struct gate_arena *arena,
                     struct gate_error *err) {
    struct yaml_reader reader = {.arena = arena, .err = err};
    if (gate_str_starts(text, GATE_STR("\xEF\xBB\xBF")))
        text = gate_str_slice(text, 3, text.len);
    reader.text = text;
    if (!check_bytes(text, err))
        return false;
    if (!yaml_parser_initialize(&reader.parser))
        return gate_error_set(err, GATE_ERR_MEMORY, "out of memory");
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)(text.len == 0 ? "" : text.ptr), text.len);
    bool ok = read_document(&reader, out);
    yaml_drop_event(&reader);
    yaml_parser_delete(&reader.parser);
    return ok;
}

const struct gate_yaml_node *gate_yaml_get(const struct gate_yaml_node *map, const char *key) {
    if (map->kind != GATE_YAML_MAP)
        return NULL;
    for (const struct gate_yaml_node *value = map->first; value != NULL; value = value->next)
        if (gate_str_equal(value->key->text, gate_str_from(key)))
            return value;
    return NULL;
}

const char *gate_yaml_kind_name(enum gate_yaml_kind kind) {
    static const char *const names[] = {"nothing", "true or false", "a number", "a number", "text", "a list", "a map"};
    return names[kind];
}

/* ---- values of a rules file -------------------------------------------------------------------------------------- */

/* Words of similar tools, and the word used here. They only appear as hints and are not accepted, so that each
 * concept has one word. */
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

static bool read_word(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node,
                      const struct gate_rules_row *row) {
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, row->words, &index))
        return false;
    if (row->bytes == 1)
        *(uint8_t *)field = (uint8_t)(row->first + index);
    else
        *(unsigned *)field = row->first + index;
    return true;
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
        void *field = (char *)target + key->offset;
        bool ok = key->read != NULL    ? key->read(state, field, value)
                  : key->words != NULL ? read_word(state, field, value, key)
                  : key->rows != NULL  ? gate_rules_value_map(state, value, key->rows, field)
                  : key->high > 0      ? gate_rules_value_number(state, field, value, key->low, key->high)
                                       : true;
        if (!ok)
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
    /* The parser has already turned escapes such as "\n" and "\x1b" of quoted scalars into characters. */
    for (size_t i = 0; i < node->text.len; i++)
        if ((unsigned char)node->text.ptr[i] < 0x20 || node->text.ptr[i] == 0x7F)
            return GATE_RULES_ERROR(state, node,
                                    "'%.*s' contains a line break or another control character: expected a single line",
                                    GATE_STR_ARG(gate_rules_value_key(node)));
    return true;
}

bool gate_rules_value_severity(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node) {
    uint32_t index = 0;
    if (!gate_rules_value_word(state, node, gate_severity_words, &index))
        return false;
    *(enum gate_severity *)field = (enum gate_severity)index;
    return true;
}

bool gate_rules_value_number(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node, double low,
                             double high) {
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
    *(double *)field = found;
    return true;
}

/* Register a compiled pattern in the rules, which free it even if another file replaces its budget. */
static bool keep_regex(struct gate_rules_state *state, struct gate_regex *regex) {
    struct gate_rules *rules = state->rules;
    if (!GATE_GROW(state->arena, rules->regexes, rules->regex_count, state->regex_capacity)) {
        gate_regex_free(regex);
        return gate_arena_error(state->arena, state->err);
    }
    if (rules->regex_count != 0)
        gate_regex_share(regex, rules->regexes[0]);
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

/* Read an amount of the form that `read` accepts. */
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
