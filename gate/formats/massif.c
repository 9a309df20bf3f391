/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of massif (valgrind --tool=massif): the stacks that held the heap when it was largest. Source of the format:
 * ms_print, and valgrind's source of massif. */
#include "gate/formats/massif.h"

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/formats/builder.h"
#include "gate/formats/pprof_write.h"
#include "gate/formats/text_line.h"
#include "gate/formats/valgrind_frame.h"
#include "gate/model/limits.h"

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
    int64_t bytes_left; /* bytes of the node less those of the children so far */
};

struct reading {
    struct gate_builder builder;
    const struct gate_limits *limits;
    struct gate_str rest; /* lines that are not read yet */
    uint64_t line_number, samples;
    struct step *path;
    uint64_t *stack; /* location of each node of the path behind the root: the leaf first, as callers are children */
    uint32_t depth;  /* number of nodes of the path behind the root */
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
    struct gate_builder_sample sample = {.locations = reading->stack, .depth = reading->depth, .values = &bytes};
    if (bytes == 0)
        return true;
    if (++reading->samples > reading->limits->samples)
        return gate_error_set(err, GATE_ERR_LIMIT, "more than %llu stacks; raise --max-samples",
                              (unsigned long long)reading->limits->samples);
    return gate_builder_sample(&reading->builder, &sample, err);
}

/* Leave all nodes whose children are read. Bytes that no child has belong to the stack up to the node. */
static bool nodes_leave(struct reading *reading, bool *is_done, struct gate_error *err) {
    for (*is_done = false; reading->path[reading->depth].children_left == 0; reading->depth--) {
        if (!sample_add(reading, reading->path[reading->depth].bytes_left, err))
            return false;
        if (reading->depth == 0) {
            *is_done = true;
            break;
        }
    }
    return true;
}

/* Enter a node below the last one of the path. */
static bool node_enter(struct reading *reading, const struct node *node, struct gate_error *err) {
    struct step *parent = &reading->path[reading->depth];
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
    if (reading->depth == reading->limits->depth)
        return gate_error_set(err, GATE_ERR_LIMIT, "line %llu: a stack has more than %u frames; raise --max-depth",
                              (unsigned long long)reading->line_number, reading->limits->depth);
    reading->stack[reading->depth++] = gate_valgrind_frame_add(&reading->builder, node->text);
    reading->path[reading->depth] = (struct step){node->children, node->bytes};
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
    struct gate_str comment = gate_str_format(reading->builder.arena,
                                              "%lld bytes lack their outer callers, which are "
                                              "below massif's threshold",
                                              (long long)reading->cut_bytes);
    if (comment.ptr == NULL)
        return gate_arena_error(reading->builder.arena, err);
    gate_builder_comment(&reading->builder, comment);
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
        reading->builder.header.period_type = (struct gate_value_type){GATE_STR("exact"), GATE_STR("bytes")};
        reading->builder.header.period = 1;
    }
    return comment_add(reading, err);
}

bool gate_massif_sniff(struct gate_str text) {
    return gate_str_starts(text, GATE_STR("desc:")) &&
           gate_str_find(gate_str_slice(text, 0, HEAD_BYTES), GATE_STR("\nsnapshot="), 0) != SIZE_MAX;
}

bool gate_massif_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                         struct gate_arena *scratch, struct gate_error *err) {
    struct reading reading = {.limits = limits, .rest = bytes};
    reading.path = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *reading.path);
    reading.stack = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *reading.stack);
    if (reading.path == NULL || reading.stack == NULL)
        return gate_arena_error(scratch, err);
    gate_builder_init(&reading.builder, scratch);
    reading.builder.steps_most = limits->steps;
    gate_builder_type(&reading.builder, GATE_STR("peak_space"), GATE_STR("bytes"));
    bool ok = document_read(&reading, err) && gate_builder_write(out, &reading.builder, err);
    gate_builder_free(&reading.builder);
    return ok;
}
