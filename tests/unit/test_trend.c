/* SPDX-License-Identifier: Apache-2.0 */
/* budget/trend.h against tests/unit/trend.csv, which tests/oracle/reference.py computes, and against properties that
 * hold for any series. */
#include "gate/budget/trend.h"

#include "gate/base/hash.h"
#include "sweep.h"
#include "tests/unit/near.h"

#include <math.h>

enum { POINTS_MAX = 32 };

static struct gate_trend_fit fit_of(const double *x, const double *y, uint32_t count) {
    struct gate_trend_fit fit;
    assert_true(gate_trend_fit(&fit, x, y, count, 0.05, &arena, &err));
    return fit;
}

static uint32_t read_values(double *out, char *text) {
    uint32_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        out[count++] = strtod(word, NULL);
    return count;
}

TEST(slopes_intervals_and_p_values_match_reference_values) {
    FILE *file = fopen(GATE_SOURCE_DIR "/tests/unit/trend.csv", "r");
    char line[512];
    int rows = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file) != NULL; rows++) {
        char *rest = NULL, *xs = strtok_r(line, ",", &rest), *ys = strtok_r(NULL, ",", &rest);
        double x[POINTS_MAX], y[POINTS_MAX], expected[5];
        for (int i = 0; i < 5; i++)
            expected[i] = strtod(strtok_r(NULL, ",", &rest), NULL);
        uint32_t count = read_values(x, xs);
        assert_int_equal(read_values(y, ys), count);
        struct gate_trend_fit fit = fit_of(x, y, count);
        assert_near(fit.s, expected[0], 0);
        assert_near(fit.whole.slope, expected[2], 1e-12);
        if (fit.inflation > 1.0) /* then both intervals are wider than without serial correlation */
            continue;
        assert_near(fit.log_p, expected[1], 1e-12);
        assert_near(fit.whole.low, expected[3], 1e-12);
        assert_near(fit.whole.high, expected[4], 1e-12);
    }
    assert_int_equal(rows, 8);
    (void)fclose(file);
}

/* Negating y negates the slope, and scaling x or y scales it. */
TEST(scaled_or_mirrored_values_give_scaled_or_mirrored_results) {
    const double x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, y[] = {5, 6, 4, 8, 7, 9, 12, 10, 13};
    double scaled_x[9], scaled_y[9], turned[9];
    for (int i = 0; i < 9; i++) {
        scaled_x[i] = x[i] * 8;
        scaled_y[i] = y[i] * 4 + 1024;
        turned[i] = -y[i];
    }
    struct gate_trend_fit fit = fit_of(x, y, 9), scaled = fit_of(scaled_x, scaled_y, 9),
                          mirrored = fit_of(x, turned, 9);
    assert_near(scaled.whole.slope, fit.whole.slope / 2, 1e-12);
    assert_near(scaled.whole.low, fit.whole.low / 2, 1e-12);
    assert_near(scaled.within.high, fit.within.high / 2, 1e-12);
    assert_near(scaled.log_p, fit.log_p, 1e-12);
    assert_near(mirrored.whole.low, -fit.whole.high, 1e-12);
    assert_near(mirrored.s, -fit.s, 0);
    assert_near(mirrored.step, -fit.step, 1e-12);
}

TEST(a_step_is_found_at_its_place_and_size) {
    const double x[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, y[] = {10, 11, 9, 10, 12, 10, 30, 31, 29, 30};
    struct gate_trend_fit fit = fit_of(x, y, 10);
    assert_int_equal(fit.step_at, 6);
    assert_near(fit.step, 20, 0);
    assert_true(fit.step_residual < fit.residual);
    assert_true(fit.within.low < 0.5 && fit.within.high < 1.5);
}

TEST(a_rising_line_is_not_taken_for_a_step) {
    double x[12], y[12];
    for (int i = 0; i < 12; i++) {
        x[i] = i;
        y[i] = 100 + 5 * i + (i * 7 % 3);
    }
    struct gate_trend_fit fit = fit_of(x, y, 12);
    assert_true(fit.residual < fit.step_residual);
    assert_true(fit.within.low > 4);
    assert_true(fit.whole.low > 4.5 && fit.whole.high < 5.5);
}

/* One outlier changes a median little. */
TEST(one_outlier_hardly_changes_the_slope) {
    double x[12], y[12];
    for (int i = 0; i < 12; i++) {
        x[i] = i;
        y[i] = 50 + i % 2;
    }
    y[11] = 5000;
    struct gate_trend_fit fit = fit_of(x, y, 12);
    assert_true(fabs(fit.whole.slope) < 0.2);
    assert_true(exp(fit.log_p) > 0.05);
}

/* Neighbouring points of a wave are alike, which widens the interval. An even rise is still found. */
TEST(serial_correlation_widens_the_interval_but_keeps_a_real_slope) {
    double x[20], wave[20], curved[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i;
        wave[i] = 100 + 10 * sin(i / 2.5);
        curved[i] = 100 + 10 * i + 0.1 * i * i;
    }
    struct gate_trend_fit fit = fit_of(x, wave, 20);
    assert_true(fit.inflation > 2);
    assert_near(fit.serial, 0.95, 0); /* the estimate is capped here */
    assert_false(fit.is_exact);
    assert_true(fit.whole.low < 0 && fit.whole.high > 0);
    fit = fit_of(x, curved, 20);
    assert_true(fit.inflation > 2);
    assert_true(fit.whole.low > 9 && fit.log_p < -10);
}

TEST(medians_match_sorting_and_more_series_need_more_points) {
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2};
    assert_near(gate_trend_median(odd, 3), 3, 0);
    assert_near(gate_trend_median(even, 4), 2.5, 0);
    /* Selection finds the same value as sorting: for repeated, rising, falling and mixed values. */
    double values[200], sorted[200];
    for (uint32_t seed = 0; seed < 4000; seed++) {
        uint32_t count = 1 + seed % 199, kinds = 1 + seed % 7 * 40;
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = values[i] = seed % 3 == 0   ? (double)(gate_hash_mix(seed * 1000 + i) % kinds)
                                    : seed % 3 == 1 ? (double)(i % kinds)
                                                    : -(double)(i % kinds);
        for (uint32_t i = 1; i < count; i++)
            for (uint32_t j = i; j > 0 && sorted[j - 1] > sorted[j]; j--) {
                double other = sorted[j];
                sorted[j] = sorted[j - 1];
                sorted[j - 1] = other;
            }
        assert_near(gate_trend_median(values, count), (sorted[(count - 1) / 2] + sorted[count / 2]) / 2, 0);
    }
    assert_int_equal(gate_trend_points_needed(1, 0.01), 5);  /* 1 / 120 */
    assert_int_equal(gate_trend_points_needed(2, 0.01), 6);  /* 2 / 720 */
    assert_int_equal(gate_trend_points_needed(20, 0.01), 7); /* 20 / 5040 */
}

TEST(every_memory_limit_that_is_too_small_is_a_clean_error) {
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {1, 3, 2, 5, 4, 6};
    struct gate_trend_fit fit;
    for (struct sweep s = {0}; sweep_next(&s, 16);)
        s.done = gate_trend_fit(&fit, x, y, 6, 0.05, &s.arena, &s.err);
}
