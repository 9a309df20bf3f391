/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of speedscope JSON. */
#ifndef GATE_FORMATS_SPEEDSCOPE_H
#define GATE_FORMATS_SPEEDSCOPE_H

#include "gate/base/buf.h"
#include "gate/model/limits.h"

/**
 * Convert speedscope JSON to pprof bytes. Sampled profiles have counts of samples; evented ones only durations. See
 * gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK bool gate_speedscope_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

/** Return true for a JSON object that contains the URL of speedscope's schema anywhere. */
bool gate_speedscope_sniff(struct gate_str text);

#endif
