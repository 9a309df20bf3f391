/* SPDX-License-Identifier: Apache-2.0 */
/* compare/own_growth.h: the growth of own functions, the common factor of the others, and the estimate of the work. */
#include "tests/unit/counts_fixture.h"

#include "gate/compare/own_growth.h"
#include "tests/unit/near.h"

/* Begin a pair whose frames are all own functions. */
static void own_begin(struct counts_fixture *f, uint32_t frames, uint32_t baseline_runs, uint32_t canary_runs) {
    counts_begin(f, frames, baseline_runs, canary_runs, 10000);
    f->comparison.pair.has_no_own = true;
}

static double ratio_of(struct counts_fixture *f, bool *is_estimate) {
    struct gate_estimated_work estimate;
    if (!gate_own_growth_work_ratio(&estimate, &f->comparison.pair, &f->comparison.deltas, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
    *is_estimate = estimate.is_estimate;
    return estimate.ratio;
}

/* Of eight functions five grew 3 times, and three did not. */
TEST(functions_left_out_that_agree_contest_the_estimate) {
    static const struct {
        int64_t left_out[3];
        bool is_contested;
    } rows[] = {
        {{1500, 1500, 1500}, true},
        {{1500, 600, 300}, false}, /* do not agree with each other */
        {{100, 100, 100}, false},  /* agree, but weigh less than the others */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(counts_end) struct counts_fixture f;
        struct gate_estimated_work estimate;
        own_begin(&f, 8, 3, 3);
        for (uint32_t frame = 0; frame < 5; frame++)
            counts_set_all(&f, frame, 500, 1500);
        for (uint32_t frame = 5; frame < 8; frame++)
            counts_set_all(&f, frame, i == 2 ? 100 : 1500, rows[i].left_out[frame - 5]);
        if (!gate_own_growth_work_ratio(&estimate, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err))
            fail_msg("%s", f.err.message);
        assert_true(estimate.is_estimate);
        if (estimate.is_contested != rows[i].is_contested)
            fail_msg("row %zu: contested %d", i, estimate.is_contested);
    }
}

static void collect(struct gate_own_growth *out, struct counts_fixture *f) {
    if (!gate_own_growth_collect(out, &f->comparison.pair, &f->comparison.deltas, GATE_OWN_GROWTH_COUNTS, 0.0, true,
                                 &f->arena, &f->err))
        fail_msg("%s", f->err.message);
}

TEST(the_function_that_disagrees_most_is_left_out) {
    static const int64_t odd[] = {3000, 50};
    for (size_t i = 0; i < 2; i++) {
        AT_END(counts_end) struct counts_fixture f;
        bool is_estimate = false;
        own_begin(&f, 10, 1, 1);
        for (uint32_t frame = 0; frame < 9; frame++)
            counts_set_all(&f, frame, 500, 600);
        counts_set_all(&f, 9, 500, odd[i]);
        assert_near(ratio_of(&f, &is_estimate), 600.5 / 500.5, 1e-9);
        assert_true(is_estimate);
    }
}

TEST(four_functions_give_no_estimate) {
    for (uint32_t frames = 4; frames <= 5; frames++) {
        AT_END(counts_end) struct counts_fixture f;
        bool is_estimate = false;
        own_begin(&f, 6, 1, 2); /* 1 baseline run and 2 canary runs: the totals are 1 to 2 */
        for (uint32_t i = 0; i < frames; i++)
            counts_set_all(&f, i, 500, 300); /* per run */
        assert_near(ratio_of(&f, &is_estimate), frames == 5 ? 600.5 / 500.5 : 2.0, 1e-3);
        assert_int_equal(is_estimate, frames == 5);
    }
}

TEST(an_estimate_uses_functions_with_ten_samples_per_side) {
    static const struct {
        int64_t baseline, canary;
        bool counts;
    } rare[] = {{10, 10, true}, {9, 900, false}, {900, 9, false}};
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++) {
        AT_END(counts_end) struct counts_fixture f;
        bool is_estimate = false;
        own_begin(&f, 6, 1, 1);
        for (uint32_t frame = 0; frame < 4; frame++)
            counts_set_all(&f, frame, 500, 600);
        counts_set_all(&f, 4, rare[i].baseline, rare[i].canary);
        (void)ratio_of(&f, &is_estimate);
        assert_int_equal(is_estimate, rare[i].counts);
    }
}

TEST(sides_without_counts_give_no_estimate) {
    for (int side = 0; side < GATE_SIDES; side++) {
        AT_END(counts_end) struct counts_fixture f;
        bool is_estimate = true;
        own_begin(&f, 10, 1, 1);
        for (uint32_t i = 0; i < 10; i++)
            counts_set_all(&f, i, 500, 600);
        f.runs[side][0].counts.kind = GATE_COUNTS_UNKNOWN;
        assert_near(ratio_of(&f, &is_estimate), 1.0, 1e-12);
        assert_false(is_estimate);
    }
}

TEST(library_code_is_not_used_for_the_estimate) {
    AT_END(counts_end) struct counts_fixture f;
    struct gate_own_growth growth;
    own_begin(&f, 4, 1, 1);
    f.comparison.pair.has_no_own = false;
    for (uint32_t i = 0; i < 4; i++)
        counts_set_all(&f, i, 500, 600);
    f.comparison.pair.frames[2].is_own = true;
    collect(&growth, &f);
    assert_int_equal(growth.count, 1);
    assert_int_equal(growth.items[0].frame, 2);
}

/* The variance of a function's growth: its samples, and 0.0025 (1 - p) / p for each side's runs. */
TEST(growth_is_a_logarithm_with_the_variance_of_samples_and_runs) {
    AT_END(counts_end) struct counts_fixture f;
    struct gate_own_growth growth;
    own_begin(&f, 2, 1, 1);
    counts_set_all(&f, 1, 400, 600);
    collect(&growth, &f);
    assert_int_equal(growth.count, 1);
    double share = 1000.0 / 20000.0;
    assert_near(growth.items[0].x, log(600.5 / 400.5), 1e-12);
    assert_near(growth.items[0].v, 1 / 400.5 + 1 / 600.5 + 2 * 0.0025 * (1 - share) / share, 1e-9);
}

/* Runs whose events have unlike weights: one run of 20 events of weight 50 each function, one of 1000 of weight 1. The
 * effective samples of a function are then few, and its value is what it cost. */
TEST(growth_is_of_values_where_weights_differ) {
    AT_END(counts_end) struct counts_fixture f;
    struct gate_own_growth growth;
    own_begin(&f, 10, 2, 2);
    for (uint32_t frame = 0; frame < 10; frame++) {
        counts_set_all(&f, frame, 1000, 1000);
        struct gate_delta_list *deltas = &f.comparison.deltas;
        for (int measure = 0; measure < GATE_MEASURES; measure++)
            deltas->tallies[measure][frame].weight_sq =
                1000.0 * 50.0; /* sum of squared weights in the first run of the baseline */
    }
    f.runs[GATE_BASELINE][0].stacks.weight_sq = 10000.0 * 50.0;
    f.runs[GATE_BASELINE][0].events = 200.0;
    collect(&growth, &f);
    assert_int_equal(growth.count, 10);
    for (uint32_t i = 0; i < growth.count; i++)
        assert_near(growth.items[i].x, 0.0, 0.02); /* except for the half sample that is added to each count */
}

TEST(the_left_out_function_is_the_one_without_which_the_others_agree) {
    AT_END(counts_end) struct counts_fixture f;
    struct gate_own_growth growth;
    struct gate_common_factor others;
    own_begin(&f, 5, 1, 1);
    for (uint32_t i = 0; i < 5; i++)
        counts_set_all(&f, i, 1000, i == 3 ? 200 : 1000);
    collect(&growth, &f);
    assert_int_equal(gate_own_growth_odd(&others, &growth), gate_own_growth_find(&growth, 3));
    assert_near(others.m, 0.0, 1e-9);
    assert_near(others.q, 0.0, 1e-9);
    assert_int_equal(others.count, 4);
    struct gate_common_factor same = gate_own_growth_factor(&growth, 3);
    assert_near(same.m, others.m, 1e-12);
    assert_int_equal(gate_own_growth_find(&growth, 99), GATE_NO_INDEX);
}

TEST(three_precise_functions_estimate_the_work) {
    assert_true(gate_own_growth_estimates_work(3, &(struct gate_common_factor){.weight = 1.0 / (0.35 * 0.35)}));
    assert_false(gate_own_growth_estimates_work(2, &(struct gate_common_factor){.weight = 1.0 / (0.35 * 0.35)}));
    assert_false(gate_own_growth_estimates_work(3, &(struct gate_common_factor){.weight = 1.0 / (0.36 * 0.36)}));
}

/* Own functions cost the same, and the whole program twice as much: what they do not cover grew. */
TEST(a_total_that_grew_beside_equal_functions_is_estimated) {
    static const struct {
        int64_t canary_total;
        bool is_flagged;
    } rows[] = {{10000, false}, {11000, false}, {20000, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(counts_end) struct counts_fixture f;
        struct gate_estimated_cost cost;
        bool is_known = false;
        own_begin(&f, 5, 1, 1);
        for (uint32_t frame = 0; frame < 4; frame++)
            counts_set_all(&f, frame, 1500, 1500);
        struct gate_side *canary = &f.comparison.pair.sides[GATE_CANARY];
        canary->total = rows[i].canary_total;
        canary->events = (double)rows[i].canary_total;
        canary->runs[0].stacks.weight_sq = (double)rows[i].canary_total;
        assert_true(gate_own_growth_cost(&cost, &is_known, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
        assert_true(is_known);
        assert_near(cost.ratio, (double)rows[i].canary_total / 10000, 1e-9);
        assert_int_equal(cost.low > 1.2, rows[i].is_flagged);
    }
}
