/* SPDX-License-Identifier: Apache-2.0 */
/* A built profile as OTLP profiles of proto 1.11, which profile/otlp.h reads back without a loss.
 * Pipeline: profile/merge.h -> profile/otlp_write.h -> bytes for a collector. */
#ifndef GATE_PROFILE_OTLP_WRITE_H
#define GATE_PROFILE_OTLP_WRITE_H

#include "gate/profile/builder.h"

/**
 * Append ProfilesData: a dictionary, and a profile for each sample type, all of them with all samples in their order.
 * Labels are attributes of samples, build ids process.executable.build_id.gnu; what has no field is kept in attributes
 * by the names of OpenTelemetry's conventions: pprof.profile.comment, drop_frames and keep_frames,
 * pprof.scope.sample_type_order and default_sample_type. A profile's id is a hash of what it holds.
 *
 * err   GATE_ERR_INPUT two sample types of one name and unit, which OTLP cannot tell apart; GATE_ERR_LIMIT no room
 *
 * O(samples * (sample types + labels)). Memory: the builder's arena, while writing.
 */
GATE_MUST_CHECK
bool gate_otlp_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err);

#endif
