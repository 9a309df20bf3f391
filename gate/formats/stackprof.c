/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of stackprof (Ruby): the JSON that `stackprof --json` makes of its dumps. */
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"
#include "gate/model/profile.h"

enum { NS_PER_US = 1000 };

struct reading {
    struct gate_builder *builder;
    struct gate_arena *scratch;
    const struct gate_limits *limits;
    uint64_t *ids;       /* id + 1 of each frame, as 0 is not a valid id in gate_id_index */
    uint64_t *locations; /* of each frame */
    uint32_t frame_count;
    struct gate_id_index index;
    int64_t weight; /* value of one sample in the second column; 0: there is no such column */
    uint64_t *stack;
};

/* Choose the columns. The interval counts microseconds. In the mode 'object' a sample is one of many allocations, in
 * 'custom' an event that the program defines. */
static bool columns_add(struct reading *reading, const json_t *root, struct gate_error *err) {
    struct gate_builder *builder = reading->builder;
    struct gate_value_type type = {gate_json_text_of(root, "mode"), GATE_STR("nanoseconds")};
    json_int_t interval = json_integer_value(json_object_get(root, "interval"));
    gate_builder_type(builder, GATE_STR("samples"), GATE_STR("count"));
    if (!gate_str_equal(type.type, GATE_STR("cpu")) && !gate_str_equal(type.type, GATE_STR("wall")))
        return true;
    if (interval <= 0 || __builtin_mul_overflow(interval, NS_PER_US, &reading->weight))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a number above 0 in 'interval'");
    gate_builder_type(builder, type.type, type.unit);
    builder->header.period_type = type;
    builder->header.period = reading->weight;
    return true;
}

static bool frames_read(struct reading *reading, json_t *frames, struct gate_error *err) {
    const char *key;
    json_t *frame;
    uint64_t id = 0;
    size_t count = json_object_size(frames);
    if (count == 0 || count >= GATE_NO_INDEX) {
        (void)gate_error_set(err, GATE_ERR_FORMAT, "expected a map of frames in 'frames'");
        return false; /* explicit, for static analysis of this file alone */
    }
    reading->ids = GATE_NEW_ARRAY(reading->scratch, uint64_t, count);
    reading->locations = GATE_NEW_ARRAY(reading->scratch, uint64_t, count);
    if (reading->ids == NULL || reading->locations == NULL)
        return gate_arena_error(reading->scratch, err);
    json_object_foreach(frames, key, frame) {
        int64_t number = 0;
        json_int_t line = json_integer_value(json_object_get(frame, "line"));
        if (!gate_text_is_number(gate_str_from(key), &number) || number < 0 || number == INT64_MAX)
            return gate_error_set(err, GATE_ERR_FORMAT, "frames: expected a number as key, found '%.60s'", key);
        if (!json_is_string(json_object_get(frame, "name")))
            return gate_error_set(err, GATE_ERR_FORMAT, "frames[%lld]: expected a text in 'name'", (long long)number);
        reading->ids[reading->frame_count] = (uint64_t)number + 1;
        reading->locations[reading->frame_count++] = gate_builder_frame(
            reading->builder, gate_json_text_of(frame, "name"), gate_json_text_of(frame, "file"), line);
    }
    enum gate_id_fault fault = gate_id_index_build(&reading->index, reading->ids, sizeof *reading->ids,
                                                   reading->frame_count, reading->scratch, &id);
    if (fault == GATE_ID_MEMORY)
        return gate_arena_error(reading->scratch, err);
    return fault == GATE_ID_FINE ||
           gate_error_set(err, GATE_ERR_FORMAT, "two frames have the number %llu", (unsigned long long)(id - 1));
}

static bool stack_add(struct reading *reading, uint32_t depth, int64_t count, struct gate_error *err) {
    int64_t values[2] = {count, 0};
    struct gate_builder_sample sample = {.locations = reading->stack, .depth = depth, .values = values};
    if (__builtin_mul_overflow(count, reading->weight, &values[1]))
        return gate_error_set(err, GATE_ERR_OVERFLOW, "%lld samples are too many to multiply by the interval",
                              (long long)count);
    return gate_builder_sample(reading->builder, &sample, err);
}

/* Read 'raw': a list of DEPTH, the frames from the root to the leaf, COUNT. */
static bool raw_read(struct reading *reading, const json_t *raw, struct gate_error *err) {
    size_t size = json_array_size(raw);
    for (size_t at = 0; at < size;) {
        json_int_t depth = json_integer_value(json_array_get(raw, at));
        if (depth < 0 || (uint64_t)depth >= size - at - 1)
            return gate_error_set(err, GATE_ERR_FORMAT, "raw[%zu]: a stack of %lld frames exceeds the list", at,
                                  (long long)depth);
        if (depth > reading->limits->depth)
            return gate_error_set(err, GATE_ERR_LIMIT, "raw[%zu] is %lld frames deep; raise --max-depth", at,
                                  (long long)depth);
        for (json_int_t i = 0; i < depth; i++) {
            const json_t *id = json_array_get(raw, at + (size_t)(depth - i));
            uint32_t frame = !json_is_integer(id) || json_integer_value(id) < 0
                                 ? GATE_NO_INDEX
                                 : gate_id_index_find(&reading->index, (uint64_t)json_integer_value(id) + 1);
            if (frame == GATE_NO_INDEX)
                return gate_error_set(err, GATE_ERR_FORMAT, "raw[%zu] is not among the frames",
                                      at + (size_t)(depth - i));
            reading->stack[i] = reading->locations[frame];
        }
        at += (size_t)depth + 1;
        const json_t *count = json_array_get(raw, at);
        if (!json_is_integer(count) || json_integer_value(count) < 0)
            return gate_error_set(err, GATE_ERR_FORMAT, "raw[%zu]: expected the number of samples", at);
        if (!stack_add(reading, (uint32_t)depth, json_integer_value(count), err))
            return false;
        at++;
    }
    return true;
}

static bool flat_read(struct reading *reading, json_t *frames, struct gate_error *err) {
    const char *key;
    json_t *frame;
    uint32_t i = 0;
    gate_builder_comment(reading->builder, GATE_STR("stacks are one frame, as 'raw: true' was not given to stackprof"));
    json_object_foreach(frames, key, frame) {
        json_int_t count = json_integer_value(json_object_get(frame, "samples"));
        reading->stack[0] = reading->locations[i++];
        if (count < 0)
            return gate_error_set(err, GATE_ERR_FORMAT, "frames[%.20s]: expected 0 or more 'samples'", key);
        if (count != 0 && !stack_add(reading, 1, count, err))
            return false;
    }
    return true;
}

/* Return true if `text` is such a file. */
static bool stackprof_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) && gate_str_find(text, GATE_STR("\"total_samples\""), 0) != SIZE_MAX &&
           gate_json_text_has_key(text, GATE_STR("mode")) && gate_json_text_has_key(text, GATE_STR("frames"));
}

/*
 * Convert to pprof: samples/count. In the modes cpu and wall there is also a column of nanoseconds, the number of
 * samples times the interval. Stacks are those of 'raw'. Without 'raw', the self samples of each frame become a stack
 * of one frame, and a comment states that.
 *
 * See gate_format_fill_json in formats/reader.h.
 */
static bool stackprof_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                           struct gate_error *err) {
    struct reading reading = {.builder = builder, .scratch = builder->arena, .limits = limits, .stack = builder->stack};
    json_t *frames = json_object_get(root, "frames"), *raw = json_object_get(root, "raw");
    return columns_add(&reading, root, err) && frames_read(&reading, frames, err) &&
           (raw != NULL ? raw_read(&reading, raw, err) : flat_read(&reading, frames, err));
}

const struct gate_reader gate_stackprof_reader = {
    .name = "stackprof JSON",
    .is_text = true,
    .sniff = stackprof_sniff,
    .format = GATE_FORMAT_STACKPROF,
    .fill_json = stackprof_fill,
};
