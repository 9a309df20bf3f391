/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs: their boxes and colours, and the SVG. */
#ifndef GATE_REPORT_FLAME_GRAPH_H
#define GATE_REPORT_FLAME_GRAPH_H

#include "gate/base/buf.h"
#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"

/* ---- boxes: their places, colours and names, for any format ------------------------------------------------------ */

/** Colour steps for a change are -5 … 5; 0 is grey. */
enum { GATE_LAYOUT_STEPS = 5 };

/** One box. `x` and `width` are parts of the graph's width (0 … 1); level 0 is the root. */
struct gate_box {
    uint32_t node;
    uint32_t level;
    double x, width;
};

/** The cost of a node in shares. */
struct gate_layout_cost {
    double weight; /* the larger of the two shares */
    double change; /* canary share minus baseline share */
};

struct gate_layout {
    const struct gate_tree *tree;
    struct gate_layout_cost *costs; /* one per node */
    struct gate_box *boxes;         /* parents before their children, siblings in the tree's order */
    uint32_t count;
    uint32_t levels;   /* rows of the drawing */
    uint32_t left_out; /* nodes without a box, because they or a caller are too narrow or too deep */
    bool is_cut_deep;  /* max_levels is the reason for some of them */
    int64_t total[GATE_SIDES];
    double max_change; /* largest |change of share| of a significant node; 0 if there is none */
};

struct gate_layout_options {
    double min_width;    /* minimum width of a box, as a part of the graph's width */
    uint32_t max_levels; /* 0: no limit */
};

/**
 * Compute the boxes of `tree`.
 *
 * The weight of a node is w = max(baseline share, canary share), so that a frame on only one side is visible. The root
 * has the full width. Let S be the sum of the weights of a node's children, and W the node's width. Then child i has
 * the width W * w_i / max(w, S). If S > w, because one child grew while another shrank, the children are scaled to fit.
 * Otherwise the space left at the right is the node's self cost. If both sides are equal, this is the usual flame
 * graph. Widths are exactly proportional among siblings, and elsewhere up to that scaling; the exact numbers are in the
 * titles.
 *
 * O(nodes), without recursion.
 */
GATE_MUST_CHECK
bool gate_layout_make(struct gate_layout *out, const struct gate_tree *tree, const struct gate_layout_options *options,
                      struct gate_arena *arena, struct gate_error *err);

/** Compute only costs and max_change, no boxes. O(nodes). */
GATE_MUST_CHECK
bool gate_layout_measure(struct gate_layout *out, const struct gate_tree *tree, struct gate_arena *arena,
                         struct gate_error *err);

/** Return the node's share of the total of `side`. */
double gate_layout_share(const struct gate_layout *layout, uint32_t node, enum gate_side_name side);

/** Return canary share minus baseline share. */
static inline double gate_layout_change(const struct gate_layout *layout, uint32_t node) {
    return layout->costs[node].change;
}

/** How a node changed. */
enum gate_layout_change_kind {
    GATE_LAYOUT_UNCHANGED,
    GATE_LAYOUT_WITHIN_NOISE,
    GATE_LAYOUT_GREW,
    GATE_LAYOUT_SHRANK,
    GATE_LAYOUT_NEW,      /* significant, and only in the canary */
    GATE_LAYOUT_VANISHED, /* significant, and only in the baseline */
    /* outcomes of budgets, shown in place of "within noise" if the box's own test is not significant */
    GATE_LAYOUT_UNDECIDED,
    GATE_LAYOUT_WARNED,
    GATE_LAYOUT_BROKEN,
    GATE_LAYOUT_CHANGE_KINDS
};

/** Return how a node changed. A mark of a budget counts only if the node's own change is not significant. */
enum gate_layout_change_kind gate_layout_classify(const struct gate_layout *layout, uint32_t node);

/** Return "grew", "within noise", ...; static text. The page's script gets the same texts with its data. */
const char *gate_layout_change_name(enum gate_layout_change_kind kind);

/** Append how a node changed, and the outcome of its budgets: "grew, breaks a budget". */
void gate_layout_describe(struct gate_buf *out, const struct gate_layout *layout, uint32_t node);

/**
 * Return the colour step of a node, -5 … 5. Its sign is that of the change of share. Its size is 5 times the square
 * root of the change relative to the largest one, at least 1. A change that is not significant has step 0.
 */
int gate_layout_step(const struct gate_layout *layout, uint32_t node);

/**
 * Return the word for the cost of a frame itself in this tree: "self", or "charged" if libraries are folded into it.
 */
const char *gate_layout_part_name(const struct gate_tree *tree);

/** Return the name of a node's frame; "all" for the root. */
struct gate_str gate_layout_name(const struct gate_tree *tree, const struct gate_pair *pair, uint32_t node);

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/** A flame graph to draw. */
struct gate_flame_svg {
    const struct gate_layout *layout;
    const struct gate_comparison *comparison;
    struct gate_str title;
    struct gate_str work_unit; /* from the rules */
    double min_share;          /* minimum share of a node, printed in the picture */
    uint32_t number;           /* number of the graph in its document, for the id of its title */
};

/**
 * Append an <svg> element. `y`: distance from the top of the enclosing element; negative: it fills that element's
 * width. Names are escaped. O(boxes).
 */
void gate_flame_svg_draw(struct gate_buf *out, const struct gate_flame_svg *graph, int y, struct gate_arena *arena);

#endif
