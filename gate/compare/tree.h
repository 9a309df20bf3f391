/* SPDX-License-Identifier: Apache-2.0 */
/* Merged call tree of both sides, pruned while it is built. */
#ifndef GATE_COMPARE_TREE_H
#define GATE_COMPARE_TREE_H

#include "gate/base/hash.h"
#include "gate/compare/delta.h"
#include "gate/compare/pair_types.h"
#include "gate/compare/walk.h"

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/** Worst result of the budgets at a node; larger is worse. */
enum gate_tree_mark {
    GATE_TREE_UNMARKED,
    GATE_TREE_UNDECIDED, /* over a limit, undecided */
    GATE_TREE_WARNED,    /* over a limit of severity "warning" */
    GATE_TREE_BROKEN     /* a budget fails here */
};

/**
 * Node 0 is the root (frame GATE_NO_INDEX) and holds the totals. Siblings are in order of frame name, a total order.
 */
struct gate_tree_node {
    uint32_t frame;
    uint32_t parent;       /* GATE_NO_INDEX for the root */
    uint32_t first_child;  /* or GATE_NO_INDEX */
    uint32_t next_sibling; /* or GATE_NO_INDEX */
    int64_t self[GATE_SIDES];
    int64_t total[GATE_SIDES]; /* this node and everything beneath it, including what was pruned there */
    double z;                  /* significance of the change of total; positive if it grew; 0 until judged */
    bool is_significant;       /* after Benjamini-Hochberg over all nodes; only such nodes may be coloured */
    bool is_self;              /* the self cost of its parent, which has the same frame (report/trees.h) */
    uint8_t mark;              /* enum gate_tree_mark; report/trees.h sets it */
};

struct gate_tree {
    struct gate_tree_node *nodes;
    uint32_t count;
    uint32_t depth;             /* levels below the root */
    int64_t pruned[GATE_SIDES]; /* weight of stacks that end below the cut; included in total of the node above */
    bool inverted;
    bool is_charged; /* a node's self is its charged cost (report/trees.h) */
};

/* ---- descent ----------------------------------------------------------------------------------------------------- */

/* Finds where a stack leaves a known call tree. Stacks with a common prefix take the same way. A memo maps a stretch of
 * location ids to the node it leads to, so that the ids are not decoded again. */

/** A child of a node, by its frame: a slot of the hash table. */
struct gate_tree_slot {
    uint32_t node;
    uint32_t frame;
    uint32_t child; /* 0: the slot is free */
};

/** The heaviest child of a node, which is tried first. */
struct gate_tree_hot {
    uint32_t frame;
    uint32_t child;
};

/** An index of a tree for descents. It is read-only, so threads may share it. */
struct gate_tree_descent {
    bool from_leaf;
    uint64_t secret;
    struct gate_tree_slot *slots;
    uint32_t mask;
    struct gate_tree_hot *hot; /* one per node */
};

/** The node that a stretch of ids leads to from another node. */
struct gate_tree_stretch {
    uint64_t ids[2]; /* encoded ids as in the stack, the root's last; padded with 0 before the first */
    uint32_t from, to;
    uint16_t bytes; /* number of id bytes; 0: the slot is free */
    uint16_t frames;
};

/** The stretches that one thread remembers for one run. */
struct gate_tree_memo {
    const struct gate_run *run;
    struct gate_tree_stretch *stretches;
};

/** The node at which a stack leaves the tree. */
struct gate_tree_leave {
    uint32_t node;
    uint32_t depth; /* of that node */
    uint32_t frame; /* the next frame, for which there is no child; or GATE_NO_INDEX if the stack ends */
};

/**
 * Index the children of `tree`. `from_leaf`: stacks are walked from the leaf. Returns false if the arena is full.
 * O(nodes); at most 32 bytes per node.
 */
GATE_MUST_CHECK bool gate_tree_descent_make(struct gate_tree_descent *out, const struct gate_tree *tree, bool from_leaf,
                                            struct gate_arena *arena);

/** Allocate a memo, used for one run after the other. Returns false if the arena is full. 128 KiB. */
GATE_MUST_CHECK bool gate_tree_memo_make(struct gate_tree_memo *out, struct gate_arena *arena);

/**
 * Descend from the root along the frames of `rest`. `memo` may be NULL; it must not be shared between threads or trees,
 * and it does not change the result. O(frames in the tree).
 */
struct gate_tree_leave gate_tree_descend(const struct gate_tree_descent *descent, struct gate_tree_memo *memo,
                                         const struct gate_run *run, struct gate_walk_rest rest);

/* ---- merged call tree -------------------------------------------------------------------------------------------- */

struct gate_tree_options {
    double min_share; /* minimum share of a node, on either side; reports use 0.001 by default */
    bool inverted;    /* by callee: leaves at the root */
};

/**
 * Build the call tree of the samples of both sides. A node is a common prefix of stacks from the root, or from the leaf
 * if `options->inverted`.
 *
 * total  of a node: sum of values of the stacks that begin with it; the root's is the side's total
 * self   of a node: sum of values of the stacks that end at it
 *
 * The tree contains the root and every node whose total is above 0 and at least `options->min_share` of its side's
 * total, on either side. A node cannot weigh more than its frame, so only frames with such a share enter it. Nodes are
 * in depth-first order, siblings by the bytes of their names.
 *
 * pair, deltas  from gate_hot_path_costs; gate_pair_spend must not have been called
 *
 * O(stack slots in nodes of the tree + stacks). Memory: at most 40 bytes per stack and 72 per node.
 */
GATE_MUST_CHECK
bool gate_tree_merge(struct gate_tree *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err);

/** Return whether a node has a frame above it: whether it is part of the cost of calls of that frame. O(depth). */
bool gate_tree_is_beneath(const struct gate_tree *tree, uint32_t node, uint32_t frame);

#endif
