/* SPDX-License-Identifier: Apache-2.0 */
/* What a source map says of each place in a generated script: the list of numbers in its 'mappings' (ECMA-426, "Source
 * map format"). Used by symbols/source_map.h */
#ifndef GATE_SYMBOLS_SOURCE_MAPPINGS_H
#define GATE_SYMBOLS_SOURCE_MAPPINGS_H

#include "gate/base/arena.h"
#include "gate/base/str.h"

/** From this place on to the next segment of the line. Lines and columns count from 0, columns in UTF-16 units. */
struct gate_source_segment {
    uint32_t line, column; /* of the generated script */
    uint32_t source;       /* index; GATE_TABLE_NONE: of no source, and the rest is 0 */
    uint32_t source_line, source_column;
    uint32_t name; /* index; GATE_TABLE_NONE: none */
};

/** By line and column. Arena memory. */
struct gate_source_mappings {
    struct gate_source_segment *items;
    size_t count, capacity;
    bool is_unsorted;
};

/** Whose 'mappings' are read: a whole map's, or those of a section of one. */
struct gate_source_part {
    uint32_t first_source, source_count; /* indices in the text count from the first */
    uint32_t first_name, name_count;
    uint32_t line, column; /* at which its script begins */
};

/**
 * Add the segments of `text`.
 *
 * err   GATE_ERR_FORMAT a number that is malformed, leaves its table or falls below 0, with the place in the text;
 *       GATE_ERR_LIMIT the arena is full
 *
 * O(bytes); 24 bytes a segment.
 */
GATE_MUST_CHECK
bool gate_source_mappings_read(struct gate_source_mappings *out, struct gate_str text,
                               const struct gate_source_part *part, struct gate_arena *arena, struct gate_error *err);

/** To be called behind the last part: segments that stand in disorder are sorted. O(n log n) then. */
void gate_source_mappings_close(struct gate_source_mappings *mappings);

/** The segment that `line` and `column` lie in: the last of that line at or before it; NULL: none. O(log n). */
const struct gate_source_segment *gate_source_mappings_find(const struct gate_source_mappings *mappings, uint32_t line,
                                                            uint32_t column);

#endif
