/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of the JSON of profilers of Python: pyinstrument (`pyinstrument -r json`), a tree of calls with their time,
 * and Scalene, the Python stacks of its samples. */
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/labels.h"
#include "gate/model/limits.h"

#include <math.h>

#define NS_PER_S 1e9

/* ---- pyinstrument ------------------------------------------------------------------------------------------------ */

/* pyinstrument leaves out calls of less than this part of the time, unless its filter_threshold is set. */
static const double PRUNED_PART = 0.01;

/* It writes times in microseconds. */
static const double ROUNDED_S = 1e-6;

/* A call on the path from the root. */
struct step {
    const json_t *children;
    size_t next;
    double self_s;  /* its time minus that of its callees so far */
    double shown_s; /* the time of its '[self]' */
};

struct reading {
    struct gate_builder *builder;
    double least_s;  /* the shortest call so far */
    bool lacks_time; /* some call has more time than its callees and its '[self]' show */
    struct step *path;
    uint64_t *locations; /* locations of the path, leaf first, filled from the end */
    uint32_t depth, depth_max;
};

static double time_of(const json_t *frame) {
    return json_number_value(json_object_get(frame, "time"));
}

/* pyinstrument adds "[self]" below a call for the call's own time. */
static bool is_self(const json_t *frame) {
    return gate_str_equal(gate_json_text_of(frame, "function"), GATE_STR("[self]"));
}

static bool call_enter(struct reading *reading, const json_t *frame, struct gate_error *err) {
    const json_t *time = json_object_get(frame, "time");
    json_int_t line = json_integer_value(json_object_get(frame, "line_no"));
    if (reading->depth == reading->depth_max)
        return gate_limits_too_deep(reading->depth_max, err);
    if (!json_is_string(json_object_get(frame, "function")) || !json_is_number(time) ||
        !(fabs(json_number_value(time)) < 9e9))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a call at depth %u: expected a text in 'function' and seconds in "
                              "'time'",
                              reading->depth);
    reading->least_s = fmin(reading->least_s, json_number_value(time));
    reading->path[reading->depth++] = (struct step){json_object_get(frame, "children"), 0, time_of(frame), 0};
    reading->locations[reading->depth_max - reading->depth] = gate_builder_frame(
        reading->builder, gate_json_text_of(frame, "function"), gate_json_text_of(frame, "file_path"), line);
    return true;
}

/* Leave the innermost call, and add its own time. Rounding may leave a few nanoseconds below 0. */
static bool call_leave(struct reading *reading, struct gate_error *err) {
    struct step *step = &reading->path[reading->depth - 1];
    size_t children = json_array_size(step->children);
    int64_t self_ns = llround(step->self_s * NS_PER_S);
    double rounding_s = ROUNDED_S * (double)(children + 1);
    reading->lacks_time |= children > 0 && step->self_s - step->shown_s > rounding_s;
    struct gate_builder_sample sample = {.locations = reading->locations + reading->depth_max - reading->depth,
                                         .depth = reading->depth,
                                         .values = &self_ns};
    reading->depth--;
    return self_ns <= 0 || gate_builder_sample(reading->builder, &sample, err);
}

/* Walk the tree without recursion, as JSON may be nested deeply. */
static bool tree_read(struct reading *reading, const json_t *root, struct gate_error *err) {
    if (!call_enter(reading, root, err))
        return false;
    while (reading->depth != 0) {
        struct step *step = &reading->path[reading->depth - 1];
        if (step->next == json_array_size(step->children)) {
            if (!call_leave(reading, err))
                return false;
            continue;
        }
        const json_t *child = json_array_get(step->children, step->next++);
        if (is_self(child)) {
            step->shown_s += time_of(child);
            continue;
        }
        if (!call_enter(reading, child, err))
            return false;
        step->self_s -= time_of(child);
    }
    return true;
}

/* Return true if `text` is such a file. */
static bool pyinstrument_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) && gate_json_text_has_key(text, GATE_STR("root_frame")) &&
           gate_json_text_has_key(text, GATE_STR("sample_count"));
}

/*
 * Convert pyinstrument's JSON to pprof: wall/nanoseconds, the time of a call minus that of its callees. The entry
 * '[self]' that pyinstrument adds below a call belongs to the call. The period is the mean time of a sample. If no call
 * has less than 1% of the time, and some have more time than their callees and '[self]' show, pyinstrument left calls
 * out, and the profile has a comment.
 *
 * See gate_format_fill_json in formats/reader.h.
 */
static bool pyinstrument_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                              struct gate_error *err) {
    struct reading reading = {
        .builder = builder, .least_s = INFINITY, .locations = builder->stack, .depth_max = limits->depth};
    const json_t *top = json_object_get(root, "root_frame");
    double count = json_number_value(json_object_get(root, "sample_count")), period = 0;
    reading.path = gate_arena_alloc(builder->arena, ((size_t)limits->depth + 1) * sizeof *reading.path);
    if (reading.path == NULL)
        return gate_arena_error(builder->arena, err);
    if (!json_is_object(top))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a call in 'root_frame': the profile has no samples");
    gate_builder_type(builder, GATE_STR("wall"), GATE_STR("nanoseconds"));
    period = count > 0 ? time_of(top) / count * NS_PER_S : 0;
    if (period >= 1 && period < 9e18) {
        builder->header.period_type = builder->types[0];
        builder->header.period = llround(period);
    }
    if (!tree_read(&reading, top, err))
        return false;
    if (reading.lacks_time && reading.least_s >= PRUNED_PART * time_of(top))
        gate_builder_comment(builder, GATE_STR(GATE_COMMENT_PRUNED));
    return true;
}

const struct gate_reader gate_pyinstrument_reader = {
    .name = "pyinstrument JSON",
    .is_text = true,
    .sniff = pyinstrument_sniff,
    .format = GATE_FORMAT_PYINSTRUMENT,
    .fill_json = pyinstrument_fill,
};

/* ---- Scalene ----------------------------------------------------------------------------------------------------- */

/* Add the frame "/srv/shop.py main:11;". Function names have no blanks. */
static uint64_t frame_add(struct gate_builder *builder, struct gate_str text) {
    int64_t line = 0;
    if (gate_str_ends(text, GATE_STR(";")))
        text.len--;
    size_t colon = gate_str_behind_last(text, ':');
    if (colon > 1 && gate_text_is_number(gate_str_slice(text, colon, text.len), &line) && line > 0 && line < INT32_MAX)
        text.len = colon - 1;
    else
        line = 0;
    size_t blank = gate_str_behind_last(text, ' ');
    struct gate_str file = gate_str_slice(text, 0, blank == 0 ? 0 : blank - 1);
    return gate_builder_frame(builder, gate_str_slice(text, blank, text.len), file, line);
}

/* Add an entry [["FILE FUNCTION:LINE;", …], {"count": 3, "python_time": 0.1, "c_time": 0.2}]; the root is first. */
static bool entry_add(struct gate_builder *builder, const json_t *entry, size_t number, double total_s,
                      uint32_t depth_max, struct gate_error *err) {
    const json_t *stack = json_array_get(entry, 0), *sums = json_array_get(entry, 1);
    const json_t *python = json_object_get(sums, "python_time"), *native = json_object_get(sums, "c_time");
    const json_t *count = json_object_get(sums, "count");
    size_t depth = json_array_size(stack);
    double time_s = (json_number_value(python) + json_number_value(native)) * total_s;
    if (!json_is_array(stack) || !json_is_integer(count) || !json_is_number(python) || !json_is_number(native))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "stacks[%zu]: expected a list and numbers in 'count', 'python_time' and 'c_time'",
                              number);
    if (json_integer_value(count) < 0 || !(time_s >= 0) || !(time_s < 9e9))
        return gate_error_set(err, GATE_ERR_FORMAT, "stacks[%zu]: its count or time is out of range", number);
    if (depth > depth_max)
        return gate_error_set(err, GATE_ERR_LIMIT, "stacks[%zu] is %zu frames deep; raise --max-depth", number, depth);
    for (size_t i = 0; i < depth; i++) {
        const json_t *frame = json_array_get(stack, i);
        if (!json_is_string(frame))
            return gate_error_set(err, GATE_ERR_FORMAT, "stacks[%zu]: expected texts as frames", number);
        builder->stack[depth - 1 - i] = frame_add(builder, gate_json_tree_text(frame));
    }
    int64_t values[2] = {json_integer_value(count), llround(time_s * NS_PER_S)};
    struct gate_builder_sample sample = {.locations = builder->stack, .depth = (uint32_t)depth, .values = values};
    return gate_builder_sample(builder, &sample, err);
}

/* Return true if `text` is such a file. */
static bool scalene_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) && gate_str_find(text, GATE_STR("\"growth_rate\""), 0) != SIZE_MAX &&
           gate_json_text_has_key(text, GATE_STR("alloc_samples")) && gate_json_text_has_key(text, GATE_STR("files"));
}

/*
 * Convert the entries of 'stacks' to pprof: samples/count and wall/nanoseconds, the time in Python plus that in native
 * code, waiting included. Scalene divides the times of the stacks by the time of all samples, so they are multiplied by
 * 'elapsed_time_sec', or by a second without it.
 *
 * See gate_format_fill_json in formats/reader.h.
 */
static bool scalene_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                         struct gate_error *err) {
    const json_t *stacks = json_object_get(root, "stacks");
    double elapsed_s = json_number_value(json_object_get(root, "elapsed_time_sec"));
    if (json_array_size(stacks) == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "no stacks in 'stacks': record with 'scalene run --stacks'");
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(builder, GATE_STR("wall"), GATE_STR("nanoseconds"));
    for (size_t i = 0; i < json_array_size(stacks); i++)
        if (!entry_add(builder, json_array_get(stacks, i), i, elapsed_s > 0 ? elapsed_s : 1.0, limits->depth, err))
            return false;
    return true;
}

const struct gate_reader gate_scalene_reader = {
    .name = "Scalene JSON",
    .is_text = true,
    .sniff = scalene_sniff,
    .format = GATE_FORMAT_SCALENE,
    .fill_json = scalene_fill,
};
