/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: head, Content-Security-Policy, causes, findings, functions, --by, facts and flame graph. */
#include "gate/report/html.h"

#include "gate/base/buf.h"
#include "gate/base/embedded.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/hash.h"
#include "gate/base/own_mark.h"
#include "gate/budget/cause.h"
#include "gate/budget/exemplars.h"
#include "gate/budget/verdict.h"
#include "gate/compare/comparison.h"
#include "gate/compare/evidence.h"
#include "gate/model/unit.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/checkout.h"
#include "gate/report/flame_graph.h"
#include "gate/report/headline.h"
#include "gate/report/listing.h"
#include "gate/report/page_data.h"
#include "gate/report/report.h"
#include "gate/report/trees.h"

#include <math.h>

static void share_cell(const struct gate_page *page, double share) {
    gate_buf_text(page->out, "<td class=\"number\">");
    gate_figures_share(page->out, share);
    gate_buf_text(page->out, "</td>");
}

/* Append a "<td>" with escaped text; `class_name` may be NULL. */
static void page_cell(const struct gate_page *page, const char *class_name, struct gate_str text) {
    if (class_name == NULL)
        gate_buf_text(page->out, "<td>");
    else
        gate_buf_printf(page->out, "<td class=\"%s\">", class_name);
    gate_escape_xml(page->out, text);
    gate_buf_text(page->out, "</td>");
}

/* ---- Content-Security-Policy ------------------------------------------------------------------------------------- */

static void csp_source(struct gate_buf *out, const char *directive, struct gate_str digest) {
    GATE_ASSERT(digest.len == GATE_SHA256_BYTES);
    gate_buf_printf(out, "; %s 'sha256-", directive);
    gate_base64(out, (const uint8_t *)digest.ptr, digest.len);
    gate_buf_char(out, '\'');
}

/**
 * Append the policy for a style and a script whose SHA-256, 32 bytes each, are known: those that the program contains.
 */
static void csp_print_known(struct gate_buf *out, struct gate_str style, struct gate_str script) {
    gate_buf_text(out, "default-src 'none'");
    csp_source(out, "style-src", style);
    csp_source(out, "script-src", script);
    gate_buf_text(out, "; base-uri 'none'; form-action 'none'");
}

void gate_csp_print(struct gate_buf *out, struct gate_str style) {
    uint8_t digests[2][GATE_SHA256_BYTES];
    gate_sha256(digests[0], style);
    gate_sha256(digests[1], GATE_STR(""));
    csp_print_known(out, (struct gate_str){(const char *)digests[0], sizeof digests[0]},
                    (struct gate_str){(const char *)digests[1], sizeof digests[1]});
}

/* ---- facts about the run, at the end of the page ----------------------------------------------------------------- */

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
    page_cell(page, "digest", run->input.digest);
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
        page_cell(page, NULL, gate_str_from(gate_outcome_name(result->outcome)));
        page_cell(page, NULL, gate_str_from(gate_severity_name(result->budget->severity)));
        page_cell(page, NULL, gate_str_from(gate_budget_measure_name(result->budget->measure)));
        gate_buf_printf(page->out,
                        "<td class=\"number\">%u</td><td class=\"number\">%u</td><td class=\"number\">%u</td>",
                        result->matched, result->tested, result->proven);
        gate_buf_text(page->out, "<td class=\"number\">");
        if (isnan(result->detectable))
            gate_buf_text(page->out, "nothing tested");
        else
            gate_listing_put_detectable(page->out, result);
        gate_buf_text(page->out, "</td></tr>\n");
    }
    gate_buf_text(page->out, "</tbody></table></div>\n");
    struct gate_buf without_fact = {0};
    gate_listing_put_without_fact(&without_fact, page->verdict);
    if (without_fact.len > 0) {
        gate_buf_text(page->out, "<p>");
        gate_escape_xml(page->out, gate_buf_view(&without_fact));
        gate_buf_text(page->out, "</p>\n");
    }
    gate_buf_free_part(page->out, &without_fact);
}

/* Append a list of the warnings that come before the causes (`leading`), or of all others, beneath `title`. */
static void page_warnings(const struct gate_page *page, bool leading, const char *title) {
    bool any = false;
    for (uint32_t i = 0; i < page->verdict->warning_count; i++) {
        const struct gate_warning *warning = &page->verdict->warnings[i];
        if (gate_listing_leads(page->verdict, warning) != leading)
            continue;
        gate_buf_printf(page->out, "%s<li>", any ? "" : title);
        gate_escape_xml(page->out, warning->message);
        gate_buf_printf(page->out, " <code>%s</code></li>\n", gate_guard_name(warning->guard));
        any = true;
    }
    gate_buf_text(page->out, any ? "</ul>\n" : "");
}

static void facts_replaced(const struct gate_page *page) {
    struct gate_buf table = {0};
    if (page->verdict->replaced.count == 0)
        return;
    gate_replaced_table(&table, page->verdict, page->arena);
    gate_replaced_html(page->out, 3, gate_buf_view(&table));
    gate_buf_free_part(page->out, &table);
}

static void facts_rules(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<dt>Rules</dt><dd>");
    gate_escape_xml(out, page->verdict->rules->source);
    gate_buf_text(out, "</dd>\n<dt>Statistics</dt><dd>family-wise error rate ");
    gate_figures_given(out, page->verdict->rules->alpha);
    gate_buf_text(out, " (the chance that any function of an unchanged program is reported as grown); level of the "
                       "margin ");
    gate_figures_given(out, page->verdict->rules->alpha_margin);
    gate_buf_text(out,
                  " (the chance that a function exactly at its limit is reported as over it); detectable growth at "
                  "80% power (four of five such runs would find it)");
    gate_buf_text(out, page->verdict->looks.count > 0 ? "; " : "");
    gate_looks_line(out, &page->verdict->looks);
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++) {
        const struct gate_comparison *comparison = &page->verdict->comparisons[i];
        struct gate_str key = comparison->pair.mix_key;
        if (comparison->noise != NULL)
            gate_buf_printf(out, "; with a noise model of %u runs", (unsigned)comparison->noise->run_count);
        if (key.len == 0)
            continue;
        gate_buf_text(out, "; every run weighed as the baseline's traffic, by <code>");
        gate_escape_xml(out, key);
        gate_buf_text(out, "</code>");
    }
    gate_buf_text(out, "</dd>\n");
}

/** Append warnings, inputs, budgets with their detectable growth, rules, and the command to reproduce the run. */
static void page_facts(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<section id=\"facts\" aria-labelledby=\"facts-title\">\n"
                       "<h2 id=\"facts-title\">About this run</h2>\n");
    page_warnings(page, false, "<h3>Warnings</h3>\n<ul>\n");
    facts_replaced(page);
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

/* ---- drawing of an interval -------------------------------------------------------------------------------------- */

enum { BAR_WIDTH = 220, BAR_HEIGHT = 38 };

static void page_causes(const struct gate_page *page);

/**
 * Return the change, as a fraction of the total, at which `evidence` reaches `limit`; NAN if there is no such change.
 */
static double page_limit_line(const struct gate_evidence *evidence, const struct gate_limit *limit) {
    if (limit == NULL)
        return NAN;
    double value = limit->value;
    double baseline = evidence->share[GATE_BASELINE];
    if (limit->kind == GATE_LIMIT_ABSOLUTE) /* its unit is not a share */
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

/* Changes at the ends of the bar. */
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

/**
 * Append a small drawing of the interval of a change, with zero and the limit; nothing if it was not tested. `limit`
 * may be NULL. An undecided outcome is not drawn in the colours of growth.
 */
static void page_interval(struct gate_buf *out, const struct gate_evidence *evidence, const struct gate_limit *limit,
                          enum gate_outcome outcome) {
    if (!evidence->is_tested)
        return;
    double line = page_limit_line(evidence, limit);
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

/* ---- source of a function, as a link if its address is known ----------------------------------------------------- */

/* assets/report_tip.js does the same for the interactive page. */

/**
 * Append file and line of a function as a paragraph; nothing if the file is not known. It is a link if the options have
 * an address and the function is own code.
 */
static void page_source(const struct gate_page *page, const struct gate_frame *frame) {
    struct gate_buf address = {0}, path = {0};
    bool has_link = page->options->source_url != NULL && frame->is_own &&
                    gate_checkout_put(&path, page->options->checkout, frame->file);
    if (frame->file.len == 0) {
        gate_buf_free_part(page->out, &path);
        return;
    }
    gate_buf_text(page->out, "<p class=\"source\">");
    if (has_link) {
        gate_checkout_address(&address, page->options->source_url, gate_buf_view(&path), frame->start_line);
        gate_buf_text(page->out, "<a rel=\"noopener noreferrer\" target=\"_blank\" href=\"");
        gate_escape_xml(page->out, gate_buf_view(&address));
        gate_buf_text(page->out, "\">");
    }
    gate_buf_text(page->out, "<bdi>");
    gate_escape_xml(page->out, frame->file);
    if (frame->start_line > 0)
        gate_buf_printf(page->out, ":%lld", (long long)frame->start_line);
    gate_buf_printf(page->out, "</bdi>%s</p>\n", has_link ? "</a>" : "");
    gate_buf_free_part(page->out, &address);
    gate_buf_free_part(page->out, &path);
}

/* ---- functions that changed most, for a page without budgets ----------------------------------------------------- */

static void movers_one(const struct gate_page *page, uint32_t index, uint32_t frame, enum gate_measure measure) {
    const struct gate_comparison *comparison = &page->verdict->comparisons[index];
    const struct gate_evidence *evidence = comparison->frames[frame].evidence[measure];
    struct gate_buf *out = page->out;
    gate_buf_printf(out,
                    "<details class=\"cause mover\" data-comparison=\"%u\" data-frame=\"%u\" "
                    "data-measure=\"%s\"><summary><strong class=\"name\"><bdi>",
                    index, frame, gate_measure_name(measure));
    gate_escape_xml(out, comparison->pair.frames[frame].name);
    gate_buf_text(out, "</bdi></strong> ");
    gate_figures_points(out, evidence->delta);
    gate_buf_text(out, " of ");
    gate_escape_xml(out, comparison->name);
    gate_buf_printf(out, ", %s ", gate_measure_name(measure));
    gate_figures_shares(out, evidence->share);
    gate_buf_text(out, " (95% CI ");
    gate_figures_interval(out, evidence->delta, gate_evidence_ci95(evidence).bounds);
    gate_buf_text(out, ")</summary>\n<div class=\"what\">\n");
    page_interval(out, evidence, NULL, GATE_OUTCOME_PASS);
    page_source(page, &comparison->pair.frames[frame]);
    gate_buf_text(out, "</div></details>\n");
}

/* Append the functions that changed most, in place of findings, for a page without budgets. */
static void page_movers_table(const struct gate_page *page) {
    gate_buf_text(page->out, "<section id=\"findings\" aria-labelledby=\"findings-title\">\n"
                             "<h2 id=\"findings-title\">What changed most</h2>\n");
    uint32_t shown = 0;
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++) {
        struct gate_page_movers movers = gate_page_movers_pick(&page->verdict->comparisons[i]);
        for (uint32_t f = 0; f < movers.count; f++)
            movers_one(page, i, movers.frames[f], movers.measure);
        shown += movers.count;
    }
    if (shown == 0)
        gate_buf_text(page->out, "<p>No function's cost changed beyond noise.</p>\n");
    gate_buf_text(page->out, "</section>\n");
}

/* ---- table of functions, for readers without script -------------------------------------------------------------- */

/* assets/report_table.js draws the interactive one. */

enum { STATIC_ROWS = 40 };

static void frames_row(const struct gate_page *page, const struct gate_comparison *comparison,
                       const struct gate_frame_words *words, uint32_t frame) {
    enum gate_frame_state most = GATE_FRAME_NOT_TESTED;
    struct gate_buf *out = page->out;
    const struct gate_frame_judgement *judged = &comparison->frames[frame];
    gate_buf_text(out, "<tr><th scope=\"row\" class=\"name\"><bdi>");
    gate_escape_xml(out, comparison->pair.frames[frame].name);
    gate_buf_text(out, "</bdi></th>");
    for (size_t i = 0; i < GATE_MEASURES; i++) {
        enum gate_measure measure = gate_listing_measures[i];
        const struct gate_evidence *evidence = judged->evidence[measure];
        share_cell(page, evidence->share[GATE_BASELINE]);
        share_cell(page, evidence->share[GATE_CANARY]);
        enum gate_frame_state state = gate_frame_state_shown(words, comparison, frame, measure);
        most = state > most ? state : most;
        gate_buf_text(out, "<td class=\"number");
        if (state == GATE_FRAME_SIGNIFICANT || state == GATE_FRAME_BROKEN)
            gate_buf_printf(out, " %s",
                            gate_layout_change_name(evidence->delta > 0 ? GATE_LAYOUT_GREW : GATE_LAYOUT_SHRANK));
        gate_buf_text(out, "\">");
        gate_figures_points(out, evidence->delta);
        gate_buf_text(out, "</td><td class=\"number\">");
        if (evidence->is_tested)
            gate_figures_interval(out, evidence->delta, gate_evidence_ci95(evidence).bounds);
        gate_buf_text(out, "</td>");
    }
    gate_buf_printf(out, "<td>%s</td></tr>\n", gate_frame_state_name(most));
}

static void frames_table(const struct gate_page *page, const struct gate_comparison *comparison,
                         const struct gate_frame_words *words, const uint32_t *frames) {
    uint32_t limit = page->options->frame_limit == 0 || page->options->frame_limit > STATIC_ROWS
                         ? STATIC_ROWS
                         : page->options->frame_limit;
    uint32_t count = comparison->pair.frame_count < limit ? comparison->pair.frame_count : limit;
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"frames-title\"><table>"
                       "<caption>");
    gate_escape_xml(out, comparison->name);
    gate_buf_printf(out, ": the %u of %u functions that changed most", count, comparison->pair.frame_count);
    gate_buf_text(out, "</caption><thead><tr><th scope=\"col\" rowspan=\"2\">Function</th>");
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        gate_buf_printf(out, "<th scope=\"colgroup\" colspan=\"4\">%s</th>",
                        gate_measure_name(gate_listing_measures[measure]));
    gate_buf_text(out, "<th scope=\"col\" rowspan=\"2\">Verdict</th></tr>\n<tr>");
    for (size_t measure = 0; measure < GATE_MEASURES; measure++)
        gate_buf_text(out, "<th scope=\"col\">baseline</th><th scope=\"col\">canary</th><th scope=\"col\">change</th>"
                           "<th scope=\"col\">95% interval</th>");
    gate_buf_text(out, "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < count; i++)
        frames_row(page, comparison, words, frames[i]);
    gate_buf_text(out, "</tbody></table></div>\n");
}

/* Append the frames of each comparison by change: the table for readers without script. */
static bool page_frames(const struct gate_page *page, struct gate_error *err) {
    gate_buf_text(page->out, "<section id=\"frames\" aria-labelledby=\"frames-title\">\n"
                             "<h2 id=\"frames-title\">Functions</h2>\n");
    if (page->verdict->causes.count == 0)
        gate_buf_printf(page->out, "<p class=\"hint\">%s</p>\n", gate_sentence_charged());
    gate_buf_str(page->out, gate_embedded_find("table.html"));
    gate_buf_text(page->out, "<div id=\"frames-static\">\n");
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++) {
        const struct gate_comparison *comparison = &page->verdict->comparisons[i];
        uint32_t *frames = GATE_NEW_ARRAY(page->arena, uint32_t, comparison->pair.frame_count);
        struct gate_frame_words words;
        if (frames == NULL)
            return gate_arena_error(page->arena, err);
        if (!gate_frame_state_words(&words, page->verdict, i, page->arena, err))
            return false;
        gate_listing_frames(frames, comparison);
        frames_table(page, comparison, &words, frames);
    }
    gate_buf_text(page->out, "</div>\n</section>\n");
    return true;
}

/* ---- values of a label (--by) ------------------------------------------------------------------------------------ */

static void by_row(const struct gate_page *page, const struct gate_by_row *row) {
    struct gate_buf *out = page->out;
    bool is_compared = row->comparison != GATE_NO_INDEX;
    gate_buf_text(out, "<tr");
    if (is_compared)
        gate_buf_printf(out, " data-comparison=\"%u\"", row->comparison);
    gate_buf_text(out, "><th scope=\"row\" class=\"name\"><bdi>");
    gate_escape_xml(out, row->value->of.match.value);
    gate_buf_printf(out, "</bdi></th><td><span class=\"badge %s\">%s</span></td>",
                    is_compared ? gate_outcome_name(row->outcome) : "warn", gate_by_rows_word(row));
    share_cell(page, row->value->of.share[GATE_BASELINE]);
    share_cell(page, row->value->of.share[GATE_CANARY]);
    gate_buf_text(out, "<td>");
    struct gate_buf text = {0};
    gate_by_rows_text(&text, row, page->verdict);
    gate_escape_xml(out, gate_buf_view(&text));
    gate_buf_free_part(out, &text);
    gate_buf_text(out, "</td></tr>\n");
}

static bool by_one(const struct gate_page *page, const struct gate_by *by, struct gate_error *err) {
    struct gate_buf *out = page->out, rest = {0};
    struct gate_by_row *rows = GATE_NEW_ARRAY(page->arena, struct gate_by_row, by->count);
    if (rows == NULL)
        return gate_arena_error(page->arena, err);
    gate_by_rows_make(rows, by, page->verdict);
    gate_buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"by-title\"><table>"
                       "<caption><code>");
    gate_escape_xml(out, by->key);
    gate_buf_text(out, "</code> ");
    gate_escape_xml(out, by->pair);
    gate_buf_text(out, "</caption><thead><tr><th scope=\"col\">Value</th><th scope=\"col\">Budgets</th>"
                       "<th scope=\"col\">Baseline</th><th scope=\"col\">Canary</th><th scope=\"col\">What</th>"
                       "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < by->count; i++)
        by_row(page, &rows[i]);
    gate_buf_text(out, "</tbody></table></div>\n<p class=\"hint\">");
    gate_by_rows_rest(&rest, by);
    gate_escape_xml(out, gate_buf_view(&rest));
    gate_buf_free_part(out, &rest);
    gate_buf_text(out, "</p>\n");
    return true;
}

/* Append the tables of --by, one per input; nothing if --by was not given. */
static bool page_by(const struct gate_page *page, struct gate_error *err) {
    if (page->verdict->by.count == 0)
        return true;
    gate_buf_text(page->out, "<section id=\"by\" aria-labelledby=\"by-title\">\n"
                             "<h2 id=\"by-title\">By label, the worst first</h2>\n");
    for (uint32_t i = 0; i < page->verdict->by.count; i++)
        if (!by_one(page, &page->verdict->by.items[i], err))
            return false;
    gate_buf_text(page->out, "</section>\n");
    return true;
}

/* ---- findings that belong to no cause ---------------------------------------------------------------------------- */

/* With more rows, the graph would be off the screen. */
enum { OPEN_ROWS = 3 };

/* Append what to do next, if there is any advice. */
static void page_advice(const struct gate_page *page, struct gate_str advice) {
    if (advice.len == 0)
        return;
    gate_buf_text(page->out, "<p class=\"advice\"><strong>Next:</strong> ");
    gate_escape_xml(page->out, advice);
    gate_buf_text(page->out, "</p>\n");
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
    page_advice(page, finding->advice);
    gate_buf_text(out, "</td>");
    share_cell(page, evidence->share[GATE_BASELINE]);
    share_cell(page, evidence->share[GATE_CANARY]);
    gate_buf_text(out, "<td class=\"number\">");
    gate_figures_points(out, evidence->delta);
    gate_buf_text(out, "</td><td>");
    page_interval(out, &finding->evidence, finding->limit, finding->outcome);
    gate_buf_text(out, "<span class=\"range-text\">");
    if (evidence->is_tested) {
        gate_figures_interval(out, evidence->delta, gate_evidence_ci95(evidence).bounds);
        gate_buf_text(out, " pp");
    } else {
        gate_buf_text(out, "too few samples to test");
    }
    gate_buf_text(out, "</span></td>");
    page_cell(page, "budget", result->budget->name);
    gate_buf_text(out, "</tr>\n");
}

static void findings_head(struct gate_buf *out) {
    gate_buf_text(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"findings-title\">"
                       "<table><thead><tr><th scope=\"col\">Outcome</th><th scope=\"col\">What happened</th>"
                       "<th scope=\"col\">Baseline</th><th scope=\"col\">Canary</th>"
                       "<th scope=\"col\">Change</th><th scope=\"col\">95% interval</th>"
                       "<th scope=\"col\">Budget</th></tr></thead><tbody>\n");
}

/* Append the rows of all findings with this outcome that are listed (`shown`), or of those that are folded away. If
 * `is_dry`, only count. Returns the number of rows. */
static uint32_t findings_rows(const struct gate_page *page, enum gate_outcome outcome, bool shown, bool is_dry) {
    uint32_t count = 0;
    uint32_t budget = 0;
    uint32_t at = 0;
    const struct gate_finding *finding;
    while ((finding = gate_listing_next(page->verdict, outcome, &budget, &at)) != NULL) {
        if (gate_cause_includes(finding) || gate_listing_has(&page->verdict->budgets[budget], at - 1) != shown)
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

/* Append the causes, then findings that belong to no cause; a sentence if there are none. */
static void page_findings(const struct gate_page *page) {
    gate_buf_text(page->out, "<section id=\"findings\" aria-labelledby=\"findings-title\">\n"
                             "<h2 id=\"findings-title\">Findings</h2>\n");
    uint32_t folded = findings_of_all(page, false, true);
    uint32_t shown = findings_of_all(page, true, true);
    page_warnings(page, true, "<p>The sides are not alike:</p>\n<ul>\n");
    page_causes(page);
    if (shown > 0) {
        gate_buf_printf(page->out, "<details class=\"plain\"%s><summary>%u finding%s without a cause</summary>\n",
                        page->verdict->causes.count == 0 && shown <= OPEN_ROWS ? " open" : "", shown,
                        shown == 1 ? "" : "s");
        findings_table(page, true);
        gate_buf_text(page->out, "</details>\n");
    }
    if (shown == 0 && page->verdict->causes.count == 0 && page->verdict->outcome == GATE_OUTCOME_INCONCLUSIVE)
        gate_buf_text(page->out, "<p>No budget is broken, but a warning below forbids a pass.</p>\n");
    else if (shown == 0 && page->verdict->causes.count == 0)
        gate_buf_text(page->out, folded > 0 ? "<p>No budget is broken.</p>\n"
                                            : "<p>No budget is broken; nothing to act on.</p>\n");
    if (folded > 0) {
        gate_buf_printf(page->out, "<details><summary>%u more finding%s</summary>\n", folded, folded == 1 ? "" : "s");
        findings_table(page, false);
        gate_buf_text(page->out, "</details>\n");
    }
    gate_buf_text(page->out, "</section>\n");
}

/* ---- causes: one line each, which unfolds into path, numbers, budgets and findings ------------------------------- */

/* With more causes, the top of the graph below would be off the screen. */
enum { CAUSES_IN_SIGHT = 5 };

/* Append `text`, escaped, as a paragraph; nothing if it is empty. `text` is emptied. */
static void causes_paragraph(const struct gate_page *page, const char *class_name, struct gate_buf *text) {
    if (text->len > 0) {
        gate_buf_printf(page->out, "<p class=\"%s\">", class_name);
        gate_escape_xml(page->out, gate_buf_view(text));
        gate_buf_text(page->out, "</p>\n");
    }
    page->out->failed = page->out->failed || text->failed;
    text->len = 0;
}

/* Return the limit of a budget for the frame and measure that are drawn, or NULL. */
static const struct gate_limit *causes_limit(const struct gate_cause *cause) {
    for (uint32_t i = 0; i < cause->finding_count; i++) {
        const struct gate_cause_finding *member = &cause->findings[i];
        if (gate_cause_has_here(cause, member) && member->finding->frame == cause->frame &&
            member->result->budget->measure == cause->measure)
            return member->finding->limit;
    }
    return NULL;
}

/* Append the whole path, with the cause's own frame in bold, so that a reader can follow it in the graph. */
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

/* Append the traces and spans in which the cause was seen. */
static void causes_exemplars(const struct gate_page *page, const struct gate_cause *cause) {
    struct gate_buf text = {0}, seen = {0};
    gate_exemplars_sentence(&seen, cause);
    gate_buf_text(&text, seen.len > 0 ? "seen in: " : "");
    gate_buf_str(&text, gate_buf_view(&seen));
    gate_buf_free_part(&text, &seen);
    causes_paragraph(page, "exemplars", &text);
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
        gate_buf_free_part(&text, &budgets);
        causes_paragraph(page, "budgets", &text);
    }
    gate_buf_free(&text);
}

static void causes_finding(const struct gate_page *page, const struct gate_cause_finding *member) {
    const struct gate_finding *finding = member->finding;
    const char *outcome = gate_outcome_name(finding->outcome);
    gate_buf_text(page->out, "<tr");
    if (finding->frame != GATE_NO_INDEX)
        gate_buf_printf(page->out, " data-comparison=\"%u\" data-frame=\"%u\" data-measure=\"%s\"",
                        member->result->comparison, finding->frame, gate_measure_name(finding->measure));
    gate_buf_printf(page->out, "><td><span class=\"badge %s\">%s</span></td>", outcome, outcome);
    page_cell(page, "budget", member->result->budget->name);
    gate_buf_text(page->out, "<td class=\"name\"><bdi>");
    gate_escape_xml(page->out, finding->function);
    gate_buf_text(page->out, "</bdi></td>");
    page_cell(page, NULL, gate_str_from(gate_budget_measure_name(member->result->budget->measure)));
    share_cell(page, finding->evidence.share[GATE_BASELINE]);
    share_cell(page, finding->evidence.share[GATE_CANARY]);
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
                    "<th scope=\"col\">Canary</th><th scope=\"col\">Change</th><th scope=\"col\">95%% interval</th>"
                    "</tr></thead><tbody>\n",
                    cause->finding_count, cause->finding_count == 1 ? "" : "s", index + 1);
    for (uint32_t i = 0; i < cause->finding_count; i++)
        causes_finding(page, &cause->findings[i]);
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
    gate_buf_free_part(page->out, &text);
    gate_buf_text(page->out, "</summary>\n");
}

static void causes_one(const struct gate_page *page, uint32_t index) {
    const struct gate_cause *cause = &page->verdict->causes.items[index];
    struct gate_buf text = {0};
    gate_buf_printf(page->out, "<details class=\"cause %s\" data-cause=\"%u\" data-comparison=\"%u\"%s>",
                    gate_outcome_name(cause->outcome), index, cause->comparison,
                    index == 0 && !gate_cause_is_share_only(cause) ? " open" : "");
    causes_summary(page, cause);
    gate_buf_text(page->out, "<div class=\"what\">\n");
    gate_cause_sentence_cost(&text, page->verdict, cause);
    causes_paragraph(page, "cost", &text);
    gate_cause_sentence_clock(&text, page->verdict, cause);
    causes_paragraph(page, "clock", &text);
    page_interval(page->out, &cause->evidence, causes_limit(cause), cause->outcome);
    causes_path(page, cause);
    causes_exemplars(page, cause);
    if (cause->frame != GATE_NO_INDEX)
        page_source(page, &page->verdict->comparisons[cause->comparison].pair.frames[cause->frame]);
    gate_buf_str(&text, gate_cause_sentence_not_own(cause));
    causes_paragraph(page, "hint", &text);
    causes_budgets(page, cause);
    gate_buf_str(&text, gate_cause_sentence_why(cause));
    causes_paragraph(page, "why", &text);
    gate_cause_sentence_excuses(&text, cause);
    causes_paragraph(page, "why", &text);
    gate_cause_sentence_advice(&text, cause);
    page_advice(page, gate_buf_view(&text));
    gate_buf_free_part(page->out, &text);
    gate_buf_text(page->out, "</div>\n");
    causes_findings(page, cause, index);
    gate_buf_text(page->out, "</details>\n");
}

/** Append the causes, each as a line that unfolds. Those after the first 5 are folded away, and so are larger shares
 * that are only due to others that shrank. */
static void page_causes(const struct gate_page *page) {
    uint32_t count = page->verdict->causes.count, costs = count - gate_share_only_count(page->verdict);
    uint32_t in_sight = costs < CAUSES_IN_SIGHT ? costs : CAUSES_IN_SIGHT;
    for (uint32_t i = 0; i < count; i++) {
        const char *more = costs > in_sight ? "more cause" : "larger share";
        if (i == in_sight)
            gate_buf_printf(page->out, "<details class=\"rest\"><summary>%u %s%s%s</summary>\n", count - i, more,
                            count - i == 1 ? "" : "s", costs > in_sight ? "" : " because others shrank");
        causes_one(page, i);
    }
    if (count > in_sight)
        gate_buf_text(page->out, "</details>\n");
    if (count > 0)
        gate_buf_printf(page->out, "<p class=\"hint\">%s</p>\n", gate_sentence_charged());
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* One file that loads nothing and is readable without script; the script makes graph and table interactive. */

/* The picture in the page has fewer boxes than the SVG file and is shown if the script does not run. */
static const double static_min_width = 0.004;

enum { STATIC_LEVELS = 120 };

static void html_head(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" GATE_OWN_MARK_HTML
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    csp_print_known(out, gate_embedded_find("page-style.sha256"), gate_embedded_find("page-script.sha256"));
    gate_buf_text(out, "\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    if (!page->options->without_verdict)
        gate_buf_printf(out, "%s: ", page->headline.word);
    gate_headline_flow(out, &page->headline, gate_escape_xml);
    gate_buf_text(out, " - pprofgate</title>\n<style>");
    gate_buf_str(out, gate_embedded_find("page-style"));
    gate_buf_text(out, "</style>\n</head>\n<body>\n");
}

static void html_total(struct gate_buf *out, const struct gate_comparison *comparison, struct gate_str work_unit) {
    struct gate_buf text = {0};
    gate_totals_print(&text, comparison, work_unit);
    gate_buf_text(out, "<span class=\"total\">");
    gate_escape_xml(out, gate_buf_view(&text));
    gate_buf_text(out, "</span>");
    gate_buf_free_part(out, &text);
}

#define DOCS_URL "https://github.com/pprofgate/pprofgate/blob/main/docs/"

/* Append "How to read this page", folded. */
static void html_how_to_read(const struct gate_page *page) {
    if (page->options->without_verdict)
        return;
    gate_buf_text(page->out,
                  "<details id=\"how\"><summary>How to read this page</summary>\n"
                  "<ol>\n"
                  "<li>The headline is the verdict, and the function that grew most.</li>\n"
                  "<li>A finding shows the share of a function on each side, the change in percentage points (pp) with "
                  "its 95% confidence interval, the budgets that it breaks, and what to do.</li>\n"
                  "<li><em>Charged</em> is a function's own cost plus the library and runtime cost that it causes; "
                  "<em>self</em> is its own code only; <em>cumulative</em> includes everything that it calls.</li>\n"
                  "<li>In the graph each box is a function below its caller, and its width is its share: red grew, "
                  "blue shrank, grey did not change significantly; a thick edge breaks a budget.</li>\n"
                  "<li>In the table &#x25B2; and &#x25BC; mark significant changes; click a heading to sort, a name to "
                  "find its boxes.</li>\n"
                  "<li>Costs are compared if the work done on each side is known (<code>--work</code>, "
                  "<code>--equal</code>), else only shares: see the line of totals.</li>\n"
                  "</ol>\n"
                  "<p>More: <a href=\"" DOCS_URL "reading.md\">how to read a report</a>, <a href=\"" DOCS_URL
                  "concepts.md\">concepts</a>, <a href=\"" DOCS_URL "statistics.md\">statistics</a>.</p></details>\n");
}

static void html_cheaper(const struct gate_page *page) {
    struct gate_buf text = {0};
    void (*const parts[])(struct gate_buf *, const struct gate_verdict *) = {gate_cheaper_print, gate_share_only_print,
                                                                             gate_tolerated_print};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !page->options->without_verdict; i++) {
        text.len = 0;
        parts[i](&text, page->verdict);
        gate_buf_text(page->out, text.len > 0 ? "<p>" : "");
        gate_escape_xml(page->out, gate_buf_view(&text));
        gate_buf_text(page->out, text.len > 0 ? ".</p>\n" : "");
    }
    gate_buf_free_part(page->out, &text);
}

static void html_header(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<header>\n<h1>");
    if (!page->options->without_verdict)
        gate_buf_printf(out, "<span class=\"verdict %s\">%s</span> ", gate_outcome_name(page->headline.tone),
                        page->headline.word);
    gate_headline_flow(out, &page->headline, gate_escape_xml);
    gate_buf_text(out, "</h1>\n");
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++) {
        const struct gate_comparison *comparison = &page->verdict->comparisons[i];
        if (comparison->part != NULL) /* comparisons of --by have a table of their own */
            continue;
        gate_buf_text(out, "<p>");
        gate_escape_xml(out, comparison->name);
        gate_buf_printf(out, ": %u baseline and %u canary run%s, ", comparison->pair.sides[GATE_BASELINE].run_count,
                        comparison->pair.sides[GATE_CANARY].run_count,
                        comparison->pair.sides[GATE_CANARY].run_count == 1 ? "" : "s");
        gate_figures_count(out, comparison->pair.sides[GATE_BASELINE].events);
        gate_buf_text(out, " and ");
        gate_figures_count(out, comparison->pair.sides[GATE_CANARY].events);
        gate_buf_text(out, " effective samples; ");
        html_total(out, comparison, page->verdict->rules->work_unit);
        gate_buf_text(out, "</p>\n");
    }
    html_cheaper(page);
    html_how_to_read(page);
    gate_buf_text(out, "</header>\n<main>\n");
}

static bool html_trees(struct gate_page_graph *graph, const struct gate_page *page, uint32_t comparison,
                       struct gate_error *err) {
    for (int view = 0; view < GATE_VIEWS; view++)
        if (!gate_trees_get(&graph->trees[view], page->options->trees, page->verdict, comparison,
                            (enum gate_trees_view)view, page->options->min_share, page->arena, err))
            return false;
    return true;
}

static bool html_picture(const struct gate_page *page, uint32_t index, const struct gate_page_graph *trees,
                         struct gate_error *err) {
    const struct gate_comparison *comparison = &page->verdict->comparisons[index];
    struct gate_layout layout;
    struct gate_layout_options options = {.min_width = static_min_width, .max_levels = STATIC_LEVELS};
    if (!gate_layout_make(&layout, trees->trees[GATE_BY_CALLER], &options, page->arena, err))
        return false;
    struct gate_flame_svg graph = {.layout = &layout,
                                   .comparison = comparison,
                                   .title = comparison->name,
                                   .work_unit = page->verdict->rules->work_unit,
                                   .min_share = page->options->min_share,
                                   .number = index};
    gate_buf_text(page->out, "<div class=\"scroll picture\" tabindex=\"0\" role=\"region\" "
                             "aria-labelledby=\"graph-title\">\n");
    gate_flame_svg_draw(page->out, &graph, -1, page->arena);
    gate_buf_text(page->out, "</div>\n");
    return true;
}

static bool html_graph(const struct gate_page *page, struct gate_page_graph *graphs, struct gate_error *err) {
    gate_buf_text(page->out, "<section id=\"graph\" aria-labelledby=\"graph-title\">\n"
                             "<h2 id=\"graph-title\">Where the cost went</h2>\n");
    gate_buf_str(page->out, gate_embedded_find("controls.html"));
    gate_buf_text(page->out, "<div id=\"graph-static\">\n");
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++)
        if (!html_trees(&graphs[i], page, i, err) || !html_picture(page, i, &graphs[i], err))
            return false;
    gate_buf_text(page->out, "</div>\n</section>\n");
    return true;
}

static bool html_document(const struct gate_page *page, struct gate_error *err) {
    struct gate_page_graph *graphs =
        GATE_NEW_ARRAY(page->arena, struct gate_page_graph, page->verdict->comparison_count);
    if (graphs == NULL)
        return gate_arena_error(page->arena, err);
    html_head(page);
    html_header(page);
    if (page->options->without_verdict)
        page_movers_table(page);
    else
        page_findings(page);
    if (!page_by(page, err) || !html_graph(page, graphs, err))
        return false;
    if (!page_frames(page, err))
        return false;
    page_facts(page);
    gate_buf_text(page->out, "</main>\n");
    if (!gate_page_data(page, graphs, err))
        return false;
    gate_buf_text(page->out, "<script>");
    gate_buf_str(page->out, gate_embedded_find("page-script"));
    gate_buf_text(page->out, "</script>\n</body>\n</html>\n");
    return gate_buf_check(page->out, err);
}

static bool report_html(struct gate_buf *out, const struct gate_verdict *verdict,
                        const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_page page = {.out = out, .verdict = verdict, .options = options, .arena = arena};
    page.headline.text = GATE_STR("What changed between baseline and canary");
    if (!options->without_verdict && !gate_headline_make(&page.headline, verdict, arena, err))
        return false;
    return html_document(&page, err);
}

const struct gate_report_format gate_report_html = {
    .name = "html",
    .mark = GATE_OWN_HTML,
    .file = "report.html",
    .help = "HTML page: findings, table, diff flame graph",
    .write = report_html,
    .draws = GATE_REPORT_DRAWS_MORE,
    .is_large = true,
};
