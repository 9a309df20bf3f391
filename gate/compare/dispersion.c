/* SPDX-License-Identifier: Apache-2.0 */
/* The dispersion that frames of a class share (see dispersion.h). Formulas: docs/statistics.md, "Replicates". */
#include "gate/compare/dispersion.h"

#include <math.h>

/* Code of one's own is alike in dispersion once it follows its counts; the runtime's frames are less so. */
static const double DF_OWN = 20.0;
static const double DF_RUNTIME = 4.0;
/* phi over its expectation counts as no more than this. */
static const double RATIO_MOST = 4.0;
static const double SLOPE_MOST = 1e6;
static const double SLOPE_LEAST = 1e-9;
enum { HALVINGS = 60 };

void gate_dispersion_add(struct gate_dispersion *out, const struct gate_pair *pair,
                         const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                         enum gate_side_name side, const struct gate_effective *sums) {
    const struct gate_side *from = &pair->sides[side];
    double p = sums->share;
    if (from->run_count < 2 || !(p > 0.0 && p < 1.0))
        return;
    /* Each run's sample size follows the side's: a run without the item would have no variance of its own. */
    double design = sums->n * sums->total_sq / (sums->total * sums->total);
    for (uint32_t r = 0; r < from->run_count; r++) {
        const struct gate_run *run = &from->runs[r];
        const struct gate_tally *tally = gate_tally_at(deltas, measure, gate_first_run(pair, side) + r, item);
        double total = (double)run->total, total_sq = gate_run_weight_sq(run);
        if (!(total > 0.0) || !(total_sq > 0.0))
            continue;
        double residual = (double)tally->value / total - p;
        out->chi_square += residual * residual * design * total * total / total_sq / (p * (1.0 - p));
    }
    out->df += from->run_count - 1;
}

enum gate_dispersion_class gate_dispersion_class_of(const struct gate_frame *frame, enum gate_measure measure) {
    bool is_foreign = frame->is_runtime || (measure == GATE_CHARGED && !frame->is_own);
    return is_foreign ? GATE_DISPERSION_RUNTIME : GATE_DISPERSION_OWN;
}

double gate_dispersion_prior_df(enum gate_dispersion_class class) {
    return class == GATE_DISPERSION_OWN ? DF_OWN : DF_RUNTIME;
}

/* The mean of a chi-square over its degrees of freedom that is cut off at RATIO_MOST; exact for two of them. */
static double cut_mean(double df) {
    return 1.0 - exp(-RATIO_MOST * df / 2.0);
}

/* Above 0 where the slope is too small. */
static double score(const struct gate_dispersion_point *points, uint32_t count, double slope) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double expected = 1.0 + slope * points[i].weight;
        double ratio = fmin(points[i].phi / expected, RATIO_MOST);
        sum += points[i].weight / expected * (ratio - cut_mean(points[i].df));
    }
    return sum;
}

double gate_dispersion_slope(const struct gate_dispersion_point *points, uint32_t count) {
    double low = SLOPE_LEAST, high = SLOPE_MOST;
    if (count == 0 || score(points, count, 0.0) <= 0.0)
        return 0.0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = sqrt(low * high);
        *(score(points, count, middle) > 0.0 ? &low : &high) = middle;
    }
    return low;
}
