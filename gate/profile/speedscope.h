/* SPDX-License-Identifier: Apache-2.0 */
/* speedscope's JSON, all its profiles together, converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/builder.h, by which it writes. */
#ifndef GATE_PROFILE_SPEEDSCOPE_H
#define GATE_PROFILE_SPEEDSCOPE_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/** Sampled profiles count their samples, evented ones only last. See gate_format_convert in profile/format.h. */
GATE_MUST_CHECK bool gate_speedscope_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

/** Whether it is a JSON object that names speedscope's schema, wherever it does. */
bool gate_speedscope_sniff(struct gate_str text);

#endif
