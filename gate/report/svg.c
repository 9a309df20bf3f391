/* SPDX-License-Identifier: Apache-2.0 */
/* The SVG report: the diff flame graph of every comparison alone in a file. What draws it, here and in the page, is
 * flame_svg.c. */
#include "gate/report/report.h"

#include "gate/base/embedded.h"
#include "gate/report/flame_svg.h"
#include "gate/report/headline.h"
#include "gate/report/layout.h"

enum { MAX_LEVELS = 200 };

/* A comparison's graph, laid out. */
struct picture {
    struct gate_layout layout;
    struct gate_flame_svg graph;
    struct gate_buf title;
};

static bool picture_make(struct picture *out, const struct gate_verdict *verdict,
                         const struct gate_report_options *options, uint32_t index, struct gate_arena *arena,
                         struct gate_error *err) {
    const struct gate_comparison *comparison = &verdict->comparisons[index];
    const struct gate_tree *tree;
    struct gate_layout_options layout = {.min_width = 0.4 / GATE_FLAME_SVG_WIDTH, .max_levels = MAX_LEVELS};
    struct gate_headline headline;
    if (!gate_trees_get(&tree, options->trees, verdict, index, GATE_BY_CALLER, options->min_share, arena, err) ||
        !gate_layout_make(&out->layout, tree, &layout, arena, err) ||
        !gate_headline_make(&headline, verdict, arena, err))
        return false;
    gate_buf_printf(&out->title, "%s: ", headline.word);
    gate_buf_str(&out->title, headline.text);
    gate_buf_text(&out->title, " \xE2\x80\x94 ");
    gate_buf_str(&out->title, comparison->name);
    out->graph = (struct gate_flame_svg){.layout = &out->layout,
                                         .comparison = comparison,
                                         .title = gate_buf_view(&out->title),
                                         .min_share = options->min_share,
                                         .min_width = layout.min_width,
                                         .number = index};
    return gate_buf_check(&out->title, err);
}

/* One beneath the other, in one file with one style. */
static void pictures_draw(struct gate_buf *out, const struct picture *pictures, uint32_t count,
                          struct gate_arena *arena) {
    int height = 0;
    for (uint32_t i = 0; i < count; i++)
        height += gate_flame_svg_height(&pictures[i].graph);
    gate_buf_printf(out,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"100%%\">\n<style>\n",
                    GATE_FLAME_SVG_WIDTH, height);
    gate_buf_str(out, gate_embedded_find("graph.css"));
    gate_buf_text(out, "</style>\n");
    int y = 0;
    for (uint32_t i = 0; i < count; i++) {
        gate_flame_svg_draw(out, &pictures[i].graph, y, arena);
        y += gate_flame_svg_height(&pictures[i].graph);
    }
    gate_buf_text(out, "</svg>\n");
}

bool gate_report_svg(struct gate_buf *out, const struct gate_verdict *verdict,
                     const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    uint32_t count = verdict->comparison_count;
    struct picture *pictures = gate_arena_calloc(arena, (size_t)count + 1, sizeof *pictures);
    if (pictures == NULL)
        return gate_arena_error(arena, err);
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++)
        ok = picture_make(&pictures[i], verdict, options, i, arena, err);
    if (ok)
        pictures_draw(out, pictures, count, arena);
    for (uint32_t i = 0; i < count; i++)
        gate_buf_free(&pictures[i].title);
    return ok && gate_buf_check(out, err);
}
