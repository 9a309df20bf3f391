/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of austin text (austin 3): collapsed stacks with a header and times. */
#ifndef GATE_FORMATS_AUSTIN_H
#define GATE_FORMATS_AUSTIN_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/** Return true if `text` is such a file. */
bool gate_austin_sniff(struct gate_str text);

/**
 * Convert to pprof bytes: samples/count, one per line, and by mode wall or cpu/nanoseconds, or both of a full profile.
 * Frames are FILE:FUNCTION:LINE. Process and thread numbers are left out. Memory profiles are refused.
 *
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK
bool gate_austin_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                         struct gate_arena *scratch, struct gate_error *err);

#endif
