/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of speedscope JSON: sampled or evented profiles that share a table of frames. */
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/model/limits.h"

#include <math.h>

struct document {
    struct gate_builder *builder;
    struct gate_arena *scratch;
    uint64_t *frames; /* location of each shared frame */
    size_t frame_count;
    uint64_t *stack; /* leaf first, filled from the end */
    uint32_t depth_max;
    double factor;     /* stored values per unit of the file */
    bool counts;       /* every profile is sampled, so the first column counts samples */
    bool is_of_memray; /* memray counts every allocation */
    bool is_heap;      /* the file has profiles of bytes and of numbers: the columns are objects and space */
    bool is_space;     /* if is_heap: the current profile is of bytes */
};

static bool frames_read(struct document *document, const json_t *frames, struct gate_error *err) {
    document->frame_count = json_array_size(frames);
    document->frames = GATE_NEW_ARRAY(document->scratch, uint64_t, document->frame_count);
    if (document->frames == NULL)
        return gate_arena_error(document->scratch, err);
    if (!json_is_array(frames))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a list in 'shared.frames'");
    for (size_t i = 0; i < document->frame_count; i++) {
        const json_t *frame = json_array_get(frames, i);
        json_int_t line = json_integer_value(json_object_get(frame, "line"));
        if (!json_is_string(json_object_get(frame, "name")))
            return gate_error_set(err, GATE_ERR_FORMAT, "shared.frames[%zu]: expected a text in 'name'", i);
        document->frames[i] = gate_builder_frame(document->builder, gate_json_text_of(frame, "name"),
                                                 gate_json_text_of(frame, "file"), line);
    }
    return true;
}

static bool frame_find(const struct document *document, const json_t *index, uint64_t *location) {
    json_int_t i = json_integer_value(index);
    if (!json_is_integer(index) || i < 0 || (uint64_t)i >= document->frame_count)
        return false;
    *location = document->frames[i];
    return true;
}

/* Add a sample with the last `depth` entries of the stack buffer, leaf first. */
static bool stack_add(struct document *document, uint32_t depth, double weight, struct gate_error *err) {
    double scaled = weight * document->factor;
    if (!isfinite(scaled) || fabs(scaled) >= 9e18)
        return gate_error_set(err, GATE_ERR_FORMAT, "a weight of %g is out of range", weight);
    int64_t value = llround(scaled);
    int64_t values[2] = {document->counts ? 1 : value, value};
    if (document->is_heap)
        values[document->is_space ? 0 : 1] = 0;
    struct gate_builder_sample sample = {
        .locations = document->stack + document->depth_max - depth, .depth = depth, .values = values};
    return gate_builder_sample(document->builder, &sample, err);
}

static bool sampled_add(struct document *document, const json_t *profile, size_t number, struct gate_error *err) {
    const json_t *samples = json_object_get(profile, "samples");
    const json_t *weights = json_object_get(profile, "weights");
    size_t count = json_array_size(samples);
    if (!json_is_array(samples) || !json_is_array(weights) || json_array_size(weights) != count)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "profiles[%zu]: expected as many 'weights' as 'samples', found %zu and %zu", number,
                              json_array_size(weights), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *stack = json_array_get(samples, i);
        size_t depth = json_array_size(stack);
        if (depth > document->depth_max)
            return gate_error_set(err, GATE_ERR_LIMIT,
                                  "profiles[%zu].samples[%zu] is %zu frames deep; raise --max-depth", number, i, depth);
        for (size_t j = 0; j < depth; j++)
            if (!frame_find(document, json_array_get(stack, j), &document->stack[document->depth_max - 1 - j]))
                return gate_error_set(err, GATE_ERR_FORMAT, "profiles[%zu].samples[%zu][%zu] is not in 'shared.frames'",
                                      number, i, j);
        if (!json_is_array(stack) || !json_is_number(json_array_get(weights, i)))
            return gate_error_set(err, GATE_ERR_FORMAT, "profiles[%zu].samples[%zu]: expected a list and a weight",
                                  number, i);
        if (!stack_add(document, (uint32_t)depth, json_number_value(json_array_get(weights, i)), err))
            return false;
    }
    return true;
}

static bool event_apply(struct document *document, const json_t *event, uint32_t *depth, struct gate_error *err) {
    struct gate_str type = gate_json_text_of(event, "type");
    uint64_t location = 0;
    if (!frame_find(document, json_object_get(event, "frame"), &location))
        return gate_error_set(err, GATE_ERR_FORMAT, "its frame is not in 'shared.frames'");
    if (gate_str_equal(type, GATE_STR("O"))) {
        if (*depth == document->depth_max)
            return gate_error_set(err, GATE_ERR_LIMIT, "more than %u frames are open; raise --max-depth",
                                  document->depth_max);
        document->stack[document->depth_max - ++*depth] = location;
        return true;
    }
    if (!gate_str_equal(type, GATE_STR("C")))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected type 'O' or 'C', found '%.*s'", GATE_STR_ARG(type));
    if (*depth == 0 || document->stack[document->depth_max - *depth] != location)
        return gate_error_set(err, GATE_ERR_FORMAT, "it closes a frame that is not the innermost open one");
    --*depth;
    return true;
}

static bool evented_add(struct document *document, const json_t *profile, size_t number, struct gate_error *err) {
    const json_t *events = json_object_get(profile, "events");
    double last = json_number_value(json_object_get(profile, "startValue"));
    double end = json_number_value(json_object_get(profile, "endValue"));
    uint32_t depth = 0;
    if (!json_is_array(events))
        return gate_error_set(err, GATE_ERR_FORMAT, "profiles[%zu]: expected a list in 'events'", number);
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        const json_t *at = json_object_get(event, "at");
        double now = json_number_value(at);
        if (!json_is_number(at) || (i > 0 && now < last))
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "profiles[%zu].events[%zu]: expected a time 'at' that does not go back", number, i);
        if (depth != 0 && now > last && !stack_add(document, depth, now - last, err))
            return false;
        if (!event_apply(document, event, &depth, err))
            return gate_error_prefix(err, "profiles[%zu].events[%zu]", number, i);
        last = now;
    }
    return depth == 0 || end <= last || stack_add(document, depth, end - last, err);
}

static bool has_unit(const json_t *profile, const char *unit) {
    return gate_str_equal(gate_json_text_of(profile, "unit"), gate_str_from(unit));
}

/* Return true if there are profiles of bytes and profiles of numbers, and no others, as memray writes them. */
static bool is_heap(const json_t *profiles) {
    bool has_bytes = false, has_numbers = false;
    for (size_t i = 0; i < json_array_size(profiles); i++) {
        const json_t *profile = json_array_get(profiles, i);
        has_bytes |= has_unit(profile, "bytes");
        has_numbers |= has_unit(profile, "none");
        if (!has_unit(profile, "bytes") && !has_unit(profile, "none"))
            return false;
    }
    return has_bytes && has_numbers;
}

/* Select the stored type and unit for the format's unit, and the factor between the units. */
static bool unit_choose(struct document *document, const json_t *profiles, struct gate_error *err) {
    static const struct {
        const char *unit;
        const char *type, *stored;
        double factor;
    } units[] = {{"none", "samples", "count", 1},
                 {"nanoseconds", "wall", "nanoseconds", 1},
                 {"microseconds", "wall", "nanoseconds", 1e3},
                 {"milliseconds", "wall", "nanoseconds", 1e6},
                 {"seconds", "wall", "nanoseconds", 1e9},
                 {"bytes", "space", "bytes", 1}};
    struct gate_str unit = gate_json_text_of(json_array_get(profiles, 0), "unit");
    if (is_heap(profiles)) {
        if (document->is_of_memray)
            gate_builder_exact(document->builder, GATE_STR("bytes"));
        document->is_heap = true;
        document->factor = 1;
        gate_builder_type(document->builder, GATE_STR("objects"), GATE_STR("count"));
        gate_builder_type(document->builder, GATE_STR("space"), GATE_STR("bytes"));
        return true;
    }
    document->counts = true;
    for (size_t i = 0; i < json_array_size(profiles); i++) {
        const json_t *profile = json_array_get(profiles, i);
        if (!gate_str_equal(gate_json_text_of(profile, "unit"), unit))
            return gate_error_set(err, GATE_ERR_FORMAT, "profiles[%zu] is in '%.*s', the first one in '%.*s'", i,
                                  GATE_STR_ARG(gate_json_text_of(profile, "unit")), GATE_STR_ARG(unit));
        document->counts &= gate_str_equal(gate_json_text_of(profile, "type"), GATE_STR("sampled"));
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!gate_str_equal(unit, gate_str_from(units[i].unit)))
            continue;
        document->counts &= i != 0;
        document->factor = units[i].factor;
        if (document->counts)
            gate_builder_type(document->builder, GATE_STR("samples"), GATE_STR("count"));
        gate_builder_type(document->builder, gate_str_from(units[i].type), gate_str_from(units[i].stored));
        return true;
    }
    return gate_error_set(err, GATE_ERR_FORMAT, "profiles[0]: unknown unit '%.*s'", GATE_STR_ARG(unit));
}

static bool profiles_add(struct document *document, const json_t *root, struct gate_error *err) {
    const json_t *profiles = json_object_get(root, "profiles");
    if (json_array_size(profiles) == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a list in 'profiles'");
    document->is_of_memray = gate_str_starts(gate_json_text_of(root, "exporter"), GATE_STR("memray"));
    if (!unit_choose(document, profiles, err) ||
        !frames_read(document, json_object_get(json_object_get(root, "shared"), "frames"), err))
        return false;
    for (size_t i = 0; i < json_array_size(profiles); i++) {
        const json_t *profile = json_array_get(profiles, i);
        bool sampled = gate_str_equal(gate_json_text_of(profile, "type"), GATE_STR("sampled"));
        bool evented = gate_str_equal(gate_json_text_of(profile, "type"), GATE_STR("evented"));
        document->is_space = has_unit(profile, "bytes");
        if (!sampled && !evented)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "profiles[%zu]: expected type 'sampled' or 'evented', found '%.*s'", i,
                                  GATE_STR_ARG(gate_json_text_of(profile, "type")));
        if (!(sampled ? sampled_add(document, profile, i, err) : evented_add(document, profile, i, err)))
            return false;
    }
    return true;
}

/* Return true for a JSON object that contains the URL of speedscope's schema anywhere. */
static bool speedscope_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) &&
           gate_str_find(text, GATE_STR("speedscope.app/file-format-schema"), 0) != SIZE_MAX;
}

/*
 * Convert speedscope JSON to pprof. Sampled profiles have counts of samples; evented ones only durations. See
 * gate_format_fill_json in formats/reader.h.
 */
static bool speedscope_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                            struct gate_error *err) {
    struct document document = {
        .builder = builder, .scratch = builder->arena, .stack = builder->stack, .depth_max = limits->depth};
    return profiles_add(&document, root, err);
}

const struct gate_reader gate_speedscope_reader = {
    .name = "speedscope JSON",
    .is_text = true,
    .sniff = speedscope_sniff,
    .format = GATE_FORMAT_SPEEDSCOPE,
    .preempted_languages = 1u << GATE_LANGUAGE_PYTHON,
    .fill_json = speedscope_fill,
};
