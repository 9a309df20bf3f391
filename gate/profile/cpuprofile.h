/* SPDX-License-Identifier: Apache-2.0 */
/* V8's .cpuprofile, converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/builder.h, by which it writes. */
#ifndef GATE_PROFILE_CPUPROFILE_H
#define GATE_PROFILE_CPUPROFILE_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/** samples/count and cpu/nanoseconds. A sample lasts until the next one. Samples of (idle) are left out, since nothing
 * ran; a comment says how many. (program) and (garbage collector) are frames. See gate_format_convert in
 * profile/format.h. */
GATE_MUST_CHECK bool gate_cpuprofile_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

#endif
