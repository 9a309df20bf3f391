/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/drift.h"

#include <math.h>
#include <string.h>

/* Neighbours start within this many times the longer run's duration, or within 15 minutes. */
static const double NEAR_DURATIONS = 10.0;

static const double NEAR_NS = 900e9;

/* Weight of the variation of all runs as a prior, in steps between neighbours. */
static const double NEAR_PRIOR_STEPS = 4.0;

enum { RUNS_LEAST = 3 };

static const struct gate_profile *profile_of(const struct gate_side *side, uint32_t run) {
    return side->runs[run].input.profile;
}

static double log_cost(const struct gate_side *side, uint32_t r, bool is_per_second) {
    const struct gate_run *run = &side->runs[r];
    double base = is_per_second ? (double)run->input.profile->duration_ns : run->input.work;
    return base > 0.0 && run->total > 0 && run->events > 0.0 ? log((double)run->total / base) : NAN;
}

/* Return the next run in time after run `r`, or `r` if there is none. Equal times are ordered by index. */
static uint32_t next_of(const struct gate_side *side, uint32_t r) {
    uint32_t best = r;
    int64_t at = profile_of(side, r)->time_ns;
    for (uint32_t i = 0; i < side->run_count; i++) {
        int64_t time = profile_of(side, i)->time_ns;
        if (time < at || (time == at && i <= r))
            continue;
        if (best == r || time < profile_of(side, best)->time_ns)
            best = i;
    }
    return best;
}

double gate_run_builds_within(const double *values, uint32_t runs, const struct gate_run_builds *builds) {
    double square = 0.0;
    memset(builds->means, 0, builds->count * sizeof *builds->means);
    memset(builds->sizes, 0, builds->count * sizeof *builds->sizes);
    for (uint32_t r = 0; r < runs; r++) {
        builds->means[builds->of[r]] += values[r];
        builds->sizes[builds->of[r]]++;
    }
    for (uint32_t b = 0; b < builds->count; b++)
        builds->means[b] /= builds->sizes[b];
    for (uint32_t r = 0; r < runs; r++)
        square += pow(values[r] - builds->means[builds->of[r]], 2.0);
    return runs > builds->count ? square / (runs - builds->count) : 0.0;
}

double gate_run_builds_in_common(const double *values, uint32_t runs, const struct gate_run_builds *builds) {
    const double within = gate_run_builds_within(values, runs, builds);
    double mean = 0.0, between = 0.0, squares = 0.0;
    for (uint32_t b = 0; b < builds->count; b++)
        mean += builds->sizes[b] * builds->means[b] / runs;
    for (uint32_t b = 0; b < builds->count; b++) {
        between += builds->sizes[b] * pow(builds->means[b] - mean, 2.0) / (builds->count - 1.0);
        squares += builds->sizes[b] * builds->sizes[b];
    }
    const double size = (runs - squares / runs) / (builds->count - 1.0); /* of a build, weighted */
    const double all = between + (size - 1.0) * within;
    return all > 0.0 ? (between - within) / all : 0.0;
}

/* Return the part of the variance beyond sampling that the runs of one build have in common. */
static double cost_in_common(const struct gate_side *side, bool is_per_second, const struct gate_run_builds *builds,
                             double variance, double sampling) {
    for (uint32_t r = 0; r < side->run_count; r++)
        builds->values[r] = log_cost(side, r, is_per_second);
    const double part = gate_run_builds_in_common(builds->values, side->run_count, builds);
    return variance > 0.0 ? fmin(fmax(part * (variance + sampling) / variance, 0.0), 1.0) : 0.0;
}

struct gate_drift gate_drift_estimate(const struct gate_side *side, bool is_per_second,
                                      const struct gate_run_builds *builds) {
    struct gate_drift drift = {NAN, NAN, 0.0};
    double n = side->run_count, mean = 0.0, sampling = 0.0, square = 0.0, step = 0.0, steps = 0.0;
    bool has_times = true;
    for (uint32_t r = 0; r < side->run_count; r++) {
        mean += log_cost(side, r, is_per_second) / n;
        sampling += 1.0 / side->runs[r].events / n;
        has_times = has_times && profile_of(side, r)->time_ns != 0;
    }
    if (side->run_count < RUNS_LEAST || !isfinite(mean))
        return drift;
    for (uint32_t r = 0; r < side->run_count; r++) {
        double cost = log_cost(side, r, is_per_second);
        uint32_t next = next_of(side, r);
        square += (cost - mean) * (cost - mean);
        if (!has_times || next == r)
            continue;
        double change = log_cost(side, next, is_per_second) - cost;
        step += change * change;
        steps++;
    }
    drift.apart = sqrt(fmax(square / (n - 1.0) - sampling, 0.0));
    if (builds != NULL)
        drift.common = cost_in_common(side, is_per_second, builds, drift.apart * drift.apart, sampling);
    if (steps <= 0.0)
        return drift;
    /* The prior is needed because a few steps can be small by chance on a host that drifts. */
    double apart = drift.apart * drift.apart, near = fmax(step / steps / 2.0 - sampling, 0.0);
    drift.near = fmin(drift.apart, sqrt((NEAR_PRIOR_STEPS * apart + steps * near) / (NEAR_PRIOR_STEPS + steps)));
    return drift;
}

/* Start times of two paired runs. */
struct span {
    int64_t from, to;
};

static struct span span_of(const struct gate_side sides[GATE_SIDES], uint32_t r) {
    int64_t one = profile_of(&sides[GATE_BASELINE], r)->time_ns, two = profile_of(&sides[GATE_CANARY], r)->time_ns;
    return one < two ? (struct span){one, two} : (struct span){two, one};
}

static bool is_near(const struct gate_side sides[GATE_SIDES], uint32_t r) {
    int64_t one = profile_of(&sides[GATE_BASELINE], r)->duration_ns,
            two = profile_of(&sides[GATE_CANARY], r)->duration_ns;
    struct span span = span_of(sides, r);
    double apart = (double)span.to - (double)span.from;
    return span.from > 0 && apart <= fmax(NEAR_NS, NEAR_DURATIONS * (double)(one > two ? one : two));
}

bool gate_drift_is_interleaved(const struct gate_side sides[GATE_SIDES]) {
    uint32_t count = sides[GATE_BASELINE].run_count;
    if (count != sides[GATE_CANARY].run_count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct span a = span_of(sides, i);
        if (!is_near(sides, i))
            return false;
        for (uint32_t j = 0; j < i; j++) {
            struct span b = span_of(sides, j);
            if (a.from <= b.to && b.from <= a.to)
                return false;
        }
    }
    return true;
}

/* ---- given rounds ------------------------------------------------------------------------------------------------ */

bool gate_drift_has_rounds(const struct gate_side sides[GATE_SIDES]) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < sides[side].run_count; r++)
            if (sides[side].runs[r].input.round == 0)
                return false;
    return true;
}

/* Sort runs by round, by insertion, because there are few runs, nearly in order. */
static void sort_side(struct gate_side *side) {
    for (uint32_t i = 1; i < side->run_count; i++)
        for (uint32_t j = i; j > 0 && side->runs[j - 1].input.round > side->runs[j].input.round; j--) {
            struct gate_run kept = side->runs[j];
            side->runs[j] = side->runs[j - 1];
            side->runs[j - 1] = kept;
        }
}

bool gate_drift_sort_rounds(struct gate_side sides[GATE_SIDES]) {
    if (!gate_drift_has_rounds(sides) || sides[GATE_BASELINE].run_count != sides[GATE_CANARY].run_count)
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        sort_side(&sides[side]);
    for (uint32_t r = 0; r < sides[GATE_BASELINE].run_count; r++)
        if (sides[GATE_BASELINE].runs[r].input.round != sides[GATE_CANARY].runs[r].input.round)
            return false;
    return true;
}
