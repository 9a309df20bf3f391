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

/* ---- reader of pprof's text form, written by Go's net/http/pprof with debug=1 and gperftools' heap profiler ------ */

/** Return true if the first line is a heading that gate_debug_text_convert supports. */
bool gate_debug_text_sniff(struct gate_str text);

/**
 * Convert a text profile to pprof bytes. The heading selects one of three kinds. Columns, periods and scaling follow
 * google/pprof (profile/legacy_profile.go):
 *
 * - "heap profile: … @ heap/RATE": objects and bytes in use, and allocated ones if the heading has them. Values are
 *   scaled up by the rate, except for gperftools' "@ heapprofile", which recorded all allocations.
 * - "--- mutex:", "--- contention:": contentions/count and delay/nanoseconds, converted from cycles. Unlike in
 *   google/pprof, a mutex profile of Go 1.20 or later is not scaled again by its sampling period.
 * - "NAME profile: total N": NAME/count, for example goroutine and threadcreate.
 *
 * Go writes names below a stack, which become its frames. It leaves out runtime frames at the leaf of heap and
 * goroutine profiles. Without names, frames are addresses in mappings. See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK bool gate_debug_text_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

/* ---- reader of jemalloc's heap profile (prof.dump, MALLOC_CONF=prof:true) ---------------------------------------- */

/**
 * Convert a jemalloc heap profile to pprof bytes. It has a heading "heap_v2/RATE", the totals, and for each stack "@
 * ADDRESS …" followed by the counts of its threads; the line 't*' is their sum. Values are scaled up by the rate, as
 * in jeprof. With prof_accum, allocated objects and bytes are included. Frames are addresses in mappings. See
 * gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK bool gate_jemalloc_convert(struct gate_buf *out, struct gate_str bytes,
                                           const struct gate_limits *limits, struct gate_arena *scratch,
                                           struct gate_error *err);

#endif
