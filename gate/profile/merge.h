/* SPDX-License-Identifier: Apache-2.0 */
/* Many profiles into one, one at a time: memory follows the merged profile, not the number of inputs.
 * Pipeline: profile/load.h (each) -> profile/merge.h -> bytes that `go tool pprof` opens. Source: google/pprof, Merge.
 */
#ifndef GATE_PROFILE_MERGE_H
#define GATE_PROFILE_MERGE_H

#include "gate/base/sink.h"
#include "gate/profile/builder.h"

/** Equal stacks with equal labels become one sample; period is the largest, duration the sum, time the earliest. */
struct gate_merge {
    struct gate_builder builder;
    uint32_t profile_count;
    bool is_duration_cut; /* the durations add up to more than 64 bits hold; a comment of the profile says so */
};

void gate_merge_begin(struct gate_merge *merge, struct gate_arena *arena);
void gate_merge_end(struct gate_merge *merge);

/**
 * Add `profile`, which may be freed afterwards.
 *
 * Sample types are intersected by name in the first profile's order, units become the finer one of both.
 *
 * err   GATE_ERR_INPUT no common sample type, the default type is missing here, unlike period types (names both), units
 *       that do not convert; GATE_ERR_OVERFLOW; GATE_ERR_LIMIT
 *
 * O(samples * depth). `scratch` may be emptied after each call.
 */
GATE_MUST_CHECK
bool gate_merge_add(struct gate_merge *merge, const struct gate_profile *profile, struct gate_arena *scratch,
                    struct gate_error *err);

/**
 * Add the samples of `profile` with their values times `factor` (1 or -1) and one more label; NULL: none. Two calls,
 * the baseline with -1 and pprof::base=true, give what `go tool pprof -diff_base` shows.
 */
GATE_MUST_CHECK
bool gate_merge_add_scaled(struct gate_merge *merge, const struct gate_profile *profile, int64_t factor,
                           const struct gate_label *label, struct gate_arena *scratch, struct gate_error *err);

/** Write the merged profile; equal inputs in equal order give equal bytes. */
GATE_MUST_CHECK
bool gate_merge_write(struct gate_buf *out, struct gate_merge *merge, enum gate_container container,
                      struct gate_error *err);

/** The same a part at a time: memory is the builder's, and some megabytes. err: also the sink's. */
GATE_MUST_CHECK
bool gate_merge_pack(struct gate_sink to, struct gate_merge *merge, enum gate_container container,
                     struct gate_error *err);

/** Write it as OTLP profiles, which are packed a part at a time; errors also as of gate_otlp_write, and the sink's. */
GATE_MUST_CHECK
bool gate_merge_pack_otlp(struct gate_sink to, struct gate_merge *merge, enum gate_container container,
                          struct gate_error *err);

#endif
