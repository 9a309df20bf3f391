/* SPDX-License-Identifier: Apache-2.0 */
/* How the merged call tree grows: no node is made that does not pass. Not for anyone else than compare/tree.c. */
#ifndef GATE_COMPARE_TREE_GROWTH_H
#define GATE_COMPARE_TREE_GROWTH_H

#include "gate/compare/tree_start.h"

/**
 * The tree of all stacks of a start, but for `inverted` and `pruned`: node for node in depth-first order. The stacks
 * that a node holds are dealt out to its children by their next frame; those of a child that does not pass are put
 * aside and not looked at again, which loses nothing, for a node weighs at most what its parent weighs.
 *
 * out    what it holds is memory of `arena`
 * start  is used up: its lists are not what they were
 *
 * False when an arena is full. O(slots of the start's stacks in nodes that pass + nodes * log of siblings).
 */
GATE_MUST_CHECK bool gate_tree_grow(struct gate_tree *out, const struct gate_tree_plan *plan,
                                    const struct gate_tree_start *start, struct gate_arena *arena);

#endif
