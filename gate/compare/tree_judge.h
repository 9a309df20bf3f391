/* SPDX-License-Identifier: Apache-2.0 */
/* Judges call trees: which nodes changed significantly, smaller trees, and the owners of nodes. */
#ifndef GATE_COMPARE_TREE_JUDGE_H
#define GATE_COMPARE_TREE_JUDGE_H

#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"

/* ---- significance ------------------------------------------------------------------------------------------------ */

/** False discovery rate among the nodes marked as significant. */
#define GATE_TREE_SUSPECT_LEVEL 0.01

/**
 * Fill z and is_significant of every node (two-sided, Benjamini-Hochberg at 1% over the nodes). A node takes the weight
 * per event and the run-to-run variation from its frame's evidence. That is the cumulative evidence, or for a self node
 * the self evidence (charged in a tree by owner). If a budget failed for a frame, growth of its nodes is not corrected
 * for multiple tests.
 *
 * comparison  judged; the tree is of its pair
 *
 * O(nodes).
 */
GATE_MUST_CHECK
bool gate_tree_judge(struct gate_tree *tree, const struct gate_comparison *comparison, struct gate_arena *arena,
                     struct gate_error *err);

/* ---- smaller trees ----------------------------------------------------------------------------------------------- */

/* Prunes an existing call tree at a larger minimum share, without walking the stacks again. */

/** Return the tree that gate_tree_merge makes of `pair` at `min_share`, computed from `tree`. `tree` must be made of
 * the same pair at that share or a smaller one, in the same direction. `out` shares no memory with `tree`. O(nodes of
 * `tree`). */
GATE_MUST_CHECK
bool gate_tree_prune(struct gate_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                     double min_share, struct gate_arena *arena, struct gate_error *err);

/* ---- owners of cost ---------------------------------------------------------------------------------------------- */

/* Finds the own-code frame that a node's cost is charged to, and the path to it. */

/** One entry per node of a tree by caller. Growth is canary minus baseline, as a share of each side's total. */
struct gate_charge_tree {
    const struct gate_tree *tree;
    const struct gate_pair *pair;
    uint32_t *owner; /* node whose frame this node's cost is charged to; GATE_NO_INDEX for the root */
    double *growth;  /* of the stacks that end at this node */
    double *beneath; /* growth at and beneath this node with the same owner; for an owner, all growth charged to it */
    double *scratch; /* one per frame of the pair, zero between calls */
    uint8_t *inside; /* scratch: 1 if the node is at or beneath the frame in question */
};

/** Compute owner, growth and beneath of every node of `tree`, a tree by caller. O(nodes). */
GATE_MUST_CHECK
bool gate_charge_tree_make(struct gate_charge_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                           struct gate_arena *arena, struct gate_error *err);

/**
 * Return the frame that most growth of `frame` is charged to: by self, growth at nodes of the frame; by cumulative,
 * also beneath them. Returns `frame` if none of it grew. O(nodes).
 */
uint32_t gate_charge_tree_owner(const struct gate_charge_tree *charge, uint32_t frame, enum gate_measure measure);

enum { GATE_CHARGE_PATH_MAX = 64 };

/**
 * Write the path of the largest growth charged to `frame`: from the entry point (the first own-code frame) down to the
 * leaf. Returns the number of frames; if there are more than GATE_CHARGE_PATH_MAX, the outermost are left out. Returns
 * 0 if no node of the tree is charged to the frame. O(nodes).
 */
uint32_t gate_charge_tree_path(uint32_t out[GATE_CHARGE_PATH_MAX], const struct gate_charge_tree *charge,
                               uint32_t frame);

/**
 * Return the frame of a system library that `frame`, own code, calls directly, if most of its growth ends in such
 * frames; else GATE_NO_INDEX. Leaf functions of the C library keep no frame pointer. If stacks were walked by frame
 * pointers, the caller of such a function is missing, and the cost is charged to the caller's caller. Always
 * GATE_NO_INDEX unless the program is native and its stacks were sampled. O(nodes).
 */
uint32_t gate_charge_tree_lost_caller(const struct gate_charge_tree *charge, uint32_t frame);

#endif
