/* SPDX-License-Identifier: Apache-2.0 */
/* compare/odd_run.h: which of ten runs differs from the others. */
#include "counts_fixture.h"

#include "gate/compare/odd_run.h"

enum { RUNS = 10, TOTAL = 1000, FRAMES = 8 };

/* Samples charged to each own frame in a good run, of 1000, and the percentages by which good runs vary them. */
static const int64_t base[FRAMES] = {0, 40, 60, 80, 100, 120, 140, 50};
static const int64_t percent[RUNS] = {100, 92, 108, 96, 104, 88, 112, 98, 102, 100};

static void put(struct counts_fixture *f, uint32_t frame, uint32_t run, int64_t value) {
    const struct gate_tally *tally = gate_tally_at(&f->comparison.deltas, GATE_CHARGED, run, frame);
    int64_t rest = gate_tally_at(&f->comparison.deltas, GATE_CHARGED, run, 0)->value;
    rest = rest == 0 ? TOTAL : rest;
    counts_set(f, 0, GATE_BASELINE, run, rest - value + tally->value);
    counts_set(f, frame, GATE_BASELINE, run, value);
}

static void begin(struct counts_fixture *f, uint32_t runs) {
    counts_begin(f, FRAMES, runs, 1, TOTAL);
    for (uint32_t i = 0; i < FRAMES; i++)
        f->frames[i].is_own = i > 0;
    for (uint32_t r = 0; r < runs; r++)
        for (uint32_t i = 1; i < FRAMES; i++)
            put(f, i, r, base[i] * percent[(r + 3 * i) % RUNS] / 100);
}

static struct gate_odd_run_list find(struct counts_fixture *f) {
    struct gate_odd_run_list list;
    if (!gate_odd_run_find(&list, &f->comparison.pair, &f->comparison.deltas, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
    return list;
}

TEST(good_runs_are_all_alike) {
    for (uint32_t runs = 1; runs <= RUNS; runs++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, runs);
        struct gate_odd_run_list list = find(&f);
        assert_int_equal(list.count, 0);
        assert_false(list.is_split);
    }
}

TEST(one_regressed_run_is_named) {
    for (uint32_t r = 0; r < RUNS; r++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, RUNS);
        put(&f, 1, r, 140);
        struct gate_odd_run_list list = find(&f);
        assert_int_equal(list.count, 1);
        assert_int_equal(list.items[0].run, r);
        assert_int_equal(list.items[0].frame, 1);
        assert_true(list.items[0].share == 0.14);
        assert_true(list.items[0].low >= 0.035 && list.items[0].high <= 0.044);
        assert_true(list.items[0].low <= list.items[0].high);
    }
}

/* A run is odd if a function became cheaper in it, or if it has a function that no other run has. */
TEST(a_run_is_odd_with_more_or_less_cost) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, RUNS);
    put(&f, 6, 4, 5);
    for (uint32_t r = 0; r < RUNS; r++)
        put(&f, 7, r, r == 7 ? 60 : 0);
    struct gate_odd_run_list list = find(&f);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].run, 4);
    assert_int_equal(list.items[0].frame, 6);
    assert_int_equal(list.items[1].run, 7);
    assert_int_equal(list.items[1].frame, 7);
    assert_true(list.items[1].high == 0.0);
}

TEST(two_bad_runs_do_not_hide_each_other) {
    for (uint32_t r = 1; r < RUNS; r++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, RUNS);
        put(&f, 1, 0, 130);
        put(&f, 1, r, 130);
        struct gate_odd_run_list list = find(&f);
        assert_int_equal(list.count, 2);
        assert_false(list.is_split);
        assert_int_equal(list.items[0].run, 0);
        assert_int_equal(list.items[1].run, r);
        assert_true(list.items[0].high < 0.05); /* the range of the good runs excludes the other bad run */
    }
}

/* A function that was steady by chance is expected to vary as the other functions do. */
TEST(a_steady_function_varies_like_the_others) {
    for (int others_vary = 0; others_vary < 2; others_vary++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, RUNS);
        for (uint32_t r = 0; r < RUNS; r++)
            for (uint32_t i = 1; i < FRAMES; i++)
                put(&f, i, r,
                    base[i] + (i > 1 && others_vary ? base[i] * 3 * (percent[(r + 3 * i) % RUNS] - 100) / 100 : 0));
        put(&f, 1, 4, 73);
        assert_int_equal(find(&f).count, !others_vary);
    }
}

/* The binomial variance of a large share is that of share * (1 - share): runs that vary by a tenth of half the profile
 * have one of 60% among them. */
TEST(runs_with_a_large_share_may_vary) {
    for (int64_t most = 600; most <= 700; most += 100) {
        COUNTS(f, 2, RUNS, 1, TOTAL);
        f.frames[1].is_own = true;
        for (uint32_t r = 0; r < RUNS; r++)
            put(&f, 1, r, r == 4 ? most : 5 * percent[r]);
        assert_int_equal(find(&f).count, most == 700);
    }
}

/* A function that is expensive in three of ten runs has two states, so it makes no run odd. */
TEST(a_frame_with_two_states_gives_no_odd_run) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, RUNS);
    for (uint32_t r = 0; r < 3; r++)
        put(&f, 1, 3 * r, 150);
    assert_int_equal(find(&f).count, 0);
}

/* Three runs that are each odd in another function: too many for the rest to count as the good runs. */
TEST(too_many_odd_runs_are_a_split) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, RUNS);
    for (uint32_t r = 0; r < 3; r++)
        put(&f, 1 + r, 3 * r, 220);
    struct gate_odd_run_list list = find(&f);
    assert_int_equal(list.count, 3);
    assert_true(list.is_split);
}

TEST(the_runtime_gives_no_odd_run) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, RUNS);
    f.frames[1].is_own = false;
    f.frames[1].is_runtime = true;
    put(&f, 1, 4, 140);
    assert_int_equal(find(&f).count, 0);
}

TEST(four_runs_give_no_odd_run) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, GATE_ODD_RUN_LEAST - 1);
    put(&f, 1, 2, 300);
    assert_int_equal(find(&f).count, 0);
    counts_end(&f);
    begin(&f, GATE_ODD_RUN_LEAST);
    put(&f, 1, 2, 300);
    assert_int_equal(find(&f).count, 1);
}

/* Nothing to compare without own code, or if one own frame has all samples of each run. */
TEST(a_frame_with_all_or_no_cost_gives_no_odd_run) {
    COUNTS(f, 2, RUNS, 1, TOTAL);
    counts_set_all(&f, 0, TOTAL, TOTAL);
    assert_int_equal(find(&f).count, 0);
    f.frames[0].is_own = true;
    assert_int_equal(find(&f).count, 0);
}

TEST(every_arena_limit_is_a_clean_error) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, RUNS);
    put(&f, 1, 4, 140);
    for (size_t limit = 1;; limit += 256) {
        struct gate_odd_run_list list;
        struct gate_arena arena;
        gate_arena_init(&arena, limit);
        bool ok = gate_odd_run_find(&list, &f.comparison.pair, &f.comparison.deltas, &arena, &f.err);
        if (!ok)
            assert_int_equal(f.err.code, GATE_ERR_LIMIT);
        else
            assert_int_equal(list.count, 1);
        gate_arena_free(&arena);
        if (ok)
            break;
    }
}
