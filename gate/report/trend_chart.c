/* SPDX-License-Identifier: Apache-2.0 */
/* A series of a trend as SVG (see trend_chart.h). */
#include "gate/report/trend_chart.h"

#include "gate/base/escape.h"

#include <math.h>

enum { WIDTH = 720, HEIGHT = 220, LEFT = 84, RIGHT = 16, TOP = 12, BOTTOM = 30 };

/* The data's corner and how much of it a pixel is. */
struct chart {
    struct gate_buf *out;
    const struct gate_trend_finding *finding;
    const double *x;
    double x_last, low, high;
};

static double at_x(const struct chart *chart, double x) {
    return LEFT + (chart->x_last > 0.0 ? x / chart->x_last : 0.0) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct chart *chart, double y) {
    double part = chart->high > chart->low ? (y - chart->low) / (chart->high - chart->low) : 0.5;
    return HEIGHT - BOTTOM - fmin(1.0, fmax(0.0, part)) * (HEIGHT - TOP - BOTTOM);
}

static void put_pair(struct gate_buf *out, double x, double y) {
    gate_buf_fixed(out, x, 1);
    gate_buf_char(out, ',');
    gate_buf_fixed(out, y, 1);
    gate_buf_char(out, ' ');
}

static void put_line(const struct chart *chart, const char *name, double x1, double y1, double x2, double y2) {
    const double values[] = {at_x(chart, x1), at_y(chart, y1), at_x(chart, x2), at_y(chart, y2)};
    static const char *const names[] = {"x1", "y1", "x2", "y2"};
    gate_buf_printf(chart->out, "<line class=\"%s\"", name);
    for (int i = 0; i < 4; i++) {
        gate_buf_printf(chart->out, " %s=\"", names[i]);
        gate_buf_fixed(chart->out, values[i], 1);
        gate_buf_char(chart->out, '"');
    }
    gate_buf_text(chart->out, "/>");
}

/* Lines of the interval's slopes through the middle of the fitted one. */
static void put_band(const struct chart *chart) {
    const struct gate_trend_fit *fit = &chart->finding->judged.fit;
    double x[] = {0.0, chart->x_last}, middle = chart->x_last / 2;
    double y = fit->intercept + fit->whole.slope * middle;
    const double ends[2] = {fit->whole.low, fit->whole.high};
    if (!isfinite(ends[0]) || !isfinite(ends[1]))
        return;
    gate_buf_text(chart->out, "<polygon class=\"band\" points=\"");
    put_pair(chart->out, at_x(chart, x[0]), at_y(chart, y - ends[0] * middle));
    put_pair(chart->out, at_x(chart, middle), at_y(chart, y));
    put_pair(chart->out, at_x(chart, x[1]), at_y(chart, y + ends[0] * middle));
    put_pair(chart->out, at_x(chart, x[1]), at_y(chart, y + ends[1] * middle));
    put_pair(chart->out, at_x(chart, middle), at_y(chart, y));
    put_pair(chart->out, at_x(chart, x[0]), at_y(chart, y - ends[1] * middle));
    gate_buf_text(chart->out, "\"/>");
}

static void put_points(const struct chart *chart, const struct gate_trend_verdict *verdict,
                       const struct gate_trend_result *result) {
    const struct gate_series *series = &chart->finding->series;
    struct gate_buf *out = chart->out;
    for (uint32_t i = 0; i < series->count; i++) {
        if (series->high[i] > series->low[i])
            put_line(chart, "runs", chart->x[i], series->low[i], chart->x[i], series->high[i]);
        gate_buf_text(out, "<circle class=\"point\" r=\"3.5\" cx=\"");
        gate_buf_fixed(out, at_x(chart, chart->x[i]), 1);
        gate_buf_text(out, "\" cy=\"");
        gate_buf_fixed(out, at_y(chart, series->y[i]), 1);
        gate_buf_text(out, "\"><title>");
        gate_escape_xml(out, verdict->points[i].title);
        gate_buf_text(out, ": ");
        gate_trend_words_level(out, series->y[i], result);
        gate_buf_text(out, "</title></circle>");
    }
}

static void put_label(const struct chart *chart, double x, double y, const char *anchor, struct gate_str text) {
    gate_buf_printf(chart->out, "<text text-anchor=\"%s\" x=\"", anchor);
    gate_buf_fixed(chart->out, x, 1);
    gate_buf_text(chart->out, "\" y=\"");
    gate_buf_fixed(chart->out, y, 1);
    gate_buf_text(chart->out, "\">");
    gate_escape_xml(chart->out, gate_str_slice(text, 0, 40));
    gate_buf_text(chart->out, "</text>");
}

static void put_levels(const struct chart *chart, const struct gate_trend_result *result) {
    const double levels[] = {chart->low, chart->high};
    for (int i = 0; i < 2; i++) {
        struct gate_buf text = {0};
        gate_trend_words_level(&text, levels[i], result);
        put_label(chart, LEFT - 6, at_y(chart, levels[i]) + 4, "end", gate_buf_view(&text));
        put_line(chart, "axis", 0.0, levels[i], chart->x_last, levels[i]);
        gate_buf_free_part(chart->out, &text);
    }
}

static void find_range(struct chart *chart) {
    const struct gate_series *series = &chart->finding->series;
    chart->low = INFINITY;
    for (uint32_t i = 0; i < series->count; i++) {
        chart->low = fmin(chart->low, series->low[i]);
        chart->high = fmax(chart->high, series->high[i]);
    }
    chart->low = chart->low < chart->high / 2 ? 0.0 : chart->low - (chart->high - chart->low) / 10;
    chart->high += (chart->high - chart->low) / 20;
}

void gate_trend_chart(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                      const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    const struct gate_trend_fit *fit = &finding->judged.fit;
    const uint32_t last = verdict->point_count - 1;
    struct chart chart = {.out = out, .finding = finding, .x = result->x};
    if (finding->limit == NULL || result->x == NULL || fit->count < 2)
        return;
    enum gate_outcome outcome = finding->judged.outcome;
    const char *tone = outcome == GATE_OUTCOME_INCONCLUSIVE                     ? "open"
                       : outcome >= GATE_OUTCOME_WARN && fit->whole.slope > 0.0 ? "grew"
                                                                                : "quiet";
    chart.x_last = result->x[last];
    find_range(&chart);
    gate_buf_printf(out,
                    "<svg class=\"trend-chart %s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
                    "aria-label=\"",
                    tone, WIDTH, HEIGHT, WIDTH, HEIGHT);
    gate_escape_xml(out, finding->name);
    gate_buf_text(out, ", ");
    gate_trend_words_fit(out, verdict, result, &fit->whole);
    gate_buf_text(out, "\">");
    put_levels(&chart, result);
    if (finding->judged.reason == GATE_TREND_STEP || finding->judged.reason == GATE_TREND_STEP_OR_SLOPE)
        put_line(&chart, "step", result->x[fit->step_at], chart.low, result->x[fit->step_at], chart.high);
    put_band(&chart);
    put_line(&chart, "line", 0.0, fit->intercept, chart.x_last, fit->intercept + fit->whole.slope * chart.x_last);
    if (isfinite(finding->judged.limit))
        put_line(&chart, "limit", 0.0, fit->intercept, chart.x_last,
                 fit->intercept + finding->judged.limit * chart.x_last);
    put_points(&chart, verdict, result);
    put_label(&chart, LEFT, HEIGHT - 8, "start", verdict->points[0].title);
    put_label(&chart, WIDTH - RIGHT, HEIGHT - 8, "end", verdict->points[last].title);
    gate_buf_text(out, "</svg>\n");
}
