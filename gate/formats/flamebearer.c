/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Pyroscope's flamebearer JSON: a flame graph, level by level. */
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/model/limits.h"

enum { FIELDS = 4 }; /* fields of a bar: distance, total, self, name */

/* One bar. `start` is its offset from the left, in values; `parent` is the index of the bar below it. */
struct bar {
    int64_t start, total;
    uint64_t location;
    size_t parent;
};

struct graph {
    struct gate_builder *builder;
    struct gate_arena *scratch;
    struct bar *bars; /* level by level, from left to right */
    size_t count, capacity;
    size_t below, below_end; /* range of the bars of the previous level */
    uint64_t *names;         /* location of each name */
    size_t name_count;
    uint64_t *stack; /* leaf first */
    uint32_t depth_max;
};

static bool names_read(struct graph *graph, const json_t *names, struct gate_error *err) {
    graph->name_count = json_array_size(names);
    graph->names = GATE_NEW_ARRAY(graph->scratch, uint64_t, graph->name_count);
    if (graph->names == NULL)
        return gate_arena_error(graph->scratch, err);
    if (!json_is_array(names))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a list in 'flamebearer.names'");
    for (size_t i = 0; i < graph->name_count; i++) {
        const json_t *name = json_array_get(names, i);
        if (!json_is_string(name))
            return gate_error_set(err, GATE_ERR_FORMAT, "flamebearer.names[%zu]: expected a text", i);
        struct gate_str text = {json_string_value(name), json_string_length(name)};
        graph->names[i] = gate_builder_frame(graph->builder, text, GATE_STR(""), 0);
    }
    return true;
}

static bool misplaced(size_t level, size_t i, const char *why, struct gate_error *err) {
    return gate_error_set(err, GATE_ERR_FORMAT, "flamebearer.levels[%zu][%zu]: %s", level, i, why);
}

/* Find the bar of the previous level that contains `bar`. `*at` advances from left to right with the bars. */
static bool parent_find(const struct graph *graph, struct bar *bar, size_t *at) {
    while (*at < graph->below_end && graph->bars[*at].start + graph->bars[*at].total <= bar->start)
        ++*at;
    bar->parent = *at;
    return *at < graph->below_end && graph->bars[*at].start <= bar->start &&
           bar->start + bar->total <= graph->bars[*at].start + graph->bars[*at].total;
}

static bool self_add(struct graph *graph, const struct bar *bar, int64_t self, size_t level, struct gate_error *err) {
    uint32_t depth = 0;
    if (self == 0)
        return true;
    for (size_t left = level; left > 0; left--, bar = &graph->bars[bar->parent])
        graph->stack[depth++] = bar->location;
    struct gate_builder_sample sample = {.locations = graph->stack, .depth = depth, .values = &self};
    return gate_builder_sample(graph->builder, &sample, err);
}

/* Read the four fields of one bar. `*end` is the end of the bars before it on its level. */
static bool bar_read(struct graph *graph, const json_t *row, size_t level, size_t i, int64_t *end, size_t *below,
                     struct gate_error *err) {
    int64_t fields[FIELDS];
    for (size_t j = 0; j < FIELDS; j++) {
        const json_t *field = json_array_get(row, i + j);
        if (!json_is_integer(field) || json_integer_value(field) < 0)
            return misplaced(level, i + j, "expected a whole number of 0 or more", err);
        fields[j] = json_integer_value(field);
    }
    struct bar bar = {.total = fields[1]};
    if (__builtin_add_overflow(*end, fields[0], &bar.start) || __builtin_add_overflow(bar.start, bar.total, end))
        return gate_error_set(err, GATE_ERR_OVERFLOW, "flamebearer.levels[%zu]: its values do not fit in 64 bits",
                              level);
    if ((uint64_t)fields[3] >= graph->name_count)
        return misplaced(level, i + 3, "no name of 'flamebearer.names' has this number", err);
    if (fields[2] > bar.total)
        return misplaced(level, i + 2, "a self value that is more than the total before it", err);
    if (bar.total == 0)
        return true; /* an empty bar has no bars above it and adds nothing */
    bar.location = graph->names[fields[3]];
    if (level != 0 && !parent_find(graph, &bar, below))
        return misplaced(level, i, "a bar without a parent in the level before", err);
    if (!GATE_APPEND(graph->scratch, graph->bars, graph->count, graph->capacity, err, bar))
        return false;
    return self_add(graph, &bar, fields[2], level, err);
}

static bool levels_add(struct graph *graph, const json_t *levels, struct gate_error *err) {
    if (json_array_size(levels) == 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a list of levels in 'flamebearer.levels'");
    if (json_array_size(levels) > (size_t)graph->depth_max + 1)
        return gate_error_set(err, GATE_ERR_LIMIT, "the graph has %zu levels; raise --max-depth",
                              json_array_size(levels));
    for (size_t level = 0; level < json_array_size(levels); level++) {
        const json_t *row = json_array_get(levels, level);
        size_t first = graph->count, below = graph->below;
        int64_t end = 0;
        if (!json_is_array(row) || json_array_size(row) % FIELDS != 0)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "flamebearer.levels[%zu]: expected a list of numbers, four of each bar", level);
        for (size_t i = 0; i < json_array_size(row); i += FIELDS)
            if (!bar_read(graph, row, level, i, &end, &below, err))
                return false;
        graph->below = first;
        graph->below_end = graph->count;
    }
    return true;
}

/* Select the sample type from Pyroscope's units. */
static void type_choose(struct graph *graph, const json_t *metadata) {
    static const struct {
        const char *units, *type, *unit;
    } types[] = {{"objects", "objects", "count"},
                 {"bytes", "space", "bytes"},
                 {"lock_nanoseconds", "delay", "nanoseconds"},
                 {"lock_samples", "contentions", "count"},
                 {"goroutines", "goroutine", "count"}};
    struct gate_str units = gate_json_text_of(metadata, "units");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (gate_str_equal(units, gate_str_from(types[i].units))) {
            gate_builder_type(graph->builder, gate_str_from(types[i].type), gate_str_from(types[i].unit));
            return;
        }
    if (json_integer_value(json_object_get(metadata, "sampleRate")) == 1000000000)
        gate_builder_type(graph->builder, GATE_STR("cpu"), GATE_STR("nanoseconds"));
    else
        gate_builder_type(graph->builder, GATE_STR("samples"), GATE_STR("count"));
}

/*
 * Convert a flamebearer file to pprof. See gate_format_fill_json in formats/reader.h.
 *
 * 'metadata.units' selects the only column: samples/count; cpu/nanoseconds if 'sampleRate' is 1e9, as it is since
 * Pyroscope 1.0; objects/count, space/bytes, delay/nanoseconds, contentions/count, goroutine/count.
 *
 * Each level of the graph lists bars: distance to the previous bar, total, self value, name. The bar below is the
 * caller. The first level is the total, which is not a frame. Nodes cut off by the server's limit are the frame
 * 'other'.
 */
static bool flamebearer_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                             struct gate_error *err) {
    struct graph graph = {
        .builder = builder, .scratch = builder->arena, .stack = builder->stack, .depth_max = limits->depth};
    const json_t *metadata = json_object_get(root, "metadata");
    const json_t *drawing = json_object_get(root, "flamebearer");
    struct gate_str format = gate_json_text_of(metadata, "format");
    if (gate_str_equal(format, GATE_STR("double")))
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a comparison of two profiles (format 'double'): give the two, each rendered alone");
    if (!gate_str_equal(format, GATE_STR("single")))
        return gate_error_set(err, GATE_ERR_FORMAT, "metadata.format: expected 'single', found '%.*s'",
                              GATE_STR_ARG(gate_str_slice(format, 0, 40)));
    type_choose(&graph, metadata);
    return names_read(&graph, json_object_get(drawing, "names"), err) &&
           levels_add(&graph, json_object_get(drawing, "levels"), err);
}

/* Return true for a flamebearer file of Pyroscope, with one profile or two. O(bytes). */
static bool is_flamebearer(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) && gate_str_find(text, GATE_STR("\"flamebearer\""), 0) != SIZE_MAX &&
           gate_json_text_has_key(text, GATE_STR("flamebearer"));
}

const struct gate_reader gate_flamebearer_reader = {
    .name = "Pyroscope flamebearer JSON",
    .is_text = true,
    .sniff = is_flamebearer,
    .format = GATE_FORMAT_FLAMEBEARER,
    .fill_json = flamebearer_fill,
};
