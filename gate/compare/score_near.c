/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds from a guess (see score_near.h). */
#include "gate/compare/score_near.h"

#include <math.h>

/* A bound is looked for no farther beyond a guess than this part of its distance from what was measured, and so far
 * from the ends; of fewer samples there is no guess. */
static const double MIN_COUNT = 20.0;
static const double REACH = 2.0;
static const double MOST = 0.9;
static const double MOST_Z = 6.0;
/* Steps are near when they get shorter by more than this, and the next error, of three of them, is no more than what is
 * asked for. */
static const double SHRINK = 2e-3;
enum { STEPS = 12 };

/* Newcombe's interval, of Wilson's of both shares, is near it (Stat. Med. 17 (1998)): most of the way is not walked. */
static double newcombe_bound(const struct gate_counts2 *c, double z) {
    double low1, high1, low2, high2;
    gate_wilson_interval(c->k1, c->n1, z, &low1, &high1);
    gate_wilson_interval(c->k2, c->n2, z, &low2, &high2);
    double p1 = c->k1 / c->n1, p2 = c->k2 / c->n2;
    return z > 0.0 ? p2 - p1 - hypot(p2 - low2, high1 - p1) : p2 - p1 + hypot(high2 - p2, p1 - low1);
}

/* The same of its upper end too, which Wilson's other ends make. */
static double newcombe_end(const struct gate_counts2 *c, double z) {
    struct gate_counts2 turned = {c->k2, c->n2, c->k1, c->n1};
    return z > 0.0 ? newcombe_bound(c, z) : -newcombe_bound(&turned, -z);
}

/*
 * The root near a guess: a secant from what was measured, where nothing is restricted, then the quadratic of the last
 * three points by which z gives the limit. NAN: it does not settle between what was measured and some way beyond the
 * guess.
 */
static double solve_near(struct gate_counts2 c, double z, double measured, double guess, double precision) {
    double far = guess + REACH * (guess - measured), width = fabs(far - measured);
    double before = measured, value_before = gate_score_z_measured(c) - z, value_first = 0.0, x = guess;
    double slope_before = 0.0, step_before = width, step_first = width;
    if (fabs(far) >= MOST || fabs(z) >= MOST_Z)
        return NAN;
    for (int i = 1; i <= STEPS; i++) {
        double value = gate_score_z(c, x) - z;
        double slope = (x - before) / (value - value_before), step = -value * slope;
        if (i > 1)
            step += value * value_before * (slope - slope_before) / (value - value_first);
        before = x;
        x += step;
        if (!((x > measured && x < far) || (x < measured && x > far)))
            return NAN;
        if (fabs(step) <= SHRINK * fabs(step_before) &&
            fabs(step * step_before * step_first) <= precision * width * width * width)
            return x;
        value_first = value_before;
        value_before = value;
        slope_before = slope;
        step_first = step_before;
        step_before = step;
    }
    return NAN;
}

double gate_score_near(struct gate_counts2 counts, double z, double precision) {
    double delta = counts.k2 / counts.n2 - counts.k1 / counts.n1, found = NAN;
    /* Of few samples a test may cross z more than once, and which of them is found must not depend on where it began.
     */
    if (fmin(counts.n1, counts.n2) >= MIN_COUNT)
        found = solve_near(counts, z, delta, newcombe_end(&counts, z), precision);
    return isnan(found) ? gate_score_bound(counts, z) : found;
}
