/* SPDX-License-Identifier: Apache-2.0 */
/* Interning: bytes in, dense index out. The order of indices is the order of first insertion. */
#ifndef GATE_BASE_TABLE_H
#define GATE_BASE_TABLE_H

#include "gate/base/hash.h"
#include "gate/base/str.h"

enum { GATE_TABLE_NONE = UINT32_MAX };

/** Open addressing over a keyed hash of the key. Keys are views: their bytes must outlive the table. */
struct gate_table {
    struct gate_arena *arena;
    uint64_t secret;       /* of the hash; a table's own, set before the first key */
    struct gate_str *keys; /* count of them */
    uint64_t *hashes;
    uint32_t *slots; /* index + 1, or 0 */
    uint32_t count;
    uint32_t slot_count; /* a power of two, or 0 */
    size_t key_capacity;
    size_t hash_capacity;
};

/** Empty, with a new secret. */
void gate_table_init(struct gate_table *table, struct gate_arena *arena);

/** Index of `key`, inserting it when it is new; GATE_TABLE_NONE when the arena is full. O(len) expected. */
uint32_t gate_table_intern(struct gate_table *table, struct gate_str key);

/** Like gate_table_intern, but a new key is copied into the arena first. */
uint32_t gate_table_intern_copy(struct gate_table *table, struct gate_str key);

/** Index of `key`, or GATE_TABLE_NONE. */
uint32_t gate_table_find(const struct gate_table *table, struct gate_str key);

#endif
