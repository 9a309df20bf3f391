/* SPDX-License-Identifier: Apache-2.0 */
/* Noise models and dispersion: how much a frame's share varies between runs of the same build. */
#ifndef GATE_COMPARE_NOISE_H
#define GATE_COMPARE_NOISE_H

#include "gate/base/table.h"
#include "gate/compare/delta.h"
#include "gate/compare/drift.h"
#include "gate/compare/pair.h"

/* ---- effective counts -------------------------------------------------------------------------------------------- */

/* From the tallies of one side to effective counts: the number of equal, independent samples with the same
 * precision. */

/** One item on one side, summed over its runs. Weights are in the pair's unit. */
struct gate_effective {
    double value, total;
    double item_sq;  /* sum of squared weights of the item's events */
    double total_sq; /* sum of squared weights of all events of the side */
    double share;
    double n; /* share (1 - share) / sampling variance of the share; if that is 0 / 0, the side's sample size */
};

/** Fill `out`. Returns false, with `out->n` 0, if a run of the side has no countable events. O(runs). */
bool gate_effective_of(struct gate_effective *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                       uint32_t item, enum gate_measure measure, enum gate_side_name side);

/** Return the index of a side's first run in the tallies. */
static inline uint32_t gate_first_run(const struct gate_pair *pair, enum gate_side_name side) {
    return side == GATE_BASELINE ? 0 : pair->sides[GATE_BASELINE].run_count;
}

/** Return the sum of squared weights of all events of a run, in the pair's unit squared. */
static inline double gate_run_weight_sq(const struct gate_run *run) {
    return run->stacks.weight_sq * (double)run->unit_ratio * (double)run->unit_ratio;
}

/* ---- dispersion -------------------------------------------------------------------------------------------------- */

/* Variation between the runs of a side beyond sampling, estimated from all frames of a class together. */

/** Dispersion of runs: squared residuals over sampling variance, and degrees of freedom. */
struct gate_dispersion {
    double chi_square, df;
};

/** Add the residuals of a side's runs around the side's share. Does nothing with one run, or a share of 0 or 1.
 * O(runs). */
void gate_dispersion_add(struct gate_dispersion *out, const struct gate_pair *pair,
                         const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                         enum gate_side_name side, const struct gate_effective *sums);

/** Frames of one class have similar dispersion. */
enum gate_dispersion_class { GATE_DISPERSION_OWN, GATE_DISPERSION_RUNTIME, GATE_DISPERSION_CLASSES };

/**
 * Prior for a frame's dispersion: 1 + slope * w with `df` degrees of freedom, where w = k (1 - p) for k effective
 * counts per run. If the mix of requests changes, a share varies in proportion to itself.
 */
struct gate_dispersion_prior {
    double slope, df;    /* df 0: nothing is known of the class */
    double steady_slope; /* for steady frames, if a run-time compiler inlines other frames in some runs; else `slope` */
};

/** One frame: phi = chi-square / df of its runs; weight is w of gate_dispersion_prior. */
struct gate_dispersion_point {
    double phi, weight, df;
};

/**
 * Return GATE_DISPERSION_RUNTIME for runtime frames and, for charged cost, frames that are not own code; else
 * GATE_DISPERSION_OWN.
 */
enum gate_dispersion_class gate_dispersion_class_of(const struct gate_frame *frame, enum gate_measure measure);

/** Return the degrees of freedom of a class's prior. */
double gate_dispersion_prior_df(enum gate_dispersion_class class);

/**
 * Return the slope c at which phi / (1 + c w) is 1 on average, weighted as in a gamma likelihood (w / (1 + c w)).
 * Ratios above 4 count as 4, so that one erratic frame has little influence. 0 if the runs do not vary beyond sampling.
 * O(count).
 */
double gate_dispersion_slope(const struct gate_dispersion_point *points, uint32_t count);

/**
 * Return the slope at which the median of phi / (1 + slope w), weighted by w / (1 + slope w), has its expected value.
 * Frames with less than half of the weight cannot change it much, however much they vary. 0 if `count` is 0. O(count).
 */
double gate_dispersion_median_slope(const struct gate_dispersion_point *points, uint32_t count);

/**
 * Return whether a frame varies as steady ones do: its phi is no larger than 19 of 20 of theirs. False for fewer than 4
 * degrees of freedom, which are three runs per side.
 */
bool gate_dispersion_is_steady(const struct gate_dispersion_point *point, double steady_slope);

/**
 * Estimate the size of one event, in the pair's unit, if the events of no run can be counted (GATE_COUNTS_UNKNOWN). It
 * is the size at which the median function varies between the runs of a side as a Poisson count of events does. With
 * few functions, the one that varies most counts.
 *
 * Sets `*size` to 0 if a side has fewer than 3 runs, if events can be counted, or if the values are levels, whose runs
 * may be of one process. err: GATE_ERR_LIMIT. O(frames * runs + frames log frames).
 */
GATE_MUST_CHECK
bool gate_dispersion_event_size(double *size, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                struct gate_arena *arena, struct gate_error *err);

/* ---- noise model ------------------------------------------------------------------------------------------------- */

/* Runs differ more than samples do: the run-to-run standard deviation of each frame's share, from known-good runs. */

/** Run-to-run standard deviation sigma_b of one frame's share, per measure. */
struct gate_noise_frame {
    struct gate_str name;
    double share[GATE_MEASURES]; /* mean over the runs */
    double sigma[GATE_MEASURES];
};

struct gate_noise {
    struct gate_value_type type;
    uint32_t run_count; /* number of calibration runs; degrees of freedom are run_count - 1 */
    struct gate_str *runs;
    double mean_events;           /* effective events per run */
    double s0[GATE_MEASURES];     /* mean dispersion, at least 1 */
    double rho[GATE_MEASURES];    /* sigma^2 = rho p (1 - p) for frames absent from the calibration runs */
    double common[GATE_MEASURES]; /* part of sigma^2 that all runs of one build have in common; 0: unknown */
    uint32_t build_count;         /* builds of the runs; 0: `common` is unknown */
    struct gate_str mix_key;      /* label by which the runs were weighted to one traffic mix; empty: not weighted */
    struct gate_drift per_work, per_second; /* variation of the whole cost; NAN: unknown */
    struct gate_noise_frame *frames;
    uint32_t frame_count;
    struct gate_table index; /* name -> frames; rebuilt when a model is read */
};

/**
 * Return sigma_b^2 of a frame at pooled share `p`: the frame's own, or rho p (1 - p) if the model does not contain it.
 * For the runtime class sigma grows in proportion to the share if the share exceeds the calibrated one.
 */
double gate_noise_variance(const struct gate_noise *noise, struct gate_str frame, enum gate_measure measure, double p,
                           enum gate_dispersion_class class);

/**
 * Estimate a model from known-good runs, all on the baseline side of `pair`. Source: docs/statistics.md, "Noise model".
 *
 * build_of  per run: its build, numbered from 0 in the order of time, oldest or newest first. A function whose level
 *           changes from one build to the next by a step that stands out varies by what is left without the step. NULL:
 *           one build. From four builds on, of which some have several runs, `common` is estimated, too
 * err       GATE_ERR_INPUT fewer than 2 runs, or a run without countable events; GATE_ERR_LIMIT
 *
 * O(frames * runs).
 */
GATE_MUST_CHECK
bool gate_noise_estimate(struct gate_noise *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                         const uint32_t *build_of, struct gate_arena *arena, struct gate_error *err);

/** Set `*out` to the model, or to a copy in which functions that moved have the pair's names. Their files may have
 * moved since the model was made, for example to another checkout (compare/moved_files.h). Or they moved between the
 * sides of the pair (their old_name). Not for exact names. O(bytes of names). */
GATE_MUST_CHECK
bool gate_noise_follow(const struct gate_noise **out, const struct gate_noise *noise, const struct gate_pair *pair,
                       struct gate_arena *arena, struct gate_error *err);

/** Return the share of the baseline's self cost in frames that the model contains. */
double gate_noise_coverage(const struct gate_noise *noise, const struct gate_pair *pair,
                           const struct gate_delta_list *deltas);

/** Minimum coverage. A model with less does not describe this program. */
#define GATE_NOISE_COVERAGE_LEAST 0.6

/** Build `index` from `frames`, whose names must be unique. */
GATE_MUST_CHECK
bool gate_noise_index(struct gate_noise *noise, struct gate_arena *arena, struct gate_error *err);

#endif
