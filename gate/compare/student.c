/* SPDX-License-Identifier: Apache-2.0 */
/* Tails and quantiles of the normal distribution and Student's t, as logarithms where they underflow. */
#define _DEFAULT_SOURCE /* lgamma_r */
#include "gate/compare/student.h"

#include "gate/base/error.h"

#include <math.h>

static const double SQRT_HALF = 0.70710678118654752440;

static const double LOG_2 = 0.69314718055994530942;

static const double LOG_SQRT_2PI = 0.91893853320467274178;

/* Above this z, erfc is close to underflow and the asymptotic series is exact in a double. */
static const double FAR_TAIL = 20.0;

/* Above this, Hill's normal transformation is exact to 1e-12 and the continued fraction is slow. */
static const double MANY_DEGREES = 3000.0;

/* From this many degrees of freedom on, and up to this |t|, Hill's transformation is exact to 0.01 in log p. */
static const double NEAR_DEGREES = 4.0;

static const double NEAR_DEVIATIONS = 40.0;

/* Up to this many whole degrees of freedom, the finite sum is shorter than the continued fraction; above this p it
 * keeps 12 digits. */
static const double FEW_DEGREES = 64.0;

static const double EVERYDAY_P = 1e-4;

/* Below this, a probability is denormal or 0. */
static const double LOG_SMALLEST = -650.0;

static const double PI = 3.14159265358979323846;

/* Relative to t: a step below CLOSE ends Halley's method, whose error is the third power of the step; a step below NEAR
 * is accepted as a Halley step. */
static const double CLOSE = 3e-6;

static const double NEAR = 0.2;

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

/* Return a polynomial of Wichura, Applied Statistics 37 (1988), algorithm AS 241 (PPND16): about 1 part in 10^16. */
static double polynomial(const double coefficients[8], double x) {
    double sum = coefficients[7];
    for (int i = 7; i > 0; i--)
        sum = sum * x + coefficients[i - 1];
    return sum;
}

double gate_normal_z(double p) {
    static const double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                3.3430575583588128105e4, 2.5090809287301226727e3};
    static const double b[8] = {1.0,
                                4.2313330701600911252e1,
                                6.8718700749205790830e2,
                                5.3941960214247511077e3,
                                2.1213794301586595867e4,
                                3.9307895800092710610e4,
                                2.8729085735721942674e4,
                                5.2264952788528545610e3};
    static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[8] = {1.0,
                                2.05319162663775882187e0,
                                1.67638483018380384940e0,
                                6.89767334985100004550e-1,
                                1.48103976427480074590e-1,
                                1.51986665636164571966e-2,
                                5.47593808499534494600e-4,
                                1.05075007164441684324e-9};
    static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[8] = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};
    GATE_ASSERT(p > 0.0 && p < 1.0);
    double q = 0.5 - p;
    if (fabs(q) <= 0.425) {
        double x = 0.180625 - q * q;
        return q * polynomial(a, x) / polynomial(b, x);
    }
    double r = sqrt(-log(q > 0.0 ? p : 1.0 - p));
    double z =
        r <= 5.0 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5.0) / polynomial(f, r - 5.0);
    return q > 0.0 ? z : -z;
}

double gate_normal_log_z(double log_p) {
    if (!(log_p < 0.0))
        return -INFINITY;
    if (log_p > LOG_SMALLEST) {
        double p = exp(log_p);
        return p < 1.0 ? gate_normal_z(p) : -INFINITY;
    }
    double z = sqrt(-2.0 * log_p);
    for (int i = 0; i < 6; i++) { /* Newton's method on log p, which is nearly a parabola there */
        double tail = gate_normal_log_p(z);
        z += (tail - log_p) * exp(tail + 0.5 * z * z + LOG_SQRT_2PI);
    }
    return z;
}

/* Return the log of the beta function, a > 0 and b > 0. Not lgamma, which stores the sign in a global variable. */
static double log_beta(double a, double b) {
    int sign;
    return lgamma_r(a, &sign) + lgamma_r(b, &sign) - lgamma_r(a + b, &sign);
}

/* Return the log of the regularised incomplete beta function by Lentz's continued fraction; converges fast for x below
 * the mean. */
static double log_incomplete_beta(double a, double b, double x, double y, double log_whole) {
    const double tiny = 1e-300;
    double log_front = a * log(x) + b * log(y) - log(a) - log_whole;
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

/* Return the normal deviate with the same tail probability: Hill, CACM 13 (1970), algorithm 395. */
static double hill_z(double t, double df) {
    double a = df - 0.5;
    double b = 48.0 * a * a;
    double w2 = a * log1p(t / df * t);
    double w = sqrt(w2);
    double first = w * (w2 + 3.0) / b;
    double second = w * (((4.0 * w2 + 33.0) * w2 + 240.0) * w2 + 855.0) / (10.0 * b * (b + 0.8 * w2 * w2 + 100.0));
    return w + first - second;
}

/* Return the log of the upper tail for t >= 0. `log_whole` is the log of the beta function of df / 2 and 1 / 2. */
static double tail_log_p(double t, double df, double log_whole) {
    double square = t * t;
    double x = df / (df + square), y = square / (df + square);
    double a = df / 2.0, b = 0.5;
    if (y == 0.0)
        return -LOG_2;
    if (x <= (a + 1.0) / (a + b + 2.0))
        return log_incomplete_beta(a, b, x, y, log_whole) - LOG_2;
    return log1p(-exp(log_incomplete_beta(b, a, y, x, log_whole))) - LOG_2;
}

double gate_student_log_p(double t, double df) {
    GATE_ASSERT(df > 0.0);
    if (isinf(df))
        return gate_normal_log_p(t);
    if (t < 0.0)
        return log1p(-exp(gate_student_log_p(-t, df)));
    if (df > MANY_DEGREES)
        return gate_normal_log_p(hill_z(t, df));
    return tail_log_p(t, df, log_beta(df / 2.0, 0.5));
}

double gate_student_log_p_near(double t, double df) {
    if (isinf(df) || df < NEAR_DEGREES || fabs(t) > NEAR_DEVIATIONS)
        return gate_student_log_p(t, df);
    return t < 0.0 ? log1p(-gate_normal_p(hill_z(-t, df))) : gate_normal_log_p(hill_z(t, df));
}

/* Return p by a finite sum, which loses digits for small p: Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double whole_degrees_p(double t, int df) {
    double square = df / (df + t * t), sine = sqrt(t * t / (df + t * t));
    double term = df % 2 == 0 ? 1.0 : sqrt(square), sum = df == 1 ? 0.0 : term;
    for (int i = df % 2 == 0 ? 1 : 2; i <= df - 3; i += 2) {
        term *= square * i / (i + 1.0);
        sum += term;
    }
    return df % 2 == 0 ? 0.5 - 0.5 * sine * sum : 0.5 - (atan(t / sqrt(df)) + sine * sum) / PI;
}

/* Return the log of the upper tail. Common levels and few degrees of freedom, as for most frames, need no log-gamma
 * functions. */
static double log_p_of(double t, double df, double log_whole) {
    if (df > MANY_DEGREES)
        return gate_student_log_p(t, df);
    double p = df <= FEW_DEGREES && df == floor(df) ? whole_degrees_p(t, (int)df) : 0.0;
    return p > EVERYDAY_P ? log(p) : tail_log_p(t, df, log_whole);
}

/* Return a guess, off by a few parts in a thousand for small df: Abramowitz and Stegun, 26.7.5. */
static double student_t_guess(double p, double df) {
    double z = gate_normal_z(p), square = z * z;
    double t = z + z * (square + 1.0) / (4.0 * df) + z * ((5.0 * square + 16.0) * square + 3.0) / (96.0 * df * df);
    if (df < 5.0 || square > df)
        t = df > 1.0 ? sqrt(df * expm1(square / (df - 0.5))) : 1.0 / tan(PI * p);
    return isfinite(t) && t > 0.0 ? t : z;
}

/* Solve for t, 0 < p < 0.5: Halley's method; in the far tail a step on log p against log t, which is nearly linear.
 * Halves the bracket if a step leaves it. */
static double student_t_solve(double p, double df) {
    double target = log(p), low = 0.0, high = INFINITY, t = student_t_guess(p, df);
    double log_whole = log_beta(df / 2.0, 0.5);
    for (int i = 0; i < 200; i++) {
        double log_p = log_p_of(t, df, log_whole);
        if (log_p > target)
            low = t;
        else
            high = t;
        /* p / density at t. */
        double reach = exp(log_p + log_whole + 0.5 * log(df) + 0.5 * (df + 1.0) * log1p(t / df * t));
        double step = -expm1(target - log_p) * reach;
        double next = t + step * (1.0 + step * t * (df + 1.0) / (2.0 * (df + t * t)));
        bool is_close = fabs(step) <= CLOSE * t;
        if (!is_close)
            next = fabs(step) <= NEAR * t ? next : t * exp((log_p - target) * reach / t);
        if (!(next > low && next < high))
            next = isinf(high) ? 2.0 * t : low > 0.0 ? sqrt(low) * sqrt(high) : high / 2.0;
        else if (is_close)
            return next;
        if (fabs(next - t) <= 1e-13 * t)
            return next;
        t = next;
    }
    return t;
}

double gate_student_t(double p, double df) {
    GATE_ASSERT(p > 0.0 && p < 1.0 && df > 0.0);
    if (isinf(df))
        return gate_normal_z(p);
    if (p == 0.5)
        return 0.0;
    return p > 0.5 ? -student_t_solve(1.0 - p, df) : student_t_solve(p, df);
}
