/* SPDX-License-Identifier: Apache-2.0 */
/* Interning: maps byte strings to dense indices, in the order of first insertion. */
#ifndef GATE_BASE_TABLE_H
#define GATE_BASE_TABLE_H

#include "gate/base/hash.h"
#include "gate/base/str.h"

enum { GATE_TABLE_NONE = UINT32_MAX };

/** A hash table with open addressing and a keyed hash. Keys are views: their bytes must outlive the table. */
struct gate_table {
    struct gate_arena *arena;
    uint64_t secret;       /* key of the hash; random for each table */
    struct gate_str *keys; /* `count` keys by index */
    uint64_t *hashes;
    uint32_t *slots; /* index + 1, or 0 */
    uint32_t count;
    uint32_t slot_count; /* a power of two, or 0 */
    size_t key_capacity;
    size_t hash_capacity;
};

/** Initialise an empty table with a new secret. */
void gate_table_init(struct gate_table *table, struct gate_arena *arena);

/** Return the index of `key`; insert it if it is new. Returns GATE_TABLE_NONE if the arena is full. O(len) expected. */
uint32_t gate_table_intern(struct gate_table *table, struct gate_str key);

/** Like gate_table_intern, but a new key is copied into the arena first. */
uint32_t gate_table_intern_copy(struct gate_table *table, struct gate_str key);

/** Return the index of `key`, or GATE_TABLE_NONE if it is not in the table. */
uint32_t gate_table_find(const struct gate_table *table, struct gate_str key);

#endif
