/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Firefox profiles (processed and raw Gecko JSON). */
#ifndef GATE_FORMATS_GECKO_H
#define GATE_FORMATS_GECKO_H

#include "gate/base/buf.h"
#include "gate/formats/builder.h"
#include "gate/model/limits.h"

#include <jansson.h>

/**
 * Convert a Firefox profile to pprof bytes: the samples of all threads of all processes as samples/count. The
 * thread's name is the label "thread". If samples have CPU time (threadCPUDelta), cpu-time/nanoseconds is the
 * default, and cpu-samples/count has the samples with CPU time. A sample with a weight counts that many times.
 * `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: malformed JSON, an index outside its table (names the thread), or weights that are not
 *       sample counts; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + stacks * depth).
 */
GATE_MUST_CHECK
bool gate_gecko_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                        struct gate_arena *scratch, struct gate_error *err);

#endif
