/* SPDX-License-Identifier: Apache-2.0 */
/* budget/reading_state.h: sums of shares, ratios and growth that the readings compare. */
#include "near.h"
#include "reading_state_fixture.h"
#include "sweep.h"

#define CLOSE 1e-9

TEST(the_total_is_per_unit_of_work) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    assert_near(gate_reading_total_at(&s.state, 1.0), 2.0, CLOSE);
    assert_near(gate_reading_total_at(&s.state, 4.0), 0.5, CLOSE);
}

/* The bound: the logarithm has the variance 1 / 1000 + 1 / 2000 + 2 * 0.1 * 0.1, and 0.5 / exp(1.645 * 0.1466) is
 * 0.39285. */
TEST(the_growth_of_the_total_is_one_if_no_work_is_known) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    s.comparison.work_ratio = 4.0;
    assert_near(gate_reading_total_growth(&s.state, false), 1.0, CLOSE);
    assert_near(gate_reading_total_growth(&s.state, true), 1.0, CLOSE);
    state_set_work(&s, 4.0);
    assert_near(gate_reading_total_growth(&s.state, false), 0.5, CLOSE);
    assert_near(gate_reading_total_growth(&s.state, true), 0.39285, 1e-5);
    s.comparison.work_in_force[GATE_CANARY] = 0.0;
    assert_near(gate_reading_total_growth(&s.state, true), 0.5, CLOSE);
}

TEST(a_limit_holds_for_shares_up_to_its_value) {
    static const struct {
        enum gate_limit_kind kind;
        double value, baseline, canary;
        bool is_within;
    } rows[] = {
        {GATE_LIMIT_SHARE_INCREASE, 0.25, 0.25, 0.5, true}, {GATE_LIMIT_SHARE_INCREASE, 0.25, 0.25, 0.625, false},
        {GATE_LIMIT_SHARE_INCREASE, 0.25, 0.5, 0.25, true}, {GATE_LIMIT_INCREASE, 2.0, 0.25, 0.5, true},
        {GATE_LIMIT_INCREASE, 2.0, 0.25, 0.625, false},     {GATE_LIMIT_INCREASE, 2.0, 0.5, 0.625, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_limit limit = {.kind = rows[i].kind, .value = rows[i].value};
        const struct gate_hypothesis h = {.limit = &limit, .limit_value = rows[i].value};
        if (gate_reading_are_shares_within(&h, rows[i].baseline, rows[i].canary) != rows[i].is_within)
            fail_msg("row %zu", i);
    }
}

TEST(new_code_is_about_the_folded_frames_and_a_function_about_its_own) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    uint32_t a = fixture_frame(&s.f, "shop.a"), b = fixture_frame(&s.f, "shop.b"), c = fixture_frame(&s.f, "shop.c");
    const struct gate_hypothesis of_a = {.frame = a}, of_group = {.frame = GATE_NO_INDEX},
                                 of_new = {.frame = a, .is_new_code = true}, of_one_side = {.frame = c};
    s.comparison.pair.frames[b].is_folded = true;
    s.comparison.pair.one_sided = c;
    assert_true(gate_reading_is_about(&of_a, &s.state, a));
    assert_false(gate_reading_is_about(&of_a, &s.state, b));
    assert_true(gate_reading_is_about(&of_new, &s.state, b));
    assert_false(gate_reading_is_about(&of_new, &s.state, a));
    assert_true(gate_reading_is_about(&of_one_side, &s.state, b));
    assert_false(gate_reading_is_about(&of_one_side, &s.state, c));
    s.comparison.pair.one_sided = GATE_NO_INDEX; /* no frame is folded, and a group has no frame either */
    assert_false(gate_reading_is_about(&of_group, &s.state, b));
}

/* A library function is charged to its caller. */
TEST(a_charged_share_is_a_part_of_its_side) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    uint32_t f = fixture_frame(&s.f, "shop.f");
    assert_near(gate_reading_charged_share(&s.state, f, GATE_BASELINE), 0.15, CLOSE);
    assert_near(gate_reading_charged_share(&s.state, f, GATE_CANARY), 0.6, CLOSE);
}

TEST(all_callers_of_a_function_are_above_it) {
    static const char *const above[] = {"start", "shop.main", "shop.a", "shop.b"};
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    uint8_t *marks = GATE_NEW_ARRAY(&s.f.arena, uint8_t, s.f.pair.frame_count);
    assert_non_null(marks);
    gate_reading_mark_above(marks, &s.state, fixture_frame(&s.f, "shop.f"));
    uint32_t count = 0;
    for (uint32_t i = 0; i < s.f.pair.frame_count; i++)
        count += marks[i];
    assert_int_equal(count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(marks[fixture_frame(&s.f, above[i])], 1);
}

/* shop.main grew, shop.c is not above shop.f, and start is no own code. */
TEST(own_callers_of_a_path_lost_what_their_shares_shrank_by) {
    static const struct {
        const char *marks[3];
        double factor, lost;
        const char *largest;
    } rows[] = {
        {{"shop.f"}, 1.0, 0.3, "shop.a"},            /* 0.3 - 0.1 and 0.15 - 0.05 */
        {{"shop.f"}, 2.0, 0.15, "shop.a"},           /* 0.3 - 0.2 and 0.15 - 0.1 */
        {{"shop.f"}, 4.0, 0.0, NULL},                /* less than nothing */
        {{"shop.f", "shop.a"}, 1.0, 0.1, "shop.b"},  /* functions of the path are left out */
        {{"shop.f", "shop.b"}, 0.5, 0.25, "shop.a"}, /* 0.3 - 0.05; shop.main grew, to 0.2 / 2 */
    };
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t largest = 0;
        double lost = 1.0;
        assert_true(gate_reading_lost_above(&largest, &lost, &s.state, fixture_frame(&s.f, "shop.f"),
                                            state_marks(&s, rows[i].marks), rows[i].factor));
        assert_near(lost, rows[i].lost, CLOSE);
        assert_int_equal(largest, rows[i].largest == NULL ? GATE_NO_INDEX : fixture_frame(&s.f, rows[i].largest));
    }
}

TEST(callers_without_memory_for_them_are_an_error) {
    static const char *const path[] = {"shop.f", NULL};
    AT_END(state_end) struct state_fixture made;
    state_begin(&made, state_baseline, state_canary);
    const uint8_t *marks = state_marks(&made, path);
    for (struct sweep s = {0}; sweep_next(&s, 16);) {
        uint32_t largest;
        double lost;
        made.state.arena = &s.arena;
        made.state.err = &s.err;
        s.done = gate_reading_lost_above(&largest, &lost, &made.state, fixture_frame(&made.f, "shop.f"), marks, 1.0);
    }
}

/* shop.d has a line of its own, and shop.e a name. */
TEST(unnamed_functions_lost_what_all_of_them_lost) {
    static const struct {
        double total, lost;
        bool has_largest;
    } rows[] = {
        {1.0, 0.5, true},  /* 0.2 - 0.1, 0.4 - 0.1 and 0.3 - 0.2 */
        {2.0, 0.2, true},  /* 0.4 - 0.2 */
        {0.5, 0.7, true},  /* 0.2 - 0.05, 0.4 - 0.05 and 0.3 - 0.1 */
        {8.0, 0.0, false}, /* less than nothing */
    };
    AT_END(state_end) struct state_fixture s;
    state_begin(&s,
                "main;shop.a (anonymous) 200\nmain;shop.b (anonymous) 400\nmain;shop.c (anonymous) 300\nmain;shop.d "
                "(anonymous) 50\n"
                "main;shop.e 50\n",
                "main;shop.a (anonymous) 100\nmain;shop.b (anonymous) 100\nmain;shop.c (anonymous) 200\nmain;shop.d "
                "(anonymous) 1\n"
                "main;shop.e 599\n");
    for (uint32_t i = 0; i < s.f.pair.frame_count; i++)
        s.comparison.pair.frames[i].has_places = i != fixture_frame(&s.f, "shop.d (anonymous)");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t largest = 99;
        assert_near(gate_reading_lost_by_unnamed(&largest, &s.state, rows[i].total), rows[i].lost, CLOSE);
        assert_int_equal(largest, rows[i].has_largest ? fixture_frame(&s.f, "shop.b (anonymous)") : 99);
    }
}

/* Both functions lost 20%. The order of the frame table does not depend on the machine. */
TEST(of_equal_losses_the_first_in_the_frame_table_is_the_largest) {
    static const char *const path[] = {"shop.f", NULL};
    AT_END(state_end) struct state_fixture s;
    state_begin(&s,
                "shop.a (anonymous);shop.b (anonymous);shop.f 200\nshop.a (anonymous) 400\nshop.b (anonymous);e 400\n",
                "shop.a (anonymous);shop.b (anonymous);shop.f 600\nshop.a (anonymous) 200\nshop.b (anonymous);e 200\n");
    uint32_t a = fixture_frame(&s.f, "shop.a (anonymous)"), b = fixture_frame(&s.f, "shop.b (anonymous)"), largest = 99;
    double lost = 0.0;
    s.comparison.pair.frames[a].has_places = s.comparison.pair.frames[b].has_places = true;
    assert_near(gate_reading_lost_by_unnamed(&largest, &s.state, 1.0), 0.4, CLOSE);
    assert_int_equal(largest, a < b ? a : b);
    assert_true(
        gate_reading_lost_above(&largest, &lost, &s.state, fixture_frame(&s.f, "shop.f"), state_marks(&s, path), 1.0));
    assert_near(lost, 0.4, CLOSE);
    assert_int_equal(largest, a < b ? a : b);
}

/* Each has the weight 1 / 0.25. An estimate needs three functions. */
TEST(functions_in_a_path_do_not_estimate_the_work_outside) {
    struct gate_own_growth_item items[] = {
        {.frame = 0, .x = 0.5, .v = 0.25},
        {.frame = 1, .x = 9.0, .v = 0.25},
        {.frame = 2, .x = 0.5, .v = 0.25},
        {.frame = 3, .x = 0.8, .v = 0.25},
    };
    static const uint8_t one[] = {0, 1, 0, 0}, two[] = {0, 1, 1, 0};
    const struct gate_reading_state grown = {.own = {items, 4}};
    struct gate_common_factor factor;
    assert_true(gate_reading_factor_outside(&factor, &grown, one));
    assert_int_equal(factor.count, 3);
    assert_near(factor.m, 0.6, CLOSE);
    assert_near(factor.weight, 12.0, CLOSE);
    assert_false(gate_reading_factor_outside(&factor, &grown, two));
    assert_near(factor.m, 0.65, CLOSE);
}

/* 1,000 and 2,000 samples of too few functions for an estimate. */
static const char two_before[] = "main;shop.a 100\nmain;shop.b 900\n",
                  two_after[] = "main;shop.a 900\nmain;shop.b 1100\n";

TEST(without_an_estimate_the_cost_outside_of_a_part_is_the_work) {
    static const struct {
        double inside[GATE_SIDES], ratio, variance;
    } rows[] = {
        {{900.0, 1100.0}, 9.0, 1.0 / 100 + 1.0 / 900},
        {{990.0, 1990.0}, 1.0, 1.0 / 10 + 1.0 / 10},  /* as few samples as are enough */
        {{995.0, 1100.0}, 0.0, 1.0 / 5 + 1.0 / 900},  /* too few */
        {{1000.0, 1999.5}, 0.0, 1.0 / 1 + 1.0 / 1.0}, /* at least one sample of each side */
    };
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, two_before, two_after);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ratio = 9.9, variance = 9.9;
        assert_true(gate_reading_ratio_beside(&ratio, &variance, &s.state, rows[i].inside));
        assert_near(ratio, rows[i].ratio, CLOSE);
        assert_near(variance, rows[i].variance, CLOSE);
    }
}

/* Six functions have 1.5 times the cost of before. */
TEST(known_and_estimated_work_have_no_variance) {
    static const double inside[GATE_SIDES] = {900.0, 1100.0};
    double ratio = 9.9, variance = 9.9;
    struct state_fixture s;
    state_begin(&s, two_before, two_after);
    state_set_work(&s, 3.0);
    assert_true(gate_reading_ratio_beside(&ratio, &variance, &s.state, inside));
    assert_near(ratio, 3.0, CLOSE);
    assert_near(variance, 0.0, CLOSE);
    state_end(&s);
    state_begin(
        &s,
        "main;shop.a 1000\nmain;shop.b 1000\nmain;shop.c 1000\nmain;shop.d 1000\nmain;shop.e 1000\nmain;shop.g 1000\n",
        "main;shop.a 1500\nmain;shop.b 1500\nmain;shop.c 1500\nmain;shop.d 1500\nmain;shop.e 1500\nmain;shop.g 1500\n");
    ratio = variance = 9.9;
    assert_true(gate_reading_ratio_beside(&ratio, &variance, &s.state, inside));
    assert_near(ratio, 1.5, 1e-3);
    assert_near(variance, 0.0, CLOSE);
    state_end(&s);
}

TEST(an_estimate_without_memory_for_it_is_an_error) {
    static const double inside[GATE_SIDES] = {900.0, 1100.0};
    AT_END(state_end) struct state_fixture made;
    state_begin(&made, two_before, two_after);
    for (struct sweep s = {0}; sweep_next(&s, 16);) {
        double ratio, variance;
        made.state.arena = &s.arena;
        made.state.err = &s.err;
        s.done = gate_reading_ratio_beside(&ratio, &variance, &made.state, inside);
    }
}

/* 450 - 100, whose variance is 450 * 450 * (0.01 + 1 / 900) + 100 * 100 / 100 = 2350. A part without cost counts as one
 * sample. */
TEST(growth_is_at_equal_work_and_with_its_deviations) {
    static const double part[GATE_SIDES] = {100.0, 900.0}, new_part[GATE_SIDES] = {0.0, 900.0},
                        gone[GATE_SIDES] = {100.0, 0.0};
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, two_before, two_after);
    assert_near(gate_reading_growth(&s.state, part, 2.0, 0.01, 0.0), 350.0, CLOSE);
    assert_near(gate_reading_growth(&s.state, part, 2.0, 0.01, 2.0), 350.0 + 2.0 * sqrt(2350.0), CLOSE);
    assert_near(gate_reading_growth(&s.state, part, 2.0, 0.01, -2.0), 350.0 - 2.0 * sqrt(2350.0), CLOSE);
    assert_near(gate_reading_growth(&s.state, new_part, 2.0, 0.01, 2.0), 450.0 + 2.0 * sqrt(2250.0), CLOSE);
    assert_near(gate_reading_growth(&s.state, gone, 2.0, 0.01, 2.0), -100.0 + 2.0 * 10.0, CLOSE);
}

TEST(a_reading_that_contradicts_has_the_total_at_its_work) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, two_before, two_after);
    struct gate_hypothesis h = {.outcome = GATE_OUTCOME_FAIL, .reason = GATE_REASON_OVER};
    const struct gate_reading reading = {.frame = 1, .ratio = 4.0, .equal = GATE_EQUAL_TIME, .over = 2, .runs = 3};
    assert_true(gate_reading_contradict(&h, &s.state, GATE_OUTCOME_WARN, GATE_REASON_TOTAL_FELL, reading));
    assert_int_equal(h.outcome, GATE_OUTCOME_WARN);
    assert_int_equal(h.reason, GATE_REASON_TOTAL_FELL);
    assert_near(h.reading->total, 0.5, CLOSE);
    assert_near(h.reading->ratio, 4.0, CLOSE);
    assert_int_equal(h.reading->frame, 1);
    assert_int_equal(h.reading->equal, GATE_EQUAL_TIME);
    assert_int_equal(h.reading->over, 2);
    assert_int_equal(h.reading->runs, 3);
}

TEST(an_open_reading_assumes_the_work_of_the_comparison) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, two_before, two_after);
    state_set_work(&s, 4.0);
    struct gate_hypothesis h = {.outcome = GATE_OUTCOME_FAIL, .reason = GATE_REASON_OVER};
    assert_true(gate_reading_open(&h, &s.state, GATE_REASON_INLINED));
    assert_int_equal(h.outcome, GATE_OUTCOME_INCONCLUSIVE);
    assert_int_equal(h.reason, GATE_REASON_INLINED);
    assert_int_equal(h.reading->frame, GATE_NO_INDEX);
    assert_int_equal(h.reading->equal, GATE_EQUAL_WORK);
    assert_near(h.reading->ratio, 4.0, CLOSE);
    assert_near(h.reading->total, 0.5, CLOSE);
}

/* Without the reading the verdict would have no reason to print. */
TEST(a_reading_without_memory_for_it_changes_no_verdict) {
    AT_END(state_end) struct state_fixture made;
    state_begin(&made, two_before, two_after);
    for (struct sweep s = {0}; sweep_next(&s, 16);) {
        struct gate_hypothesis h = {.outcome = GATE_OUTCOME_FAIL, .reason = GATE_REASON_OVER};
        made.state.arena = &s.arena;
        made.state.err = &s.err;
        s.done = gate_reading_open(&h, &made.state, GATE_REASON_INLINED);
        assert_int_equal(h.outcome, s.done ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL);
    }
}
