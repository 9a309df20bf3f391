/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/trend_report.h"

#include "gate/base/buf.h"
#include "gate/base/embedded.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/own_mark.h"
#include "gate/budget/trend.h"
#include "gate/report/html.h"
#include "gate/report/listing.h"
#include "gate/report/report.h"
#include "gate/report/trend_json.h"
#include "gate/report/trend_words.h"

#include <math.h>

/* ---- headline ---------------------------------------------------------------------------------------------------- */

static const struct gate_trend_finding *worst_of(const struct gate_trend_verdict *verdict, enum gate_outcome outcome,
                                                 const struct gate_trend_result **result, uint32_t *budgets) {
    const struct gate_trend_finding *first = NULL;
    *budgets = 0;
    for (uint32_t i = 0; i < verdict->result_count; i++) {
        const struct gate_trend_result *at = &verdict->results[i];
        if (at->outcome != outcome || at->finding_count == 0)
            continue;
        ++*budgets;
        /* prefer the finding of a function to that of the total */
        if (first == NULL || (first->frame == NULL && at->findings[0].frame != NULL)) {
            first = &at->findings[0];
            *result = at;
        }
    }
    return first;
}

static void put_budgets(struct gate_buf *out, uint32_t count, const struct gate_trend_verdict *verdict,
                        const char *what) {
    gate_buf_printf(out, "%u of %u budget%s %s", (unsigned)count, (unsigned)verdict->result_count,
                    verdict->result_count == 1 ? "" : "s", what);
}

/*
 * Append the verdict in one line, without its word: "1 of 2 budgets broken: main.keep +1.2MB per accept". Not escaped.
 */
static void trend_words_headline(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    const struct gate_trend_result *result = NULL;
    uint32_t failed = 0, open = 0, warned = 0;
    const struct gate_trend_finding *first = worst_of(verdict, GATE_OUTCOME_WARN, &result, &warned);
    const struct gate_trend_finding *unclear = worst_of(verdict, GATE_OUTCOME_INCONCLUSIVE, &result, &open);
    if (unclear != NULL)
        first = unclear;
    const struct gate_trend_finding *worst = worst_of(verdict, GATE_OUTCOME_FAIL, &result, &failed);
    if (worst != NULL)
        first = worst;
    if (failed > 0)
        put_budgets(out, failed, verdict, "broken");
    else if (open > 0)
        put_budgets(out, open, verdict, "undecided");
    else if (warned > 0)
        put_budgets(out, warned, verdict, "warning");
    else
        put_budgets(out, verdict->result_count, verdict, verdict->result_count == 1 ? "holds" : "hold");
    if (first == NULL)
        return;
    gate_buf_text(out, ": ");
    gate_buf_str(out, first->name);
    if (first->limit == NULL || first->judged.fit.count < 2)
        return;
    gate_buf_char(out, ' ');
    gate_trend_words_slope(out, first->judged.fit.whole.slope, result);
}

/* Append "10 builds, service shop, default; inuse_space". Not escaped. */
static void trend_words_source(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    gate_buf_printf(out, "%u build%s, ", (unsigned)verdict->point_count, verdict->point_count == 1 ? "" : "s");
    gate_buf_str(out, verdict->from);
    gate_buf_text(out, "; ");
    gate_buf_str(out, verdict->type.type);
}

enum { SPARK_MAX = 40 };

/* Append a bar for each of the newest SPARK_MAX points. The lowest bar is the minimum, or half of the maximum if that
 * is lower. */
static void trend_words_spark(struct gate_buf *out, const struct gate_series *series) {
    static const char *const bars[] = {"\xE2\x96\x81", "\xE2\x96\x82", "\xE2\x96\x83", "\xE2\x96\x84",
                                       "\xE2\x96\x85", "\xE2\x96\x86", "\xE2\x96\x87", "\xE2\x96\x88"};
    uint32_t from = series->count > SPARK_MAX ? series->count - SPARK_MAX : 0;
    double low = INFINITY, high = 0.0;
    for (uint32_t i = from; i < series->count; i++) {
        low = fmin(low, series->y[i]);
        high = fmax(high, series->y[i]);
    }
    low = fmin(low, high / 2);
    for (uint32_t i = from; i < series->count; i++) {
        double at = high > low ? (series->y[i] - low) / (high - low) : 0.0;
        gate_buf_text(out, bars[(int)fmin(7.0, fmax(0.0, at * 8.0))]);
    }
}

/* ---- text, Markdown and JUnit ------------------------------------------------------------------------------------ */

enum { ROWS_MAX = 20, FEW_ROWS = 3 };

typedef void escape_fn(struct gate_buf *out, struct gate_str text);

typedef void words_fn(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                      const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/* Append the text of `words`, escaped. */
static void put_words(struct gate_buf *out, words_fn *words, escape_fn *escape,
                      const struct gate_trend_verdict *verdict, const struct gate_trend_result *result,
                      const struct gate_trend_finding *finding) {
    struct gate_buf text = {0};
    words(&text, verdict, result, finding);
    escape(out, gate_buf_view(&text));
    gate_buf_free_part(out, &text);
}

static void put_whole(struct gate_buf *out, void (*words)(struct gate_buf *, const struct gate_trend_verdict *),
                      escape_fn *escape, const struct gate_trend_verdict *verdict) {
    struct gate_buf text = {0};
    words(&text, verdict);
    escape(out, gate_buf_view(&text));
    gate_buf_free_part(out, &text);
}

/* Append the verdict's word. A pass with warnings lists them in its budgets. */
static void put_verdict(struct gate_buf *out, const struct gate_trend_verdict *verdict, bool colour) {
    const char *paint = verdict->outcome == GATE_OUTCOME_FAIL           ? "\x1b[1;31m"
                        : verdict->outcome == GATE_OUTCOME_INCONCLUSIVE ? "\x1b[1;33m"
                                                                        : "\x1b[1;32m";
    gate_buf_text(out, colour ? paint : "");
    gate_buf_text(out, gate_outcome_capitals(verdict->outcome));
    gate_buf_text(out, colour ? "\x1b[0m" : "");
}

/* Append the first and the last level: "1.2MB → 13MB". */
static void put_levels(struct gate_buf *out, const struct gate_trend_result *result,
                       const struct gate_trend_finding *finding) {
    gate_trend_words_level(out, finding->series.y[finding->since], result);
    gate_buf_text(out, " \xE2\x86\x92 ");
    gate_trend_words_level(out, finding->series.y[finding->series.count - 1], result);
}

static const char *verb_of(const struct gate_trend_finding *finding) {
    enum gate_outcome outcome = finding->judged.outcome;
    return outcome == GATE_OUTCOME_FAIL           ? "breaks"
           : outcome == GATE_OUTCOME_INCONCLUSIVE ? "undecided:"
           : outcome == GATE_OUTCOME_WARN         ? "warns:"
                                                  : "holds";
}

/* Append " (+1 pp per accept)". */
static void put_limit(struct gate_buf *out, const struct gate_trend_result *result,
                      const struct gate_trend_finding *finding) {
    if (finding->limit == NULL)
        return;
    gate_buf_text(out, " (");
    gate_trend_words_limit(out, result, finding);
    gate_buf_char(out, ')');
}

/* ---- terminal ---------------------------------------------------------------------------------------------------- */

static void text_finding(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                         const struct gate_trend_result *result, const struct gate_trend_finding *finding,
                         uint32_t columns) {
    size_t from = out->len;
    gate_buf_text(out, "  ");
    gate_escape_terminal(out, finding->name);
    gate_buf_text(out, ": ");
    put_words(out, gate_trend_words_sentence, gate_escape_terminal, verdict, result, finding);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, from, 4, columns);
    if (finding->series.count > 0) {
        gate_buf_text(out, "    ");
        trend_words_spark(out, &finding->series);
        gate_buf_text(out, "  ");
        put_levels(out, result, finding);
        gate_buf_char(out, '\n');
    }
    from = out->len;
    gate_buf_printf(out, "    %s \"", verb_of(finding));
    gate_escape_terminal(out, result->budget->name);
    gate_buf_text(out, "\"");
    put_limit(out, result, finding);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, from, 6, columns);
    from = out->len;
    gate_buf_text(out, "    next: ");
    size_t empty = out->len;
    put_words(out, gate_trend_words_advice, gate_escape_terminal, verdict, result, finding);
    if (out->len == empty)
        out->len = from;
    else
        gate_buf_char(out, '\n');
    gate_wrap_since(out, from, 6, columns);
}

/* Append the series of one outcome, of all budgets. Those that broke their limit are all shown, others if `verbose`. */
static void text_outcome(struct gate_buf *out, const struct gate_trend_verdict *verdict, enum gate_outcome outcome,
                         const struct gate_trend_text_options *options) {
    uint32_t shown = 0, more = 0, most = outcome == GATE_OUTCOME_FAIL || options->verbose ? ROWS_MAX : FEW_ROWS;
    for (uint32_t i = 0; i < verdict->result_count; i++)
        for (uint32_t f = 0; f < verdict->results[i].finding_count; f++) {
            const struct gate_trend_finding *finding = &verdict->results[i].findings[f];
            if (finding->judged.outcome != outcome)
                continue;
            if (shown == most) {
                more++;
            } else {
                gate_buf_char(out, '\n');
                text_finding(out, verdict, &verdict->results[i], finding, options->columns);
                shown++;
            }
        }
    if (more > 0)
        gate_buf_printf(out, "\n  and %u more%s%s\n", (unsigned)more,
                        outcome == GATE_OUTCOME_INCONCLUSIVE ? " undecided"
                        : outcome == GATE_OUTCOME_WARN       ? " over a limit that only warns"
                                                             : "",
                        most == FEW_ROWS ? " (--verbose)" : "");
}

/* Append, for each budget with held series, its name, limit, and the nearest series: "no function creeps" (+1 pp per
 * accept): 12 held, the nearest main.f +0.1 pp per accept. */
static void text_held(struct gate_buf *out, const struct gate_trend_verdict *verdict, uint32_t columns) {
    bool first = true;
    for (uint32_t i = 0; i < verdict->result_count; i++) {
        const struct gate_trend_result *result = &verdict->results[i];
        const struct gate_trend_finding *nearest = NULL;
        for (uint32_t f = 0; f < result->finding_count && nearest == NULL; f++)
            if (result->findings[f].judged.outcome <= GATE_OUTCOME_PASS)
                nearest = &result->findings[f];
        if (nearest == NULL && result->finding_count > 0)
            continue;
        size_t from = out->len;
        gate_buf_text(out, first ? "\n  \"" : "  \"");
        first = false;
        gate_escape_terminal(out, result->budget->name);
        gate_buf_char(out, '"');
        if (nearest == NULL)
            gate_buf_text(out, ": no series to look at\n");
        else {
            put_limit(out, result, nearest);
            gate_buf_printf(out, ": %u held, the nearest ", (unsigned)result->held);
            gate_escape_terminal(out, nearest->name);
            gate_buf_char(out, ' ');
            put_words(out, gate_trend_words_sentence, gate_escape_terminal, verdict, result, nearest);
            gate_buf_char(out, '\n');
        }
        gate_wrap_since(out, from, 4, columns);
    }
}

void gate_trend_text(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                     const struct gate_trend_text_options *options) {
    const uint32_t columns = options->columns;
    size_t from = out->len;
    put_verdict(out, verdict, options->colour);
    gate_buf_text(out, "  ");
    put_whole(out, trend_words_headline, gate_escape_terminal, verdict);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, from, 6, columns);
    text_outcome(out, verdict, GATE_OUTCOME_FAIL, options);
    if (options->quiet)
        return;
    text_outcome(out, verdict, GATE_OUTCOME_INCONCLUSIVE, options);
    text_outcome(out, verdict, GATE_OUTCOME_WARN, options);
    text_held(out, verdict, columns);
    gate_trend_replaced_text(out, verdict, options->verbose);
    from = out->len;
    gate_buf_text(out, "\nlooked at ");
    put_whole(out, trend_words_source, gate_escape_terminal, verdict);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, from, 2, columns);
    for (uint32_t i = 0; i < verdict->note_count; i++) {
        from = out->len;
        gate_buf_text(out, "note: ");
        gate_escape_terminal(out, verdict->notes[i]);
        gate_buf_char(out, '\n');
        gate_wrap_since(out, from, 2, columns);
    }
}

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

static void markdown_row(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                         const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    gate_buf_printf(out, "| %s | ", gate_outcome_capitals(finding->judged.outcome));
    gate_escape_markdown(out, finding->name);
    gate_buf_text(out, " | ");
    put_words(out, gate_trend_words_sentence, gate_escape_markdown, verdict, result, finding);
    gate_buf_text(out, " | ");
    if (finding->series.count > 0) {
        trend_words_spark(out, &finding->series);
        gate_buf_char(out, ' ');
        put_levels(out, result, finding);
    }
    gate_buf_text(out, " | ");
    gate_escape_markdown(out, result->budget->name);
    if (finding->limit != NULL) {
        gate_buf_text(out, ", ");
        gate_trend_words_limit(out, result, finding);
    }
    gate_buf_text(out, " |\n");
}

void gate_trend_markdown(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    static const enum gate_outcome order[] = {GATE_OUTCOME_FAIL, GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_WARN};
    uint32_t rows = 0, more = 0;
    gate_buf_printf(out, "## Trend: %s\n" GATE_OWN_MARK_MARKDOWN "\n", gate_outcome_capitals(verdict->outcome));
    put_whole(out, trend_words_headline, gate_escape_markdown, verdict);
    gate_buf_text(out, "\n");
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (uint32_t i = 0; i < verdict->result_count; i++)
            for (uint32_t f = 0; f < verdict->results[i].finding_count; f++) {
                if (verdict->results[i].findings[f].judged.outcome != order[o])
                    continue;
                if (rows == 0)
                    gate_buf_text(out, "\n| | series | slope | levels | budget |\n| --- | --- | --- | --- | --- |\n");
                if (rows++ < ROWS_MAX)
                    markdown_row(out, verdict, &verdict->results[i], &verdict->results[i].findings[f]);
                else
                    more++;
            }
    if (more > 0)
        gate_buf_printf(out, "\nAnd %u more.\n", (unsigned)more);
    gate_buf_text(out, "\nLooked at ");
    put_whole(out, trend_words_source, gate_escape_markdown, verdict);
    gate_buf_text(out, ".\n");
    for (uint32_t i = 0; i < verdict->note_count; i++) {
        gate_buf_text(out, "\nNote: ");
        gate_escape_markdown(out, verdict->notes[i]);
        gate_buf_char(out, '\n');
    }
    gate_trend_replaced_markdown(out, verdict);
}

/* ---- JUnit ------------------------------------------------------------------------------------------------------- */

/* Return the element for an outcome; NULL for a success. An undecided budget is skipped if the rules let the run
 * pass. */
static const char *junit_element(const struct gate_trend_verdict *verdict, enum gate_outcome outcome) {
    if (outcome == GATE_OUTCOME_FAIL)
        return "failure";
    if (outcome != GATE_OUTCOME_INCONCLUSIVE)
        return NULL;
    return verdict->outcome == GATE_OUTCOME_PASS                          ? "skipped"
           : verdict->rules->on_inconclusive == GATE_ON_INCONCLUSIVE_FAIL ? "failure"
                                                                          : "error";
}

static void junit_lines(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                        const struct gate_trend_result *result, enum gate_outcome outcome) {
    for (uint32_t f = 0; f < result->finding_count; f++) {
        const struct gate_trend_finding *finding = &result->findings[f];
        if (finding->judged.outcome != outcome)
            continue;
        gate_escape_xml(out, finding->name);
        gate_buf_text(out, ": ");
        put_words(out, gate_trend_words_sentence, gate_escape_xml, verdict, result, finding);
        gate_buf_char(out, '\n');
    }
}

static void junit_case(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                       const struct gate_trend_result *result) {
    const char *element = junit_element(verdict, result->outcome);
    gate_buf_text(out, "    <testcase name=\"");
    gate_escape_xml(out, result->budget->name);
    gate_buf_text(out, "\" classname=\"pprofgate.trend\" time=\"0\">\n");
    if (element != NULL && result->finding_count > 0) {
        bool is_skipped = strcmp(element, "skipped") == 0;
        gate_buf_printf(out, is_skipped ? "      <%s message=\"" : "      <%s type=\"Trend\" message=\"", element);
        gate_buf_text(out, result->outcome == GATE_OUTCOME_FAIL ? "" : "inconclusive: ");
        gate_escape_xml(out, result->findings[0].name);
        gate_buf_text(out, ": ");
        put_words(out, gate_trend_words_sentence, gate_escape_xml, verdict, result, &result->findings[0]);
        gate_buf_text(out, is_skipped ? "\"/>\n" : "\">");
        if (!is_skipped) {
            junit_lines(out, verdict, result, result->outcome);
            gate_buf_printf(out, "</%s>\n", element);
        }
    }
    if (result->warned > 0) {
        gate_buf_text(out, "      <system-out>");
        junit_lines(out, verdict, result, GATE_OUTCOME_WARN);
        gate_buf_text(out, "</system-out>\n");
    }
    gate_buf_text(out, "    </testcase>\n");
}

/* Append the report with a test case per budget. */
static void junit_write(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    static const char *const elements[] = {"failure", "error", "skipped"};
    unsigned counts[3] = {0};
    for (uint32_t i = 0; i < verdict->result_count; i++) {
        const char *element = junit_element(verdict, verdict->results[i].outcome);
        for (size_t e = 0; element != NULL && e < 3; e++)
            counts[e] += strcmp(element, elements[e]) == 0;
    }
    gate_buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    gate_buf_printf(out,
                    "<testsuites name=\"pprofgate trend\" tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"0\">\n",
                    (unsigned)verdict->result_count, counts[0], counts[1]);
    gate_buf_printf(out,
                    "  <testsuite name=\"pprofgate trend\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" "
                    "time=\"0\">\n",
                    (unsigned)verdict->result_count, counts[0], counts[1], counts[2]);
    for (uint32_t i = 0; i < verdict->result_count; i++)
        junit_case(out, verdict, &verdict->results[i]);
    gate_buf_printf(out, "    <system-out>%s: ", gate_outcome_capitals(verdict->outcome));
    put_whole(out, trend_words_headline, gate_escape_xml, verdict);
    gate_buf_text(out, "\n</system-out>\n  </testsuite>\n</testsuites>\n");
}

/* ---- chart of a series, as SVG ----------------------------------------------------------------------------------- */

enum { WIDTH = 720, HEIGHT = 220, LEFT = 84, RIGHT = 16, TOP = 12, BOTTOM = 30 };

/* A chart: its data, and the range of both axes. */
struct chart {
    struct gate_buf *out;
    const struct gate_trend_finding *finding;
    const double *x;
    double x_first, x_last; /* of the points that are judged */
    double low, high;
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
    const double half = (chart->x_last - chart->x_first) / 2, middle = chart->x_first + half;
    const double low = fit->whole.low, high = fit->whole.high, y = fit->intercept + fit->whole.slope * middle;
    const double x[] = {-half, 0, half, half, 0, -half}, slopes[] = {low, low, low, high, high, high};
    if (!isfinite(low) || !isfinite(high))
        return;
    gate_buf_text(chart->out, "<polygon class=\"band\" points=\"");
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        put_pair(chart->out, at_x(chart, middle + x[i]), at_y(chart, y + slopes[i] * x[i]));
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

static void trend_page_put_levels(const struct chart *chart, const struct gate_trend_result *result) {
    const double levels[] = {chart->low, chart->high};
    for (int i = 0; i < 2; i++) {
        struct gate_buf text = {0};
        if (result->scale == GATE_SERIES_PER_WORK) /* "per unit of work" does not fit; the sentence above contains it */
            gate_trend_words_amount(&text, levels[i], result);
        else
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
static void trend_chart(struct gate_buf *out, const struct gate_trend_verdict *verdict,
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
    chart.x_first = result->x[finding->since];
    chart.x_last = result->x[last];
    const double y_first = fit->intercept + fit->whole.slope * chart.x_first;
    find_range(&chart);
    gate_buf_printf(out,
                    "<svg class=\"trend-chart %s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
                    "aria-label=\"",
                    tone, WIDTH, HEIGHT, WIDTH, HEIGHT);
    gate_escape_xml(out, finding->name);
    gate_buf_text(out, finding->since > 0 ? " since " : "");
    gate_escape_xml(out, finding->since > 0 ? verdict->points[finding->since].title : GATE_STR(""));
    gate_buf_text(out, ", ");
    gate_trend_words_fit(out, verdict, result, &fit->whole);
    gate_buf_text(out, "\">");
    trend_page_put_levels(&chart, result);
    if (finding->judged.reason == GATE_TREND_STEP || finding->judged.reason == GATE_TREND_STEP_OR_SLOPE)
        put_line(&chart, "step", result->x[fit->step_at], chart.low, result->x[fit->step_at], chart.high);
    put_band(&chart);
    put_line(&chart, "line", chart.x_first, y_first, chart.x_last, fit->intercept + fit->whole.slope * chart.x_last);
    if (isfinite(finding->judged.limit))
        put_line(&chart, "limit", chart.x_first, y_first, chart.x_last,
                 y_first + finding->judged.limit * (chart.x_last - chart.x_first));
    put_points(&chart, verdict, result);
    put_label(&chart, LEFT, HEIGHT - 8, "start", verdict->points[0].title);
    put_label(&chart, WIDTH - RIGHT, HEIGHT - 8, "end", verdict->points[last].title);
    gate_buf_text(out, "</svg>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

enum { CHARTS_MAX = 30 };

static void put_head(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    struct gate_buf style = {0};
    static const char *const sheets[] = {"graph.css", "page.css", "trend.css"};
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++)
        gate_buf_str(&style, gate_embedded_find(sheets[i]));
    gate_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" GATE_OWN_MARK_HTML
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    gate_csp_print(out, gate_buf_view(&style));
    gate_buf_printf(out,
                    "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s: ",
                    gate_outcome_capitals(verdict->outcome));
    put_whole(out, trend_words_headline, gate_escape_xml, verdict);
    gate_buf_text(out, " - pprofgate trend</title>\n<style>");
    gate_buf_str(out, gate_buf_view(&style));
    gate_buf_text(out, "</style>\n</head>\n<body>\n");
    gate_buf_free_part(out, &style);
}

static void put_header(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    gate_buf_printf(out, "<header>\n<h1><span class=\"verdict %s\">%s</span> ", gate_outcome_name(verdict->outcome),
                    gate_outcome_capitals(verdict->outcome));
    put_whole(out, trend_words_headline, gate_escape_xml, verdict);
    gate_buf_text(out, "</h1>\n<p>");
    put_whole(out, trend_words_source, gate_escape_xml, verdict);
    gate_buf_text(out, "; rules: ");
    gate_escape_xml(out, verdict->rules->source);
    gate_buf_text(out, "</p>\n</header>\n<main>\n");
}

static void put_finding(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                        const struct gate_trend_result *result, const struct gate_trend_finding *finding) {
    const bool is_proven = finding->judged.outcome == GATE_OUTCOME_PROVEN;
    struct gate_buf advice = {0};
    gate_buf_printf(out, "<div class=\"trend\"><h3><span class=\"badge %s\">%s</span> <span class=\"name\">",
                    is_proven ? "pass" : gate_outcome_name(finding->judged.outcome),
                    gate_outcome_of_budget(finding->judged.outcome));
    gate_escape_xml(out, finding->name);
    gate_buf_text(out, "</span></h3>\n<p>");
    put_words(out, gate_trend_words_sentence, gate_escape_xml, verdict, result, finding);
    gate_buf_text(out, "</p>\n<p>Budget: ");
    gate_escape_xml(out, result->budget->name);
    put_limit(out, result, finding);
    if (result->budget->message.len > 0) {
        gate_buf_text(out, "; ");
        gate_escape_xml(out, result->budget->message);
    }
    gate_buf_text(out, "</p>\n");
    gate_trend_words_advice(&advice, verdict, result, finding);
    if (advice.len > 0) {
        gate_buf_text(out, "<p>Next: ");
        gate_escape_xml(out, gate_buf_view(&advice));
        gate_buf_text(out, "</p>\n");
    }
    gate_buf_free_part(out, &advice);
    trend_chart(out, verdict, result, finding);
    gate_buf_text(out, "</div>\n");
}

/* Append the series that are held (`held`) or those that are not, worst first. `*drawn` counts all of them, but only
 * CHARTS_MAX are appended. */
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
    gate_buf_free_part(out, &body);
}

/* Append a self-contained HTML page, with a chart for up to 30 held and 30 other series. */
static void page_write(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    put_head(out, verdict);
    put_header(out, verdict);
    put_section(out, verdict, false);
    put_section(out, verdict, true);
    gate_trend_replaced_html(out, verdict);
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

/* ---- the reports ------------------------------------------------------------------------------------------------- */

const struct gate_trend_report gate_trend_reports[GATE_TREND_REPORTS] = {
    {"html", "trend.html", "one page with every series drawn (- is standard output, for each of these)", GATE_OWN_HTML,
     page_write},
    {"json", "trend.json", "every number, by docs/trend.schema.json", GATE_OWN_JSON, gate_trend_json},
    {"markdown", "trend.md", "a comment or step summary", GATE_OWN_MARKDOWN, gate_trend_markdown},
    {"junit", "trend-junit.xml", "JUnit XML, a test case a budget", GATE_OWN_JUNIT, junit_write},
};
