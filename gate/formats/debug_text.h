/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of pprof's text profiles (?debug=1) and of jemalloc heap profiles. */
#ifndef GATE_FORMATS_DEBUG_TEXT_H
#define GATE_FORMATS_DEBUG_TEXT_H

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/model/limits.h"

/* ---- memory map that native profilers write after the stacks, in the form of /proc/PID/maps -------------------------
 *
 * It maps addresses to files. */

/** Executable mappings in order of their start, in arena memory. */
struct gate_memory_map {
    struct gate_mapping *items;
    size_t count, capacity;
};

/**
 * Read the executable mappings of `text`. Other lines are ignored.
 *
 * err   GATE_ERR_LIMIT or GATE_ERR_MEMORY: `arena` is full
 *
 * O(bytes + mappings log mappings).
 */
GATE_MUST_CHECK
bool gate_memory_map_read(struct gate_memory_map *out, struct gate_str text, struct gate_arena *arena,
                          struct gate_error *err);

/**
 * Return the id of a location without lines at `address`, in its mapping or in none. The address is moved to where
 * the builder saw the mapping first. 0: the builder is full. O(log mappings).
 */
uint64_t gate_memory_map_location(struct gate_builder *builder, const struct gate_memory_map *map, uint64_t address);

#endif
