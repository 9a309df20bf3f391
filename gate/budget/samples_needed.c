/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates more, or longer, runs: how many would decide an open hypothesis. */
#include "gate/budget/samples_needed.h"

#include "gate/compare/evidence.h"

#include <math.h>

/* Maximum factor on the runs. */
static const double MOST = 1e4;

static const double PRECISION = 1.02;

/* Degrees of freedom of the dispersion prior with replicates (compare/noise.h, compare/cost.c). */
static const double DF_PRIOR = 20.0;

static const double DF_PRIOR_WIDE = 4.0;

/* The variation assumed for one pair is cautious. For the classes of functions with a wide assumption, replicates
 * typically show a quarter of it. */
static const double WIDE_SHOWN = 0.25;

/* Quantiles of a normal distribution, which represent all repetitions. The first two lie beyond the 10% and 90%
 * quantiles: nine in ten repetitions are decided if all others and at least one of these two are. */
enum { TAILS = 2, REPETITIONS = 11 };

static const double quantiles[REPETITIONS] = {-1.6448536, 1.6448536, -1.2815516, 1.2815516, -0.8416212, 0.8416212,
                                              -0.5244005, 0.5244005, -0.2533471, 0.2533471, 0.0};

bool gate_samples_needed_is_open(const struct gate_hypothesis *hypothesis) {
    return gate_reason_row(hypothesis->reason)->needs_samples && gate_evidence_is_counted(hypothesis->evidence);
}

bool gate_samples_needed_applies(const struct gate_hypothesis *hypothesis) {
    return !hypothesis->is_bystander || hypothesis->outcome >= GATE_OUTCOME_WARN;
}

size_t gate_samples_needed_limit(const struct gate_hypothesis *hypotheses, size_t count, size_t *left) {
    size_t i = 0;
    for (; i < count; i++) {
        if (!gate_samples_needed_applies(&hypotheses[i]) || !gate_samples_needed_is_open(&hypotheses[i]))
            continue;
        if (*left == 0)
            break;
        --*left;
    }
    return i;
}

static void counts_times(struct gate_evidence *e, double one, double two) {
    e->counts = (struct gate_counts2){e->counts.k1 * one, e->counts.n1 * one, e->counts.k2 * two, e->counts.n2 * two};
}

/* Return the factor on one side's counts if only a part of the assumed run-to-run variation is real. */
static double counts_gain(double n, double sampled) {
    return sampled > n ? sampled / (n + WIDE_SHOWN * (sampled - n)) : 1.0;
}

/* Return the evidence with `factor` times the runs. Replicates then measure the variation that was assumed. */
static struct gate_evidence more_runs(const struct gate_evidence *now, double factor, double runs) {
    struct gate_evidence more = *now;
    if (now->variation == GATE_VARIATION_ASSUMED) {
        more.variation = GATE_VARIATION_REPLICATES;
        more.df = (now->is_wide ? DF_PRIOR_WIDE : DF_PRIOR) + factor * runs - 2.0;
        if (now->is_wide && now->dilution <= 1.0)
            counts_times(&more, counts_gain(now->counts.n1, now->sample_n[GATE_BASELINE]),
                         counts_gain(now->counts.n2, now->sample_n[GATE_CANARY]));
    } else {
        /* `runs` are of both sides; rounds are half of them. */
        more.df = now->df + (factor - 1.0) * (now->is_paired ? runs / 2.0 : runs);
        more.phi = now->phi + (factor - 1.0) * now->phi_common;
    }
    counts_times(&more, factor, factor);
    return more;
}

/* Return the factor on one side's counts with longer runs. Run-to-run variation, which makes n less than sample_n, does
 * not shrink. */
static double longer_counts(double n, double sampled, double factor) {
    double between = sampled > n ? sampled / n - 1.0 : 0.0;
    return factor * (1.0 + between) / (1.0 + between * factor);
}

/* Return the evidence with runs of `factor` times the length. */
static struct gate_evidence longer_runs(const struct gate_evidence *now, double factor) {
    struct gate_evidence more = *now;
    const double *sampled = now->sample_n;
    counts_times(&more, longer_counts(now->counts.n1, sampled[GATE_BASELINE] * now->dilution, factor),
                 longer_counts(now->counts.n2, sampled[GATE_CANARY] * now->dilution, factor));
    more.phi = 1.0 + (now->phi - 1.0) * factor;
    return more;
}

/* Return the variance of a share of k in n, which is positive even for k = 0. */
static double variance(double k, double n) {
    double p = (k + 0.5) / (n + 1.0);
    return p * (1.0 - p) / n;
}

/* Simulate one repetition: the growth deviates by `deviations` standard errors, split between the sides by variance.
 * For a limit on the canary's share only the canary deviates. */
static void deviate(struct gate_evidence *e, double deviations, bool is_level) {
    struct gate_counts2 *c = &e->counts;
    double v1 = is_level ? 0.0 : variance(c->k1, c->n1), v2 = variance(c->k2, c->n2);
    double off = deviations * sqrt(e->phi / (v1 + v2));
    c->k1 = fmin(fmax(c->k1 - off * v1 * c->n1, 0.0), c->n1);
    c->k2 = fmin(fmax(c->k2 + off * v2 * c->n2, 0.0), c->n2);
    e->share[GATE_BASELINE] = c->k1 / c->n1 * e->dilution;
    e->share[GATE_CANARY] = c->k2 / c->n2 * e->dilution;
    e->delta = e->share[GATE_CANARY] - e->share[GATE_BASELINE];
}

/* The levels that a decision compares log p with. */
enum { LEVELS = 4 };

/* A simulated experiment with more or longer runs. */
struct experiment {
    const struct gate_hypothesis *now;
    const struct gate_decision_rules *rules;
    double runs; /* of both sides together, now */
    double levels[LEVELS];
    bool is_longer;
};

static struct gate_evidence evidence_then(const struct experiment *x, const struct gate_evidence *now, double factor) {
    return x->is_longer ? longer_runs(now, factor) : more_runs(now, factor, x->runs);
}

static bool decides(const struct experiment *x, double factor) {
    struct gate_hypothesis then = *x->now;
    bool has_own = then.own != NULL && gate_evidence_is_counted(then.own);
    const struct gate_evidence shares = evidence_then(x, then.evidence, factor);
    const struct gate_evidence own = has_own ? evidence_then(x, then.own, factor) : (struct gate_evidence){0};
    struct gate_decision_rules rules = *x->rules;
    for (int side = 0; side < GATE_SIDES; side++)
        rules.samples[side] *= factor;
    bool is_level = gate_limit_quantity(then.limit->kind) == GATE_QUANTITY_LEVEL;
    int open = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        struct gate_evidence shares_found = shares, own_found = own;
        deviate(&shares_found, quantiles[i], is_level);
        then.evidence = &shares_found;
        if (has_own) {
            deviate(&own_found, quantiles[i], is_level);
            then.own = &own_found;
        }
        then.is_tested = true;
        then.is_in_family = true;
        then.log_p =
            gate_evidence_log_p_among(then.evidence, gate_hypothesis_family_z(&then, then.evidence), x->levels, LEVELS);
        then.log_p_adjusted = then.log_p <= then.log_level ? log(rules.alpha) : 0.0;
        gate_hypothesis_outcome(&then, &rules);
        bool is_open = gate_samples_needed_is_open(&then) || then.reason == GATE_REASON_MIN_SAMPLES;
        if (is_open && (i >= TAILS || ++open == TAILS))
            return false;
    }
    return true;
}

/* Return the smallest factor that decides; 0: none. */
static double least_factor(const struct experiment *x) {
    double low = 1.0, high = 2.0;
    for (; !decides(x, high); high *= 2.0) {
        low = high;
        if (2.0 * high > MOST)
            return 0.0;
    }
    while (high > PRECISION * low) {
        double middle = sqrt(low * high);
        *(decides(x, middle) ? &high : &low) = middle;
    }
    return high;
}

void gate_samples_needed_find(struct gate_hypothesis *hypothesis, const struct gate_decision_rules *rules,
                              const uint32_t runs[GATE_SIDES]) {
    hypothesis->longer_factor = 0.0;
    if (!gate_samples_needed_is_open(hypothesis))
        return;
    struct experiment x = {
        hypothesis,
        rules,
        (double)runs[GATE_BASELINE] + runs[GATE_CANARY],
        {hypothesis->log_level, log(rules->alpha), log(rules->alpha / 2.0), log(rules->alpha_margin)},
        false};
    hypothesis->settle_factor = least_factor(&x);
    x.is_longer = true;
    hypothesis->longer_factor = least_factor(&x);
}

double gate_samples_needed_runs(const struct gate_hypothesis *hypothesis, const uint32_t runs[GATE_SIDES]) {
    if (hypothesis->reason == GATE_REASON_DELAY_REPLICATES)
        return hypothesis->is_total ? 3.0 : 2.0;
    if (hypothesis->reason == GATE_REASON_PREEMPTED)
        return 5.0;
    if (hypothesis->reason == GATE_REASON_INTERPRETED || hypothesis->reason == GATE_REASON_INLINED ||
        hypothesis->reason == GATE_REASON_BUSIER_MACHINE || hypothesis->reason == GATE_REASON_THREADS ||
        hypothesis->reason == GATE_REASON_ONE_START)
        return 3.0;
    if (hypothesis->reason == GATE_REASON_SLOWER_MACHINE)
        return 2.0 * fmax(runs[GATE_BASELINE], runs[GATE_CANARY]);
    return ceil(hypothesis->settle_factor * fmax(runs[GATE_BASELINE], runs[GATE_CANARY]));
}

double gate_samples_needed_verdict_runs(const struct gate_hypothesis *hypotheses, size_t count,
                                        const struct gate_comparison *comparisons) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        const struct gate_hypothesis *h = &hypotheses[i];
        if (h->outcome != GATE_OUTCOME_INCONCLUSIVE)
            continue;
        const struct gate_side *sides = comparisons[h->comparison].pair.sides;
        const uint32_t runs[GATE_SIDES] = {sides[GATE_BASELINE].run_count, sides[GATE_CANARY].run_count};
        bool is_hopeless = gate_pair_is_of_one_process(&comparisons[h->comparison].pair);
        double wanted = is_hopeless ? 0.0 : gate_samples_needed_runs(h, runs);
        if (wanted <= 0.0 || wanted > GATE_SAMPLES_NEEDED_RUNS_MANY)
            return 0.0;
        most = fmax(most, wanted);
    }
    return most;
}
