/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of addresses as text profiles write them, one record after the other: their addresses, the names that Go
 * writes below them, and the memory map at the end. Pipeline: profile/text_line.h -> profile/text_stacks.h ->
 * profile/debug_text.h, profile/jemalloc.h */
#ifndef GATE_PROFILE_TEXT_STACKS_H
#define GATE_PROFILE_TEXT_STACKS_H

#include "gate/profile/builder.h"
#include "gate/profile/limits.h"
#include "gate/profile/memory_map.h"

enum { GATE_TEXT_VALUES_MAX = 4 };

struct gate_text_stacks {
    struct gate_builder builder;
    struct gate_arena *scratch;
    struct gate_memory_map map;
    struct gate_limits limits;
    struct gate_str allocator; /* leaves in files of which this is part of the name are left out; empty: none */
    uint64_t line_number;      /* of what is read, for messages */
    uint64_t record_count;
    /* The record that is open: what is added below goes into it until the next one begins. */
    bool is_open;
    int64_t values[GATE_TEXT_VALUES_MAX];
    int64_t block_bytes; /* of one object, which becomes the label "bytes" as Go's own profiles have it; 0: none */
    uint64_t *addresses; /* leaf first */
    uint64_t *named;     /* locations of the names below the record, leaf first */
    uint32_t address_count, named_count;
};

/** Counts and bytes of one stack, and of its objects that were freed since. */
struct gate_text_heap {
    int64_t objects, bytes, alloc_objects, alloc_bytes;
};

/**
 * Begin to build. `bytes` is searched for the memory map, behind a line "MAPPED_LIBRARIES:" or "--- Memory map: ---".
 * gate_text_stacks_free frees what the builder has malloc'ed, also after an error.
 *
 * text   what stands before the map
 * err    GATE_ERR_LIMIT or GATE_ERR_MEMORY the arena is full
 */
GATE_MUST_CHECK
bool gate_text_stacks_init(struct gate_text_stacks *stacks, struct gate_str *text, struct gate_str bytes,
                           const struct gate_limits *limits, struct gate_arena *scratch, struct gate_error *err);
void gate_text_stacks_free(struct gate_text_stacks *stacks);

/** The next line before the map, counted. */
bool gate_text_stacks_line(struct gate_text_stacks *stacks, struct gate_str *rest, struct gate_str *line);

/** Close the open record and open one, of which the caller sets the values. */
GATE_MUST_CHECK
bool gate_text_stacks_begin(struct gate_text_stacks *stacks, struct gate_error *err);

/** "0x401000 0x402000": return addresses, so each one's call is the byte before it. Leaf first. */
GATE_MUST_CHECK
bool gate_text_stacks_addresses(struct gate_text_stacks *stacks, struct gate_str text, struct gate_error *err);

/** "#\t0x401000\tmain.run+0x20\t/srv/main.go:7" below a record: the call's name, with those that were inlined. */
GATE_MUST_CHECK
bool gate_text_stacks_name(struct gate_text_stacks *stacks, struct gate_str line, struct gate_error *err);

/** Close the open record; where it has names, they are its stack, else its addresses are. */
GATE_MUST_CHECK
bool gate_text_stacks_end(struct gate_text_stacks *stacks, struct gate_error *err);

/** "13: 6688 [20: 9000]" at the front of `rest`. */
bool gate_text_heap_read(struct gate_text_heap *out, struct gate_str *rest);

/** Whether it says more than what is in use: Go, gperftools and jemalloc then counted what was allocated, too. */
bool gate_text_heap_has_alloc(const struct gate_text_heap *total);

/** Declare the columns (alloc_objects, alloc_space, inuse_objects, inuse_space, or objects and space alone) and the
 * period in bytes, as google/pprof declares them. */
void gate_text_heap_declare(struct gate_text_stacks *stacks, bool has_alloc, int64_t rate);

/**
 * Set the open record's values. Objects of mean size S were sampled with probability 1 - exp(-S / rate), by which what
 * was seen is divided; rate 1 or less: all were seen (google/pprof, profile/legacy_profile.go, scaleHeapSample).
 *
 * err   GATE_ERR_FORMAT bytes of no objects; GATE_ERR_OVERFLOW the scaled values leave 64 bits
 */
GATE_MUST_CHECK
bool gate_text_heap_set(struct gate_text_stacks *stacks, const struct gate_text_heap *heap, bool has_alloc,
                        int64_t rate, struct gate_error *err);

#endif
