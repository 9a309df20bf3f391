/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/evidence.h"

#include "gate/compare/noise.h"
#include "gate/compare/student.h"

#include <math.h>

/* A smaller skewness term has no effect in a double. */
static const double NEGLIGIBLE_SKEW = 1e-12;

/* Absolute precision of a bound. */
static const double PRECISION = 1e-17;

/* The iteration ends if the remaining error is below this fraction of the distance to the nearest end. */
static const double CLOSE = 1e-18;

enum { CUBIC_STEPS = 20 };

/* If the root is closer to an end than this, it is computed to the last bit. */
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

/* Return half of the second derivative of restricted_slope. */
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

/* Return the root to the last bit, by Newton's method, for roots near an end. */
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

double gate_score_z(struct gate_counts2 counts, double b) {
    double n1 = counts.n1, n2 = counts.n2;
    double p1 = gate_score_restricted_p1(counts, b), p2 = clamp(p1 + b, 0.0, 1.0);
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

/* Return gate_score_z of growth > b if the true growth is `effect` and the measured one falls short of it by
 * `deviations` standard errors. */
static double detectable_z(struct gate_counts2 c, double b, double deviations, double effect) {
    double p1 = c.k1 / c.n1, p2 = clamp(p1 + effect, 0.0, 1.0);
    double v1 = p1 * (1.0 - p1) / c.n1, v2 = p2 * (1.0 - p2) / c.n2;
    double short_by = v1 + v2 > 0.0 ? deviations / sqrt(v1 + v2) : 0.0;
    c.k1 = c.n1 * clamp(p1 + short_by * v1, 0.0, 1.0);
    c.k2 = c.n2 * clamp(p2 - short_by * v2, 0.0, 1.0);
    return gate_score_z(c, b);
}

static double missed_at(const struct falling_test *test, double effect) {
    return -detectable_z(test->counts, test->b, test->deviations, effect);
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

/* ---- paired runs ------------------------------------------------------------------------------------------------- */

/* Pairs are used only if they vary by less than this fraction of the sides' variation beyond sampling. */
static const double AGREES_MOST = 0.5;

/* Minimum number of rounds for pairs: two differences give a single number for their variation. */
enum { ROUNDS_LEAST = 3 };

/* Return whether run `r` starts a round. Without round numbers every run does. */
static bool begins_round(const struct gate_side *side, uint32_t r) {
    return r == 0 || side->runs[r].input.round == 0 || side->runs[r].input.round != side->runs[r - 1].input.round;
}

uint32_t gate_paired_rounds(const struct gate_side *side) {
    uint32_t rounds = 0;
    for (uint32_t r = 0; r < side->run_count; r++)
        rounds += begins_round(side, r);
    return rounds;
}

/* Return by how much run `r` moves its side's share: its part of the side times its share's deviation. */
static double moves(const struct gate_pair *pair, const struct gate_delta_list *deltas, uint32_t item,
                    enum gate_measure measure, int side, uint32_t r, const struct gate_effective *sums) {
    const struct gate_tally *tally =
        gate_tally_at(deltas, measure, gate_first_run(pair, (enum gate_side_name)side) + r, item);
    return ((double)tally->value - sums->share * (double)pair->sides[side].runs[r].total) / sums->total;
}

/* Return the sampling variance of a share that the residuals of rounds are expected to have: variance * (1 - sum of (a
 * round's part of the side)^2). */
static double expected_of(const struct gate_side *side, const struct gate_effective *sums) {
    double squares = 0.0, part = 0.0, variance = sums->share * (1.0 - sums->share) / sums->n;
    for (uint32_t r = 0; r < side->run_count; r++) {
        if (begins_round(side, r)) {
            squares += part * part;
            part = 0.0;
        }
        part += (double)side->runs[r].total / sums->total;
    }
    return variance * (1.0 - squares - part * part);
}

bool gate_paired_dispersion(struct gate_dispersion *out, const struct gate_pair *pair,
                            const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                            const struct gate_effective sums[GATE_SIDES]) {
    const struct gate_side *sides = pair->sides;
    double rounds = gate_paired_rounds(&sides[GATE_BASELINE]), expected = 0.0, square = 0.0, off = 0.0;
    *out = (struct gate_dispersion){0};
    for (int side = 0; side < GATE_SIDES; side++) {
        if (!(sums[side].n > 0.0) || !(sums[side].total > 0.0))
            return false;
        expected += expected_of(&sides[side], &sums[side]);
    }
    if (rounds < 2.0 || !(expected > 0.0))
        return false;
    for (uint32_t r = 0; r < sides[GATE_BASELINE].run_count; r++) {
        if (begins_round(&sides[GATE_BASELINE], r)) {
            square += off * off;
            off = 0.0;
        }
        off += moves(pair, deltas, item, measure, GATE_CANARY, r, &sums[GATE_CANARY]) -
               moves(pair, deltas, item, measure, GATE_BASELINE, r, &sums[GATE_BASELINE]);
    }
    square += off * off;
    out->df = rounds - 1.0;
    out->chi_square = out->df * square / expected;
    return true;
}

bool gate_paired_agrees(double slope_of_pairs, double slope_of_sides, uint32_t rounds) {
    return rounds >= ROUNDS_LEAST && slope_of_pairs < AGREES_MOST * slope_of_sides;
}

/* ---- evidence ---------------------------------------------------------------------------------------------------- */

/* From tallies to effective counts, run-to-run variation, z and interval.
 * Formulas: docs/statistics.md, "Effective counts" and "Runs differ more than samples do". */

#define GATE_ASSUMED_RHO_WIDE_MIX 0.01

/* Added to the degrees of freedom of a noise model. */
static const double MODEL_PRIOR_DF = 4.0;

static const double MIN_MEAN_COUNT = 5.0;

/* Upper bound on the error of gate_student_log_p_near. */
static const double NEAR_A_LEVEL = 0.02;

static bool effective_of_both(struct gate_effective sums[GATE_SIDES], const struct gate_pair *pair,
                              const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure) {
    bool counted = gate_effective_of(&sums[GATE_BASELINE], pair, deltas, item, measure, GATE_BASELINE);
    return gate_effective_of(&sums[GATE_CANARY], pair, deltas, item, measure, GATE_CANARY) && counted;
}

/* Compute the dispersion of the runs within their sides, or of the difference from round to round. */
static void disperse_runs(struct gate_dispersion *within, const struct gate_pair *pair,
                          const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                          const struct gate_effective sums[GATE_SIDES], bool is_paired) {
    *within = (struct gate_dispersion){0};
    if (is_paired && gate_paired_dispersion(within, pair, deltas, item, measure, sums))
        return;
    for (int side = 0; side < GATE_SIDES; side++)
        gate_dispersion_add(within, pair, deltas, item, measure, (enum gate_side_name)side, &sums[side]);
}

/*
 * If an item is absent from one side, assume that its events there would weigh as much as on the other side. Heavy
 * events make an absence less certain than the side's own sample size suggests.
 */
static void borrow_weight(struct gate_effective sums[GATE_SIDES]) {
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_effective *other = &sums[1 - side];
        if (sums[side].value > 0.0 || !(other->value > 0.0))
            continue;
        double design = other->n * other->total_sq / (other->total * other->total);
        if (design < 1.0)
            sums[side].n *= design;
    }
}

double gate_evidence_assumed_rho(const struct gate_pair *pair, enum gate_measure measure, bool is_wide) {
    if (gate_pair_is_exact(pair))
        return 0.0; /* the same program with the same input gives the same counts */
    if (pair->mix_key.len != 0)
        return is_wide ? GATE_ASSUMED_RHO_WIDE_MIX
                       : gate_evidence_rho_of_interpreted(pair, GATE_ASSUMED_RHO_MIX, GATE_ASSUMED_RHO_WIDE_MIX);
    if (is_wide)
        return GATE_ASSUMED_RHO_WIDE;
    if (pair->sides[GATE_BASELINE].runs[0].counts.kind == GATE_COUNTS_HEAP)
        return GATE_ASSUMED_RHO_HEAP;
    return gate_evidence_rho_of_interpreted(pair, measure == GATE_CHARGED ? GATE_ASSUMED_RHO_CHARGED : GATE_ASSUMED_RHO,
                                            GATE_ASSUMED_RHO_WIDE);
}

double gate_evidence_rho_of_fail(const struct gate_pair *pair) {
    bool is_clumped = pair->language == GATE_LANGUAGE_PYTHON && pair->mix_key.len == 0 && !gate_pair_is_exact(pair);
    return is_clumped ? GATE_ASSUMED_RHO_PYTHON : 0.0;
}

struct gate_evidence gate_evidence_at_rho(const struct gate_evidence *evidence, double rho) {
    struct gate_evidence out = *evidence;
    double one = (1.0 + out.sample_n[GATE_BASELINE] * out.rho) / (1.0 + out.sample_n[GATE_BASELINE] * rho);
    double two = (1.0 + out.sample_n[GATE_CANARY] * out.rho) / (1.0 + out.sample_n[GATE_CANARY] * rho);
    struct gate_counts2 *c = &out.counts;
    *c = (struct gate_counts2){c->k1 * one, c->n1 * one, c->k2 * two, c->n2 * two};
    out.rho = rho;
    return out;
}

/* Return the measure whose variation is known best among those with the same samples. Equal samples then have equal
 * evidence. */
static enum gate_measure steadiest(const struct gate_delta *delta, enum gate_measure measure) {
    if (delta->set_id[measure] == delta->set_id[GATE_SELF])
        return GATE_SELF;
    return delta->set_id[measure] == delta->set_id[GATE_CHARGED] ? GATE_CHARGED : measure;
}

static bool is_single(const struct gate_pair *pair, const struct gate_delta_list *deltas) {
    return deltas->count == pair->frame_count;
}

bool gate_evidence_is_wide(const struct gate_pair *pair, const struct gate_delta_list *deltas, uint32_t item,
                           enum gate_measure measure) {
    if (deltas->is_own_sum)
        return false;
    if (!is_single(pair, deltas) || pair->frames[item].is_runtime)
        return true;
    switch (steadiest(&deltas->items[item], measure)) {
    case GATE_SELF:
        return false;
    case GATE_CHARGED:
        return !pair->frames[item].is_own;
    default:
        return true;
    }
}

/* The frames from which dispersion priors are estimated, by class, for one measure. */
struct prior_points {
    struct gate_dispersion_point *items[GATE_DISPERSION_CLASSES];
    uint32_t count[GATE_DISPERSION_CLASSES];
};

static void prior_collect(struct prior_points *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                          enum gate_measure measure, bool is_paired) {
    double runs = deltas->run_count;
    memset(out->count, 0, sizeof out->count);
    for (uint32_t item = 0; item < deltas->count; item++) {
        struct gate_effective sums[GATE_SIDES];
        struct gate_dispersion within;
        bool counted = effective_of_both(sums, pair, deltas, item, measure);
        double n = sums[GATE_BASELINE].n + sums[GATE_CANARY].n;
        double k = sums[GATE_BASELINE].n * sums[GATE_BASELINE].share + sums[GATE_CANARY].n * sums[GATE_CANARY].share;
        if (!counted || k < MIN_MEAN_COUNT * runs)
            continue;
        disperse_runs(&within, pair, deltas, item, measure, sums, is_paired);
        if (within.df <= 0.0)
            continue;
        enum gate_dispersion_class class = gate_dispersion_class_of(&pair->frames[item], measure);
        out->items[class][out->count[class]++] =
            (struct gate_dispersion_point){within.chi_square / within.df, k / runs * (1.0 - k / n), within.df};
    }
}

/* Estimate the priors of all measures and classes, from the runs of the sides or from pairs. */
static void prior_learn(struct gate_dispersion_prior out[GATE_MEASURES][GATE_DISPERSION_CLASSES],
                        struct prior_points *points, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        bool is_paired) {
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        prior_collect(points, pair, deltas, (enum gate_measure)measure, is_paired);
        for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++) {
            struct gate_dispersion_prior *prior = &out[measure][class];
            *prior = (struct gate_dispersion_prior){
                .slope = gate_dispersion_slope(points->items[class], points->count[class]),
                .df = points->count[class] > 0 ? gate_dispersion_prior_df((enum gate_dispersion_class) class) : 0.0};
            bool has_two_kinds = class == GATE_DISPERSION_OWN && gate_pair_inlines_at_run_time(pair);
            prior->steady_slope =
                has_two_kinds ? gate_dispersion_median_slope(points->items[class], points->count[class]) : prior->slope;
        }
    }
}

/* Compute the fraction of the runs' variation that remains between pairs. It scales a noise model, which only contains
 * variation between runs. */
static void prior_part(struct gate_evidence_options *options,
                       const struct gate_dispersion_prior sides[GATE_MEASURES][GATE_DISPERSION_CLASSES]) {
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++) {
            double of_sides = sides[measure][class].slope, of_pairs = options->prior[measure][class].slope;
            options->paired_part[measure][class] = of_pairs < of_sides ? of_pairs / of_sides : 1.0;
        }
}

/*
 * Compute the effect of different run sizes on the variation of pooled shares. Residuals describe a run of mean size.
 * In a pooled share, a run weighs by its size, so the share varies as if there were fewer runs. Source:
 * docs/statistics.md, "Replicates".
 */
static struct gate_run_sizes run_sizes_of(const struct gate_pair *pair) {
    struct gate_run_sizes out = {0};
    double sampling = 0.0, shown = 0.0, df = 0.0;
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *from = &pair->sides[side];
        double total = (double)from->total, squares = 0.0, weight_sq = 0.0;
        for (uint32_t r = 0; r < from->run_count; r++) {
            double part = (double)from->runs[r].total / total;
            squares += part * part;
            weight_sq += gate_run_weight_sq(&from->runs[r]);
        }
        if (!(total > 0.0) || !(weight_sq > 0.0))
            return (struct gate_run_sizes){0};
        out.variance += squares;
        sampling += weight_sq / (total * total);
        df += from->run_count - 1.0;
        for (uint32_t r = 0; r < from->run_count; r++)
            shown += from->runs[r].events * (1.0 - 2.0 * (double)from->runs[r].total / total + squares);
    }
    out.uneven = shown > 0.0 ? out.variance / sampling * df / shown : 1.0;
    return out;
}

bool gate_evidence_prior(struct gate_evidence_options *options, const struct gate_pair *pair,
                         const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err) {
    struct prior_points points = {{0}, {0}};
    struct gate_dispersion_prior sides[GATE_MEASURES][GATE_DISPERSION_CLASSES];
    options->is_paired = false;
    options->sizes = (struct gate_run_sizes){0};
    if (deltas->run_count <= GATE_SIDES)
        return true;
    for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++) {
        points.items[class] = GATE_NEW_ARRAY(arena, struct gate_dispersion_point, deltas->count);
        if (points.items[class] == NULL)
            return gate_arena_error(arena, err);
    }
    prior_learn(sides, &points, pair, deltas, false);
    memcpy(options->prior, sides, sizeof sides);
    options->sizes = run_sizes_of(pair);
    if (!pair->is_interleaved)
        return true;
    prior_learn(options->prior, &points, pair, deltas, true);
    options->is_paired = gate_paired_agrees(options->prior[GATE_CHARGED][GATE_DISPERSION_OWN].slope,
                                            sides[GATE_CHARGED][GATE_DISPERSION_OWN].slope,
                                            gate_paired_rounds(&pair->sides[GATE_BASELINE]));
    if (options->is_paired) {
        options->sizes = (struct gate_run_sizes){0}; /* rounds are weighted by their size */
        prior_part(options, sides);
    } else {
        memcpy(options->prior, sides, sizeof sides);
    }
    return true;
}

/* Return the prior of a class. For a group, and if nothing is known, the more cautious class counts. */
static struct gate_dispersion_prior prior_of(const struct gate_evidence_options *options, enum gate_measure measure,
                                             enum gate_dispersion_class class, bool is_group) {
    struct gate_dispersion_prior prior = options->prior[measure][class];
    const struct gate_dispersion_prior *own = &options->prior[measure][GATE_DISPERSION_OWN];
    if (is_group && own->slope > prior.slope)
        prior.slope = prior.steady_slope = own->slope;
    prior.df = prior.df > 0.0 ? prior.df : gate_dispersion_prior_df(GATE_DISPERSION_RUNTIME);
    return prior;
}

static double pooled_share(const struct gate_counts2 *counts) {
    return (counts->k1 + counts->k2) / (counts->n1 + counts->n2);
}

/* Reduce the counts so that their binomial variance includes sigma^2 per run. Student's degrees of freedom follow from
 * the fraction of the variance that the model contributes. */
static void add_run_variance(struct gate_evidence *out, const struct gate_pair *pair, double sigma_sq,
                             double model_df) {
    struct gate_counts2 *c = &out->counts;
    double p = (c->k1 + c->k2) / (c->n1 + c->n2);
    double pq = p * (1.0 - p);
    double r1 = pair->sides[GATE_BASELINE].run_count, r2 = pair->sides[GATE_CANARY].run_count;
    if (!(pq > 0.0) || !(sigma_sq > 0.0))
        return;
    out->sigma = (float)sqrt(sigma_sq);
    double sampling = pq * (1.0 / c->n1 + 1.0 / c->n2);
    double between = sigma_sq * (1.0 / r1 + 1.0 / r2);
    double f1 = 1.0 / (1.0 + c->n1 / r1 * sigma_sq / pq);
    double f2 = 1.0 / (1.0 + c->n2 / r2 * sigma_sq / pq);
    *c = (struct gate_counts2){c->k1 * f1, c->n1 * f1, c->k2 * f2, c->n2 * f2};
    if (model_df > 0.0) {
        double ratio = (sampling + between) / between;
        out->df = model_df * ratio * ratio;
    }
}

static void add_dispersion(struct gate_evidence *out, const struct gate_dispersion *within, double prior_phi,
                           double prior_df) {
    double df = prior_df + within->df;
    double phi = (prior_df * prior_phi + within->chi_square) / df;
    out->phi = phi > 1.0 ? phi : 1.0;
    out->df = df;
}

void gate_evidence_add_common(struct gate_evidence *out, double phi, uint32_t build_count) {
    if (!(phi > 0.0))
        return;
    out->phi_common = (float)phi;
    const double sum = out->phi + phi;
    out->df = sum * sum / (out->phi * out->phi / out->df + phi * phi / (build_count - 1.0));
    out->phi = sum;
}

/* Add the run-to-run variation. `sigma_sq`: variance of one run's share, from the model or assumed. */
static void add_variation(struct gate_evidence *out, const struct gate_pair *pair, const struct gate_dispersion *within,
                          const struct gate_dispersion_prior *prior, const struct gate_evidence_options *options,
                          double sigma_sq, enum gate_measure measure) {
    const struct gate_noise *noise = options->noise;
    struct gate_counts2 c = out->counts;
    double runs = (double)pair->sides[GATE_BASELINE].run_count + pair->sides[GATE_CANARY].run_count;
    double p = pooled_share(&c), pq = p * (1.0 - p);
    double model_df = noise == NULL ? 0.0 : noise->run_count - 1.0;
    if (runs <= GATE_SIDES) {
        out->variation = noise == NULL ? GATE_VARIATION_ASSUMED : GATE_VARIATION_MODEL;
        add_run_variance(out, pair, sigma_sq, model_df);
        return;
    }
    double uneven = options->sizes.uneven > 0.0 ? options->sizes.uneven : 1.0;
    const struct gate_dispersion pooled = {within->df + uneven * (within->chi_square - within->df), within->df};
    if (noise == NULL) {
        out->variation = GATE_VARIATION_REPLICATES;
        out->sigma = NAN;
        double weight = (c.k1 + c.k2) / runs * (1.0 - p);
        const struct gate_dispersion_point point = {within->chi_square / within->df, weight, within->df};
        bool is_steady = gate_dispersion_is_steady(&point, prior->steady_slope);
        double slope = is_steady ? fmin(prior->steady_slope, prior->slope) : prior->slope;
        add_dispersion(out, &pooled, 1.0 + uneven * slope * weight, prior->df);
        return;
    }
    /* phi of the difference: run-to-run variance over sampling variance. Not from the counts of each side, because many
     * light events on one side carry no information about the other. */
    double equal = 1.0 / pair->sides[GATE_BASELINE].run_count + 1.0 / pair->sides[GATE_CANARY].run_count;
    double of_run = pq > 0.0 ? sigma_sq / (pq * (1.0 / c.n1 + 1.0 / c.n2)) : 0.0;
    double common = options->is_paired ? 0.0 : noise->common[measure];
    double between = (1.0 - common) * of_run * (options->sizes.variance > 0.0 ? options->sizes.variance : equal);
    out->variation = GATE_VARIATION_BOTH;
    out->sigma = (float)sqrt(sigma_sq);
    add_dispersion(out, &pooled, 1.0 + between, model_df + MODEL_PRIOR_DF);
    gate_evidence_add_common(out, common * of_run * GATE_SIDES, noise->build_count);
}

struct gate_evidence gate_evidence_count(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                         uint32_t frame, enum gate_measure measure, struct gate_str name,
                                         const struct gate_evidence_options *options) {
    struct gate_evidence out = {.dilution = 1.0, .phi = 1.0, .df = INFINITY};
    struct gate_effective sums[GATE_SIDES];
    bool counted = effective_of_both(sums, pair, deltas, frame, measure);
    struct gate_dispersion within = {0};
    if (counted) {
        disperse_runs(&within, pair, deltas, frame, measure, sums, options->is_paired);
        borrow_weight(sums);
    }
    double k2 = sums[GATE_CANARY].n * sums[GATE_CANARY].share;
    if (options->work_ratio > 0.0) {
        /* Own cost: the canary's value over the baseline's total times the work ratio; its event count stays. */
        double base = options->work_ratio * sums[GATE_BASELINE].total;
        double share = base > 0.0 ? sums[GATE_CANARY].value / base : 0.0;
        sums[GATE_CANARY].share = share;
        sums[GATE_CANARY].n = share > 0.0 ? k2 / share : options->work_ratio * sums[GATE_BASELINE].n;
        sums[GATE_CANARY].n = sums[GATE_CANARY].n > k2 ? sums[GATE_CANARY].n : k2;
    }
    for (int side = 0; side < GATE_SIDES; side++) {
        out.value[side] = deltas->items[frame].value[measure][side];
        out.share[side] = sums[side].share;
        out.sample_n[side] = counted ? sums[side].n : 0.0;
    }
    out.delta = out.share[GATE_CANARY] - out.share[GATE_BASELINE];
    if (!counted)
        return out;
    double k1 = sums[GATE_BASELINE].n * sums[GATE_BASELINE].share;
    out.counts = (struct gate_counts2){k1, sums[GATE_BASELINE].n, k2, sums[GATE_CANARY].n};
    out.is_tested = k1 + k2 >= GATE_MIN_COUNTS;
    out.is_wide = gate_evidence_is_wide(pair, deltas, frame, measure);
    measure = steadiest(&deltas->items[frame], measure);
    double p = pooled_share(&out.counts), rho = gate_evidence_assumed_rho(pair, measure, out.is_wide);
    bool single = is_single(pair, deltas);
    enum gate_dispersion_class class = deltas->is_own_sum ? GATE_DISPERSION_OWN
                                       : single           ? gate_dispersion_class_of(&pair->frames[frame], measure)
                                                          : GATE_DISPERSION_RUNTIME;
    struct gate_dispersion_prior prior = prior_of(options, measure, class, !single && !deltas->is_own_sum);
    double sigma_sq =
        options->noise == NULL ? rho * p * (1.0 - p) : gate_noise_variance(options->noise, name, measure, p, class);
    if (options->is_paired)
        sigma_sq *= options->paired_part[measure][class];
    out.is_paired = options->is_paired;
    add_variation(&out, pair, &within, &prior, options, sigma_sq, measure);
    if (out.variation == GATE_VARIATION_ASSUMED)
        out.rho = rho;
    return out;
}

struct gate_evidence gate_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                      uint32_t frame, enum gate_measure measure, struct gate_str name,
                                      const struct gate_evidence_options *options) {
    struct gate_evidence out = gate_evidence_count(pair, deltas, frame, measure, name, options);
    if (gate_evidence_is_judgeable(&out))
        gate_evidence_judge(&out);
    return out;
}

/* Convert z of the counts alone to z of this evidence. */
static double disperse(const struct gate_evidence *evidence, double z, double *log_p) {
    double t = z / sqrt(evidence->phi);
    *log_p = gate_student_log_p(t, evidence->df);
    return t;
}

double gate_evidence_log_p(const struct gate_evidence *evidence, double z) {
    double log_p = z > 0.0 ? -INFINITY : 0.0;
    if (!isinf(z))
        (void)disperse(evidence, z, &log_p);
    return log_p;
}

double gate_evidence_log_p_among(const struct gate_evidence *evidence, double z, const double *log_levels,
                                 size_t count) {
    double near =
        isinf(z) || isinf(evidence->df) ? NAN : gate_student_log_p_near(z / sqrt(evidence->phi), evidence->df);
    bool is_far = !isnan(near);
    for (size_t i = 0; i < count; i++)
        is_far = is_far && fabs(near - log_levels[i]) > NEAR_A_LEVEL;
    return is_far ? near : gate_evidence_log_p(evidence, z);
}

bool gate_evidence_is_unlikely(const struct gate_evidence *evidence, double z, double log_level) {
    return gate_evidence_log_p_among(evidence, z, &log_level, 1) <= log_level;
}

double gate_evidence_critical_z(const struct gate_evidence *evidence, double level) {
    return sqrt(evidence->phi) * gate_student_t(level, evidence->df);
}

void gate_evidence_judge(struct gate_evidence *evidence) {
    if (evidence->is_tested)
        evidence->z = gate_evidence_increase(evidence, 0.0, &evidence->log_p);
}

double gate_evidence_two_sided(const struct gate_evidence *evidence) {
    return evidence->is_tested ? fmin(gate_student_log_p(fabs(evidence->z), evidence->df) + log(2.0), 0.0) : 0.0;
}

struct gate_interval gate_evidence_ci95(const struct gate_evidence *evidence) {
    struct gate_interval interval = {{-1.0, 1.0}};
    if (!gate_evidence_is_judgeable(evidence))
        return interval;
    double z = gate_evidence_critical_z(evidence, 0.025);
    for (int end = 0; end < 2; end++)
        interval.bounds[end] = gate_score_bound(evidence->counts, end == 0 ? z : -z) * evidence->dilution;
    return interval;
}

bool gate_evidence_is_alike(const struct gate_evidence *a, const struct gate_evidence *b) {
    return a->counts.k1 == b->counts.k1 && a->counts.n1 == b->counts.n1 && a->counts.k2 == b->counts.k2 &&
           a->counts.n2 == b->counts.n2 && a->phi == b->phi && a->df == b->df && a->dilution == b->dilution &&
           a->is_tested == b->is_tested;
}

double gate_evidence_increase(const struct gate_evidence *evidence, double b, double *log_p) {
    return disperse(evidence, gate_score_z(evidence->counts, b / evidence->dilution), log_p);
}

double gate_evidence_ratio(const struct gate_evidence *evidence, double r, double *log_p) {
    return disperse(evidence, gate_ratio_z(evidence->counts, r), log_p);
}

double gate_evidence_upper(const struct gate_evidence *evidence, double level) {
    if (!gate_evidence_is_counted(evidence))
        return 1.0;
    return evidence->dilution * gate_score_bound(evidence->counts, -gate_evidence_critical_z(evidence, level));
}

double gate_evidence_lower(const struct gate_evidence *evidence, double level) {
    if (!gate_evidence_is_counted(evidence))
        return -1.0;
    return evidence->dilution * gate_score_bound(evidence->counts, gate_evidence_critical_z(evidence, level));
}

double gate_evidence_ratio_upper(const struct gate_evidence *evidence, double level) {
    if (!gate_evidence_is_counted(evidence) || !(evidence->counts.k1 > 0.0))
        return INFINITY;
    return gate_ratio_bound(evidence->counts, -gate_evidence_critical_z(evidence, level));
}

double gate_evidence_share_upper(const struct gate_evidence *evidence, double level) {
    if (!gate_evidence_is_counted(evidence))
        return 1.0;
    return evidence->dilution *
           gate_one_sample_bound(evidence->counts.k2, evidence->counts.n2, -gate_evidence_critical_z(evidence, level));
}

/* ---- the smallest growth that would be found --------------------------------------------------------------------- */

/* The test of growth > b at some level. It must detect growth with 80% power. */
struct detection {
    struct gate_counts2 counts;
    double b, z, deviations;
};

/* With few degrees of freedom the estimated variance is uncertain too; this uses Johnson & Welch's approximation of the
 * non-central t. */
static struct detection detection_of(const struct gate_evidence *evidence, double b, double level) {
    const double z_power = 0.8416212335729143;
    /* Dividing the counts by phi multiplies every standard error by sqrt(phi). */
    struct gate_counts2 c = evidence->counts;
    c = (struct gate_counts2){c.k1 / evidence->phi, c.n1 / evidence->phi, c.k2 / evidence->phi, c.n2 / evidence->phi};
    double t = gate_student_t(level, evidence->df);
    return (struct detection){c, b / evidence->dilution, t * (1.0 - 0.25 / evidence->df),
                              z_power * sqrt(1.0 + t * t / (2.0 * evidence->df))};
}

static double detectable_at(const struct gate_evidence *evidence, double b, double level) {
    struct detection test = detection_of(evidence, b, level);
    return gate_detectable_effect(test.counts, test.b, test.z, test.deviations);
}

/* Return whether a growth of `growth` would be detected. Evaluates the test at most once. */
static bool is_detectable(const struct gate_evidence *evidence, double b, double level, double growth) {
    struct detection test = detection_of(evidence, b, level);
    double effect = growth / evidence->dilution, p1 = test.counts.k1 / test.counts.n1;
    if (effect >= 1.0 - p1 || effect <= fmax(test.b, -p1))
        return effect >= 1.0 - p1;
    return detectable_z(test.counts, test.b, test.deviations, effect) >= test.z;
}

double gate_detectable_growth(const struct gate_evidence *evidence, double b, double level, double level_margin) {
    if (!gate_evidence_is_counted(evidence))
        return INFINITY;
    /* Growth must pass both tests. They are strongly dependent, so the larger requirement decides. */
    double growth = detectable_at(evidence, b < 0.0 ? b : 0.0, level);
    return evidence->dilution * fmax(growth, detectable_at(evidence, b, level_margin));
}

bool gate_detectable_is_within(const struct gate_evidence *evidence, double b, double level, double level_margin,
                               double growth) {
    return gate_evidence_is_counted(evidence) && is_detectable(evidence, b < 0.0 ? b : 0.0, level, growth) &&
           is_detectable(evidence, b, level_margin, growth);
}
