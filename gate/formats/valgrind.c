/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of valgrind's heap profiles: DHAT (JSON) and massif (text). */
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/json_tree.h"
#include "gate/formats/reader.h"
#include "gate/formats/text_line.h"
#include "gate/model/limits.h"

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* Split "FILE:LINE" or "FILE:LINE:COLUMN". */
static struct gate_str place_split(struct gate_str place, int64_t *line) {
    *line = 0;
    for (size_t at = place.len; at > 0; at--) {
        int64_t number = 0;
        if (place.ptr[at - 1] != ':')
            continue;
        if (!gate_text_is_number(gate_str_slice(place, at, place.len), &number) || number < 0 || number > INT32_MAX)
            return place;
        *line = number;
        place = gate_str_slice(place, 0, at - 1);
    }
    return place;
}

/* Return the start of the place in parentheses at the end, or the length if there is none. It may contain parentheses:
 * "f (in /lib/x.so (deleted))". */
static size_t place_start(struct gate_str text) {
    size_t open = gate_text_parenthesis(text);
    return open != 0 && text.ptr[open - 1] == ' ' ? open : text.len;
}

/*
 * Add the frame "0x48417B4: malloc (in /usr/lib/x.so)", "0x49021FA: f(int) (a.c:65)", "main (src/m.rs:3:9)" or
 * "0x10: ???". Returns the id of its location, or 0 if memory is exhausted.
 */
static uint64_t frame_add(struct gate_builder *builder, struct gate_str text) {
    struct gate_mapping mapping = {.file = GATE_STR(""), .build_id = GATE_STR("")};
    uint64_t address = 0;
    int64_t line = 0;
    struct gate_str rest = text, file = GATE_STR("");
    if (gate_str_starts(text, GATE_STR("0x")) && gate_text_hex(&rest, &address) && gate_text_mark(&rest, ':'))
        text = gate_str_trim(rest);
    size_t open = place_start(text);
    if (open != text.len) {
        struct gate_str place = gate_str_slice(text, open + 1, text.len - 1);
        text = gate_str_trim(gate_str_slice(text, 0, open));
        if (gate_str_starts(place, GATE_STR("in ")))
            mapping.file = gate_str_slice(place, 3, place.len);
        else
            file = place_split(place, &line);
    }
    if (gate_str_equal(text, GATE_STR("???")))
        text = GATE_STR("");
    return gate_builder_frame_in(builder, &mapping, address, text, file, line);
}

/* ---- DHAT (valgrind --tool=dhat, dhat-rs): each allocation site with its stack -------------------------------------
 *
 * Source: valgrind's source of DHAT, "File format". */

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

struct dhat_reading {
    struct gate_builder *builder;
    struct gate_arena *scratch;
    const struct gate_limits *limits;
    const struct column *columns;
    uint32_t column_count;
    const json_t *table; /* 'ftbl', the frames as texts */
    uint64_t *frames;    /* location of each entry; 0: not added yet */
    size_t frame_count;
    uint64_t *stack;
};

static void columns_add(struct dhat_reading *reading, const json_t *root) {
    bool has_lifetimes = json_is_true(json_object_get(root, "bklt"));
    reading->columns = has_lifetimes ? heap_columns : heap_columns + LIFETIME_COLUMNS;
    reading->column_count = has_lifetimes ? COLUMNS_MAX : COLUMNS_MAX - LIFETIME_COLUMNS;
    if (gate_str_equal(gate_json_text_of(root, "mode"), GATE_STR("ad-hoc")) ||
        gate_str_equal(gate_json_text_of(root, "mode"), GATE_STR("rust-ad-hoc"))) {
        reading->columns = event_columns;
        reading->column_count = 2;
    }
    for (uint32_t i = 0; i < reading->column_count; i++)
        gate_builder_type(reading->builder, gate_str_from(reading->columns[i].type),
                          gate_str_from(reading->columns[i].unit));
}

static bool frames_read(struct dhat_reading *reading, const json_t *frames, struct gate_error *err) {
    reading->frame_count = json_array_size(frames);
    reading->frames = GATE_NEW_ARRAY(reading->scratch, uint64_t, reading->frame_count);
    if (reading->frames == NULL)
        return gate_arena_error(reading->scratch, err);
    for (size_t i = 0; i < reading->frame_count; i++)
        if (!json_is_string(json_array_get(frames, i)))
            return gate_error_set(err, GATE_ERR_FORMAT, "ftbl[%zu]: expected a text", i);
    reading->table = frames;
    return true;
}

/* Add an allocation site, whose stack lists the leaf first. The frame "[root]" never occurs in a stack. */
static bool site_add(struct dhat_reading *reading, const json_t *site, size_t number, struct gate_error *err) {
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
                frame_add(reading->builder, (struct gate_str){json_string_value(text), json_string_length(text)});
        reading->stack[sample.depth++] = reading->frames[index];
    }
    for (uint32_t i = 0; i < reading->column_count; i++) {
        const json_t *value = json_object_get(site, reading->columns[i].key);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return gate_error_set(err, GATE_ERR_FORMAT, "pps[%zu]: expected a number of 0 or more in '%s'", number,
                                  reading->columns[i].key);
        values[i] = json_integer_value(value);
    }
    return gate_builder_sample(reading->builder, &sample, err);
}

static bool sites_read(struct dhat_reading *reading, const json_t *sites, struct gate_error *err) {
    if (!json_is_array(sites))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected a list in 'pps'");
    for (size_t i = 0; i < json_array_size(sites); i++)
        if (!site_add(reading, json_array_get(sites, i), i, err))
            return false;
    return true;
}

/* Return true if `text` is such a file. */
static bool dhat_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("{")) && gate_json_text_has_key(text, GATE_STR("dhatFileVersion"));
}

/*
 * Convert to pprof: alloc_objects/count and alloc_space/bytes of the whole run, and if the file has lifetimes
 * peak_objects and peak_space (when the heap was largest) and inuse_objects and inuse_space (at the end). The bytes are
 * exact, as every allocation was counted. An ad-hoc file has events/count and units/count.
 *
 * See gate_format_fill_json in formats/reader.h.
 */
static bool dhat_fill(struct gate_builder *builder, json_t *root, const struct gate_limits *limits,
                      struct gate_error *err) {
    struct dhat_reading reading = {
        .builder = builder, .scratch = builder->arena, .limits = limits, .stack = builder->stack};
    json_int_t version = json_integer_value(json_object_get(root, "dhatFileVersion"));
    if (version != 2)
        return gate_error_set(err, GATE_ERR_FORMAT, "version %lld of DHAT's format; only 2 is known",
                              (long long)version);
    columns_add(&reading, root);
    gate_builder_exact(builder, GATE_STR("bytes"));
    return frames_read(&reading, json_object_get(root, "ftbl"), err) &&
           sites_read(&reading, json_object_get(root, "pps"), err);
}

const struct gate_reader gate_dhat_reader = {
    .name = "DHAT",
    .is_text = true,
    .sniff = dhat_sniff,
    .format = GATE_FORMAT_DHAT,
    .fill_json = dhat_fill,
};

/* ---- massif (valgrind --tool=massif): the stacks that held the heap when it was largest ----------------------------
 *
 * Source of the format: ms_print, and valgrind's source of massif. */

enum { HEAD_BYTES = 64 * 1024 };

/* One line of the tree: "n2: 190185 0x109180: f (a.c:9)". */
struct node {
    int64_t children, bytes;
    struct gate_str text;
    bool is_cut; /* "544 in 1 place, below massif's threshold (1.00%)": the callers are not in the file */
};

/* A node on the path from the root, whose children are being read. */
struct step {
    int64_t children_left;
    int64_t bytes_left; /* bytes of the node minus those of its children so far */
};

struct reading {
    struct gate_builder *builder;
    struct gate_str rest; /* lines that are not read yet */
    uint64_t line_number;
    struct step *path; /* the locations after the root are in builder->stack, leaf first, as callers are children */
    int64_t cut_bytes;
};

static bool line_next(struct reading *reading, struct gate_str *line) {
    reading->line_number++;
    return gate_text_line_next(&reading->rest, line);
}

static bool node_parse(struct node *out, struct gate_str line) {
    struct gate_str rest = gate_str_slice(line, 1, line.len), places;
    int64_t ignored = 0;
    if (!gate_str_starts(line, GATE_STR("n")) || !gate_text_number(&rest, &out->children) || out->children < 0 ||
        !gate_text_mark(&rest, ':') || !gate_text_number(&rest, &out->bytes) || out->bytes < 0)
        return false;
    out->text = places = gate_str_trim(rest);
    out->is_cut = gate_str_equal(gate_text_word(&places), GATE_STR("in")) && gate_text_number(&places, &ignored) &&
                  gate_str_starts(gate_text_word(&places), GATE_STR("place"));
    return true;
}

static bool sample_add(struct reading *reading, int64_t bytes, struct gate_error *err) {
    struct gate_builder_sample sample = {
        .locations = reading->builder->stack, .depth = reading->builder->depth, .values = &bytes};
    return bytes == 0 || gate_builder_sample(reading->builder, &sample, err);
}

/* Leave all nodes whose children were read. Bytes of a node that are in none of its children belong to the stack that
 * ends at it. */
static bool nodes_leave(struct reading *reading, bool *is_done, struct gate_error *err) {
    uint32_t *depth = &reading->builder->depth;
    for (*is_done = false; reading->path[*depth].children_left == 0; --*depth) {
        if (!sample_add(reading, reading->path[*depth].bytes_left, err))
            return false;
        if (*depth == 0) {
            *is_done = true;
            break;
        }
    }
    return true;
}

/* Enter a node below the last one of the path. */
static bool node_enter(struct reading *reading, const struct node *node, struct gate_error *err) {
    struct gate_builder *builder = reading->builder;
    struct step *parent = &reading->path[builder->depth];
    if (node->bytes > parent->bytes_left)
        return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: the callers have more bytes than what they called",
                              (unsigned long long)reading->line_number);
    parent->children_left--;
    parent->bytes_left -= node->bytes;
    if (node->is_cut && node->children != 0)
        return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: callers of a group of places",
                              (unsigned long long)reading->line_number);
    if (node->is_cut) {
        reading->cut_bytes += node->bytes;
        return sample_add(reading, node->bytes, err);
    }
    if (!gate_builder_push(builder, frame_add(builder, node->text), err))
        return gate_error_prefix(err, "line %llu", (unsigned long long)reading->line_number);
    reading->path[builder->depth] = (struct step){node->children, node->bytes};
    return true;
}

/* Read the tree, whose lines are in pre-order. Its root is not a frame, but the heap. */
static bool tree_read(struct reading *reading, struct gate_error *err) {
    struct gate_str line;
    struct node node = {0};
    bool is_done = false;
    for (bool is_root = true; !is_done; is_root = false) {
        if (!line_next(reading, &line) || !node_parse(&node, line))
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "line %llu: expected 'nCALLERS: BYTES FRAME' of the peak's tree",
                                  (unsigned long long)reading->line_number);
        if (is_root)
            reading->path[0] = (struct step){node.children, node.bytes};
        else if (!node_enter(reading, &node, err))
            return false;
        if (!nodes_leave(reading, &is_done, err))
            return false;
    }
    return true;
}

/* Return true if massif ran with `option` ("--threshold=") 0. `desc` lists its options. */
static bool is_zero(struct gate_str desc, struct gate_str option) {
    size_t at = gate_str_find(desc, option, 0);
    if (at == SIZE_MAX)
        return false;
    struct gate_str rest = gate_str_slice(desc, at + option.len, desc.len), value = gate_text_word(&rest);
    bool has_digit = false;
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] != '0' && value.ptr[i] != '.')
            return false;
        has_digit |= value.ptr[i] == '0';
    }
    return has_digit;
}

static bool comment_add(struct reading *reading, struct gate_error *err) {
    if (reading->cut_bytes == 0)
        return true;
    struct gate_str comment = gate_str_format(reading->builder->arena,
                                              "%lld bytes lack their outer callers, which are "
                                              "below massif's threshold",
                                              (long long)reading->cut_bytes);
    if (comment.ptr == NULL)
        return gate_arena_error(reading->builder->arena, err);
    gate_builder_comment(reading->builder, comment);
    return true;
}

static bool document_read(struct reading *reading, struct gate_error *err) {
    struct gate_str line, desc = GATE_STR("");
    bool has_peak = false;
    while (line_next(reading, &line)) {
        if (reading->line_number == 1)
            desc = line;
        if (!gate_str_equal(line, GATE_STR("heap_tree=peak")))
            continue;
        if (has_peak)
            return gate_error_set(err, GATE_ERR_FORMAT, "line %llu: a second snapshot is marked as the peak",
                                  (unsigned long long)reading->line_number);
        has_peak = true;
        if (!tree_read(reading, err))
            return false;
    }
    if (!has_peak)
        return gate_error_set(err, GATE_ERR_FORMAT, "no snapshot is marked as the peak ('heap_tree=peak')");
    if (reading->cut_bytes == 0 && is_zero(desc, GATE_STR("--threshold=")) &&
        is_zero(desc, GATE_STR("--peak-inaccuracy="))) {
        gate_builder_exact(reading->builder, GATE_STR("bytes"));
    }
    return comment_add(reading, err);
}

/* Return true if `text` is output of massif. */
static bool massif_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("desc:")) &&
           gate_str_find(gate_str_slice(text, 0, HEAD_BYTES), GATE_STR("\nsnapshot="), 0) != SIZE_MAX;
}

/*
 * Convert to pprof: peak_space/bytes of the snapshot that is marked as the peak. The bytes are exact if massif
 * ran with --threshold=0 and --peak-inaccuracy=0. Otherwise stacks below its threshold end where massif cut them, and a
 * comment gives their bytes.
 *
 * err   GATE_ERR_FORMAT: no snapshot is the peak; its tree is malformed
 *
 * See gate_format_fill in formats/reader.h.
 */
static bool massif_fill(struct gate_builder *builder, struct gate_str bytes, const struct gate_limits *limits,
                        struct gate_error *err) {
    struct reading reading = {.builder = builder, .rest = bytes};
    reading.path = gate_arena_alloc(builder->arena, ((size_t)limits->depth + 1) * sizeof *reading.path);
    if (reading.path == NULL)
        return gate_arena_error(builder->arena, err);
    gate_builder_type(builder, GATE_STR("peak_space"), GATE_STR("bytes"));
    return document_read(&reading, err);
}

const struct gate_reader gate_massif_reader = {
    .name = "massif",
    .is_text = true,
    .sniff = massif_sniff,
    .format = GATE_FORMAT_MASSIF,
    .fill = massif_fill,
};
