/* SPDX-License-Identifier: Apache-2.0 */
/* The memory map that native profilers write behind their addresses, as /proc/PID/maps has it: what tells which file an
 * address is of. Pipeline: profile/gperftools.h, profile/text_stacks.h -> profile/memory_map.h -> profile/builder.h */
#ifndef GATE_PROFILE_MEMORY_MAP_H
#define GATE_PROFILE_MEMORY_MAP_H

#include "gate/profile/builder.h"

/** Executable mappings by their start; arena memory. */
struct gate_memory_map {
    struct gate_mapping *items;
    size_t count, capacity;
};

/**
 * Read the lines that are executable mappings; others are passed over.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY the arena is full
 *
 * O(bytes + mappings log mappings).
 */
GATE_MUST_CHECK
bool gate_memory_map_read(struct gate_memory_map *out, struct gate_str text, struct gate_arena *arena,
                          struct gate_error *err);

/** The mapping that holds `address`, or NULL. O(log mappings). */
const struct gate_mapping *gate_memory_map_find(const struct gate_memory_map *map, uint64_t address);

/** A location without lines at `address`, which is moved to where the mapping was met first; of no mapping where none
 * holds it. 0 where the builder is full. O(log mappings). */
uint64_t gate_memory_map_location(struct gate_builder *builder, const struct gate_memory_map *map, uint64_t address);

#endif
