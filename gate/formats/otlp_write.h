/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a profile as OTLP. */
#ifndef GATE_FORMATS_OTLP_WRITE_H
#define GATE_FORMATS_OTLP_WRITE_H

#include "gate/formats/builder.h"

/** Append a ProfilesData message: a dictionary, and one profile per sample type, each with all samples in their order.
 * Labels become attributes of samples; build ids become process.executable.build_id.gnu. What OTLP has no field for is
 * stored in attributes by OpenTelemetry's conventions: pprof.profile.comment, drop_frames and keep_frames,
 * pprof.scope.sample_type_order and default_sample_type. A profile's id is a hash of its contents. O(samples * (sample
 * types + labels)). Memory: a fork of the builder's arena, while writing. err: GATE_ERR_LIMIT: memory is exhausted. */
GATE_MUST_CHECK
bool gate_otlp_write(struct gate_buf *out, const struct gate_builder *builder, struct gate_error *err);

#endif
