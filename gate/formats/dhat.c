/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of DHAT files (valgrind --tool=dhat, dhat-rs): each allocation site with its stack. Source: valgrind's
 * source of DHAT, "File format". */
#include "gate/formats/dhat.h"

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/pprof_write.h"
#include "gate/formats/text_line.h"
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

/* Split "FILE:LINE" or "FILE:LINE:COLUMN". */
static struct gate_str place_split(struct gate_str place, int64_t *line) {
    *line = 0;
    for (size_t at = place.len; at > 0; at--) {
        struct gate_str digits = gate_str_slice(place, at, place.len);
        int64_t number = 0;
        if (place.ptr[at - 1] != ':')
            continue;
        if (!gate_text_number(&digits, &number) || digits.len != 0 || number < 0 || number > INT32_MAX)
            return place;
        *line = number;
        place = gate_str_slice(place, 0, at - 1);
    }
    return place;
}

/* Return the start of the place in parentheses at the end, or the length if there is none. It may contain parentheses:
 * "f (in /lib/x.so (deleted))". */
static size_t place_start(struct gate_str text) {
    size_t depth = 0;
    if (!gate_str_ends(text, GATE_STR(")")))
        return text.len;
    for (size_t i = text.len; i > 1; i--) {
        depth += text.ptr[i - 1] == ')';
        depth -= text.ptr[i - 1] == '(';
        if (depth == 0)
            return text.ptr[i - 2] == ' ' ? i - 1 : text.len;
    }
    return text.len;
}

/* Add the frame "0x48417B4: malloc (in /usr/lib/x.so)", "0x49021FA: f(int) (a.c:65)" or "0x10: ???". */
static uint64_t frame_add(struct gate_builder *builder, struct gate_str text) {
    struct gate_function function = {.file = GATE_STR("")};
    struct gate_mapping mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")};
    struct gate_builder_line line = {0};
    uint64_t address = 0, start = 0, id = 0;
    struct gate_str rest = text;
    if (gate_str_starts(text, GATE_STR("0x")) && gate_text_hex(&rest, &address) && gate_text_mark(&rest, ':'))
        text = gate_str_trim(rest);
    size_t open = place_start(text);
    if (open != text.len) {
        struct gate_str place = gate_str_slice(text, open + 1, text.len - 1);
        text = gate_str_trim(gate_str_slice(text, 0, open));
        if (gate_str_starts(place, GATE_STR("in ")))
            mapping.file = gate_str_slice(place, 3, place.len);
        else
            function.file = place_split(place, &line.line);
    }
    if (mapping.file.len != 0)
        id = gate_builder_mapping(builder, &mapping, &start);
    if (gate_str_equal(text, GATE_STR("???")))
        return gate_builder_location(builder, id, address, NULL, 0);
    function.name = function.system_name = text;
    line.function = gate_builder_function(builder, &function);
    return line.function == 0 ? 0 : gate_builder_location(builder, id, 0, &line, 1);
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
            reading->frames[index] =
                frame_add(&reading->builder, (struct gate_str){json_string_value(text), json_string_length(text)});
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
