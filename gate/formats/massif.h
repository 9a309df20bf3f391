/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of massif (valgrind --tool=massif): the stacks that held the heap when it was largest. */
#ifndef GATE_FORMATS_MASSIF_H
#define GATE_FORMATS_MASSIF_H

#include "gate/base/buf.h"
#include "gate/base/str.h"
#include "gate/model/limits.h"

/** Return true if `text` is output of massif. */
bool gate_massif_sniff(struct gate_str text);

/**
 * Convert to pprof bytes: peak_space/bytes of the snapshot that is marked as the peak. The bytes are exact if massif
 * ran with --threshold=0 and --peak-inaccuracy=0. Otherwise stacks below its threshold end where massif cut them, and a
 * comment gives their bytes.
 *
 * err   GATE_ERR_FORMAT: no snapshot is the peak; its tree is malformed
 *
 * See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK
bool gate_massif_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                         struct gate_arena *scratch, struct gate_error *err);

#endif
