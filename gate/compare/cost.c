/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of cost per unit of work (see cost.h). Formulas: docs/statistics.md, "Cost per unit of work". */
#include "gate/compare/cost.h"

#include "gate/compare/effective.h"

#include <math.h>

/* A binomial of this many times the trials at the same count is Poisson to 1e-4 of its variance. */
static const double DILUTION = 1e4;
/* One pair: 10 % from run to run. Cost per request drifts with the host: 8.4 % between runs that were far apart. */
static const double ASSUMED_RELATIVE_VARIANCE = 0.01;
static const double PRIOR_DF = 4.0;

static double run_part(const struct gate_side *side, uint32_t r, bool is_per_second) {
    if (!is_per_second || side->duration_ns <= 0)
        return 1.0 / side->run_count;
    return (double)side->runs[r].input.profile->duration_ns / (double)side->duration_ns;
}

static double run_value(const struct gate_pair *pair, const struct gate_delta_list *deltas, uint32_t item,
                        enum gate_measure measure, int side, uint32_t r) {
    if (deltas == NULL)
        return (double)pair->sides[side].runs[r].total;
    return (double)gate_tally_at(deltas, measure, gate_first_run(pair, (enum gate_side_name)side) + r, item)->value;
}

/* Poisson count of a side: value^2 / sum of squared weights. False where events cannot be counted. */
static bool cost_sums(struct gate_effective *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                      uint32_t item, enum gate_measure measure, int side) {
    const struct gate_side *from = &pair->sides[side];
    bool counted = from->total > 0;
    *out = (struct gate_effective){.total = (double)from->total};
    for (uint32_t r = 0; r < from->run_count; r++) {
        double total_sq = gate_run_weight_sq(&from->runs[r]);
        out->total_sq += total_sq;
        out->value += run_value(pair, deltas, item, measure, side, r);
        out->item_sq +=
            deltas == NULL
                ? total_sq
                : gate_tally_at(deltas, measure, gate_first_run(pair, (enum gate_side_name)side) + r, item)->weight_sq;
        counted = counted && from->runs[r].counts.kind != GATE_COUNTS_UNKNOWN;
    }
    out->n = out->item_sq > 0.0 ? out->value * out->value / out->item_sq : 0.0; /* the count, here */
    return counted && out->total_sq > 0.0;
}

static void cost_residuals(struct gate_dispersion *out, const struct gate_pair *pair,
                           const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure, int side,
                           const struct gate_effective *sums, bool is_per_second) {
    const struct gate_side *from = &pair->sides[side];
    if (from->run_count < 2 || !(sums->value > 0.0) || !(sums->item_sq > 0.0))
        return;
    double event = sums->item_sq / sums->value;
    for (uint32_t r = 0; r < from->run_count; r++) {
        double expected = sums->value * run_part(from, r, is_per_second);
        double residual = run_value(pair, deltas, item, measure, side, r) - expected;
        if (expected > 0.0)
            out->chi_square += residual * residual / (expected * event);
    }
    out->df += from->run_count - 1;
}

/* Variance of a run's whole cost beyond sampling, relative to its square. */
static double relative_variance(const struct gate_pair *pair, bool is_per_second) {
    struct gate_dispersion within = {0};
    double count = 0.0, runs = 0.0;
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_effective sums;
        if (!cost_sums(&sums, pair, NULL, 0, GATE_SELF, side))
            return 0.0;
        cost_residuals(&within, pair, NULL, 0, GATE_SELF, side, &sums, is_per_second);
        count += sums.n;
        runs += pair->sides[side].run_count;
    }
    if (!(within.df > 0.0) || !(count > 0.0))
        return 0.0;
    double excess = within.chi_square / within.df - 1.0;
    return excess > 0.0 ? excess * runs / count : 0.0;
}

static void cost_variation(struct gate_evidence *out, const struct gate_pair *pair,
                           const struct gate_delta_list *deltas, const struct gate_dispersion *within,
                           bool is_per_second) {
    struct gate_counts2 *c = &out->counts;
    double runs = (double)pair->sides[GATE_BASELINE].run_count + pair->sides[GATE_CANARY].run_count;
    if (!(within->df > 0.0)) {
        double f1 = 1.0 / (1.0 + ASSUMED_RELATIVE_VARIANCE * c->k1),
               f2 = 1.0 / (1.0 + ASSUMED_RELATIVE_VARIANCE * c->k2);
        *c = (struct gate_counts2){c->k1 * f1, c->n1 * f1, c->k2 * f2, c->n2 * f2};
        out->variation = GATE_VARIATION_ASSUMED;
        out->is_wide = true;
        out->rho = ASSUMED_RELATIVE_VARIANCE;
        return;
    }
    out->variation = GATE_VARIATION_REPLICATES;
    out->sigma = NAN;
    /* A frame leans on the dispersion of the whole; the whole has nothing to lean on. */
    double prior_df = deltas == NULL ? 0.0 : PRIOR_DF;
    double prior_phi = 1.0 + (c->k1 + c->k2) / runs * relative_variance(pair, is_per_second);
    double phi = (prior_df * prior_phi + within->chi_square) / (prior_df + within->df);
    out->phi = phi > 1.0 ? phi : 1.0;
    out->df = prior_df + within->df;
}

struct gate_evidence gate_cost_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                           uint32_t item, enum gate_measure measure,
                                           const struct gate_exposure *exposure) {
    struct gate_evidence out = {.phi = 1.0, .df = INFINITY, .dilution = DILUTION};
    struct gate_effective sums[GATE_SIDES];
    struct gate_dispersion within = {0};
    bool counted = true;
    for (int side = 0; side < GATE_SIDES; side++) {
        counted &= cost_sums(&sums[side], pair, deltas, item, measure, side);
        cost_residuals(&within, pair, deltas, item, measure, side, &sums[side], exposure->is_per_second);
        out.value[side] = (int64_t)sums[side].value;
        if (deltas != NULL)
            out.value[side] = deltas->items[item].value[measure][side];
    }
    double base[GATE_SIDES] = {sums[GATE_BASELINE].total, sums[GATE_BASELINE].total * exposure->ratio};
    double n[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_effective *one = &sums[side];
        out.share[side] = base[side] > 0.0 ? one->value / base[side] : 0.0;
        /* A frame that is absent has the exposure of the whole, in events of the whole. */
        double whole = one->total_sq > 0.0 ? base[side] * one->total / one->total_sq : 0.0;
        n[side] = out.share[side] > 0.0 ? one->n / out.share[side] : whole;
        out.sample_n[side] = counted ? n[side] : 0.0;
    }
    out.delta = out.share[GATE_CANARY] - out.share[GATE_BASELINE];
    if (!counted || !(n[GATE_BASELINE] > 0.0) || !(n[GATE_CANARY] > 0.0))
        return out;
    out.counts = (struct gate_counts2){sums[GATE_BASELINE].n, DILUTION * n[GATE_BASELINE], sums[GATE_CANARY].n,
                                       DILUTION * n[GATE_CANARY]};
    out.is_tested = out.counts.k1 + out.counts.k2 >= GATE_MIN_COUNTS;
    cost_variation(&out, pair, deltas, &within, exposure->is_per_second);
    gate_evidence_judge(&out);
    return out;
}
