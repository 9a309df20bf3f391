/* SPDX-License-Identifier: Apache-2.0 */
/* Finds runs that differ from the others of their side. Formulas: docs/statistics.md, "Noise model". */
#include "gate/compare/odd_run.h"

#include "gate/base/sort.h"
#include "gate/compare/evidence.h"
#include "gate/compare/noise.h"
#include "gate/compare/student.h"

#include <math.h>

/* Probability that a set of good runs loses one, over all runs and frames. */
static const double LEVEL = 0.05;

/* Minimum effective count for a frame to be tested. */
static const double LEAST_COUNT = 10.0;

/* Degrees of freedom of the class prior, in addition to the frame's own scatter. */
static const double CLASS_DF = 20.0;

/* In this order: the median of a chi-square with 1 degree of freedom; the variance of a median, relative to that of a
 * mean; the fraction of the degrees of freedom that is left if the scatter is estimated by the median. */
static const double MEDIAN_CHI_SQUARE = 0.4549364231195724;

static const double MEDIAN_VARIANCE = 1.5707963267948966;

static const double MEDIAN_EFFICIENCY = 0.37;

/* If more than 1 / ODD_PART of the runs are odd, there are two kinds of runs. */
enum { ODD_PART = 4 };

/* The cost charged to one frame in every run. */
struct row {
    uint32_t frame;
    double *share, *n; /* per run */
};

/* A row without one run. */
struct centre {
    double median, low, high; /* shares of the other runs */
    double pq;
    double phi;     /* mean of squared residuals / sampling variance */
    double scatter; /* like phi, but from the median, so that a few odd runs have no influence */
};

/* The frame in which an odd run differs most. */
struct found {
    uint32_t row;
    double log_p;
};

struct search {
    const struct gate_pair *pair;
    uint32_t runs;
    struct row *rows;
    uint32_t row_count;
    double *sorted; /* room for one value per run */
    double *log_p;  /* [row][run]; 0: not tested */
    bool *is_odd;   /* per run: found earlier, and excluded from the others */
    struct found *found;
    uint32_t odd_count, tests;
};

static double median_of(double *values, uint32_t count) {
    gate_doubles_sort(values, count);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

/* Fill shares and effective sample sizes of an item's runs. Returns false if they cannot distinguish runs. */
static bool row_fill(struct row *row, const struct search *s, const struct gate_delta_list *deltas) {
    const struct gate_side *side = &s->pair->sides[GATE_BASELINE];
    struct gate_effective sums;
    bool counted = gate_effective_of(&sums, s->pair, deltas, row->frame, GATE_CHARGED, GATE_BASELINE);
    if (!counted || !(sums.share > 0.0 && sums.share < 1.0))
        return false;
    /* Scale each run's sample size from the side's: a run without the item would have no variance of its own. */
    double design = sums.n * sums.total_sq / (sums.total * sums.total), most = 0.0;
    for (uint32_t r = 0; r < s->runs; r++) {
        const struct gate_run *run = &side->runs[r];
        double total = (double)run->total, total_sq = gate_run_weight_sq(run);
        if (!(total > 0.0) || !(total_sq > 0.0))
            return false;
        row->share[r] = (double)gate_tally_at(deltas, GATE_CHARGED, r, row->frame)->value / total;
        row->n[r] = design * total * total / total_sq;
        most = fmax(most, row->n[r] * row->share[r]);
    }
    return most >= LEAST_COUNT;
}

static bool rows_make(struct search *s, const struct gate_delta_list *deltas, struct gate_arena *arena,
                      struct gate_error *err) {
    s->rows = GATE_NEW_ARRAY(arena, struct row, deltas->count);
    s->sorted = GATE_NEW_ARRAY(arena, double, s->runs);
    if (s->rows == NULL || s->sorted == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t frame = 0; frame < deltas->count; frame++) {
        struct row *row = &s->rows[s->row_count];
        if (!s->pair->frames[frame].is_own || deltas->items[frame].value[GATE_CHARGED][GATE_BASELINE] == 0)
            continue;
        if (row->share == NULL) {
            row->share = GATE_NEW_ARRAY(arena, double, s->runs);
            row->n = GATE_NEW_ARRAY(arena, double, s->runs);
        }
        if (row->share == NULL || row->n == NULL)
            return gate_arena_error(arena, err);
        row->frame = frame;
        s->row_count += row_fill(row, s, deltas);
    }
    s->log_p = GATE_NEW_ARRAY(arena, double, (size_t)s->row_count * s->runs);
    return s->log_p != NULL || gate_arena_error(arena, err);
}

/* Return whether `r` is compared with `run`: a different run that is not odd. */
static bool is_other(const struct search *s, uint32_t run, uint32_t r) {
    return r != run && !s->is_odd[r];
}

static uint32_t others_of(const struct search *s, uint32_t run) {
    return s->runs - s->odd_count - !s->is_odd[run];
}

static struct centre centre_without(const struct search *s, const struct row *row, uint32_t run) {
    struct centre out = {0};
    uint32_t count = 0;
    for (uint32_t r = 0; r < s->runs; r++)
        if (is_other(s, run, r))
            s->sorted[count++] = row->share[r];
    out.median = median_of(s->sorted, count);
    out.low = s->sorted[0];
    out.high = s->sorted[count - 1];
    /* Clamp the share away from 0 and 1, to that of one sample, so that it has a variance. */
    double p = fmin(fmax(out.median, 1.0 / row->n[run]), 1.0 - 1.0 / row->n[run]);
    out.pq = p * (1.0 - p);
    count = 0;
    for (uint32_t r = 0; r < s->runs; r++) {
        if (!is_other(s, run, r))
            continue;
        double residual = row->share[r] - out.median;
        s->sorted[count] = residual * residual * row->n[r] / out.pq;
        out.phi += s->sorted[count++];
    }
    out.phi /= count - 1;
    out.scatter = median_of(s->sorted, count) / MEDIAN_CHI_SQUARE;
    return out;
}

/* All rows compared with one run left out. */
struct held {
    struct centre *centres;
    struct gate_dispersion_point *points;
};

static double slope_without(const struct search *s, const struct held *held, uint32_t run,
                            enum gate_dispersion_class class) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct row *row = &s->rows[i];
        const struct centre *c = &held->centres[i];
        if (row->n[run] * c->median < LEAST_COUNT / 2.0 ||
            gate_dispersion_class_of(&s->pair->frames[row->frame], GATE_CHARGED) != class)
            continue;
        held->points[count++] = (struct gate_dispersion_point){c->phi, row->n[run] * c->pq, others_of(s, run) - 1.0};
    }
    return gate_dispersion_slope(held->points, count);
}

/* Return the two-sided log p of this run's share compared with the other runs. */
static double row_log_p(const struct search *s, const struct row *row, const struct centre *c, uint32_t run,
                        double slope) {
    double n = row->n[run], others = others_of(s, run);
    double own_df = MEDIAN_EFFICIENCY * (others - 1.0);
    double target = 1.0 + slope * n * c->pq;
    double phi = fmax(target, (CLASS_DF * target + own_df * c->scatter) / (CLASS_DF + own_df));
    double scale = 1.0 / (phi * (1.0 + MEDIAN_VARIANCE / others));
    double centre = fmin(fmax(c->median, 1.0 / n), 1.0 - 1.0 / n);
    double z = gate_one_sample_z(row->share[run] * n * scale, n * scale, centre);
    return fmin(0.0, gate_student_log_p(fabs(z), CLASS_DF + own_df) + log(2.0));
}

static void hold_against_others(struct search *s, const struct held *held, uint32_t run) {
    double slopes[GATE_DISPERSION_CLASSES];
    for (uint32_t i = 0; i < s->row_count; i++)
        held->centres[i] = centre_without(s, &s->rows[i], run);
    for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++)
        slopes[class] = slope_without(s, held, run, (enum gate_dispersion_class) class);
    for (uint32_t i = 0; i < s->row_count; i++) {
        const struct row *row = &s->rows[i];
        const struct centre *c = &held->centres[i];
        if (row->n[run] * fmax(c->median, row->share[run]) < LEAST_COUNT)
            continue;
        enum gate_dispersion_class class = gate_dispersion_class_of(&s->pair->frames[row->frame], GATE_CHARGED);
        s->log_p[(size_t)i * s->runs + run] = row_log_p(s, row, c, run, slopes[class]);
        s->tests++;
    }
}

/* Drop the tests of frames in which many runs stand out: they have two states. */
static void forget_two_states(struct search *s, double level) {
    for (uint32_t i = 0; i < s->row_count; i++) {
        double *log_p = &s->log_p[(size_t)i * s->runs];
        uint32_t out = 0;
        for (uint32_t r = 0; r < s->runs; r++)
            out += log_p[r] <= level;
        for (uint32_t r = 0; out > s->runs / ODD_PART && r < s->runs; r++)
            log_p[r] = 0.0;
    }
}

static uint32_t row_of_least_p(const struct search *s, uint32_t run) {
    uint32_t least = 0;
    for (uint32_t i = 1; i < s->row_count; i++)
        if (s->log_p[(size_t)i * s->runs + run] < s->log_p[(size_t)least * s->runs + run])
            least = i;
    return least;
}

static void search_note(struct search *s, uint32_t run, double level) {
    uint32_t at = row_of_least_p(s, run);
    double log_p = s->log_p[(size_t)at * s->runs + run];
    if (s->is_odd[run] || log_p > level)
        return;
    s->found[run] = (struct found){at, fmin(0.0, log_p + log(s->tests))};
    s->is_odd[run] = true;
    s->odd_count++;
}

/* Compare every run with the others once. Returns whether more runs are odd than before; odd runs stay odd. */
static bool search_once(struct search *s, const struct held *held) {
    uint32_t before = s->odd_count;
    s->tests = 0;
    for (size_t i = 0; i < (size_t)s->row_count * s->runs; i++)
        s->log_p[i] = 0.0;
    for (uint32_t r = 0; r < s->runs; r++)
        hold_against_others(s, held, r);
    if (s->tests == 0)
        return false;
    double level = log(LEVEL) - log(s->tests);
    forget_two_states(s, level);
    for (uint32_t r = 0; r < s->runs; r++)
        search_note(s, r, level);
    return s->odd_count > before;
}

static void list_make(struct gate_odd_run_list *out, const struct search *s) {
    for (uint32_t r = 0; r < s->runs; r++) {
        if (!s->is_odd[r])
            continue;
        const struct row *row = &s->rows[s->found[r].row];
        struct centre c = centre_without(s, row, r);
        out->items[out->count++] =
            (struct gate_odd_run){.run = r, .frame = row->frame, .share = row->share[r], .low = c.low, .high = c.high};
    }
}

bool gate_odd_run_find(struct gate_odd_run_list *out, const struct gate_pair *pair,
                       const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err) {
    struct search s = {.pair = pair, .runs = pair->sides[GATE_BASELINE].run_count};
    *out = (struct gate_odd_run_list){0};
    if (s.runs < GATE_ODD_RUN_LEAST)
        return true;
    if (!rows_make(&s, deltas, arena, err))
        return false;
    const struct held held = {GATE_NEW_ARRAY(arena, struct centre, s.row_count),
                              GATE_NEW_ARRAY(arena, struct gate_dispersion_point, s.row_count)};
    s.is_odd = GATE_NEW_ARRAY(arena, bool, s.runs);
    s.found = GATE_NEW_ARRAY(arena, struct found, s.runs);
    out->items = GATE_NEW_ARRAY(arena, struct gate_odd_run, s.runs);
    if (held.centres == NULL || held.points == NULL || s.is_odd == NULL || s.found == NULL || out->items == NULL)
        return gate_arena_error(arena, err);
    /* An odd run can hide another one, so the search is repeated without it. */
    while (search_once(&s, &held))
        if (s.odd_count > s.runs / ODD_PART)
            break;
    list_make(out, &s);
    out->is_split = out->count > s.runs / ODD_PART;
    return true;
}
