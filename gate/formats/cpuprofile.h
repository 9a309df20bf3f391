/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of V8's .cpuprofile and .heapprofile files (JSON). */
#ifndef GATE_FORMATS_CPUPROFILE_H
#define GATE_FORMATS_CPUPROFILE_H

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/model/limits.h"

#include <jansson.h>

/* ---- reader of V8's .cpuprofile ---------------------------------------------------------------------------------- */

/**
 * Convert a .cpuprofile to pprof bytes: samples/count and cpu/nanoseconds. Samples are sorted by time. Each lasts
 * until the next one.
 * Samples of (idle) are left out, and a comment gives their number. (program) and (garbage collector) are frames.
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK bool gate_cpuprofile_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

/** Several profiles added up, as a trace has one per process. */
struct gate_cpuprofile_sum {
    struct gate_builder *builder; /* initialised with gate_cpuprofile_begin */
    const struct gate_limits *limits;
    bool is_trimmed;    /* calls may be missing, as in a trace whose beginning was overwritten */
    int64_t idle_count; /* idle samples that were left out */
    int64_t lost_count; /* samples that were left out as their call is missing */
    int64_t cut_count;  /* samples whose stack ends at a call with a missing caller */
};

/** Initialise an empty builder with the columns of the format. */
void gate_cpuprofile_begin(struct gate_builder *builder, struct gate_arena *scratch);

/**
 * Add the profile `root`, an object with 'nodes', 'samples', 'timeDeltas', 'startTime' and 'endTime'. Each sample
 * gets `label`; NULL: none. Errors and cost: as gate_cpuprofile_convert.
 */
GATE_MUST_CHECK
bool gate_cpuprofile_add(struct gate_cpuprofile_sum *sum, const json_t *root, const struct gate_label *label,
                         struct gate_error *err);

/** Append the pprof bytes of the sum to `out`. */
GATE_MUST_CHECK
bool gate_cpuprofile_end(struct gate_buf *out, struct gate_cpuprofile_sum *sum, struct gate_error *err);

/* ---- reader of V8's sampled heap profile, .heapprofile ----------------------------------------------------------- */

/**
 * Convert a .heapprofile to pprof bytes: samples/count and space/bytes. The bytes are the 'selfSize' of each call,
 * which V8 already scaled up by its sampling interval. The counts are the number of entries in 'samples'. Files
 * without 'samples', which V8 wrote before 2018, have only space/bytes; their number of samples is unknown. See
 * gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK bool gate_heapprofile_convert(struct gate_buf *out, struct gate_str bytes,
                                              const struct gate_limits *limits, struct gate_arena *scratch,
                                              struct gate_error *err);

#endif
