/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of a chunk of a JDK Flight Recorder file: strings, threads, methods and stack traces. */
#ifndef GATE_FORMATS_JFR_POOLS_H
#define GATE_FORMATS_JFR_POOLS_H

#include "gate/formats/builder.h"
#include "gate/formats/jfr_chunk.h"
#include "gate/model/limits.h"

/** The classes whose constants are kept. */
enum gate_jfr_pool_kind {
    GATE_JFR_POOL_STRING,
    GATE_JFR_POOL_SYMBOL,
    GATE_JFR_POOL_CLASS,
    GATE_JFR_POOL_METHOD,
    GATE_JFR_POOL_STACK,
    GATE_JFR_POOL_FRAME_TYPE,
    GATE_JFR_POOL_THREAD,
    GATE_JFR_POOL_THREAD_STATE,
    GATE_JFR_POOLS
};

/** A constant. It is decoded at its first use, and the result is kept. */
struct gate_jfr_constant {
    int64_t key;
    size_t at;      /* position of its value in the chunk */
    uint32_t order; /* of two constants with one key, the larger one counts */
    uint32_t known; /* index + 1 of its text, method or stack; 0: not decoded */
};

struct gate_jfr_pool {
    uint32_t class_index;            /* GATE_NO_INDEX: the chunk has no such class */
    struct gate_jfr_constant *items; /* sorted by key */
    uint32_t count;
    size_t capacity;
};

/** A method: its function in the builder, and whether its native code waits for something outside the process. */
struct gate_jfr_method {
    uint64_t function;
    bool is_wait;
};

/** A stack trace: `depth` locations of the builder from `first`, leaf first. */
struct gate_jfr_stack {
    size_t first;
    uint32_t depth;
    bool is_wait;        /* the leaf is a native method that waits */
    bool is_interpreted; /* the leaf is a method that is not compiled yet */
};

/** The constants of one chunk. */
struct gate_jfr_pools {
    const struct gate_jfr_chunk *chunk;
    const struct gate_jfr_classes *classes;
    const struct gate_limits *limits;
    struct gate_arena *arena; /* of the chunk */
    struct gate_builder *builder;
    uint64_t *steps;
    struct gate_jfr_pool pools[GATE_JFR_POOLS];
    struct gate_str *texts;
    struct gate_jfr_method *methods;
    struct gate_jfr_stack *stacks;
    uint64_t *locations;
    size_t text_count, text_capacity, method_count, method_capacity, stack_count, stack_capacity;
    size_t location_count, location_capacity;
    bool has_native_code; /* the producer is async-profiler: frames of type Native are C functions */
    bool has_cpu_state;   /* it has the thread state STATE_DEFAULT, which async-profiler's CPU samples have */
};

/**
 * Index the constants of a chunk: follow the chain of its checkpoint events from the last to the first.
 *
 * out    `chunk`, `classes`, `limits`, `arena`, `builder` and `steps` are set by the caller and outlive it
 * err    GATE_ERR_FORMAT: a checkpoint is malformed, or the chain does not lead backwards; GATE_ERR_LIMIT
 *
 * O(bytes of the checkpoints + constants * log constants).
 */
GATE_MUST_CHECK bool gate_jfr_pools_read(struct gate_jfr_pools *out, struct gate_error *err);

/**
 * Return the text of a field: a string, or a constant with a text such as a class, a symbol or a thread. Empty if the
 * constant is missing.
 *
 * err  GATE_ERR_FORMAT: malformed, or constants that refer to each other in a cycle; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_jfr_text_of(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_value *value,
                      struct gate_error *err);

/**
 * Return the stack trace with that key. A missing one is an empty stack.
 *
 * err  GATE_ERR_FORMAT: malformed; GATE_ERR_LIMIT: deeper than limits->depth, or the arena is full
 */
GATE_MUST_CHECK
bool gate_jfr_stack_of(struct gate_jfr_stack *out, struct gate_jfr_pools *pools, int64_t key, struct gate_error *err);

#endif
