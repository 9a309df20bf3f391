/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of the score test (see score_bounds.h). */
#include "gate/compare/score_bounds.h"

#include <math.h>

/* Far more than the test is rounded by. */
static const double SLACK = 1e-9;
/* Less variance than this is one that the test may take for none. */
static const double LEAST_VARIANCE = 1e-200;

/* Where both restricted shares are, none of them above a half. */
struct shares {
    double low1, high1, low2, high2;
};

/* Variance of a share of so many: it grows with the share up to a half. */
static double variance(double p, double n) {
    return p * (1.0 - p) / n;
}

/*
 * The test solves s = z + a (z^2 - 1) for z, where s is the distance in standard errors and a the skewness over six.
 * Both third moments are positive below a half: `toward` is the largest part of a that draws z towards 0, `away` that
 * of the other side, which must leave z on the branch that the test takes.
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
