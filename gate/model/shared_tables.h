/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that many profiles have in common, so that each one takes a few bytes per sample. */
#ifndef GATE_MODEL_SHARED_TABLES_H
#define GATE_MODEL_SHARED_TABLES_H

#include "gate/base/table.h"
#include "gate/model/profile.h"

/** A list of bytes. */
struct gate_shared_bytes {
    uint8_t *at;
    size_t len, capacity;
};

/** A profile that was added. */
struct gate_shared_profile {
    struct gate_profile *profile;
    size_t from; /* offset of its samples */
};

/** A slot of the hash table of stacks. */
struct gate_shared_stack {
    uint32_t tag;   /* low 32 bits of the hash of its ids */
    uint32_t place; /* offset of the ids in `stacks` */
    uint32_t len;   /* bytes of the ids; 0: a free slot */
};

/**
 * Mappings, functions, locations, strings and stacks of many profiles. Equal ones are stored once, in the order of
 * their first use. Samples are packed (model/profile.h).
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
    struct gate_shared_bytes stacks;  /* each is its length and its ids; the first is the empty stack */
    struct gate_shared_bytes samples; /* of all profiles */
    struct gate_shared_stack *slots;  /* hash table of `stacks`; slot_count is a power of two */
    size_t slot_count, stack_count;
    uint64_t secret;
    struct gate_shared_profile *profiles;
    uint32_t profile_count;
    size_t profile_capacity;
};

/** Return whether two profiles that were added have the same functions and locations. */
static inline bool gate_shared_tables_are_same(const struct gate_profile *a, const struct gate_profile *b) {
    return a->location_places == NULL && a->locations == b->locations && a->functions == b->functions &&
           a->location_count == b->location_count;
}

/** Start with empty tables in `arena`. */
void gate_shared_tables_begin(struct gate_shared_tables *tables, struct gate_arena *arena);

/**
 * Make `out` a copy of `profile` that uses the tables. It may be read after gate_shared_tables_end; `profile` may be
 * freed. `out` has to stay where it is. Addresses are moved to the start of the first profile's mapping.
 *
 * Returns false without an error if the profile cannot use the tables, and may be kept as it is. Either its first
 * mapping differs, so that another binary would be the program, or the stacks of all profiles take more than 4 GiB.
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
