/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the static diff flame graph as an <svg> element: alone in a file (svg.c) and inside the page (html.c).
 * Pipeline: report/layout.h -> report/flame_svg.h -> report/svg.c, report/html.c */
#ifndef GATE_REPORT_FLAME_SVG_H
#define GATE_REPORT_FLAME_SVG_H

#include "gate/base/buf.h"
#include "gate/compare/comparison.h"
#include "gate/report/layout.h"

/** Units of the drawing's width; a page scales it. */
enum { GATE_FLAME_SVG_WIDTH = 1200 };

/** What a drawing needs beside its boxes. */
struct gate_flame_svg {
    const struct gate_layout *layout;
    const struct gate_comparison *comparison;
    struct gate_str title;
    double min_share; /* of a node: said in the picture */
    double min_width; /* of a box, part of the width: said when something was left out */
    uint32_t number;  /* of the graph in its document: its title has an id */
};

/** Units of the drawing's height. */
int gate_flame_svg_height(const struct gate_flame_svg *graph);

/** Append the element, `y` units beneath the top of the one that it is in; negative: it is as wide and high as there is
 * room for. Names are escaped. O(boxes). */
void gate_flame_svg_draw(struct gate_buf *out, const struct gate_flame_svg *graph, int y, struct gate_arena *arena);

#endif
