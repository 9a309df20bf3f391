/* SPDX-License-Identifier: Apache-2.0 */
/* Collapsed stacks, the text that flame graph scripts, py-spy, stackprof and others write, converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/builder.h, by which it writes. */
#ifndef GATE_PROFILE_COLLAPSED_H
#define GATE_PROFILE_COLLAPSED_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/** "root;caller;leaf 42" a line: samples/count. '#' begins a comment line. A process and a thread before the root are
 * labels (profile/collapsed_origin.h). See gate_format_convert in profile/format.h. */
GATE_MUST_CHECK bool gate_collapsed_convert(struct gate_buf *out, struct gate_str bytes,
                                            const struct gate_limits *limits, struct gate_arena *scratch,
                                            struct gate_error *err);

/** Whether the first lines all end in a count and one of them has a ';'. */
bool gate_collapsed_sniff(struct gate_str text);

#endif
