/* SPDX-License-Identifier: Apache-2.0 */
/* From a file's ids, any 64-bit numbers, to dense indices. Used by profile/pprof.c for mappings, functions and locations. */
#ifndef GATE_PROFILE_IDINDEX_H
#define GATE_PROFILE_IDINDEX_H

#include "gate/profile/profile.h"

/** What building an index found wrong; `id` is the offender. */
enum gate_id_fault { GATE_ID_FINE, GATE_ID_ZERO, GATE_ID_TWICE, GATE_ID_MEMORY };

/**
 * Index `count` ids; the i-th stands at `ids + i * stride` bytes. A dense array is taken where the largest id is near
 * the count, else a hash. O(count) expected; at most 8 bytes (dense) or 24 bytes (hash) an id, arena memory.
 */
enum gate_id_fault gate_id_index_build(struct gate_id_index *out, const void *ids, size_t stride, uint32_t count,
                                       struct gate_arena *arena, uint64_t *id);

uint32_t gate_id_index_hashed(const struct gate_id_index *index, uint64_t id);

/** Index of `id`, or GATE_NO_INDEX. O(1) expected. */
static inline uint32_t gate_id_index_find(const struct gate_id_index *index, uint64_t id) {
    if (id < index->dense_count)
        return index->dense[id];
    return index->slot_count == 0 ? GATE_NO_INDEX : gate_id_index_hashed(index, id);
}

#endif
