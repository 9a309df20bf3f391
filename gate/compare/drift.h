/* SPDX-License-Identifier: Apache-2.0 */
/* The drift of a host: the variation of the whole cost of good runs, per unit of work and per second. It is measured
 * between any two runs and between neighbours in time. Formulas: docs/statistics.md, "Cost per unit of work". */
#ifndef GATE_COMPARE_DRIFT_H
#define GATE_COMPARE_DRIFT_H

#include "gate/compare/pair_types.h"

/** Standard deviations of the logarithm of a run's cost, beyond sampling; NAN: unknown. */
struct gate_drift {
    double apart;  /* of any run; two runs differ by sqrt(2) times this */
    double near;   /* the same for neighbours in time; at most `apart` */
    double common; /* part of the variance `apart`² that all runs of one build have in common; 0: unknown */
};

/** The builds of some runs. */
struct gate_run_builds {
    const uint32_t *of; /* per run: its build, 0, 1, …; NULL: all are of one */
    uint32_t count;
    double *values;                /* memory: per run */
    double *means, *sizes, *steps; /* memory, per build: mean of its runs, their number, the step to the build before */
};

/**
 * Return the part of the variance of `values`, one per run, that the runs of one build have in common: the intraclass
 * correlation of a one-way analysis of variance with random builds. It is negative if the runs of a build differ more
 * than builds do. 0 if all values are equal. Needs two builds, and more runs than builds. O(runs).
 */
double gate_run_builds_in_common(const double *values, uint32_t runs, const struct gate_run_builds *builds);

/** Set `means` and `sizes` of the builds, and return the variance of runs within a build, with `runs - builds->count`
 * degrees of freedom; 0 if each build has one run. O(runs). */
double gate_run_builds_within(const double *values, uint32_t runs, const struct gate_run_builds *builds);

/**
 * Return the drift of a side's runs, per second if `is_per_second`, else per unit of work. NAN if a run lacks its work
 * or duration, or if there are fewer than 3 runs. `common` is estimated if `builds` is not NULL. O(runs^2).
 */
struct gate_drift gate_drift_estimate(const struct gate_side *side, bool is_per_second,
                                      const struct gate_run_builds *builds);

/**
 * Return whether run i of the baseline and run i of the canary are neighbours in time, for every i. They start within
 * 10 times the longer duration or within 15 minutes, and no run of another pair starts between them. False if a start
 * time is unknown, or if the sides have different numbers of runs. O(runs^2).
 */
bool gate_drift_is_interleaved(const struct gate_side sides[GATE_SIDES]);

/** Return whether every run has a round number. Rounds then define the pairs, and start times are ignored. */
bool gate_drift_has_rounds(const struct gate_side sides[GATE_SIDES]);

/**
 * Sort the runs of each side by round, if every run has one; runs of one round keep their order. Returns false if the
 * runs do not form pairs: a run without a round, or a round with more runs on one side. O(runs^2).
 */
bool gate_drift_sort_rounds(struct gate_side sides[GATE_SIDES]);

#endif
