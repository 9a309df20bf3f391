/* SPDX-License-Identifier: Apache-2.0 */
/* Tests whether a change is within a limit, without computing the interval. */
#include "gate/compare/within.h"

#include "gate/compare/evidence.h"
#include "gate/compare/stats.h"

#include <math.h>

/* ---- bounds of the score test ------------------------------------------------------------------------------------ */

/* Relative slack, far more than the rounding error of the test. */
static const double SLACK = 1e-9;

/* A smaller variance may count as 0 in the test. */
static const double LEAST_VARIANCE = 1e-200;

/* Bounds of both restricted shares; all are at most 1/2. */
struct shares {
    double low1, high1, low2, high2;
};

/* Variance of a share; it grows with the share up to 1/2. */
static double variance(double p, double n) {
    return p * (1.0 - p) / n;
}

/*
 * The test solves s = z + a (z^2 - 1) for z, where s is the distance in standard errors and a the skewness over six.
 * Below 1/2 both third moments are positive. `toward` bounds the part of a that moves z towards 0, `away` the opposite
 * part, which must leave z on the branch that the test uses.
 */
static bool is_beyond(const struct gate_counts2 *c, const struct shares *at, double distance, double z) {
    double one = variance(at->high1, c->n1), two = variance(at->high2, c->n2), total = c->n1 + c->n2;
    double correction = total > 1.0 ? total / (total - 1.0) : 1.0;
    double least = (variance(at->low1, c->n1) + variance(at->low2, c->n2)) * correction;
    if (!(least > LEAST_VARIANCE))
        return false;
    double skew = 1.0 / (6.0 * least * sqrt(least)), toward = one / c->n1 * skew, away = two / c->n2 * skew;
    double wanted = (z + toward * (z * z - 1.0)) * (1.0 + SLACK);
    return 2.0 * z * away <= 1.0 - SLACK && distance * distance >= wanted * wanted * (one + two) * correction;
}

bool gate_score_bounds_below(const struct gate_counts2 *counts, double b, double z) {
    double p1 = counts->k1 / counts->n1, p2 = counts->k2 / counts->n2, distance = b - (p2 - p1);
    const struct shares at = {fmax(0.0, p2 - b), p1, fmax(b, p2), p1 + b};
    return z >= 1.0 && b >= 0.0 && distance > 0.0 && at.high2 <= 0.5 && is_beyond(counts, &at, distance, z);
}

/* ---- tests against a limit --------------------------------------------------------------------------------------- */

/* Critical z of common levels: a lower bound for all df, an upper bound for df >= 20 (as assumed for single runs), and
 * an upper bound for df = INFINITY. */
static const struct everyday {
    double level, least, most_of_few, most;
} everydays[] = {{0.05, 1.6448, 1.7248, 1.6449}, {0.01, 2.3263, 2.5280, 2.3264}, {1e-6, 4.7534, 6.6000, 4.7535}};

static const double FEW_DEGREES = 20.0;

/* Compute bounds of the critical z without computing it. */
static void critical_bounds(const struct gate_evidence *e, double level, double *least, double *most) {
    double root = e->phi == 1.0 ? 1.0 : sqrt(e->phi);
    *least = 0.0;
    *most = INFINITY;
    for (size_t i = 0; i < sizeof everydays / sizeof *everydays; i++) {
        const struct everyday *at = &everydays[i];
        if (level <= at->level)
            *least = root * at->least;
        if (level >= at->level) {
            *most = e->df < FEW_DEGREES ? INFINITY : root * (isinf(e->df) ? at->most : at->most_of_few);
            return;
        }
    }
}

/* Return whether z is at most minus the critical z. */
static bool is_low(const struct gate_evidence *e, double z, double level) {
    double least = 0.0, most = 0.0;
    critical_bounds(e, level, &least, &most);
    return z <= -most || (z <= -least && z <= -gate_evidence_critical_z(e, level));
}

/* The same for the test of growth > b, without running it; false if unsure. */
static bool is_surely_low(const struct gate_evidence *e, double b, double level) {
    double least = 0.0, most = 0.0;
    critical_bounds(e, level, &least, &most);
    return !isinf(most) && gate_score_bounds_below(&e->counts, b, most);
}

bool gate_within_growth(const struct gate_evidence *evidence, double limit, double level) {
    double b = limit / evidence->dilution;
    if (!gate_evidence_is_counted(evidence) || b <= -1.0 || b >= 1.0)
        return gate_evidence_upper(evidence, level) <= limit;
    return is_surely_low(evidence, b, level) || is_low(evidence, gate_score_z(evidence->counts, b), level);
}

bool gate_within_ratio(const struct gate_evidence *evidence, double limit, double level) {
    if (!gate_evidence_is_counted(evidence) || !(evidence->counts.k1 > 0.0) || !(limit > 0.0))
        return gate_evidence_ratio_upper(evidence, level) <= limit;
    return is_low(evidence, gate_ratio_z(evidence->counts, limit), level);
}

bool gate_within_share(const struct gate_evidence *evidence, double limit, double level) {
    double p0 = limit / evidence->dilution;
    if (!gate_evidence_is_counted(evidence) || p0 <= 0.0 || p0 >= 1.0)
        return gate_evidence_share_upper(evidence, level) <= limit;
    return is_low(evidence, gate_one_sample_z(evidence->counts.k2, evidence->counts.n2, p0), level);
}
