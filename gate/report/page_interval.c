/* SPDX-License-Identifier: Apache-2.0 */
/* The small drawing of an interval of a cause or a finding (see page.h). */
#include "gate/report/page.h"

#include "gate/base/figures.h"
#include "gate/report/layout.h"

#include <math.h>

enum { BAR_WIDTH = 220, BAR_HEIGHT = 38 };

double gate_page_limit_line(const struct gate_evidence *evidence, const struct gate_limit *limit) {
    if (limit == NULL)
        return NAN;
    double value = limit->value;
    double baseline = evidence->share[GATE_BASELINE];
    if (limit->kind == GATE_LIMIT_ABSOLUTE) /* in a unit of its own */
        return NAN;
    switch (gate_limit_quantity(limit->kind)) {
    case GATE_QUANTITY_GROWTH:
        return value;
    case GATE_QUANTITY_RATIO:
        return baseline * (value - 1);
    case GATE_QUANTITY_LEVEL:
        return value - baseline;
    }
    return NAN;
}

/* Position on the bar of a change, between the scale's ends. */
struct bar_scale {
    double low, high;
};

static double bar_x(const struct bar_scale *scale, double change) {
    double part = (change - scale->low) / (scale->high - scale->low);
    return 4 + fmin(fmax(part, 0), 1) * (BAR_WIDTH - 8);
}

static void bar_line(struct gate_buf *out, const char *class_name, double x, int top, int bottom) {
    gate_buf_printf(out, "<line class=\"%s\" x1=\"", class_name);
    gate_buf_fixed(out, x, 1);
    gate_buf_text(out, "\" x2=\"");
    gate_buf_fixed(out, x, 1);
    gate_buf_printf(out, "\" y1=\"%d\" y2=\"%d\"/>", top, bottom);
}

void gate_page_interval(struct gate_buf *out, const struct gate_evidence *evidence, const struct gate_limit *limit,
                        enum gate_outcome outcome) {
    if (!evidence->is_tested)
        return;
    double line = gate_page_limit_line(evidence, limit);
    double reach = isnan(line) ? 0 : line;
    struct gate_interval ci95 = gate_evidence_ci95(evidence);
    struct bar_scale scale = {fmin(fmin(ci95.bounds[0], 0), reach), fmax(fmax(ci95.bounds[1], 0), reach)};
    double room = fmax(scale.high - scale.low, 1e-6) * 0.06;
    scale.low -= room;
    scale.high += room;
    gate_buf_printf(out,
                    "<svg class=\"bar\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"",
                    BAR_WIDTH, BAR_HEIGHT, BAR_WIDTH, BAR_HEIGHT);
    gate_buf_text(out, "change ");
    gate_figures_change(out, evidence->delta, ci95.bounds);
    if (!isnan(line)) {
        gate_buf_text(out, ", limit at ");
        gate_figures_points(out, line);
    }
    gate_buf_text(out, "\">");
    bar_line(out, "zero", bar_x(&scale, 0), 4, 24);
    double left = bar_x(&scale, ci95.bounds[0]);
    gate_buf_printf(out, "<rect class=\"range %s\" x=\"",
                    outcome == GATE_OUTCOME_INCONCLUSIVE
                        ? "undecided"
                        : gate_layout_change_name(evidence->delta < 0 ? GATE_LAYOUT_SHRANK : GATE_LAYOUT_GREW));
    gate_buf_fixed(out, left, 1);
    gate_buf_text(out, "\" y=\"10\" height=\"8\" width=\"");
    gate_buf_fixed(out, fmax(bar_x(&scale, ci95.bounds[1]) - left, 1), 1);
    gate_buf_text(out, "\"/>");
    bar_line(out, "estimate", bar_x(&scale, evidence->delta), 7, 21);
    if (!isnan(line)) {
        double x = bar_x(&scale, line);
        bar_line(out, "limit", x, 2, 26);
        gate_buf_text(out, "<text x=\"");
        gate_buf_fixed(out, fmin(fmax(x, 24), BAR_WIDTH - 24), 1);
        gate_buf_text(out, "\" y=\"33\">limit</text>");
    }
    gate_buf_text(out, "</svg>");
}
