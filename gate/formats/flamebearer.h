/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Pyroscope's flamebearer JSON. */
#ifndef GATE_FORMATS_FLAMEBEARER_H
#define GATE_FORMATS_FLAMEBEARER_H

#include "gate/base/buf.h"
#include "gate/model/limits.h"

/**
 * Convert a flamebearer file to pprof bytes. See gate_format_convert in formats/format.h.
 *
 * 'metadata.units' selects the only column: samples/count; cpu/nanoseconds if 'sampleRate' is 1e9, as it is since
 * Pyroscope 1.0; objects/count, space/bytes, delay/nanoseconds, contentions/count, goroutine/count.
 *
 * Each level of the graph lists bars: distance to the previous bar, total, self value, name. The bar below is the
 * caller. The first level is the total, which is not a frame. Nodes cut off by the server's limit are the frame
 * 'other'.
 */
GATE_MUST_CHECK bool gate_flamebearer_convert(struct gate_buf *out, struct gate_str bytes,
                                              const struct gate_limits *limits, struct gate_arena *scratch,
                                              struct gate_error *err);

#endif
