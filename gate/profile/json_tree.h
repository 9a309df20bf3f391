/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON text as jansson's tree, under the arena's limit: what it will take is counted before it is taken.
 * Pipeline: profile/load.h -> profile/json_tree.h -> profile/cpuprofile.h, profile/speedscope.h */
#ifndef GATE_PROFILE_JSON_TREE_H
#define GATE_PROFILE_JSON_TREE_H

#include "gate/base/str.h"

#include <jansson.h>

struct gate_json_tree {
    json_t *root;
    size_t reserved_bytes; /* of the arena */
};

/** No tree of `text` takes more from the system. O(len), twice what it takes at most in files as profilers write them.
 */
size_t gate_json_tree_bytes(struct gate_str text);

/**
 * Parse `text`. The tree is jansson's memory, counted as the arena's until it is freed.
 *
 * err   GATE_ERR_FORMAT malformed, with line and column; GATE_ERR_LIMIT it would take more than the arena has left
 */
GATE_MUST_CHECK
bool gate_json_tree_load(struct gate_json_tree *out, struct gate_str text, struct gate_arena *arena,
                         struct gate_error *err);

void gate_json_tree_free(struct gate_json_tree *tree, struct gate_arena *arena);

#endif
