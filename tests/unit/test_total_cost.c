/* SPDX-License-Identifier: Apache-2.0 */
/* gate/compare/cost.h: total cost per second, per unit of work and per run, and which runs are simultaneous. */
#include "gate/compare/cost.h"
#include "tests/unit/unit.h"

#include <math.h>

enum { RUNS_MAX = 3 };

static const int64_t SECOND_NS = 1000000000;
static const int64_t START_S = 1790000000;

/* Runs of 8 s. Each has `total` units and as many events. */
struct sides {
    struct gate_profile profiles[GATE_SIDES][RUNS_MAX];
    struct gate_run runs[GATE_SIDES][RUNS_MAX];
    struct gate_pair pair;
};

static void add(struct sides *s, int side, double start_s, double length_s, int64_t total) {
    struct gate_side *own = &s->pair.sides[side];
    uint32_t at = own->run_count++;
    assert_true(at < RUNS_MAX);
    s->profiles[side][at].time_ns = START_S * SECOND_NS + (int64_t)(start_s * 1e9);
    s->profiles[side][at].duration_ns = (int64_t)(length_s * 1e9);
    s->runs[side][at] =
        (struct gate_run){.input = {.profile = &s->profiles[side][at]}, .total = total, .events = (double)total};
    s->runs[side][at].stacks.weight_sq = (double)total;
    s->runs[side][at].unit_ratio = 1;
    own->duration_ns += s->profiles[side][at].duration_ns;
    own->runs = s->runs[side];
    own->total += total;
    own->events += (double)total;
}

/* Measure the cost per second of simultaneous runs. */
static bool measured(struct gate_total_cost *out, const struct gate_pair *pair) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    return gate_pair_is_simultaneous(pair) && gate_total_cost_measure(out, pair, GATE_EQUAL_TIME, no_work);
}

TEST(one_run_per_side_has_the_assumed_deviation) {
    struct sides s = {0};
    struct gate_total_cost found;
    add(&s, GATE_BASELINE, 0, 8, 1000);
    add(&s, GATE_CANARY, 0, 8, 1600);
    assert_true(measured(&found, &s.pair));
    double deviation = sqrt(1.0 / 1000 + 1.0 / 1600 + 2 * 0.01);
    assert_float_equal(found.ratio, 1.6, 1e-12);
    assert_float_equal(found.ratio_bounds[0], 1.6 * exp(-1.6448536 * deviation), 1e-6);
    assert_float_equal(found.ratio_bounds[1], 1.6 * exp(1.6448536 * deviation), 1e-6);
    assert_float_equal(found.log_p, log(0.5 * erfc(log(1.6) / deviation / sqrt(2.0))), 1e-9);
    assert_float_equal(found.units[GATE_CANARY], 8.0, 1e-12);
    assert_float_equal(found.value[GATE_CANARY], 1600.0, 1e-9);
}

TEST(equal_sides_have_a_ratio_of_1) {
    struct sides s = {0};
    struct gate_total_cost found;
    add(&s, GATE_BASELINE, 0, 8, 500);
    add(&s, GATE_CANARY, 0.1, 8, 500);
    assert_true(measured(&found, &s.pair));
    assert_float_equal(found.ratio, 1.0, 1e-12);
    assert_float_equal(found.log_p, log(0.5), 1e-12);
}

TEST(rounds_that_agree_narrow_the_interval) {
    struct sides s = {.pair = {.is_interleaved = true}};
    struct gate_total_cost found;
    for (int i = 0; i < 3; i++) { /* the host doubled both sides of the second round */
        int64_t times = i == 1 ? 2 : 1;
        add(&s, GATE_BASELINE, 10 * i, 8, 1000 * times);
        add(&s, GATE_CANARY, 10 * i, 8, 1500 * times);
    }
    assert_true(measured(&found, &s.pair));
    double deviation = sqrt(1.0 / 4000 + 1.0 / 6000 + 2 * (4 * 0.01 / 6) / 3);
    assert_float_equal(found.ratio, 1.5, 1e-12);
    assert_float_equal(found.ratio_bounds[0], 1.5 * exp(-1.9431803 * deviation), 1e-6); /* t of 6 degrees */
}

TEST(rounds_that_differ_widen_the_interval) {
    struct sides same = {.pair = {.is_interleaved = true}}, other = {.pair = {.is_interleaved = true}};
    struct gate_total_cost narrow, wide;
    for (int i = 0; i < 3; i++) {
        add(&same, GATE_BASELINE, 10 * i, 8, 100000);
        add(&same, GATE_CANARY, 10 * i, 8, 150000);
        add(&other, GATE_BASELINE, 10 * i, 8, 100000);
        add(&other, GATE_CANARY, 10 * i, 8, 100000 + 50000 * i);
    }
    assert_true(measured(&narrow, &same.pair) && measured(&wide, &other.pair));
    assert_float_equal(narrow.ratio, wide.ratio, 1e-12);
    assert_true(wide.ratio_bounds[0] < narrow.ratio_bounds[0] && wide.log_p > narrow.log_p);
}

TEST(replicas_are_averaged) {
    struct sides s = {0};
    struct gate_total_cost found;
    add(&s, GATE_BASELINE, 0, 8, 900);
    add(&s, GATE_BASELINE, 0, 8, 1100);
    add(&s, GATE_CANARY, 0, 8, 2000);
    assert_true(measured(&found, &s.pair));
    assert_float_equal(found.ratio, 2.0, 1e-12);
}

TEST(swapped_sides_have_the_inverse_ratio) {
    struct sides s[2];
    struct gate_total_cost found[2];
    for (int turned = 0; turned < 2; turned++) {
        s[turned] = (struct sides){0};
        add(&s[turned], turned, 0, 8, 700);
        add(&s[turned], 1 - turned, 0, 8, 1300);
        assert_true(measured(&found[turned], &s[turned].pair));
    }
    assert_float_equal(found[0].ratio * found[1].ratio, 1.0, 1e-12);
    assert_float_equal(found[0].ratio_bounds[0] * found[1].ratio_bounds[1], 1.0, 1e-12);
    assert_float_equal(exp(found[0].log_p) + exp(found[1].log_p), 1.0, 1e-12);
}

TEST(runs_with_other_windows_are_not_simultaneous) {
    static const struct {
        double start_s, length_s;
        int64_t total;
        bool is_simultaneous;
    } rows[] = {{0.7, 8, 500, true},  {0.9, 8, 500, false},   {0, 7.7, 500, true},
                {0, 7.5, 500, false}, {-0.9, 8, 500, false},  {3600, 8, 500, false},
                {0, 0, 500, false},   {-1.79e9, 8, 1, false}, {0, 8, 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sides s = {0};
        struct gate_total_cost found;
        add(&s, GATE_BASELINE, 0, 8, 500);
        add(&s, GATE_CANARY, rows[i].start_s, rows[i].length_s, rows[i].total);
        if (measured(&found, &s.pair) != rows[i].is_simultaneous)
            fail_msg("row %zu: expected %s", i, rows[i].is_simultaneous ? "simultaneous" : "not simultaneous");
    }
}

TEST(a_round_has_one_window_although_a_profile_ended_late) {
    static const struct {
        double start_s, length_s;
        uint32_t round;
        bool is_simultaneous;
    } rows[] = {{0.02, 3.3, 2, true}, {0.5, 5, 2, true},     {0.1, 6.5, 2, false},
                {3.1, 3, 2, false},   {0.02, 3.3, 0, false}, {0.02, 3.3, 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sides s = {0};
        struct gate_total_cost found;
        add(&s, GATE_BASELINE, 0, 3, 300);
        add(&s, GATE_CANARY, rows[i].start_s, rows[i].length_s, 500);
        s.runs[GATE_BASELINE][0].input.round = 2;
        s.runs[GATE_CANARY][0].input.round = rows[i].round;
        if (measured(&found, &s.pair) != rows[i].is_simultaneous)
            fail_msg("row %zu: expected %s", i, rows[i].is_simultaneous ? "simultaneous" : "not simultaneous");
    }
}

TEST(one_run_without_a_partner_is_enough) {
    struct sides s = {0};
    struct gate_total_cost found;
    add(&s, GATE_BASELINE, 0, 8, 500);
    add(&s, GATE_CANARY, 0, 8, 500);
    add(&s, GATE_CANARY, 60, 8, 500);
    assert_false(measured(&found, &s.pair));
}
