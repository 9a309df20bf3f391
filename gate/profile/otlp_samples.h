/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of OTLP into a profile under construction. Neighbours: profile/otlp_header.h, profile/otlp_frames.h,
 * profile/otlp_labels.h, profile/otlp.c */
#ifndef GATE_PROFILE_OTLP_SAMPLES_H
#define GATE_PROFILE_OTLP_SAMPLES_H

#include "gate/profile/otlp_header.h"

/**
 * Add the samples of all profiles; what they mean is said at gate_otlp_convert.
 *
 * err   GATE_ERR_FORMAT an index that is not in its table, values unlike the sample types, malformed;
 * GATE_ERR_OVERFLOW; GATE_ERR_LIMIT a cap of `limits`: also where the stacks, written out, are larger than
 * limits->inflated_bytes
 *
 * O(bytes + stack slots). Memory: the builder's arena.
 */
GATE_MUST_CHECK
bool gate_otlp_samples_add(struct gate_builder *builder, const struct gate_otlp_file *file,
                           const struct gate_otlp_columns *columns, const struct gate_limits *limits,
                           struct gate_error *err);

#endif
