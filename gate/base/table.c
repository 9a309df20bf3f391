/* SPDX-License-Identifier: Apache-2.0 */
/* Interning: maps byte strings to dense indices. */
#include "gate/base/table.h"

#include "gate/base/hash.h"
#include "gate/base/str.h"

void gate_table_init(struct gate_table *table, struct gate_arena *arena) {
    *table = (struct gate_table){.arena = arena, .secret = gate_hash_secret()};
}

static uint32_t table_probe(const struct gate_table *table, struct gate_str key, uint64_t hash, uint32_t *slot_out) {
    uint32_t mask = table->slot_count - 1;
    for (uint32_t slot = (uint32_t)hash & mask;; slot = (slot + 1) & mask) {
        uint32_t entry = table->slots[slot];
        *slot_out = slot;
        if (entry == 0)
            return GATE_TABLE_NONE;
        if (table->hashes[entry - 1] == hash && gate_str_equal(table->keys[entry - 1], key))
            return entry - 1;
    }
}

static bool table_widen(struct gate_table *table) {
    if (table->slot_count >= UINT32_C(1) << 31)
        return false;
    uint32_t wanted = table->slot_count == 0 ? 64 : table->slot_count * 2;
    uint32_t *slots = GATE_NEW_ARRAY(table->arena, uint32_t, wanted);
    if (slots == NULL)
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t slot = (uint32_t)table->hashes[i] & (wanted - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (wanted - 1);
        slots[slot] = i + 1;
    }
    table->slots = slots;
    table->slot_count = wanted;
    return true;
}

static uint32_t table_insert(struct gate_table *table, struct gate_str key, bool copy) {
    if (table->count >= table->slot_count / 2 && !table_widen(table))
        return GATE_TABLE_NONE;
    uint64_t hash = gate_hash_bytes(key.ptr, key.len, table->secret);
    uint32_t slot = 0;
    uint32_t found = table_probe(table, key, hash, &slot);
    if (found != GATE_TABLE_NONE)
        return found;
    if (copy)
        key = gate_str_copy(table->arena, key);
    if ((copy && key.ptr == NULL) || !GATE_GROW(table->arena, table->keys, table->count, table->key_capacity) ||
        !GATE_GROW(table->arena, table->hashes, table->count, table->hash_capacity))
        return GATE_TABLE_NONE;
    table->keys[table->count] = key;
    table->hashes[table->count] = hash;
    table->slots[slot] = ++table->count;
    return table->count - 1;
}

uint32_t gate_table_intern(struct gate_table *table, struct gate_str key) {
    return table_insert(table, key, false);
}

uint32_t gate_table_intern_copy(struct gate_table *table, struct gate_str key) {
    return table_insert(table, key, true);
}

uint32_t gate_table_find(const struct gate_table *table, struct gate_str key) {
    if (table->slot_count == 0)
        return GATE_TABLE_NONE;
    uint32_t slot = 0;
    return table_probe(table, key, gate_hash_bytes(key.ptr, key.len, table->secret), &slot);
}
