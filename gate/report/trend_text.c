/* SPDX-License-Identifier: Apache-2.0 */
/* Text, Markdown and JUnit of trends (see trend_text.h). */
#include "gate/report/trend_text.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/wrap.h"

enum { ROWS_MAX = 20, SPARK_MAX = 40 };

typedef void escape_fn(struct gate_buf *out, struct gate_str text);
typedef void words_fn(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                      const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/* What the words say, escaped. */
static void put_words(struct gate_buf *out, words_fn *words, escape_fn *escape,
                      const struct gate_trend_verdict *verdict, const struct gate_trend_result *result,
                      const struct gate_trend_finding *finding) {
    struct gate_buf text = {0};
    words(&text, verdict, result, finding);
    escape(out, gate_buf_view(&text));
    out->failed = out->failed || text.failed;
    gate_buf_free(&text);
}

static void put_whole(struct gate_buf *out, void (*words)(struct gate_buf *, const struct gate_trend_verdict *),
                      escape_fn *escape, const struct gate_trend_verdict *verdict) {
    struct gate_buf text = {0};
    words(&text, verdict);
    escape(out, gate_buf_view(&text));
    out->failed = out->failed || text.failed;
    gate_buf_free(&text);
}

/* The verdict's word; a pass that warns says so in its budgets. */
static void put_verdict(struct gate_buf *out, const struct gate_trend_verdict *verdict, bool colour) {
    const char *paint = verdict->outcome == GATE_OUTCOME_FAIL           ? "\x1b[1;31m"
                        : verdict->outcome == GATE_OUTCOME_INCONCLUSIVE ? "\x1b[1;33m"
                                                                        : "\x1b[1;32m";
    gate_buf_text(out, colour ? paint : "");
    gate_buf_text(out, gate_outcome_capitals(verdict->outcome));
    gate_buf_text(out, colour ? "\x1b[0m" : "");
}

/* "1.2MB → 13MB": the first and the last level. */
static void put_levels(struct gate_buf *out, const struct gate_trend_result *result,
                       const struct gate_trend_finding *finding) {
    gate_trend_words_level(out, finding->series.y[0], result);
    gate_buf_text(out, " \xE2\x86\x92 ");
    gate_trend_words_level(out, finding->series.y[finding->series.count - 1], result);
}

static const char *verb_of(const struct gate_trend_finding *finding) {
    switch (finding->judged.outcome) {
    case GATE_OUTCOME_FAIL:
        return "breaks";
    case GATE_OUTCOME_INCONCLUSIVE:
        return "leaves undecided";
    case GATE_OUTCOME_WARN:
        return "warns:";
    default:
        return "holds";
    }
}

/* " (+1 pp per accept)". */
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
        gate_trend_words_spark(out, &finding->series, SPARK_MAX);
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

/* The series of one outcome, of all budgets. */
static void text_outcome(struct gate_buf *out, const struct gate_trend_verdict *verdict, enum gate_outcome outcome,
                         uint32_t columns) {
    uint32_t shown = 0, more = 0;
    for (uint32_t i = 0; i < verdict->result_count; i++)
        for (uint32_t f = 0; f < verdict->results[i].finding_count; f++) {
            const struct gate_trend_finding *finding = &verdict->results[i].findings[f];
            if (finding->judged.outcome != outcome)
                continue;
            if (shown == ROWS_MAX)
                more++;
            else {
                gate_buf_char(out, '\n');
                text_finding(out, verdict, &verdict->results[i], finding, columns);
                shown++;
            }
        }
    if (more > 0)
        gate_buf_printf(out, "\n  and %u more\n", (unsigned)more);
}

/* "holds "no function creeps" (+1 pp per accept): 12 series, the nearest main.f +0.1 pp per accept". */
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

void gate_trend_text(struct gate_buf *out, const struct gate_trend_verdict *verdict, uint32_t columns, bool quiet,
                     bool colour) {
    size_t from = out->len;
    put_verdict(out, verdict, colour);
    gate_buf_text(out, "  ");
    put_whole(out, gate_trend_words_headline, gate_escape_terminal, verdict);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, from, 6, columns);
    text_outcome(out, verdict, GATE_OUTCOME_FAIL, columns);
    if (quiet)
        return;
    text_outcome(out, verdict, GATE_OUTCOME_INCONCLUSIVE, columns);
    text_outcome(out, verdict, GATE_OUTCOME_WARN, columns);
    text_held(out, verdict, columns);
    from = out->len;
    gate_buf_text(out, "\nlooked at ");
    put_whole(out, gate_trend_words_source, gate_escape_terminal, verdict);
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
        gate_trend_words_spark(out, &finding->series, SPARK_MAX);
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

void gate_trend_text_markdown(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
    static const enum gate_outcome order[] = {GATE_OUTCOME_FAIL, GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_WARN};
    uint32_t rows = 0, more = 0;
    gate_buf_printf(out, "## Trend: %s\n\n", gate_outcome_capitals(verdict->outcome));
    put_whole(out, gate_trend_words_headline, gate_escape_markdown, verdict);
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
    put_whole(out, gate_trend_words_source, gate_escape_markdown, verdict);
    gate_buf_text(out, ".\n");
    for (uint32_t i = 0; i < verdict->note_count; i++) {
        gate_buf_text(out, "\nNote: ");
        gate_escape_markdown(out, verdict->notes[i]);
        gate_buf_char(out, '\n');
    }
}

/* ---- JUnit ------------------------------------------------------------------------------------------------------- */

/* An open question that the rules let pass is skipped; one that they do not is no green. */
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

void gate_trend_text_junit(struct gate_buf *out, const struct gate_trend_verdict *verdict) {
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
    put_whole(out, gate_trend_words_headline, gate_escape_xml, verdict);
    gate_buf_text(out, "\n</system-out>\n  </testsuite>\n</testsuites>\n");
}
