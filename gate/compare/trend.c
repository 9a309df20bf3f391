/* SPDX-License-Identifier: Apache-2.0 */
/* Slope, interval and step of a series (see trend.h). */
#include "gate/compare/trend.h"

#include "gate/compare/student.h"

#include <math.h>
#include <stdlib.h>

/* One end of the interval of the lag-1 correlation that counts as found. */
static const double SERIAL_LEVEL = 0.1;
static const double SERIAL_MOST = 0.95;

static int ascending(const void *a, const void *b) {
    const double *one = a, *two = b;
    return (*one > *two) - (*one < *two);
}

/* Hoare's partition of [from, to]: what is at most the pivot, then what is at least it; where the second part begins.
 */
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

/* The value at `rank` of the sorted ones: no larger one is before it then, no smaller one behind. A series of 500
 * points has 125 000 slopes, of which three are wanted. Pivots that keep missing are somebody's choice: then it sorts.
 */
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
        qsort(values + from, to - from + 1, sizeof *values, ascending);
    return values[rank];
}

double gate_trend_median(double *values, uint32_t count) {
    GATE_ASSERT(count > 0);
    double upper = value_at(values, count, count / 2);
    return count % 2 == 1 ? upper : (value_at(values, count / 2, count / 2 - 1) + upper) / 2;
}

/* A series, and where its segments part: pairs across `split` do not count. 0: there is one segment. */
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

/* S of untied values at these segments: what the interval's ends are taken from. */
static bool untied(struct gate_kendall *out, const struct series *series, struct gate_arena *arena,
                   struct gate_error *err) {
    return gate_kendall_begin(out, arena, err) &&
           (series->split == 0 || gate_kendall_add(out, series->x, series->split, arena, err)) &&
           gate_kendall_add(out, series->x + series->split, series->count - series->split, arena, err);
}

/* The ends are the slopes that the test at `level` just does not refuse: S of y - slope x is the pairs above the slope
 * less those below. */
static bool fit_slope(struct gate_trend_slope *out, const struct series *series, double level, double inflation,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_kendall kendall;
    double *slopes = GATE_NEW_ARRAY(arena, double, (size_t)series->count * series->count / 2 + 1);
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

/* Absolute deviations of a segment from its median. */
static double spread(double *scratch, const double *values, uint32_t count, double *median) {
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        scratch[i] = values[i];
    *median = gate_trend_median(scratch, count);
    for (uint32_t i = 0; i < count; i++)
        sum += fabs(values[i] - *median);
    return sum;
}

/* Where two levels fit best: least absolute deviations, the earliest of equal ones. */
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

/* What is left of a slope in each segment, whose levels are free: the sum of it, and its correlation from one point to
 * the next. `*level` is that of the last segment. */
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

/* A fitted line takes (2 + 4 rho) / n of the correlation with it (Marriott & Pope, Biometrika 41 (1954)); what is then
 * clearly above none is allowed for, as of a process of first order. Returns the factor of the variance. */
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

/* The slope of a series that carries on from where it was, as a random walk does: the mean of its differences, with
 * Student's interval. It asks more than the others of any series that does not, and of a step, which is one difference
 * among many. Returns log p of a rise. */
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

/* A slope, again where what is left of it is correlated. */
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
    double *scratch = GATE_NEW_ARRAY(arena, double, (size_t)fit->count + 1), within = 1.0;
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
    if (fit->inflation > 1.0)
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
