/* SPDX-License-Identifier: Apache-2.0 */
/* CPU time that the operating system counted while a profiler took samples. */
#ifndef GATE_FORMATS_COUNTED_CPU_H
#define GATE_FORMATS_COUNTED_CPU_H

#include "gate/formats/builder.h"

/**
 * CPU time of one period, as the system counted it and as a flight recorder sampled it. The recorder does not sample
 * the collector's threads, takes at most eight samples at a time, loses some, and counts threads that wait for a
 * processor.
 */
struct gate_counted_cpu {
    double all_ns;       /* counted: the whole process */
    double collector_ns; /* counted: the part of it that is garbage collection */
    double sampled_ns;   /* sum of the samples */
};

/** Add a comment with these numbers to a profile. Adds nothing if the system counted less than 0.2 seconds, which it
 * does in ticks of 10 ms, or if there is no sample. */
GATE_MUST_CHECK
bool gate_counted_cpu_note(struct gate_builder *builder, const struct gate_counted_cpu *counted,
                           struct gate_arena *arena, struct gate_error *err);

/** Return whether a profile has such a comment, and add up all that it has. False for a profile of
 * gate_counted_cpu_apply. O(comments). */
bool gate_counted_cpu_find(struct gate_counted_cpu *out, const struct gate_profile *profile);

/** Name of the frame for the collector's CPU time. */
#define GATE_COLLECTOR_FRAME "(JVM garbage collector)"

/**
 * Make a profile whose column `cpu` is the CPU time that the system counted: the collector's as a stack of one frame,
 * and the rest spread over all samples in proportion. Other columns stay, but `samples` has some for the collector.
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
