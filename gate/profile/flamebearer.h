/* SPDX-License-Identifier: Apache-2.0 */
/* Pyroscope's flamebearer JSON, as its /render answers and its UI exports, converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/devtools.h, which knows it; profile/builder.h, by which
 * it writes. */
#ifndef GATE_PROFILE_FLAMEBEARER_H
#define GATE_PROFILE_FLAMEBEARER_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/**
 * One column by 'metadata.units': samples/count; cpu/nanoseconds where 'sampleRate' says that a sample is a nanosecond,
 * as it is since Pyroscope 1.0; objects/count, space/bytes, delay/nanoseconds, contentions/count, goroutine/count. The
 * levels of the graph are bars, each with its distance to the one before, its total, its self value and its name: what
 * a bar stands on is its caller. The first level is the whole and no frame. What the server cut off for its limit of
 * nodes is the frame 'other'. See gate_format_convert in profile/format.h.
 */
GATE_MUST_CHECK bool gate_flamebearer_convert(struct gate_buf *out, struct gate_str bytes,
                                              const struct gate_limits *limits, struct gate_arena *scratch,
                                              struct gate_error *err);

#endif
