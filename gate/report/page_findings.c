/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the HTML report that are part of no cause (see page.h); causes are page_causes.c. */
#include "gate/report/page.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/report/listing.h"

/* More rows would push the graph out of sight. */
enum { OPEN_ROWS = 3 };

void gate_page_cell(const struct gate_page *page, const char *class_name, struct gate_str text) {
    if (class_name == NULL)
        gate_buf_text(page->out, "<td>");
    else
        gate_buf_printf(page->out, "<td class=\"%s\">", class_name);
    gate_escape_xml(page->out, text);
    gate_buf_text(page->out, "</td>");
}

static void findings_share(const struct gate_page *page, double share) {
    gate_buf_text(page->out, "<td class=\"number\">");
    gate_figures_share(page->out, share);
    gate_buf_text(page->out, "</td>");
}

static void findings_row(const struct gate_page *page, const struct gate_budget_result *result,
                         const struct gate_finding *finding) {
    struct gate_buf *out = page->out;
    const struct gate_evidence *evidence = &finding->evidence;
    const char *outcome = gate_outcome_name(finding->outcome);
    gate_buf_printf(out, "<tr class=\"%s\" data-comparison=\"%u\"", outcome, result->comparison);
    if (finding->frame != GATE_NO_INDEX)
        gate_buf_printf(out, " data-frame=\"%u\" data-measure=\"%s\"", finding->frame,
                        gate_measure_name(finding->measure));
    gate_buf_printf(out, "><td><span class=\"badge %s\">%s</span></td>", outcome, outcome);
    gate_buf_text(out, "<td class=\"what\"><strong class=\"name\"><bdi>");
    gate_escape_xml(out, finding->function);
    gate_buf_text(out, "</bdi></strong><p>");
    gate_escape_xml(out, finding->text);
    gate_buf_text(out, "</p>");
    if (finding->advice.len > 0) {
        gate_buf_text(out, "<p class=\"advice\">");
        gate_escape_xml(out, finding->advice);
        gate_buf_text(out, "</p>");
    }
    gate_buf_text(out, "</td>");
    findings_share(page, evidence->share[GATE_BASELINE]);
    findings_share(page, evidence->share[GATE_CANARY]);
    gate_buf_text(out, "<td class=\"number\">");
    gate_figures_points(out, evidence->delta);
    gate_buf_text(out, "</td><td>");
    gate_page_interval(out, &finding->evidence, finding->limit, finding->outcome);
    gate_buf_text(out, "<span class=\"range-text\">");
    if (evidence->is_tested) {
        gate_figures_interval(out, evidence->delta, gate_evidence_ci95(evidence).bounds);
        gate_buf_text(out, " pp");
    } else {
        gate_buf_text(out, "too few samples to test");
    }
    gate_buf_text(out, "</span></td>");
    gate_page_cell(page, "budget", result->budget->name);
    gate_buf_text(out, "</tr>\n");
}

static void findings_head(struct gate_buf *out) {
    gate_buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"findings-title\">"
                       "<table><thead><tr><th scope=\"col\">Outcome</th><th scope=\"col\">What happened</th>"
                       "<th scope=\"col\">Baseline</th><th scope=\"col\">Canary</th>"
                       "<th scope=\"col\">Change</th><th scope=\"col\">95 % interval</th>"
                       "<th scope=\"col\">Budget</th></tr></thead><tbody>\n");
}

/* Rows of all findings with this outcome, those in sight or those in the fold, so that the many do not hide the cause;
 * returns how many. */
static uint32_t findings_rows(const struct gate_page *page, enum gate_outcome outcome, bool shown, bool is_dry) {
    uint32_t count = 0;
    uint32_t budget = 0;
    uint32_t at = 0;
    const struct gate_finding *finding;
    while ((finding = gate_listing_next(page->verdict, outcome, &budget, &at)) != NULL) {
        if (gate_cause_tells(finding) || gate_listing_has(&page->verdict->budgets[budget], at - 1) != shown)
            continue;
        if (!is_dry)
            findings_row(page, &page->verdict->budgets[budget], finding);
        count++;
    }
    return count;
}

static uint32_t findings_of_all(const struct gate_page *page, bool shown, bool is_dry) {
    uint32_t count = 0;
    for (size_t i = 0; i < GATE_LISTING_OUTCOMES; i++)
        count += findings_rows(page, gate_listing_outcomes[i], shown, is_dry);
    return count;
}

static void findings_table(const struct gate_page *page, bool shown) {
    findings_head(page->out);
    (void)findings_of_all(page, shown, false);
    gate_buf_text(page->out, "</tbody></table></div>\n");
}

void gate_page_findings(const struct gate_page *page) {
    gate_buf_text(page->out, "<section id=\"findings\" aria-labelledby=\"findings-title\">\n"
                             "<h2 id=\"findings-title\">Findings</h2>\n");
    uint32_t folded = findings_of_all(page, false, true);
    uint32_t shown = findings_of_all(page, true, true);
    gate_page_causes(page);
    if (shown > 0) {
        gate_buf_printf(page->out, "<details class=\"plain\"%s><summary>%u finding%s of no cause</summary>\n",
                        page->verdict->causes.count == 0 && shown <= OPEN_ROWS ? " open" : "", shown,
                        shown == 1 ? "" : "s");
        findings_table(page, true);
        gate_buf_text(page->out, "</details>\n");
    }
    if (shown == 0 && page->verdict->causes.count == 0)
        gate_buf_text(page->out,
                      folded > 0 ? "<p>No budget is broken.</p>\n" : "<p>Every budget holds; nothing to act on.</p>\n");
    if (folded > 0) {
        gate_buf_printf(page->out, "<details><summary>%u more finding%s</summary>\n", folded, folded == 1 ? "" : "s");
        findings_table(page, false);
        gate_buf_text(page->out, "</details>\n");
    }
    gate_buf_text(page->out, "</section>\n");
}
