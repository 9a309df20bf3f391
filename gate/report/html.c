/* SPDX-License-Identifier: Apache-2.0 */
/* The HTML report: one file, no network, and nothing of it needs script to be read. The content security policy names
 * the style by its hash, so that no name in the data can bring its own. */
#include "gate/report/page.h"

#include "gate/base/embedded.h"
#include "gate/base/sha256.h"
#include "gate/compare/evidence.h"
#include "gate/report/phrase.h"
#include "gate/report/svg.h"

/* The picture in the page is coarser than the SVG file: it is what shows where script does not run. */
static const double static_min_width = 0.004;
enum { STATIC_LEVELS = 120 };

static void html_hash(struct gate_buf *out, struct gate_str text) {
    uint8_t digest[GATE_SHA256_BYTES];
    gate_sha256(digest, text);
    gate_buf_text(out, "'sha256-");
    gate_base64(out, digest, sizeof digest);
    gate_buf_char(out, '\'');
}

static void html_head(const struct gate_page *page, struct gate_str style) {
    struct gate_buf *out = page->out;
    gate_buf_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ");
    html_hash(out, style);
    gate_buf_text(out, "; base-uri 'none'; form-action 'none'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    gate_buf_text(out, gate_phrase_verdict(page->verdict->outcome));
    gate_buf_text(out, ": ");
    gate_phrase_summary(out, page->verdict);
    gate_buf_text(out, " - pprofgate</title>\n<style>");
    gate_buf_str(out, style);
    gate_buf_text(out, "</style>\n</head>\n<body>\n");
}

static void html_header(const struct gate_page *page) {
    struct gate_buf *out = page->out;
    gate_buf_printf(out, "<header>\n<h1><span class=\"verdict %s\">%s</span> ",
                    gate_outcome_name(page->verdict->outcome), gate_phrase_verdict(page->verdict->outcome));
    gate_phrase_summary(out, page->verdict);
    gate_buf_text(out, "</h1>\n");
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++) {
        const struct gate_comparison *comparison = &page->verdict->comparisons[i];
        gate_buf_text(out, "<p>");
        gate_escape_xml(out, comparison->name);
        gate_buf_printf(out, ": %u baseline and %u canary run%s, ",
                        comparison->pair.sides[GATE_BASELINE].run_count, comparison->pair.sides[GATE_CANARY].run_count,
                        comparison->pair.sides[GATE_CANARY].run_count == 1 ? "" : "s");
        gate_phrase_count(out, comparison->pair.sides[GATE_BASELINE].events);
        gate_buf_text(out, " and ");
        gate_phrase_count(out, comparison->pair.sides[GATE_CANARY].events);
        gate_buf_text(out, " effective samples</p>\n");
    }
    gate_buf_text(out, "</header>\n<main>\n");
}

static bool html_graph(const struct gate_page *page, const struct gate_comparison *comparison,
                       struct gate_error *err) {
    struct gate_tree tree;
    struct gate_tree_options tree_options = {.min_share = page->options->min_share};
    struct gate_layout layout;
    struct gate_layout_options layout_options = {.min_width = static_min_width, .max_levels = STATIC_LEVELS};
    if (!gate_tree_merge(&tree, &comparison->pair, &comparison->deltas, &tree_options, page->arena, err) ||
        !gate_tree_judge(&tree, &comparison->pair, &comparison->deltas, comparison->noise, page->arena, err) ||
        !gate_layout_make(&layout, &tree, &layout_options, page->arena, err))
        return false;
    struct gate_svg_graph graph = {.layout = &layout,
                                   .pair = &comparison->pair,
                                   .title = comparison->name,
                                   .min_share = page->options->min_share,
                                   .min_width = static_min_width};
    gate_buf_text(page->out, "<div class=\"scroll picture\" tabindex=\"0\" role=\"region\" "
                             "aria-labelledby=\"graph-title\">\n");
    gate_svg_draw(page->out, &graph, page->arena);
    gate_buf_text(page->out, "</div>\n");
    return true;
}

bool gate_report_html(struct gate_buf *out, const struct gate_verdict *verdict,
                      const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_page page = {.out = out, .verdict = verdict, .options = options, .arena = arena};
    struct gate_buf style = {0};
    gate_buf_str(&style, gate_embedded_find("graph.css"));
    gate_buf_str(&style, gate_embedded_find("page.css"));
    html_head(&page, gate_buf_view(&style));
    gate_buf_free(&style);
    html_header(&page);
    gate_page_findings(&page);
    gate_buf_text(out, "<section id=\"graph\" aria-labelledby=\"graph-title\">\n"
                       "<h2 id=\"graph-title\">Where the time went</h2>\n");
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        if (!html_graph(&page, &verdict->comparisons[i], err))
            return false;
    gate_buf_text(out, "</section>\n");
    gate_page_frames(&page);
    gate_page_facts(&page);
    gate_buf_text(out, "</main>\n</body>\n</html>\n");
    return gate_buf_check(out, err);
}
