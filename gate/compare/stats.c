/* SPDX-License-Identifier: Apache-2.0 */
/* Score tests and confidence intervals for differences and ratios of proportions. Tail probabilities are in student.c,
 * corrections for multiple tests in holm.c. */
#include "gate/compare/stats.h"

#include "gate/compare/student.h"

#include <math.h>

/* A smaller skewness term has no effect in a double. */
static const double NEGLIGIBLE_SKEW = 1e-12;

/* Absolute precision of a bound. */
static const double PRECISION = 1e-14;

/* The iteration ends if the remaining error is below this fraction of the distance to the nearest end. */
static const double CLOSE = 1e-18;

enum { CUBIC_STEPS = 20 };

/* Closer to an end than this, the root is computed to the last bit. */
static const double END_ROOM = 1e-5;

/* A smaller variance counts as 0: both restricted shares are 0 or 1. */
static const double NO_VARIANCE = 1e-300;

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* Solve S = z + a (z^2 - 1) for z: the second-order Cornish-Fisher step (Gart & Nam 1990). */
static double skew_correct(double s, double a) {
    double y = s + a;
    double radicand = 1.0 + 4.0 * a * y;
    if (fabs(a) < NEGLIGIBLE_SKEW || radicand <= 0.0)
        return s;
    return 2.0 * y / (1.0 + sqrt(radicand));
}

/*
 * Return the likelihood equation times the product of its denominators: positive left of the root, negative right of
 * it. Kept as products, because the expanded cubic loses the root to cancellation if k is small and n is large.
 */
static double restricted_slope(struct gate_counts2 c, double b, double x, double *derivative) {
    double y = x + b;
    double e1 = c.k1 - c.n1 * x;
    double e2 = c.k2 - c.n2 * y;
    double vx = x * (1.0 - x);
    double vy = y * (1.0 - y);
    *derivative = -c.n1 * vy + e1 * (1.0 - 2.0 * y) - c.n2 * vx + e2 * (1.0 - 2.0 * x);
    return e1 * vy + e2 * vx;
}

/* Return half of its second derivative. */
static double restricted_curve(struct gate_counts2 c, double b, double x) {
    double e1 = c.k1 - c.n1 * x, e2 = c.k2 - c.n2 * (x + b);
    return -c.n1 * (1.0 - 2.0 * (x + b)) - e1 - c.n2 * (1.0 - 2.0 * x) - e2;
}

/* Return a guess: the root for rare events, whose likelihood is Poisson. Most functions have such small shares. */
static double restricted_guess(struct gate_counts2 c, double b) {
    /* The larger share exceeds |b|, so its counts have less variance than rare events; scale them. */
    double one = b > 0.0 ? 1.0 - b : 1.0, two = b < 0.0 ? 1.0 + b : 1.0;
    c = (struct gate_counts2){c.k1 * one, c.n1 * one, c.k2 * two, c.n2 * two};
    double n = c.n1 + c.n2, left = c.k1 + c.k2 - n * b;
    double root = sqrt(fmax(left * left + 4.0 * n * c.k1 * b, 0.0));
    return left > 0.0 ? (left + root) / (2.0 * n) : 2.0 * c.k1 * b / (root - left);
}

/* Return whether the maximum is at an end of the range: the likelihood falls from the low end, or still rises at the
 * high end. That requires a side with k = 0 or k = n. */
static bool is_at_end(struct gate_counts2 c, double b, double end, double direction) {
    double slope = 0.0, value = direction * restricted_slope(c, b, end, &slope);
    return value < 0.0 || (value == 0.0 && slope <= 0.0);
}

/* State of the search for the root: position, remaining bracket, and step. */
struct restricted {
    double x, low, high;
    double value, slope, step;
};

static void restricted_look(struct restricted *at, struct gate_counts2 c, double b) {
    at->value = restricted_slope(c, b, at->x, &at->slope);
    at->step = at->value / at->slope;
}

/*
 * Return the root predicted by the value and all three derivatives (it is a cubic). The distance d solves
 * t = d + square d^2 + cube d^3: first as a series in t, Newton's step, then one correction for the remainder.
 * `rest` is a bound on the error of the correction.
 */
static double restricted_cubic(struct restricted *at, struct gate_counts2 c, double b, double *rest) {
    at->value = restricted_slope(c, b, at->x, &at->slope);
    if (!(at->slope < 0.0))
        return -1.0;
    double scale = 1.0 / at->slope, t = -at->value * scale;
    double square = restricted_curve(c, b, at->x) * scale, cube = (c.n1 + c.n2) * scale;
    double u = square * t, w = cube * t * t;
    double d = t * (1.0 - u + (2.0 * u * u - w) + 5.0 * u * (w - u * u));
    double left = t - d * (1.0 + d * (square + d * cube)), bend = 2.0 * fabs(u) + 3.0 * fabs(w);
    *rest = 8.0 * fabs(left) * bend * bend;
    return at->x + (d + left * (1.0 - d * (2.0 * square + 3.0 * d * cube)));
}

/* Move to `next`, or to the middle if that is outside the bracket. Returns false if the bracket is empty. */
static bool restricted_move(struct restricted *at, double next) {
    *(at->value > 0.0 ? &at->low : &at->high) = at->x;
    if (!(next > at->low && next < at->high))
        next = at->low + (at->high - at->low) / 2.0;
    if (next == at->low || next == at->high)
        return false;
    at->x = next;
    return true;
}

/* Newton's method to the last bit, for roots near an end. */
static double restricted_exact(struct restricted at, struct gate_counts2 c, double b) {
    at.x = clamp((c.k1 + c.k2) / (c.n1 + c.n2) - b * c.n2 / (c.n1 + c.n2), at.low, at.high);
    if (at.x <= at.low || at.x >= at.high)
        at.x = at.low + (at.high - at.low) / 2.0;
    for (int i = 0; i < 200; i++) {
        restricted_look(&at, c, b);
        double next = at.slope < 0.0 ? at.x - at.step : -1.0;
        if (at.value == 0.0 || fabs(next - at.x) <= 2e-16 * at.x || !restricted_move(&at, next))
            return at.x;
    }
    return at.x;
}

/* Return the distance to the nearest end where cancellation limits the precision of the shares. */
static double room(double x, double b) {
    double y = x + b, above = 1.0 - (x > y ? x : y);
    return b < 0.0 && y < above ? y : above;
}

double gate_score_restricted_p1(struct gate_counts2 counts, double b) {
    const struct restricted all = {.low = b < 0.0 ? -b : 0.0, .high = b > 0.0 ? 1.0 - b : 1.0};
    struct restricted at = all;
    if (b == 0.0)
        return clamp((counts.k1 + counts.k2) / (counts.n1 + counts.n2), 0.0, 1.0);
    if ((counts.k1 <= 0.0 || counts.k2 <= 0.0) && is_at_end(counts, b, at.low, 1.0))
        return at.low;
    if ((counts.k1 >= counts.n1 || counts.k2 >= counts.n2) && is_at_end(counts, b, at.high, -1.0))
        return at.high;
    /* Solve the cubic from a good guess; the bracket shrinks around the root. */
    at.x = restricted_guess(counts, b);
    if (!(at.x > at.low && at.x < at.high))
        at.x = at.low + (at.high - at.low) / 2.0;
    for (int i = 0; i < CUBIC_STEPS; i++) {
        double rest = 0.0, next = restricted_cubic(&at, counts, b, &rest), left = room(next, b);
        bool is_inside = next > at.low && next < at.high;
        if (is_inside && left >= END_ROOM && rest <= CLOSE * (next < left ? next : left))
            return next;
        if (!restricted_move(&at, next))
            break;
    }
    return restricted_exact(all, counts, b);
}

/* Return z of the test if the baseline's restricted share is `p1`. */
static inline double score_z_at(struct gate_counts2 counts, double b, double p1) {
    double n1 = counts.n1, n2 = counts.n2;
    double p2 = clamp(p1 + b, 0.0, 1.0);
    double one = 1.0 / n1, two = 1.0 / n2, total = n1 + n2; /* divisions are slow */
    double v1 = p1 * (1.0 - p1) * one, v2 = p2 * (1.0 - p2) * two;
    double correction = total > 1.0 ? total / (total - 1.0) : 1.0;
    double variance = (v1 + v2) * correction;
    if (!(variance > NO_VARIANCE))
        return 0.0;
    double scale = 1.0 / sqrt(variance), s = (counts.k2 / n2 - counts.k1 / n1 - b) * scale;
    double third = v2 * (1.0 - 2.0 * p2) * two - v1 * (1.0 - 2.0 * p1) * one;
    return skew_correct(s, third * scale * scale * scale * (1.0 / 6.0));
}

double gate_score_z_measured(struct gate_counts2 counts) {
    double p1 = counts.k1 / counts.n1;
    return score_z_at(counts, counts.k2 / counts.n2 - p1, p1);
}

double gate_score_z(struct gate_counts2 counts, double b) {
    return score_z_at(counts, b, gate_score_restricted_p1(counts, b));
}

double gate_ratio_restricted_p1(struct gate_counts2 counts, double r) {
    double n1 = counts.n1, n2 = counts.n2, k1 = counts.k1, k2 = counts.k2;
    /* The discriminant of the quadratic as a sum of non-negative terms, to avoid cancellation. */
    double left = n1 + k2, right = r * (n2 + k1);
    double difference = left - right;
    double root = sqrt(difference * difference + 4.0 * r * (n1 - k1) * (n2 - k2));
    double p1 = 2.0 * (k1 + k2) / (left + right + root);
    return clamp(p1, 0.0, r > 1.0 ? 1.0 / r : 1.0);
}

double gate_ratio_z(struct gate_counts2 counts, double r) {
    double n1 = counts.n1, n2 = counts.n2;
    double p1 = gate_ratio_restricted_p1(counts, r);
    double p2 = clamp(r * p1, 0.0, 1.0);
    double v1 = p1 * (1.0 - p1), v2 = p2 * (1.0 - p2);
    double total = n1 + n2;
    double correction = total > 1.0 ? total / (total - 1.0) : 1.0;
    double variance = (v2 / n2 + r * r * v1 / n1) * correction;
    if (!(variance > NO_VARIANCE))
        return 0.0;
    double s = (counts.k2 / n2 - r * counts.k1 / n1) / sqrt(variance);
    double third = v2 * (1.0 - 2.0 * p2) / (n2 * n2) - r * r * r * v1 * (1.0 - 2.0 * p1) / (n1 * n1);
    return skew_correct(s, third / (variance * sqrt(variance)) / 6.0);
}

double gate_one_sample_z(double k, double n, double p0) {
    double variance = p0 * (1.0 - p0) / n;
    if (!(variance > NO_VARIANCE))
        return 0.0;
    double deviation = sqrt(variance);
    return skew_correct((k / n - p0) / deviation, (1.0 - 2.0 * p0) / (n * deviation) / 6.0);
}

/* A test that falls as its limit rises, with its other arguments. */
struct falling_test {
    double (*z)(const struct falling_test *test, double limit);
    struct gate_counts2 counts;
    double b, deviations; /* arguments of missed_at */
};

/* Limits below and above the root, and the test minus z at each. */
struct bracket {
    double low, high;
    double at_low, at_high;
};

/*
 * Find the limit at which a falling test is `z`. At the low end of `bracket` the test is above z, at the high end at
 * most z. Chandrupatla's method: inverse quadratic steps while they are safe, else halving, so that a jump of the test
 * cannot trap it.
 */
static double solve_between(const struct falling_test *test, double z, const struct bracket *bracket) {
    double a = bracket->high, b = bracket->low;
    double fa = bracket->at_high, fb = bracket->at_low;
    double t = 0.5;
    for (int i = 0; i < 200; i++) {
        double x = a + t * (b - a);
        double fx = test->z(test, x) - z;
        double c = a, fc = fa; /* the point that is dropped */
        if ((fx > 0.0) != (fa > 0.0)) {
            c = b;
            fc = fb;
            b = a;
            fb = fa;
        }
        a = x;
        fa = fx;
        double tolerance = PRECISION + 2e-16 * fabs(fabs(fa) < fabs(fb) ? a : b);
        if (fa == 0.0 || fabs(b - a) <= 2.0 * tolerance)
            break;
        double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
        t = 0.5;
        if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)
            t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
        double edge = tolerance / fabs(b - a);
        t = clamp(t, edge, 1.0 - edge);
    }
    return fabs(fa) < fabs(fb) ? a : b;
}

static double solve_falling(const struct falling_test *test, double z, double low, double high) {
    const struct bracket all = {low, high, test->z(test, low) - z, test->z(test, high) - z};
    return solve_between(test, z, &all);
}

static double one_sample_at(const struct falling_test *test, double limit) {
    if (limit <= 0.0 || limit >= 1.0) /* the variance vanishes: only the side of the limit is left */
        return limit <= 0.0 ? 1e9 : -1e9;
    return gate_one_sample_z(test->counts.k1, test->counts.n1, limit);
}

static double score_at(const struct falling_test *test, double limit) {
    if (limit <= -1.0 || limit >= 1.0)
        return limit < 0.0 ? 1e9 : -1e9;
    return gate_score_z(test->counts, limit);
}

static double log_ratio_at(const struct falling_test *test, double limit) {
    return gate_ratio_z(test->counts, exp(limit));
}

double gate_one_sample_bound(double k, double n, double z) {
    struct falling_test test = {.z = one_sample_at, .counts = {k, n, 0.0, 0.0}};
    return solve_falling(&test, z, 0.0, 1.0);
}

double gate_score_bound(struct gate_counts2 counts, double z) {
    struct falling_test test = {.z = score_at, .counts = counts};
    return solve_falling(&test, z, -1.0, 1.0);
}

double gate_ratio_bound(struct gate_counts2 counts, double z) {
    /* Range of the logarithm of a ratio. */
    const double low = -80.0, high = 80.0;
    struct falling_test test = {.z = log_ratio_at, .counts = counts};
    if (log_ratio_at(&test, low) <= z)
        return 0.0;
    if (log_ratio_at(&test, high) > z)
        return INFINITY;
    return exp(solve_falling(&test, z, low, high));
}

void gate_score_interval(struct gate_counts2 counts, double z_critical, double *low, double *high) {
    *low = gate_score_bound(counts, z_critical);
    *high = gate_score_bound(counts, -z_critical);
}

void gate_ratio_interval(struct gate_counts2 counts, double z_critical, double *low, double *high) {
    *low = counts.k2 > 0.0 ? gate_ratio_bound(counts, z_critical) : 0.0;
    *high = counts.k1 > 0.0 ? gate_ratio_bound(counts, -z_critical) : INFINITY;
}

struct gate_counts2 gate_detectable_missed(struct gate_counts2 counts, double effect, double deviations) {
    struct gate_counts2 c = counts;
    double p1 = c.k1 / c.n1, p2 = clamp(p1 + effect, 0.0, 1.0);
    double v1 = p1 * (1.0 - p1) / c.n1, v2 = p2 * (1.0 - p2) / c.n2;
    double short_by = v1 + v2 > 0.0 ? deviations / sqrt(v1 + v2) : 0.0;
    c.k1 = c.n1 * clamp(p1 + short_by * v1, 0.0, 1.0);
    c.k2 = c.n2 * clamp(p2 - short_by * v2, 0.0, 1.0);
    return c;
}

/* Return minus z of growth > b if the true growth is `effect` and falls short by `deviations`. */
static double missed_at(const struct falling_test *test, double effect) {
    return -gate_score_z(gate_detectable_missed(test->counts, effect, test->deviations), test->b);
}

double gate_detectable_effect(struct gate_counts2 counts, double b, double z, double deviations) {
    struct falling_test test = {missed_at, counts, b, deviations};
    double p1 = counts.k1 / counts.n1, low = b > -p1 ? b : -p1, high = 1.0 - p1;
    if (low >= high || missed_at(&test, high) > -z)
        return high;
    return solve_falling(&test, -z, low, high);
}

void gate_wilson_interval(double k, double n, double z, double *low, double *high) {
    double p = k / n;
    double z2 = z * z / n;
    double centre = (p + z2 / 2.0) / (1.0 + z2);
    double half = z / (1.0 + z2) * sqrt(p * (1.0 - p) / n + z2 / (4.0 * n));
    *low = k <= 0.0 ? 0.0 : clamp(centre - half, 0.0, 1.0);
    *high = k >= n ? 1.0 : clamp(centre + half, 0.0, 1.0);
}
