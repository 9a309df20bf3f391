/* SPDX-License-Identifier: Apache-2.0 */
/* A small document tree over libyaml in which every node knows its place, for files that people write by hand.
 * Pipeline: bytes -> rules/yaml.h -> rules/rules_value.h, rules/noise_file.h. What hides meaning in YAML is refused:
 * aliases, anchors, tags, directives, duplicate keys, several documents. */
#ifndef GATE_RULES_YAML_H
#define GATE_RULES_YAML_H

#include "gate/base/str.h"

/** Plain scalars are resolved by YAML 1.2's core schema, so `off` and `2026-12-31` are text. Quoted ones are text. */
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
    uint32_t line, column;            /* from 1; a column is a character, not a byte */
    struct gate_str text;             /* of a scalar, without its quotes */
    const struct gate_yaml_node *key; /* of a map's value; items of a list have their list's; NULL at the root */
    struct gate_yaml_node *first;     /* children, in the order of the file */
    struct gate_yaml_node *next;
    uint32_t count; /* of children */
};

/**
 * Parse one document.
 *
 * out   arena memory; the text of scalars is copied
 * err   GATE_ERR_CONFIG with line and column: not UTF-8, not YAML, or one of the things refused (see above);
 *       GATE_ERR_LIMIT larger or deeper than the limits above; GATE_ERR_MEMORY
 *
 * O(bytes).
 */
GATE_MUST_CHECK
bool gate_yaml_parse(struct gate_yaml_node **out, struct gate_str text, struct gate_arena *arena,
                     struct gate_error *err);

/** The value of `key` in a map, or NULL. O(entries). */
const struct gate_yaml_node *gate_yaml_get(const struct gate_yaml_node *map, const char *key);

/** "a list", "a map", "text", "a number", ... for messages. */
const char *gate_yaml_kind_name(enum gate_yaml_kind kind);

#endif
