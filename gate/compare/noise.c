/* SPDX-License-Identifier: Apache-2.0 */
/* Run-to-run variation from known-good runs (see noise.h). Formulas: docs/statistics.md, "Noise model". */
#include "gate/compare/noise.h"

#include <math.h>
#include <stdlib.h>

/* Of what a frame's dispersion is shrunk to: with ten runs a frame speaks for itself. */
static const double PRIOR_DF = 4.0;
static const double MIN_MEAN_COUNT = 5.0;

double gate_noise_variance(const struct gate_noise *noise, struct gate_str frame, enum gate_measure measure, double p,
                           enum gate_dispersion_class class) {
    uint32_t known = gate_table_find(&noise->index, frame);
    if (known == GATE_TABLE_NONE)
        return noise->rho[measure] * p * (1.0 - p);
    const struct gate_noise_frame *row = &noise->frames[known];
    double sigma = row->sigma[measure];
    /* A collector that is busier than it was while calibrating also varies more, in proportion. */
    if (class == GATE_DISPERSION_RUNTIME && p > row->share[measure] && row->share[measure] > 0.0)
        sigma *= p / row->share[measure];
    return sigma * sigma;
}

double gate_noise_coverage(const struct gate_noise *noise, const struct gate_pair *pair,
                           const struct gate_delta_list *deltas) {
    int64_t known = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (gate_table_find(&noise->index, pair->frames[i].name) != GATE_TABLE_NONE)
            known += deltas->items[i].value[GATE_SELF][GATE_BASELINE];
    return gate_share(known, pair->sides[GATE_BASELINE].total);
}

bool gate_noise_index(struct gate_noise *noise, struct gate_arena *arena, struct gate_error *err) {
    gate_table_init(&noise->index, arena);
    for (uint32_t i = 0; i < noise->frame_count; i++)
        if (gate_table_intern(&noise->index, noise->frames[i].name) == GATE_TABLE_NONE)
            return gate_arena_error(arena, err);
    return true;
}

/* Dispersion of one item over the calibration runs; false where it cannot vary. */
static bool noise_phi(double *phi, struct gate_effective *sums, const struct gate_pair *pair,
                      const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure) {
    struct gate_dispersion within = {0};
    if (!gate_effective_of(sums, pair, deltas, item, measure, GATE_BASELINE))
        return false;
    gate_dispersion_add(&within, pair, deltas, item, measure, GATE_BASELINE, sums);
    *phi = within.df > 0.0 ? within.chi_square / within.df : 1.0;
    return within.df > 0.0;
}

/* The dispersion of all frames of one measure, by class. */
struct noise_points {
    struct gate_dispersion_point *items[GATE_DISPERSION_CLASSES];
    uint32_t count[GATE_DISPERSION_CLASSES];
};

/* phi - 1 a count of each class, since a share varies in proportion to itself. */
struct noise_prior {
    double slope[GATE_DISPERSION_CLASSES];
};

static struct noise_prior noise_mean(struct gate_noise *noise, struct noise_points *points,
                                     const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                     enum gate_measure measure) {
    double runs = noise->run_count, sum = 0.0, phi = 1.0;
    uint32_t frames = 0;
    memset(points->count, 0, sizeof points->count);
    for (uint32_t item = 0; item < deltas->count; item++) {
        struct gate_effective sums;
        if (!noise_phi(&phi, &sums, pair, deltas, item, measure) || sums.n * sums.share < MIN_MEAN_COUNT * runs)
            continue;
        sum += phi;
        frames++;
        enum gate_dispersion_class class = gate_dispersion_class_of(&pair->frames[item], measure);
        points->items[class][points->count[class]++] =
            (struct gate_dispersion_point){phi, sums.n * sums.share * (1.0 - sums.share) / runs, runs - 1.0};
    }
    noise->s0[measure] = frames == 0 || sum < frames ? 1.0 : sum / frames;
    noise->rho[measure] = noise->mean_events > 0.0 ? (noise->s0[measure] - 1.0) / noise->mean_events : 0.0;
    struct noise_prior prior;
    for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++)
        prior.slope[class] = gate_dispersion_slope(points->items[class], points->count[class]);
    return prior;
}

static void noise_frame(struct gate_noise_frame *out, const struct gate_noise *noise,
                        const struct noise_prior priors[GATE_MEASURES], const struct gate_pair *pair,
                        const struct gate_delta_list *deltas, uint32_t item) {
    double df = noise->run_count - 1.0;
    *out = (struct gate_noise_frame){.name = pair->frames[item].name};
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        struct gate_effective sums;
        double phi = 1.0;
        bool varies = noise_phi(&phi, &sums, pair, deltas, item, (enum gate_measure)measure);
        out->share[measure] = sums.share;
        if (!varies)
            continue;
        enum gate_dispersion_class class = gate_dispersion_class_of(&pair->frames[item], (enum gate_measure)measure);
        double target =
            1.0 + priors[measure].slope[class] * sums.n * sums.share * (1.0 - sums.share) / noise->run_count;
        /* Ten runs that agree by chance are no proof of a steady frame: none is taken to vary less than its class. */
        double shrunk = fmax(target, (PRIOR_DF * target + df * phi) / (PRIOR_DF + df));
        double pq = sums.share * (1.0 - sums.share);
        if (shrunk > 1.0)
            out->sigma[measure] = sqrt((shrunk - 1.0) * pq * noise->run_count / sums.n);
    }
}

static int noise_frame_compare(const void *left, const void *right) {
    const struct gate_noise_frame *a = left, *b = right;
    return gate_str_compare(a->name, b->name);
}

bool gate_noise_estimate(struct gate_noise *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                         struct gate_arena *arena, struct gate_error *err) {
    const struct gate_side *side = &pair->sides[GATE_BASELINE];
    if (side->run_count < 2)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "a noise model needs at least 2 known-good runs, found %u: 10 or more make a good one",
                              side->run_count);
    struct gate_noise noise = {.type = pair->type, .run_count = side->run_count};
    noise.mean_events = side->events / side->run_count;
    noise.mix_key = pair->mix_key;
    noise.per_work = gate_drift_estimate(side, false);
    noise.per_second = gate_drift_estimate(side, true);
    noise.runs = GATE_NEW_ARRAY(arena, struct gate_str, side->run_count);
    noise.frames = GATE_NEW_ARRAY(arena, struct gate_noise_frame, (size_t)deltas->count + 1);
    if (noise.runs == NULL || noise.frames == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t r = 0; r < side->run_count; r++) {
        if (side->runs[r].counts.kind == GATE_COUNTS_UNKNOWN)
            return gate_error_set(err, GATE_ERR_INPUT, "'%.*s' has no countable events: nothing to calibrate",
                                  GATE_STR_ARG(side->runs[r].input.path));
        noise.runs[r] = side->runs[r].input.path;
    }
    struct noise_points points;
    for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++) {
        points.items[class] = GATE_NEW_ARRAY(arena, struct gate_dispersion_point, (size_t)deltas->count + 1);
        if (points.items[class] == NULL)
            return gate_arena_error(arena, err);
    }
    struct noise_prior priors[GATE_MEASURES];
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        priors[measure] = noise_mean(&noise, &points, pair, deltas, (enum gate_measure)measure);
    for (uint32_t item = 0; item < deltas->count; item++)
        if (deltas->items[item].value[GATE_CUMULATIVE][GATE_BASELINE] > 0)
            noise_frame(&noise.frames[noise.frame_count++], &noise, priors, pair, deltas, item);
    qsort(noise.frames, noise.frame_count, sizeof *noise.frames, noise_frame_compare);
    if (!gate_noise_index(&noise, arena, err))
        return false;
    *out = noise;
    return true;
}
