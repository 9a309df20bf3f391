/* SPDX-License-Identifier: Apache-2.0 */
/* How much runs of a side differ beyond their samples, learnt from all frames of a class at once.
 * Pipeline: compare/effective.h -> compare/dispersion.h -> compare/evidence.h, compare/noise.h */
#ifndef GATE_COMPARE_DISPERSION_H
#define GATE_COMPARE_DISPERSION_H

#include "gate/compare/effective.h"

/** Dispersion of runs within their side: squared residuals over sampling variance, and their degrees of freedom. */
struct gate_dispersion {
    double chi_square, df;
};

/** Add the residuals of a side's runs around the side's share; nothing with one run or a share of 0 or 1. O(runs). */
void gate_dispersion_add(struct gate_dispersion *out, const struct gate_pair *pair,
                         const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                         enum gate_side_name side, const struct gate_effective *sums);

/** What a frame's dispersion is like that of: others of its class. */
enum gate_dispersion_class { GATE_DISPERSION_OWN, GATE_DISPERSION_RUNTIME, GATE_DISPERSION_CLASSES };

/**
 * What a frame's own dispersion is shrunk to: 1 + slope w, with `df` degrees of freedom, for w = k (1 - p) of k
 * effective counts a run. When requests come in another mix, a share varies in proportion to itself.
 */
struct gate_dispersion_prior {
    double slope, df; /* df 0: the class was not looked at; nothing is known */
};

/** One frame: phi is chi-square / df of its runs, weight is w. */
struct gate_dispersion_point {
    double phi, weight, df;
};

/** Frames of the runtime, and of charged cost what is nobody's own code. */
enum gate_dispersion_class gate_dispersion_class_of(const struct gate_frame *frame, enum gate_measure measure);

/** Degrees of freedom that the prior of a class is worth. */
double gate_dispersion_prior_df(enum gate_dispersion_class class);

/**
 * The slope c that makes phi / (1 + c w) 1 on average, weighted as a gamma likelihood would (w / (1 + c w)), with
 * ratios above 4 cut off there: one frame that is wild says little of the others. 0 where they do not disperse.
 * O(count).
 */
double gate_dispersion_slope(const struct gate_dispersion_point *points, uint32_t count);

#endif
