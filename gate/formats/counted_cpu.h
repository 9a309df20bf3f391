/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time that the operating system counted while a profiler took samples. */
#ifndef GATE_FORMATS_COUNTED_CPU_H
#define GATE_FORMATS_COUNTED_CPU_H

#include "gate/formats/builder.h"

/**
 * CPU time of one period as the system counted it, and as a flight recorder sampled it. The two differ: the recorder
 * does not sample the garbage collector's threads, takes at most eight samples at a time and loses some. It also counts
 * threads that wait for a processor.
 */
struct gate_counted_cpu {
    double all_ns;       /* counted: the whole process */
    double collector_ns; /* counted: the part of it that is garbage collection */
    double sampled_ns;   /* sum of the samples */
};

/**
 * Add a comment with these numbers to a profile. Adds nothing if there is no sample, or if the system counted less than
 * 0.2 seconds: it counts in ticks of 10 ms.
 */
GATE_MUST_CHECK
bool gate_counted_cpu_note(struct gate_builder *builder, const struct gate_counted_cpu *counted,
                           struct gate_arena *arena, struct gate_error *err);

/** Return whether a profile has such comments, and add up their numbers in `out`. O(comments). */
bool gate_counted_cpu_read(struct gate_counted_cpu *out, const struct gate_profile *profile);

/** The same, but returns false for a profile that gate_counted_cpu_apply made. */
bool gate_counted_cpu_find(struct gate_counted_cpu *out, const struct gate_profile *profile);

/** Name of the frame for the collector's CPU time. */
#define GATE_COLLECTOR_FRAME "(JVM garbage collector)"

/**
 * Make a profile whose column `cpu` is the CPU time that the system counted. The collector's time becomes a stack of
 * one frame; the rest is spread over all samples in proportion. Other columns stay, except that the new stack also adds
 * to `samples`.
 *
 * profile  has such a comment and a column `cpu` in nanoseconds
 * arena    holds the new profile; `profile` is not needed afterwards
 * err      errors of gate_merge_add and gate_profile_load
 *
 * O(samples * depth).
 */
GATE_MUST_CHECK
bool gate_counted_cpu_apply(struct gate_profile *out, const struct gate_profile *profile,
                            const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err);

#endif
