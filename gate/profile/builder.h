/* SPDX-License-Identifier: Apache-2.0 */
/* A profile under construction; profile/builder_write.h makes bytes of it. Equal parts become one; the order is that of
 * first use, so equal calls give equal bytes. Used by the readers of other formats, profile/merge.h and the pprof
 * report. */
#ifndef GATE_PROFILE_BUILDER_H
#define GATE_PROFILE_BUILDER_H

#include "gate/base/buf.h"
#include "gate/base/table.h"
#include "gate/profile/sample.h"
#include "gate/profile/stack_tree.h"

/** Where a call stands: `function` is an id that gate_builder_function returned. */
struct gate_builder_line {
    uint64_t function;
    int64_t line;
    uint32_t column; /* 0: not known */
};

/** What a profile says of itself; the views must outlive the builder. */
struct gate_builder_header {
    struct gate_value_type period_type;
    int64_t period;
    int64_t time_ns;
    int64_t duration_ns;
    struct gate_str drop_frames;
    struct gate_str keep_frames;
    struct gate_str default_sample_type;
};

struct gate_builder_mapping {
    struct gate_mapping mapping;
    bool has_lines;
};

struct gate_builder_order {
    uint64_t key;
    uint32_t label;
};

/** Tables hold the encoded messages without their ids: equal bytes, equal thing. Ids are indices + 1. */
struct gate_builder {
    struct gate_arena *arena;
    struct gate_builder_header header;
    struct gate_value_type types[GATE_VALUES_MAX];
    bool type_dropped[GATE_VALUES_MAX]; /* left out when writing (profile/merge.h) */
    uint32_t type_count;
    struct gate_table strings;
    struct gate_table mapping_keys;
    struct gate_table functions;
    struct gate_table locations;
    struct gate_stack_tree samples;
    struct gate_table comments;
    struct gate_builder_mapping *mappings;
    size_t mapping_capacity;
    struct gate_builder_order *order; /* of a sample's labels */
    size_t order_capacity;
    int64_t queued[GATE_STACK_WALKS][GATE_VALUES_MAX]; /* values of samples that are not settled */
    struct gate_buf scratch;                           /* malloc'ed */
    bool is_full; /* the arena or the system had no room: nothing that follows is kept */
};

/** `arena` holds everything but small scratch buffers, which gate_builder_free frees. */
void gate_builder_init(struct gate_builder *builder, struct gate_arena *arena);
void gate_builder_free(struct gate_builder *builder);

/** Add a sample type; all of them before the first sample, at most GATE_VALUES_MAX. */
void gate_builder_type(struct gate_builder *builder, struct gate_str type, struct gate_str unit);

/** Add a comment; equal ones once. */
void gate_builder_comment(struct gate_builder *builder, struct gate_str text);

/**
 * Id of a mapping. Two mappings are one when size (in pages), offset and build id or file agree, wherever they were
 * loaded: the first one's `start` is written to `*start` (google/pprof, profile.Merge).
 */
uint64_t gate_builder_mapping(struct gate_builder *builder, const struct gate_mapping *mapping, uint64_t *start);

uint64_t gate_builder_function(struct gate_builder *builder, const struct gate_function *function);

/** `mapping` is an id or 0; lines innermost first. */
uint64_t gate_builder_location(struct gate_builder *builder, uint64_t mapping, uint64_t address,
                               const struct gate_builder_line *lines, uint32_t line_count);

/** A function that is a location of its own, as formats without addresses have it. */
uint64_t gate_builder_frame(struct gate_builder *builder, struct gate_str name, struct gate_str file, int64_t line);

/** A sample's stack, leaf first, its values and its labels. */
struct gate_builder_sample {
    const uint64_t *locations;
    uint32_t depth;
    const int64_t *values; /* type_count of them */
    const struct gate_label *labels;
    uint32_t label_count;
};

/**
 * Add to the sample of equal stack and labels.
 *
 * err   GATE_ERR_OVERFLOW a sum left int64_t; GATE_ERR_LIMIT or GATE_ERR_MEMORY no room
 */
GATE_MUST_CHECK
bool gate_builder_sample(struct gate_builder *builder, const struct gate_builder_sample *sample,
                         struct gate_error *err);

/** The same of many, which are looked up some at a time: what was queued is there behind gate_builder_settle. Errors of
 * one may be told by a later call. */
GATE_MUST_CHECK
bool gate_builder_queue(struct gate_builder *builder, const struct gate_builder_sample *sample, struct gate_error *err);
GATE_MUST_CHECK bool gate_builder_settle(struct gate_builder *builder, struct gate_error *err);

#endif
