/* SPDX-License-Identifier: Apache-2.0 */
/* Causes of the HTML report: a line each that unfolds into path, numbers, budgets and findings (see page.h). */
#include "gate/report/page.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/budget/cause_sentence.h"
#include "gate/budget/exemplars.h"
#include "gate/report/listing.h"

/* The graph's top stays in sight beneath them. */
enum { CAUSES_IN_SIGHT = 5 };

/* `text`, escaped, as a paragraph; nothing where it is empty. `text` is emptied. */
static void causes_paragraph(const struct gate_page *page, const char *class_name, struct gate_buf *text) {
    if (text->len > 0) {
        gate_buf_printf(page->out, "<p class=\"%s\">", class_name);
        gate_escape_xml(page->out, gate_buf_view(text));
        gate_buf_text(page->out, "</p>\n");
    }
    page->out->failed = page->out->failed || text->failed;
    text->len = 0;
}

/* Where the change reaches a limit, of the budgets that look at the very number that is drawn. */
static const struct gate_limit *causes_limit(const struct gate_cause *cause) {
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        const struct gate_cause_finding *member = &cause->findings[i];
        if (member->finding->frame == cause->frame && member->result->budget->measure == cause->measure)
            return member->finding->limit;
    }
    return NULL;
}

/* The whole path, the cause's own frame in bold: a person follows it in the graph. */
static void causes_path(const struct gate_page *page, const struct gate_cause *cause) {
    const struct gate_frame *frames = page->verdict->comparisons[cause->comparison].pair.frames;
    if (cause->path_count < 2)
        return;
    gate_buf_text(page->out, "<ol class=\"way\" aria-label=\"Path from the entry point\">");
    for (uint32_t i = 0; i < cause->path_count; i++) {
        bool is_cause = cause->path[i] == cause->frame;
        gate_buf_printf(page->out, "<li%s><bdi>", is_cause ? " class=\"here\"" : "");
        gate_escape_xml(page->out, frames[cause->path[i]].name);
        gate_buf_text(page->out, "</bdi></li>");
    }
    gate_buf_text(page->out, "</ol>\n");
}

/* Where somebody can look one up. */
static void causes_exemplars(const struct gate_page *page, const struct gate_cause *cause) {
    struct gate_buf text = {0}, seen = {0};
    gate_exemplars_sentence(&seen, cause);
    gate_buf_text(&text, seen.len > 0 ? "seen in: " : "");
    gate_buf_str(&text, gate_buf_view(&seen));
    text.failed = text.failed || seen.failed;
    causes_paragraph(page, "exemplars", &text);
    gate_buf_free(&seen);
    gate_buf_free(&text);
}

static void causes_budgets(const struct gate_page *page, const struct gate_cause *cause) {
    struct gate_buf text = {0};
    for (size_t o = 0; o < GATE_LISTING_OUTCOMES; o++) {
        struct gate_buf budgets = {0};
        gate_cause_sentence_budgets(&budgets, cause, gate_listing_outcomes[o]);
        if (budgets.len > 0)
            gate_buf_printf(&text, "%s ", gate_cause_sentence_verb(gate_listing_outcomes[o]));
        gate_buf_str(&text, gate_buf_view(&budgets));
        text.failed = text.failed || budgets.failed;
        gate_buf_free(&budgets);
        causes_paragraph(page, "budgets", &text);
    }
    gate_buf_free(&text);
}

static void causes_share(const struct gate_page *page, double share) {
    gate_buf_text(page->out, "<td class=\"number\">");
    gate_figures_share(page->out, share);
    gate_buf_text(page->out, "</td>");
}

static void causes_finding(const struct gate_page *page, const struct gate_cause *cause,
                           const struct gate_cause_finding *member) {
    const struct gate_finding *finding = member->finding;
    const char *outcome = gate_outcome_name(finding->outcome);
    gate_buf_text(page->out, "<tr");
    if (finding->frame != GATE_NO_INDEX)
        gate_buf_printf(page->out, " data-comparison=\"%u\" data-frame=\"%u\" data-measure=\"%s\"", cause->comparison,
                        finding->frame, gate_measure_name(finding->measure));
    gate_buf_printf(page->out, "><td><span class=\"badge %s\">%s</span></td>", outcome, outcome);
    gate_page_cell(page, "budget", member->result->budget->name);
    gate_buf_text(page->out, "<td class=\"name\"><bdi>");
    gate_escape_xml(page->out, finding->function);
    gate_buf_text(page->out, "</bdi></td>");
    gate_page_cell(page, NULL, gate_str_from(gate_budget_measure_name(member->result->budget->measure)));
    causes_share(page, finding->evidence.share[GATE_BASELINE]);
    causes_share(page, finding->evidence.share[GATE_CANARY]);
    gate_buf_text(page->out, "<td class=\"number\">");
    gate_figures_points(page->out, finding->evidence.delta);
    gate_buf_text(page->out, "</td><td class=\"number\">");
    if (finding->evidence.is_tested)
        gate_figures_interval(page->out, finding->evidence.delta, gate_evidence_ci95(&finding->evidence).bounds);
    gate_buf_text(page->out, "</td></tr>\n");
}

static void causes_findings(const struct gate_page *page, const struct gate_cause *cause, uint32_t index) {
    gate_buf_printf(page->out,
                    "<details><summary>%u finding%s</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                    "aria-label=\"Findings of cause %u\"><table>"
                    "<thead><tr><th scope=\"col\">Outcome</th><th scope=\"col\">Budget</th>"
                    "<th scope=\"col\">Function</th><th scope=\"col\">Measure</th><th scope=\"col\">Baseline</th>"
                    "<th scope=\"col\">Canary</th><th scope=\"col\">Change</th><th scope=\"col\">95 %% interval</th>"
                    "</tr></thead><tbody>\n",
                    cause->finding_count, cause->finding_count == 1 ? "" : "s", index + 1);
    for (uint32_t i = 0; i < cause->finding_count; i++)
        causes_finding(page, cause, &cause->findings[i]);
    gate_buf_text(page->out, "</tbody></table></div>\n</details>\n");
}

static void causes_summary(const struct gate_page *page, const struct gate_cause *cause) {
    const char *outcome = gate_outcome_name(cause->outcome);
    struct gate_buf text = {0};
    gate_buf_printf(page->out, "<summary><span class=\"badge %s\">%s</span> <strong class=\"name\"><bdi>", outcome,
                    outcome);
    gate_escape_xml(page->out, cause->function);
    gate_buf_text(page->out, "</bdi></strong> ");
    gate_cause_sentence_change(&text, page->verdict, cause);
    gate_escape_xml(page->out, gate_buf_view(&text));
    page->out->failed = page->out->failed || text.failed;
    gate_buf_free(&text);
    gate_buf_text(page->out, "</summary>\n");
}

static void causes_one(const struct gate_page *page, uint32_t index) {
    const struct gate_cause *cause = &page->verdict->causes.items[index];
    struct gate_buf text = {0};
    gate_buf_printf(page->out, "<details class=\"cause %s\" data-cause=\"%u\" data-comparison=\"%u\">",
                    gate_outcome_name(cause->outcome), index, cause->comparison);
    causes_summary(page, cause);
    gate_buf_text(page->out, "<div class=\"what\">\n");
    gate_cause_sentence_cost(&text, page->verdict, cause);
    causes_paragraph(page, "cost", &text);
    gate_cause_sentence_clock(&text, page->verdict, cause);
    causes_paragraph(page, "clock", &text);
    gate_page_interval(page->out, &cause->evidence, causes_limit(cause), cause->outcome);
    causes_path(page, cause);
    causes_exemplars(page, cause);
    if (cause->frame != GATE_NO_INDEX)
        gate_page_source(page, &page->verdict->comparisons[cause->comparison].pair.frames[cause->frame]);
    gate_buf_str(&text, gate_cause_sentence_not_own(cause));
    causes_paragraph(page, "hint", &text);
    causes_budgets(page, cause);
    gate_buf_str(&text, gate_cause_sentence_why(cause));
    causes_paragraph(page, "why", &text);
    gate_cause_sentence_advice(&text, cause);
    causes_paragraph(page, "advice", &text);
    gate_buf_free(&text);
    gate_buf_text(page->out, "</div>\n");
    causes_findings(page, cause, index);
    gate_buf_text(page->out, "</details>\n");
}

void gate_page_causes(const struct gate_page *page) {
    uint32_t count = page->verdict->causes.count;
    for (uint32_t i = 0; i < count; i++) {
        if (i == CAUSES_IN_SIGHT)
            gate_buf_printf(page->out, "<details class=\"rest\"><summary>%u more cause%s</summary>\n", count - i,
                            count - i == 1 ? "" : "s");
        causes_one(page, i);
    }
    if (count > CAUSES_IN_SIGHT)
        gate_buf_text(page->out, "</details>\n");
    if (count > 0)
        gate_buf_printf(page->out, "<p class=\"hint\">%s</p>\n", gate_sentence_charged());
}
