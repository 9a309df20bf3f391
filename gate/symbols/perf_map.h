/* SPDX-License-Identifier: Apache-2.0 */
/* perf maps: what a just-in-time compiler writes for others to name its code, `/tmp/perf-PID.map`; a line is
 * "START SIZE NAME" in hexadecimal (Linux, tools/perf/Documentation/jit-interface.txt).
 * Used by symbols/symbol_files.h and symbols/symbolise.h */
#ifndef GATE_SYMBOLS_PERF_MAP_H
#define GATE_SYMBOLS_PERF_MAP_H

#include "gate/base/str.h"

struct gate_perf_map_row {
    uint64_t start, size;
    struct gate_str name; /* valid UTF-8, in the text or in the arena */
    uint32_t order;       /* of the line: code is written again where older code was */
};

/** Rows by start; of equal ones the later line first. Arena memory. */
struct gate_perf_map {
    struct gate_perf_map_row *rows;
    size_t count, capacity;
};

/** Whether a text that begins like `head` is one. */
bool gate_perf_map_sniff(struct gate_str head);

/** Add the lines of `text`, which has to outlive the map; what is no such line is passed over. O(n log n). */
GATE_MUST_CHECK
bool gate_perf_map_read(struct gate_perf_map *map, struct gate_str text, struct gate_arena *arena,
                        struct gate_error *err);

/** The name of the code at `address`: of several that hold it, the one that begins last. "" where there is none. */
struct gate_str gate_perf_map_find(const struct gate_perf_map *map, uint64_t address);

#endif
