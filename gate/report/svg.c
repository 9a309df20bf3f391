/* SPDX-License-Identifier: Apache-2.0 */
/* The SVG report: the diff flame graph alone in a file. What draws it, here and in the page, is flame_svg.c. */
#include "gate/report/report.h"

#include "gate/base/embedded.h"
#include "gate/report/flame_svg.h"
#include "gate/report/headline.h"
#include "gate/report/layout.h"

enum { MAX_LEVELS = 200 };

bool gate_report_svg(struct gate_buf *out, const struct gate_verdict *verdict,
                     const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_comparison *comparison = &verdict->comparisons[0];
    const struct gate_tree *tree;
    struct gate_layout layout;
    struct gate_layout_options layout_options = {.min_width = 0.4 / GATE_FLAME_SVG_WIDTH, .max_levels = MAX_LEVELS};
    if (!gate_trees_get(&tree, options->trees, verdict, 0, GATE_BY_CALLER, options->min_share, arena, err) ||
        !gate_layout_make(&layout, tree, &layout_options, arena, err))
        return false;
    struct gate_headline headline;
    uint32_t *failing = GATE_NEW_ARRAY(arena, uint32_t, (size_t)verdict->causes.count + 1);
    if (failing == NULL)
        return gate_arena_error(arena, err);
    if (!gate_headline_make(&headline, verdict, arena, err))
        return false;
    struct gate_buf title = {0};
    gate_buf_printf(&title, "%s: ", headline.word);
    gate_buf_str(&title, headline.text);
    gate_buf_text(&title, " \xE2\x80\x94 ");
    gate_buf_str(&title, comparison->name);
    struct gate_flame_svg graph = {.layout = &layout,
                                   .pair = &comparison->pair,
                                   .title = gate_buf_view(&title),
                                   .min_share = options->min_share,
                                   .min_width = layout_options.min_width,
                                   .failing = failing,
                                   .failing_count = gate_trees_failing(failing, tree, verdict, 0),
                                   .style = gate_embedded_find("graph.css")};
    gate_buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    gate_flame_svg_draw(out, &graph, arena);
    gate_buf_free(&title);
    return gate_buf_check(out, err);
}
