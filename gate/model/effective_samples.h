/* SPDX-License-Identifier: Apache-2.0 */
/* Effective samples: how many independent events the value of a sample counts as. */
#ifndef GATE_MODEL_EFFECTIVE_SAMPLES_H
#define GATE_MODEL_EFFECTIVE_SAMPLES_H

#include "gate/model/profile.h"

enum gate_counts_kind {
    GATE_COUNTS_COLUMN, /* events = a count column `c` beside the value `v`; each event has weight v / c */
    GATE_COUNTS_VALUE,  /* the value itself is a count */
    GATE_COUNTS_PERIOD, /* events = v / period; used when no better model applies */
    GATE_COUNTS_HEAP,   /* Go heap: undoes the scaling by 1 / (1 - exp(-size / rate)) */
    /* mutex, block: squared weight (1 + CV^2) v^2 / c with CV = 2 assumed, as the spread is not recorded */
    GATE_COUNTS_DELAY,
    GATE_COUNTS_WEIGHT, /* "samples" values that are weights: v / greatest common divisor of all values */
    GATE_COUNTS_RECORD, /* sizes without counts: one event per record, the lower bound */
    GATE_COUNTS_EXACT,  /* every unit was counted, none sampled: no sampling error, only differences between runs */
    GATE_COUNTS_UNKNOWN /* no count and no period: no test is possible */
};

/** How to count the events of one sample type of one profile. */
struct gate_counts_model {
    enum gate_counts_kind kind;
    uint32_t value_column;
    uint32_t count_column; /* or GATE_NO_INDEX; heap: the objects column */
    uint32_t size_column;  /* heap: the bytes column; else GATE_NO_INDEX */
    double period;         /* value units per event; heap: sampling rate in bytes */
    double fraction;       /* mutex: 1 / the fraction of events recorded; 1 if unknown */
    double repeats;        /* number of profiles that contain the same events, each a part of them; 0: one */
    const bool *waits;     /* locations whose samples do not count (model/location.h), or NULL */
};

/** Values given by the user, for profiles that lack them. */
struct gate_counts_options {
    double period;         /* overrides the profile's period; 0: use the profile's */
    double mutex_fraction; /* overrides gate_counts_model.fraction; 0: unknown, 1 is assumed */
};

/**
 * Choose the model for sample type `value_column`. `options` may be NULL for defaults. Never fails: the kind is
 * GATE_COUNTS_UNKNOWN if events cannot be counted.
 */
struct gate_counts_model gate_counts_choose(const struct gate_profile *profile, uint32_t value_column,
                                            const struct gate_counts_options *options);

/**
 * Compute the events of one record and the sum of their squared weights, in the value's unit squared. Both results
 * are finite and >= 0. `values` has one entry per sample type.
 */
void gate_counts_of(const struct gate_counts_model *model, const int64_t *values, double *events, double *weight_sq);

/** Return whether a column of the profile was counted exactly (GATE_COUNTS_EXACT). */
bool gate_counts_are_exact(const struct gate_profile *profile);

/** Return a static description of `kind` for reports, e.g. "count column". */
const char *gate_counts_kind_name(enum gate_counts_kind kind);

#endif
