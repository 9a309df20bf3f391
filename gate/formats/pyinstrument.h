/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of pyinstrument JSON (`pyinstrument -r json`): a tree of calls with their time. */
#ifndef GATE_FORMATS_PYINSTRUMENT_H
#define GATE_FORMATS_PYINSTRUMENT_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/** Return true if `text` is such a file. */
bool gate_pyinstrument_sniff(struct gate_str text);

/**
 * Convert to pprof bytes: wall/nanoseconds, what a call took less what its callees took. The entry '[self]' that
 * pyinstrument adds below a call belongs to the call. The period is the mean time of a sample.
 *
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK
bool gate_pyinstrument_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                               struct gate_arena *scratch, struct gate_error *err);

#endif
