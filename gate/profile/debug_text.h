/* SPDX-License-Identifier: Apache-2.0 */
/* pprof's text form, which Go's net/http/pprof answers with debug=1 and which gperftools' heap profiler writes,
 * converted to pprof bytes. Neighbours: profile/format.h, whose table names it; profile/text_stacks.h, by which it
 * reads and builds. */
#ifndef GATE_PROFILE_DEBUG_TEXT_H
#define GATE_PROFILE_DEBUG_TEXT_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/** Whether the first line is a heading that gate_debug_text_convert knows. */
bool gate_debug_text_sniff(struct gate_str text);

/**
 * Three kinds, by their heading; columns, periods and scaling are google/pprof's (profile/legacy_profile.go):
 *
 * "heap profile: … @ heap/RATE"   objects and bytes, in use and where the heading says so allocated, scaled up by the
 *                                 rate; "@ heapprofile", gperftools' own, has all of them
 * "--- mutex:", "--- contention:" contentions/count and delay/nanoseconds, from cycles
 * "NAME profile: total N"         NAME/count, as goroutine and threadcreate
 *
 * Go writes names below a stack: they are its frames. It leaves out the frames of the runtime at a leaf of heap and
 * goroutine profiles. Without names, frames are addresses of mappings. See gate_format_convert in profile/format.h.
 */
GATE_MUST_CHECK bool gate_debug_text_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

#endif
