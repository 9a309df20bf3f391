/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of the run at the end of the page (see page.h). */
#include "gate/report/page.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/profile/unit.h"
#include "gate/report/looks_line.h"

#include <math.h>

static void facts_run(const struct gate_page *page, const char *side, const struct gate_pair *pair,
                      const struct gate_run *run) {
    struct gate_buf *out = page->out;
    gate_buf_printf(out, "<tr><th scope=\"row\">%s</th><td class=\"path\"><bdi>", side);
    gate_escape_xml(out, gate_run_input_title(&run->input));
    gate_buf_text(out, "</bdi></td><td>");
    gate_escape_xml(out, pair->type.type);
    gate_buf_text(out, "</td><td class=\"number\">");
    gate_unit_print(out, run->total, pair->type.unit);
    gate_buf_text(out, "</td><td class=\"number\">");
    if (run->input.profile != NULL && run->input.profile->duration_ns > 0)
        gate_unit_print(out, run->input.profile->duration_ns, GATE_STR("nanoseconds"));
    gate_buf_text(out, "</td><td class=\"number\">");
    gate_figures_count(out, (double)run->stacks.record_count);
    gate_buf_text(out, "</td><td class=\"number\">");
    gate_figures_count(out, run->events);
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
        for (size_t side = 0; page->verdict->comparisons[c].part == NULL && side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
                facts_run(page, gate_side_word((enum gate_side_name)side), pair, &pair->sides[side].runs[r]);
    }
    gate_buf_text(page->out, "</tbody></table></div>\n");
}

static void facts_budgets(const struct gate_page *page) {
    gate_buf_text(
        page->out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"facts-title\"><table>"
        "<caption>Budgets</caption><thead><tr><th scope=\"col\">Budget</th><th scope=\"col\">Outcome</th>"
        "<th scope=\"col\">Severity</th><th scope=\"col\">Measure</th><th scope=\"col\">Functions selected</th>"
        "<th scope=\"col\">Tested</th><th scope=\"col\">Proven within</th>"
        "<th scope=\"col\">Detectable growth</th></tr></thead><tbody>\n");
    for (uint32_t i = 0; i < page->verdict->budget_count; i++) {
        const struct gate_budget_result *result = &page->verdict->budgets[i];
        gate_buf_text(page->out, "<tr><th scope=\"row\">");
        gate_escape_xml(page->out, result->budget->name);
        gate_buf_text(page->out, "</th>");
        gate_page_cell(page, NULL, gate_str_from(gate_outcome_name(result->outcome)));
        gate_page_cell(page, NULL, gate_str_from(gate_severity_name(result->budget->severity)));
        gate_page_cell(page, NULL, gate_str_from(gate_budget_measure_name(result->budget->measure)));
        gate_buf_printf(page->out,
                        "<td class=\"number\">%u</td><td class=\"number\">%u</td><td class=\"number\">%u</td>",
                        result->matched, result->tested, result->proven);
        gate_buf_text(page->out, "<td class=\"number\">");
        if (isnan(result->detectable))
            gate_buf_text(page->out, "nothing tested");
        else
            gate_figures_growth(page->out, result->detectable,
                                gate_budget_measure_row(result->budget->measure)->is_cost);
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

static void facts_rules(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<dt>Rules</dt><dd>");
    gate_escape_xml(out, page->verdict->rules->source);
    gate_buf_text(out, "</dd>\n<dt>How sure</dt><dd>family-wise error rate ");
    gate_figures_given(out, page->verdict->rules->alpha);
    gate_buf_text(out, ", level of the margin ");
    gate_figures_given(out, page->verdict->rules->alpha_margin);
    gate_buf_text(out, "; detectable growth is at 80 % power");
    gate_buf_text(out, page->verdict->looks.count > 0 ? "; " : "");
    gate_looks_line(out, &page->verdict->looks);
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++)
        if (page->verdict->comparisons[i].noise != NULL)
            gate_buf_printf(out, "; with a noise model of %u runs",
                            (unsigned)page->verdict->comparisons[i].noise->run_count);
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++) {
        struct gate_str key = page->verdict->comparisons[i].pair.mix_key;
        if (key.len == 0)
            continue;
        gate_buf_text(out, "; every run weighed as the baseline's traffic, by <code>");
        gate_escape_xml(out, key);
        gate_buf_text(out, "</code>");
    }
    gate_buf_text(out, "</dd>\n");
}

void gate_page_facts(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<section id=\"facts\" aria-labelledby=\"facts-title\">\n"
                       "<h2 id=\"facts-title\">About this run</h2>\n");
    facts_warnings(page);
    facts_inputs(page);
    if (!page->options->without_verdict)
        facts_budgets(page);
    gate_buf_text(out, "<dl>\n");
    if (!page->options->without_verdict)
        facts_rules(page);
    if (page->verdict->command.len > 0) {
        gate_buf_text(out, "<dt>Reproduce</dt><dd><code>");
        gate_escape_xml(out, page->verdict->command);
        gate_buf_text(out, "</code></dd>\n");
    }
    gate_buf_text(out, "<dt>Written by</dt><dd>pprofgate " GATE_VERSION "</dd>\n</dl>\n</section>\n");
}
