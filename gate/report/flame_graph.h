/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs as SVG. */
#ifndef GATE_REPORT_FLAME_GRAPH_H
#define GATE_REPORT_FLAME_GRAPH_H

#include "gate/base/buf.h"
#include "gate/compare/comparison.h"
#include "gate/report/flame_layout.h"

/** A flame graph to draw. */
struct gate_flame_svg {
    const struct gate_layout *layout;
    const struct gate_comparison *comparison;
    struct gate_str title;
    double min_share; /* minimum share of a node, shown in the picture */
    double min_width; /* minimum width of a box, as a part of the graph's width */
    uint32_t number;  /* number of the graph in its document, for the id of its title */
};

/**
 * Append an <svg> element. `y`: its distance from the top of the enclosing element; negative: it fills that element's
 * width. Names are escaped. O(boxes).
 */
void gate_flame_svg_draw(struct gate_buf *out, const struct gate_flame_svg *graph, int y, struct gate_arena *arena);

#endif
