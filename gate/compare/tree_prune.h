/* SPDX-License-Identifier: Apache-2.0 */
/* A call tree at a larger minimum share, from one that is there: nobody walks the stacks again for it.
 * Pipeline: compare/tree.h -> compare/tree_prune.h -> budget/second_look.h, report/trees.h */
#ifndef GATE_COMPARE_TREE_PRUNE_H
#define GATE_COMPARE_TREE_PRUNE_H

#include "gate/compare/tree.h"

/**
 * What gate_tree_merge makes of `pair` at `min_share`, from `tree`, which it made of it at that share or a smaller one,
 * in the same direction. Nothing of `tree` is shared.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(nodes of `tree`).
 */
GATE_MUST_CHECK
bool gate_tree_prune(struct gate_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                     double min_share, struct gate_arena *arena, struct gate_error *err);

#endif
