/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the static diff flame graph as an <svg> element: alone in a file (svg.c) and inside the page (html.c).
 * Pipeline: report/layout.h -> report/flame_svg.h -> report/svg.c, report/html.c */
#ifndef GATE_REPORT_FLAME_SVG_H
#define GATE_REPORT_FLAME_SVG_H

#include "gate/base/buf.h"
#include "gate/report/layout.h"

/** Units of the drawing's width; a page scales it. */
enum { GATE_FLAME_SVG_WIDTH = 1200 };

/** What a drawing needs beside its boxes. */
struct gate_flame_svg {
    const struct gate_layout *layout;
    const struct gate_pair *pair;
    struct gate_str title;
    double min_share;        /* of a node: said in the picture */
    double min_width;        /* of a box, part of the width: said when something was left out */
    const uint32_t *failing; /* nodes that are drawn as broken (trees.h) */
    uint32_t failing_count;
    struct gate_str style; /* CSS to put inside; empty when the page has it */
};

/** Append the element. Names are escaped. O(boxes). */
void gate_flame_svg_draw(struct gate_buf *out, const struct gate_flame_svg *graph, struct gate_arena *arena);

#endif
