/* SPDX-License-Identifier: Apache-2.0 */
/* Tails of the normal and of Student's t, as logarithms where they underflow (see stats.h). */
#include "gate/compare/student.h"

#include <math.h>

static const double SQRT_HALF = 0.70710678118654752440;
static const double LOG_2 = 0.69314718055994530942;
static const double LOG_SQRT_2PI = 0.91893853320467274178;
/* From here on erfc comes near its underflow, and the asymptotic series is exact in a double. */
static const double FAR_TAIL = 20.0;
/* From here on Hill's normal transformation is exact to 1e-12, and the continued fraction slow. */
static const double MANY_DEGREES = 3000.0;

double gate_normal_p(double z) {
    return 0.5 * erfc(z * SQRT_HALF);
}

double gate_normal_log_p(double z) {
    if (z < -1.0)
        return log1p(-gate_normal_p(-z));
    if (z < FAR_TAIL)
        return log(gate_normal_p(z));
    double y = 1.0 / (z * z);
    double series = 1.0 - y * (1.0 - 3.0 * y * (1.0 - 5.0 * y * (1.0 - 7.0 * y * (1.0 - 9.0 * y))));
    return -0.5 * z * z - LOG_SQRT_2PI - log(z) + log(series);
}

static double normal_z_solve(double p) {
    double target = log(p);
    /* The tail's logarithm is concave: Newton from the right side of the root never overshoots. */
    double z = sqrt(-2.0 * target);
    for (int i = 0; i < 60; i++) {
        double log_p = gate_normal_log_p(z);
        double density = exp(-0.5 * z * z - LOG_SQRT_2PI - log_p);
        double step = (log_p - target) / density;
        z += step;
        if (fabs(step) <= 1e-15 * (1.0 + fabs(z)))
            break;
    }
    return z;
}

double gate_normal_z(double p) {
    /* Thousands of frames ask for the same few levels. */
    enum { KEPT = 4 };
    static _Thread_local double kept_p[KEPT], kept_z[KEPT];
    static _Thread_local unsigned next;
    GATE_ASSERT(p > 0.0 && p < 1.0);
    if (p == 0.5)
        return 0.0;
    if (p > 0.5)
        return -gate_normal_z(1.0 - p);
    for (unsigned i = 0; i < KEPT; i++)
        if (kept_p[i] == p)
            return kept_z[i];
    unsigned at = next++ % KEPT;
    kept_z[at] = normal_z_solve(p);
    kept_p[at] = p;
    return kept_z[at];
}

/* Logarithm of the regularised incomplete beta by Lentz's continued fraction; x left of its mean converges fast. */
static double log_incomplete_beta(double a, double b, double x, double y) {
    const double tiny = 1e-300;
    double log_front = a * log(x) + b * log(y) - log(a) + lgamma(a + b) - lgamma(a) - lgamma(b);
    double f = 1.0, c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
    d = fabs(d) < tiny ? 1.0 / tiny : 1.0 / d;
    f = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 + even * d;
        c = 1.0 + even / c;
        d = fabs(d) < tiny ? 1.0 / tiny : 1.0 / d;
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 + odd * d;
        c = 1.0 + odd / c;
        d = fabs(d) < tiny ? 1.0 / tiny : 1.0 / d;
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return log_front + log(f);
}

/* Hill, CACM 13 (1970), algorithm 395: the normal deviate with the same tail. */
static double hill_z(double t, double df) {
    double a = df - 0.5;
    double b = 48.0 * a * a;
    double w2 = a * log1p(t / df * t);
    double w = sqrt(w2);
    double first = w * (w2 + 3.0) / b;
    double second = w * (((4.0 * w2 + 33.0) * w2 + 240.0) * w2 + 855.0) / (10.0 * b * (b + 0.8 * w2 * w2 + 100.0));
    return w + first - second;
}

double gate_student_log_p(double t, double df) {
    GATE_ASSERT(df > 0.0);
    if (isinf(df))
        return gate_normal_log_p(t);
    if (t < 0.0)
        return log1p(-exp(gate_student_log_p(-t, df)));
    if (df > MANY_DEGREES)
        return gate_normal_log_p(hill_z(t, df));
    double square = t * t;
    double x = df / (df + square), y = square / (df + square);
    double a = df / 2.0, b = 0.5;
    if (y == 0.0)
        return -LOG_2;
    if (x <= (a + 1.0) / (a + b + 2.0))
        return log_incomplete_beta(a, b, x, y) - LOG_2;
    return log1p(-exp(log_incomplete_beta(b, a, y, x))) - LOG_2;
}

double gate_student_p(double t, double df) {
    if (t < 0.0)
        return 1.0 - gate_student_p(-t, df);
    return exp(gate_student_log_p(t, df));
}

/* Logarithm of the density of t at `t`, without the constants of df. */
static double log_density_shape(double t, double df) {
    return -0.5 * (df + 1.0) * log1p(t / df * t);
}

static double student_t_solve(double p, double df) {
    double target = log(p);
    double log_scale = lgamma((df + 1.0) / 2.0) - lgamma(df / 2.0) - 0.5 * log(df * 3.14159265358979323846);
    double low = 0.0, high = INFINITY;
    double z = gate_normal_z(p);
    double t = df > 1.0 ? sqrt(df * expm1(z * z / (df - 0.5))) : 1.0 / tan(3.14159265358979323846 * p);
    if (!isfinite(t))
        t = z;
    /* Newton on log p against log t, which is nearly a line in the far tail; halving where a step leaves the bracket. */
    for (int i = 0; i < 200; i++) {
        double log_p = gate_student_log_p(t, df);
        if (log_p > target)
            low = t;
        else
            high = t;
        double slope = -exp(log_scale + log_density_shape(t, df) - log_p) * t;
        double next = t * exp((target - log_p) / slope);
        if (!(next > low && next < high))
            next = isinf(high) ? 2.0 * t : low > 0.0 ? sqrt(low) * sqrt(high) : high / 2.0;
        if (fabs(next - t) <= 1e-13 * t)
            return next;
        t = next;
    }
    return t;
}

double gate_student_t(double p, double df) {
    /* One frame asks for the same few levels again and again, and so do all frames of the same number of runs. */
    enum { KEPT = 8 };
    static _Thread_local double kept_p[KEPT], kept_df[KEPT], kept_t[KEPT];
    static _Thread_local unsigned next;
    GATE_ASSERT(p > 0.0 && p < 1.0 && df > 0.0);
    if (isinf(df))
        return gate_normal_z(p);
    if (p == 0.5)
        return 0.0;
    if (p > 0.5)
        return -gate_student_t(1.0 - p, df);
    for (unsigned i = 0; i < KEPT; i++)
        if (kept_p[i] == p && kept_df[i] == df)
            return kept_t[i];
    unsigned at = next++ % KEPT;
    kept_t[at] = student_t_solve(p, df);
    kept_p[at] = p;
    kept_df[at] = df;
    return kept_t[at];
}
