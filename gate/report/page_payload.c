/* SPDX-License-Identifier: Apache-2.0 */
/* What the page's script draws: frames and both call trees as columns of numbers, in a JSON block of the page.
 * Columns and not objects: a hundred thousand nodes stay a few megabytes. assets/report_model.js reads it. */
#include "gate/report/page.h"

#include "gate/compare/evidence.h"
#include "gate/report/phrase.h"
#include "gate/report/write_json.h"

#include <math.h>

/* One comparison being written. `rows` maps a frame of the pair to its row, or GATE_NO_INDEX where it is left out. */
struct payload {
    struct gate_json json;
    const struct gate_comparison *comparison;
    const struct gate_page_graph *graph;
    uint32_t *rows;
    uint32_t *frames; /* of the pair, by row */
    uint32_t row_count;
    int64_t scale; /* every value is a multiple: the numbers in the page are values / scale */
};

static int64_t payload_gcd(int64_t a, int64_t b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Samples of one period make this the period: numbers then have few digits. */
static int64_t payload_scale(const struct gate_comparison *comparison, const struct gate_page_graph *graph) {
    int64_t scale = 0;
    for (uint32_t i = 0; i < comparison->pair.frame_count && scale != 1; i++)
        for (int m = 0; m < GATE_MEASURES; m++)
            for (int side = 0; side < GATE_SIDES; side++)
                scale = payload_gcd(scale, comparison->frames[i].evidence[m].value[side]);
    for (int t = 0; t < GATE_VIEWS; t++)
        for (uint32_t i = 0; i < graph->trees[t]->count && scale != 1; i++)
            for (int side = 0; side < GATE_SIDES; side++)
                scale = payload_gcd(scale, graph->trees[t]->nodes[i].total[side]);
    return scale == 0 ? 1 : scale;
}

static void payload_take(struct payload *p, uint32_t frame) {
    if (frame == GATE_NO_INDEX || p->rows[frame] != GATE_NO_INDEX)
        return;
    p->rows[frame] = p->row_count;
    p->frames[p->row_count++] = frame;
}

static bool payload_is_large(const struct gate_evidence *evidence, double min_share) {
    return evidence->share[GATE_BASELINE] >= min_share || evidence->share[GATE_CANARY] >= min_share;
}

/* Frames that a box, a finding or the minimum share asks for, by change of self share. */
static bool payload_choose(struct payload *p, const struct gate_page *page, uint32_t index, struct gate_error *err) {
    uint32_t count = p->comparison->pair.frame_count;
    p->rows = GATE_NEW_ARRAY(page->arena, uint32_t, (size_t)count + 1);
    p->frames = GATE_NEW_ARRAY(page->arena, uint32_t, (size_t)count + 1);
    if (p->rows == NULL || p->frames == NULL)
        return gate_arena_error(page->arena, err);
    for (uint32_t i = 0; i < count; i++)
        p->rows[i] = GATE_NO_INDEX;
    for (uint32_t i = 0; i < count; i++) {
        const struct gate_frame_judgement *frame = &p->comparison->frames[p->comparison->by_self[i]];
        if (payload_is_large(&frame->evidence[GATE_SELF], page->options->min_share) ||
            payload_is_large(&frame->evidence[GATE_CUMULATIVE], page->options->min_share))
            payload_take(p, p->comparison->by_self[i]);
    }
    for (int t = 0; t < GATE_VIEWS; t++)
        for (uint32_t i = 0; i < p->graph->trees[t]->count; i++)
            payload_take(p, p->graph->trees[t]->nodes[i].frame);
    for (uint32_t b = 0; b < page->verdict->budget_count; b++) {
        const struct gate_budget_result *result = &page->verdict->budgets[b];
        for (uint32_t f = 0; f < result->finding_count && result->comparison == index; f++)
            payload_take(p, result->findings[f].frame);
    }
    return true;
}

static void payload_fixed(struct payload *p, double value, int decimals) {
    double power = pow(10, decimals);
    gate_json_number(&p->json, round(value * power) / power + 0.0);
}

static void payload_measure(struct payload *p, const char *key, enum gate_measure measure) {
    struct gate_json *json = &p->json;
    const struct gate_frame_judgement *all = p->comparison->frames;
    gate_json_key(json, key);
    gate_json_open(json, '{');
    static const char *const sides[] = {"base", "canary"};
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_json_key(json, sides[side]);
        gate_json_open(json, '[');
        for (uint32_t i = 0; i < p->row_count; i++)
            gate_json_integer(json, all[p->frames[i]].evidence[measure].value[side] / p->scale);
        gate_json_close(json, ']');
    }
    static const char *const bounds[] = {"low", "high"};
    for (int end = 0; end < 2; end++) {
        gate_json_key(json, bounds[end]);
        gate_json_open(json, '[');
        for (uint32_t i = 0; i < p->row_count; i++)
            payload_fixed(p, all[p->frames[i]].evidence[measure].ci95[end] * 100, 3);
        gate_json_close(json, ']');
    }
    gate_json_key(json, "z");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < p->row_count; i++)
        payload_fixed(p, all[p->frames[i]].evidence[measure].z, 2);
    gate_json_close(json, ']');
    /* 0: not tested, 1: within noise, 2: significant */
    gate_json_key(json, "state");
    struct gate_buf *states = &(struct gate_buf){0};
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_buf_char(states, !all[p->frames[i]].evidence[measure].is_tested ? '0'
                              : all[p->frames[i]].is_suspect[measure]        ? '2'
                                                                             : '1');
    gate_json_string(json, gate_buf_view(states));
    json->out->failed = json->out->failed || states->failed;
    gate_buf_free(states);
    gate_json_close(json, '}');
}

static void payload_frames(struct payload *p) {
    struct gate_json *json = &p->json;
    const struct gate_frame *frames = p->comparison->pair.frames;
    gate_json_key(json, "frames");
    gate_json_open(json, '{');
    gate_json_key(json, "name");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_string(json, frames[p->frames[i]].name);
    gate_json_close(json, ']');
    gate_json_key(json, "file");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_string(json, frames[p->frames[i]].file);
    gate_json_close(json, ']');
    gate_json_key(json, "line");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_integer(json, frames[p->frames[i]].start_line);
    gate_json_close(json, ']');
    gate_json_key(json, "id");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < p->row_count; i++)
        gate_json_integer(json, p->frames[i]);
    gate_json_close(json, ']');
    /* Half a 95 % interval in standard errors: boxes take their frame's. */
    gate_json_key(json, "critical");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < p->row_count; i++)
        payload_fixed(p, gate_student_t(0.025, p->comparison->frames[p->frames[i]].evidence[GATE_CUMULATIVE].df), 2);
    gate_json_close(json, ']');
    payload_measure(p, "self", GATE_SELF);
    payload_measure(p, "cumulative", GATE_CUMULATIVE);
    gate_json_close(json, '}');
}

static void payload_side(struct payload *p, const char *key, const int64_t value[GATE_SIDES]) {
    gate_json_key(&p->json, key);
    gate_json_open(&p->json, '[');
    gate_json_integer(&p->json, value[GATE_BASELINE] / p->scale);
    gate_json_integer(&p->json, value[GATE_CANARY] / p->scale);
    gate_json_close(&p->json, ']');
}

/* Depth-first with depths: parents need no column. */
static void payload_depths(struct payload *p, const struct gate_tree *tree) {
    gate_json_key(&p->json, "depth");
    gate_json_open(&p->json, '[');
    int64_t depth = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        gate_json_integer(&p->json, depth);
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
    gate_json_close(&p->json, ']');
}

static void payload_tree(struct payload *p, const struct gate_tree *tree) {
    struct gate_json *json = &p->json;
    gate_json_open(json, '{');
    payload_side(p, "pruned", tree->pruned);
    payload_depths(p, tree);
    gate_json_key(json, "frame");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < tree->count; i++)
        gate_json_integer(json, i == 0 ? -1 : (int64_t)p->rows[tree->nodes[i].frame]);
    gate_json_close(json, ']');
    static const char *const sides[] = {"base", "canary"};
    for (int side = 0; side < GATE_SIDES; side++) {
        gate_json_key(json, sides[side]);
        gate_json_open(json, '[');
        for (uint32_t i = 0; i < tree->count; i++)
            gate_json_integer(json, tree->nodes[i].total[side] / p->scale);
        gate_json_close(json, ']');
    }
    gate_json_key(json, "z");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < tree->count; i++)
        payload_fixed(p, tree->nodes[i].z, 2);
    gate_json_close(json, ']');
    gate_json_key(json, "significant");
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].is_significant)
            gate_json_integer(json, i);
    gate_json_close(json, ']');
    gate_json_close(json, '}');
}

bool gate_page_payload(struct gate_json *json, const struct gate_page *page, uint32_t index,
                       const struct gate_page_graph *graph, struct gate_error *err) {
    const struct gate_comparison *comparison = &page->verdict->comparisons[index];
    struct payload p = {.json = *json, .comparison = comparison, .graph = graph};
    p.scale = payload_scale(comparison, graph);
    if (!payload_choose(&p, page, index, err))
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
    gate_json_key(&p.json, "frameCount");
    gate_json_integer(&p.json, comparison->pair.frame_count);
    payload_frames(&p);
    gate_json_key(&p.json, "trees");
    gate_json_open(&p.json, '[');
    for (int t = 0; t < GATE_VIEWS; t++)
        payload_tree(&p, graph->trees[t]);
    gate_json_close(&p.json, ']');
    gate_json_close(&p.json, '}');
    *json = p.json;
    return true;
}
