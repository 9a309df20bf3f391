/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of perf.data, the file that `perf record` writes. */
#ifndef GATE_FORMATS_PERF_DATA_H
#define GATE_FORMATS_PERF_DATA_H

#include "gate/base/buf.h"
#include "gate/model/limits.h"

/** Return true if `bytes` start as a perf.data file or pipe, of either byte order. O(1). */
bool gate_perf_data_sniff(struct gate_str bytes);

/**
 * Convert to pprof bytes. Columns and labels are those of perf's text (formats/perf_events.h); a fixed period (`-c`) is
 * used, too. `limits` has no zeros (gate_limits_fill).
 *
 * Frames have no names. An address in a file becomes its offset in the file (GATE_FILE_BASE), with the build id; one of
 * the kernel becomes its distance from the kernel's start, in the mapping "[kernel.kallsyms]". Other addresses stay. Of
 * a return address, the byte before it is used, which belongs to the call.
 *
 * err   GATE_ERR_FORMAT: truncated or damaged, or recorded in a way that only perf reads, with the command that
 *       converts it; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes + records log records).
 */
GATE_MUST_CHECK
bool gate_perf_data_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                            struct gate_arena *scratch, struct gate_error *err);

#endif
