/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/diff_text.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/model/unit.h"
#include "gate/report/cause_sentence.h"
#include "gate/report/listing.h"
#include "gate/report/shorten.h"

enum {
    NAME_COLUMNS = 33, /* width of the name in a file */
    NAME_LEAST = 16,
    NUMBER_COLUMNS = 57, /* width of all measures, after the name */
    LAST_COLUMNS = 13    /* width of the last measure, which a narrow terminal leaves out */
};

/* Width of the name, and number of measures that fit. */
struct diff_width {
    size_t name;
    int measures;
};

static struct diff_width diff_width(size_t columns) {
    if (columns == 0)
        return (struct diff_width){NAME_COLUMNS, GATE_MEASURES};
    if (columns >= NAME_LEAST + NUMBER_COLUMNS)
        return (struct diff_width){columns - NUMBER_COLUMNS, GATE_MEASURES};
    size_t numbers = NUMBER_COLUMNS - LAST_COLUMNS;
    return (struct diff_width){columns < NAME_LEAST + numbers ? NAME_LEAST : columns - numbers, GATE_MEASURES - 1};
}

static void diff_right(struct gate_buf *out, const struct gate_buf *text, size_t columns) {
    size_t used = gate_str_columns(gate_buf_view(text));
    gate_buf_repeat(out, ' ', used < columns ? columns - used : 1);
    gate_buf_str(out, gate_buf_view(text));
}

static void diff_measure(struct gate_buf *out, struct gate_buf *text, const struct gate_evidence *evidence,
                         bool with_shares) {
    for (int side = 0; with_shares && side < GATE_SIDES; side++) {
        text->len = 0;
        gate_figures_share(text, evidence->share[side]);
        diff_right(out, text, 9);
    }
    text->len = 0;
    gate_figures_points(text, evidence->delta);
    diff_right(out, text, 11);
}

static void diff_row(struct gate_buf *out, const struct gate_comparison *comparison, uint32_t frame,
                     struct diff_width width, struct gate_arena *arena) {
    const struct gate_frame_judgement *judged = &comparison->frames[frame];
    struct gate_buf text = {0};
    gate_escape_terminal(&text, comparison->pair.frames[frame].name);
    struct gate_str name = gate_shorten_name(arena, gate_buf_view(&text), width.name);
    if (name.ptr == NULL) { /* the arena is full */
        out->failed = true;
        gate_buf_free_part(out, &text);
        return;
    }
    gate_buf_str(out, name);
    gate_buf_repeat(out, ' ', width.name - gate_str_columns(name));
    for (int i = 0; i < width.measures; i++) {
        enum gate_measure measure = gate_listing_measures[i];
        bool is_last = i + 1 == width.measures;
        diff_measure(out, &text, judged->evidence[measure], i == 0);
        gate_buf_text(out, judged->is_suspect[measure] ? " *" : is_last ? "" : "  ");
    }
    gate_buf_char(out, '\n');
    gate_buf_free_part(out, &text);
}

static void diff_side(struct gate_buf *out, const char *name, const struct gate_pair *pair, enum gate_side_name side) {
    gate_buf_printf(out, "%s  ", name);
    gate_unit_print(out, pair->sides[side].total, pair->type.unit);
    gate_buf_text(out, " of ");
    gate_escape_terminal(out, pair->type.type);
    gate_buf_text(out, ", ");
    gate_figures_count(out, pair->sides[side].events);
    gate_buf_printf(out, " effective samples, %u run%s\n", (unsigned)pair->sides[side].run_count,
                    pair->sides[side].run_count == 1 ? "" : "s");
}

bool gate_report_diff_text(struct gate_buf *out, const struct gate_verdict *verdict,
                           const struct gate_report_options *options, struct gate_arena *arena,
                           struct gate_error *err) {
    const struct gate_comparison *comparison = &verdict->comparisons[0];
    uint32_t limit = gate_report_rows(options->frame_limit, UINT32_MAX);
    uint32_t shown = 0;
    const struct diff_width width = diff_width(options->columns);
    diff_side(out, "baseline", &comparison->pair, GATE_BASELINE);
    diff_side(out, "canary  ", &comparison->pair, GATE_CANARY);
    uint32_t *frames = GATE_NEW_ARRAY(arena, uint32_t, comparison->pair.frame_count);
    if (frames == NULL)
        return gate_arena_error(arena, err);
    gate_listing_frames(frames, comparison);
    gate_buf_printf(out, "\n%-*scharged base   canary     change", (int)width.name - 4, "function");
    for (int i = 1; i < width.measures; i++)
        gate_buf_printf(out, "  %11s", gate_measure_name(gate_listing_measures[i]));
    gate_buf_char(out, '\n');
    for (uint32_t i = 0; i < comparison->pair.frame_count && shown < limit; i++) {
        uint32_t frame = frames[i];
        const struct gate_delta *delta = &comparison->deltas.items[frame];
        if (delta->value[GATE_CUMULATIVE][GATE_BASELINE] == 0 && delta->value[GATE_CUMULATIVE][GATE_CANARY] == 0)
            continue;
        diff_row(out, comparison, frame, width, arena);
        shown++;
    }
    size_t line = out->len + 1;
    gate_buf_text(out,
                  "\nShares are of each side's own total; + grew in the canary; * marks what is more than noise (false "
                  "discovery rate 1%).\n");
    gate_buf_text(out, gate_sentence_charged());
    gate_wrap_since(out, line, 0, options->columns == 0 ? GATE_WRAP_COLUMNS : options->columns);
    gate_buf_char(out, '\n');
    return gate_buf_check(out, err);
}
