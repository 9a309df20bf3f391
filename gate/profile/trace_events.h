/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the CPU profiles in a trace of events, as Chrome's Performance panel and Chromium's tracing write it: V8's
 * profiler puts a tree of calls and its samples there in chunks, for each process. Told by gate_devtools_is_trace.
 * Pipeline: profile/format.h -> profile/json_tree.h -> profile/trace_events.h (cpuprofile.h) -> profile/pprof.h */
#ifndef GATE_PROFILE_TRACE_EVENTS_H
#define GATE_PROFILE_TRACE_EVENTS_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/**
 * Convert to pprof bytes: the profiles of all processes in one, with the name of the thread as the label "thread".
 * Columns and idle time as of gate_cpuprofile_convert.
 *
 * err   GATE_ERR_FORMAT malformed JSON, no profile in the trace (with how to record one), what the tree of a profile
 *       lacks; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + nodes * depth). `limits` is filled (gate_limits_fill).
 */
GATE_MUST_CHECK
bool gate_trace_events_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                               struct gate_arena *scratch, struct gate_error *err);

#endif
