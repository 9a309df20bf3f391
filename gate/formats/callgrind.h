/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of callgrind files. */
#ifndef GATE_FORMATS_CALLGRIND_H
#define GATE_FORMATS_CALLGRIND_H

#include "gate/base/buf.h"
#include "gate/model/limits.h"

/**
 * Convert a callgrind file to pprof bytes. See gate_format_convert in formats/format.h.
 *
 * There is one column per event (Ir, Dr, …) with unit count; the first is the default. The period is exact/count 1.
 * Only self costs are read: the file does not split the cost of a call by the callers before it.
 *
 * With --separate-callers=N a function's name contains its callers, "leaf'caller'root", which are the stack. Without
 * it a stack has one frame. Numbers in between, such as the recursion depth in "walk'2", are not frames.
 */
GATE_MUST_CHECK bool gate_callgrind_convert(struct gate_buf *out, struct gate_str bytes,
                                            const struct gate_limits *limits, struct gate_arena *scratch,
                                            struct gate_error *err);

/**
 * Return true if `text` starts with "# callgrind format", or if its head contains 'creator: callgrind' and
 * 'events:'.
 */
bool gate_callgrind_sniff(struct gate_str text);

#endif
