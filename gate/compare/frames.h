/* SPDX-License-Identifier: Apache-2.0 */
/* From locations to rows of the frame table: names, granularity, renames, ignored frames.
 * Neighbours: profile/name.h and compare/prune.h before, compare/pair.h after. */
#ifndef GATE_COMPARE_FRAMES_H
#define GATE_COMPARE_FRAMES_H

#include "gate/base/table.h"
#include "gate/compare/pair_types.h"

/** The growing frame table of a pair. */
struct gate_frame_table {
    enum gate_language language; /* of the run that is being added */
    struct gate_table names;
    struct gate_frame *frames;
    size_t capacity;
    uint32_t count;
    const struct gate_frame_options *options;
    struct gate_arena *arena;
    struct gate_arena scratch; /* what interning needs, until the end */
    struct gate_table ignored; /* names met and found ignored, so that each is matched once */
};

/** An empty table, to be ended, whatever comes of it. Its frames are a block of their own in `arena`. */
void gate_frame_table_init(struct gate_frame_table *table, const struct gate_frame_options *options,
                           struct gate_arena *arena);

/** Give back what adding runs needed; the frames stay. */
void gate_frame_table_end(struct gate_frame_table *table);

/**
 * Resolve every location of `run` to frames: fills frame_of, frame_lists and prune. Baseline runs come first, so that
 * the table's order does not depend on threads; a canary's file and line win over the baseline's.
 *
 * O(lines + functions * patterns). Names are made stable, and whose code each frame is is looked up, in two threads.
 */
GATE_MUST_CHECK
bool gate_frame_table_add(struct gate_frame_table *table, struct gate_run *run, struct gate_error *err);

#endif
