/* SPDX-License-Identifier: Apache-2.0 */
/* gperftools' legacy CPU profile, converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/builder.h, by which it writes. */
#ifndef GATE_PROFILE_GPERFTOOLS_H
#define GATE_PROFILE_GPERFTOOLS_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/** gperftools' CPUPROFILE: words of 32 or 64 bits in either order, then /proc/self/maps as text. See
 * gate_format_convert in profile/format.h. */
GATE_MUST_CHECK bool gate_gperftools_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

/** Whether the first five words are a gperftools header. */
bool gate_gperftools_sniff(struct gate_str bytes);

#endif
