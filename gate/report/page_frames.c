/* SPDX-License-Identifier: Apache-2.0 */
/* The table of functions that needs no script (see page.h); assets/report_table.js draws the live one. */
#include "gate/report/page.h"

#include "gate/base/embedded.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/report/frame_state.h"
#include "gate/report/layout.h"
#include "gate/report/listing.h"

enum { STATIC_ROWS = 40 };

static void frames_number(const struct gate_page *page, double share) {
    gate_buf_text(page->out, "<td class=\"number\">");
    gate_figures_share(page->out, share);
    gate_buf_text(page->out, "</td>");
}

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
        frames_number(page, evidence->share[GATE_BASELINE]);
        frames_number(page, evidence->share[GATE_CANARY]);
        enum gate_frame_state state = gate_frame_state_told(words, comparison, frame, measure);
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
                           "<th scope=\"col\">95 % interval</th>");
    gate_buf_text(out, "</tr></thead><tbody>\n");
    for (uint32_t i = 0; i < count; i++)
        frames_row(page, comparison, words, frames[i]);
    gate_buf_text(out, "</tbody></table></div>\n");
}

bool gate_page_frames(const struct gate_page *page, struct gate_error *err) {
    gate_buf_text(page->out, "<section id=\"frames\" aria-labelledby=\"frames-title\">\n"
                             "<h2 id=\"frames-title\">Functions</h2>\n");
    if (page->verdict->causes.count == 0)
        gate_buf_printf(page->out, "<p class=\"hint\">%s</p>\n", gate_sentence_charged());
    gate_buf_str(page->out, gate_embedded_find("table.html"));
    gate_buf_text(page->out, "<div id=\"frames-static\">\n");
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++) {
        const struct gate_comparison *comparison = &page->verdict->comparisons[i];
        uint32_t *frames = GATE_NEW_ARRAY(page->arena, uint32_t, (size_t)comparison->pair.frame_count + 1);
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
