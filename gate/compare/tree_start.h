/* SPDX-License-Identifier: Apache-2.0 */
/* What the merged call tree grows from: its stacks, each as far down as is known before it grows. Not for anyone else
 * than compare/tree.c and compare/tree_growth.h. */
#ifndef GATE_COMPARE_TREE_START_H
#define GATE_COMPARE_TREE_START_H

#include "gate/compare/tree_types.h"
#include "gate/compare/walk.h"

/** What is in a tree at all. */
struct gate_tree_plan {
    const struct gate_pair *pair;
    bool from_leaf;
    int64_t least[GATE_SIDES]; /* what a node weighs that passes, on one side or the other */
    const uint32_t *rank_of;   /* of each frame of the pair: its place by name among those of the tree, or 0 */
    const uint32_t *frame_of;  /* of each rank from 1 on */
    uint32_t rank_count;
    const uint8_t *begins;      /* a byte a frame: whether stacks that begin with it are in the tree; NULL: all are */
    struct gate_arena *scratch; /* what start and growth need, but for the tree itself, is its memory */
};

static inline bool gate_tree_plan_passes(const struct gate_tree_plan *plan, const int64_t total[GATE_SIDES]) {
    return total[GATE_BASELINE] >= plan->least[GATE_BASELINE] || total[GATE_CANARY] >= plan->least[GATE_CANARY];
}

/** A stack on its way down the tree, in the list of the node that it has come to. */
struct gate_tree_stack {
    struct gate_walk_rest rest;
    int64_t value;
    uint32_t run;
    uint32_t next; /* of the list, or GATE_NO_INDEX */
};

struct gate_tree_run {
    const struct gate_run *run;
    enum gate_side_name side;
};

struct gate_tree_start {
    struct gate_tree_run *runs; /* of both sides */
    uint32_t run_count;
    struct gate_tree_stack *stacks;
    struct gate_tree known; /* at least a root, in depth-first order; what weighs enough of it is in the tree */
    uint32_t *lists;        /* of each of its nodes: stacks that go on from there, or GATE_NO_INDEX */
};

size_t gate_tree_start_count(const struct gate_pair *pair);

/**
 * Every stack, or each `stride`-th, in the root's list. False when the arena is full. O(stacks); 32 bytes a stack that
 * is in the tree beneath the root.
 */
GATE_MUST_CHECK bool gate_tree_start_plain(struct gate_tree_start *out, const struct gate_tree_plan *plan,
                                           uint32_t stride);

/**
 * Walk all stacks down a tree that a part of them made. Most leave it for a node that is not there because it does not
 * pass; those that may leave it for one that does, are in the list of the node that they leave. Where both sides have
 * very many stacks, each is walked in a thread of its own.
 *
 * known  of the same plan but for its weights, which may be wrong
 *
 * False when the arena is full. O(slots of stacks in nodes that are known); 2 bytes a stack, and 32 for those in lists.
 */
GATE_MUST_CHECK bool gate_tree_start_known(struct gate_tree_start *out, const struct gate_tree_plan *plan,
                                           const struct gate_tree *known);

#endif
