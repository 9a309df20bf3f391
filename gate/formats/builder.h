/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a profile from samples that a reader adds one by one. */
#ifndef GATE_FORMATS_BUILDER_H
#define GATE_FORMATS_BUILDER_H

#include "gate/base/buf.h"
#include "gate/base/table.h"
#include "gate/model/limits.h"
#include "gate/model/sample.h"

/* ---- samples under construction -------------------------------------------------------------------------------------
 *
 * Each is stored as its difference to an earlier sample. Keys start at the root of the stack, so common callers are
 * stored once: a merged profile takes less memory than its file. */

enum { GATE_STACK_BUCKET_SLOTS = 12, GATE_STACK_WALKS = 8, GATE_STACK_WORD_BYTES = 4 };

/** State of one key lookup. */
struct gate_stack_walk {
    struct gate_buf key; /* allocated with malloc */
    const uint8_t *at;   /* the rest of the key that was not found yet, `left` bytes */
    uint32_t left;
    uint32_t place, shared; /* the last record found, and how many of its own bytes match */
    uint64_t hash;          /* hash of `place`, `shared` and the next id */
    bool is_fetched;        /* a candidate for the next record is being prefetched */
};

/** One bucket of the hash table, the size of a cache line. */
struct gate_stack_bucket {
    uint8_t tags[GATE_STACK_BUCKET_SLOTS]; /* 8 bits of each hash; 0: this slot and all after it are free */
    uint32_t places[GATE_STACK_BUCKET_SLOTS];
    uint32_t spare;
};

/**
 * A radix tree of samples.
 *
 * A key is the ids of a stack from the root, as varints, a 0, the labels in pprof's encoding, and a 0. No key is a
 * prefix of another, so each sample is a leaf. Its record stores only the bytes that no earlier key has at that
 * place.
 *
 * A record is: offset of its parent record (4 bytes); one 4-byte word per value; a varint of how many of the
 * parent's own bytes it shares; a varint of the number of its own bytes; its own bytes.
 *
 * A word is 2 * (value / unit of the column), or if it is odd, 2 * (index in `wide`) + 1.
 */
struct gate_stack_tree {
    struct gate_arena *arena;
    uint64_t secret;
    uint8_t *bytes; /* records in order of first use; the first is at offset 1, and 0 means the root */
    size_t len, capacity;
    struct gate_stack_bucket *buckets; /* hash table by (parent, shared, next id); full buckets overflow */
    uint32_t bucket_count;
    uint32_t count; /* number of samples */
    uint32_t value_count;
    int64_t units[GATE_VALUES_MAX]; /* common divisor of the first values of each column; 0: all values are 0 so far */
    int64_t *wide;
    size_t wide_count, wide_capacity;
    struct gate_stack_walk walks[GATE_STACK_WALKS]; /* lookups of the samples that are added together */
    uint32_t walk_count;
    bool is_at_end; /* offsets have 32 bits, and all are used */
};

/** Initialise an empty tree. It uses `arena`, and malloc for the buffers that gate_stack_tree_free frees. */
void gate_stack_tree_init(struct gate_stack_tree *tree, struct gate_arena *arena);

/** Free the key buffers. The tree itself is freed with its arena. */
void gate_stack_tree_free(struct gate_stack_tree *tree);

/**
 * Queue a sample for lookup, at most GATE_STACK_WALKS. `locations` is a stack of `depth` ids, leaf first, none of
 * them 0. `labels` is in pprof's encoding. Returns false if memory is exhausted.
 *
 * value_count  the same for all samples
 */
GATE_MUST_CHECK
bool gate_stack_tree_queue(struct gate_stack_tree *tree, const uint64_t *locations, uint32_t depth,
                           struct gate_str labels, uint32_t value_count);

/**
 * Look up all queued samples as far as their keys are in the tree. The lookups are interleaved, so that each waits
 * for memory while the others work. O(sum of depths) expected.
 */
void gate_stack_tree_meet(struct gate_stack_tree *tree);

/**
 * Return the record of queued sample `index`. A new sample has values 0. Call in order; the last call empties the
 * queue. Returns 0 if memory is exhausted; then nothing more may be added.
 */
uint32_t gate_stack_tree_take(struct gate_stack_tree *tree, uint32_t index);

/** Return the first sample, or the one after `place`, in order of first use. 0: none. */
uint32_t gate_stack_tree_first(const struct gate_stack_tree *tree);

uint32_t gate_stack_tree_next(const struct gate_stack_tree *tree, uint32_t place);

/** Append fields 1 (stack) and 3 (labels) of a pprof Sample. `key` is a scratch buffer. O(depth). */
void gate_stack_tree_put(struct gate_buf *out, struct gate_buf *key, const struct gate_stack_tree *tree,
                         uint32_t place);

/* ---- values of samples ----------------------------------------------------------------------------------------------
 *
 * One 4-byte word each in the sample's record, either a multiple of the column's unit or an index of a table of
 * 64-bit values. */

/** Return the value of the sample at `place` in `column`. O(1). */
int64_t gate_stack_tree_value(const struct gate_stack_tree *tree, uint32_t place, uint32_t column);

/** Set a value. Returns false if memory is exhausted. */
GATE_MUST_CHECK
bool gate_stack_tree_set(struct gate_stack_tree *tree, uint32_t place, uint32_t column, int64_t value);

/**
 * Multiply all values of a column by `ratio` > 0. Returns false if a value exceeds 64 bits; then the tree is
 * unusable.
 */
GATE_MUST_CHECK
bool gate_stack_tree_scale(struct gate_stack_tree *tree, uint32_t column, int64_t ratio);

/* ---- a profile under construction -----------------------------------------------------------------------------------
 *
 * Written by formats/pprof.h. Equal parts are stored once, in order of first use, so equal calls give equal
 * bytes. */

/** One line of a location. `function` is an id of gate_builder_function. */
struct gate_builder_line {
    uint64_t function;
    int64_t line;
    uint32_t column; /* 0: unknown */
};

/** Metadata of a profile. The strings must outlive the builder. */
struct gate_builder_header {
    struct gate_value_type period_type;
    int64_t period;
    int64_t time_ns;
    int64_t duration_ns;
    struct gate_str drop_frames;
    struct gate_str keep_frames;
    struct gate_str default_sample_type;
    bool is_marked; /* the first comment is GATE_OWN_MARK_PPROF, and the file starts with it */
};

/** A mapping, and whether one of its locations has lines. */
struct gate_builder_mapping {
    struct gate_mapping mapping;
    bool has_lines;
};

/** Sort key of a label: the string index of its key, and its index in the sample. */
struct gate_builder_order {
    uint64_t key;
    uint32_t label;
};

/**
 * The builder. Its tables contain encoded pprof messages without their ids, so equal things have equal bytes. Ids
 * are index + 1.
 */
struct gate_builder {
    struct gate_arena *arena;
    struct gate_builder_header header;
    struct gate_value_type types[GATE_VALUES_MAX];
    bool type_dropped[GATE_VALUES_MAX]; /* left out when writing (formats/merge.h) */
    uint32_t type_count;
    struct gate_table strings;
    struct gate_table mapping_keys;
    struct gate_table functions;
    struct gate_table locations;
    struct gate_stack_tree samples;
    struct gate_table comments;
    struct gate_builder_mapping *mappings;
    size_t mapping_capacity;
    struct gate_builder_order *order; /* scratch space to sort a sample's labels */
    size_t order_capacity;
    uint64_t *stack;                     /* buffer for a reader: one location more than --max-depth allows */
    uint32_t depth, depth_most;          /* number of locations in `stack`, which gate_builder_push adds */
    uint64_t sample_count, samples_most; /* calls of gate_builder_sample, and their limit; 0: no limit */
    int64_t queued[GATE_STACK_WALKS][GATE_VALUES_MAX]; /* values of the queued samples */
    struct gate_buf scratch;                           /* allocated with malloc */
    uint64_t last_file;                                /* string index of the file of the last function */
    uint64_t steps, steps_most;                        /* steps of the samples so far, and their limit; 0: no limit */
    bool is_full;                                      /* memory is exhausted: nothing added later is kept */
};

/**
 * Initialise an empty builder. It uses `arena`, and malloc for the buffers that gate_builder_free frees. `limits` has
 * the limits of samples, of frames of a stack, and of the steps of all samples; if NULL, there is none.
 */
void gate_builder_init(struct gate_builder *builder, struct gate_arena *arena, const struct gate_limits *limits);

/** Free the scratch buffers. The builder itself is freed with its arena. */
void gate_builder_free(struct gate_builder *builder);

/** Add a sample type. Add all of them, at most GATE_VALUES_MAX, before the first sample. */
void gate_builder_type(struct gate_builder *builder, struct gate_str type, struct gate_str unit);

/** Record that values in `unit` are exact counts, of which none was sampled (GATE_COUNTS_EXACT). */
static inline void gate_builder_exact(struct gate_builder *builder, struct gate_str unit) {
    builder->header.period_type = (struct gate_value_type){GATE_STR("exact"), unit};
    builder->header.period = 1;
}

/** Add GATE_OWN_MARK_PPROF as a comment and as the start of the written file. Call before adding anything else. */
void gate_builder_mark(struct gate_builder *builder);

/**
 * Return the index of `text` in the string table of the written profile. That is the builder's table followed by
 * `added`. If neither has the text, it is added to `added`. Sets `failed` if memory is exhausted.
 */
uint64_t gate_builder_string_index(const struct gate_builder *builder, struct gate_table *added, struct gate_str text,
                                   bool *failed);

/** Add a comment. Equal comments are stored once. */
void gate_builder_comment(struct gate_builder *builder, struct gate_str text);

/**
 * Return the id of a mapping, or 0 if memory is exhausted. Mappings are the same if their size in pages, offset and
 * build id (or file, if there is none) agree, at any address. `*start` is set to the start of the first of them
 * (google/pprof, profile.Merge).
 */
uint64_t gate_builder_mapping(struct gate_builder *builder, const struct gate_mapping *mapping, uint64_t *start);

/** Return the id of a function. 0: memory is exhausted. */
uint64_t gate_builder_function(struct gate_builder *builder, const struct gate_function *function);

/** Return the id of a location. `mapping` is an id or 0. `lines` are innermost first. 0: memory is exhausted. */
uint64_t gate_builder_location(struct gate_builder *builder, uint64_t mapping, uint64_t address,
                               const struct gate_builder_line *lines, uint32_t line_count);

/** Return the id of a location with one line and no address, for formats without addresses. A line that is not from 1
 * to INT32_MAX - 1 is unknown. 0: memory is exhausted. */
uint64_t gate_builder_frame(struct gate_builder *builder, struct gate_str name, struct gate_str file, int64_t line);

/** Return the id of a frame in `mapping`, which has an empty file if it is unknown. A name makes the address redundant;
 * without a name the address distinguishes frames. 0: memory is exhausted. */
uint64_t gate_builder_frame_in(struct gate_builder *builder, const struct gate_mapping *mapping, uint64_t address,
                               struct gate_str name, struct gate_str file, int64_t line);

/** Charge `steps` of work (model/limits.h). Samples charge for themselves when they are added. err: GATE_ERR_LIMIT:
 * more than `steps_most` steps in all. */
GATE_MUST_CHECK bool gate_builder_charge(struct gate_builder *builder, uint64_t steps, struct gate_error *err);

/** Add a location to the outer end of `builder->stack`. A reader sets `builder->depth` to 0 before a stack. err:
 * GATE_ERR_LIMIT: the stack has limits->depth locations already. */
GATE_MUST_CHECK bool gate_builder_push(struct gate_builder *builder, uint64_t location, struct gate_error *err);

/** A sample: its stack (leaf first), values and labels. */
struct gate_builder_sample {
    const uint64_t *locations;
    uint32_t depth;
    const int64_t *values; /* one per sample type */
    const struct gate_label *labels;
    uint32_t label_count;
};

/**
 * Add `sample` to the sample with the same stack and labels.
 *
 * err   GATE_ERR_OVERFLOW: a sum exceeds int64_t; GATE_ERR_LIMIT: more samples than limits->samples were added, or
 *       they take more than `steps_most` steps; GATE_ERR_LIMIT or GATE_ERR_MEMORY: memory is exhausted
 */
GATE_MUST_CHECK
bool gate_builder_sample(struct gate_builder *builder, const struct gate_builder_sample *sample,
                         struct gate_error *err);

/**
 * Queue `sample` for gate_builder_sample. Several samples are looked up together, which is faster. Call
 * gate_builder_settle after the last. A call may return the error of an earlier sample.
 */
GATE_MUST_CHECK
bool gate_builder_queue(struct gate_builder *builder, const struct gate_builder_sample *sample, struct gate_error *err);

/** Add the queued samples. Errors: as gate_builder_sample. */
GATE_MUST_CHECK bool gate_builder_settle(struct gate_builder *builder, struct gate_error *err);

#endif
