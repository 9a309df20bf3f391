/* SPDX-License-Identifier: Apache-2.0 */
/* From a record's values to what the statistics need: how many events it stands for, and the sum of their squared
 * weights. Source of the formulas: Horvitz-Thompson variance; Go's scaling in runtime/pprof (scaleHeapSample). */
#ifndef GATE_PROFILE_COUNTS_H
#define GATE_PROFILE_COUNTS_H

#include "gate/profile/profile.h"

enum gate_counts_kind {
    GATE_COUNTS_COLUMN, /* a count-typed column beside the value: c events of equal weight v/c */
    GATE_COUNTS_VALUE,  /* the value itself is a count */
    GATE_COUNTS_PERIOD, /* v / period: a last resort */
    GATE_COUNTS_HEAP,   /* Go heap: pre-scaled by 1 / (1 - exp(-size / rate)) */
    GATE_COUNTS_DELAY,  /* mutex, block: (1 + CV^2) v^2 / c, CV 2; spread within a stack is not known */
    GATE_COUNTS_WEIGHT, /* "samples" that are weights: v / the divisor that all have in common */
    GATE_COUNTS_RECORD, /* one event a record, the fewest that there can be: sizes without counts */
    GATE_COUNTS_EXACT,  /* each unit was counted and none sampled: runs differ by what they did alone */
    GATE_COUNTS_UNKNOWN /* no count, no period: nothing can be tested */
};

/** How the events of one sample type of one profile are counted. */
struct gate_counts_model {
    enum gate_counts_kind kind;
    uint32_t value_column;
    uint32_t count_column; /* or GATE_NO_INDEX; heap: the objects */
    uint32_t size_column;  /* heap: the bytes; else GATE_NO_INDEX */
    double period;         /* value units an event; heap: the sampling rate in bytes */
    double fraction;       /* mutex: 1 / the fraction of events that were kept, 1 when not told */
};

struct gate_counts_options {
    double period;         /* 0: the profile's */
    double mutex_fraction; /* 0: unknown, taken as 1 */
};

/** Choose the model for `value_column`. Never fails; GATE_COUNTS_UNKNOWN says that no counts are to be had. */
struct gate_counts_model gate_counts_choose(const struct gate_profile *profile, uint32_t value_column,
                                            const struct gate_counts_options *options);

/** Events of one record, and the sum of their squared weights in the value's unit squared. Both are finite and >= 0. */
void gate_counts_of(const struct gate_counts_model *model, const int64_t *values, double *events, double *weight_sq);

/** "count column 'samples'", "delay / count with CV 2 (assumed)": for the reports. Static text. */
const char *gate_counts_kind_name(enum gate_counts_kind kind);

#endif
