/* SPDX-License-Identifier: Apache-2.0 */
/* Counts drawn anew (see resample.h). */
#include "gate/profile/resample.h"

#include "gate/base/hash.h"

#include <math.h>

/* From here on a normal approximation of Poisson's distribution is good enough, and summing it up is not. */
static const double NORMAL_FROM = 30.0;

double gate_resample_uniform(uint64_t seed, uint64_t index) {
    return ((double)(gate_hash_number(index, seed) >> 11) + 0.5) * 0x1p-53;
}

double gate_resample_normal(uint64_t seed, uint64_t index) {
    const double whole_turn = 6.283185307179586;
    double radius = sqrt(-2.0 * log(gate_resample_uniform(seed, 2 * index)));
    return radius * cos(whole_turn * gate_resample_uniform(seed, 2 * index + 1));
}

/* The count that a part `u` of all draws stays at or below. */
static double poisson_quantile(double mean, double u) {
    double k = 0.0, p = exp(-mean), below = p;
    while (below < u && p > 0.0) {
        p *= mean / ++k;
        below += p;
    }
    return k;
}

double gate_resample_events(const struct gate_resample *resample, uint64_t record, double events) {
    double mean = record < resample->record_count ? events * (double)resample->factors[record] : 0.0;
    if (!(mean > 0.0))
        return 0.0;
    if (mean < NORMAL_FROM)
        return poisson_quantile(mean, gate_resample_uniform(resample->seed, record));
    double drawn = mean + sqrt(mean) * gate_resample_normal(resample->seed, record);
    return drawn > 0.0 ? floor(drawn + 0.5) : 0.0;
}

bool gate_resample_record(int64_t *value, double *events, double *weight_sq, const struct gate_resample *resample,
                          uint64_t record) {
    if (!(*events > 0.0))
        return false;
    double part = gate_resample_events(resample, record, *events) / *events;
    double drawn = (double)*value * part;
    if (!(part > 0.0) || !(fabs(drawn) < 9.2e18))
        return false;
    *value = (int64_t)floor(drawn + 0.5);
    *events *= part;
    *weight_sq *= part;
    return true;
}
