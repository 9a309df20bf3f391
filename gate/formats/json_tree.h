/* SPDX-License-Identifier: Apache-2.0 */
/* Parses JSON within an arena's limit. */
#ifndef GATE_FORMATS_JSON_TREE_H
#define GATE_FORMATS_JSON_TREE_H

#include "gate/base/str.h"

#include <jansson.h>

/**
 * Return true if the outermost object of `text` has `key`. Nested objects do not count. The text is not parsed, so a
 * truncated file is still recognised, and its reader reports where it is broken. O(len).
 */
bool gate_json_text_has_key(struct gate_str text, struct gate_str key);

/** Return a string, or an empty text if `value` is another or NULL. Valid while `value` exists. */
struct gate_str gate_json_tree_text(const json_t *value);

/** Return the string in `key`, or an empty text if there is none. Valid while `object` exists. */
struct gate_str gate_json_text_of(const json_t *object, const char *key);

/** A parsed JSON document. */
struct gate_json_tree {
    json_t *root;
    size_t reserved_bytes; /* counted as used by the arena */
};

/**
 * Return an upper bound of the memory for the parsed tree of `text`. It is twice the most that usual files take.
 * O(len).
 */
size_t gate_json_tree_bytes(struct gate_str text);

/** Parse `text`. An integer of more than 64 bits becomes a double. The tree is jansson's memory; it counts against the
 * limit of `arena` until it is freed. err: GATE_ERR_FORMAT: malformed, with line and column; GATE_ERR_LIMIT: the tree
 * may exceed the arena's limit. */
GATE_MUST_CHECK
bool gate_json_tree_load(struct gate_json_tree *out, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err);

/** Free the tree and return its memory to the limit of `arena`. */
void gate_json_tree_free(struct gate_json_tree *tree, struct gate_arena *arena);

#endif
