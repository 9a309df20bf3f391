/* SPDX-License-Identifier: Apache-2.0 */
/* V8's .cpuprofile, converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/builder.h, by which it writes. */
#ifndef GATE_PROFILE_CPUPROFILE_H
#define GATE_PROFILE_CPUPROFILE_H

#include "gate/profile/builder.h"
#include "gate/profile/limits.h"

#include <jansson.h>

/** samples/count and cpu/nanoseconds. A sample lasts until the next one. Samples of (idle) are left out, since nothing
 * ran; a comment says how many. (program) and (garbage collector) are frames. See gate_format_convert in
 * profile/format.h. */
GATE_MUST_CHECK bool gate_cpuprofile_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

/** Several such profiles in one, as a trace has one for each process. */
struct gate_cpuprofile_sum {
    struct gate_builder *builder; /* of gate_cpuprofile_begin */
    const struct gate_limits *limits;
    int64_t idle_count; /* samples that were left out */
};

/** An empty builder with the columns of the format. */
void gate_cpuprofile_begin(struct gate_builder *builder, struct gate_arena *scratch);

/**
 * Add the profile `root`, an object with 'nodes', 'samples', 'timeDeltas', 'startTime' and 'endTime', and `label`,
 * which may be NULL, to each sample. Errors and cost as of gate_cpuprofile_convert.
 */
GATE_MUST_CHECK
bool gate_cpuprofile_add(struct gate_cpuprofile_sum *sum, const json_t *root, const struct gate_label *label,
                         struct gate_error *err);

/** Write the sum. */
GATE_MUST_CHECK
bool gate_cpuprofile_end(struct gate_buf *out, struct gate_cpuprofile_sum *sum, struct gate_error *err);

#endif
