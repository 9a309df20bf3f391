/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of DHAT files (valgrind --tool=dhat, dhat-rs): each allocation site with its stack. */
#ifndef GATE_FORMATS_DHAT_H
#define GATE_FORMATS_DHAT_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/** Return true if `text` is such a file. */
bool gate_dhat_sniff(struct gate_str text);

/**
 * Convert to pprof bytes: alloc_objects/count and alloc_space/bytes of the whole run, and if the file has lifetimes
 * peak_objects and peak_space (when the heap was largest) and inuse_objects and inuse_space (at the end). Every
 * allocation was counted. An ad-hoc file has events/count and units/count.
 *
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK
bool gate_dhat_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *scratch, struct gate_error *err);

#endif
