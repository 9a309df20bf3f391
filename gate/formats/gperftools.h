/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the binary CPU profiles of gperftools. */
#ifndef GATE_FORMATS_GPERFTOOLS_H
#define GATE_FORMATS_GPERFTOOLS_H

#include "gate/base/buf.h"
#include "gate/model/limits.h"

/**
 * Convert a CPU profile of gperftools (CPUPROFILE) to pprof bytes. It has words of 32 or 64 bits of either byte
 * order, then /proc/self/maps as text. See gate_format_convert in formats/format.h.
 */
GATE_MUST_CHECK bool gate_gperftools_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

/** Return true if the first five words are a gperftools header. */
bool gate_gperftools_sniff(struct gate_str bytes);

#endif
