/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of what DTrace prints of an aggregation whose keys are stacks. */
#ifndef GATE_FORMATS_DTRACE_H
#define GATE_FORMATS_DTRACE_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/** Return true if `text` has a stack of frames such as "libc.so.1`read+0xa", and a count on a line of its own below. */
bool gate_dtrace_sniff(struct gate_str text);

/**
 * Convert to pprof bytes: samples/count. A text before a stack, such as execname, is the label `key`; a number there,
 * such as pid, is left out.
 *
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK
bool gate_dtrace_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                         struct gate_arena *scratch, struct gate_error *err);

#endif
