/* SPDX-License-Identifier: Apache-2.0 */
/* What changed most, for a page without budgets (see page.h). */
#include "gate/report/page.h"

#include "gate/base/escape.h"
#include "gate/base/figures.h"

struct gate_page_movers gate_page_movers_pick(const struct gate_comparison *comparison) {
    static const enum gate_measure measures[] = {GATE_CHARGED, GATE_SELF};
    struct gate_page_movers movers = {0};
    for (size_t m = 0; m < sizeof measures / sizeof *measures && movers.count == 0; m++) {
        movers.measure = measures[m];
        for (uint32_t i = 0; i < comparison->pair.frame_count && movers.count < GATE_PAGE_MOVERS; i++) {
            uint32_t frame = comparison->order[movers.measure][i];
            if (comparison->frames[frame].is_suspect[movers.measure])
                movers.frames[movers.count++] = frame;
        }
    }
    return movers;
}

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
    gate_buf_text(out, " (95 % CI ");
    gate_figures_interval(out, evidence->delta, gate_evidence_ci95(evidence).bounds);
    gate_buf_text(out, ")</summary>\n<div class=\"what\">\n");
    gate_page_interval(out, evidence, NULL, GATE_OUTCOME_PASS);
    gate_page_source(page, &comparison->pair.frames[frame]);
    gate_buf_text(out, "</div></details>\n");
}

void gate_page_movers(const struct gate_page *page) {
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
