/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Chrome traces that contain V8 CPU profiles: DevTools exports and trace events. */
#ifndef GATE_FORMATS_CHROME_TRACE_H
#define GATE_FORMATS_CHROME_TRACE_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/* ---- recognition of the JSON files of browsers, Node and Pyroscope --------------------------------------------------
 *
 * It uses only the keys of the outermost object, as names and sources inside may contain any text. */

/** Return true for a V8 CPU profile of any version: 'nodes' with call frames, or 'head' with calls that have a
 * 'hitCount'. O(bytes). */
bool gate_devtools_is_cpuprofile(struct gate_str text);

/** Return true for a Firefox profile: 'meta', and 'threads' with stack tables. O(bytes). */
bool gate_devtools_is_gecko(struct gate_str text);

/** Return true for a trace of Chrome's Performance panel: 'traceEvents', or a bare list of events. O(bytes). */
bool gate_devtools_is_trace(struct gate_str text);

/** Return true for a sampled heap profile of V8 (.heapprofile). O(bytes). */
bool gate_devtools_is_heapprofile(struct gate_str text);

/** Return true for a heap snapshot or timeline of V8 (.heapsnapshot): the live objects. O(bytes). */
bool gate_devtools_is_heapsnapshot(struct gate_str text);

/** Return true for a flamebearer file of Pyroscope, with one profile or two. O(bytes). */
bool gate_devtools_is_flamebearer(struct gate_str text);

/* ---- reader of the CPU profiles in a trace of events ----------------------------------------------------------------
 *
 * Chrome's Performance panel and Chromium's tracing write such traces. V8's profiler puts the call tree and the samples
 * of each process there in chunks. */

/**
 * Convert a trace (gate_devtools_is_trace) to pprof bytes. All processes become one profile; the thread's name is
 * the label "thread". Columns and idle time: as gate_cpuprofile_convert. `limits` has no zeros (gate_limits_fill).
 *
 * err   GATE_ERR_FORMAT: malformed JSON; no profile in the trace (the message describes how to record one); a
 *       missing part of a profile's tree. GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + nodes * depth).
 */
GATE_MUST_CHECK
bool gate_trace_events_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                               struct gate_arena *scratch, struct gate_error *err);

#endif
