/* SPDX-License-Identifier: Apache-2.0 */
/* From tallies to effective counts, run-to-run variation, z and interval (see evidence.h).
 * Formulas: docs/statistics.md, "Effective counts" and "Runs differ more than samples do". */
#include "gate/compare/evidence.h"

#include "gate/compare/paired.h"
#include "gate/compare/score_near.h"

#include <math.h>

/* Degrees of freedom that are added to those of a noise model. */
static const double MODEL_PRIOR_DF = 4.0;
static const double MIN_MEAN_COUNT = 5.0;
/* More than gate_student_log_p_near is off by. */
static const double NEAR_A_LEVEL = 0.02;

static bool effective_of_both(struct gate_effective sums[GATE_SIDES], const struct gate_pair *pair,
                              const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure) {
    bool counted = gate_effective_of(&sums[GATE_BASELINE], pair, deltas, item, measure, GATE_BASELINE);
    return gate_effective_of(&sums[GATE_CANARY], pair, deltas, item, measure, GATE_CANARY) && counted;
}

/* Dispersion of the runs within their sides, or of the difference from round to round. */
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
 * Where an item is absent from one side, its events there would weigh what they weigh on the other: heavy events make
 * an absence less certain than the side's own sample size says.
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
        return 0.0; /* the same program with the same input counts the same */
    if (pair->mix_key.len != 0)
        return is_wide ? GATE_ASSUMED_RHO_WIDE_MIX : GATE_ASSUMED_RHO_MIX;
    if (is_wide)
        return GATE_ASSUMED_RHO_WIDE;
    if (pair->sides[GATE_BASELINE].runs[0].counts.kind == GATE_COUNTS_HEAP)
        return GATE_ASSUMED_RHO_HEAP;
    return measure == GATE_CHARGED ? GATE_ASSUMED_RHO_CHARGED : GATE_ASSUMED_RHO;
}

/* Equal samples are equal evidence, whatever they are called: the measure whose variation is known best speaks for
 * them. */
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

/* The frames of one measure that say how much runs differ, by class. */
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

/* The slopes of all measures and classes, by the runs of the sides or by pairs. */
static void prior_learn(struct gate_dispersion_prior out[GATE_MEASURES][GATE_DISPERSION_CLASSES],
                        struct prior_points *points, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        bool is_paired) {
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        prior_collect(points, pair, deltas, (enum gate_measure)measure, is_paired);
        for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++)
            out[measure][class] = (struct gate_dispersion_prior){
                .slope = gate_dispersion_slope(points->items[class], points->count[class]),
                .df = points->count[class] > 0 ? gate_dispersion_prior_df((enum gate_dispersion_class) class) : 0.0};
    }
}

/* What pairs leave of the variation of runs, for what is known of runs alone: a noise model. */
static void prior_part(struct gate_evidence_options *options,
                       const struct gate_dispersion_prior sides[GATE_MEASURES][GATE_DISPERSION_CLASSES]) {
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++) {
            double of_sides = sides[measure][class].slope, of_pairs = options->prior[measure][class].slope;
            options->paired_part[measure][class] = of_pairs < of_sides ? of_pairs / of_sides : 1.0;
        }
}

bool gate_evidence_prior(struct gate_evidence_options *options, const struct gate_pair *pair,
                         const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err) {
    struct prior_points points = {{0}, {0}};
    struct gate_dispersion_prior sides[GATE_MEASURES][GATE_DISPERSION_CLASSES];
    options->is_paired = false;
    if (deltas->run_count <= GATE_SIDES)
        return true;
    for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++) {
        points.items[class] = GATE_NEW_ARRAY(arena, struct gate_dispersion_point, (size_t)deltas->count + 1);
        if (points.items[class] == NULL)
            return gate_arena_error(arena, err);
    }
    prior_learn(sides, &points, pair, deltas, false);
    memcpy(options->prior, sides, sizeof sides);
    if (!pair->is_interleaved)
        return true;
    prior_learn(options->prior, &points, pair, deltas, true);
    options->is_paired = gate_paired_agrees(options->prior[GATE_CHARGED][GATE_DISPERSION_OWN].slope,
                                            sides[GATE_CHARGED][GATE_DISPERSION_OWN].slope,
                                            gate_paired_rounds(&pair->sides[GATE_BASELINE]));
    if (options->is_paired)
        prior_part(options, sides);
    else
        memcpy(options->prior, sides, sizeof sides);
    return true;
}

/* Of a group of frames, or where nothing was learnt: the more cautious class. */
static struct gate_dispersion_prior prior_of(const struct gate_evidence_options *options, enum gate_measure measure,
                                             enum gate_dispersion_class class, bool is_group) {
    struct gate_dispersion_prior prior = options->prior[measure][class];
    const struct gate_dispersion_prior *own = &options->prior[measure][GATE_DISPERSION_OWN];
    if (is_group && own->slope > prior.slope)
        prior.slope = own->slope;
    prior.df = prior.df > 0.0 ? prior.df : gate_dispersion_prior_df(GATE_DISPERSION_RUNTIME);
    return prior;
}

static double pooled_share(const struct gate_counts2 *counts) {
    return (counts->k1 + counts->k2) / (counts->n1 + counts->n2);
}

/* Scale counts so that their binomial variance also holds sigma^2 a run; Student's df from the share of known variance.
 */
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

/* `sigma_sq`: of a run, by the model or as assumed. */
static void add_variation(struct gate_evidence *out, const struct gate_pair *pair, const struct gate_dispersion *within,
                          const struct gate_dispersion_prior *prior, const struct gate_noise *noise, double sigma_sq) {
    struct gate_counts2 c = out->counts;
    double runs = (double)pair->sides[GATE_BASELINE].run_count + pair->sides[GATE_CANARY].run_count;
    double p = pooled_share(&c), pq = p * (1.0 - p);
    double model_df = noise == NULL ? 0.0 : noise->run_count - 1.0;
    if (runs <= GATE_SIDES) {
        out->variation = noise == NULL ? GATE_VARIATION_ASSUMED : GATE_VARIATION_MODEL;
        add_run_variance(out, pair, sigma_sq, model_df);
        return;
    }
    if (noise == NULL) {
        out->variation = GATE_VARIATION_REPLICATES;
        out->sigma = NAN;
        add_dispersion(out, within, 1.0 + prior->slope * (c.k1 + c.k2) / runs * (1.0 - p), prior->df);
        return;
    }
    /* Of the difference: what runs vary by over what samples do. Counts of light events on one side alone are many, and
     * say nothing of the other. */
    double between = sigma_sq * (1.0 / pair->sides[GATE_BASELINE].run_count + 1.0 / pair->sides[GATE_CANARY].run_count);
    double model_phi = pq > 0.0 ? 1.0 + between / (pq * (1.0 / c.n1 + 1.0 / c.n2)) : 1.0;
    out->variation = GATE_VARIATION_BOTH;
    out->sigma = (float)sqrt(sigma_sq);
    add_dispersion(out, within, model_phi, model_df + MODEL_PRIOR_DF);
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
        /* Own cost: the canary's value against the baseline's total times the work done; its events stay what they are.
         */
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
    enum gate_dispersion_class class =
        single ? gate_dispersion_class_of(&pair->frames[frame], measure) : GATE_DISPERSION_RUNTIME;
    struct gate_dispersion_prior prior = prior_of(options, measure, class, !single);
    double sigma_sq =
        options->noise == NULL ? rho * p * (1.0 - p) : gate_noise_variance(options->noise, name, measure, p, class);
    if (options->is_paired)
        sigma_sq *= options->paired_part[measure][class];
    out.is_paired = options->is_paired;
    add_variation(&out, pair, &within, &prior, options->noise, sigma_sq);
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

/* z of the counts alone to z of this evidence. */
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

static struct gate_interval ci95(const struct gate_evidence *evidence, double precision) {
    struct gate_interval interval = {{-1.0, 1.0}};
    if (!gate_evidence_is_judgeable(evidence))
        return interval;
    double z = gate_evidence_critical_z(evidence, 0.025);
    for (int end = 0; end < 2; end++)
        interval.bounds[end] = gate_score_near(evidence->counts, end == 0 ? z : -z, precision) * evidence->dilution;
    return interval;
}

struct gate_interval gate_evidence_ci95(const struct gate_evidence *evidence) {
    return ci95(evidence, GATE_SCORE_NEAR_WHOLE);
}

struct gate_interval gate_evidence_ci95_near(const struct gate_evidence *evidence) {
    return ci95(evidence, GATE_SCORE_NEAR_ROUNDED);
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

double gate_evidence_share(const struct gate_evidence *evidence, double limit, double *log_p) {
    return disperse(evidence, gate_one_sample_z(evidence->counts.k2, evidence->counts.n2, limit / evidence->dilution),
                    log_p);
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
