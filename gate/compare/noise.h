/* SPDX-License-Identifier: Apache-2.0 */
/* Runs differ more than samples do: the run-to-run standard deviation of each frame's share, from known-good runs.
 * Pipeline: `pprofgate calibrate` writes it, compare/evidence.h uses it. Formulas: docs/statistics.md. */
#ifndef GATE_COMPARE_NOISE_H
#define GATE_COMPARE_NOISE_H

#include "gate/base/table.h"
#include "gate/compare/dispersion.h"
#include "gate/compare/drift.h"

/** sigma_b of one frame's share, for each measure. */
struct gate_noise_frame {
    struct gate_str name;
    double share[GATE_MEASURES]; /* mean over the runs */
    double sigma[GATE_MEASURES];
};

struct gate_noise {
    struct gate_value_type type;
    uint32_t run_count; /* of the calibration: its degrees of freedom are run_count - 1 */
    struct gate_str *runs;
    double mean_events;        /* effective events a run */
    double s0[GATE_MEASURES];  /* mean dispersion, at least 1 */
    double rho[GATE_MEASURES]; /* sigma^2 = rho p (1 - p) of frames that the runs did not hold */
    struct gate_str mix_key; /* the label by which the runs were weighed as one mix of traffic; empty: they were not */
    struct gate_drift per_work, per_second; /* of the whole cost; NAN: not known */
    struct gate_noise_frame *frames;
    uint32_t frame_count;
    struct gate_table index; /* name -> frames; made on reading too */
};

/**
 * sigma_b^2 of a frame at pooled share `p`: its own, or rho p (1 - p) where the model does not know it. The runtime's
 * class varies in proportion to itself, where it is larger than it was.
 */
double gate_noise_variance(const struct gate_noise *noise, struct gate_str frame, enum gate_measure measure, double p,
                           enum gate_dispersion_class class);

/** Estimate from `runs` known-good runs, all on the baseline side of `pair` (R_c >= 2). Source: docs/statistics.md, 6.
 */
GATE_MUST_CHECK
bool gate_noise_estimate(struct gate_noise *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                         struct gate_arena *arena, struct gate_error *err);

/** Share of the baseline's self cost in frames that the model knows. */
double gate_noise_coverage(const struct gate_noise *noise, const struct gate_pair *pair,
                           const struct gate_delta_list *deltas);

/** A model that knows less of a profile than this was made from something else. */
#define GATE_NOISE_COVERAGE_LEAST 0.6

/** Make `index` from `frames`, whose names must be unique. */
GATE_MUST_CHECK
bool gate_noise_index(struct gate_noise *noise, struct gate_arena *arena, struct gate_error *err);

#endif
