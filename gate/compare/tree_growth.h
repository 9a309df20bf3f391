/* SPDX-License-Identifier: Apache-2.0 */
/* How the merged call tree grows: no node is made that does not pass. Not for anyone else than compare/tree.c. */
#ifndef GATE_COMPARE_TREE_GROWTH_H
#define GATE_COMPARE_TREE_GROWTH_H

#include "gate/compare/tree.h"

struct gate_growth {
    const struct gate_pair *pair;
    bool from_leaf;
    int64_t least[GATE_SIDES]; /* what a node weighs that passes, on one side or the other: see gate_growth_passes */
    const uint32_t *rank_of;   /* of each frame of the pair: its place by name among those of the tree, or 0 */
    const uint32_t *frame_of;  /* of each rank from 1 on */
    uint32_t rank_count;
    const uint8_t *begins; /* a byte a frame: whether stacks that begin with it are in the tree at all; NULL: all are */
    struct gate_arena *scratch;
};

/** Whether a weight passes on either side. */
static inline bool gate_growth_passes(const struct gate_growth *growth, const int64_t total[GATE_SIDES]) {
    return total[GATE_BASELINE] >= growth->least[GATE_BASELINE] || total[GATE_CANARY] >= growth->least[GATE_CANARY];
}

/**
 * The tree of all stacks of both sides, but for `inverted` and `pruned`: node for node in depth-first order. The stacks
 * that a node holds are dealt out to its children by their next frame; those of a child that does not pass are put
 * aside and not looked at again, which loses nothing, for a node weighs at most what its parent weighs.
 *
 * out    what it holds is memory of `arena`; everything else of `growth->scratch`
 *
 * False when an arena is full. O(slots of stacks in nodes that pass + nodes * log of siblings); memory O(stacks + nodes
 * that pass).
 */
GATE_MUST_CHECK bool gate_growth_grow(struct gate_tree *out, const struct gate_growth *growth,
                                      struct gate_arena *arena);

#endif
