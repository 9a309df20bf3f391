/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that many profiles have in common, so that each one takes a few bytes per sample. */
#ifndef GATE_MODEL_SHARED_TABLES_H
#define GATE_MODEL_SHARED_TABLES_H

#include "gate/base/table.h"
#include "gate/model/profile.h"

/** A stack whose ids are in the bytes of the samples. */
struct gate_shared_stack {
    uint32_t tag;   /* low 32 bits of the hash of its ids */
    uint32_t place; /* offset of the ids */
    uint32_t len;   /* bytes of the ids; 0: a free slot */
};

/**
 * Mappings, functions, locations, strings and stacks of many profiles. Equal ones are stored once, in the order of
 * their first use. Samples are stored as in pprof; a stack of an earlier sample is a reference (model/sample.h).
 */
struct gate_shared_tables {
    struct gate_arena *arena;
    bool drops_addresses;   /* locations with a known function have no address: more of them are equal */
    struct gate_arena keys; /* memory that only gate_shared_tables_add needs */
    struct gate_table strings, mapping_keys, function_keys, location_keys;
    struct gate_mapping *mappings;
    struct gate_function *functions;
    struct gate_location *locations;
    struct gate_line *lines;
    uint32_t line_count, most_lines;
    size_t mapping_capacity, function_capacity, location_capacity, line_capacity;
    uint8_t *bytes; /* samples of all profiles */
    size_t len, capacity;
    struct gate_shared_stack *stacks; /* hash table; slot_count is a power of two */
    size_t slot_count, stack_count;
    uint64_t secret;
    struct gate_profile **profiles; /* those that were added */
    uint32_t profile_count;
    size_t profile_capacity;
};

/** Start with empty tables in `arena`. */
void gate_shared_tables_begin(struct gate_shared_tables *tables, struct gate_arena *arena);

/**
 * Make `out` a copy of `profile` that uses the tables. It may be read after gate_shared_tables_end; `profile` may be
 * freed. `out` has to stay where it is. Addresses are moved to the start of the first profile's mapping.
 *
 * Returns false without an error if the profile cannot use the tables: its first mapping is another one, which would
 * make another binary the program; or the samples of all take more than 4 GiB. It may be kept as it is.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY: the arena is full; GATE_ERR_FORMAT: a sample is malformed
 *
 * O(samples * depth).
 */
GATE_MUST_CHECK
bool gate_shared_tables_add(struct gate_profile *out, struct gate_shared_tables *tables,
                            const struct gate_profile *profile, struct gate_error *err);

/** Finish all profiles that were added, and free what adding needed. */
void gate_shared_tables_end(struct gate_shared_tables *tables);

#endif
