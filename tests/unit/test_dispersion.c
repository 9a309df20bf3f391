/* SPDX-License-Identifier: Apache-2.0 */
/* compare/noise.h: the slope of dispersion over all frames of a class, and the size of an event. */
#include "counts_fixture.h"
#include "tests/unit/near.h"

/* Points on a line give its slope. `kept` approximates the mean of a chi-square over its degrees of freedom, capped at
 * 4. */
TEST(the_slope_of_a_line_is_found) {
    static const double weights[] = {5, 20, 80, 300};
    for (int df = 1; df <= 20; df *= 2) {
        struct gate_dispersion_point points[4];
        double kept = 1.0 - exp(-2.0 * df);
        for (size_t i = 0; i < 4; i++)
            points[i] = (struct gate_dispersion_point){kept * (1.0 + 0.03 * weights[i]), weights[i], df};
        assert_near(gate_dispersion_slope(points, 4), 0.03, 1e-9);
    }
}

/* The slope solves the score equation, which is written out here. */
TEST(the_slope_solves_the_score_equation) {
    static const struct gate_dispersion_point points[] = {{1.5, 10, 4}, {0.7, 40, 4}, {9.0, 90, 3}, {2.0, 8, 2}};
    double slope = gate_dispersion_slope(points, 4), sum = 0.0;
    for (size_t i = 0; i < 4; i++) {
        double mu = 1.0 + slope * points[i].weight;
        sum += points[i].weight / mu * (fmin(points[i].phi / mu, 4.0) - (1.0 - exp(-2.0 * points[i].df)));
    }
    assert_true(slope > 0.0);
    assert_near(sum, 0.0, 1e-6);
}

/* One erratic frame has limited influence, because its ratio counts as at most 4. */
TEST(one_erratic_frame_has_little_influence) {
    struct gate_dispersion_point points[12];
    for (uint32_t i = 0; i < 12; i++)
        points[i] = (struct gate_dispersion_point){1.0 + 0.01 * (20 + i), 20 + i, 4};
    double calm = gate_dispersion_slope(points, 11);
    points[11].phi = 45;
    double one = gate_dispersion_slope(points, 12);
    points[11].phi = 45000;
    assert_near(gate_dispersion_slope(points, 12), one, 1e-9);
    assert_true(one < 4.0 * calm);
}

/* Of frames that vary as chi-square does at its median, under half may be wild. */
TEST(the_median_slope_is_that_of_most_frames) {
    struct gate_dispersion_point points[9];
    double median = pow(1.0 - 2.0 / 36.0, 3.0);
    for (uint32_t i = 0; i < 9; i++)
        points[i] = (struct gate_dispersion_point){median * (1.0 + 0.02 * (50 + i)), 50 + i, 4};
    points[0].phi = points[1].phi = points[2].phi = points[3].phi = 1000;
    assert_near(gate_dispersion_median_slope(points, 9), 0.02, 1e-9);
    points[4].phi = 1000;
    assert_true(gate_dispersion_median_slope(points, 9) > 1.0);
    assert_near(gate_dispersion_median_slope(points, 0), 0.0, 0);
    for (uint32_t i = 0; i < 9; i++)
        points[i].phi = i < 5 ? 0.5 : 1000;
    assert_near(gate_dispersion_median_slope(points, 9), 0.0, 0);
}

/* 95% of a chi-square with 4 degrees of freedom over 4 is below 2.37. */
TEST(a_steady_frame_varies_as_most_do) {
    static const struct {
        struct gate_dispersion_point point;
        double slope;
        bool is_steady;
    } rows[] = {{{2.3, 50, 4}, 0.0, true},   {{2.45, 50, 4}, 0.0, false}, {{4.6, 50, 4}, 0.02, true},
                {{4.9, 50, 4}, 0.02, false}, {{0.1, 50, 3}, 0.0, false},  {{1.9, 50, 8}, 0.0, true},
                {{2.0, 50, 8}, 0.0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (gate_dispersion_is_steady(&rows[i].point, rows[i].slope) != rows[i].is_steady)
            fail_msg("row %zu", i);
}

TEST(frames_with_little_dispersion_have_slope_zero) {
    static const struct gate_dispersion_point points[] = {{0.5, 10, 4}, {0.9, 40, 4}};
    assert_true(gate_dispersion_slope(points, 2) == 0.0);
    assert_true(gate_dispersion_slope(points, 0) == 0.0);
}

/* Nine of ten frames have 90, 100 and 110 units in the runs of each side. */
TEST(an_event_has_the_size_that_most_frames_vary_by) {
    COUNTS(f, 10, 3, 3, 1000);
    struct gate_pair *pair = &f.comparison.pair;
    double size = 0.0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < 3; r++) {
            for (uint32_t frame = 0; frame < 10; frame++)
                counts_set(&f, frame, (enum gate_side_name)side, r, frame == 9 ? 100 : 100 + 10 * ((int)r - 1));
            pair->sides[side].runs[r].counts =
                (struct gate_counts_model){.kind = GATE_COUNTS_UNKNOWN, .size_column = GATE_NO_INDEX};
        }
    assert_true(gate_dispersion_event_size(&size, pair, &f.comparison.deltas, &arena, &err));
    /* Chi-square of a side: (10^2 + 10^2) / (1000 p q) = 2.2222; both sides have 4 degrees of freedom. */
    assert_near(size, 2.0 * 200.0 / 90.0 / 4.0 / pow(1.0 - 2.0 / 36.0, 3.0), 1e-9);
    pair->sides[GATE_CANARY].runs[2].counts.kind = GATE_COUNTS_VALUE;
    assert_true(gate_dispersion_event_size(&size, pair, &f.comparison.deltas, &arena, &err));
    assert_true(size == 0.0);
}

TEST(levels_and_fewer_than_three_runs_have_no_event_size) {
    static const struct {
        uint32_t runs;
        const char *type;
    } rows[] = {{2, "cycles"}, {3, "inuse_space"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COUNTS(f, 2, rows[i].runs, 3, 1000);
        struct gate_pair *pair = &f.comparison.pair;
        double size = 1.0;
        pair->type.type = gate_str_from(rows[i].type);
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < pair->sides[side].run_count; r++) {
                counts_set(&f, 0, (enum gate_side_name)side, r, 400 + 50 * r);
                counts_set(&f, 1, (enum gate_side_name)side, r, 600 - 50 * r);
                pair->sides[side].runs[r].counts =
                    (struct gate_counts_model){.kind = GATE_COUNTS_UNKNOWN, .size_column = GATE_NO_INDEX};
            }
        assert_true(gate_dispersion_event_size(&size, pair, &f.comparison.deltas, &arena, &err));
        assert_true(size == 0.0);
    }
}

TEST(frames_are_classed_as_own_or_runtime) {
    static const struct {
        bool is_runtime, is_own;
        enum gate_measure measure;
        enum gate_dispersion_class expected;
    } rows[] = {
        {false, true, GATE_SELF, GATE_DISPERSION_OWN},     {false, false, GATE_SELF, GATE_DISPERSION_OWN},
        {true, false, GATE_SELF, GATE_DISPERSION_RUNTIME}, {false, false, GATE_CHARGED, GATE_DISPERSION_RUNTIME},
        {false, true, GATE_CHARGED, GATE_DISPERSION_OWN},  {false, true, GATE_CUMULATIVE, GATE_DISPERSION_OWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_frame frame = {.is_runtime = rows[i].is_runtime, .is_own = rows[i].is_own};
        assert_int_equal(gate_dispersion_class_of(&frame, rows[i].measure), rows[i].expected);
    }
    assert_true(gate_dispersion_prior_df(GATE_DISPERSION_OWN) == 20.0);
    assert_true(gate_dispersion_prior_df(GATE_DISPERSION_RUNTIME) == 4.0);
}
