/* SPDX-License-Identifier: Apache-2.0 */
/* What a call tree is: its nodes, and what is said of them. Types alone; compare/tree.h makes it.
 * Used by compare/tree_start.h and compare/tree_growth.h, by which it grows. */
#ifndef GATE_COMPARE_TREE_TYPES_H
#define GATE_COMPARE_TREE_TYPES_H

#include "gate/compare/pair_types.h"

/** What budgets say of a node, the worse larger. */
enum gate_tree_mark {
    GATE_TREE_UNMARKED,
    GATE_TREE_UNDECIDED, /* over a limit, and not decided */
    GATE_TREE_WARNED,    /* over a limit whose severity is a warning */
    GATE_TREE_BROKEN     /* a budget is broken here */
};

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
    bool is_self;        /* what its parent, of the same frame, costs itself (report/self_boxes.h) */
    uint8_t mark;        /* enum gate_tree_mark; report/cause_box.h sets it */
};

struct gate_tree {
    struct gate_tree_node *nodes;
    uint32_t count;
    uint32_t depth;             /* levels below the root */
    int64_t pruned[GATE_SIDES]; /* weight of stacks whose end is not drawn: it shows in the node above the cut */
    bool inverted;
    bool is_charged; /* a node's self is what is charged to it (report/charged_view.h) */
};

#endif
