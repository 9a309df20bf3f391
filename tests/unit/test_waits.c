/* SPDX-License-Identifier: Apache-2.0 */
/* compare/waits.h: the load of both sides by the number of waits in profiles of delays. */
#include "tests/unit/pair_fixture.h"
#include "tests/unit/sweep.h"

#include "gate/base/buf.h"
#include "gate/compare/waits.h"

#include <math.h>

enum { FUNCTIONS_MAX = 5 };

/* Waits of functions main.a, main.b, ... on each side; a row of zeros ends the list. */
struct waits {
    int of[FUNCTIONS_MAX][GATE_SIDES];
};

/* Three functions that have twice the waits in the canary. */
static const struct waits doubled = {{{20, 40}, {30, 60}, {50, 100}}};

static const struct gate_pair_options delays = {.sample_type = {"delay", 5}};

static void set_type(struct gate_profile *profile, const char *from, const char *to) {
    for (uint32_t i = 0; i < profile->sample_type_count; i++)
        if (gate_str_equal(profile->sample_types[i].type, gate_str_from(from)))
            profile->sample_types[i].type = gate_str_from(to);
}

/* Add a mutex profile of 10 s to a side, in which each wait took `wait_ns`. */
static void add_run_of(struct pair_fixture *fixture, enum gate_side_name side, const struct waits *waits, int wait_ns) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_buf_text(&text, "--- mutex:\ncycles/second=1000000000\nsampling period=1\n");
    for (int i = 0; i < FUNCTIONS_MAX; i++)
        if (waits->of[i][side] > 0)
            gate_buf_printf(&text, "%d %d @ 0x%x\n#\t0x%x\tmain.%c+0x1\t/shop/a.go:3\n", wait_ns * waits->of[i][side],
                            waits->of[i][side], 0x4000 + i, 0x4000 + i, 'a' + i);
    gate_buf_char(&text, '\0');
    struct gate_str kept = gate_str_format(&fixture->arena, "%s", text.ptr);
    fixture_add(fixture, side, kept.ptr);
    fixture->profiles[side][fixture->counts[side] - 1].duration_ns = INT64_C(10000000000);
}

static void add_run(struct pair_fixture *fixture, enum gate_side_name side, const struct waits *waits) {
    add_run_of(fixture, side, waits, 1000);
}

static void add_sides(struct pair_fixture *fixture, const struct waits *waits) {
    add_run(fixture, GATE_BASELINE, waits);
    add_run(fixture, GATE_CANARY, waits);
}

/* Make the pair of delays, and return its ratio of waits. */
static double ratio_of(struct pair_fixture *fixture) {
    fixture_make(fixture, &delays);
    struct gate_comparison comparison = {.pair = fixture->pair};
    assert_true(gate_waits_find(&comparison, &delays, &fixture->arena, &fixture->err));
    assert_int_equal(fixture->err.code, GATE_OK);
    return comparison.waits_ratio;
}

static void assert_ratio(double found, double expected, const char *what) {
    if (!(fabs(found - expected) <= 1e-12))
        fail_msg("%s: found %.17g, expected %.17g", what, found, expected);
}

TEST(the_ratio_follows_the_load) {
    static const struct {
        const char *what;
        struct waits waits;
        double ratio;
    } rows[] = {
        {"twice the load", {{{20, 40}, {30, 60}, {50, 100}}}, 2.0},
        {"half the load", {{{40, 20}, {60, 30}, {100, 50}}}, 0.5},
        {"the same load", {{{20, 20}, {30, 30}, {50, 50}}}, 1.0},
        {"two functions", {{{50, 100}, {50, 100}}}, 0.0},
        {"19 waits of a third function in the baseline", {{{50, 100}, {50, 100}, {19, 38}}}, 0.0},
        {"19 waits of a third function in the canary", {{{100, 50}, {100, 50}, {38, 19}}}, 0.0},
        {"one lock that is held longer", {{{20, 200}, {100, 100}, {100, 100}}}, 0.0},
        {"one lock that is held longer, listed last", {{{100, 100}, {100, 100}, {20, 200}}}, 0.0},
        {"one lock that is held shorter", {{{100, 100}, {200, 20}, {100, 100}}}, 0.0},
        {"ratios that differ by 1.5", {{{20, 40}, {20, 60}, {20, 40}}}, 140.0 / 60.0},
        {"the same, the least one last", {{{20, 60}, {20, 60}, {20, 40}}}, 160.0 / 60.0},
        {"ratios that differ by more", {{{20, 40}, {20, 61}, {20, 40}}}, 0.0},
        {"functions that differ by more, at four", {{{20, 40}, {20, 50}, {20, 60}, {20, 61}}}, 0.0},
        {"80% of all waits", {{{20, 40}, {20, 40}, {20, 40}, {15, 30}}}, 2.0},
        {"less than 80% in the baseline", {{{20, 40}, {20, 40}, {20, 40}, {16, 30}}}, 0.0},
        {"less than 80% in the canary", {{{20, 40}, {20, 40}, {20, 40}, {15, 31}}}, 0.0},
        {"one of 5%, by the clock", {{{100, 200}, {100, 200}, {180, 360}, {20, 20}}}, 0.0},
        {"one of less, by the clock", {{{100, 200}, {100, 200}, {181, 362}, {20, 20}}}, 2.0},
        {"one of 5% of the canary", {{{200, 100}, {200, 100}, {360, 180}, {20, 20}}}, 0.0},
        {"one of less of the canary", {{{200, 100}, {200, 100}, {362, 181}, {20, 20}}}, 0.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(fixture_end) struct pair_fixture fixture = {0};
        add_sides(&fixture, &rows[i].waits);
        assert_ratio(ratio_of(&fixture), rows[i].ratio, rows[i].what);
    }
}

/* More runs, and longer ones, have more waits at the same load. */
TEST(the_ratio_is_per_second) {
    AT_END(fixture_end) struct pair_fixture fixture = {0};
    AT_END(fixture_end) struct pair_fixture longer = {0};
    AT_END(fixture_end) struct pair_fixture unknown = {0};
    add_sides(&fixture, &doubled);
    add_run(&fixture, GATE_CANARY, &doubled);
    assert_ratio(ratio_of(&fixture), 2.0, "two runs of the canary");
    add_sides(&longer, &doubled);
    longer.profiles[GATE_CANARY][0].duration_ns *= 4;
    assert_ratio(ratio_of(&longer), 0.5, "a canary that took 40 s");
    add_sides(&unknown, &doubled);
    unknown.profiles[GATE_CANARY][0].duration_ns = 0;
    assert_ratio(ratio_of(&unknown), 0.0, "a duration that is not known");
}

TEST(each_run_has_to_count_its_waits) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (int run = 0; run < 2; run++) {
            AT_END(fixture_end) struct pair_fixture fixture = {0};
            add_sides(&fixture, &doubled);
            add_sides(&fixture, &doubled);
            set_type(&fixture.profiles[side][run], "contentions", "lock_count");
            assert_ratio(ratio_of(&fixture), 0.0, "a run without contentions");
        }
}

TEST(only_delays_of_whole_profiles_have_a_ratio) {
    static const struct gate_label_match part = {0};
    AT_END(fixture_end) struct pair_fixture fixture = {0};
    add_sides(&fixture, &doubled);
    fixture_make(&fixture, &delays);
    struct gate_comparison rows[] = {
        {.pair = fixture.pair},
        {.pair = fixture.pair, .part = &part},
        {.pair = fixture.pair, .is_filtered = true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(gate_waits_find(&rows[i], &delays, &fixture.arena, &fixture.err));
        assert_ratio(rows[i].waits_ratio, i == 0 ? 2.0 : 0.0, "part or filter");
    }
    const struct gate_pair_options counts = {.sample_type = GATE_STR("contentions")};
    fixture_make(&fixture, &counts);
    struct gate_comparison of_counts = {.pair = fixture.pair};
    assert_true(gate_waits_find(&of_counts, &counts, &fixture.arena, &fixture.err));
    assert_ratio(of_counts.waits_ratio, 0.0, "the counts themselves");
}

/* A side without waits, without delays, or with neither, is no error. */
TEST(a_side_without_waits_or_delays_has_no_ratio) {
    static const struct waits none = {0};
    static const char text[] = "--- mutex:\ncycles/second=1000000000\nsampling period=1\n"
                               "9000 0 @ 0x4000\n#\t0x4000\tmain.a+0x1\t/shop/a.go:3\n";
    for (int side = 0; side < GATE_SIDES; side++) {
        AT_END(fixture_end) struct pair_fixture no_waits = {0};
        AT_END(fixture_end) struct pair_fixture no_delays = {0};
        AT_END(fixture_end) struct pair_fixture empty = {0};
        enum gate_side_name one = (enum gate_side_name)side, other = (enum gate_side_name)(1 - side);
        add_run(&no_waits, one, &doubled);
        fixture_add(&no_waits, other, text);
        no_waits.profiles[other][0].duration_ns = INT64_C(10000000000);
        assert_ratio(ratio_of(&no_waits), 0.0, "delays without a wait");
        add_run(&no_delays, one, &doubled);
        add_run_of(&no_delays, other, &doubled, 0);
        assert_ratio(ratio_of(&no_delays), 0.0, "waits of 0 ns");
        add_run(&empty, one, &doubled);
        add_run(&empty, other, &none);
        assert_ratio(ratio_of(&empty), 0.0, "no samples");
    }
}

/* One side has more runs, so that a limit may be enough for the list of the other one alone. */
TEST(find_ends_within_any_memory) {
    for (int side = 0; side < GATE_SIDES; side++) {
        AT_END(fixture_end) struct pair_fixture fixture = {0};
        add_sides(&fixture, &doubled);
        for (int run = 1; run < 6; run++)
            add_run(&fixture, (enum gate_side_name)side, &doubled);
        fixture_make(&fixture, &delays);
        for (struct sweep s = {0}; sweep_next(&s, 64);) {
            struct gate_comparison comparison = {.pair = fixture.pair};
            s.done = gate_waits_find(&comparison, &delays, &s.arena, &s.err);
            assert_ratio(comparison.waits_ratio, s.done ? 2.0 : 0.0, "a limit of memory");
        }
    }
}

TEST(waits_are_uneven_beyond_a_factor_of_1_5) {
    static const struct {
        double ratio;
        bool work_is_known;
        enum gate_equal equal_given;
        bool is_uneven;
    } rows[] = {
        {1.5, false, GATE_EQUAL_UNKNOWN, false},       {1.51, false, GATE_EQUAL_UNKNOWN, true},
        {1.0 / 1.5, false, GATE_EQUAL_UNKNOWN, false}, {1.0 / 1.51, false, GATE_EQUAL_UNKNOWN, true},
        {1.0, false, GATE_EQUAL_UNKNOWN, false},       {0.0, false, GATE_EQUAL_UNKNOWN, false},
        {2.0, true, GATE_EQUAL_UNKNOWN, false},        {0.5, true, GATE_EQUAL_UNKNOWN, false},
        {2.0, false, GATE_EQUAL_TIME, false},          {0.5, false, GATE_EQUAL_SHARE, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_comparison comparison = {
            .waits_ratio = rows[i].ratio, .work_is_known = rows[i].work_is_known, .equal_given = rows[i].equal_given};
        if (gate_waits_are_uneven(&comparison) != rows[i].is_uneven)
            fail_msg("row %zu: a ratio of %g", i, rows[i].ratio);
    }
}
