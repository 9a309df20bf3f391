/* SPDX-License-Identifier: Apache-2.0 */
/* Error spending over several looks at growing data (Lan and DeMets). */
#include "gate/compare/error_spending.h"

#include "gate/base/error.h"
#include "gate/compare/student.h"

#include <float.h>
#include <math.h>

/* ---- spending functions ------------------------------------------------------------------------------------------ */

/* B is a Brownian motion, B(t) = z sqrt(t), with a boundary b at each look. Its density underflows far in the tails, so
 * each look passes on `kept` instead: the probability that no earlier look was over its boundary, given the current B.
 * Given B at this look, B at the previous look is normal around its fraction of the time. */

static const double LOG_SQRT_2PI = 0.91893853320467274178;

static const double POWER = 3.0;

/* The nodes are evenly spaced in log(z + OFFSET), where z belongs to a total level. Levels above 1/2 are all treated as
 * 1/2. Beyond the last node, at level 1e-300, the loss stays constant. */
static const double OFFSET = 0.5, MOST = 37.0;

static const double LOG_HALF = -0.69314718055994530942;

/* Number of standard deviations beyond which a normal density counts as 0. */
static const double FAR = 8.5;

/* Width of a panel, in standard deviations of the integrand. */
static const double PANEL = 2.0;

/* Minimum difference of information between two looks. */
static const double LEAST_STEP = 1e-3;

enum { GAUSS = 8, PANELS_MAX = 400, STEPS_MAX = 60 };

static const double gauss_at[GAUSS / 2] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                           0.96028985649753623};

static const double gauss_weight[GAUSS / 2] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                               0.10122853629037626};

double gate_spending_spent(double log_total, double t) {
    return log_total + POWER * log(t);
}

/* Integration points below the boundary of a look, with `kept` at each. */
struct points {
    double x[GAUSS * PANELS_MAX], weight[GAUSS * PANELS_MAX], kept[GAUSS * PANELS_MAX];
    uint32_t count;
    double low, t; /* below `low`, `kept` is 1 */
};

/* Place Gauss-Legendre points from `low` to `high`. */
static void points_place(struct points *points, double low, double high, double width) {
    double wanted = ceil((high - low) / width);
    uint32_t panels = wanted < 1.0 ? 1 : wanted < PANELS_MAX ? (uint32_t)wanted : PANELS_MAX;
    double half = (high - low) / panels / 2.0;
    points->low = low;
    points->count = panels * GAUSS;
    for (uint32_t i = 0; i < points->count; i++) {
        uint32_t at = i % GAUSS, panel = i / GAUSS;
        uint32_t node = at < GAUSS / 2 ? GAUSS / 2 - 1 - at : at - GAUSS / 2;
        double middle = low + half * (2.0 * panel + 1.0);
        points->x[i] = middle + (at < GAUSS / 2 ? -half : half) * gauss_at[node];
        points->weight[i] = half * gauss_weight[node];
    }
}

/* Return the probability that no look up to `before` was over its boundary, given B = y at time `t`. */
static double kept_given(const struct points *before, double y, double t) {
    double mean = y * before->t / t, deviation = sqrt(before->t * (t - before->t) / t);
    double sum = gate_normal_p((mean - before->low) / deviation), front = 1.0 / (deviation * exp(LOG_SQRT_2PI));
    for (uint32_t i = 0; i < before->count; i++) {
        double off = (before->x[i] - mean) / deviation;
        if (fabs(off) < FAR)
            sum += before->weight[i] * before->kept[i] * front * exp(-0.5 * off * off);
    }
    return sum;
}

/* Return log P(over z now and not before), and its derivative by z. */
static double log_first(double *slope, const struct points *before, double z, double t) {
    double b = z * sqrt(t), step = sqrt(t - before->t), sum = 0.0, density = 0.0;
    double log_tail = gate_normal_log_p(z), log_front = -LOG_SQRT_2PI - 0.5 * log(before->t) - log_tail;
    for (uint32_t i = 0; i < before->count; i++) {
        double x = before->x[i], off = (b - x) / step, log_over = gate_normal_log_p(off);
        double front = before->weight[i] * before->kept[i] * exp(log_front - 0.5 * x * x / before->t + log_over);
        sum += front;
        density += front * exp(-0.5 * off * off - LOG_SQRT_2PI - log_over);
    }
    sum = fmax(sum, DBL_MIN); /* avoid log(0) */
    *slope = -density / sum * sqrt(t) / step;
    return log_tail + log(sum);
}

/* Return z of the boundary at time `t` that spends exp(log_step) in this look and exp(log_spent) in total. It lies
 * between the critical z values of these two levels. */
static double boundary(const struct points *before, double t, double log_step, double log_spent) {
    double low = gate_normal_log_z(log_spent), high = gate_normal_log_z(log_step), z = high;
    for (int i = 0; i < STEPS_MAX && high - low > 1e-12; i++) {
        double slope = 0.0, off = log_first(&slope, before, z, t) - log_step;
        if (off > 0.0)
            low = z;
        else
            high = z;
        double next = z - off / slope;
        if (fabs(next - z) < 1e-11)
            return next;
        z = next > low && next < high ? next : 0.5 * (low + high);
    }
    return z;
}

/* Return how far below the boundary the points must reach so that the look at `next` can be computed from them. */
static double lowest(const double *bounds, const double *t, uint32_t at, double next) {
    double b = bounds[at], now = t[at];
    double deviation = sqrt(now * (next - now) / next);
    double low = b * now / next - 0.2 * fabs(b) - FAR * deviation;
    for (uint32_t i = 0; i < at; i++) /* far enough that no earlier look was over its boundary */
        low = fmin(low, (bounds[i] - FAR * sqrt(t[i] * (now - t[i]) / now)) * now / t[i]);
    return fmax(low, -FAR * sqrt(now));
}

static double node_step(void) {
    return log((MOST + OFFSET) / OFFSET) / (GATE_SPENDING_NODES - 1);
}

static double node_z(uint32_t node) {
    return OFFSET * expm1(node * node_step());
}

/* Return log(level spent up to the last look / p value at that look's boundary), for the total level whose z is `u`. */
static double loss_at(double u, const double *t, uint32_t count) {
    struct points sets[2];
    double bounds[GATE_SPENDING_LOOKS_MAX], log_total = gate_normal_log_p(u), log_nominal;
    double log_before = -INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        struct points *before = &sets[(k + 1) % 2], *now = &sets[k % 2];
        double log_spent = gate_spending_spent(log_total, t[k]);
        double log_step = log_spent + log1p(-exp(log_before - log_spent));
        double z = k == 0 ? gate_normal_log_z(log_spent) : boundary(before, t[k], log_step, log_spent);
        log_before = log_spent;
        log_nominal = gate_normal_log_p(z);
        if (k + 1 == count)
            return log_spent - log_nominal;
        bounds[k] = z * sqrt(t[k]);
        double width = sqrt(t[k] * (t[k + 1] - t[k]) / t[k + 1]);
        if (k > 0)
            width = fmin(width, sqrt((t[k] - t[k - 1]) * t[k] / t[k - 1]));
        now->t = t[k];
        points_place(now, lowest(bounds, t, k, t[k + 1]), bounds[k], PANEL * width);
        for (uint32_t i = 0; i < now->count; i++)
            now->kept[i] = k == 0 ? 1.0 : kept_given(before, now->x[i], t[k]);
    }
    return 0.0;
}

static bool check(const double *t, uint32_t count, struct gate_error *err) {
    if (count > GATE_SPENDING_LOOKS_MAX)
        return gate_error_set(err, GATE_ERR_LIMIT, "%u looks, and there can be %u: look less often", (unsigned)count,
                              GATE_SPENDING_LOOKS_MAX);
    for (uint32_t i = 0; i < count; i++)
        if (!(t[i] >= (i == 0 ? 0.0 : t[i - 1]) + LEAST_STEP) || !(t[i] <= 1.0))
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "look %u has %g of the information there can be: expected %g more than the look "
                                  "before, and at most 1",
                                  (unsigned)i + 1, t[i], LEAST_STEP);
    return true;
}

bool gate_spending_begin(struct gate_spending *out, const double *t, uint32_t count, struct gate_error *err) {
    *out = (struct gate_spending){0};
    if (!check(t, count, err))
        return false;
    if (count == 0 || (count == 1 && t[0] >= 1.0))
        return true;
    out->t = t[count - 1];
    for (uint32_t i = 0; count > 1 && i < GATE_SPENDING_NODES; i++)
        out->loss[i] = loss_at(node_z(i), t, count);
    return true;
}

/** Like gate_spending_begin, for a look that shares no samples with earlier looks: its nominal level is the level that
 * it spends since the last look. */
static void spending_begin_alone(struct gate_spending *spending, const double *t, uint32_t count) {
    for (uint32_t i = 0; count > 1 && i < GATE_SPENDING_NODES; i++)
        spending->loss[i] = -log1p(-pow(t[count - 2] / t[count - 1], POWER));
}

/* Return the loss at a total level, by cubic interpolation through the four nearest nodes. */
static double loss_of(const struct gate_spending *spending, double log_total) {
    double z = gate_normal_log_z(log_total);
    double at = z > 0.0 ? (log(z + OFFSET) - log(OFFSET)) / node_step() : 0.0;
    at = fmin(at, GATE_SPENDING_NODES - 1);
    int first = (int)at - 1;
    first = first < 0 ? 0 : first > GATE_SPENDING_NODES - 4 ? GATE_SPENDING_NODES - 4 : first;
    const double *f = &spending->loss[first];
    double x = at - first;
    return -f[0] * (x - 1.0) * (x - 2.0) * (x - 3.0) / 6.0 + f[1] * x * (x - 2.0) * (x - 3.0) / 2.0 -
           f[2] * x * (x - 1.0) * (x - 3.0) / 2.0 + f[3] * x * (x - 1.0) * (x - 2.0) / 6.0;
}

double gate_spending_nominal(const struct gate_spending *spending, double log_total) {
    if (!(spending->t > 0.0) || isinf(log_total))
        return log_total;
    return gate_spending_spent(log_total, spending->t) - loss_of(spending, log_total);
}

double gate_spending_total(const struct gate_spending *spending, double log_p) {
    if (!(spending->t > 0.0) || isinf(log_p) || log_p >= 0.0)
        return log_p;
    double low = log_p, high = LOG_HALF; /* the nominal level never exceeds what is spent so far */
    if (low >= high || gate_spending_nominal(spending, high) <= log_p)
        return 0.0;
    double total = log_p - POWER * log(spending->t);
    for (int i = 0; i < STEPS_MAX && high - low > 1e-13 * -low; i++) {
        total = total > low && total < high ? total : 0.5 * (low + high);
        double off = gate_spending_nominal(spending, total) - log_p;
        *(off < 0.0 ? &low : &high) = total;
        /* The loss changes slowly, so this step converges fast. */
        total = i % 4 == 3 ? 0.5 * (low + high) : total - off;
    }
    return high;
}

/* ---- levels of the current look ---------------------------------------------------------------------------------- */

/* Smallest level that the tests can handle. */
static const double LEAST_LEVEL = 1e-300;

/* Maximum probability that the last look fails after an early pass. */
static const double TURNED = 0.01;

static bool is_only(const struct gate_looks_now *now) {
    return !(now->spending.t > 0.0);
}

double gate_looks_level(const struct gate_looks_now *now, double level) {
    return is_only(now) ? level : fmax(exp(gate_spending_nominal(&now->spending, log(level))), LEAST_LEVEL);
}

double gate_looks_spent(const struct gate_looks_now *now, double level) {
    return is_only(now) ? level : exp(gate_spending_spent(log(level), now->spending.t));
}

/* Return the turn of struct gate_looks_now. Without a prior for the true growth, B(1) given B(t) = z sqrt(t) is normal
 * around B(t) / t, with variance (1 - t) / t. */
static double turn_of(double t, double alpha_margin) {
    if (!(t > 0.0) || t >= 1.0)
        return 0.0;
    return gate_normal_p(sqrt(t) * gate_normal_z(alpha_margin) - sqrt(1.0 - t) * gate_normal_z(TURNED));
}

bool gate_looks_begin(struct gate_looks_now *out, const struct gate_looks *looks, double alpha_margin,
                      struct gate_error *err) {
    if (!gate_spending_begin(&out->spending, looks->fractions, looks->count, err))
        return false;
    if (looks->is_alone)
        spending_begin_alone(&out->spending, looks->fractions, looks->count);
    out->margin = gate_looks_level(out, alpha_margin);
    out->proof = gate_looks_level(out, GATE_LOOKS_PROOF);
    out->turn = turn_of(out->spending.t, alpha_margin);
    return true;
}
