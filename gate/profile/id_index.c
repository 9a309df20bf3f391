/* SPDX-License-Identifier: Apache-2.0 */
/* Ids to indices (see id_index.h). */
#include "gate/profile/id_index.h"

#include "gate/base/hash.h"

#include <string.h>

static uint64_t id_at(const void *ids, size_t stride, uint32_t i) {
    uint64_t id = 0;
    memcpy(&id, (const char *)ids + (size_t)i * stride, sizeof id);
    return id;
}

static enum gate_id_fault index_dense(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                      uint64_t *id) {
    memset(out->dense, 0xFF, out->dense_count * sizeof *out->dense);
    for (uint32_t i = 0; i < count; i++) {
        *id = id_at(ids, stride, i);
        if (out->dense[*id] != GATE_NO_INDEX)
            return GATE_ID_TWICE;
        out->dense[*id] = i;
    }
    return GATE_ID_FINE;
}

static enum gate_id_fault index_hashed(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                       uint64_t *id) {
    size_t mask = out->slot_count - 1;
    for (uint32_t i = 0; i < count; i++) {
        *id = id_at(ids, stride, i);
        size_t slot = (size_t)gate_hash_number(*id, out->secret) & mask;
        while (out->hash_ids[slot] != 0) {
            if (out->hash_ids[slot] == *id)
                return GATE_ID_TWICE;
            slot = (slot + 1) & mask;
        }
        out->hash_ids[slot] = *id;
        out->hash_indices[slot] = i;
    }
    return GATE_ID_FINE;
}

enum gate_id_fault gate_id_index_build(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                       struct gate_arena *arena, uint64_t *id) {
    uint64_t largest = 0;
    bool is_in_order = true;
    *out = (struct gate_id_index){0};
    for (uint32_t i = 0; i < count; i++) {
        *id = id_at(ids, stride, i);
        is_in_order = is_in_order && *id == (uint64_t)i + 1;
        if (*id == 0)
            return GATE_ID_ZERO;
        largest = *id > largest ? *id : largest;
    }
    out->in_order = is_in_order ? count : 0;
    if (is_in_order)
        return GATE_ID_FINE;
    if (largest < (uint64_t)count * 2) {
        out->dense_count = (size_t)largest + 1;
        out->dense = gate_arena_alloc(arena, out->dense_count * sizeof *out->dense);
        return out->dense == NULL ? GATE_ID_MEMORY : index_dense(out, ids, stride, count, id);
    }
    out->secret = gate_hash_secret();
    out->slot_count = 16;
    while (out->slot_count < (size_t)count * 2)
        out->slot_count *= 2;
    out->hash_ids = GATE_NEW_ARRAY(arena, uint64_t, out->slot_count);
    out->hash_indices = gate_arena_alloc(arena, out->slot_count * sizeof *out->hash_indices);
    if (out->hash_ids == NULL || out->hash_indices == NULL)
        return GATE_ID_MEMORY;
    return index_hashed(out, ids, stride, count, id);
}

uint32_t gate_id_index_hashed(const struct gate_id_index *index, uint64_t id) {
    size_t mask = index->slot_count - 1;
    if (id == 0)
        return GATE_NO_INDEX;
    for (size_t slot = (size_t)gate_hash_number(id, index->secret) & mask; index->hash_ids[slot] != 0;
         slot = (slot + 1) & mask)
        if (index->hash_ids[slot] == id)
            return index->hash_indices[slot];
    return GATE_NO_INDEX;
}
