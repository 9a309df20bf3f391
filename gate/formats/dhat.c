/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of DHAT files (valgrind --tool=dhat, dhat-rs): each allocation site with its stack. Source: valgrind's
 * source of DHAT, "File format". */
#include "gate/formats/dhat.h"

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/pprof_write.h"
#include "gate/formats/valgrind_frame.h"
#include "gate/model/limits.h"

/* A column: the key of its value at an allocation site. */
struct column {
    const char *key, *type, *unit;
};

static const struct column heap_columns[] = {
    {"gbk", "peak_objects", "count"}, {"gb", "peak_space", "bytes"},     {"ebk", "inuse_objects", "count"},
    {"eb", "inuse_space", "bytes"},   {"tbk", "alloc_objects", "count"}, {"tb", "alloc_space", "bytes"},
};

static const struct column event_columns[] = {{"tbk", "events", "count"}, {"tb", "units", "count"}};

enum { LIFETIME_COLUMNS = 4, COLUMNS_MAX = sizeof heap_columns / sizeof *heap_columns };

struct reading {
    struct gate_builder builder;
    struct gate_arena *scratch;
    const struct gate_limits *limits;
    const struct column *columns;
    uint32_t column_count;
    const json_t *table; /* 'ftbl', the frames as texts */
    uint64_t *frames;    /* location of each entry; 0: not added yet */
    size_t frame_count;
    uint64_t *stack;
};

static void columns_add(struct reading *reading, const json_t *root) {
    bool has_lifetimes = json_is_true(json_object_get(root, "bklt"));
    reading->columns = has_lifetimes ? heap_columns : heap_columns + LIFETIME_COLUMNS;
    reading->column_count = has_lifetimes ? COLUMNS_MAX : COLUMNS_MAX - LIFETIME_COLUMNS;
    if (gate_str_equal(gate_json_text_of(root, "mode"), GATE_STR("ad-hoc")) ||
        gate_str_equal(gate_json_text_of(root, "mode"), GATE_STR("rust-ad-hoc"))) {
        reading->columns = event_columns;
        reading->column_count = 2;
    }
    for (uint32_t i = 0; i < reading->column_count; i++)
        gate_builder_type(&reading->builder, gate_str_from(reading->columns[i].type),
                          gate_str_from(reading->columns[i].unit));
}

static bool frames_read(struct reading *reading, const json_t *frames, struct gate_error *err) {
    reading->frame_count = json_array_size(frames);
    reading->frames = GATE_NEW_ARRAY(reading->scratch, uint64_t, reading->frame_count);
    reading->stack = gate_arena_alloc(reading->scratch, ((size_t)reading->limits->depth + 1) * sizeof(uint64_t));
    if (reading->frames == NULL || reading->stack == NULL)
        return gate_arena_error(reading->scratch, err);
    for (size_t i = 0; i < reading->frame_count; i++)
        if (!json_is_string(json_array_get(frames, i)))
            return gate_error_set(err, GATE_ERR_FORMAT, "ftbl[%zu]: expected a text", i);
    reading->table = frames;
    return true;
}

/* Add an allocation site, whose stack lists the leaf first. The frame "[root]" never occurs in a stack. */
static bool site_add(struct reading *reading, const json_t *site, size_t number, struct gate_error *err) {
    const json_t *stack = json_object_get(site, "fs");
    int64_t values[COLUMNS_MAX] = {0};
    struct gate_builder_sample sample = {.locations = reading->stack, .values = values};
    if (!json_is_array(stack))
        return gate_error_set(err, GATE_ERR_FORMAT, "pps[%zu]: expected a list in 'fs'", number);
    if (json_array_size(stack) > reading->limits->depth)
        return gate_error_set(err, GATE_ERR_LIMIT, "pps[%zu] is %zu frames deep; raise --max-depth", number,
                              json_array_size(stack));
    for (size_t i = 0; i < json_array_size(stack); i++) {
        const json_t *frame = json_array_get(stack, i);
        json_int_t index = json_is_integer(frame) ? json_integer_value(frame) : -1;
        if (index < 0 || (uint64_t)index >= reading->frame_count)
            return gate_error_set(err, GATE_ERR_FORMAT, "pps[%zu].fs[%zu] is not in 'ftbl'", number, i);
        const json_t *text = json_array_get(reading->table, (size_t)index);
        if (reading->frames[index] == 0)
            reading->frames[index] = gate_valgrind_frame_add(
                &reading->builder, (struct gate_str){json_string_value(text), json_string_length(text)});
        reading->stack[sample.depth++] = reading->frames[index];
    }
    for (uint32_t i = 0; i < reading->column_count; i++) {
        const json_t *value = json_object_get(site, reading->columns[i].key);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return gate_error_set(err, GATE_ERR_FORMAT, "pps[%zu]: expected a number of 0 or more in '%s'", number,
                                  reading->columns[i].key);
        values[i] = json_integer_value(value);
    }
    return gate_builder_sample(&reading->builder, &sample, err);
}

static bool sites_read(struct reading *reading, const json_t *sites, struct gate_error *err) {
    if (!json_is_array(sites))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a list in 'pps'");
    for (size_t i = 0; i < json_array_size(sites); i++)
        if (!site_add(reading, json_array_get(sites, i), i, err))
            return false;
    return true;
}

bool gate_dhat_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) && gate_json_text_has_key(text, GATE_STR("dhatFileVersion"));
}

bool gate_dhat_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *scratch, struct gate_error *err) {
    struct reading reading = {.scratch = scratch, .limits = limits};
    struct gate_json_tree tree;
    if (!gate_json_tree_load(&tree, bytes, scratch, err))
        return false;
    json_int_t version = json_integer_value(json_object_get(tree.root, "dhatFileVersion"));
    gate_builder_init(&reading.builder, scratch);
    reading.builder.steps_most = limits->steps;
    columns_add(&reading, tree.root);
    bool ok =
        (version == 2 ||
         gate_error_set(err, GATE_ERR_FORMAT, "version %lld of DHAT's format; only 2 is known", (long long)version)) &&
        frames_read(&reading, json_object_get(tree.root, "ftbl"), err) &&
        sites_read(&reading, json_object_get(tree.root, "pps"), err) && gate_builder_write(out, &reading.builder, err);
    gate_builder_free(&reading.builder);
    gate_json_tree_free(&tree, scratch);
    return ok;
}
