/* SPDX-License-Identifier: Apache-2.0 */
/* How the merged call tree grows, within bounded memory. Not for anyone else than compare/tree.c, which lays it out. */
#ifndef GATE_COMPARE_TREE_GROWTH_H
#define GATE_COMPARE_TREE_GROWTH_H

#include "gate/compare/walk.h"

/** A node while it grows; a parent stands before its children. */
struct gate_grown_node {
    uint32_t parent;
    uint32_t frame;
    uint32_t hot_frame; /* of the child that came first, mostly the one that comes most */
    uint32_t hot_child;
    int64_t total[GATE_SIDES];
    int64_t self[GATE_SIDES];
};

struct gate_growth_slot {
    uint32_t tag;
    uint32_t entry; /* node index + 1, or 0 */
};

/** Arrays are blocks of their own in the arena, so that what is outgrown goes back at once. */
struct gate_growth {
    struct gate_arena *arena;
    const struct gate_pair *pair;
    struct gate_walk walk;
    double min_share;
    uint64_t secret;               /* of the slots' hash */
    struct gate_grown_node *nodes; /* 0 is the root */
    size_t capacity;
    uint32_t count;
    struct gate_growth_slot *slots;
    uint32_t slot_count;
    uint32_t slotted; /* nodes that have a slot */
    uint32_t done;    /* levels that are final: a node there passes the minimum share */
    uint32_t window;  /* levels that this pass grows to */
    uint32_t limit;   /* nodes from which on the window is narrowed */
};

/**
 * Grow the tree of all stacks of both sides. Where it grows too large, it grows a few levels at a time, and nodes that
 * do not pass the minimum share are cut before anything grows on them: nothing that passes is lost, since a node weighs
 * at most what its parent weighs. Where both sides have very many stacks, each grows in a thread of its own and they
 * are joined after each pass.
 *
 * growth  arena, pair, walk and min_share are set, the rest is zero; what it holds is the arena's
 * scratch room for pair->max_frames
 *
 * False when the arena is full. O(stack slots) a pass, as many passes as it takes to halve what is left of the levels;
 * at most one node a stack above GATE_GROWTH_NODES and four times the nodes that pass, unless the minimum share is 0,
 * when every node passes.
 */
GATE_MUST_CHECK bool gate_growth_grow(struct gate_growth *growth, uint32_t *scratch);

enum { GATE_GROWTH_NODES = 256 * 1024 };

/** Whether a weight passes the minimum share on either side. */
bool gate_growth_passes(const struct gate_growth *growth, const int64_t total[GATE_SIDES]);

#endif
