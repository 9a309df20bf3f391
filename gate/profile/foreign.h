/* SPDX-License-Identifier: Apache-2.0 */
/* Formats that are not pprof, each converted to pprof bytes, which the one decoder then reads and checks.
 * Pipeline: profile/sniff.h -> profile/foreign.h -> profile/pprof.h. One file a format: gperftools.c, collapsed.c, ... */
#ifndef GATE_PROFILE_FOREIGN_H
#define GATE_PROFILE_FOREIGN_H

#include "gate/profile/encode.h"
#include "gate/profile/load.h"

/**
 * Each appends the pprof bytes of `bytes` to `out`. `scratch` may be emptied afterwards.
 *
 * err   GATE_ERR_FORMAT with the line, byte or JSON path, what was expected and what was found; GATE_ERR_LIMIT
 *
 * O(bytes + stack slots).
 */

/** gperftools' CPUPROFILE: words of 32 or 64 bits in either order, then /proc/self/maps as text. */
GATE_MUST_CHECK bool gate_gperftools_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);
/** Whether the first five words are a gperftools header. */
bool gate_gperftools_sniff(struct gate_str bytes);

/** Collapsed stacks, "root;caller;leaf 42" a line: samples/count. '#' begins a comment line. */
GATE_MUST_CHECK bool gate_collapsed_convert(struct gate_buf *out, struct gate_str bytes,
                                            const struct gate_limits *limits, struct gate_arena *scratch,
                                            struct gate_error *err);
/** Whether the first lines all end in a count and one of them has a ';'. */
bool gate_collapsed_sniff(struct gate_str bytes);

/**
 * V8's .cpuprofile: samples/count and cpu/nanoseconds. A sample lasts until the next one. Samples of (idle) are left out,
 * since nothing ran; a comment says how many. (program) and (garbage collector) are frames.
 */
GATE_MUST_CHECK bool gate_cpuprofile_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

/** speedscope's file format, all its profiles together: sampled ones count their samples, evented ones only last. */
GATE_MUST_CHECK bool gate_speedscope_convert(struct gate_buf *out, struct gate_str bytes,
                                             const struct gate_limits *limits, struct gate_arena *scratch,
                                             struct gate_error *err);

#endif
