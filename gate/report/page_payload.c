/* SPDX-License-Identifier: Apache-2.0 */
/* What the page's script draws: frames and all call trees as columns of numbers, in a JSON block of the page.
 * Columns and not objects: a hundred thousand nodes stay a few megabytes. assets/report_model.js reads it. */
#include "gate/report/page.h"

#include "gate/base/divisor.h"
#include "gate/base/json_writer.h"
#include "gate/base/table.h"
#include "gate/compare/evidence.h"
#include "gate/compare/tree_judge.h"
#include "gate/report/cause_box.h"
#include "gate/report/checkout.h"
#include "gate/report/frame_state.h"
#include "gate/report/layout.h"
#include "gate/report/listing.h"
#include "gate/report/row_intervals.h"
#include "gate/report/totals.h"

#include <math.h>

/* With a minimum share, a page of this many functions and their boxes stays below a megabyte. */
enum { FRAMES_MAX = 3500 };

/* One comparison being written. `rows` maps a frame of the pair to its row, or GATE_NO_INDEX where it is left out. */
struct payload {
    struct gate_json json;
    const struct gate_comparison *comparison;
    const struct gate_checkout *checkout; /* or NULL */
    const struct gate_page_graph *graph;
    struct gate_frame_words words;
    uint32_t *rows;
    uint32_t *frames; /* of the pair, by row */
    uint32_t row_count;
    struct gate_row_intervals *intervals; /* by row */
    int64_t scale;                        /* every value is a multiple: the numbers in the page are values / scale */
};

/* Samples of one period make this the period: numbers then have few digits. */
static int64_t payload_scale(const struct gate_comparison *comparison, const struct gate_page_graph *graph) {
    uint64_t scale = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count && scale != 1; i++)
        for (int m = 0; m < GATE_MEASURES; m++)
            for (int side = 0; side < GATE_SIDES; side++)
                scale = gate_divisor_common(gate_divisor_size(comparison->frames[i].evidence[m]->value[side]), scale);
    for (int t = 0; t < GATE_VIEWS; t++)
        for (uint32_t i = 0; i < graph->trees[t]->count && scale != 1; i++)
            for (int side = 0; side < GATE_SIDES; side++)
                scale = gate_divisor_common(gate_divisor_size(graph->trees[t]->nodes[i].total[side]), scale);
    return scale == 0 || scale > INT64_MAX ? 1 : (int64_t)scale;
}

static void payload_mark(struct payload *p, uint32_t frame) {
    if (frame == GATE_NO_INDEX || p->rows[frame] != GATE_NO_INDEX)
        return;
    p->rows[frame] = 0;
    p->row_count++;
}

/* What the page cannot do without: frames with a box, and those that a finding leads to. */
static void payload_mark_needed(struct payload *p, const struct gate_page *page, uint32_t index) {
    for (int t = 0; t < GATE_VIEWS; t++)
        for (uint32_t i = 0; i < p->graph->trees[t]->count; i++)
            payload_mark(p, p->graph->trees[t]->nodes[i].frame);
    for (uint32_t b = 0; b < page->verdict->budget_count; b++) {
        const struct gate_budget_result *result = &page->verdict->budgets[b];
        for (uint32_t f = 0; f < result->finding_count && result->comparison == index; f++)
            payload_mark(p, result->findings[f].frame);
    }
    for (uint32_t c = 0; c < page->verdict->causes.count; c++)
        if (page->verdict->causes.items[c].comparison == index)
            payload_mark(p, page->verdict->causes.items[c].frame);
    struct gate_page_movers movers = gate_page_movers_pick(p->comparison);
    for (uint32_t i = 0; i < movers.count && page->options->without_verdict; i++)
        payload_mark(p, movers.frames[i]);
}

/* Whether the table wants a frame, the more telling reasons first. */
static bool payload_is_wanted(const struct gate_frame_judgement *frame, double min_share, int reason) {
    if (reason == 0)
        return gate_frame_state_most(frame) == GATE_FRAME_SIGNIFICANT;
    const struct gate_evidence *evidence = frame->evidence[reason == 1 ? GATE_SELF : GATE_CUMULATIVE];
    return evidence->share[GATE_BASELINE] >= min_share || evidence->share[GATE_CANARY] >= min_share;
}

/* Rows of the table, in its order. Where a minimum share is asked for, the page also keeps to a size. */
static bool payload_choose(struct payload *p, const struct gate_page *page, uint32_t index, struct gate_error *err) {
    uint32_t count = p->comparison->pair.frame_count;
    uint32_t *order = GATE_NEW_ARRAY(page->arena, uint32_t, (size_t)count + 1);
    double min_share = page->options->min_share;
    p->rows = GATE_NEW_ARRAY(page->arena, uint32_t, (size_t)count + 1);
    p->frames = GATE_NEW_ARRAY(page->arena, uint32_t, (size_t)count + 1);
    if (p->rows == NULL || p->frames == NULL || order == NULL)
        return gate_arena_error(page->arena, err);
    gate_listing_frames(order, p->comparison);
    for (uint32_t i = 0; i < count; i++)
        p->rows[i] = GATE_NO_INDEX;
    payload_mark_needed(p, page, index);
    for (int reason = 0; reason < 3; reason++)
        for (uint32_t i = 0; i < count && (min_share <= 0 || p->row_count < FRAMES_MAX); i++)
            if (payload_is_wanted(&p->comparison->frames[order[i]], min_share, reason))
                payload_mark(p, order[i]);
    p->row_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t frame = order[i];
        if (p->rows[frame] == GATE_NO_INDEX)
            continue;
        p->rows[frame] = p->row_count;
        p->frames[p->row_count++] = frame;
    }
    p->intervals = GATE_NEW_ARRAY(page->arena, struct gate_row_intervals, (size_t)p->row_count + 1);
    if (p->intervals == NULL)
        return gate_arena_error(page->arena, err);
    gate_row_intervals_fill(p->intervals, p->comparison->frames, p->frames, p->row_count, gate_evidence_ci95_near);
    return true;
}

static void payload_measure(struct payload *p, enum gate_measure measure) {
    struct gate_json *json = &p->json;
    const struct gate_frame_judgement *all = p->comparison->frames;
    struct gate_json_column column;
    gate_json_key(json, gate_measure_name(measure));
    gate_json_open(json, '{');
    static const char *const sides[] = {"base", "canary"};
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_json_column_begin(&column, json, sides[side], 0);
        for (uint32_t i = 0; i < p->row_count; i++)
            gate_json_column_add(&column, all[p->frames[i]].evidence[measure]->value[side] / p->scale);
        gate_json_column_end(&column);
    }
    static const char *const bounds[] = {"low", "high"};
    for (int end = 0; end < 2; end++) {
        gate_json_column_begin(&column, json, bounds[end], 3);
        for (uint32_t i = 0; i < p->row_count; i++)
            gate_json_column_round(&column, p->intervals[i].of[measure].bounds[end] * 100);
        gate_json_column_end(&column);
    }
    gate_json_column_begin(&column, json, "z", 2);
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_column_round(&column, all[p->frames[i]].evidence[measure]->z);
    gate_json_column_end(&column);
    /* a digit a frame: enum gate_frame_state */
    gate_json_key(json, "state");
    struct gate_buf *states = &(struct gate_buf){0};
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_buf_char(states, (char)('0' + gate_frame_state_told(&p->words, p->comparison, p->frames[i], measure)));
    gate_json_string(json, gate_buf_view(states));
    json->out->failed = json->out->failed || states->failed;
    gate_buf_free(states);
    gate_json_close(json, '}');
}

/* As the checkout names it, where it is in there. NULL: the arena is full. */
static struct gate_str payload_place(const struct payload *p, struct gate_str file, struct gate_arena *arena) {
    struct gate_buf path = {0};
    if (gate_checkout_put(&path, p->checkout, file))
        file = gate_str_copy(arena, gate_buf_view(&path));
    gate_buf_free_part(p->json.out, &path);
    return file;
}

/* The files of the page, and those of the program's own code among them, which the checkout is asked about once each:
 * for some it asks the disk, and hundreds of functions are in one file. */
struct payload_files {
    struct gate_table shown, own;
    uint32_t *shown_of; /* by own file */
};

/* Its number among those shown; GATE_TABLE_NONE: the arena is full. */
static uint32_t payload_file(struct payload_files *files, const struct payload *p, uint32_t row) {
    const struct gate_frame *frame = &p->comparison->pair.frames[p->frames[row]];
    if (!frame->is_own || frame->file.len == 0)
        return gate_table_intern(&files->shown, frame->file);
    uint32_t known = files->own.count, asked = gate_table_intern(&files->own, frame->file);
    if (asked == known) {
        struct gate_str file = payload_place(p, frame->file, files->own.arena);
        files->shown_of[asked] = file.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&files->shown, file);
    }
    return asked == GATE_TABLE_NONE ? GATE_TABLE_NONE : files->shown_of[asked];
}

/* Files once each, and a number a frame: paths are long and few. */
static bool payload_files(struct payload *p, struct gate_arena *arena, struct gate_error *err) {
    struct payload_files files = {.shown_of = GATE_NEW_ARRAY(arena, uint32_t, (size_t)p->row_count + 1)};
    uint32_t *of_row = GATE_NEW_ARRAY(arena, uint32_t, (size_t)p->row_count + 1);
    if (files.shown_of == NULL || of_row == NULL)
        return gate_arena_error(arena, err);
    gate_table_init(&files.shown, arena);
    gate_table_init(&files.own, arena);
    for (uint32_t i = 0; i < p->row_count; i++) {
        of_row[i] = payload_file(&files, p, i);
        if (of_row[i] == GATE_TABLE_NONE)
            return gate_arena_error(arena, err);
    }
    gate_json_key(&p->json, "files");
    gate_json_open(&p->json, '[');
    for (uint32_t i = 0; i < files.shown.count; i++)
        gate_json_string(&p->json, files.shown.keys[i]);
    gate_json_close(&p->json, ']');
    struct gate_json_column column;
    gate_json_column_begin(&column, &p->json, "file", 0);
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_column_add(&column, of_row[i]);
    gate_json_column_end(&column);
    return true;
}

/* Half a 95 % interval in standard errors, for boxes: a number for all, or one a frame where they differ. */
static void payload_critical(struct payload *p) {
    const struct gate_frame_judgement *all = p->comparison->frames;
    bool equal = p->row_count > 0;
    for (uint32_t i = 1; i < p->row_count; i++)
        equal =
            equal && all[p->frames[i]].evidence[GATE_CUMULATIVE]->df == all[p->frames[0]].evidence[GATE_CUMULATIVE]->df;
    gate_json_key(&p->json, "critical");
    gate_json_open(&p->json, '[');
    for (uint32_t i = 0; i < (equal ? 1 : p->row_count); i++)
        gate_json_rounded(&p->json, gate_student_t(0.025, all[p->frames[i]].evidence[GATE_CUMULATIVE]->df), 2);
    gate_json_close(&p->json, ']');
}

/* Which row a finding's frame is, as pairs. */
static void payload_finding_rows(struct payload *p, const struct gate_page *page, uint32_t index) {
    gate_json_key(&p->json, "findings");
    gate_json_open(&p->json, '[');
    struct gate_page_movers movers = gate_page_movers_pick(p->comparison);
    for (uint32_t i = 0; i < movers.count && page->options->without_verdict; i++) {
        gate_json_open(&p->json, '[');
        gate_json_integer(&p->json, movers.frames[i]);
        gate_json_integer(&p->json, p->rows[movers.frames[i]]);
        gate_json_close(&p->json, ']');
    }
    for (uint32_t b = 0; b < page->verdict->budget_count; b++) {
        const struct gate_budget_result *result = &page->verdict->budgets[b];
        for (uint32_t f = 0; f < result->finding_count && result->comparison == index; f++) {
            if (result->findings[f].frame == GATE_NO_INDEX)
                continue;
            gate_json_open(&p->json, '[');
            gate_json_integer(&p->json, result->findings[f].frame);
            gate_json_integer(&p->json, p->rows[result->findings[f].frame]);
            gate_json_close(&p->json, ']');
        }
    }
    gate_json_close(&p->json, ']');
}

/* Where a cause is in the trees: its number in the verdict, the row of its frame, its node by caller and by owner; -1:
 * nowhere. */
static void payload_causes(struct payload *p, const struct gate_page *page, uint32_t index) {
    static const enum gate_trees_view views[] = {GATE_BY_CALLER, GATE_BY_OWNER};
    gate_json_key(&p->json, "causes");
    gate_json_open(&p->json, '[');
    for (uint32_t c = 0; c < page->verdict->causes.count; c++) {
        const struct gate_cause *cause = &page->verdict->causes.items[c];
        if (cause->comparison != index || cause->frame == GATE_NO_INDEX)
            continue;
        gate_json_open(&p->json, '[');
        gate_json_integer(&p->json, c);
        gate_json_integer(&p->json, p->rows[cause->frame]);
        for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
            uint32_t node = gate_cause_box_show(p->graph->trees[views[v]], cause);
            gate_json_integer(&p->json, node == GATE_NO_INDEX ? -1 : (int64_t)node);
        }
        gate_json_bool(&p->json, cause->outcome == GATE_OUTCOME_FAIL);
        gate_json_close(&p->json, ']');
    }
    gate_json_close(&p->json, ']');
}

static bool payload_frames(struct payload *p, struct gate_arena *arena, struct gate_error *err) {
    struct gate_json *json = &p->json;
    const struct gate_frame *frames = p->comparison->pair.frames;
    gate_json_key(json, "frames");
    gate_json_open(json, '{');
    gate_json_key(json, "name");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_string(json, frames[p->frames[i]].name);
    gate_json_close(json, ']');
    struct gate_json_column column;
    gate_json_column_begin(&column, json, "line", 0);
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_column_add(&column, frames[p->frames[i]].start_line);
    gate_json_column_end(&column);
    gate_json_key(json, "own"); /* a digit a frame: whether it is the program's own code */
    struct gate_buf own = {0};
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_buf_char(&own, frames[p->frames[i]].is_own ? '1' : '0');
    gate_json_string(json, gate_buf_view(&own));
    json->out->failed = json->out->failed || own.failed;
    gate_buf_free(&own);
    if (!payload_files(p, arena, err))
        return false;
    payload_critical(p);
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        payload_measure(p, (enum gate_measure)measure);
    gate_json_close(json, '}');
    return true;
}

/* A list of words: what each value of an enum is called. */
static void payload_words(struct gate_json *json, const char *key, const char *(*word)(int), int count) {
    gate_json_key(json, key);
    gate_json_open(json, '[');
    for (int i = 0; i < count; i++)
        gate_json_text(json, word(i));
    gate_json_close(json, ']');
}

static const char *payload_measure_word(int measure) {
    return gate_measure_name(gate_listing_measures[measure]);
}

static const char *payload_state_word(int state) {
    return gate_frame_state_name((enum gate_frame_state)state);
}

static const char *payload_change_word(int kind) {
    return gate_layout_change_name((enum gate_layout_change_kind)kind);
}

void gate_page_constants(struct gate_json *json, const struct gate_page *page) {
    gate_json_key(json, "minShare");
    gate_json_number(json, page->options->min_share);
    gate_json_key(json, "minCounts");
    gate_json_number(json, GATE_MIN_COUNTS);
    gate_json_key(json, "level"); /* of boxes, after the correction for many */
    gate_json_number(json, GATE_TREE_SUSPECT_LEVEL);
    gate_json_key(json, "normal"); /* half a 95 % interval in standard errors, of a normal distribution */
    gate_json_rounded(json, gate_student_t(0.025, INFINITY), 4);
    gate_json_key(json, "sourceUrl");
    gate_json_text(json, page->options->source_url == NULL ? "" : page->options->source_url);
    gate_json_key(json, "steps");
    gate_json_integer(json, GATE_LAYOUT_STEPS);
    payload_words(json, "measures", payload_measure_word, GATE_MEASURES);
    payload_words(json, "states", payload_state_word, GATE_FRAME_STATES);
    payload_words(json, "changes", payload_change_word, GATE_LAYOUT_CHANGE_KINDS);
}

bool gate_page_payload(struct gate_json *json, const struct gate_page *page, uint32_t index,
                       const struct gate_page_graph *graph, struct gate_error *err) {
    const struct gate_comparison *comparison = &page->verdict->comparisons[index];
    struct payload p = {.json = *json, .comparison = comparison, .checkout = page->options->checkout, .graph = graph};
    p.scale = payload_scale(comparison, graph);
    if (!payload_choose(&p, page, index, err) ||
        !gate_frame_state_words(&p.words, page->verdict, index, page->arena, err))
        return false;
    gate_json_open(&p.json, '{');
    gate_json_key(&p.json, "name");
    gate_json_string(&p.json, comparison->name);
    gate_json_key(&p.json, "type");
    gate_json_string(&p.json, comparison->pair.type.type);
    gate_json_key(&p.json, "unit");
    gate_json_string(&p.json, comparison->pair.type.unit);
    gate_json_key(&p.json, "scale");
    gate_json_integer(&p.json, p.scale);
    gate_json_key(&p.json, "effective");
    gate_json_open(&p.json, '[');
    gate_json_number(&p.json, comparison->pair.sides[GATE_BASELINE].events);
    gate_json_number(&p.json, comparison->pair.sides[GATE_CANARY].events);
    gate_json_close(&p.json, ']');
    gate_json_key(&p.json, "assumedRho");
    gate_json_number(&p.json, gate_evidence_assumed_rho(&comparison->pair, GATE_SELF, false));
    gate_json_key(&p.json, "workRatio"); /* null: not known, and the cost of a unit of work says what the share says */
    gate_json_number(&p.json, gate_totals_has_work(comparison) ? comparison->work_ratio : NAN);
    gate_json_key(&p.json, "runs");
    gate_json_open(&p.json, '[');
    gate_json_integer(&p.json, comparison->pair.sides[GATE_BASELINE].run_count);
    gate_json_integer(&p.json, comparison->pair.sides[GATE_CANARY].run_count);
    gate_json_close(&p.json, ']');
    gate_json_key(&p.json, "totalError");
    gate_json_number(&p.json, gate_totals_error(comparison));
    gate_json_key(&p.json, "workIsKnown");
    gate_json_bool(&p.json, comparison->work_is_known);
    gate_json_key(&p.json, "frameCount");
    gate_json_integer(&p.json, comparison->pair.frame_count);
    payload_finding_rows(&p, page, index);
    payload_causes(&p, page, index);
    if (!payload_frames(&p, page->arena, err))
        return false;
    gate_json_key(&p.json, "trees");
    gate_json_open(&p.json, '[');
    for (int t = 0; t < GATE_VIEWS; t++)
        gate_page_tree(&p.json, graph->trees[t], p.rows, p.scale);
    gate_json_close(&p.json, ']');
    gate_json_close(&p.json, '}');
    *json = p.json;
    return true;
}
