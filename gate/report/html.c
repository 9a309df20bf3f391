/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: one file, no network, and nothing of it needs script to be read; with script the graph and the table
 * come alive. csp.c makes the content security policy. */
#include "gate/report/page.h"

#include "gate/base/embedded.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/json_writer.h"
#include "gate/report/csp.h"
#include "gate/report/flame_svg.h"
#include "gate/report/headline.h"
#include "gate/report/layout.h"
#include "gate/report/totals.h"

/* The picture in the page is coarser than the SVG file: it is what shows where script does not run. */
static const double static_min_width = 0.004;
enum { STATIC_LEVELS = 120 };

static void html_head(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    gate_csp_print_known(out, gate_embedded_find("page-style.sha256"), gate_embedded_find("page-script.sha256"));
    gate_buf_text(out, "\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    if (!page->options->without_verdict)
        gate_buf_printf(out, "%s: ", page->headline.word);
    gate_escape_xml(out, page->headline.text);
    gate_buf_text(out, " - pprofgate</title>\n<style>");
    gate_buf_str(out, gate_embedded_find("page-style"));
    gate_buf_text(out, "</style>\n</head>\n<body>\n");
}

static void html_total(struct gate_buf *out, const struct gate_comparison *comparison) {
    struct gate_buf text = {0};
    gate_totals_print(&text, comparison);
    gate_buf_text(out, "<span class=\"total\">");
    gate_escape_xml(out, gate_buf_view(&text));
    gate_buf_text(out, "</span>");
    out->failed = out->failed || text.failed;
    gate_buf_free(&text);
}

static void html_header(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<header>\n<h1>");
    if (!page->options->without_verdict)
        gate_buf_printf(out, "<span class=\"verdict %s\">%s</span> ", gate_outcome_name(page->headline.tone),
                        page->headline.word);
    gate_escape_xml(out, page->headline.text);
    gate_buf_text(out, "</h1>\n");
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++) {
        const struct gate_comparison *comparison = &page->verdict->comparisons[i];
        if (comparison->part != NULL) /* page_by.c */
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
        html_total(out, comparison);
        gate_buf_text(out, "</p>\n");
    }
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
                                   .min_share = page->options->min_share,
                                   .min_width = static_min_width,
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

static bool html_payload(const struct gate_page *page, const struct gate_page_graph *graphs, struct gate_error *err) {
    struct gate_json json = {.out = page->out};
    gate_buf_text(page->out, "<script type=\"application/json\" id=\"report-data\">");
    gate_json_open(&json, '{');
    gate_page_constants(&json, page);
    gate_json_key(&json, "comparisons");
    gate_json_open(&json, '[');
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++)
        if (!gate_page_payload(&json, page, i, &graphs[i], err))
            return false;
    gate_json_close(&json, ']');
    gate_json_close(&json, '}');
    gate_buf_text(page->out, "</script>\n");
    return true;
}

static bool html_document(const struct gate_page *page, struct gate_error *err) {
    struct gate_page_graph *graphs =
        GATE_NEW_ARRAY(page->arena, struct gate_page_graph, (size_t)page->verdict->comparison_count + 1);
    if (graphs == NULL)
        return gate_arena_error(page->arena, err);
    html_head(page);
    html_header(page);
    if (page->options->without_verdict)
        gate_page_movers(page);
    else
        gate_page_findings(page);
    if (!gate_page_by(page, err) || !html_graph(page, graphs, err))
        return false;
    if (!gate_page_frames(page, err))
        return false;
    gate_page_facts(page);
    gate_buf_text(page->out, "</main>\n");
    if (!html_payload(page, graphs, err))
        return false;
    gate_buf_text(page->out, "<script>");
    gate_buf_str(page->out, gate_embedded_find("page-script"));
    gate_buf_text(page->out, "</script>\n</body>\n</html>\n");
    return gate_buf_check(page->out, err);
}

bool gate_report_html(struct gate_buf *out, const struct gate_verdict *verdict,
                      const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_page page = {.out = out, .verdict = verdict, .options = options, .arena = arena};
    page.headline.text = GATE_STR("What changed between baseline and canary");
    if (!options->without_verdict && !gate_headline_make(&page.headline, verdict, arena, err))
        return false;
    return html_document(&page, err);
}
