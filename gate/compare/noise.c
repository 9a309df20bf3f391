/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/noise.h"

#include "gate/base/sort.h"
#include "gate/base/table.h"
#include "gate/compare/delta.h"
#include "gate/compare/moved_files.h"
#include "gate/compare/pair.h"

#include <math.h>
#include <stdlib.h>

/* ---- effective counts -------------------------------------------------------------------------------------------- */

/* Formulas: docs/statistics.md, "Effective counts". */

static double effective_n(const struct gate_effective *sums) {
    double p = sums->share, q = 1.0 - p;
    double whole = sums->total * sums->total / sums->total_sq;
    double outside_sq = sums->total_sq - sums->item_sq;
    outside_sq = outside_sq > 0.0 ? outside_sq : 0.0;
    double variance = (sums->item_sq * q * q + outside_sq * p * p) / (sums->total * sums->total);
    if (!(p > 0.0) || !(q > 0.0) || !(sums->item_sq > 0.0) || !(variance > 0.0))
        return whole;
    return p * q / variance;
}

bool gate_effective_of(struct gate_effective *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                       uint32_t item, enum gate_measure measure, enum gate_side_name side) {
    const struct gate_side *from = &pair->sides[side];
    int64_t value = deltas->items[item].value[measure][side];
    *out = (struct gate_effective){
        .value = (double)value, .total = (double)from->total, .share = gate_share(value, from->total)};
    bool counted = from->total > 0;
    for (uint32_t r = 0; r < from->run_count; r++) {
        const struct gate_run *run = &from->runs[r];
        out->item_sq += gate_tally_at(deltas, measure, gate_first_run(pair, side) + r, item)->weight_sq;
        out->total_sq += gate_run_weight_sq(run);
        counted = counted && run->counts.kind != GATE_COUNTS_UNKNOWN;
    }
    counted = counted && out->total_sq > 0.0;
    out->n = counted ? effective_n(out) : 0.0;
    return counted;
}

/* ---- dispersion -------------------------------------------------------------------------------------------------- */

/* The dispersion that the frames of a class share. Formulas: docs/statistics.md, "Replicates". */

/* Own-code frames follow the prior of their class closely; runtime frames less so. */
static const double DF_OWN = 20.0;

static const double DF_RUNTIME = 4.0;

/* Maximum of phi over its expectation. */
static const double RATIO_MOST = 4.0;

static const double SLOPE_MOST = 1e6;

static const double SLOPE_LEAST = 1e-9;

enum { HALVINGS = 60 };

void gate_dispersion_add(struct gate_dispersion *out, const struct gate_pair *pair,
                         const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                         enum gate_side_name side, const struct gate_effective *sums) {
    const struct gate_side *from = &pair->sides[side];
    double p = sums->share;
    if (from->run_count < 2 || !(p > 0.0 && p < 1.0))
        return;
    /* Scale each run's sample size from the side's: a run without the item would have no variance of its own. */
    double design = sums->n * sums->total_sq / (sums->total * sums->total);
    for (uint32_t r = 0; r < from->run_count; r++) {
        const struct gate_run *run = &from->runs[r];
        const struct gate_tally *tally = gate_tally_at(deltas, measure, gate_first_run(pair, side) + r, item);
        double total = (double)run->total, total_sq = gate_run_weight_sq(run);
        if (!(total > 0.0) || !(total_sq > 0.0))
            continue;
        double residual = (double)tally->value / total - p;
        out->chi_square += residual * residual * design * total * total / total_sq / (p * (1.0 - p));
    }
    out->df += from->run_count - 1;
}

enum gate_dispersion_class gate_dispersion_class_of(const struct gate_frame *frame, enum gate_measure measure) {
    bool is_foreign = frame->is_runtime || (measure == GATE_CHARGED && !frame->is_own);
    return is_foreign ? GATE_DISPERSION_RUNTIME : GATE_DISPERSION_OWN;
}

double gate_dispersion_prior_df(enum gate_dispersion_class class) {
    return class == GATE_DISPERSION_OWN ? DF_OWN : DF_RUNTIME;
}

/* Return the mean of chi-square / df, cut off at RATIO_MOST. Exact for 2 degrees of freedom. */
static double cut_mean(double df) {
    return 1.0 - exp(-RATIO_MOST * df / 2.0);
}

/* Return the estimating equation of the slope, which is positive if `slope` is too small. */
static double score(const struct gate_dispersion_point *points, uint32_t count, double slope) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double expected = 1.0 + slope * points[i].weight;
        double ratio = fmin(points[i].phi / expected, RATIO_MOST);
        sum += points[i].weight / expected * (ratio - cut_mean(points[i].df));
    }
    return sum;
}

double gate_dispersion_slope(const struct gate_dispersion_point *points, uint32_t count) {
    double low = SLOPE_LEAST, high = SLOPE_MOST;
    if (count == 0 || score(points, count, 0.0) <= 0.0)
        return 0.0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = sqrt(low * high);
        *(score(points, count, middle) > 0.0 ? &low : &high) = middle;
    }
    return low;
}

/* Return the median of chi-square / df by Wilson & Hilferty. */
static double median_ratio(double df) {
    return pow(1.0 - 2.0 / (9.0 * df), 3.0);
}

/* Return whether more than half of the points, weighted by their information on the slope, exceed the median that they
 * would have at `slope`. */
static bool is_below_median(const struct gate_dispersion_point *points, uint32_t count, double slope) {
    double above = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double median = median_ratio(points[i].df), expected = 1.0 + slope * points[i].weight;
        /* Variation of points with a small weight is mostly sampling at any slope, so they count less. */
        double information = points[i].weight / expected;
        above += points[i].phi > median * expected ? information : -information;
    }
    return above > 0.0;
}

double gate_dispersion_median_slope(const struct gate_dispersion_point *points, uint32_t count) {
    double low = SLOPE_LEAST, high = SLOPE_MOST;
    if (count == 0 || !is_below_median(points, count, 0.0))
        return 0.0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = sqrt(low * high);
        *(is_below_median(points, count, middle) ? &low : &high) = middle;
    }
    return low;
}

bool gate_dispersion_is_steady(const struct gate_dispersion_point *point, double steady_slope) {
    enum { LEAST_DF = 4 };
    static const double Z95 = 1.645;
    double spread = 2.0 / (9.0 * point->df), upper = pow(1.0 - spread + Z95 * sqrt(spread), 3.0);
    return point->df >= LEAST_DF && point->phi <= upper * (1.0 + steady_slope * point->weight);
}

/* ---- size of an event, from the variation between runs ----------------------------------------------------------- */

/* Least number of runs per side. */
enum { EVENT_RUNS = 3 };

/* With fewer functions than this, the median of their variation is chance. */
enum { EVENT_FRAMES = 8 };

static bool lacks_event_size(const struct gate_pair *pair) {
    if (gate_sample_type_is_level(pair->type.type) || gate_pair_is_series(pair))
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++) {
            const struct gate_counts_model *counts = &pair->sides[side].runs[r].counts;
            if (pair->sides[side].run_count < EVENT_RUNS || counts->kind != GATE_COUNTS_UNKNOWN ||
                counts->size_column != GATE_NO_INDEX)
                return false;
        }
    return true;
}

/* Return the size of an event whose Poisson counts vary as the self cost of a frame does; 0 if it does not vary. */
static double event_size_of(const struct gate_pair *pair, const struct gate_delta_list *deltas, uint32_t item) {
    double chi_square = 0.0, df = 0.0;
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *from = &pair->sides[side];
        double p = gate_share(deltas->items[item].value[GATE_SELF][side], from->total);
        if (!(p > 0.0 && p < 1.0))
            continue;
        for (uint32_t r = 0; r < from->run_count; r++) {
            uint32_t run = gate_first_run(pair, (enum gate_side_name)side) + r;
            double total = (double)from->runs[r].total, expected = p * total;
            double residual = (double)gate_tally_at(deltas, GATE_SELF, run, item)->value - expected;
            if (expected > 0.0)
                chi_square += residual * residual / (expected * (1.0 - p));
        }
        df += from->run_count - 1.0;
    }
    return df > 0.0 ? chi_square / df / median_ratio(df) : 0.0;
}

bool gate_dispersion_event_size(double *size, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                struct gate_arena *arena, struct gate_error *err) {
    *size = 0.0;
    if (!lacks_event_size(pair))
        return true;
    uint32_t count = 0;
    double *sizes = GATE_NEW_ARRAY(arena, double, deltas->count);
    if (sizes == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < deltas->count; i++) {
        sizes[count] = event_size_of(pair, deltas, i);
        count += sizes[count] > 0.0;
    }
    gate_doubles_sort(sizes, count);
    if (count > 0)
        *size = fmax(1.0, sizes[count < EVENT_FRAMES ? count - 1 : count / 2]);
    return true;
}

/* ---- noise model ------------------------------------------------------------------------------------------------- */

/* Run-to-run variation from known-good runs. Formulas: docs/statistics.md, "Noise model". */

/* Degrees of freedom of the prior. It is small because ten runs of a frame are good evidence by themselves. */
static const double PRIOR_DF = 4.0;

static const double MIN_MEAN_COUNT = 5.0;

double gate_noise_variance(const struct gate_noise *noise, struct gate_str frame, enum gate_measure measure, double p,
                           enum gate_dispersion_class class) {
    uint32_t known = gate_table_find(&noise->index, frame);
    if (known == GATE_TABLE_NONE)
        return noise->rho[measure] * p * (1.0 - p);
    const struct gate_noise_frame *row = &noise->frames[known];
    double sigma = row->sigma[measure];
    /* If the collector is busier than during calibration, its cost varies more, in proportion. */
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

/* Set `moved` to the files of the model that have another path in the pair. */
static bool find_moved(struct gate_moved_files *moved, const struct gate_noise *noise, const struct gate_pair *pair,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_str *before = GATE_NEW_ARRAY(arena, struct gate_str, noise->frame_count);
    struct gate_str *now = GATE_NEW_ARRAY(arena, struct gate_str, pair->frame_count);
    if (before == NULL || now == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < noise->frame_count; i++)
        before[i] = noise->frames[i].name;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        now[i] = pair->frames[i].name;
    const struct gate_str *const lists[GATE_SIDES] = {before, now};
    const uint32_t counts[GATE_SIDES] = {noise->frame_count, pair->frame_count};
    return gate_moved_files_since(moved, pair->language, lists, counts, arena, err);
}

/* Give functions that moved between the sides of the pair their new names in the model: pair->frames[now[i]] is the one
 * whose old name is key i of `old`. */
static void rename_functions(struct gate_noise_frame *frames, uint32_t count, const struct gate_table *old,
                             const uint32_t *now, const struct gate_pair *pair) {
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t key = gate_table_find(old, frames[i].name);
        if (key != GATE_TABLE_NONE)
            frames[i].name = pair->frames[now[key]].name;
    }
}

/* Find functions that moved and that the model does not know by their new names. `old` gets their names in the
 * baseline, and now[i] is the frame of the i-th. */
static bool find_renamed(struct gate_table *old, uint32_t **now, const struct gate_noise *noise,
                         const struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    gate_table_init(old, arena);
    *now = GATE_NEW_ARRAY(arena, uint32_t, pair->frame_count);
    if (*now == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const struct gate_frame *frame = &pair->frames[i];
        if (frame->old_name.len == 0 || gate_table_find(&noise->index, frame->name) != GATE_TABLE_NONE)
            continue;
        const uint32_t key = gate_table_intern(old, frame->old_name);
        if (key == GATE_TABLE_NONE)
            return gate_arena_error(arena, err);
        (*now)[key] = i;
    }
    return true;
}

bool gate_noise_follow(const struct gate_noise **out, const struct gate_noise *noise, const struct gate_pair *pair,
                       struct gate_arena *arena, struct gate_error *err) {
    struct gate_moved_files moved = {0};
    struct gate_table old;
    uint32_t *now;
    *out = noise;
    if (!find_moved(&moved, noise, pair, arena, err) || !find_renamed(&old, &now, noise, pair, arena, err))
        return false;
    if (moved.count == 0 && old.count == 0)
        return true;
    struct gate_noise *copy = GATE_NEW_ARRAY(arena, struct gate_noise, 1);
    struct gate_noise_frame *frames = GATE_NEW_ARRAY(arena, struct gate_noise_frame, noise->frame_count);
    if (copy == NULL || frames == NULL)
        return gate_arena_error(arena, err);
    *copy = *noise;
    copy->frames = frames;
    for (uint32_t i = 0; i < noise->frame_count; i++) {
        frames[i] = noise->frames[i];
        frames[i].name = gate_moved_files_name(&moved, frames[i].name, arena);
        if (frames[i].name.ptr == NULL)
            return gate_arena_error(arena, err);
    }
    rename_functions(frames, noise->frame_count, &old, now, pair);
    *out = copy;
    return gate_noise_index(copy, arena, err);
}

/* Steps of a level between builds are changes of the program, not noise. With fewer builds than BUILDS_LEAST, a step
 * does not stand out. */
enum { BUILDS_LEAST = 4 };

/* A step is larger than 8 times the median step between builds, 4 standard errors of the runs of two builds, and 10% of
 * the higher level. */
static const double STEP_MEDIANS = 8.0, STEP_ERRORS = 4.0, STEP_PART = 0.1;

static double variance(const double *values, uint32_t count) {
    double mean = 0.0, square = 0.0;
    for (uint32_t i = 0; i < count; i++)
        mean += values[i] / count;
    for (uint32_t i = 0; i < count; i++)
        square += (values[i] - mean) * (values[i] - mean);
    return square / (count - 1.0);
}

/* Return the part of the variance of builds->values that is left without the steps that stand out; 1: none does. Each
 * step takes one of the degrees of freedom between builds. */
static double part_without_steps(struct gate_run_builds *builds, uint32_t runs) {
    if (builds->of == NULL || builds->count < BUILDS_LEAST)
        return 1.0;
    const double before = variance(builds->values, runs);
    const double within = gate_run_builds_within(builds->values, runs, builds); /* sets the means */
    const double error = sqrt(2.0 * within * builds->count / runs);             /* of the difference of two builds */
    double shift = 0.0;
    uint32_t count = 0;
    for (uint32_t b = 0; b + 1 < builds->count; b++)
        builds->steps[b] = fabs(builds->means[b + 1] - builds->means[b]);
    gate_doubles_sort(builds->steps, builds->count - 1);
    const double median =
        builds->steps[(builds->count - 2) / 2]; /* the lower one, as a change that is taken back makes two steps */
    for (uint32_t b = 0; b < builds->count; b++) {
        const double last = builds->means[b > 0 ? b - 1 : 0], step = builds->means[b] - last;
        const double least =
            fmax(fmax(STEP_MEDIANS * median, STEP_ERRORS * error), STEP_PART * fmax(builds->means[b], last));
        const bool stands_out = fabs(step) > least;
        count += stands_out;
        shift += stands_out ? step : 0.0;
        builds->steps[b] = shift;
    }
    for (uint32_t r = 0; r < runs; r++)
        builds->values[r] -= builds->steps[builds->of[r]];
    if (count == 0 || count + 1 >= builds->count)
        return 1.0;
    const double degrees = builds->count - 1.0;
    return fmin(variance(builds->values, runs) / before * degrees / (degrees - count), 1.0);
}

/* Compute the dispersion of one item over the calibration runs. Returns false if it cannot vary. */
static bool noise_phi(double *phi, struct gate_effective *sums, const struct gate_pair *pair,
                      const struct gate_delta_list *deltas, uint32_t item, enum gate_measure measure,
                      struct gate_run_builds *builds) {
    const struct gate_side *side = &pair->sides[GATE_BASELINE];
    struct gate_dispersion within = {0};
    if (!gate_effective_of(sums, pair, deltas, item, measure, GATE_BASELINE))
        return false;
    gate_dispersion_add(&within, pair, deltas, item, measure, GATE_BASELINE, sums);
    for (uint32_t r = 0; r < side->run_count && builds->of != NULL; r++)
        builds->values[r] = gate_share(
            gate_tally_at(deltas, measure, gate_first_run(pair, GATE_BASELINE) + r, item)->value, side->runs[r].total);
    *phi = within.df > 0.0 ? within.chi_square / within.df * part_without_steps(builds, side->run_count) : 1.0;
    return within.df > 0.0;
}

/* The dispersion of all frames of one measure, by class. */
struct noise_points {
    struct gate_dispersion_point *items[GATE_DISPERSION_CLASSES];
    uint32_t count[GATE_DISPERSION_CLASSES];
};

/* Slope of phi - 1 by effective count, per class; a share varies in proportion to itself. */
struct noise_prior {
    double slope[GATE_DISPERSION_CLASSES];
};

static struct noise_prior noise_mean(struct gate_noise *noise, struct noise_points *points,
                                     const struct gate_pair *pair, const struct gate_delta_list *deltas,
                                     enum gate_measure measure, struct gate_run_builds *builds) {
    double runs = noise->run_count, sum = 0.0, phi = 1.0, common = 0.0, weights = 0.0;
    uint32_t frames = 0;
    memset(points->count, 0, sizeof points->count);
    for (uint32_t item = 0; item < deltas->count; item++) {
        struct gate_effective sums;
        if (!noise_phi(&phi, &sums, pair, deltas, item, measure, builds) || sums.n * sums.share < MIN_MEAN_COUNT * runs)
            continue;
        sum += phi;
        frames++;
        enum gate_dispersion_class class = gate_dispersion_class_of(&pair->frames[item], measure);
        points->items[class][points->count[class]++] =
            (struct gate_dispersion_point){phi, sums.n * sums.share * (1.0 - sums.share) / runs, runs - 1.0};
        const double beyond_sampling = phi > 1.0 ? 1.0 - 1.0 / phi : 0.0;
        common += noise->build_count > 0
                      ? beyond_sampling * gate_run_builds_in_common(builds->values, noise->run_count, builds)
                      : 0.0;
        weights += beyond_sampling * beyond_sampling;
    }
    /* Least squares: the part in common of a frame is `common` times its part beyond sampling. */
    noise->common[measure] = weights > 0.0 ? fmin(fmax(common / weights, 0.0), 1.0) : 0.0;
    noise->s0[measure] = frames == 0 || sum < frames ? 1.0 : sum / frames;
    noise->rho[measure] = noise->mean_events > 0.0 ? (noise->s0[measure] - 1.0) / noise->mean_events : 0.0;
    struct noise_prior prior;
    for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++)
        prior.slope[class] = gate_dispersion_slope(points->items[class], points->count[class]);
    return prior;
}

static void noise_frame(struct gate_noise_frame *out, const struct gate_noise *noise,
                        const struct noise_prior priors[GATE_MEASURES], const struct gate_pair *pair,
                        const struct gate_delta_list *deltas, uint32_t item, struct gate_run_builds *builds) {
    double df = noise->run_count - 1.0;
    *out = (struct gate_noise_frame){.name = pair->frames[item].name};
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        struct gate_effective sums;
        double phi = 1.0;
        bool varies = noise_phi(&phi, &sums, pair, deltas, item, (enum gate_measure)measure, builds);
        out->share[measure] = sums.share;
        if (!varies)
            continue;
        enum gate_dispersion_class class = gate_dispersion_class_of(&pair->frames[item], (enum gate_measure)measure);
        double target =
            1.0 + priors[measure].slope[class] * sums.n * sums.share * (1.0 - sums.share) / noise->run_count;
        /* Ten runs that agree by chance do not prove a steady frame, so no frame varies less than its class. */
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

/* Make memory for the values of one item. */
static bool builds_make(struct gate_run_builds *out, const uint32_t *of, uint32_t runs, struct gate_arena *arena,
                        struct gate_error *err) {
    *out = (struct gate_run_builds){.of = of};
    for (uint32_t r = 0; of != NULL && r < runs; r++)
        out->count = of[r] + 1 > out->count ? of[r] + 1 : out->count;
    double *memory = GATE_NEW_ARRAY(arena, double, runs + 3 * (size_t)out->count + 1);
    if (memory == NULL)
        return gate_arena_error(arena, err);
    out->values = memory;
    out->means = memory + runs;
    out->steps = out->means + out->count;
    out->sizes = out->steps + out->count;
    return true;
}

bool gate_noise_estimate(struct gate_noise *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                         const uint32_t *build_of, struct gate_arena *arena, struct gate_error *err) {
    struct gate_run_builds builds;
    const struct gate_side *side = &pair->sides[GATE_BASELINE];
    if (side->run_count < 2)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "a noise model needs at least 2 known-good runs, found %u: 10 or more make a good one",
                              side->run_count);
    struct gate_noise noise = {.type = pair->type, .run_count = side->run_count};
    noise.mean_events = side->events / side->run_count;
    noise.mix_key = pair->mix_key;
    noise.runs = GATE_NEW_ARRAY(arena, struct gate_str, side->run_count);
    noise.frames = GATE_NEW_ARRAY(arena, struct gate_noise_frame, deltas->count);
    if (noise.runs == NULL || noise.frames == NULL)
        return gate_arena_error(arena, err);
    if (!builds_make(&builds, build_of, side->run_count, arena, err))
        return false;
    const bool has_repeats = builds.count >= BUILDS_LEAST && side->run_count > builds.count;
    noise.build_count = has_repeats ? builds.count : 0;
    noise.per_work = gate_drift_estimate(side, false, has_repeats ? &builds : NULL);
    noise.per_second = gate_drift_estimate(side, true, has_repeats ? &builds : NULL);
    for (uint32_t r = 0; r < side->run_count; r++) {
        if (side->runs[r].counts.kind == GATE_COUNTS_UNKNOWN)
            return gate_error_set(err, GATE_ERR_INPUT, "'%.*s' has no countable events: nothing to calibrate",
                                  GATE_STR_ARG(side->runs[r].input.path));
        noise.runs[r] = side->runs[r].input.path;
    }
    struct noise_points points;
    for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++) {
        points.items[class] = GATE_NEW_ARRAY(arena, struct gate_dispersion_point, deltas->count);
        if (points.items[class] == NULL)
            return gate_arena_error(arena, err);
    }
    struct noise_prior priors[GATE_MEASURES];
    for (int measure = 0; measure < GATE_MEASURES; measure++)
        priors[measure] = noise_mean(&noise, &points, pair, deltas, (enum gate_measure)measure, &builds);
    for (uint32_t item = 0; item < deltas->count; item++)
        if (deltas->items[item].value[GATE_CUMULATIVE][GATE_BASELINE] > 0)
            noise_frame(&noise.frames[noise.frame_count++], &noise, priors, pair, deltas, item, &builds);
    qsort(noise.frames, noise.frame_count, sizeof *noise.frames, noise_frame_compare);
    if (!gate_noise_index(&noise, arena, err))
        return false;
    *out = noise;
    return true;
}
