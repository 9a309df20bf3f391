/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of what `perf script` prints: samples one by one, with their stacks.
 * Pipeline: profile/format.h -> profile/perf_script.h (perf_line.h) -> profile/pprof.h */
#ifndef GATE_PROFILE_PERF_SCRIPT_H
#define GATE_PROFILE_PERF_SCRIPT_H

#include "gate/base/buf.h"
#include "gate/profile/limits.h"

/** A line with a time or an event, and an indented address with what is there, beside it or in the next line; comments
 * may come first. O(the first 64 KiB). */
bool gate_perf_script_sniff(struct gate_str text);

/**
 * Convert to pprof bytes. cpu-clock or task-clock become samples/count and cpu/nanoseconds; any other event NAME
 * NAME_sample/count and, where periods are printed, NAME_event/count, their sum. The default is the
 * clock, else the cycles, else what has most samples; by its periods where it has some. The name of the thread is the
 * label "comm"; a frame's file its mapping.
 *
 * err   GATE_ERR_FORMAT with the line, what was expected and what was found; GATE_ERR_LIMIT; GATE_ERR_OVERFLOW
 *
 * O(bytes). `limits` is filled (gate_limits_fill).
 */
GATE_MUST_CHECK
bool gate_perf_script_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                              struct gate_arena *scratch, struct gate_error *err);

#endif
