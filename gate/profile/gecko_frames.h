/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of one thread of the Firefox profiler's JSON, and its frames as locations. Neighbours: profile/gecko.h */
#ifndef GATE_PROFILE_GECKO_FRAMES_H
#define GATE_PROFILE_GECKO_FRAMES_H

#include "gate/profile/builder.h"

#include <jansson.h>

/** A table as columns, or as rows with a schema that says where each column is. */
struct gate_gecko_table {
    const json_t *columns;
    const json_t *schema;
    const json_t *rows;
};

/** What a thread's frames are made of. */
struct gate_gecko_thread {
    const json_t *strings;
    const json_t *libs; /* of the process */
    const json_t *sources;
    struct gate_gecko_table frames, functions, resources, stacks, samples;
    uint64_t *locations; /* the builder's, of each frame; 0: not yet met */
    size_t frame_count;
};

/** Rows of a table. */
size_t gate_gecko_rows(const struct gate_gecko_table *table, const char *column);

/** A cell; NULL where there is none. O(1) expected. */
const json_t *gate_gecko_cell(const struct gate_gecko_table *table, const char *column, size_t row);

/** The table `name` of the thread, else of what all threads share. */
struct gate_gecko_table gate_gecko_table_of(const json_t *thread, const json_t *shared, const char *name);

/**
 * The builder's location of a frame: the function with its file and line, or, where the name is an address alone, its
 * library and the address in it. False when `frame` is not in the table. O(1) expected after the first time.
 */
GATE_MUST_CHECK
bool gate_gecko_location(uint64_t *location, struct gate_gecko_thread *thread, struct gate_builder *builder,
                         const json_t *frame);

/** Whether a frame is "(root)", which Firefox puts below each stack. */
bool gate_gecko_is_root(const struct gate_gecko_thread *thread, const json_t *frame);

#endif
