/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/trend.h"

#include "gate/base/arena.h"
#include "gate/base/figures.h"
#include "gate/base/sort.h"
#include "gate/base/str.h"
#include "gate/budget/hypotheses.h"
#include "gate/budget/outcome.h"
#include "gate/compare/delta.h"
#include "gate/compare/holm.h"
#include "gate/compare/student.h"
#include "gate/model/unit.h"
#include "gate/rules/guard_rules.h"
#include "gate/rules/limit.h"
#include "gate/rules/rules.h"

#include <math.h>
#include <stdlib.h>

/* Return the measure of a frame that the trend follows. For the total it is GATE_CUMULATIVE. */
static enum gate_measure trend_terms_measure(enum gate_trend_of of) {
    switch (of) {
    case GATE_TREND_OF_SELF:
        return GATE_SELF;
    case GATE_TREND_OF_CUMULATIVE:
    case GATE_TREND_OF_TOTAL:
        return GATE_CUMULATIVE;
    default:
        return GATE_CHARGED;
    }
}

/* ---- Kendall's S ------------------------------------------------------------------------------------------------- */

/** Longer series use the normal approximation. */
enum { GATE_KENDALL_EXACT_MAX = 30 };

bool gate_kendall_begin(struct gate_kendall *out, struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_kendall){.is_exact = true, .chances = GATE_NEW_ARRAY(arena, double, 1), .chance_count = 1};
    if (out->chances == NULL)
        return gate_arena_error(arena, err);
    out->chances[0] = 1.0;
    return true;
}

/* Convolve two distributions: the distribution of the sum. */
static double *convolve(const double *a, uint32_t a_count, const double *b, uint32_t b_count,
                        struct gate_arena *arena) {
    double *sum = GATE_NEW_ARRAY(arena, double, (size_t)a_count + b_count);
    for (uint32_t i = 0; sum != NULL && i < a_count; i++)
        for (uint32_t j = 0; j < b_count; j++)
            sum[i + j] += a[i] * b[j];
    return sum;
}

/* Return the distribution of the number of inversions between `tied` equal values and `others` smaller ones in a random
 * order. These are the coefficients of the Gaussian binomial [others + tied, tied]. The recurrence uses no
 * subtraction. */
static double *inversions(uint32_t others, uint32_t tied, struct gate_arena *arena) {
    const uint32_t size = others * tied + 1;
    /* row[a]: the coefficients of [a + b, a] for the current b */
    double *rows = GATE_NEW_ARRAY(arena, double, ((size_t)tied + 1) * size);
    if (rows == NULL)
        return NULL;
    for (uint32_t a = 0; a <= tied; a++)
        rows[(size_t)a * size] = 1.0;
    for (uint32_t b = 1; b <= others; b++)
        for (uint32_t a = 1; a <= tied; a++) {
            /* If the last of a + b values is one of the others, it is before no other value. If it is a tied one, all b
             * others are before it. [a+b, a]_q = [a+b-1, a-1]_q q^b + [a+b-1, a]_q, with probabilities a / (a+b) and b
             * / (a+b). */
            const double *less = &rows[(size_t)(a - 1) * size];
            double *row = &rows[(size_t)a * size];
            double tied_last = (double)a / (a + b), other_last = (double)b / (a + b);
            for (uint32_t i = a * b + 1; i-- > 0;)
                row[i] = other_last * row[i] + (i >= b ? tied_last * less[i - b] : 0.0);
        }
    return &rows[(size_t)tied * size];
}

/* Sort ascending; insertion is enough for few values. */
static void sort(double *values, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        double value = values[i];
        uint32_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

static bool add_group(struct gate_kendall *kendall, uint32_t before, uint32_t tied, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_arena scratch;
    if (before == 0)
        return true;
    gate_arena_fork(&scratch, arena);
    const double *more = inversions(before, tied, &scratch);
    double *sum =
        more == NULL ? NULL : convolve(kendall->chances, kendall->chance_count, more, before * tied + 1, arena);
    bool is_full = sum == NULL;
    if (is_full)
        (void)gate_arena_error(more == NULL ? &scratch : arena, err);
    gate_arena_free(&scratch);
    if (is_full)
        return false;
    kendall->chances = sum;
    kendall->chance_count += before * tied;
    return true;
}

bool gate_kendall_add(struct gate_kendall *kendall, const double *values, uint32_t count, struct gate_arena *arena,
                      struct gate_error *err) {
    const double n = count;
    double *sorted = GATE_NEW_ARRAY(arena, double, count);
    if (sorted == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = values[i];
        for (uint32_t j = 0; j < i; j++)
            kendall->s += (values[i] > values[j]) - (values[i] < values[j]);
    }
    sort(sorted, count);
    kendall->variance += n * (n - 1) * (2 * n + 5) / 18;
    kendall->is_exact = kendall->is_exact && count <= GATE_KENDALL_EXACT_MAX;
    for (uint32_t from = 0, to = 0; from < count; from = to) {
        while (to < count && sorted[to] <= sorted[from])
            to++;
        const double tied = to - from;
        kendall->variance -= tied * (tied - 1) * (2 * tied + 5) / 18;
        kendall->most += tied * from;
        if (kendall->is_exact && !add_group(kendall, from, to - from, arena, err))
            return false;
    }
    return true;
}

static double exact_p(const struct gate_kendall *kendall, double s) {
    double sum = 0.0;
    /* smallest probabilities first */
    for (uint32_t i = 0; i < kendall->chance_count && kendall->most - 2.0 * i >= s - 0.5; i++)
        sum += kendall->chances[i];
    return fmin(sum, 1.0);
}

/* With continuity correction: S changes in steps of 2. */
static double normal_log_p(const struct gate_kendall *kendall, double s, double inflation) {
    double deviation = sqrt(kendall->variance * inflation);
    return deviation > 0.0 ? gate_normal_log_p((s - 1.0) / deviation) : 0.0;
}

double gate_kendall_log_p(const struct gate_kendall *kendall, double s, double inflation) {
    double by_order = kendall->is_exact ? log(exact_p(kendall, s)) : normal_log_p(kendall, s, 1.0);
    return inflation > 1.0 ? fmax(by_order, normal_log_p(kendall, s, inflation)) : by_order;
}

double gate_kendall_critical(const struct gate_kendall *kendall, double level, double inflation) {
    /* S = most - 2 i; the p value grows with i, to more than any level at the last i. */
    double in = -1.0, out = kendall->most;
    while (out - in > 1.5) {
        double middle = floor((in + out) / 2);
        if (gate_kendall_log_p(kendall, kendall->most - 2.0 * middle, inflation) <= log(level))
            in = middle;
        else
            out = middle;
    }
    return in < 0.0 ? INFINITY : kendall->most - 2.0 * in;
}

/* ---- slope, interval and step ------------------------------------------------------------------------------------ */

/* One-sided level at which a lag-1 correlation counts as found. */
static const double SERIAL_LEVEL = 0.1;

static const double SERIAL_MOST = 0.95;

/* Partition [from, to] as Hoare does. Returns the start of the second part. */
static uint32_t partition(double *values, uint32_t from, uint32_t to) {
    double pivot = values[from + (to - from) / 2];
    uint32_t i = from, j = to;
    for (;; i++, j--) {
        while (values[i] < pivot)
            i++;
        while (values[j] > pivot)
            j--;
        if (i >= j)
            return i > from ? i : from + 1;
        double other = values[i];
        values[i] = values[j];
        values[j] = other;
    }
}

/* Return the value at `rank` in sorted order, with no larger value before it and no smaller one behind it. A series of
 * 500 points has 125,000 slopes, of which three are needed. Sorts if hostile input keeps making the pivots bad. */
static double value_at(double *values, uint32_t count, uint32_t rank) {
    uint32_t from = 0, to = count - 1, left = 64;
    while (from < to && left-- > 0) {
        uint32_t second = partition(values, from, to);
        if (rank < second)
            to = second - 1;
        else
            from = second;
    }
    if (from < to)
        gate_doubles_sort(values + from, to - from + 1);
    return values[rank];
}

double gate_trend_median(double *values, uint32_t count) {
    GATE_ASSERT(count > 0);
    double upper = value_at(values, count, count / 2);
    return count % 2 == 1 ? upper : (value_at(values, count / 2, count / 2 - 1) + upper) / 2;
}

/* A series of one or two segments. Pairs of points across `split` do not count; 0: one segment. */
struct series {
    const double *x, *y;
    uint32_t count, split;
};

static uint32_t fill_slopes(double *slopes, const struct series *series) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < series->count; i++)
        for (uint32_t j = i < series->split ? 0 : series->split; j < i; j++)
            slopes[count++] = (series->y[i] - series->y[j]) / (series->x[i] - series->x[j]);
    return count;
}

/* Make the null distribution of S for the segments of `series`, without ties. It gives the ends of the slope's
 * interval. */
static bool untied(struct gate_kendall *out, const struct series *series, struct gate_arena *arena,
                   struct gate_error *err) {
    return gate_kendall_begin(out, arena, err) &&
           (series->split == 0 || gate_kendall_add(out, series->x, series->split, arena, err)) &&
           gate_kendall_add(out, series->x + series->split, series->count - series->split, arena, err);
}

/* Fit a slope. The ends of its interval are the slopes that the test at `level` just accepts: S of y - slope * x is the
 * number of pairs above the slope minus the number below. */
static bool fit_slope(struct gate_trend_slope *out, const struct series *series, double level, double inflation,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_kendall kendall;
    double *slopes = GATE_NEW_ARRAY(arena, double, (size_t)series->count * series->count / 2);
    *out = (struct gate_trend_slope){.slope = NAN, .low = -INFINITY, .high = INFINITY};
    if (slopes == NULL)
        return gate_arena_error(arena, err);
    if (!untied(&kendall, series, arena, err))
        return false;
    out->pairs = fill_slopes(slopes, series);
    if (out->pairs == 0)
        return true;
    out->slope = gate_trend_median(slopes, out->pairs);
    double critical = gate_kendall_critical(&kendall, level, inflation);
    if (!(critical <= (double)out->pairs))
        return true;
    double below = floor((out->pairs - critical) / 2);
    if (below < 0 || below >= out->pairs)
        return true;
    out->low = value_at(slopes, out->pairs, (uint32_t)below);
    out->high = value_at(slopes, out->pairs, out->pairs - 1 - (uint32_t)below);
    return true;
}

/* Return the sum of absolute deviations of a segment from its median. */
static double spread(double *scratch, const double *values, uint32_t count, double *median) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        scratch[i] = values[i];
    *median = gate_trend_median(scratch, count);
    for (uint32_t i = 0; i < count; i++)
        sum += fabs(values[i] - *median);
    return sum;
}

/* Find where two levels fit best: least absolute deviations, the earliest position if equal. */
static void find_step(struct gate_trend_fit *fit, const double *y, double *scratch) {
    fit->step_residual = INFINITY;
    for (uint32_t at = 1; at < fit->count; at++) {
        double before = 0.0, after = 0.0;
        double left = spread(scratch, y, at, &before) + spread(scratch, y + at, fit->count - at, &after);
        if (left >= fit->step_residual)
            continue;
        fit->step_residual = left;
        fit->step_at = at;
        fit->step = after - before;
    }
}

/* Compute the residuals of a slope; each segment has its own level. Returns their lag-1 correlation, and their absolute
 * sum in `*sum`. `*level` is that of the last segment. */
static double correlation(double *sum, double *level, const struct series *series, double slope, double *left,
                          double *scratch) {
    double mean = 0.0, square = 0.0, product = 0.0;
    *sum = 0.0;
    for (uint32_t i = 0; i < series->count; i++)
        left[i] = series->y[i] - slope * series->x[i];
    for (uint32_t from = 0, to = series->split; from < series->count; from = to, to = series->count) {
        if (to == 0)
            continue; /* one segment */
        for (uint32_t i = from; i < to; i++)
            scratch[i] = left[i];
        *level = gate_trend_median(scratch + from, to - from);
        for (uint32_t i = from; i < to; i++)
            left[i] -= *level;
    }
    for (uint32_t i = 0; i < series->count; i++) {
        *sum += fabs(left[i]);
        mean += left[i] / series->count;
    }
    for (uint32_t i = 0; i < series->count; i++) {
        square += (left[i] - mean) * (left[i] - mean);
        product += i == 0 ? 0.0 : (left[i] - mean) * (left[i - 1] - mean);
    }
    return square > 0.0 ? product / square : 0.0;
}

/* Return the factor of the variance for serial correlation. Fitting a line biases the correlation by -(2 + 4 rho) / n
 * (Marriott & Pope, Biometrika 41 (1954)), which is corrected. A correlation clearly above 0 is modelled as a
 * first-order process. */
static double inflation(double *serial, double found, uint32_t count) {
    const double n = count;
    double factor = 1.0, power = 1.0;
    *serial = 0.0;
    if (count < 5 || (found + 2.0 / n) * sqrt(n) < gate_normal_z(SERIAL_LEVEL))
        return factor;
    *serial = fmin((n * found + 2.0) / (n - 4.0), SERIAL_MOST);
    for (uint32_t lag = 1; lag < count; lag++) {
        power *= *serial;
        factor += 2.0 * (1.0 - lag / n) * power;
    }
    return factor;
}

/* Fit the slope of a series in which each value continues from the one before, like a random walk: the mean of its
 * differences, with Student's interval. For all other series this is more cautious than the other fits. A step is only
 * one of many differences. Returns log p of a rise. */
static double fit_drift(struct gate_trend_slope *out, const struct series *series, double level) {
    double rise = 0.0, span = 0.0, square = 0.0, count = 0.0;
    *out = (struct gate_trend_slope){.slope = NAN, .low = -INFINITY, .high = INFINITY};
    for (uint32_t i = 1; i < series->count; i++)
        if (i != series->split) {
            rise += series->y[i] - series->y[i - 1];
            span += series->x[i] - series->x[i - 1];
            count++;
        }
    if (count < 3)
        return 0.0;
    out->slope = rise / span;
    for (uint32_t i = 1; i < series->count; i++)
        if (i != series->split) {
            double step = series->x[i] - series->x[i - 1];
            double left = series->y[i] - series->y[i - 1] - out->slope * step;
            square += left * left / step;
        }
    double error = sqrt(square / (count - 1) / span);
    out->low = out->slope - gate_student_t(level, count - 1) * error;
    out->high = out->slope + gate_student_t(level, count - 1) * error;
    if (!(error > 0.0))
        return out->slope > 0.0 ? -INFINITY : 0.0;
    return gate_student_log_p(out->slope / error, count - 1);
}

/* Fit a slope, and fit it again if its residuals are correlated. */
static bool fit_corrected(struct gate_trend_slope *slope, const struct series *series, double level, double *factor,
                          struct gate_trend_fit *fit, struct gate_arena *arena, struct gate_error *err) {
    double *left = GATE_NEW_ARRAY(arena, double, 2 * (size_t)series->count);
    double sum = 0.0, at = 0.0, serial = 0.0;
    if (left == NULL)
        return gate_arena_error(arena, err);
    if (!fit_slope(slope, series, level, 1.0, arena, err))
        return false;
    double known = isfinite(slope->slope) ? slope->slope : 0.0;
    *factor = inflation(&serial, correlation(&sum, &at, series, known, left, left + series->count), series->count);
    if (series->split == 0) {
        fit->residual = sum;
        fit->intercept = at;
        fit->serial = serial;
    }
    if (!(*factor > 1.0))
        return true;
    struct gate_trend_slope drift;
    double log_p = fit_drift(&drift, series, level);
    if (series->split == 0)
        fit->log_p_drift = log_p;
    if (!fit_slope(slope, series, level, *factor, arena, err))
        return false;
    if (drift.high - drift.low < slope->high - slope->low) {
        slope->low = drift.low;
        slope->high = drift.high;
    }
    return true;
}

static bool fit_all(struct gate_trend_fit *fit, const double *x, const double *y, double level,
                    struct gate_arena *arena, struct gate_error *err) {
    struct gate_kendall kendall;
    struct series series = {x, y, fit->count, 0};
    double *scratch = GATE_NEW_ARRAY(arena, double, fit->count), within = 1.0;
    if (scratch == NULL)
        return gate_arena_error(arena, err);
    if (!gate_kendall_begin(&kendall, arena, err) || !gate_kendall_add(&kendall, y, fit->count, arena, err) ||
        !fit_corrected(&fit->whole, &series, level, &fit->inflation, fit, arena, err))
        return false;
    find_step(fit, y, scratch);
    fit->s = kendall.s;
    fit->is_exact = kendall.is_exact && !(fit->inflation > 1.0);
    fit->log_p = gate_kendall_log_p(&kendall, kendall.s, 1.0);
    fit->log_p_least = gate_kendall_log_p(&kendall, kendall.most, 1.0);
    fit->log_p = fmax(fit->log_p, fmin(gate_kendall_log_p(&kendall, kendall.s, fit->inflation), fit->log_p_drift));
    series.split = fit->step_at;
    return fit_corrected(&fit->within, &series, level, &within, fit, arena, err);
}

bool gate_trend_fit(struct gate_trend_fit *out, const double *x, const double *y, uint32_t count, double level,
                    struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    GATE_ASSERT(count >= 2);
    *out = (struct gate_trend_fit){.count = count};
    gate_arena_fork(&scratch, arena);
    bool ok = fit_all(out, x, y, level, &scratch, err);
    gate_arena_free(&scratch);
    return ok;
}

uint32_t gate_trend_points_needed(uint32_t hypotheses, double alpha) {
    double orders = 1.0;
    uint32_t points = 1;
    while (hypotheses > alpha * orders)
        orders *= ++points;
    return points;
}

/* ---- series of builds -------------------------------------------------------------------------------------------- */

enum gate_series_scale gate_series_scale_of(const struct gate_pair *pair, bool is_total) {
    const struct gate_side *side = &pair->sides[GATE_BASELINE];
    bool has_work = true, has_length = true;
    if (gate_sample_type_is_level(pair->type.type))
        return GATE_SERIES_LEVEL;
    for (uint32_t i = 0; i < side->run_count; i++) {
        has_work = has_work && side->runs[i].input.work > 0.0;
        has_length = has_length && side->runs[i].input.profile->duration_ns > 0;
    }
    if (has_work)
        return GATE_SERIES_PER_WORK;
    if (!is_total)
        return GATE_SERIES_SHARE;
    return has_length ? GATE_SERIES_PER_SECOND : GATE_SERIES_NONE;
}

static double divisor(const struct gate_run *run, enum gate_series_scale scale) {
    switch (scale) {
    case GATE_SERIES_PER_WORK:
        return run->input.work;
    case GATE_SERIES_PER_SECOND:
        return (double)run->input.profile->duration_ns / 1e9;
    case GATE_SERIES_SHARE:
        return (double)run->total;
    default:
        return 1.0;
    }
}

bool gate_series_make(struct gate_series *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                      enum gate_measure measure, uint32_t item, enum gate_series_scale scale,
                      const struct gate_series_point *points, uint32_t count, struct gate_arena *arena,
                      struct gate_error *err) {
    double *scratch = GATE_NEW_ARRAY(arena, double, count);
    *out = (struct gate_series){.count = count};
    out->y = GATE_NEW_ARRAY(arena, double, count);
    out->low = GATE_NEW_ARRAY(arena, double, count);
    out->high = GATE_NEW_ARRAY(arena, double, count);
    if (scratch == NULL || out->y == NULL || out->low == NULL || out->high == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t p = 0; p < count; p++) {
        out->low[p] = INFINITY;
        out->high[p] = -INFINITY;
        for (uint32_t r = points[p].first; r < points[p].first + points[p].count; r++) {
            const struct gate_run *run = &pair->sides[GATE_BASELINE].runs[r];
            int64_t cost = item == GATE_NO_INDEX ? run->total : gate_tally_at(deltas, measure, r, item)->value;
            double value = (double)cost / divisor(run, scale);
            out->y[p] += value / points[p].count;
            out->low[p] = fmin(out->low[p], value);
            out->high[p] = fmax(out->high[p], value);
        }
        scratch[p] = out->y[p];
    }
    out->median = count > 0 ? gate_trend_median(scratch, count) : 0.0;
    return true;
}

/* ---- one series under a limit ------------------------------------------------------------------------------------ */

/** Minimum number of points for a decision, and the maximum that is recommended. */
enum { GATE_TREND_DECIDE_LEAST = 5, GATE_TREND_DECIDE_MOST_NEEDED = 200 };

/** Return whether the series can be significant in some order; else it is in no family. Needs fit and alpha. */
static bool trend_decide_is_testable(const struct gate_trend_case *one) {
    return one->fit.count >= GATE_TREND_DECIDE_LEAST && one->fit.log_p_least <= log(one->alpha);
}

static void end(struct gate_trend_case *one, enum gate_outcome outcome, enum gate_trend_reason reason) {
    one->outcome = outcome;
    one->reason = reason;
}

/* Return how many points would put the limit outside the interval, whose width shrinks with n^1.5, and can be
 * significant among all series. 0: unknown or too many. */
static uint32_t needed_for(const struct gate_trend_case *one) {
    const struct gate_trend_slope *slope = isfinite(one->fit.within.low) ? &one->fit.within : &one->fit.whole;
    uint32_t family = one->family > one->series ? one->family : one->series;
    uint32_t least = gate_trend_points_needed(family > 0 ? family : 1, one->alpha);
    /* The interval of the slope from the pairs within the two segments decides. */
    double half = fmax(slope->slope - slope->low, slope->high - slope->slope);
    double distance = fabs(slope->slope - one->limit);
    double points = one->fit.count + 1.0;
    if (isfinite(half) && distance > 0.0)
        points = fmax(points, ceil(one->fit.count * pow(half / distance, 2.0 / 3.0)));
    else if (isfinite(half) || one->fit.inflation > 1.0)
        return 0; /* unknown */
    points = fmax(points, fmax(least, GATE_TREND_DECIDE_LEAST + 1));
    return points > GATE_TREND_DECIDE_MOST_NEEDED ? 0 : (uint32_t)points;
}

/* Return whether the step is large: 5 times the residuals from the two levels, which use 2 degrees of freedom. Noise
 * rarely reaches that. */
static bool is_large_step(const struct gate_trend_fit *fit) {
    return fit->step * (fit->count - 2.0) > 5.0 * fit->step_residual;
}

void gate_trend_decide(struct gate_trend_case *one) {
    const struct gate_trend_fit *fit = &one->fit;
    const struct gate_trend_slope *whole = &fit->whole, *within = &fit->within;
    one->points_needed = 0;
    if (fit->count >= GATE_TREND_DECIDE_LEAST && whole->high <= one->limit) {
        end(one, GATE_OUTCOME_PROVEN, GATE_TREND_WITHIN);
        return;
    }
    if (fit->count >= GATE_TREND_DECIDE_LEAST && one->unseen > 0.0 && whole->high <= one->unseen) {
        end(one, GATE_OUTCOME_PASS, GATE_TREND_UNSEEN);
        return;
    }
    bool rises = trend_decide_is_testable(one) && one->log_p_adjusted <= log(one->alpha);
    bool is_over = rises && whole->low > one->limit;
    if (is_over && within->low > one->limit) {
        end(one, one->warns_only ? GATE_OUTCOME_WARN : GATE_OUTCOME_FAIL,
            one->warns_only ? GATE_TREND_SEVERITY_WARN : GATE_TREND_OVER);
        return;
    }
    bool is_flat_beside = fit->count >= GATE_TREND_DECIDE_LEAST && is_large_step(fit) &&
                          fit->step_residual < fit->residual &&
                          (within->high <= one->limit || (one->unseen > 0.0 && within->high <= one->unseen));
    if (is_flat_beside) {
        end(one, GATE_OUTCOME_WARN, GATE_TREND_STEP);
        return;
    }
    one->points_needed = needed_for(one);
    bool too_few = fit->count < GATE_TREND_DECIDE_LEAST ||
                   fit->count < gate_trend_points_needed(one->family > 0 ? one->family : 1, one->alpha);
    end(one, one->warns_only ? GATE_OUTCOME_WARN : GATE_OUTCOME_INCONCLUSIVE,
        too_few   ? GATE_TREND_TOO_FEW_POINTS
        : is_over ? GATE_TREND_STEP_OR_SLOPE
                  : GATE_TREND_UNCERTAIN);
}

/* ---- trend budgets ----------------------------------------------------------------------------------------------- */

struct reach {
    const struct gate_trend_verdict_input *input;
    struct gate_trend_verdict *verdict;
    struct gate_arena *arena;
    struct gate_error *err;
    size_t capacity; /* of the findings of the current result */
};

static bool is_trend(const struct gate_budget *budget) {
    return gate_budget_measure_row(budget->measure)->is_trend;
}

uint32_t gate_trend_verdict_set_aside(struct gate_rules *rules, bool *has_own) {
    uint32_t count = 0;
    *has_own = false;
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        struct gate_budget *budget = &rules->budgets[i];
        if (is_trend(budget)) {
            *has_own |= budget->severity != GATE_SEVERITY_OFF;
            continue;
        }
        count += budget->severity != GATE_SEVERITY_OFF;
        budget->severity = GATE_SEVERITY_OFF;
    }
    return count;
}

/* ---- one budget -------------------------------------------------------------------------------------------------- */

static struct gate_trend_finding *add(struct gate_trend_result *result, struct reach *reach) {
    if (!GATE_GROW(reach->arena, result->findings, result->finding_count, reach->capacity)) {
        (void)gate_arena_error(reach->arena, reach->err);
        return NULL;
    }
    struct gate_trend_finding *finding = &result->findings[result->finding_count++];
    memset(finding, 0, sizeof *finding);
    return finding;
}

static bool add_plain(struct gate_trend_result *result, enum gate_outcome outcome, enum gate_trend_reason reason,
                      struct gate_str why, struct reach *reach) {
    struct gate_trend_finding *finding = add(result, reach);
    if (finding == NULL)
        return false;
    if (why.ptr == NULL)
        return gate_arena_error(reach->arena, reach->err);
    finding->name = result->budget->name;
    finding->why = why;
    finding->judged.outcome = outcome;
    finding->judged.reason = reason;
    return true;
}

/* Compute the x of each point. `x` stays NULL if times are unknown or do not ascend. */
static bool find_x(struct gate_trend_result *result, struct reach *reach) {
    const struct gate_series_point *points = reach->input->points;
    uint32_t count = reach->input->point_count;
    double unit = gate_per_ns(result->budget->per);
    double *x = GATE_NEW_ARRAY(reach->arena, double, count);
    if (x == NULL)
        return gate_arena_error(reach->arena, reach->err);
    for (uint32_t i = 0; i < count; i++) {
        if (unit > 0.0 && (points[i].time_ns <= 0 || (i > 0 && points[i].time_ns <= points[i - 1].time_ns)))
            return true;
        x[i] = unit > 0.0 ? ((double)points[i].time_ns - (double)points[0].time_ns) / unit : i;
    }
    result->x = x;
    return true;
}

/* Convert a limit to a slope of this series; NAN if it does not apply. */
static bool scale_limit(double *out, const struct gate_limit *limit, const struct gate_trend_finding *finding,
                        const struct gate_trend_result *result, struct gate_error *err) {
    struct gate_str unit = result->comparison->pair.type.unit;
    *out = NAN;
    if (limit->kind == GATE_LIMIT_INCREASE)
        *out = (limit->value - 1.0) * finding->level;
    else if (limit->kind == GATE_LIMIT_SHARE_INCREASE)
        *out = limit->value * result->whole;
    else if (result->scale != GATE_SERIES_SHARE &&
             !gate_unit_parse(out, gate_str_slice(limit->text, 1, limit->text.len), unit))
        return gate_error_set_at(err, GATE_ERR_CONFIG, limit->line, limit->column,
                                 "'%.*s' cannot be compared with '%.*s': give a unit that converts to '%.*s'",
                                 GATE_STR_ARG(limit->text), GATE_STR_ARG(result->comparison->name), GATE_STR_ARG(unit));
    return true;
}

static double mean(const double *values, uint32_t count) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i] / count;
    return sum;
}

static bool judge_limits(struct gate_trend_result *result, const struct gate_trend_finding *base, struct reach *reach) {
    const struct gate_budget *budget = result->budget;
    const double span = result->x[reach->input->point_count - 1] - result->x[base->since];
    for (uint32_t i = 0; i < budget->limit_count; i++) {
        const struct gate_limit *limit = &budget->limits[i];
        enum gate_severity severity = limit->severity < budget->severity ? limit->severity : budget->severity;
        if (severity == GATE_SEVERITY_OFF)
            continue;
        struct gate_trend_finding *finding = add(result, reach);
        if (finding == NULL)
            return false;
        *finding = *base;
        finding->limit = limit;
        finding->judged.warns_only = severity == GATE_SEVERITY_WARN;
        finding->judged.alpha = reach->input->rules->alpha;
        finding->judged.unseen = span > 0.0 ? budget->max_mde * result->whole / span : 0.0;
        if (!scale_limit(&finding->judged.limit, limit, finding, result, reach->err))
            return false;
    }
    return true;
}

/* Return the level of a series: its median, or if half of the values are 0, its mean. */
static double level_of(double median, const double *values, uint32_t count) {
    return median > 0.0 ? median : mean(values, count);
}

/* Set the level of a finding that is about a part of the series. */
static bool level_since(struct gate_trend_finding *finding, const struct reach *reach) {
    uint32_t count = finding->series.count - finding->since;
    double *values = GATE_NEW_ARRAY(reach->arena, double, count);
    if (values == NULL)
        return gate_arena_error(reach->arena, reach->err);
    memcpy(values, finding->series.y + finding->since, count * sizeof *values);
    finding->level = level_of(gate_trend_median(values, count), values, count);
    return true;
}

/* Judge the series of one item, unless it is always below min_share. */
static bool judge_item(struct gate_trend_result *result, const struct gate_delta_list *deltas, uint32_t item,
                       struct gate_trend_finding base, struct reach *reach) {
    const struct gate_trend_verdict_input *input = reach->input;
    const struct gate_pair *pair = &result->comparison->pair;
    enum gate_measure measure = trend_terms_measure(result->budget->of);
    double most = 0.0;
    for (uint32_t r = 0; item != GATE_NO_INDEX && r < pair->sides[GATE_BASELINE].run_count; r++)
        most = fmax(
            most, gate_share(gate_tally_at(deltas, measure, r, item)->value, pair->sides[GATE_BASELINE].runs[r].total));
    if (item != GATE_NO_INDEX && (!(most > 0.0) || most < result->budget->min_share))
        return true;
    if (!gate_series_make(&base.series, pair, deltas, measure, item, result->scale, input->points, input->point_count,
                          reach->arena, reach->err))
        return false;
    base.level = level_of(base.series.median, base.series.y, base.series.count);
    if (base.since > 0 && !level_since(&base, reach))
        return false;
    if (input->point_count >= 2 &&
        !gate_trend_fit(&base.judged.fit, result->x + base.since, base.series.y + base.since,
                        input->point_count - base.since, input->rules->alpha_margin, reach->arena, reach->err))
        return false;
    base.judged.fit.step_at += base.since;
    return judge_limits(result, &base, reach);
}

/* Judge a function that replaced others by itself, over the builds that have it. It is also judged in its caller, where
 * the functions that it replaced may hide that it has been rising since. settle() keeps the finding if it broke a
 * limit. */
static bool judge_since(struct gate_trend_result *result, const struct gate_delta_list *deltas, uint32_t frame,
                        struct reach *reach) {
    const struct gate_trend_replaced *replaced = reach->input->replaced;
    const struct gate_comparison *comparison = result->comparison;
    const uint32_t *began = replaced == NULL ? NULL : replaced->began[comparison - reach->input->plan->comparisons];
    if (began == NULL || began[frame] == 0 || began[frame] + GATE_TREND_DECIDE_LEAST > reach->input->point_count)
        return true;
    const struct gate_frame *of = &comparison->pair.frames[frame];
    return judge_item(result, deltas, frame,
                      (struct gate_trend_finding){.name = of->name, .frame = of, .since = began[frame]}, reach);
}

static enum gate_outcome undecided(const struct gate_budget *budget) {
    return budget->severity == GATE_SEVERITY_ERROR ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_WARN;
}

/* Add a finding if too much cost of functions that begin or end in the series is charged to very large callers. The
 * share of a caller with nearly all of the profile cannot grow, so it does not show a rise of these functions. */
static bool judge_replaced(struct gate_trend_result *result, struct reach *reach) {
    double hidden[GATE_SIDES];
    enum gate_severity severity = gate_guard_severity(reach->input->rules, GATE_GUARD_REPLACED_CODE);
    if (severity == GATE_SEVERITY_OFF || result->scale != GATE_SERIES_SHARE ||
        trend_terms_measure(result->budget->of) != GATE_CHARGED)
        return true;
    gate_replaced_hidden(hidden, result->comparison);
    if (hidden[GATE_BASELINE] <= gate_guard_limit(reach->input->rules, GATE_GUARD_REPLACED_CODE))
        return true;
    struct gate_buf why = {0};
    gate_figures_share(&why, hidden[GATE_BASELINE]);
    gate_buf_text(&why,
                  " of the profiles are functions that replaced others in the series, in callers too large to show "
                  "their growth; name those that belong together with frames.rename");
    enum gate_outcome outcome = severity == GATE_SEVERITY_ERROR ? undecided(result->budget) : GATE_OUTCOME_WARN;
    return add_plain(result, outcome, GATE_TREND_REPLACED, gate_buf_keep(&why, reach->arena), reach);
}

static bool judge_frames(struct gate_trend_result *result, struct reach *reach) {
    const struct gate_budget *budget = result->budget;
    const struct gate_pair *pair = &result->comparison->pair;
    const struct gate_delta_list *deltas = &result->comparison->deltas;
    struct gate_delta_list own;
    struct gate_delta_filter filter = {0};
    uint8_t *marks = NULL, *under = NULL;
    if (!gate_select_frames(&marks, &result->matched, &budget->select, pair, reach->arena, reach->err) ||
        !gate_select_under(&under, &budget->select, pair, reach->arena, reach->err))
        return false;
    filter.under = under;
    if (budget->as_group) {
        deltas = &own;
        return result->matched == 0 ||
               (gate_delta_group(&own, pair, marks, &filter, reach->arena, reach->err) &&
                judge_item(result, deltas, 0, (struct gate_trend_finding){.name = budget->name}, reach));
    }
    if (under != NULL) {
        deltas = &own;
        if (!gate_delta_fold(&own, pair, &filter, reach->arena, reach->err))
            return false;
    }
    bool is_any = !gate_select_names_frames(&budget->select);
    if (is_any && !judge_replaced(result, reach))
        return false;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const struct gate_trend_finding finding = {.name = pair->frames[i].name, .frame = &pair->frames[i]};
        bool is_folded = is_any && pair->frames[i].is_folded;
        if (marks[i] &&
            !(is_folded ? judge_since(result, deltas, i, reach) : judge_item(result, deltas, i, finding, reach)))
            return false;
    }
    return true;
}

/* Return why there is nothing to judge, or NULL. */
static const char *problem_of(const struct gate_trend_result *result) {
    if (result->comparison == NULL)
        return "the profiles do not have its sample type; give profiles that do, or remove the budget";
    if (result->scale == GATE_SERIES_NONE)
        return "totals of runs of unknown length cannot be compared; give the work of every run when it is accepted";
    if (result->x == NULL)
        return "the times of the profiles are not known or do not ascend; use 'per: accept'";
    for (uint32_t i = 0; i < result->budget->limit_count; i++)
        if (result->scale == GATE_SERIES_SHARE && result->budget->limits[i].kind == GATE_LIMIT_GROWTH)
            return "a limit of 'growth' needs levels, and these are shares; give the work of every run when it is "
                   "accepted, or use 'share_increase'";
    return NULL;
}

static bool judge_budget(struct gate_trend_result *result, struct reach *reach) {
    const struct gate_budget *budget = result->budget;
    const bool is_total = budget->of == GATE_TREND_OF_TOTAL;
    struct gate_series totals;
    reach->capacity = 0;
    if (gate_waiver_is_expired(budget, reach->input->today) &&
        !add_plain(result, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_EXPIRED, gate_waiver_sentence(budget, reach->arena),
                   reach))
        return false;
    if (budget->severity == GATE_SEVERITY_OFF)
        return true;
    if (result->comparison != NULL) {
        result->scale = gate_series_scale_of(&result->comparison->pair, is_total);
        if (!find_x(result, reach))
            return false;
    }
    const char *problem = problem_of(result);
    if (problem != NULL)
        return add_plain(result, undecided(budget), GATE_TREND_NOT_COMPARABLE, gate_str_from(problem), reach);
    result->whole = 1.0;
    if (result->scale != GATE_SERIES_SHARE) {
        if (!gate_series_make(&totals, &result->comparison->pair, NULL, GATE_CUMULATIVE, GATE_NO_INDEX, result->scale,
                              reach->input->points, reach->input->point_count, reach->arena, reach->err))
            return false;
        result->whole = totals.median;
    }
    if (is_total)
        return judge_item(result, NULL, GATE_NO_INDEX,
                          (struct gate_trend_finding){.name = GATE_STR("the whole profile")}, reach);
    return judge_frames(result, reach) &&
           (result->matched > 0 || !budget->must_match ||
            add_plain(result, budget->severity == GATE_SEVERITY_ERROR ? GATE_OUTCOME_FAIL : GATE_OUTCOME_WARN,
                      GATE_TREND_NO_MATCH, GATE_STR("no frame matches, and one must"), reach));
}

/* ---- all budgets ------------------------------------------------------------------------------------------------- */

/* Correct by Holm over all series that can be significant. */
static bool adjust(struct reach *reach) {
    struct gate_trend_verdict *verdict = reach->verdict;
    size_t all = 1;
    for (uint32_t i = 0; i < verdict->result_count; i++)
        all += verdict->results[i].finding_count;
    struct gate_trend_case **family = gate_arena_calloc(reach->arena, all, sizeof *family);
    double *log_p = GATE_NEW_ARRAY(reach->arena, double, all), *adjusted = GATE_NEW_ARRAY(reach->arena, double, all);
    double *attainable = GATE_NEW_ARRAY(reach->arena, double, all);
    struct gate_ranked *scratch = GATE_NEW_ARRAY(reach->arena, struct gate_ranked, 2 * all);
    if (family == NULL || log_p == NULL || adjusted == NULL || attainable == NULL || scratch == NULL)
        return gate_arena_error(reach->arena, reach->err);
    for (uint32_t i = 0; i < verdict->result_count; i++)
        for (uint32_t f = 0; f < verdict->results[i].finding_count; f++) {
            struct gate_trend_finding *finding = &verdict->results[i].findings[f];
            if (finding->limit == NULL || !trend_decide_is_testable(&finding->judged))
                continue;
            log_p[verdict->family] = finding->judged.fit.log_p;
            family[verdict->family++] = &finding->judged;
        }
    gate_holm_adjust(log_p, attainable, adjusted, scratch, verdict->family);
    for (uint32_t i = 0; i < verdict->family; i++)
        family[i]->log_p_adjusted = adjusted[i];
    return true;
}

/* Order findings: the worst first, then the one further over its limit, then by name. */
static int finding_compare(const void *left, const void *right) {
    const struct gate_trend_finding *a = left, *b = right;
    if (a->judged.outcome != b->judged.outcome)
        return a->judged.outcome > b->judged.outcome ? -1 : 1;
    double over_a = a->judged.fit.whole.slope - a->judged.limit, over_b = b->judged.fit.whole.slope - b->judged.limit;
    if (over_a != over_b)
        return over_a > over_b ? -1 : 1;
    int order = gate_str_compare(a->name, b->name);
    return order != 0 ? order : (a->limit > b->limit) - (a->limit < b->limit);
}

/* Return the number of series under a limit, of all budgets. */
static uint32_t count_series(const struct gate_trend_verdict *verdict) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < verdict->result_count; i++)
        for (uint32_t f = 0; f < verdict->results[i].finding_count; f++)
            count += verdict->results[i].findings[f].limit != NULL;
    return count;
}

/* Decide the findings of a budget, and sort them. Findings on a part of a series are kept only if they broke a limit.
 */
static void settle(struct gate_trend_result *result, uint32_t family, uint32_t series) {
    uint32_t count = result->finding_count;
    result->finding_count = 0;
    for (uint32_t f = 0; f < count; f++) {
        struct gate_trend_finding *finding = &result->findings[result->finding_count];
        *finding = result->findings[f];
        if (finding->limit != NULL) {
            finding->judged.family = family;
            finding->judged.series = series;
            gate_trend_decide(&finding->judged);
        }
        if (finding->since > 0 && finding->judged.reason != GATE_TREND_OVER &&
            finding->judged.reason != GATE_TREND_SEVERITY_WARN)
            continue;
        result->finding_count++;
        enum gate_outcome outcome = finding->judged.outcome;
        result->failed += outcome == GATE_OUTCOME_FAIL;
        result->open += outcome == GATE_OUTCOME_INCONCLUSIVE;
        result->warned += outcome == GATE_OUTCOME_WARN;
        result->held += outcome <= GATE_OUTCOME_PASS;
        result->outcome = outcome > result->outcome ? outcome : result->outcome;
    }
    if (result->finding_count > 1)
        qsort(result->findings, result->finding_count, sizeof *result->findings, finding_compare);
}

static enum gate_outcome overall(const struct gate_trend_verdict *verdict) {
    enum gate_outcome worst = GATE_OUTCOME_PASS;
    bool has_expired = false;
    for (uint32_t i = 0; i < verdict->result_count; i++) {
        const struct gate_trend_result *result = &verdict->results[i];
        if (result->outcome > worst && result->outcome != GATE_OUTCOME_WARN)
            worst = result->outcome;
        for (uint32_t f = 0; f < result->finding_count; f++)
            has_expired = has_expired || result->findings[f].judged.reason == GATE_TREND_EXPIRED;
    }
    if (worst != GATE_OUTCOME_INCONCLUSIVE)
        return worst;
    enum gate_on_inconclusive how = verdict->rules->on_inconclusive;
    if (how == GATE_ON_INCONCLUSIVE_FAIL)
        return GATE_OUTCOME_FAIL;
    return has_expired || how == GATE_ON_INCONCLUSIVE_INCONCLUSIVE ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_PASS;
}

bool gate_trend_verdict_reach(struct gate_trend_verdict *out, const struct gate_trend_verdict_input *input,
                              struct gate_arena *arena, struct gate_error *err) {
    const struct gate_rules *rules = input->rules;
    struct gate_trend_verdict verdict = {.rules = rules,
                                         .points = input->points,
                                         .point_count = input->point_count,
                                         .type = input->plan->comparisons[0].pair.type,
                                         .comparisons = input->plan->comparisons,
                                         .arena = arena,
                                         .results =
                                             GATE_NEW_ARRAY(arena, struct gate_trend_result, rules->budget_count)};
    struct reach reach = {.input = input, .verdict = &verdict, .arena = arena, .err = err};
    if (verdict.results == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget *budget = &rules->budgets[i];
        uint32_t of = input->plan->budget_comparison[i];
        if (!is_trend(budget) ||
            (budget->severity == GATE_SEVERITY_OFF && !gate_waiver_is_expired(budget, input->today)))
            continue;
        struct gate_trend_result *result = &verdict.results[verdict.result_count];
        result->budget = budget;
        result->comparison = of == GATE_NO_INDEX ? NULL : &input->plan->comparisons[of];
        if (budget->requires != GATE_REQUIRES_NOTHING && result->comparison != NULL &&
            !(result->comparison->pair.sides[GATE_BASELINE].runs[0].input.work > 0.0))
            continue;
        verdict.result_count++;
        if (!judge_budget(result, &reach))
            return false;
    }
    if (!adjust(&reach))
        return false;
    const uint32_t series = count_series(&verdict);
    for (uint32_t i = 0; i < verdict.result_count; i++)
        settle(&verdict.results[i], verdict.family, series);
    verdict.outcome = overall(&verdict);
    *out = verdict;
    return true;
}
