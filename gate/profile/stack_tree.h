/* SPDX-License-Identifier: Apache-2.0 */
/* Samples under construction, each kept as far as it differs from an earlier one. Stacks are read from the root, so
 * that what has a caller in common is kept once: a merged profile takes less memory than its bytes do. Used by
 * profile/builder.h; read again by profile/builder_write.h, profile/otlp_write.h and profile/merge.h. */
#ifndef GATE_PROFILE_STACK_TREE_H
#define GATE_PROFILE_STACK_TREE_H

#include "gate/base/buf.h"
#include "gate/base/table.h"
#include "gate/profile/sample.h"

enum { GATE_STACK_BUCKET_SLOTS = 12, GATE_STACK_WALKS = 8, GATE_STACK_WORD_BYTES = 4 };

/** How far down the tree a key was found. */
struct gate_stack_walk {
    struct gate_buf key; /* malloc'ed */
    const uint8_t *at;   /* in it: what was not found yet, `left` bytes */
    uint32_t left;
    uint32_t place, shared; /* the record that was met, and how many bytes of its own */
    uint64_t hash;          /* of these and of the next id */
    bool is_fetched;        /* a record is under way that may be the next */
};

/** Slots that are looked at together: a line of the processor's cache. */
struct gate_stack_bucket {
    uint8_t tags[GATE_STACK_BUCKET_SLOTS]; /* of hashes; 0 is free, and so are those behind it */
    uint32_t places[GATE_STACK_BUCKET_SLOTS];
    uint32_t spare;
};

/**
 * A key is the ids of a stack from the root, each a varint, a 0, the labels as pprof encodes them, and a 0: no key
 * begins another one, so a sample is a leaf of the tree and its record holds what no earlier key had at that place. A
 * record is the place of the one it leaves, four bytes; a word a value; varints of how many bytes of that one's own it
 * shares and of its own bytes; these. Words hold a value as twice its multiple of the column's unit, or, odd, where in
 * `wide` it is.
 */
struct gate_stack_tree {
    struct gate_arena *arena;
    uint64_t secret;
    uint8_t *bytes; /* of records in order of first use; the first stands at place 1, and 0 is the root */
    size_t len, capacity;
    struct gate_stack_bucket
        *buckets; /* by the place that is left and the next id; one that is full goes on in the next */
    uint32_t bucket_count;
    uint32_t count; /* of samples */
    uint32_t value_count;
    int64_t units[GATE_VALUES_MAX]; /* what all values of a column had in common early on; 0: none was other than 0 */
    int64_t *wide;
    size_t wide_count, wide_capacity;
    struct gate_stack_walk walks[GATE_STACK_WALKS]; /* of samples that are added at a time */
    uint32_t walk_count;
    bool is_at_end; /* places are told in 32 bits, and there are no more */
};

/** Empty; `arena` holds everything but the last keys, which gate_stack_tree_free frees. */
void gate_stack_tree_init(struct gate_stack_tree *tree, struct gate_arena *arena);
void gate_stack_tree_free(struct gate_stack_tree *tree);

/**
 * One more sample to be looked up, GATE_STACK_WALKS at most: a stack, leaf first and without a 0 in it, and labels.
 * False: no memory.
 *
 * value_count  the same each time
 */
GATE_MUST_CHECK
bool gate_stack_tree_queue(struct gate_stack_tree *tree, const uint64_t *locations, uint32_t depth,
                           struct gate_str labels, uint32_t value_count);

/** Look all of them up, as far as they are known: each waits for memory while the others do. O(depths) expected. */
void gate_stack_tree_meet(struct gate_stack_tree *tree);

/**
 * Where the queue's sample `index` is: a new one has values of 0. To be asked in order; behind the last the queue is
 * empty. 0 where there is no room: then nothing may be added any more.
 */
uint32_t gate_stack_tree_take(struct gate_stack_tree *tree, uint32_t index);

/** The first sample, and the one behind it, in order of first use; 0: there is none. */
uint32_t gate_stack_tree_first(const struct gate_stack_tree *tree);
uint32_t gate_stack_tree_next(const struct gate_stack_tree *tree, uint32_t place);

/** Append what a pprof Sample says of its stack and labels, fields 1 and 3. `key` is scratch. O(depth) */
void gate_stack_tree_put(struct gate_buf *out, struct gate_buf *key, const struct gate_stack_tree *tree,
                         uint32_t place);

#endif
