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
    struct gate_drift drift = gate_drift_estimate(&d.sides[0], false);
    assert_true(fabs(drift.apart - sqrt(apart)) < 1e-6);
    /* Five steps of .02 count half their square each. A prior of four steps counts like all runs. */
    assert_true(fabs(drift.near - sqrt((4 * apart + 5 * 0.0004 / 2) / 9)) < 1e-6);
    assert_true(drift.near < drift.apart);
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
    struct gate_drift a = gate_drift_estimate(&sorted.sides[0], false), b = gate_drift_estimate(&mixed.sides[0], false);
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
    struct gate_drift drift = gate_drift_estimate(&d.sides[0], false);
    assert_near(drift.apart, 0.0);
    assert_near(drift.near, 0.0);
}

TEST(missing_times_or_work_give_no_drift) {
    struct drifting d;
    begin(&d, 3, 1);
    d.runs[0][1].input.work = 0;
    assert_true(isnan(gate_drift_estimate(&d.sides[0], false).apart));
    assert_false(isnan(gate_drift_estimate(&d.sides[0], true).apart)); /* the durations are known */
    begin(&d, 2, 1);
    assert_true(isnan(gate_drift_estimate(&d.sides[0], false).apart));
    begin(&d, 3, 1);
    d.profiles[0][2].time_ns = 0;
    assert_true(isnan(gate_drift_estimate(&d.sides[0], false).near));
    assert_false(isnan(gate_drift_estimate(&d.sides[0], false).apart));
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
