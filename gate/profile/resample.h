/* SPDX-License-Identifier: Apache-2.0 */
/* One more run of the same program, as far as a profile of it can tell: its records, with counts drawn anew.
 * Pipeline: compare/plant.h makes it, profile/stacks.h applies it */
#ifndef GATE_PROFILE_RESAMPLE_H
#define GATE_PROFILE_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/** What each record of a profile is expected to have in the new run, and which run that is. */
struct gate_resample {
    const float *factors; /* one a record, in the order of the profile: expected events over those that it has */
    uint64_t record_count;
    uint64_t seed; /* equal seeds draw equal runs */
};

/** A number in (0, 1) for `index` of a series; equal on every machine. */
double gate_resample_uniform(uint64_t seed, uint64_t index);

/** One of a standard normal distribution, likewise. */
double gate_resample_normal(uint64_t seed, uint64_t index);

/**
 * Poisson events of record number `record`, which has `events`. Of one seed, a larger factor never draws fewer but at
 * one place (an expectation of 30, where a normal approximation takes over): growth is added to the same run, not to
 * another one. O(1).
 */
double gate_resample_events(const struct gate_resample *resample, uint64_t record, double events);

/** Draw a record's value, events and their squared weights; false where nothing is left of it. */
bool gate_resample_record(int64_t *value, double *events, double *weight_sq, const struct gate_resample *resample,
                          uint64_t record);

#endif
