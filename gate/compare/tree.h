/* SPDX-License-Identifier: Apache-2.0 */
/* The merged call tree with both sides' weights, pruned before it is built.
 * Pipeline: compare/pair.h + compare/delta.h -> compare/tree.h -> report/ flame graphs */
#ifndef GATE_COMPARE_TREE_H
#define GATE_COMPARE_TREE_H

#include "gate/compare/delta.h"
#include "gate/compare/tree_types.h"

struct gate_tree_options {
    double min_share; /* of a node, on either side; 0.001 by default in the reports */
    bool inverted;    /* by callee: leaves at the root */
};

/**
 * Merge the stacks of both sides into one tree.
 *
 * Only frames whose cumulative share passes min_share on a side enter it: a node cannot weigh more than its frame, so
 * nothing that would be drawn is lost. O(slots of stacks in nodes that pass); memory O(stacks + nodes that pass), see
 * tree_start.h.
 */
GATE_MUST_CHECK
bool gate_tree_merge(struct gate_tree *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
