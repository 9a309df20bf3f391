/* SPDX-License-Identifier: Apache-2.0 */
/* The data of the HTML report's script: frames and call trees as JSON. */
#include "gate/report/page_data.h"

#include "gate/base/buf.h"
#include "gate/base/figures.h"
#include "gate/base/json_io.h"
#include "gate/base/table.h"
#include "gate/budget/cause.h"
#include "gate/compare/comparison.h"
#include "gate/compare/evidence.h"
#include "gate/compare/student.h"
#include "gate/compare/tree_judge.h"
#include "gate/report/checkout.h"
#include "gate/report/flame_graph.h"
#include "gate/report/listing.h"
#include "gate/report/trees.h"

#include <math.h>

/* Return the most certain state among the measures, by the table's test alone. */
static enum gate_frame_state frame_state_most(const struct gate_frame_judgement *frame) {
    enum gate_frame_state most = GATE_FRAME_NOT_TESTED;
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        enum gate_frame_state state = gate_frame_state_of(frame, (enum gate_measure)measure);
        most = state > most ? state : most;
    }
    return most;
}

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

/* ---- call trees in the page's JSON block ------------------------------------------------------------------------- */

/* Columns of numbers; read by assets/report_model.js. */

/* Append the depth of each node. Nodes are in depth-first order, so the parents follow from the depths. */
static void tree_depths(struct gate_json *json, const struct gate_tree *tree) {
    struct gate_json_column column;
    int64_t depth = 0;
    gate_json_column_begin(&column, json, "depth", 0);
    for (uint32_t i = 0; i < tree->count; i++) {
        gate_json_column_add(&column, depth);
        if (tree->nodes[i].first_child != GATE_NO_INDEX) {
            depth++;
            continue;
        }
        uint32_t at = i;
        while (at != 0 && tree->nodes[at].next_sibling == GATE_NO_INDEX) {
            at = tree->nodes[at].parent;
            depth--;
        }
    }
    gate_json_column_end(&column);
}

static void tree_sides(struct gate_json *json, const struct gate_tree *tree, int64_t scale) {
    static const char *const sides[] = {"base", "canary"};
    gate_json_put_open(json, "pruned", '[');
    for (int side = 0; side < GATE_SIDES; side++)
        gate_json_integer(json, tree->pruned[side] / scale);
    gate_json_close(json, ']');
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_json_column column;
        gate_json_column_begin(&column, json, sides[side], 0);
        for (uint32_t i = 0; i < tree->count; i++)
            gate_json_column_add(&column, tree->nodes[i].total[side] / scale);
        gate_json_column_end(&column);
    }
}

static bool tree_is_significant(const struct gate_tree_node *node) {
    return node->is_significant;
}

static bool tree_is_self(const struct gate_tree_node *node) {
    return node->is_self;
}

static bool tree_is_marked(const struct gate_tree_node *node) {
    return node->mark != GATE_TREE_UNMARKED;
}

/* Append the indices of the nodes for which `is_in` is true; usually few. */
static void tree_nodes(struct gate_json *json, const char *key, const struct gate_tree *tree,
                       bool (*is_in)(const struct gate_tree_node *node)) {
    gate_json_put_open(json, key, '[');
    for (uint32_t i = 0; i < tree->count; i++)
        if (is_in(&tree->nodes[i]))
            gate_json_integer(json, i);
    gate_json_close(json, ']');
}

/* Append the enum gate_layout_change_kind of each marked node. */
static void tree_marks(struct gate_json *json, const struct gate_tree *tree) {
    gate_json_put_open(json, "marks", '[');
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree_is_marked(&tree->nodes[i]))
            gate_json_integer(json, GATE_LAYOUT_UNDECIDED + tree->nodes[i].mark - GATE_TREE_UNDECIDED);
    gate_json_close(json, ']');
}

/**
 * Append a call tree as an object of columns. `rows` maps a frame to its row in the page. Every value is a multiple of
 * `scale`.
 */
static void page_tree(struct gate_json *json, const struct gate_tree *tree, const uint32_t *rows, int64_t scale) {
    struct gate_json_column column;
    gate_json_open(json, '{');
    gate_json_key(json, "part"); /* word for the cost of a frame itself */
    gate_json_text(json, gate_layout_part_name(tree));
    tree_depths(json, tree);
    gate_json_column_begin(&column, json, "frame", 0);
    for (uint32_t i = 0; i < tree->count; i++)
        gate_json_column_add(&column, i == 0 ? -1 : (int64_t)rows[tree->nodes[i].frame]);
    gate_json_column_end(&column);
    tree_sides(json, tree, scale);
    gate_json_column_begin(&column, json, "z", 2);
    for (uint32_t i = 0; i < tree->count; i++)
        gate_json_column_round(&column, tree->nodes[i].z);
    gate_json_column_end(&column);
    tree_nodes(json, "significant", tree, tree_is_significant);
    tree_nodes(json, "self", tree, tree_is_self);
    tree_nodes(json, "marked", tree, tree_is_marked);
    tree_marks(json, tree);
    gate_json_close(json, '}');
}

/* ---- data for the page's script ---------------------------------------------------------------------------------- */

/* Frames and call trees as columns of numbers, in a JSON block that assets/report_model.js reads. Columns instead of
 * objects keep 100,000 nodes at a few megabytes. */

/* With a minimum share, a page with this many functions and their boxes stays below 1 MB. */
enum { FRAMES_MAX = 3500 };

/* State of one comparison. `rows` maps a frame of the pair to its row; GATE_NO_INDEX: left out. */
struct payload {
    struct gate_json json;
    const struct gate_comparison *comparison;
    const struct gate_checkout *checkout; /* or NULL */
    const struct gate_page_graph *graph;
    struct gate_frame_words words;
    uint32_t *rows;
    uint32_t *frames; /* frame of the pair, by row */
    uint32_t row_count;
    struct gate_row_intervals *intervals; /* by row */
    int64_t scale;                        /* every value is a multiple of it; numbers in the page are value / scale */
};

/* Return the greatest common divisor of all values, which makes numbers short. If all samples have one period, it is
 * the period. */
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

/* Select the frames that the page needs: those with a box, and those of findings and causes. */
static void payload_mark_needed(struct payload *p, const struct gate_page *page, uint32_t index) {
    for (int t = 0; t < GATE_VIEWS; t++)
        for (uint32_t i = 0; i < p->graph->trees[t]->count; i++)
            payload_mark(p, p->graph->trees[t]->nodes[i].frame);
    for (uint32_t b = 0; b < page->verdict->budget_count; b++) {
        const struct gate_budget_result *result = &page->verdict->budgets[b];
        for (uint32_t f = 0; f < result->finding_count && result->comparison == index; f++)
            payload_mark(p, result->findings[f].frame);
    }
    for (uint32_t c = 0; c < page->verdict->causes.count; c++) {
        const struct gate_cause *cause = gate_cause_in(&page->verdict->causes.items[c], index);
        if (cause != NULL)
            payload_mark(p, cause->frame);
    }
    struct gate_page_movers movers = gate_page_movers_pick(p->comparison);
    for (uint32_t i = 0; i < movers.count && page->options->without_verdict; i++)
        payload_mark(p, movers.frames[i]);
}

/* Return whether the table should have a frame because of `reason`: 0 significant, 1 self cost, 2 cumulative cost. */
static bool payload_has_row(const struct gate_frame_judgement *frame, double min_share, int reason) {
    if (reason == 0)
        return frame_state_most(frame) == GATE_FRAME_SIGNIFICANT;
    const struct gate_evidence *evidence = frame->evidence[reason == 1 ? GATE_SELF : GATE_CUMULATIVE];
    return evidence->share[GATE_BASELINE] >= min_share || evidence->share[GATE_CANARY] >= min_share;
}

/* Select the rows of the table, in its order. With a minimum share, frames that the page does not need are only added
 * up to FRAMES_MAX rows. */
static bool payload_choose(struct payload *p, const struct gate_page *page, uint32_t index, struct gate_error *err) {
    uint32_t count = p->comparison->pair.frame_count;
    uint32_t *order = GATE_NEW_ARRAY(page->arena, uint32_t, count);
    double min_share = page->options->min_share;
    p->rows = GATE_NEW_ARRAY(page->arena, uint32_t, count);
    p->frames = GATE_NEW_ARRAY(page->arena, uint32_t, count);
    if (p->rows == NULL || p->frames == NULL || order == NULL)
        return gate_arena_error(page->arena, err);
    gate_listing_frames(order, p->comparison);
    for (uint32_t i = 0; i < count; i++)
        p->rows[i] = GATE_NO_INDEX;
    payload_mark_needed(p, page, index);
    for (int reason = 0; reason < 3; reason++)
        for (uint32_t i = 0; i < count && (min_share <= 0 || p->row_count < FRAMES_MAX); i++)
            if (payload_has_row(&p->comparison->frames[order[i]], min_share, reason))
                payload_mark(p, order[i]);
    p->row_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t frame = order[i];
        if (p->rows[frame] == GATE_NO_INDEX)
            continue;
        p->rows[frame] = p->row_count;
        p->frames[p->row_count++] = frame;
    }
    p->intervals = GATE_NEW_ARRAY(page->arena, struct gate_row_intervals, p->row_count);
    if (p->intervals == NULL)
        return gate_arena_error(page->arena, err);
    gate_row_intervals_fill(p->intervals, p->comparison->frames, p->frames, p->row_count);
    return true;
}

static void payload_measure(struct payload *p, enum gate_measure measure) {
    struct gate_json *json = &p->json;
    const struct gate_frame_judgement *all = p->comparison->frames;
    struct gate_json_column column;
    gate_json_put_open(json, gate_measure_name(measure), '{');
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
    /* one digit per frame: enum gate_frame_state */
    gate_json_key(json, "state");
    struct gate_buf *states = &(struct gate_buf){0};
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_buf_char(states, (char)('0' + gate_frame_state_shown(&p->words, p->comparison, p->frames[i], measure)));
    gate_json_string(json, gate_buf_view(states));
    gate_buf_free_part(json->out, states);
    gate_json_close(json, '}');
}

/* Return the file's path in the checkout, or `file` if it has none. `.ptr` is NULL if the arena is full. */
static struct gate_str payload_place(const struct payload *p, struct gate_str file, struct gate_arena *arena) {
    struct gate_buf path = {0};
    if (gate_checkout_put(&path, p->checkout, file))
        file = gate_str_copy(arena, gate_buf_view(&path));
    gate_buf_free_part(p->json.out, &path);
    return file;
}

/* Files of the page. Each own file is looked up in the checkout once, because that may access the disk and a file can
 * have hundreds of functions. */
struct payload_files {
    struct gate_table shown, own;
    uint32_t *shown_of; /* index in `shown`, by index in `own` */
};

/* Return the index of the row's file in `shown`, or GATE_TABLE_NONE if the arena is full. */
static uint32_t payload_file(struct payload_files *files, const struct payload *p, uint32_t row) {
    const struct gate_frame *frame = &p->comparison->pair.frames[p->frames[row]];
    if (!frame->is_own || frame->file.len == 0)
        return gate_table_intern(&files->shown, frame->file);
    uint32_t known = files->own.count, index = gate_table_intern(&files->own, frame->file);
    if (index == known) {
        struct gate_str file = payload_place(p, frame->file, files->own.arena);
        files->shown_of[index] = file.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&files->shown, file);
    }
    return index == GATE_TABLE_NONE ? GATE_TABLE_NONE : files->shown_of[index];
}

/* Append each file once, and an index per frame: paths are long and few. */
static bool payload_files(struct payload *p, struct gate_arena *arena, struct gate_error *err) {
    struct payload_files files = {.shown_of = GATE_NEW_ARRAY(arena, uint32_t, p->row_count)};
    uint32_t *of_row = GATE_NEW_ARRAY(arena, uint32_t, p->row_count);
    if (files.shown_of == NULL || of_row == NULL)
        return gate_arena_error(arena, err);
    gate_table_init(&files.shown, arena);
    gate_table_init(&files.own, arena);
    for (uint32_t i = 0; i < p->row_count; i++) {
        of_row[i] = payload_file(&files, p, i);
        if (of_row[i] == GATE_TABLE_NONE)
            return gate_arena_error(arena, err);
    }
    gate_json_put_open(&p->json, "files", '[');
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

/* Append half a 95% interval in standard errors, for boxes: one number if all frames have the same, else one per
 * frame. */
static void payload_critical(struct payload *p) {
    const struct gate_frame_judgement *all = p->comparison->frames;
    bool equal = p->row_count > 0;
    for (uint32_t i = 1; i < p->row_count; i++)
        equal =
            equal && all[p->frames[i]].evidence[GATE_CUMULATIVE]->df == all[p->frames[0]].evidence[GATE_CUMULATIVE]->df;
    gate_json_put_open(&p->json, "critical", '[');
    for (uint32_t i = 0; i < (equal ? 1 : p->row_count); i++)
        gate_json_rounded(&p->json, gate_student_t(0.025, all[p->frames[i]].evidence[GATE_CUMULATIVE]->df), 2);
    gate_json_close(&p->json, ']');
}

/* Append pairs of a finding's frame and its row. */
static void payload_finding_rows(struct payload *p, const struct gate_page *page, uint32_t index) {
    gate_json_put_open(&p->json, "findings", '[');
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

/* Append for each cause: its index in the verdict, the row of its frame, its node by caller and by owner (-1: none),
 * and whether it fails. */
static void payload_causes(struct payload *p, const struct gate_page *page, uint32_t index) {
    static const enum gate_trees_view views[] = {GATE_BY_CALLER, GATE_BY_OWNER};
    gate_json_put_open(&p->json, "causes", '[');
    for (uint32_t c = 0; c < page->verdict->causes.count; c++) {
        const struct gate_cause *cause = gate_cause_in(&page->verdict->causes.items[c], index);
        if (cause == NULL || cause->frame == GATE_NO_INDEX)
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
    gate_json_put_open(json, "frames", '{');
    gate_json_put_open(json, "name", '[');
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_string(json, frames[p->frames[i]].name);
    gate_json_close(json, ']');
    struct gate_json_column column;
    gate_json_column_begin(&column, json, "line", 0);
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_column_add(&column, frames[p->frames[i]].start_line);
    gate_json_column_end(&column);
    gate_json_key(json, "own"); /* one digit per frame: 1 for own code */
    struct gate_buf own = {0};
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_buf_char(&own, frames[p->frames[i]].is_own ? '1' : '0');
    gate_json_string(json, gate_buf_view(&own));
    gate_buf_free_part(json->out, &own);
    if (!payload_files(p, arena, err))
        return false;
    payload_critical(p);
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        payload_measure(p, (enum gate_measure)measure);
    gate_json_close(json, '}');
    return true;
}

/* Append the texts of an enum's values as a list. */
static void payload_words(struct gate_json *json, const char *key, const char *(*word)(int), int count) {
    gate_json_put_open(json, key, '[');
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

/** Append the keys that all comparisons share: constants and texts of the program, so that the script needs no copy. */
static void page_constants(struct gate_json *json, const struct gate_page *page) {
    gate_json_put_number(json, "minShare", page->options->min_share);
    gate_json_put_number(json, "minCounts", GATE_MIN_COUNTS);
    gate_json_key(json, "level"); /* significance level of boxes, after the correction for multiple tests */
    gate_json_number(json, GATE_TREE_SUSPECT_LEVEL);
    gate_json_key(json, "normal"); /* half a 95% interval of a normal distribution, in standard errors */
    gate_json_rounded(json, gate_student_t(0.025, INFINITY), 4);
    gate_json_put_text(json, "sourceUrl", page->options->source_url == NULL ? "" : page->options->source_url);
    gate_json_put_integer(json, "steps", GATE_LAYOUT_STEPS);
    payload_words(json, "measures", payload_measure_word, GATE_MEASURES);
    payload_words(json, "states", payload_state_word, GATE_FRAME_STATES);
    payload_words(json, "changes", payload_change_word, GATE_LAYOUT_CHANGE_KINDS);
}

/** Append one comparison as an object for the script. O(frames + nodes). */
static bool page_payload(struct gate_json *json, const struct gate_page *page, uint32_t index,
                         const struct gate_page_graph *graph, struct gate_error *err) {
    const struct gate_comparison *comparison = &page->verdict->comparisons[index];
    struct payload p = {.json = *json, .comparison = comparison, .checkout = page->options->checkout, .graph = graph};
    p.scale = payload_scale(comparison, graph);
    if (!payload_choose(&p, page, index, err) ||
        !gate_frame_state_words(&p.words, page->verdict, index, page->arena, err))
        return false;
    gate_json_open(&p.json, '{');
    gate_json_put_string(&p.json, "name", comparison->name);
    gate_json_put_string(&p.json, "type", comparison->pair.type.type);
    gate_json_put_string(&p.json, "unit", comparison->pair.type.unit);
    gate_json_put_integer(&p.json, "scale", p.scale);
    gate_json_put_open(&p.json, "effective", '[');
    gate_json_number(&p.json, comparison->pair.sides[GATE_BASELINE].events);
    gate_json_number(&p.json, comparison->pair.sides[GATE_CANARY].events);
    gate_json_close(&p.json, ']');
    gate_json_put_number(&p.json, "assumedRho", gate_evidence_assumed_rho(&comparison->pair, GATE_SELF, false));
    gate_json_key(&p.json, "workRatio"); /* null: not known; then the cost per unit of work equals the share */
    gate_json_number(&p.json, gate_totals_has_work(comparison) ? comparison->work_ratio : NAN);
    gate_json_put_open(&p.json, "runs", '[');
    gate_json_integer(&p.json, comparison->pair.sides[GATE_BASELINE].run_count);
    gate_json_integer(&p.json, comparison->pair.sides[GATE_CANARY].run_count);
    gate_json_close(&p.json, ']');
    gate_json_put_number(&p.json, "totalError", gate_totals_error(comparison));
    gate_json_put_bool(&p.json, "workIsKnown", comparison->work_is_known);
    gate_json_put_integer(&p.json, "frameCount", comparison->pair.frame_count);
    payload_finding_rows(&p, page, index);
    payload_causes(&p, page, index);
    if (!payload_frames(&p, page->arena, err))
        return false;
    gate_json_put_open(&p.json, "trees", '[');
    for (int t = 0; t < GATE_VIEWS; t++)
        page_tree(&p.json, graph->trees[t], p.rows, p.scale);
    gate_json_close_all(&p.json, "]}");
    *json = p.json;
    return true;
}

bool gate_page_data(const struct gate_page *page, const struct gate_page_graph *graphs, struct gate_error *err) {
    struct gate_json json = {.out = page->out};
    gate_buf_text(page->out, "<script type=\"application/json\" id=\"report-data\">");
    gate_json_open(&json, '{');
    page_constants(&json, page);
    gate_json_put_open(&json, "comparisons", '[');
    for (uint32_t i = 0; i < page->verdict->comparison_count; i++)
        if (!page_payload(&json, page, i, &graphs[i], err))
            return false;
    gate_json_close_all(&json, "]}");
    gate_buf_text(page->out, "</script>\n");
    return true;
}
