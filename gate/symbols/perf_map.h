/* SPDX-License-Identifier: Apache-2.0 */
/* perf maps (/tmp/perf-PID.map), in which just-in-time compilers list their functions. */
#ifndef GATE_SYMBOLS_PERF_MAP_H
#define GATE_SYMBOLS_PERF_MAP_H

#include "gate/base/str.h"

struct gate_perf_map_row {
    uint64_t start, size;
    struct gate_str name; /* valid UTF-8; view of the text or of the arena */
    uint32_t order;       /* number of the row: a later row may replace older code at the same place */
};

/** Rows sorted by start; of equal starts, the later line first. Arena memory. */
struct gate_perf_map {
    struct gate_perf_map_row *rows;
    size_t count, capacity;
};

/** Return whether a text that starts with `head` is a perf map. */
bool gate_perf_map_sniff(struct gate_str head);

/** Add the rows of `text`, which must outlive the map. Lines of another form are ignored. O(n log n). */
GATE_MUST_CHECK
bool gate_perf_map_read(struct gate_perf_map *map, struct gate_str text, struct gate_arena *arena,
                        struct gate_error *err);

/**
 * Return the name of the code at `address`; of several ranges that contain it, the one with the highest start. Empty if
 * there is none.
 */
struct gate_str gate_perf_map_find(const struct gate_perf_map *map, uint64_t address);

#endif
