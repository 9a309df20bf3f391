/* SPDX-License-Identifier: Apache-2.0 */
/* Merges several profiles into one. */
#ifndef GATE_FORMATS_MERGE_H
#define GATE_FORMATS_MERGE_H

#include "gate/base/buf.h"
#include "gate/formats/builder.h"

/**
 * A merge of profiles. Equal stacks with equal labels become one sample. The period is the largest, the duration the
 * sum, the time the earliest.
 */
struct gate_merge {
    struct gate_builder builder;
    uint32_t profile_count;
    bool is_duration_cut; /* the sum of the durations exceeds 64 bits; a comment of the profile says so */
};

/** Start an empty merge, which uses `arena`. Call gate_merge_end at the end. */
void gate_merge_begin(struct gate_merge *merge, struct gate_arena *arena);

/** Free the memory that is not in the arena. */
void gate_merge_end(struct gate_merge *merge);

/**
 * Add `profile`, which may be freed afterwards. Sample types are intersected by name, in the order of the first
 * profile. Values are converted to the finer unit of both.
 *
 * err   GATE_ERR_INPUT: no common sample type, the default type is missing, different period types (names both), or
 *       units that do not convert; GATE_ERR_OVERFLOW; GATE_ERR_LIMIT
 *
 * O(samples * depth). `scratch` may be emptied after each call.
 */
GATE_MUST_CHECK
bool gate_merge_add(struct gate_merge *merge, const struct gate_profile *profile, struct gate_arena *scratch,
                    struct gate_error *err);

/**
 * As gate_merge_add, with values multiplied by `factor` (1 or -1) and an additional `label`; NULL: none. Adding the
 * canary, and the baseline with -1 and pprof::base=true, gives what `go tool pprof -diff_base` shows.
 */
GATE_MUST_CHECK
bool gate_merge_add_scaled(struct gate_merge *merge, const struct gate_profile *profile, int64_t factor,
                           const struct gate_label *label, struct gate_arena *scratch, struct gate_error *err);

/** Append the merged profile to `out`. Equal inputs in equal order give equal bytes. */
GATE_MUST_CHECK
bool gate_merge_write(struct gate_buf *out, struct gate_merge *merge, enum gate_container container,
                      struct gate_error *err);

/**
 * Write the merged profile to `to` in parts. Takes a few MiB besides the builder. Errors of the sink are returned,
 * too.
 */
GATE_MUST_CHECK
bool gate_merge_pack(struct gate_sink to, struct gate_merge *merge, enum gate_container container,
                     struct gate_error *err);

/**
 * Write the merged profile as OTLP, compressed in parts. Errors of the encoder and of the sink are returned,
 * too.
 */
GATE_MUST_CHECK
bool gate_merge_pack_otlp(struct gate_sink to, struct gate_merge *merge, enum gate_container container,
                          struct gate_error *err);

#endif
