/* SPDX-License-Identifier: Apache-2.0 */
/* Callgrind's counts (valgrind --tool=callgrind), converted to pprof bytes.
 * Neighbours: profile/format.h, whose table names it; profile/text_line.h, by which it reads; profile/counts.h, which
 * knows by the period that each unit was counted. */
#ifndef GATE_PROFILE_CALLGRIND_H
#define GATE_PROFILE_CALLGRIND_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/**
 * A column for each of its events (Ir, Dr, …; the first one is the default), unit count, and the period exact/count 1.
 * Self costs alone are read: what a call cost is not told apart by who was there before. With --separate-callers=N a
 * function's name holds its callers, "leaf'caller'root", which are the stack; without, a stack is one frame. Numbers in
 * between ("walk'2", a recursion's depth) are none. See gate_format_convert in profile/format.h.
 */
GATE_MUST_CHECK bool gate_callgrind_convert(struct gate_buf *out, struct gate_str bytes,
                                            const struct gate_limits *limits, struct gate_arena *scratch,
                                            struct gate_error *err);

/** "# callgrind format" first, or a 'creator:' that says so. */
bool gate_callgrind_sniff(struct gate_str text);

#endif
