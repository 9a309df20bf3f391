/* SPDX-License-Identifier: Apache-2.0 */
/* From a file's ids, any 64-bit numbers, to dense indices. Used by the pprof decoder for mappings, functions and
 * locations, by profile/profile.h, and by profile/cpuprofile.c for its nodes. */
#ifndef GATE_PROFILE_ID_INDEX_H
#define GATE_PROFILE_ID_INDEX_H

#include "gate/base/str.h"

/** "No such thing" for every uint32_t index of the model. */
#define GATE_NO_INDEX UINT32_MAX

/** From an id to its index: nothing where ids count from 1, a dense array when they are small, else a hash. */
struct gate_id_index {
    uint32_t in_order; /* ids up to this one are one more than their index */
    uint32_t *dense;   /* dense_count entries, GATE_NO_INDEX where there is none */
    size_t dense_count;
    uint64_t *hash_ids; /* open addressing, slot_count a power of two; id 0 is free */
    uint32_t *hash_indices;
    size_t slot_count;
    uint64_t secret; /* of the hash */
};

/** What building an index found wrong; `id` is the offender. */
enum gate_id_fault { GATE_ID_FINE, GATE_ID_ZERO, GATE_ID_TWICE, GATE_ID_MEMORY };

/**
 * Index `count` ids; the i-th stands at `ids + i * stride` bytes. A dense array is taken where the largest id is near
 * the count, else a hash; neither where ids are 1, 2, 3. O(count) expected; at most 8 bytes (dense) or 24 bytes (hash)
 * an id, arena memory.
 */
enum gate_id_fault gate_id_index_build(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                       struct gate_arena *arena, uint64_t *id);

uint32_t gate_id_index_hashed(const struct gate_id_index *index, uint64_t id);

/** Index of `id`, or GATE_NO_INDEX. O(1) expected. */
static inline uint32_t gate_id_index_find(const struct gate_id_index *index, uint64_t id) {
    if (id - 1 < index->in_order)
        return (uint32_t)(id - 1);
    if (id < index->dense_count)
        return index->dense[id];
    return index->slot_count == 0 ? GATE_NO_INDEX : gate_id_index_hashed(index, id);
}

#endif
