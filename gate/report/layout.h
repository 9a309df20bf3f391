/* SPDX-License-Identifier: Apache-2.0 */
/* Where the boxes of a diff flame graph stand, and which colour they may have: geometry and rules, no format.
 * Pipeline: compare/tree.h -> report/layout.h -> report/flame_svg.h, report/html.c; assets/report_layout.js repeats the
 * rules for the canvas. */
#ifndef GATE_REPORT_LAYOUT_H
#define GATE_REPORT_LAYOUT_H

#include "gate/base/buf.h"
#include "gate/compare/tree.h"

/** Colours come in steps of change: -5 … 5; 0 is grey. */
enum { GATE_LAYOUT_STEPS = 5 };

/** One box, in units of the graph's width (0 … 1) and levels (the root is level 0). */
struct gate_box {
    uint32_t node;
    uint32_t level;
    double x, width;
};

/** What a node comes to in shares. */
struct gate_layout_cost {
    double weight; /* the larger share */
    double change; /* canary share less baseline share */
};

struct gate_layout {
    const struct gate_tree *tree;
    struct gate_layout_cost *costs; /* of each node */
    struct gate_box *boxes;         /* parents before their children, siblings in the tree's order */
    uint32_t count;
    uint32_t levels;   /* rows of the drawing */
    uint32_t left_out; /* nodes without a box: they, or one above them, are too narrow or too deep */
    bool is_cut_deep;  /* some of them only because of max_levels */
    int64_t total[GATE_SIDES];
    double max_change; /* largest |change of share| of a significant node; 0: there is none */
};

struct gate_layout_options {
    double min_width;    /* of a box, as a part of the graph's width */
    uint32_t max_levels; /* 0: all */
};

/**
 * Place the nodes of `tree`.
 *
 * A node weighs w = max(baseline share, canary share), so that a frame that only one side has still shows. The root
 * takes the whole width. A node of weight w and width W whose children weigh S in sum gives child i the width
 * W * w_i / max(w, S): S can exceed w, when one child grew while another shrank, and then the children are scaled to
 * fit; otherwise the room that is left, at the right, is the node's own (self) weight. With equal sides this is the
 * ordinary flame graph. Widths compare within a row under one parent exactly, and across parents up to that scaling;
 * the numbers are in the titles.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(nodes), without recursion.
 */
GATE_MUST_CHECK
bool gate_layout_make(struct gate_layout *out, const struct gate_tree *tree, const struct gate_layout_options *options,
                      struct gate_arena *arena, struct gate_error *err);

/** The same without boxes: costs and max_change alone. O(nodes). */
GATE_MUST_CHECK
bool gate_layout_measure(struct gate_layout *out, const struct gate_tree *tree, struct gate_arena *arena,
                         struct gate_error *err);

/** Share of the total of `side` that a node has. */
double gate_layout_share(const struct gate_layout *layout, uint32_t node, enum gate_side_name side);

/** Canary share less baseline share. */
static inline double gate_layout_change(const struct gate_layout *layout, uint32_t node) {
    return layout->costs[node].change;
}

/** Whether `side` has nothing of a node that the other side has. */
bool gate_layout_is_absent(const struct gate_layout *layout, uint32_t node, enum gate_side_name side);

/** What became of a node. */
enum gate_layout_change_kind {
    GATE_LAYOUT_UNCHANGED,
    GATE_LAYOUT_WITHIN_NOISE,
    GATE_LAYOUT_GREW,
    GATE_LAYOUT_SHRANK,
    GATE_LAYOUT_NEW,      /* only the canary has it, significantly */
    GATE_LAYOUT_VANISHED, /* only the baseline has it, significantly */
    /* what budgets say of a change that the box's own samples are not sure of: never "within noise" */
    GATE_LAYOUT_UNDECIDED,
    GATE_LAYOUT_WARNED,
    GATE_LAYOUT_BROKEN,
    GATE_LAYOUT_CHANGE_KINDS
};

enum gate_layout_change_kind gate_layout_classify(const struct gate_layout *layout, uint32_t node);

/** "grew", "within noise", ...; static text. The page's script gets the same table with its data. */
const char *gate_layout_change_name(enum gate_layout_change_kind kind);

/** What became of a node in words, and behind them what budgets say of it: "grew, breaks a budget". */
void gate_layout_describe(struct gate_buf *out, const struct gate_layout *layout, uint32_t node);

/**
 * The colour step of a node: the sign of its change of share, and 1 … 5 by the root of its size against the largest
 * one. A change that is not significant has step 0, whatever its size.
 */
int gate_layout_step(const struct gate_layout *layout, uint32_t node);

/** The smallest |change| that a step (1 … 5) stands for. */
double gate_layout_step_from(const struct gate_layout *layout, int step);

/** What a frame costs itself is called in a tree: "self", or "charged" where libraries are in it. */
const char *gate_layout_part_name(const struct gate_tree *tree);

/** Name of a node's frame; "all" for the root. */
struct gate_str gate_layout_name(const struct gate_tree *tree, const struct gate_pair *pair, uint32_t node);

#endif
