/* SPDX-License-Identifier: Apache-2.0 */
/* compare/pair.h: how the total cost of good runs drifts, and which runs of two sides are interleaved. */
#include "counts_fixture.h"

enum { RUNS = 6 };

#define QUARTER INT64_C(900000000000) /* of an hour, in ns */

struct drifting {
    struct gate_profile profiles[GATE_SIDES][RUNS];
    struct gate_run runs[GATE_SIDES][RUNS];
    struct gate_side sides[GATE_SIDES];
};

static void begin(struct drifting *d, uint32_t baseline_runs, uint32_t canary_runs) {
    const uint32_t counts[] = {baseline_runs, canary_runs};
    *d = (struct drifting){0};
    for (int side = 0; side < GATE_SIDES; side++) {
        d->sides[side] = (struct gate_side){.runs = d->runs[side], .run_count = counts[side]};
        for (uint32_t r = 0; r < RUNS; r++) {
            d->profiles[side][r] = (struct gate_profile){.duration_ns = 10, .time_ns = 1000 + 100 * r};
            d->runs[side][r] = (struct gate_run){.total = 1000, .events = 1e12};
            d->runs[side][r].input = (struct gate_run_input){.profile = &d->profiles[side][r], .work = 50};
        }
    }
}

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-9 * fmax(1.0, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

/* With a slow drift, any two runs differ much, but neighbours in time differ little. */
TEST(a_slow_drift_varies_little_between_neighbours) {
    struct drifting d;
    begin(&d, RUNS, 1);
    double mean = 0.0, square = 0.0;
    for (uint32_t r = 0; r < RUNS; r++) {
        d.runs[0][r].total = (int64_t)(1e6 * exp(0.02 * r));
        mean += log((double)d.runs[0][r].total) / RUNS;
    }
    for (uint32_t r = 0; r < RUNS; r++)
        square += pow(log((double)d.runs[0][r].total) - mean, 2);
    double apart = square / (RUNS - 1);
    struct gate_drift drift = gate_drift_estimate(&d.sides[0], false, NULL);
    assert_true(fabs(drift.apart - sqrt(apart)) < 1e-6);
    /* Five steps of .02 count half their square each. A prior of four steps counts like all runs. */
    assert_true(fabs(drift.near - sqrt((4 * apart + 5 * 0.0004 / 2) / 9)) < 1e-6);
    assert_true(drift.near < drift.apart);
}

/* Six runs of three builds, but for the last row. By hand: with b and w, the mean squares between and within builds,
 * (b - w) / (b + (m - 1) w) for m runs per build. */
TEST(what_runs_of_a_build_have_in_common_is_their_intraclass_correlation) {
    static const uint32_t in_turn[] = {0, 0, 1, 1, 2, 2}, uneven[] = {0, 1, 1, 1};
    static const struct {
        double values[6], part;
    } rows[] = {{{1, 1, 3, 3, 2, 2}, 1},  {{1, 3, 1, 3, 1, 3}, -1}, {{1, 3, 3, 5, 2, 4}, 0},
                {{0, 2, 6, 8, 3, 5}, .8}, {{4, 4, 4, 4, 4, 4}, 0},  {{5, 1, 2, 3}, 5.75 / 7.25}};
    double memory[3][6];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_uneven = i + 1 == sizeof rows / sizeof *rows;
        const struct gate_run_builds builds = {
            is_uneven ? uneven : in_turn, is_uneven ? 2 : 3, memory[0], memory[1], memory[2], NULL};
        assert_near(gate_run_builds_in_common(rows[i].values, is_uneven ? 4 : 6, &builds), rows[i].part);
    }
}

/* Logarithms of the cost are 0, .02, .06, .08, .03, .05 above a level: the correlation is .8, of variance and sampling.
 */
TEST(the_cost_of_a_builds_runs_has_a_part_in_common) {
    static const uint32_t of[] = {0, 0, 1, 1, 2, 2};
    static const double logs[] = {0, .02, .06, .08, .03, .05};
    double memory[3][RUNS], sampling = 1e-4, square = 0.0;
    struct drifting d;
    begin(&d, RUNS, 1);
    for (uint32_t r = 0; r < RUNS; r++) {
        d.runs[0][r].total = (int64_t)(1e15 * exp(logs[r]));
        d.runs[0][r].events = 1.0 / sampling;
        square += pow(logs[r] - .04, 2.0) / (RUNS - 1);
    }
    const struct gate_run_builds builds = {of, 3, memory[0], memory[1], memory[2], NULL};
    const struct gate_drift drift = gate_drift_estimate(&d.sides[0], true, &builds);
    assert_near(drift.common, .8 * square / (square - sampling));
    for (uint32_t r = 0; r < RUNS; r++)
        d.runs[0][r].events = 1.0;
    assert_near(gate_drift_estimate(&d.sides[0], true, &builds).common, 0.0); /* sampling explains the variation */
    assert_near(gate_drift_estimate(&d.sides[0], true, NULL).common, 0.0);
}

/* Neighbours are found by time, not by the order of the files. */
TEST(start_times_define_neighbours) {
    static const int64_t order[RUNS] = {3, 0, 5, 1, 4, 2};
    struct drifting sorted, mixed;
    begin(&sorted, RUNS, 1);
    begin(&mixed, RUNS, 1);
    for (uint32_t r = 0; r < RUNS; r++) {
        sorted.runs[0][r].total = 1000 + 30 * r;
        mixed.runs[0][r].total = 1000 + 30 * order[r];
        mixed.profiles[0][r].time_ns = 1000 + 100 * order[r];
    }
    struct gate_drift a = gate_drift_estimate(&sorted.sides[0], false, NULL),
                      b = gate_drift_estimate(&mixed.sides[0], false, NULL);
    assert_near(b.near, a.near);
    assert_near(b.apart, a.apart);
}

TEST(sampling_error_is_not_drift) {
    struct drifting d;
    begin(&d, 3, 1);
    for (uint32_t r = 0; r < 3; r++) {
        d.runs[0][r].total = 1000 + 10 * r;
        d.runs[0][r].events = 1000; /* sampling error 3%, change 1% */
    }
    struct gate_drift drift = gate_drift_estimate(&d.sides[0], false, NULL);
    assert_near(drift.apart, 0.0);
    assert_near(drift.near, 0.0);
}

TEST(missing_times_or_work_give_no_drift) {
    struct drifting d;
    begin(&d, 3, 1);
    d.runs[0][1].input.work = 0;
    assert_true(isnan(gate_drift_estimate(&d.sides[0], false, NULL).apart));
    assert_false(isnan(gate_drift_estimate(&d.sides[0], true, NULL).apart)); /* the durations are known */
    begin(&d, 2, 1);
    assert_true(isnan(gate_drift_estimate(&d.sides[0], false, NULL).apart));
    begin(&d, 3, 1);
    d.profiles[0][2].time_ns = 0;
    assert_true(isnan(gate_drift_estimate(&d.sides[0], false, NULL).near));
    assert_false(isnan(gate_drift_estimate(&d.sides[0], false, NULL).apart));
}

TEST(runs_in_turn_are_pairs) {
    static const struct {
        const char *name;
        uint32_t counts[GATE_SIDES];
        int64_t times[GATE_SIDES][3];
        bool expected;
    } rows[] = {
        {"in turn", {3, 3}, {{10, 30, 50}, {20, 40, 60}}, true},
        {"in turn, order turned over", {3, 3}, {{10, 40, 50}, {20, 30, 60}}, true},
        {"at the same time", {3, 3}, {{10, 30, 50}, {10, 30, 50}}, true},
        {"one side after the other", {3, 3}, {{10, 20, 30}, {40, 50, 60}}, false},
        {"matched across", {2, 2}, {{10, 30}, {40, 20}}, false},
        {"another number of runs", {3, 2}, {{10, 30, 50}, {20, 40}}, false},
        {"a time is not known", {2, 2}, {{0, 30}, {20, 40}}, false},
        {"one pair, near", {1, 1}, {{10}, {QUARTER + 10}}, true},
        {"one pair, too far", {1, 1}, {{10}, {QUARTER + 1000}}, false},
        {"in turn, one pair too far", {2, 2}, {{10, 3 * QUARTER}, {20, 5 * QUARTER}}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drifting d;
        begin(&d, rows[i].counts[0], rows[i].counts[1]);
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < rows[i].counts[side]; r++)
                d.profiles[side][r].time_ns = rows[i].times[side][r];
        if (gate_drift_is_interleaved(d.sides) != rows[i].expected)
            fail_msg("%s", rows[i].name);
    }
}

TEST(runs_are_sorted_by_their_rounds) {
    static const struct {
        uint32_t rounds[GATE_SIDES][3];
        bool is_told, are_pairs;
    } rows[] = {{{{1, 2, 3}, {3, 1, 2}}, true, true},
                {{{2, 2, 1}, {1, 2, 2}}, true, true},
                {{{1, 2, 3}, {1, 2, 4}}, true, false},
                {{{1, 1, 2}, {1, 2, 2}}, true, false},
                {{{0, 2, 3}, {1, 2, 3}}, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drifting d;
        begin(&d, 3, 3);
        struct gate_side *sides = d.sides;
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < 3; r++)
                sides[side].runs[r].input.round = rows[i].rounds[side][r];
        assert_int_equal(gate_drift_has_rounds(sides), rows[i].is_told);
        if (gate_drift_sort_rounds(sides) != rows[i].are_pairs)
            fail_msg("row %zu: expected %d", i, rows[i].are_pairs);
        for (uint32_t r = 1; rows[i].are_pairs && r < 3; r++)
            assert_true(sides[GATE_CANARY].runs[r - 1].input.round <= sides[GATE_CANARY].runs[r].input.round);
    }
    struct drifting uneven;
    begin(&uneven, 2, 3);
    for (uint32_t r = 0; r < 3; r++)
        uneven.runs[0][r].input.round = uneven.runs[1][r].input.round = r + 1;
    assert_false(gate_drift_sort_rounds(uneven.sides));
}
