/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `trend` as an HTML page. */
#include "gate/report/trend_page.h"

#include "gate/base/embedded.h"
#include "gate/base/escape.h"
#include "gate/base/own_mark.h"
#include "gate/report/html.h"
#include "gate/report/trend_text.h"

#include <math.h>

/* ---- chart of a series, as SVG ----------------------------------------------------------------------------------- */

enum { WIDTH = 720, HEIGHT = 220, LEFT = 84, RIGHT = 16, TOP = 12, BOTTOM = 30 };

/* A chart: its data, and the range of both axes. */
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

/* Append the confidence band: lines with the slopes at the interval's ends, through the middle of the fitted line. */
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

/** Append an <svg>, red if the series grew over its limit; nothing if it has fewer than two points. */
static void gate_trend_chart(struct gate_buf *out, const struct gate_trend_verdict *verdict,
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

/* ---- the page ---------------------------------------------------------------------------------------------------- */

enum { CHARTS_MAX = 30 };

static void put_escaped(struct gate_buf *out, struct gate_buf *text) {
    gate_escape_xml(out, gate_buf_view(text));
    out->failed = out->failed || text->failed;
    gate_buf_free(text);
}

static void put_head(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    struct gate_buf style = {0}, title = {0};
    static const char *const sheets[] = {"graph.css", "page.css", "trend.css"};
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++)
        gate_buf_str(&style, gate_embedded_find(sheets[i]));
    gate_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" GATE_OWN_MARK_HTML
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    gate_csp_print(out, gate_buf_view(&style), GATE_STR(""));
    gate_buf_printf(out,
                    "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s: ",
                    gate_outcome_capitals(verdict->outcome));
    gate_trend_words_headline(&title, verdict);
    put_escaped(out, &title);
    gate_buf_text(out, " - pprofgate trend</title>\n<style>");
    gate_buf_str(out, gate_buf_view(&style));
    gate_buf_text(out, "</style>\n</head>\n<body>\n");
    out->failed = out->failed || style.failed;
    gate_buf_free(&style);
}

static void put_header(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    struct gate_buf headline = {0}, source = {0};
    gate_buf_printf(out, "<header>\n<h1><span class=\"verdict %s\">%s</span> ", gate_outcome_name(verdict->outcome),
                    gate_outcome_capitals(verdict->outcome));
    gate_trend_words_headline(&headline, verdict);
    put_escaped(out, &headline);
    gate_buf_text(out, "</h1>\n<p>");
    gate_trend_words_source(&source, verdict);
    put_escaped(out, &source);
    gate_buf_text(out, "; rules: ");
    gate_escape_xml(out, verdict->rules->source);
    gate_buf_text(out, "</p>\n</header>\n<main>\n");
}

static const char *badge_of(enum gate_outcome outcome) {
    switch (outcome) {
    case GATE_OUTCOME_FAIL:
        return "fail";
    case GATE_OUTCOME_INCONCLUSIVE:
        return "inconclusive";
    case GATE_OUTCOME_WARN:
        return "warn";
    default:
        return "pass";
    }
}

static void put_finding(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                        const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    struct gate_buf text = {0}, advice = {0};
    gate_buf_printf(out, "<div class=\"trend\"><h3><span class=\"badge %s\">%s</span> <span class=\"name\">",
                    badge_of(finding->judged.outcome), gate_outcome_of_budget(finding->judged.outcome));
    gate_escape_xml(out, finding->name);
    gate_buf_text(out, "</span></h3>\n<p>");
    gate_trend_words_sentence(&text, verdict, result, finding);
    put_escaped(out, &text);
    gate_buf_text(out, "</p>\n<p>Budget: ");
    gate_escape_xml(out, result->budget->name);
    if (finding->limit != NULL) {
        gate_buf_text(out, " (");
        gate_trend_words_limit(out, result, finding);
        gate_buf_char(out, ')');
    }
    if (result->budget->message.len > 0) {
        gate_buf_text(out, "; ");
        gate_escape_xml(out, result->budget->message);
    }
    gate_buf_text(out, "</p>\n");
    gate_trend_words_advice(&advice, verdict, result, finding);
    if (advice.len > 0) {
        gate_buf_text(out, "<p>Next: ");
        put_escaped(out, &advice);
        gate_buf_text(out, "</p>\n");
    }
    gate_buf_free_part(out, &advice);
    gate_trend_chart(out, verdict, result, finding);
    gate_buf_text(out, "</div>\n");
}

/* Append the series that are held, or those that are not, worst first. `*drawn` counts all of them, but only CHARTS_MAX
 * are appended. */
static void put_outcome(struct gate_buf *out, const struct gate_trend_verdict *verdict, bool held, uint32_t *drawn) {
    for (int outcome = GATE_OUTCOME_FAIL; outcome >= GATE_OUTCOME_PROVEN; outcome--)
        for (uint32_t i = 0; i < verdict->result_count; i++)
            for (uint32_t f = 0; f < verdict->results[i].finding_count; f++) {
                const struct gate_trend_finding *finding = &verdict->results[i].findings[f];
                bool is_held = finding->judged.outcome <= GATE_OUTCOME_PASS;
                if ((int)finding->judged.outcome != outcome || is_held != held)
                    continue;
                if ((*drawn)++ < CHARTS_MAX)
                    put_finding(out, verdict, &verdict->results[i], finding);
            }
}

static void put_section(struct gate_buf *out, const struct gate_trend_verdict *verdict, bool held) {
    struct gate_buf body = {0};
    uint32_t drawn = 0;
    put_outcome(&body, verdict, held, &drawn);
    if (drawn == 0)
        return;
    gate_buf_printf(out, held ? "<details><summary>%u series held</summary>\n" : "<h2>What is not held (%u)</h2>\n",
                    (unsigned)drawn);
    gate_buf_str(out, gate_buf_view(&body));
    if (drawn > CHARTS_MAX)
        gate_buf_printf(out, "<p>And %u more; the JSON report has all.</p>\n", (unsigned)(drawn - CHARTS_MAX));
    gate_buf_text(out, held ? "</details>\n" : "");
    out->failed = out->failed || body.failed;
    gate_buf_free(&body);
}

void gate_trend_page(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    put_head(out, verdict);
    put_header(out, verdict);
    put_section(out, verdict, false);
    put_section(out, verdict, true);
    if (verdict->note_count > 0)
        gate_buf_text(out, "<h2>Notes</h2>\n");
    for (uint32_t i = 0; i < verdict->note_count; i++) {
        gate_buf_text(out, "<p>");
        gate_escape_xml(out, verdict->notes[i]);
        gate_buf_text(out, "</p>\n");
    }
    gate_buf_text(out, "<p>A point is a build, the line the slope of Theil and Sen with its interval; the dashed line "
                       "is what the budget allows.</p>\n</main>\n</body>\n</html>\n");
}
