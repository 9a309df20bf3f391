/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the Firefox profiler's JSON: as its page saves it and samply and CPython write it ("processed"), and as
 * Firefox itself writes it ("gecko"). Told by gate_devtools_is_gecko.
 * Pipeline: profile/format.h -> profile/json_tree.h -> profile/gecko.h (gecko_frames.h) -> profile/pprof.h */
#ifndef GATE_PROFILE_GECKO_H
#define GATE_PROFILE_GECKO_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/**
 * Convert to pprof bytes: the samples of all threads of all processes, as samples/count, with the thread's name as the
 * label "thread". Where they have CPU time (threadCPUDelta), cpu-time/nanoseconds is the default, and cpu-samples/count
 * the samples that used some. Samples that have a weight count as many.
 *
 * err   GATE_ERR_FORMAT malformed JSON, an index that is not in its table, with the thread; weights that are no
 * samples; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + stacks * depth). `limits` is filled (gate_limits_fill).
 */
GATE_MUST_CHECK
bool gate_gecko_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                        struct gate_arena *scratch, struct gate_error *err);

#endif
