/* SPDX-License-Identifier: Apache-2.0 */
/* YAML documents with line and column of each node, and readers for single values of rules files. */
#ifndef GATE_RULES_YAML_H
#define GATE_RULES_YAML_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/rules/rules.h"

/* ---- document tree over libyaml ---------------------------------------------------------------------------------- */

/**
 * Kind of a node. Plain scalars are resolved by YAML 1.2's core schema, so `off` and `2026-12-31` are text. Quoted
 * scalars are text.
 */
enum gate_yaml_kind {
    GATE_YAML_NULL,
    GATE_YAML_BOOL,
    GATE_YAML_INT,
    GATE_YAML_FLOAT,
    GATE_YAML_TEXT,
    GATE_YAML_LIST,
    GATE_YAML_MAP
};

enum { GATE_YAML_MAX_BYTES = 256 * 1024, GATE_YAML_MAX_DEPTH = 16, GATE_YAML_MAX_NODES = 20000 };

struct gate_yaml_node {
    enum gate_yaml_kind kind;
    uint32_t line, column;            /* count from 1; a column is a character, not a byte */
    struct gate_str text;             /* text of a scalar, without quotes */
    const struct gate_yaml_node *key; /* key of a map's value; an item of a list has the list's key; NULL at the root */
    struct gate_yaml_node *first;     /* first child, in the order of the file */
    struct gate_yaml_node *next;
    uint32_t count; /* number of children */
};

/**
 * Parse one document.
 *
 * out   arena memory; the text of scalars is copied
 * err   GATE_ERR_CONFIG with line and column: not UTF-8, not YAML, control characters, duplicate keys, anchors,
 *       aliases, tags, directives or several documents; GATE_ERR_LIMIT if it exceeds the limits above; GATE_ERR_MEMORY
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_yaml_parse(struct gate_yaml_node **out, struct gate_str text, struct gate_arena *arena,
                     struct gate_error *err);

/** Return the value of `key` in a map, or NULL. O(entries). */
const struct gate_yaml_node *gate_yaml_get(const struct gate_yaml_node *map, const char *key);

/** Return the kind for messages: "a list", "a map", "text", "a number", ... */
const char *gate_yaml_kind_name(enum gate_yaml_kind kind);

/* ---- values of a rules file -------------------------------------------------------------------------------------- */

/* Readers for words, numbers, texts, patterns and maps, and messages about mistakes in them. */

enum { GATE_RULES_TEXT_MAX = 2000, GATE_RULES_WORDS_MAX = 40, GATE_RULES_HINT_BYTES = 800 };

/** State of a parse, including the file that is being read. */
struct gate_rules_state {
    struct gate_rules *rules; /* rules to fill; they also keep compiled patterns, which must be freed */
    struct gate_arena *arena;
    struct gate_error *err;
    size_t regex_capacity;
    struct gate_str source; /* name of the file being read */
    uint32_t file;          /* number of the file being read; later files override earlier ones */
    uint32_t extends_line;  /* line of the first file's `extends` that led to this file; 0: this is the first file */
};

/** Reads the value of a key into `field`, whose type the reader determines. */
typedef bool gate_rules_value_fn(struct gate_rules_state *state, void *field, const struct gate_yaml_node *node);

/**
 * A key of a section, and the offset of its field in the section's struct. Its value is read by `read`, or if that is
 * NULL as one of `words`, as a map of `rows`, or as a number. A key with none of them is read by other code.
 */
struct gate_rules_row {
    const char *name; /* NULL ends the table */
    gate_rules_value_fn *read;
    size_t offset;
    const char *const *words;          /* NULL-terminated; the field is `first` for the first word */
    unsigned first, bytes;             /* bytes of the field: 1, or those of an unsigned int */
    const struct gate_rules_row *rows; /* keys of the value; with `read`, also those of its items */
    double low, high;                  /* a double with low <= value <= high; high 0: not a number */
};

/** The fields of a row whose value is one of `all`. The member is an enum or a bool. */
#define GATE_RULES_WORDS(type, member, all)                                                                            \
    .offset = offsetof(type, member), .bytes = sizeof((type *)0)->member, .words = (all)

#define GATE_RULES_ERROR(state, node, ...)                                                                             \
    gate_error_set_at((state)->err, GATE_ERR_CONFIG, (node)->line, (node)->column, __VA_ARGS__)

/** Return the name of the key whose value is `node`, for messages. */
struct gate_str gate_rules_value_key(const struct gate_yaml_node *node);

/** Write the found value for messages to `out`: "'+5pp'", "a list". Returns `out`. */
const char *gate_rules_value_found(char out[96], const struct gate_yaml_node *node);

/**
 * Write a hint for messages to `out`: " (did you mean 'x'?)", or " (one of: x, y)" if no word is similar, or "".
 * Returns `out`.
 */
const char *gate_rules_value_hint(char out[GATE_RULES_HINT_BYTES], struct gate_str found, const char *const *words);

/** Check that `node` is of `kind`. `what` is the expected value for the message, such as "a list of budgets". */
GATE_MUST_CHECK bool gate_rules_value_expect(struct gate_rules_state *state, const struct gate_yaml_node *node,
                                             enum gate_yaml_kind kind, const char *what);

/**
 * Read every entry of a map with the rows of `keys`. An unknown key is an error that suggests the nearest known key.
 */
GATE_MUST_CHECK bool gate_rules_value_map(struct gate_rules_state *state, const struct gate_yaml_node *node,
                                          const struct gate_rules_row *keys, void *target);

/** Read one of `words` (NULL-terminated) and set `*index` to its index. */
GATE_MUST_CHECK bool gate_rules_value_word(struct gate_rules_state *state, const struct gate_yaml_node *node,
                                           const char *const *words, uint32_t *index);

/** Read a number with low <= value <= high into `field`, a double. */
GATE_MUST_CHECK bool gate_rules_value_number(struct gate_rules_state *state, void *field,
                                             const struct gate_yaml_node *node, double low, double high);

/* Readers for tables of keys. The comment gives the type of `field`. */
gate_rules_value_fn gate_rules_value_text; /* gate_str: 1 to GATE_RULES_TEXT_MAX bytes, not only blanks */

gate_rules_value_fn gate_rules_value_line; /* gate_str: like text, without control characters */

gate_rules_value_fn gate_rules_value_pattern; /* gate_pattern */

gate_rules_value_fn gate_rules_value_severity; /* gate_severity */

gate_rules_value_fn gate_rules_value_share; /* double: "0.5%" */

gate_rules_value_fn gate_rules_value_ratio; /* double: "2x" */

gate_rules_value_fn gate_rules_value_days; /* double: "30d" */

gate_rules_value_fn gate_rules_value_points; /* double: "10pp" */

#endif
