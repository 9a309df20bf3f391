/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Scalene JSON: the Python stacks of its samples. */
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

#include <math.h>

#define NS_PER_S 1e9

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
static bool entry_add(struct gate_builder *builder, const json_t *entry, size_t number, uint32_t depth_max,
                      struct gate_error *err) {
    const json_t *stack = json_array_get(entry, 0), *sums = json_array_get(entry, 1);
    const json_t *python = json_object_get(sums, "python_time"), *native = json_object_get(sums, "c_time");
    const json_t *count = json_object_get(sums, "count");
    size_t depth = json_array_size(stack);
    double time_s = json_number_value(python) + json_number_value(native);
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
        builder->stack[depth - 1 - i] =
            frame_add(builder, (struct gate_str){json_string_value(frame), json_string_length(frame)});
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
 * Convert the entries of 'stacks' to pprof: samples/count and cpu/nanoseconds, the time in Python plus that in
 * native code.
 *
 * See gate_format_fill_json in formats/reader.h.
 */
static bool scalene_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                         struct gate_error *err) {
    const json_t *stacks = json_object_get(root, "stacks");
    if (json_array_size(stacks) == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "no stacks in 'stacks': record with 'scalene run --stacks'");
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    gate_builder_type(builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
    for (size_t i = 0; i < json_array_size(stacks); i++)
        if (!entry_add(builder, json_array_get(stacks, i), i, limits->depth, err))
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
