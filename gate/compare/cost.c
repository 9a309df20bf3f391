/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/cost.h"

#include "gate/compare/noise.h"
#include "gate/compare/pair.h"
#include "gate/compare/pair_types.h"
#include "gate/compare/student.h"

#include <math.h>

/* ---- what both sides have equal ---------------------------------------------------------------------------------- */

const char *const gate_equal_words[] = {
    [GATE_EQUAL_UNKNOWN] = "unknown", [GATE_EQUAL_WORK] = "work",   [GATE_EQUAL_TIME] = "time",
    [GATE_EQUAL_RUN] = "run",         [GATE_EQUAL_SHARE] = "share", [GATE_EQUAL_SHARE + 1] = NULL,
};

const char *gate_equal_name(enum gate_equal equal) {
    return gate_equal_words[equal];
}

const char *gate_equal_per(enum gate_equal equal) {
    static const char *const per[] = {
        [GATE_EQUAL_UNKNOWN] = "of the profile", [GATE_EQUAL_WORK] = "per unit of work",
        [GATE_EQUAL_TIME] = "per second",        [GATE_EQUAL_RUN] = "per run",
        [GATE_EQUAL_SHARE] = "of the profile",
    };
    return per[equal];
}

void gate_equal_put_per(struct gate_buf *out, enum gate_equal equal, struct gate_str work_unit) {
    bool has_unit = equal == GATE_EQUAL_WORK && work_unit.len > 0;
    gate_buf_text(out, has_unit ? "per " : gate_equal_per(equal));
    if (has_unit)
        gate_buf_str(out, work_unit);
}

static double window_ns(const struct gate_run *run) {
    return (double)run->input.profile->duration_ns;
}

double gate_equal_units(const struct gate_side *side, enum gate_equal equal, double work) {
    switch (equal) {
    case GATE_EQUAL_WORK:
        return work;
    case GATE_EQUAL_RUN:
        return side->run_count;
    case GATE_EQUAL_TIME:
        for (uint32_t r = 0; r < side->run_count; r++)
            if (window_ns(&side->runs[r]) <= 0.0)
                return 0.0; /* a run with unknown duration contributes to the cost, so the sum of durations would be
                               wrong */
        return (double)side->duration_ns / 1e9;
    default:
        return 0.0;
    }
}

bool gate_equal_ratio(double *ratio, const struct gate_pair *pair, enum gate_equal equal,
                      const double work[GATE_SIDES]) {
    double units[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        units[side] = gate_equal_units(&pair->sides[side], equal, work[side]);
    if (!(units[GATE_BASELINE] > 0.0) || !(units[GATE_CANARY] > 0.0))
        return false;
    *ratio = units[GATE_CANARY] / units[GATE_BASELINE];
    return true;
}

/* ---- variation from run to run ----------------------------------------------------------------------------------- */

/* Prior standard deviation of the logarithm of a run's cost, beyond sampling. Simultaneous runs of measured services
 * have 0.02 to 0.06, costs per request of runs at different times 0.04 to 0.15. */
static const double RUN_DEVIATION = 0.10;
static const double RUN_DEGREES = 4.0;

static const double INTERVAL_TAIL = 0.05;

/* Return the units of a run: its work, or its nanoseconds under GATE_EQUAL_TIME; else 1, also if its work is not
 * known. */
static double run_units(const struct gate_run *run, enum gate_equal equal) {
    if (equal == GATE_EQUAL_TIME)
        return window_ns(run);
    return equal == GATE_EQUAL_WORK && run->input.work > 0.0 ? run->input.work : 1.0;
}

/* Return the logarithm of a run's cost per unit (run_units). */
static double log_unit_cost(const struct gate_run *run, enum gate_equal equal) {
    return log((double)run->total / run_units(run, equal));
}

/* Return the variance of log_unit_cost that comes from sampling alone. */
static double sampling_variance(const struct gate_run *run) {
    return gate_run_weight_sq(run) / ((double)run->total * (double)run->total);
}

/* Return whether the variation between the runs can be measured. */
static bool has_unit_costs(const struct gate_pair *pair, enum gate_equal equal) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++) {
            const struct gate_run *run = &pair->sides[side].runs[r];
            if (run->total <= 0 || run->counts.kind == GATE_COUNTS_UNKNOWN || !(run_units(run, equal) > 0.0))
                return false;
        }
    return true;
}

/* Values of the runs of a side, or of the rounds of both sides. */
struct spread {
    double sum, sum_squares, noise;
    uint32_t count;
};

static void add_value(struct spread *spread, double value, double noise) {
    spread->sum += value;
    spread->sum_squares += value * value;
    spread->noise += noise;
    spread->count++;
}

/* Add to `*squares` the variation of the values beyond their sampling error, and to `*degrees` its degrees of
 * freedom. */
static void add_excess(double *squares, double *degrees, const struct spread *spread) {
    double around = spread->sum_squares - spread->sum * spread->sum / spread->count;
    double by_samples = spread->noise * (spread->count - 1.0) / spread->count;
    *squares += fmax(around - by_samples, 0.0);
    *degrees += spread->count - 1.0;
}

double gate_total_cost_run_variance(double *df, const struct gate_pair *pair, enum gate_equal equal) {
    const struct gate_side *sides = pair->sides;
    /* In rounds taken in pairs, the host affects both sides alike. */
    bool is_paired = pair->is_interleaved && sides[GATE_BASELINE].run_count == sides[GATE_CANARY].run_count;
    double squares = 0.0, degrees = 0.0;
    *df = INFINITY;
    if (gate_pair_is_exact(pair))
        return 0.0;
    for (int side = 0; has_unit_costs(pair, equal) && side < (is_paired ? 1 : GATE_SIDES); side++) {
        struct spread spread = {0};
        for (uint32_t i = 0; i < sides[side].run_count; i++) {
            const struct gate_run *run = &sides[side].runs[i], *other = is_paired ? &sides[GATE_CANARY].runs[i] : run;
            /* A difference of two runs varies twice as much as one run. */
            if (is_paired)
                add_value(&spread, (log_unit_cost(other, equal) - log_unit_cost(run, equal)) * sqrt(0.5),
                          (sampling_variance(other) + sampling_variance(run)) / 2.0);
            else
                add_value(&spread, log_unit_cost(run, equal), sampling_variance(run));
        }
        add_excess(&squares, &degrees, &spread);
    }
    if (degrees > 0.0)
        *df = RUN_DEGREES + degrees;
    return (RUN_DEGREES * RUN_DEVIATION * RUN_DEVIATION + squares) / (RUN_DEGREES + degrees);
}

/* ---- total cost -------------------------------------------------------------------------------------------------- */

bool gate_total_cost_measure(struct gate_total_cost *out, const struct gate_pair *pair, enum gate_equal equal,
                             const double work[GATE_SIDES]) {
    double df, variance = 0.0, ratio = 0.0;
    if (!gate_equal_ratio(&ratio, pair, equal, work))
        return false;
    double by_run = gate_total_cost_run_variance(&df, pair, equal);
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *own = &pair->sides[side];
        if (own->total <= 0 || !(own->events > 0.0))
            return false;
        out->value[side] = (double)own->total;
        out->units[side] = gate_equal_units(own, equal, work[side]);
        variance += (gate_pair_is_exact(pair) ? 0.0 : 1.0 / own->events) + by_run / own->run_count;
    }
    double deviation = sqrt(variance), reach = exp(gate_student_t(INTERVAL_TAIL, df) * deviation);
    out->ratio = out->value[GATE_CANARY] / out->value[GATE_BASELINE] / ratio;
    out->ratio_bounds[0] = out->ratio / reach;
    out->ratio_bounds[1] = out->ratio * reach;
    out->deviation = deviation;
    out->df = df;
    out->log_p = gate_total_cost_log_p(out, 1.0);
    return true;
}

double gate_total_cost_log_p(const struct gate_total_cost *total, double limit) {
    double growth = log(total->ratio / limit);
    if (total->deviation > 0.0)
        return gate_student_log_p(growth / total->deviation, total->df);
    return growth > 0.0 ? -INFINITY : 0.0;
}

bool gate_total_cost_may_be_same(const struct gate_pair *pair) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    struct gate_total_cost total;
    return (gate_total_cost_measure(&total, pair, GATE_EQUAL_TIME, no_work) ||
            gate_total_cost_measure(&total, pair, GATE_EQUAL_RUN, no_work)) &&
           total.ratio_bounds[0] <= 1.0;
}

/* ---- runs at the same time --------------------------------------------------------------------------------------- */

/* Two windows are the same if their starts differ by at most 1 - OVERLAP_LEAST, and their lengths by at most
 * LENGTH_MOST, as parts of the longer window. */
static const double OVERLAP_LEAST = 0.90;
static const double LENGTH_MOST = 0.05;

/* Windows of one round of a manifest are the same if they overlap by this part of the longer one: their requests began
 * together, and a busy server ends its profile late. Rounds of `try`, which runs its sides in turn, do not overlap. */
static const double ROUND_OVERLAP_LEAST = 0.50;

static bool share_a_window(const struct gate_run *a, const struct gate_run *b) {
    double longer = fmax(window_ns(a), window_ns(b)), shorter = fmin(window_ns(a), window_ns(b));
    double apart = fabs((double)a->input.profile->time_ns - (double)b->input.profile->time_ns);
    bool is_round = a->input.round > 0 && a->input.round == b->input.round;
    return is_round ? shorter - apart >= ROUND_OVERLAP_LEAST * longer
                    : longer - shorter <= LENGTH_MOST * longer && longer - apart >= OVERLAP_LEAST * longer;
}

static bool has_partner(const struct gate_run *run, const struct gate_side *others) {
    for (uint32_t i = 0; i < others->run_count; i++)
        if (share_a_window(run, &others->runs[i]))
            return true;
    return false;
}

const char *gate_pair_work_option(const struct gate_pair *pair) {
    const struct gate_side *canary = &pair->sides[GATE_CANARY];
    bool is_captured = canary->run_count > 0 && canary->runs[0].input.round > 0;
    return is_captured ? "--work-metric COUNTER of 'capture' and 'gate'" : "--work baseline=N --work canary=N";
}

static bool has_window(const struct gate_run *run) {
    const struct gate_profile *profile = run->input.profile;
    return run->input.resample == NULL && profile->time_ns > 0 && profile->duration_ns > 0;
}

/* Count the runs, those with a known window, and those with a partner on the other side. */
struct windows {
    uint32_t runs, known, paired;
};

static struct windows count_windows(const struct gate_pair *pair) {
    struct windows count = {0, 0, 0};
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *own = &pair->sides[side], *others = &pair->sides[1 - side];
        for (uint32_t i = 0; i < own->run_count; i++) {
            bool is_known = has_window(&own->runs[i]);
            count.runs++;
            count.known += is_known;
            count.paired += is_known && has_partner(&own->runs[i], others);
        }
    }
    return count;
}

bool gate_pair_is_simultaneous(const struct gate_pair *pair) {
    struct windows count = count_windows(pair);
    return count.paired == count.runs && pair->sides[GATE_BASELINE].run_count > 0 &&
           pair->sides[GATE_CANARY].run_count > 0;
}

bool gate_pair_is_apart(const struct gate_pair *pair) {
    struct windows count = count_windows(pair);
    return pair->sides[GATE_CANARY].run_count > 0 && pair->sides[GATE_CANARY].runs[0].input.round > 0 &&
           count.known == count.runs && count.paired < count.runs;
}

/* ---- cost per unit of work --------------------------------------------------------------------------------------- */

/* Formulas: docs/statistics.md, "Cost per unit of work". */

/* With this many times the trials, the binomial variance equals the Poisson variance to 1e-4. A cost that is more than
 * the baseline's total needs more: its share of the trials must stay as small. */
static const double DILUTION = 1e4;

/* Assumed for one pair: 10% standard deviation. Cost per request drifts with the host: 8.4% between distant runs. */
static const double ASSUMED_RELATIVE_VARIANCE = 0.01;

/* Square of Student's t at .05 with 1 degree of freedom, over its square with 2: the cost of the degree of freedom that
 * two pairs lose. */
static const double TWO_PAIRS_LOSS = 4.676;

/* Minimum standard deviation from a noise model, because ten good runs can agree by chance. */
static const double LEAST_RELATIVE_SD = 0.01;

static const double PRIOR_DF = 4.0;

/* Return the fraction of a side's duration or work that run `r` has. */
static double run_part(const struct gate_side *side, uint32_t r, enum gate_equal equal) {
    if (equal == GATE_EQUAL_TIME && side->duration_ns > 0)
        return (double)side->runs[r].input.profile->duration_ns / (double)side->duration_ns;
    double all = 0.0;
    for (uint32_t i = 0; i < side->run_count; i++) {
        if (equal != GATE_EQUAL_WORK || !(side->runs[i].input.work > 0.0))
            return 1.0 / side->run_count;
        all += side->runs[i].input.work;
    }
    return all > 0.0 ? side->runs[r].input.work / all : 1.0 / side->run_count;
}

static double run_value(const struct gate_pair *pair, const struct gate_delta_list *deltas, uint32_t item,
                        enum gate_measure measure, int side, uint32_t r) {
    if (deltas == NULL)
        return (double)pair->sides[side].runs[r].total;
    return (double)gate_tally_at(deltas, measure, gate_first_run(pair, (enum gate_side_name)side) + r, item)->value;
}

/* Sum a side. `n` is the Poisson count: value^2 / sum of squared weights. Returns false if events cannot be counted. */
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
    out->n = out->item_sq > 0.0 ? out->value * out->value / out->item_sq : 0.0; /* here a count, not a sample size */
    return counted && out->total_sq > 0.0;
}

static void cost_residuals(struct gate_dispersion *out, const struct gate_pair *pair,
                           const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure, int side,
                           const struct gate_effective *sums, enum gate_equal equal) {
    const struct gate_side *from = &pair->sides[side];
    if (from->run_count < 2 || !(sums->value > 0.0) || !(sums->item_sq > 0.0))
        return;
    double event = sums->item_sq / sums->value;
    for (uint32_t r = 0; r < from->run_count; r++) {
        double expected = sums->value * run_part(from, r, equal);
        double residual = run_value(pair, deltas, item, measure, side, r) - expected;
        if (expected > 0.0)
            out->chi_square += residual * residual / (expected * event);
    }
    out->df += from->run_count - 1;
}

/* An item, its measure, and the divisor of its cost. */
struct cost_question {
    const struct gate_pair *pair;
    const struct gate_delta_list *deltas; /* NULL: the total */
    uint32_t item;
    enum gate_measure measure;
    const struct gate_exposure *exposure;
};

/* Compute the dispersion of the log ratio between paired runs, relative to its sampling variance. Returns false if a
 * run has no cost of the item. */
static bool cost_pairs(struct gate_dispersion *out, const struct cost_question *q,
                       const struct gate_effective sums[GATE_SIDES]) {
    const struct gate_side *sides = q->pair->sides;
    uint32_t count = sides[GATE_BASELINE].run_count;
    double events[GATE_SIDES];
    *out = (struct gate_dispersion){.df = count - 1.0};
    for (int side = 0; side < GATE_SIDES; side++) {
        if (!(sums[side].item_sq > 0.0) || !(sums[side].value > 0.0))
            return false;
        events[side] = sums[side].item_sq / sums[side].value;
    }
    for (uint32_t r = 0; r < count; r++) {
        double log_ratio = 0.0, variance = 0.0;
        for (int side = 0; side < GATE_SIDES; side++) {
            double value = run_value(q->pair, q->deltas, q->item, q->measure, side, r);
            double expected = sums[side].value * run_part(&sides[side], r, q->exposure->equal);
            if (!(value > 0.0) || !(expected > 0.0))
                return false;
            log_ratio += (side == GATE_CANARY ? 1.0 : -1.0) * log(value / expected);
            variance += events[side] / value;
        }
        out->chi_square += log_ratio * log_ratio / variance;
    }
    return true;
}

static bool cost_sums_of_both(struct gate_effective sums[GATE_SIDES], const struct cost_question *q) {
    bool counted = true;
    for (int side = 0; side < GATE_SIDES; side++)
        counted &= cost_sums(&sums[side], q->pair, q->deltas, q->item, q->measure, side);
    return counted;
}

/* Compute the dispersion of the pairs, or that within the sides if `is_paired` is false or the pairs have none. */
static void cost_within(struct gate_dispersion *out, const struct cost_question *q,
                        const struct gate_effective sums[GATE_SIDES], bool is_paired) {
    if (is_paired && q->pair->sides[GATE_BASELINE].run_count > 1 && cost_pairs(out, q, sums))
        return;
    *out = (struct gate_dispersion){0};
    for (int side = 0; side < GATE_SIDES; side++)
        cost_residuals(out, q->pair, q->deltas, q->item, q->measure, side, &sums[side], q->exposure->equal);
}

/* Return whether interleaved runs are compared as pairs. With three or more runs per side they always are: choosing the
 * smaller of two dispersions would be wrong too often. With two, pairs must agree better than the runs of a side, by
 * total cost. Without a noise model, they must agree so much better that this makes up for the lost degree of
 * freedom. */
static bool uses_pairs(const struct cost_question *q) {
    const struct cost_question whole = {.pair = q->pair, .exposure = q->exposure};
    struct gate_effective sums[GATE_SIDES];
    struct gate_dispersion pairs, sides;
    uint32_t runs = q->pair->sides[GATE_BASELINE].run_count;
    if (!q->pair->is_interleaved || runs < 2 || !cost_sums_of_both(sums, &whole))
        return false;
    if (runs > 2)
        return true;
    cost_within(&pairs, &whole, sums, true);
    cost_within(&sides, &whole, sums, false);
    double least = q->exposure->noise == NULL ? TWO_PAIRS_LOSS : 1.0;
    return pairs.df > 0.0 && sides.df > 0.0 && least * pairs.chi_square / pairs.df < sides.chi_square / sides.df;
}

/* Set `*out` to the variance of a run's cost of the item beyond sampling, relative to the squared cost, from a noise
 * model: variance of the total cost plus that of the item's share. `*common` is the part of it that the runs of one
 * build have in common. Returns false if the model has no such data. */
static bool model_variance(double *out, double *common, const struct cost_question *q) {
    const struct gate_noise *noise = q->exposure->noise;
    if (noise == NULL)
        return false;
    const struct gate_drift *drift = q->exposure->equal == GATE_EQUAL_TIME ? &noise->per_second : &noise->per_work;
    double sd = q->pair->is_interleaved && isfinite(drift->near) ? drift->near : drift->apart;
    if (!isfinite(sd))
        return false;
    sd = fmax(sd, LEAST_RELATIVE_SD);
    if (q->deltas == NULL) {
        *out = sd * sd;
        *common = *out * drift->common;
        return true;
    }
    double p =
        gate_share(q->deltas->items[q->item].value[q->measure][GATE_BASELINE], q->pair->sides[GATE_BASELINE].total);
    bool single = q->deltas->count == q->pair->frame_count;
    if (!(p > 0.0))
        return false;
    double share = noise->rho[q->measure] * p * (1.0 - p); /* a group is treated as an unknown frame */
    if (single) {
        const struct gate_frame *frame = &q->pair->frames[q->item];
        share = gate_noise_variance(noise, frame->name, q->measure, p, gate_dispersion_class_of(frame, q->measure));
    }
    *out = sd * sd + share / (p * p);
    *common = sd * sd * drift->common + share / (p * p) * noise->common[q->measure];
    return true;
}

/* With one run per side, reduce the counts by the run-to-run variance. */
static void vary_pair(struct gate_evidence *out, double variance, double model_df) {
    struct gate_counts2 *c = &out->counts;
    double sampling = 1.0 / fmax(c->k1, 1.0) + 1.0 / fmax(c->k2, 1.0), between = 2.0 * variance;
    double f1 = 1.0 / (1.0 + variance * c->k1), f2 = 1.0 / (1.0 + variance * c->k2);
    *c = (struct gate_counts2){c->k1 * f1, c->n1 * f1, c->k2 * f2, c->n2 * f2};
    if (model_df > 0.0)
        out->df = model_df * ((sampling + between) / between) * ((sampling + between) / between);
}

/* Return the factor on the variance of a run that makes the variance of the difference of both sides. */
static double between_runs(const struct gate_pair *pair) {
    return 1.0 / pair->sides[GATE_BASELINE].run_count + 1.0 / pair->sides[GATE_CANARY].run_count;
}

static void cost_variation(struct gate_evidence *out, const struct cost_question *q,
                           const struct gate_effective sums[GATE_SIDES]) {
    struct gate_dispersion within;
    bool is_exact = gate_pair_is_exact(q->pair), is_paired = uses_pairs(q);
    double variance = is_exact ? 0.0 : ASSUMED_RELATIVE_VARIANCE, common = 0.0;
    const struct gate_counts2 *c = &out->counts;
    bool has_model = model_variance(&variance, &common, q);
    double model_df = has_model ? q->exposure->noise->run_count - 1.0 : 0.0;
    cost_within(&within, q, sums, is_paired);
    if (!(within.df > 0.0)) {
        out->variation = has_model ? GATE_VARIATION_MODEL : GATE_VARIATION_ASSUMED;
        out->is_wide = !has_model && !is_exact;
        out->rho = has_model ? 0.0 : variance;
        vary_pair(out, variance, model_df);
        return;
    }
    out->variation = has_model ? GATE_VARIATION_BOTH : GATE_VARIATION_REPLICATES;
    out->sigma = NAN;
    double total_df;
    if (!has_model)
        variance = gate_total_cost_run_variance(&total_df, q->pair, q->exposure->equal);
    common = is_paired ? 0.0 : common;
    double sampling = 1.0 / fmax(c->k1, 1.0) + 1.0 / fmax(c->k2, 1.0);
    double prior_phi = 1.0 + (variance - common) * between_runs(q->pair) / sampling;
    if (q->deltas == NULL && !has_model) {
        out->phi = prior_phi;
        out->df = total_df;
        return;
    }
    /* An item's dispersion is shrunk towards that of the total. */
    double prior_df = has_model ? model_df + PRIOR_DF : PRIOR_DF;
    double phi = (prior_df * prior_phi + within.chi_square) / (prior_df + within.df);
    out->phi = phi > 1.0 ? phi : 1.0;
    out->df = prior_df + within.df;
    gate_evidence_add_common(out, common * GATE_SIDES / sampling, has_model ? q->exposure->noise->build_count : 0);
}

struct gate_evidence gate_cost_evidence_of(const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                           uint32_t item, enum gate_measure measure,
                                           const struct gate_exposure *exposure) {
    struct gate_evidence out = {.phi = 1.0, .df = INFINITY};
    const struct cost_question question = {pair, deltas, item, measure, exposure};
    struct gate_effective sums[GATE_SIDES];
    bool counted = cost_sums_of_both(sums, &question);
    for (int side = 0; side < GATE_SIDES; side++) {
        out.value[side] = (int64_t)sums[side].value;
        if (deltas != NULL)
            out.value[side] = deltas->items[item].value[measure][side];
    }
    double base[GATE_SIDES] = {sums[GATE_BASELINE].total, sums[GATE_BASELINE].total * exposure->ratio};
    double n[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_effective *one = &sums[side];
        out.share[side] = base[side] > 0.0 ? one->value / base[side] : 0.0;
        /* A frame that is absent has the exposure of the total, in events of the total. */
        double whole = one->total_sq > 0.0 ? base[side] * one->total / one->total_sq : 0.0;
        n[side] = out.share[side] > 0.0 ? one->n / out.share[side] : whole;
        out.sample_n[side] = counted ? n[side] : 0.0;
    }
    out.delta = out.share[GATE_CANARY] - out.share[GATE_BASELINE];
    out.dilution = DILUTION * fmax(1.0, fmax(out.share[GATE_BASELINE], out.share[GATE_CANARY]));
    if (!counted || !(n[GATE_BASELINE] > 0.0) || !(n[GATE_CANARY] > 0.0))
        return out;
    out.counts = (struct gate_counts2){sums[GATE_BASELINE].n, out.dilution * n[GATE_BASELINE], sums[GATE_CANARY].n,
                                       out.dilution * n[GATE_CANARY]};
    out.is_tested = out.counts.k1 + out.counts.k2 >= GATE_MIN_COUNTS;
    cost_variation(&out, &question, sums);
    gate_evidence_judge(&out);
    return out;
}
