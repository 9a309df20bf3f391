/* SPDX-License-Identifier: Apache-2.0 */
/* Kendall's S and its distribution (see kendall.h). */
#include "gate/compare/kendall.h"

#include "gate/compare/student.h"

#include <math.h>

bool gate_kendall_begin(struct gate_kendall *out, struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_kendall){.is_exact = true, .chances = GATE_NEW_ARRAY(arena, double, 1), .chance_count = 1};
    if (out->chances == NULL)
        return gate_arena_error(arena, err);
    out->chances[0] = 1.0;
    return true;
}

/* Both lists as one: the distribution of the sum. */
static double *convolve(const double *a, uint32_t a_count, const double *b, uint32_t b_count,
                        struct gate_arena *arena) {
    double *sum = GATE_NEW_ARRAY(arena, double, (size_t)a_count + b_count);
    for (uint32_t i = 0; sum != NULL && i < a_count; i++)
        for (uint32_t j = 0; j < b_count; j++)
            sum[i + j] += a[i] * b[j];
    return sum;
}

/* How many of the pairs between `tied` equal values and `others` smaller ones are out of order, in a random order: the
 * coefficients of the Gaussian binomial [others + tied, tied], by its recurrence, in which nothing is subtracted. */
static double *inversions(uint32_t others, uint32_t tied, struct gate_arena *arena) {
    const uint32_t size = others * tied + 1;
    /* row[a]: the coefficients of [a + b, a], for b as far as the outer loop has come */
    double *rows = GATE_NEW_ARRAY(arena, double, ((size_t)tied + 1) * size);
    if (rows == NULL)
        return NULL;
    for (uint32_t a = 0; a <= tied; a++)
        rows[(size_t)a * size] = 1.0;
    for (uint32_t b = 1; b <= others; b++)
        for (uint32_t a = 1; a <= tied; a++) {
            /* The last of a + b values is one of the others: nothing is behind it; or one of the tied: its b others
             * are before it. [a+b, a]_q = [a+b-1, a-1]_q q^b + [a+b-1, a]_q, as chances of a / (a+b) and b / (a+b). */
            const double *less = &rows[(size_t)(a - 1) * size];
            double *row = &rows[(size_t)a * size];
            double tied_last = (double)a / (a + b), other_last = (double)b / (a + b);
            for (uint32_t i = a * b + 1; i-- > 0;)
                row[i] = other_last * row[i] + (i >= b ? tied_last * less[i - b] : 0.0);
        }
    return &rows[(size_t)tied * size];
}

/* Values in ascending order; few, so an insertion does. */
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
    double *sorted = GATE_NEW_ARRAY(arena, double, (size_t)count + 1);
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
    /* The smallest first. */
    for (uint32_t i = 0; i < kendall->chance_count && kendall->most - 2.0 * i >= s - 0.5; i++)
        sum += kendall->chances[i];
    return fmin(sum, 1.0);
}

/* With a correction for continuity: S moves by two. */
static double normal_log_p(const struct gate_kendall *kendall, double s, double inflation) {
    double deviation = sqrt(kendall->variance * inflation);
    return deviation > 0.0 ? gate_normal_log_p((s - 1.0) / deviation) : 0.0;
}

double gate_kendall_log_p(const struct gate_kendall *kendall, double s, double inflation) {
    double by_order = kendall->is_exact ? log(exact_p(kendall, s)) : normal_log_p(kendall, s, 1.0);
    return inflation > 1.0 ? fmax(by_order, normal_log_p(kendall, s, inflation)) : by_order;
}

double gate_kendall_critical(const struct gate_kendall *kendall, double level, double inflation) {
    /* S is `most` less 2 i; chances grow with i. */
    double in = -1.0, out = kendall->most + 1.0;
    while (out - in > 1.5) {
        double middle = floor((in + out) / 2);
        if (gate_kendall_log_p(kendall, kendall->most - 2.0 * middle, inflation) <= log(level))
            in = middle;
        else
            out = middle;
    }
    return in < 0.0 ? INFINITY : kendall->most - 2.0 * in;
}
