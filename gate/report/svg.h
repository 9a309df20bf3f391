/* SPDX-License-Identifier: Apache-2.0 */
/* The static diff flame graph as an <svg> element: alone in a file (svg.c) and inside the page (html.c).
 * Pipeline: report/layout.h -> report/svg.h */
#ifndef GATE_REPORT_SVG_H
#define GATE_REPORT_SVG_H

#include "gate/base/buf.h"
#include "gate/report/layout.h"

/** What a drawing needs beside its boxes. */
struct gate_svg_graph {
    const struct gate_layout *layout;
    const struct gate_pair *pair;
    struct gate_str title;
    double min_share;  /* of a node: said in the picture */
    double min_width;  /* of a box, part of the width: said when something was left out */
    struct gate_str style; /* CSS to put inside; empty when the page has it */
};

/** Append the element. Names are escaped. O(boxes). */
void gate_svg_draw(struct gate_buf *out, const struct gate_svg_graph *graph, struct gate_arena *arena);

/** "grew", "shrank", "new", "vanished", "unchanged", "within noise": what a node's change is called. Static text. */
const char *gate_svg_change_name(const struct gate_layout *layout, uint32_t node);

#endif
