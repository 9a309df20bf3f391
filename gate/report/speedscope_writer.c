/* SPDX-License-Identifier: Apache-2.0 */
/* Speedscope JSON. */
#include "gate/base/json_io.h"
#include "gate/report/report.h"

/* Units that speedscope supports; for any other unit numbers have none. */
static const char *speedscope_unit(struct gate_str unit) {
    static const char *const units[] = {"nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (gate_str_equal(unit, gate_str_from(units[i])))
            return units[i];
    return "none";
}

static void speedscope_stack(struct gate_json *json, const struct gate_tree *tree, uint32_t first_frame,
                             const uint32_t *path, uint32_t depth) {
    gate_json_open(json, '[');
    for (uint32_t i = 0; i < depth; i++)
        gate_json_integer(json, (int64_t)first_frame + tree->nodes[path[i]].frame);
    gate_json_close(json, ']');
}

static void speedscope_side(struct gate_json *json, const struct gate_comparison *comparison,
                            const struct gate_tree *tree, uint32_t first_frame, enum gate_side_name side,
                            uint32_t *path) {
    struct gate_buf *name = &(struct gate_buf){0};
    gate_buf_str(name, comparison->name);
    gate_buf_text(name, side == GATE_BASELINE ? " baseline" : " canary");
    gate_json_open(json, '{');
    gate_json_put_text(json, "type", "sampled");
    gate_json_put_string(json, "name", gate_buf_view(name));
    gate_buf_free_part(json->out, name);
    gate_json_put_text(json, "unit", speedscope_unit(comparison->pair.type.unit));
    gate_json_put_integer(json, "startValue", 0);
    gate_json_put_integer(json, "endValue", tree->nodes[0].total[side]);
    gate_json_put_open(json, "samples", '[');
    uint32_t depth = 0;
    for (uint32_t node = 0; node < tree->count && !json->out->failed; node++) {
        depth = gate_trees_path_next(tree, node, path, depth);
        if (tree->nodes[node].self[side] != 0)
            speedscope_stack(json, tree, first_frame, path, depth);
    }
    gate_json_close(json, ']');
    gate_json_put_open(json, "weights", '[');
    for (uint32_t node = 0; node < tree->count; node++)
        if (tree->nodes[node].self[side] != 0)
            gate_json_integer(json, tree->nodes[node].self[side]);
    gate_json_close_all(json, "]}");
}

static void speedscope_frames(struct gate_json *json, const struct gate_verdict *verdict) {
    gate_json_put_open(json, "shared", '{');
    gate_json_put_open(json, "frames", '[');
    for (uint32_t c = 0; c < verdict->comparison_count; c++) {
        const struct gate_pair *pair = &verdict->comparisons[c].pair;
        for (uint32_t i = 0; i < pair->frame_count; i++) {
            gate_json_open(json, '{');
            gate_json_put_string(json, "name", pair->frames[i].name);
            if (pair->frames[i].file.len > 0) {
                gate_json_put_string(json, "file", pair->frames[i].file);
            }
            if (pair->frames[i].start_line > 0) {
                gate_json_put_integer(json, "line", pair->frames[i].start_line);
            }
            gate_json_close(json, '}');
        }
    }
    gate_json_close_all(json, "]}");
}

static bool speedscope_comparison(struct gate_json *json, const struct gate_comparison *comparison,
                                  uint32_t first_frame, struct gate_arena *arena, struct gate_error *err) {
    struct gate_tree tree;
    if (!gate_trees_whole(&tree, comparison, arena, err))
        return false;
    uint32_t *path = GATE_NEW_ARRAY(arena, uint32_t, tree.depth);
    if (path == NULL)
        return gate_arena_error(arena, err);
    speedscope_side(json, comparison, &tree, first_frame, GATE_BASELINE, path);
    speedscope_side(json, comparison, &tree, first_frame, GATE_CANARY, path);
    return true;
}

static bool report_speedscope(struct gate_buf *out, const struct gate_verdict *verdict,
                              const struct gate_report_options *options, struct gate_arena *arena,
                              struct gate_error *err) {
    (void)options;
    struct gate_json json = {.out = out};
    gate_json_open(&json, '{');
    gate_json_put_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    gate_json_put_text(&json, "exporter", "pprofgate " GATE_VERSION);
    gate_json_put_integer(&json, "activeProfileIndex", 1);
    speedscope_frames(&json, verdict);
    gate_json_put_open(&json, "profiles", '[');
    uint32_t first_frame = 0;
    for (uint32_t i = 0; i < verdict->comparison_count; i++) {
        if (!speedscope_comparison(&json, &verdict->comparisons[i], first_frame, arena, err))
            return false;
        first_frame += verdict->comparisons[i].pair.frame_count;
    }
    gate_json_close_all(&json, "]}");
    gate_buf_char(out, '\n');
    return gate_buf_check(out, err);
}

const struct gate_report_format gate_report_speedscope = {
    .name = "speedscope",
    .is_rare = true,
    .mark = GATE_OWN_SPEEDSCOPE,
    .help = "both sides for speedscope",
    .write = report_speedscope,
    .walks_stacks = true,
};
