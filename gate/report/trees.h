/* SPDX-License-Identifier: Apache-2.0 */
/* Call trees for reports, made and judged once. */
#ifndef GATE_REPORT_TREES_H
#define GATE_REPORT_TREES_H

#include "gate/budget/verdict.h"
#include "gate/compare/tree.h"

/* ---- self boxes -------------------------------------------------------------------------------------------------- */

/** Copy `tree` and add a child, marked is_self, to each node that has both self cost and callees. It comes after the
 * other children, has the same frame, and its total is the node's self. Its own self is 0, because its parent already
 * counts it. None is added if the self cost is below `min_share` on both sides. O(nodes). */
GATE_MUST_CHECK
bool gate_self_boxes_add(struct gate_tree *out, const struct gate_tree *tree, double min_share,
                         struct gate_arena *arena, struct gate_error *err);

/* ---- trees without library frames -------------------------------------------------------------------------------- */

/** Fold library frames of `tree`, which is by caller, into own code: each frame that is not own code goes into the
 * nearest own frame above it, or into its stack's root. Below a root without any own code all frames stay. The self
 * cost of a node is then the cost charged to it there. Nodes are not judged. O(nodes log nodes). */
GATE_MUST_CHECK
bool gate_charged_view_fold(struct gate_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                            struct gate_arena *arena, struct gate_error *err);

/* ---- boxes of causes --------------------------------------------------------------------------------------------- */

/**
 * Return the node of a cause's frame whose callers match the cause's path best, in a tree by caller or by owner. Of
 * several, it is the one whose next step on the path changed most. GATE_NO_INDEX: none. O(nodes).
 */
uint32_t gate_cause_box_find(const struct gate_tree *tree, const struct gate_cause *cause);

/**
 * Return the node that shows a cause: that of gate_cause_box_find, or its self box if that changed more and is
 * significant or has a worse mark. GATE_NO_INDEX: none. O(nodes).
 */
uint32_t gate_cause_box_show(const struct gate_tree *tree, const struct gate_cause *cause);

/* ---- trees of a run ---------------------------------------------------------------------------------------------- */

/* Judged call trees are made once, however many reports draw them: walking all stacks is the main cost of a picture. */

/** By caller: root first. By callee: leaf first. By owner: by caller, with libraries folded into their callers. */
enum gate_trees_view { GATE_BY_CALLER, GATE_BY_CALLEE, GATE_BY_OWNER, GATE_VIEWS };

/**
 * The trees made so far. Zero-initialise one per run, and set it in the options of all reports. The reports must then
 * use the same minimum share, and arenas that live as long.
 */
struct gate_trees {
    struct gate_tree **made; /* [comparison * GATE_VIEWS + view]; NULL: not made yet */
};

/** Return the tree of one comparison, with self boxes and judged; from `trees` if it is there. `trees` may be NULL.
 * O(stack slots) the first time, then O(1). */
GATE_MUST_CHECK
bool gate_trees_get(const struct gate_tree **out, struct gate_trees *trees, const struct gate_verdict *verdict,
                    uint32_t comparison, enum gate_trees_view view, double min_share, struct gate_arena *arena,
                    struct gate_error *err);

/** Make a tree by caller of all stacks of a comparison, neither pruned nor judged. */
GATE_MUST_CHECK
bool gate_trees_whole(struct gate_tree *out, const struct gate_comparison *comparison, struct gate_arena *arena,
                      struct gate_error *err);

/**
 * Change `path` from that of node - 1, whose length is `depth`, to that of `node`: the nodes from the root's child down
 * to it. Call it for each node in order, which is depth-first; `path` has room for the tree's depth. Returns the new
 * length. O(1) per node over a whole tree.
 */
uint32_t gate_trees_path_next(const struct gate_tree *tree, uint32_t node, uint32_t *path, uint32_t depth);

#endif
