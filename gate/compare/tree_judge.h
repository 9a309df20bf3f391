/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes of a call tree changed by more than noise.
 * Pipeline: compare/tree.h + compare/comparison.h -> compare/tree_judge.h -> report/trees.h */
#ifndef GATE_COMPARE_TREE_JUDGE_H
#define GATE_COMPARE_TREE_JUDGE_H

#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"

/** False discoveries among the nodes that are called significant. */
#define GATE_TREE_SUSPECT_LEVEL 0.01

/**
 * Fill z and is_significant of every node (Benjamini-Hochberg at 1 % over the nodes, two-sided). A node takes weight of
 * an event and run-to-run variation from its frame's evidence: cumulative, or self (charged in a tree by owner) where
 * the node is what a frame costs itself. Growth of the nodes of a frame that a budget found broken needs no correction.
 *
 * comparison  judged, and of the pair that the tree is of
 *
 * O(nodes).
 */
GATE_MUST_CHECK
bool gate_tree_judge(struct gate_tree *tree, const struct gate_comparison *comparison, struct gate_arena *arena,
                     struct gate_error *err);

#endif
