/* SPDX-License-Identifier: Apache-2.0 */
/* Who answers for each piece of a call tree: which frame of one's own a node's cost is charged to, and how it got
 * there. Pipeline: compare/tree.h -> compare/charge_tree.h -> budget/cause.h */
#ifndef GATE_COMPARE_CHARGE_TREE_H
#define GATE_COMPARE_CHARGE_TREE_H

#include "gate/compare/tree.h"

/** One per node of the tree, by caller. Growth is canary less baseline, as a share of each side's total. */
struct gate_charge_tree {
    const struct gate_tree *tree;
    const struct gate_pair *pair;
    uint32_t *owner; /* node to whose frame this node's cost is charged; GATE_NO_INDEX for the root */
    double *growth;  /* of what ends at this node */
    double *beneath; /* of what ends at it or beneath it and has the same owner: of an owner, all that it is charged */
    double *scratch; /* one per frame of the pair, zero between calls */
    uint8_t *inside; /* scratch */
};

/** O(nodes). */
GATE_MUST_CHECK
bool gate_charge_tree_make(struct gate_charge_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                           struct gate_arena *arena, struct gate_error *err);

/**
 * The frame to which most of the growth of `frame` is charged, by self (nodes of the frame alone) or by cumulative cost
 * (all that lies beneath them); `frame` itself where none of it grew. O(nodes).
 */
uint32_t gate_charge_tree_owner(const struct gate_charge_tree *charge, uint32_t frame, enum gate_measure measure);

/**
 * Frames from the entry point, the first of one's own, down to the leaf of what grew most among that charged to
 * `frame`. Writes at most `room`, which is at least 1; those nearest to `frame`'s callers are left out first. Returns
 * how many; 0 where the frame is in no node. O(nodes).
 */
uint32_t gate_charge_tree_path(uint32_t *out, uint32_t room, const struct gate_charge_tree *charge, uint32_t frame);

#endif
