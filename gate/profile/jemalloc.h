/* SPDX-License-Identifier: Apache-2.0 */
/* jemalloc's heap profile (prof.dump, MALLOC_CONF=prof:true), converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/text_stacks.h, by which it reads and builds. */
#ifndef GATE_PROFILE_JEMALLOC_H
#define GATE_PROFILE_JEMALLOC_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/**
 * A heading "heap_v2/RATE", the total, then for each stack "@ ADDRESS …" and what its threads hold, of which 't*' is
 * the sum. Values are scaled up by the rate, as jeprof does it; with prof_accum there is what was allocated, too.
 * Frames are addresses of mappings. See gate_format_convert in profile/format.h.
 */
GATE_MUST_CHECK bool gate_jemalloc_convert(struct gate_buf *out, struct gate_str bytes,
                                           const struct gate_limits *limits, struct gate_arena *scratch,
                                           struct gate_error *err);

#endif
