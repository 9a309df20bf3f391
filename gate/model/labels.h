/* SPDX-License-Identifier: Apache-2.0 */
/* Label filters (--where KEY=VALUE), and the error message for a filter that matches no sample. */
#ifndef GATE_MODEL_LABELS_H
#define GATE_MODEL_LABELS_H

#include "gate/model/sample.h"

/** Label of samples whose leaf is a method that the JVM interprets: it is not compiled yet. */
#define GATE_CODE_LABEL "code"
#define GATE_CODE_INTERPRETED "interpreted"

/** Comment of a recording whose `samples` and `cpu` are the JDK's own: they count threads that run Java or native code,
 * also while another program has the processor. */
#define GATE_COMMENT_PREEMPTED "# samples of cpu also count time without a processor (jdk.ExecutionSample)"

/** Comment of a profile whose `cpu` is what the system counted (formats/counted_cpu.h). */
#define GATE_COMMENT_COUNTED "# cpu is what the system counted"

/** Comment of a profile whose profiler left out calls of less than 1% of the time. */
#define GATE_COMMENT_PRUNED "# calls of less than 1% of the time are left out"

/** Comment of a recording of a JVM without -XX:+DebugNonSafepoints (compare/misplaced.h). */
#define GATE_COMMENT_MISPLACED "# samples of inlined methods are misplaced (no DebugNonSafepoints)"

/**
 * One condition of a filter, key=value. A sample passes if it meets all conditions. Numeric labels take a unit:
 * "size=4kB". Without unit, as Go's runtime writes them, labels named bytes, alignment or request are in bytes.
 */
struct gate_label_match {
    struct gate_str key;
    struct gate_str value;
};

/** A filter: a sample passes if it meets all conditions. */
struct gate_label_filter {
    const struct gate_label_match *items;
    uint32_t count;
};

/**
 * Return true if the current sample of `cursor` meets all conditions of `where`. A NULL `where` passes every sample.
 */
bool gate_where_passes(const struct gate_label_filter *where, const struct gate_sample_cursor *cursor,
                       const struct gate_sample *sample);

/** Set the error for a filter that no sample passes. The message names the condition that no sample meets. It lists up
 * to 8 values of that label or, if no sample has the label, up to 8 other labels. A condition with a NULL value is for
 * a label that no sample has; the message names only the key. The message does not contain the profile's name.
 * O(samples * labels). err: always GATE_ERR_INPUT; returns false, like gate_error_set. */
bool gate_where_absent(const struct gate_profile *profile, const struct gate_label_filter *where,
                       struct gate_error *err);

#endif
