/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Scalene JSON: the Python stacks of its samples. */
#ifndef GATE_FORMATS_SCALENE_H
#define GATE_FORMATS_SCALENE_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/** Return true if `text` is such a file. */
bool gate_scalene_sniff(struct gate_str text);

/**
 * Convert the entries of 'stacks' to pprof bytes: samples/count and cpu/nanoseconds, the time in Python plus that in
 * native code.
 *
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK
bool gate_scalene_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                          struct gate_arena *scratch, struct gate_error *err);

#endif
