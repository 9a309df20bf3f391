/* SPDX-License-Identifier: Apache-2.0 */
/* The merged call tree with both sides' weights, pruned before it is built.
 * Pipeline: compare/pair.h + compare/delta.h -> compare/tree.h -> report/ flame graphs */
#ifndef GATE_COMPARE_TREE_H
#define GATE_COMPARE_TREE_H

#include "gate/compare/delta.h"

/** Node 0 is the root (frame GATE_NO_INDEX): the totals. Children are ordered by frame name: a total order. */
struct gate_tree_node {
    uint32_t frame;
    uint32_t parent;       /* GATE_NO_INDEX for the root */
    uint32_t first_child;  /* or GATE_NO_INDEX */
    uint32_t next_sibling; /* or GATE_NO_INDEX */
    int64_t self[GATE_SIDES];
    int64_t total[GATE_SIDES]; /* this node and all beneath it, also what was pruned beneath it */
    double z; /* significance of the change of total, signed: positive grew (compare/evidence.h); 0 until judged */
    bool is_significant; /* after Benjamini-Hochberg over all nodes; only such a node may be coloured */
};

struct gate_tree {
    struct gate_tree_node *nodes;
    uint32_t count;
    uint32_t depth;             /* levels below the root */
    int64_t pruned[GATE_SIDES]; /* weight of stacks whose end is not drawn: it shows in the node above the cut */
    bool inverted;
};

struct gate_tree_options {
    double min_share; /* of a node, on either side; 0.001 by default in the reports */
    bool inverted;    /* by callee: leaves at the root */
};

/**
 * Merge the stacks of both sides into one tree.
 *
 * Only frames whose cumulative share passes min_share on a side enter it: a node cannot weigh more than its frame, so
 * nothing that would be drawn is lost. O(stack slots); memory O(stacks + nodes that pass), see tree_growth.h.
 */
GATE_MUST_CHECK
bool gate_tree_merge(struct gate_tree *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
