/* SPDX-License-Identifier: Apache-2.0 */
/* compare/work.h: the work of runs and its mix, given by options or by a file (session/judge_options.h). */
#include "gate/compare/work.h"

#include "gate/session/judge_options.h"
#include "tests/unit/unit.h"

#include <math.h>

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-12 * fmax(1.0, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

struct told {
    struct gate_arena arena;
    struct gate_error err;
    struct gate_work work;
    struct gate_run_input runs[GATE_SIDES][4];
    uint32_t counts[GATE_SIDES];
};

static void tell(struct told *t, const char *text, uint32_t baseline_runs, uint32_t canary_runs) {
    *t = (struct told){.counts = {baseline_runs, canary_runs}};
    if (!gate_work_file_read(&t->work, gate_str_from(text), &t->arena, &t->err))
        fail_msg("%u:%u: %s", (unsigned)t->err.line, (unsigned)t->err.column, t->err.message);
}

static bool apply(struct told *t) {
    struct gate_run_input *const runs[GATE_SIDES] = {t->runs[0], t->runs[1]};
    return gate_work_apply(&t->work, runs, t->counts, &t->arena, &t->err);
}

static double factor_of(const struct gate_run_input *run, const char *value) {
    assert_non_null(run->mix);
    for (uint32_t i = 0; i < run->mix->count; i++)
        if (gate_str_equal(run->mix->parts[i].value, gate_str_from(value)))
            return run->mix->parts[i].factor;
    return NAN;
}

TEST(a_single_number_is_the_work_of_the_side) {
    struct told t;
    tell(&t, "baseline: 100\ncanary: {total: 250}", 2, 1);
    assert_true(apply(&t));
    assert_near(gate_work_total(&t.work, GATE_BASELINE), 100);
    assert_near(gate_work_total(&t.work, GATE_CANARY), 250);
    assert_near(t.runs[GATE_BASELINE][0].work, 0); /* two runs, one total: the work of each is not known */
    assert_near(t.runs[GATE_CANARY][0].work, 250); /* the only run did all of it */
    assert_null(t.runs[GATE_CANARY][0].mix);
    gate_arena_free(&t.arena);
}

TEST(work_list_has_one_entry_per_run) {
    struct told t;
    tell(&t, "{baseline: [100, 300], canary: 50}", 2, 1);
    assert_true(apply(&t));
    assert_near(gate_work_total(&t.work, GATE_BASELINE), 400);
    assert_near(t.runs[GATE_BASELINE][1].work, 300);
    gate_arena_free(&t.arena);
}

/* Baseline: 200 + 600 requests of /a and 200 of /b, so 80% are /a. Each run is weighted as if it had that mix. */
TEST(work_by_label_weights_runs_to_the_baselines_mix) {
    struct told t;
    tell(&t, "baseline: {endpoint: {/a: [200, 600], /b: [200, 0]}}\ncanary: {endpoint: {/a: 30, /b: 70}}", 2, 2);
    assert_true(apply(&t));
    assert_near(gate_work_total(&t.work, GATE_BASELINE), 1000);
    assert_near(factor_of(&t.runs[GATE_BASELINE][0], "/a"), 0.8 / 0.5);
    assert_near(factor_of(&t.runs[GATE_BASELINE][0], "/b"), 0.2 / 0.5);
    assert_near(factor_of(&t.runs[GATE_BASELINE][1], "/a"), 0.8);
    assert_true(isnan(factor_of(&t.runs[GATE_BASELINE][1], "/b"))); /* it did none, so it has no factor */
    for (int r = 0; r < 2; r++) {
        assert_near(factor_of(&t.runs[GATE_CANARY][r], "/a"), 0.8 / 0.3);
        assert_near(factor_of(&t.runs[GATE_CANARY][r], "/b"), 0.2 / 0.7);
    }
    assert_true(gate_str_equal(t.runs[GATE_CANARY][0].mix->key, GATE_STR("endpoint")));
    gate_arena_free(&t.arena);
}

/* A label value that only the canary has gets no factor, so its samples count in full. */
TEST(values_without_work_in_the_baseline_keep_their_weight) {
    struct told t;
    tell(&t, "baseline: {endpoint: {/a: 10}}\ncanary: {endpoint: {/a: 10, /new: 30}}", 1, 1);
    assert_true(apply(&t));
    assert_true(isnan(factor_of(&t.runs[GATE_CANARY][0], "/new")));
    assert_near(factor_of(&t.runs[GATE_CANARY][0], "/a"), 4);
    assert_non_null(gate_work_one_sided(&t.work)); /* new, or misspelt */
    assert_true(gate_str_equal(gate_work_one_sided(&t.work)->value, GATE_STR("/new")));
    gate_arena_free(&t.arena);
    tell(&t, "baseline: {endpoint: {/a: 10, /b: 0}}\ncanary: {total: 7, endpoint: {/a: 10}}", 1, 1);
    assert_null(gate_work_one_sided(&t.work)); /* no side did any work of /b */
    gate_arena_free(&t.arena);
}

/* One number is the work of the whole side, a list has one number per run. A side may mix them: the totals are
 * equal. */
TEST(one_number_is_the_sum) {
    struct told t;
    tell(&t, "baseline: {endpoint: {/a: [50, 50], /b: [20, 20]}}\ncanary: {endpoint: {/a: 100, /b: [20, 20]}}", 2, 2);
    assert_true(apply(&t));
    assert_near(gate_work_total(&t.work, GATE_BASELINE), gate_work_total(&t.work, GATE_CANARY));
    for (int r = 0; r < 2; r++) {
        assert_near(factor_of(&t.runs[GATE_CANARY][r], "/a"), 1);
        assert_near(factor_of(&t.runs[GATE_CANARY][r], "/b"), 1);
    }
    assert_near(t.runs[GATE_BASELINE][0].work, 70); /* given for each run */
    assert_near(t.runs[GATE_CANARY][0].work, 0);    /* given for both runs together */
    gate_arena_free(&t.arena);
}

/* A total on one side and a sum of labels on the other would not be comparable. */
TEST(both_sides_use_the_same_kind_of_work) {
    struct told t;
    tell(&t, "baseline: {total: 1000, endpoint: {/a: 50}}\ncanary: {endpoint: {/a: 60}}", 1, 1);
    assert_true(apply(&t));
    assert_near(gate_work_total(&t.work, GATE_BASELINE), 50);
    assert_near(gate_work_total(&t.work, GATE_CANARY), 60);
    assert_near(t.runs[GATE_BASELINE][0].work, 50);
    gate_arena_free(&t.arena);
    tell(&t, "baseline: {total: 1000, endpoint: {/a: 50}}\ncanary: {total: 900, endpoint: {/a: 60}}", 1, 1);
    assert_true(apply(&t));
    assert_near(gate_work_total(&t.work, GATE_BASELINE), 1000);
    assert_near(t.runs[GATE_CANARY][0].work, 900);
    gate_arena_free(&t.arena);
}

/* If a total is given, it counts instead of the sum of its parts. Of two values for the same thing, the last one
 * counts. */
TEST(a_later_value_replaces_an_earlier_one) {
    struct told t;
    tell(&t, "baseline: {total: 50, endpoint: {/a: 10}}\ncanary: {total: 50, endpoint: {/a: 10}}", 1, 1);
    assert_near(gate_work_total(&t.work, GATE_BASELINE), 50);
    const double again[] = {70};
    const struct gate_work_count count = {.side = GATE_BASELINE, .runs = again, .count = 1};
    assert_true(gate_work_add(&t.work, &count, &t.arena, &t.err));
    assert_near(gate_work_total(&t.work, GATE_BASELINE), 70);
    gate_arena_free(&t.arena);
}

/* Runs without sides, such as the good runs of calibrate. */
TEST(work_of_runs_without_sides_is_accepted) {
    struct told t;
    tell(&t, "runs: {endpoint: {/a: [1, 3], /b: [3, 1]}}", 2, 0);
    assert_true(apply(&t));
    assert_near(factor_of(&t.runs[GATE_BASELINE][0], "/a"), 2);
    assert_near(t.runs[GATE_BASELINE][1].work, 4);
    gate_arena_free(&t.arena);
    tell(&t, "runs: 5000", 2, 0);
    assert_false(apply(&t));
    assert_string_equal(t.err.message, "the work has 1 number for 2 runs: give one per run");
    gate_arena_free(&t.arena);
}

TEST(work_that_does_not_match_the_runs_is_refused) {
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"baseline: [1, 2]\ncanary: 1", "the work of the baseline has 2 numbers, but there are 3 runs: give one "
                                        "number, or one per run"},
        {"baseline: 1\ncanary: [1, 2]", "the work of the canary has 2 numbers, but there is 1 run: give one "
                                        "number, or one per run"},
        {"baseline: {endpoint: {/a: 1}}\ncanary: 1", "the work by 'endpoint' is given for the baseline only; give it "
                                                     "for both sides"},
        {"baseline: {endpoint: {/a: 1}}\ncanary: {tenant: {x: 1}}",
         "the work is given by the labels 'endpoint' and 'tenant'; choose the one that identifies a kind of request"},
        {"baseline: {endpoint: {/a: [1, 0, 1]}}\ncanary: {endpoint: {/a: 1}}",
         "the work by label adds up to zero in run 2 of the baseline"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct told t;
        tell(&t, rows[i].text, 3, 1);
        assert_false(apply(&t));
        assert_int_equal(t.err.code, GATE_ERR_USAGE);
        assert_string_equal(t.err.message, rows[i].message);
        gate_arena_free(&t.arena);
    }
}

TEST(errors_of_a_work_file_have_line_and_column) {
    static const struct {
        const char *text, *message;
        uint32_t line, column;
    } rows[] = {
        {"[1]", "expected a map of 'baseline' and 'canary', or of 'runs', found a list", 1, 1},
        {"baseline: 1\ncanari: 2", "unknown key 'canari': expected 'baseline', 'canary' or 'runs'", 2, 1},
        {"baseline: 0", "expected a number above zero, found '0'", 1, 11},
        {"baseline: many", "expected a number, found text", 1, 11},
        {"baseline: []", "expected a number, or a list of one a run, found a list", 1, 11},
        {"baseline: {endpoint: {/a: -1}}", "expected a number not below zero, found '-1'", 1, 27},
        {"baseline: {endpoint: 3}", "expected a map of a label's values to numbers, found a number", 1, 22},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_error err = {0};
        struct gate_work work = {0};
        assert_false(gate_work_file_read(&work, gate_str_from(rows[i].text), &arena, &err));
        assert_string_equal(err.message, rows[i].message);
        assert_int_equal(err.line, rows[i].line);
        assert_int_equal(err.column, rows[i].column);
    }
}
