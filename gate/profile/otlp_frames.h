/* SPDX-License-Identifier: Apache-2.0 */
/* Locations of OTLP as locations of a profile under construction. Neighbours: profile/otlp_tables.h, profile/otlp.c. */
#ifndef GATE_PROFILE_OTLP_FRAMES_H
#define GATE_PROFILE_OTLP_FRAMES_H

#include "gate/profile/builder.h"
#include "gate/profile/limits.h"
#include "gate/profile/otlp_tables.h"

/** A mapping as the builder has it: what has to be added to an address in it. */
struct gate_otlp_mapping {
    uint64_t id; /* 0: none */
    uint64_t shift;
    bool is_read;
};

/** One message's locations; `ids` are the builder's, 0: not yet met. */
struct gate_otlp_frames {
    const struct gate_otlp_tables *tables;
    struct gate_builder *builder;
    uint64_t *ids;
    uint64_t *function_ids; /* + 1; 1: one without a name, 0: not yet met */
    struct gate_otlp_mapping *mappings;
    struct gate_builder_line *lines; /* lines_max of them */
    uint32_t lines_max;
};

GATE_MUST_CHECK
bool gate_otlp_frames_init(struct gate_otlp_frames *out, const struct gate_otlp_tables *tables,
                           struct gate_builder *builder, const struct gate_limits *limits, struct gate_arena *arena,
                           struct gate_error *err);

/**
 * The builder's id of the location at `index` of its table: with its mapping, build id and lines. A frame of the kernel
 * that has no mapping gets the kernel's, by its attribute profile.frame.type.
 *
 * err   GATE_ERR_FORMAT an index that is not in its table, malformed; GATE_ERR_LIMIT more than limits->lines, no room
 *
 * O(its bytes) the first time, then O(1).
 */
GATE_MUST_CHECK
bool gate_otlp_location(uint64_t *id, struct gate_otlp_frames *frames, uint64_t index, struct gate_error *err);

/** Note the first mapping of the table, which is the main program's where pprof's convention is kept. Errors as above.
 */
GATE_MUST_CHECK
bool gate_otlp_frames_main(struct gate_otlp_frames *frames, struct gate_error *err);

#endif
