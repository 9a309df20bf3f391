/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of stackprof (Ruby): the JSON that `stackprof --json` makes of its dumps. */
#ifndef GATE_FORMATS_STACKPROF_H
#define GATE_FORMATS_STACKPROF_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/** Return true if `text` is such a file. */
bool gate_stackprof_sniff(struct gate_str text);

/**
 * Convert to pprof bytes: samples/count, and in the modes cpu and wall that many intervals as nanoseconds. Stacks are
 * those of 'raw'. Without it each frame's own samples are a stack of one frame, and a comment tells so.
 *
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK
bool gate_stackprof_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                            struct gate_arena *scratch, struct gate_error *err);

#endif
