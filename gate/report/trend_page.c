/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a trend (see trend_page.h). */
#include "gate/report/trend_page.h"

#include "gate/base/embedded.h"
#include "gate/base/escape.h"
#include "gate/report/csp.h"
#include "gate/report/trend_chart.h"

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
    gate_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
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

/* The series of one outcome; how many are drawn already. */
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
