/* SPDX-License-Identifier: Apache-2.0 */
/* The frame table that needs no script, and the facts of the run (see page.h). */
#include "gate/report/page.h"

#include "gate/base/embedded.h"
#include "gate/report/phrase.h"

#include <math.h>

enum { STATIC_ROWS = 40 };

static void frames_number(const struct gate_page *page, double share) {
    gate_buf_text(page->out, "<td class=\"number\">");
    gate_phrase_share(page->out, share);
    gate_buf_text(page->out, "</td>");
}

static void frames_row(const struct gate_page *page, const struct gate_comparison *comparison, uint32_t frame) {
    struct gate_buf *out = page->out;
    const struct gate_frame_judgement *judged = &comparison->frames[frame];
    gate_buf_text(out, "<tr><th scope=\"row\" class=\"name\"><bdi>");
    gate_escape_xml(out, comparison->pair.frames[frame].name);
    gate_buf_text(out, "</bdi></th>");
    for (size_t measure = 0; measure < GATE_MEASURES; measure++) {
        const struct gate_evidence *evidence = &judged->evidence[measure];
        frames_number(page, evidence->share[GATE_BASELINE]);
        frames_number(page, evidence->share[GATE_CANARY]);
        const char *way = !judged->is_suspect[measure] ? "" : evidence->delta > 0 ? " grew" : " shrank";
        gate_buf_printf(out, "<td class=\"number%s\">", way);
        gate_phrase_points(out, evidence->delta);
        gate_buf_text(out, "</td><td class=\"number\">");
        if (evidence->is_tested)
            gate_phrase_interval(out, gate_evidence_ci95(evidence).bounds);
        gate_buf_text(out, "</td>");
    }
    gate_buf_printf(out, "<td>%s</td></tr>\n",
                    judged->is_suspect[GATE_SELF] || judged->is_suspect[GATE_CUMULATIVE] ? "significant"
                                                                                         : "within noise");
}

static void frames_table(const struct gate_page *page, const struct gate_comparison *comparison) {
    uint32_t limit = gate_report_rows(page->options->frame_limit, STATIC_ROWS);
    uint32_t count = comparison->pair.frame_count < limit ? comparison->pair.frame_count : limit;
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"frames-title\"><table>"
                       "<caption>");
    gate_escape_xml(out, comparison->name);
    gate_buf_printf(out, ": the %u of %u functions whose self share changed most", count, comparison->pair.frame_count);
    gate_buf_text(out, "</caption><thead><tr><th scope=\"col\" rowspan=\"2\">Function</th>"
                       "<th scope=\"colgroup\" colspan=\"4\">Self</th>"
                       "<th scope=\"colgroup\" colspan=\"4\">Cumulative</th>"
                       "<th scope=\"col\" rowspan=\"2\">Verdict</th></tr>\n<tr>");
    for (size_t measure = 0; measure < GATE_MEASURES; measure++)
        gate_buf_text(out, "<th scope=\"col\">baseline</th><th scope=\"col\">canary</th><th scope=\"col\">change</th>"
                           "<th scope=\"col\">95 % interval</th>");
    gate_buf_text(out, "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < count; i++)
        frames_row(page, comparison, comparison->by_self[i]);
    gate_buf_text(out, "</tbody></table></div>\n");
}

void gate_page_frames(const struct gate_page *page) {
    gate_buf_text(page->out, "<section id=\"frames\" aria-labelledby=\"frames-title\">\n"
                             "<h2 id=\"frames-title\">Functions</h2>\n");
    gate_buf_str(page->out, gate_embedded_find("table.html"));
    gate_buf_text(page->out, "<div id=\"frames-static\">\n");
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++)
        frames_table(page, &page->verdict->comparisons[i]);
    gate_buf_text(page->out, "</div>\n</section>\n");
}

static void facts_run(const struct gate_page *page, const char *side, const struct gate_pair *pair,
                      const struct gate_run *run) {
    struct gate_buf *out = page->out;
    gate_buf_printf(out, "<tr><th scope=\"row\">%s</th><td class=\"path\"><bdi>", side);
    gate_escape_xml(out, run->input.path);
    gate_buf_text(out, "</bdi></td><td>");
    gate_escape_xml(out, pair->type.type);
    gate_buf_text(out, "</td><td class=\"number\">");
    gate_phrase_quantity_xml(out, run->total, pair->type.unit);
    gate_buf_text(out, "</td><td class=\"number\">");
    if (run->input.profile != NULL && run->input.profile->duration_ns > 0)
        gate_phrase_quantity_xml(out, run->input.profile->duration_ns, GATE_STR("nanoseconds"));
    gate_buf_text(out, "</td><td class=\"number\">");
    gate_phrase_count(out, (double)run->stacks.record_count);
    gate_buf_text(out, "</td><td class=\"number\">");
    gate_phrase_count(out, run->events);
    gate_buf_text(out, "</td>");
    gate_page_cell(page, "digest", run->input.digest);
    gate_buf_text(out, "</tr>\n");
}

static void facts_inputs(const struct gate_page *page) {
    gate_buf_text(page->out,
                  "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"facts-title\"><table>"
                  "<caption>Inputs</caption><thead><tr><th scope=\"col\">Side</th><th scope=\"col\">File</th>"
                  "<th scope=\"col\">Sample type</th><th scope=\"col\">Total</th><th scope=\"col\">Duration</th>"
                  "<th scope=\"col\">Samples</th><th scope=\"col\">Effective samples</th>"
                  "<th scope=\"col\">Hash</th></tr></thead><tbody>\n");
    for (uint32_t c = 0; c < page->verdict->comparison_count; c++) {
        const struct gate_pair *pair = &page->verdict->comparisons[c].pair;
        for (size_t side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
                facts_run(page, side == GATE_BASELINE ? "baseline" : "canary", pair, &pair->sides[side].runs[r]);
    }
    gate_buf_text(page->out, "</tbody></table></div>\n");
}

static void facts_budgets(const struct gate_page *page) {
    gate_buf_text(page->out,
                  "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"facts-title\"><table>"
                  "<caption>Budgets</caption><thead><tr><th scope=\"col\">Budget</th><th scope=\"col\">Outcome</th>"
                  "<th scope=\"col\">Severity</th><th scope=\"col\">Measure</th><th scope=\"col\">Functions meant</th>"
                  "<th scope=\"col\">Tested</th><th scope=\"col\">Proven within</th>"
                  "<th scope=\"col\">Growth it would have seen</th></tr></thead><tbody>\n");
    for (uint32_t i = 0; i < page->verdict->budget_count; i++) {
        const struct gate_budget_result *result = &page->verdict->budgets[i];
        gate_buf_text(page->out, "<tr><th scope=\"row\">");
        gate_escape_xml(page->out, result->budget->name);
        gate_buf_text(page->out, "</th>");
        gate_page_cell(page, NULL, gate_str_from(gate_outcome_name(result->outcome)));
        gate_page_cell(page, NULL, gate_str_from(gate_severity_name(result->budget->severity)));
        gate_page_cell(page, NULL, gate_str_from(gate_budget_measure_name(result->budget->measure)));
        gate_buf_printf(page->out, "<td class=\"number\">%u</td><td class=\"number\">%u</td><td class=\"number\">%u</td>",
                        result->matched, result->tested, result->proven);
        gate_buf_text(page->out, "<td class=\"number\">");
        if (isnan(result->detectable))
            gate_buf_text(page->out, "nothing tested");
        else
            gate_phrase_points(page->out, result->detectable);
        gate_buf_text(page->out, "</td></tr>\n");
    }
    gate_buf_text(page->out, "</tbody></table></div>\n");
}

static void facts_warnings(const struct gate_page *page) {
    if (page->verdict->warning_count == 0)
        return;
    gate_buf_text(page->out, "<h3>Warnings</h3>\n<ul>\n");
    for (uint32_t i = 0; i < page->verdict->warning_count; i++) {
        gate_buf_text(page->out, "<li>");
        gate_escape_xml(page->out, page->verdict->warnings[i].message);
        gate_buf_text(page->out, " <code>");
        gate_escape_xml(page->out, page->verdict->warnings[i].code);
        gate_buf_text(page->out, "</code></li>\n");
    }
    gate_buf_text(page->out, "</ul>\n");
}

void gate_page_facts(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<section id=\"facts\" aria-labelledby=\"facts-title\">\n"
                       "<h2 id=\"facts-title\">About this run</h2>\n");
    facts_warnings(page);
    facts_inputs(page);
    facts_budgets(page);
    gate_buf_text(out, "<dl>\n<dt>Rules</dt><dd>");
    gate_escape_xml(out, page->verdict->rules->source);
    gate_buf_text(out, "</dd>\n<dt>How sure</dt><dd>family-wise error ");
    gate_buf_number(out, page->verdict->rules->alpha);
    gate_buf_text(out, ", margin ");
    gate_buf_number(out, page->verdict->rules->alpha_margin);
    gate_buf_text(out, "; what it would have seen is at 80 % power");
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++)
        if (page->verdict->comparisons[i].noise != NULL)
            gate_buf_printf(out, "; with a noise model of %u runs",
                            (unsigned)page->verdict->comparisons[i].noise->run_count);
    gate_buf_text(out, "</dd>\n");
    if (page->verdict->command.len > 0) {
        gate_buf_text(out, "<dt>Reproduce</dt><dd><code>");
        gate_escape_xml(out, page->verdict->command);
        gate_buf_text(out, "</code></dd>\n");
    }
    gate_buf_text(out, "<dt>Written by</dt><dd>pprofgate " GATE_VERSION "</dd>\n</dl>\n</section>\n");
}
