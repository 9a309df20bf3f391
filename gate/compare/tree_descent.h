/* SPDX-License-Identifier: Apache-2.0 */
/* Down a call tree that is known: where a stack leaves it. Stacks that begin alike go the same way, so what a stretch
 * of their ids led to is remembered, and nobody reads those ids again. Pipeline: compare/walk.h ->
 * compare/tree_descent.h -> compare/tree_start.h */
#ifndef GATE_COMPARE_TREE_DESCENT_H
#define GATE_COMPARE_TREE_DESCENT_H

#include "gate/base/hash.h"
#include "gate/compare/tree_types.h"
#include "gate/compare/walk.h"

/** A child of a node, by its frame. */
struct gate_tree_slot {
    uint32_t node;
    uint32_t frame;
    uint32_t child; /* 0: the slot is free */
};

/** The child that weighs most is looked at first. */
struct gate_tree_hot {
    uint32_t frame;
    uint32_t child;
};

/** A tree to be descended; nobody changes it, so any number of threads may share it. */
struct gate_tree_descent {
    bool from_leaf;
    uint64_t secret;
    struct gate_tree_slot *slots;
    uint32_t mask;
    struct gate_tree_hot *hot; /* of each node */
};

/** What a stretch of ids leads to from one node. */
struct gate_tree_stretch {
    uint64_t ids[2]; /* as they stand, the root's last; 0 in front of the first */
    uint32_t from, to;
    uint16_t bytes; /* of ids; 0: nothing is remembered here */
    uint16_t frames;
};

/** What one thread remembers of a run's ids. */
struct gate_tree_memo {
    const struct gate_run *run;
    struct gate_tree_stretch *stretches;
};

/** Where a stack leaves the tree. */
struct gate_tree_leave {
    uint32_t node;
    uint32_t depth; /* of that node */
    uint32_t frame; /* that it goes on to, or GATE_NO_INDEX */
};

/** Index the children of `tree`. False when the arena is full. O(nodes); 32 bytes a node at most. */
GATE_MUST_CHECK bool gate_tree_descent_make(struct gate_tree_descent *out, const struct gate_tree *tree, bool from_leaf,
                                            struct gate_arena *arena);

/** Room to remember stretches of one run after the other. False when the arena is full. 128 KiB. */
GATE_MUST_CHECK bool gate_tree_memo_make(struct gate_tree_memo *out, struct gate_arena *arena);

/**
 * Descend from the root by the frames that `rest` holds. `memo` may be NULL; it belongs to one thread and to this tree,
 * and says the same with it as without. O(frames in the tree).
 */
struct gate_tree_leave gate_tree_descend(const struct gate_tree_descent *descent, struct gate_tree_memo *memo,
                                         const struct gate_run *run, struct gate_walk_rest rest);

static inline uint32_t gate_tree_descent_hash(const struct gate_tree_descent *descent, uint32_t node, uint32_t frame) {
    return (uint32_t)gate_hash_mix(((uint64_t)node << 32 | frame) ^ descent->secret);
}

#endif
