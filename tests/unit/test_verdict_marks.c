/* SPDX-License-Identifier: Apache-2.0 */
/* budget/verdict.h: results of a verdict other than outcomes: marks on frames, budgets that are off, equal sides,
 * earlier runs, memory. */
#include "tests/unit/counts_fixture.h"

/* Nine frames at 5% each, except "a" (4% to 14%) and "b" (5% to 3%). */
static void begin(struct counts_fixture *f, uint32_t runs, int64_t total) {
    counts_begin(f, 9, runs, runs, total);
    for (uint32_t i = 2; i < 9; i++)
        counts_set_all(f, i, total / 20, total / 20);
    counts_set_all(f, 1, total / 25, total / 25 + total / 10);
    counts_set_all(f, 2, total / 20, total / 20 - total / 50);
    counts_set_all(f, 0, total - total / 25 - 7 * (total / 20),
                   total - total / 25 - total / 10 - 7 * (total / 20) + total / 50);
}

/* A frame that a budget found broken is marked, even if it is not a suspect. Other frames are not. */
struct mark_row {
    const char *name;
    enum gate_budget_measure measure;
    enum gate_limit_kind kind;
    double limit;
    enum gate_severity severity;
    uint32_t runs;
    bool work_doubled; /* the work is given: the canary did twice as much, so no own cost grew */
    bool is_broken;
};

static const struct mark_row marks[] = {
    {"fails", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05, GATE_SEVERITY_ERROR, 3, false, true},
    {"fails on cumulative", GATE_MEASURE_CUMULATIVE, GATE_LIMIT_SHARE_INCREASE, .05, GATE_SEVERITY_ERROR, 3, false,
     true},
    {"broken, advisory", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05, GATE_SEVERITY_WARN, 3, false, true},
    {"fails, one pair", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .02, GATE_SEVERITY_ERROR, 1, false, true},
    {"within", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .2, GATE_SEVERITY_ERROR, 3, false, false},
    {"undecided", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .0995, GATE_SEVERITY_ERROR, 3, false, false},
    {"others shrank", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05, GATE_SEVERITY_ERROR, 3, true, false},
    {"a level", GATE_MEASURE_SELF, GATE_LIMIT_SHARE, .05, GATE_SEVERITY_ERROR, 3, false, false},
    {"a decrease that is lost", GATE_MEASURE_SELF, GATE_LIMIT_DECREASE, .5, GATE_SEVERITY_ERROR, 3, false, false},
    {"a cost", GATE_MEASURE_SELF_COST, GATE_LIMIT_INCREASE, 1.5, GATE_SEVERITY_ERROR, 3, false, false},
    {"a total", GATE_MEASURE_TOTAL_COST, GATE_LIMIT_INCREASE, .5, GATE_SEVERITY_ERROR, 3, false, false},
};

static void is_marked(void **state) {
    const struct mark_row *row = *state;
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, row->runs, 20000);
    bool is_cost = row->measure >= GATE_MEASURE_SELF_COST;
    if (is_cost || row->work_doubled) {
        f.options.work[GATE_BASELINE] = 1000;
        f.options.work[GATE_CANARY] = row->work_doubled ? 4000 : 1000;
    }
    counts_budget(&f, "b", row->measure, row->kind, row->limit)->severity = row->severity;
    f.limits[0].severity = row->severity;
    counts_reach(&f);
    const struct gate_frame_judgement *frame = &f.comparison.frames[1], *same = &f.comparison.frames[3];
    assert_int_equal(frame->is_broken, row->is_broken);
    assert_false(same->is_broken || same->is_suspect[GATE_SELF]);
    if (row->is_broken)
        assert_true(frame->is_suspect[row->measure == GATE_MEASURE_SELF ? GATE_SELF : GATE_CUMULATIVE]);
}

/* A frame that is broken but not a suspect by itself: few counts, but the only frame in the family of a lenient
 * budget. */
static void broken_frames_are_suspects(void **state) {
    COUNTS(f, 24, 3, 3, 1000);
    for (uint32_t i = 2; i < 24; i++)
        counts_set_all(&f, i, 33, 33);
    counts_set_all(&f, 1, 33, 49); /* p is .008 alone, which is not significant among 24 frames */
    counts_set_all(&f, 0, 241, 225);
    struct gate_regex *a = NULL;
    assert_true(gate_regex_compile(&a, GATE_STR("^a$"), &f.err));
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.0)->select.function.regex = a;
    f.rules.alpha = 0.2;
    counts_reach(&f);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_FAIL);
    assert_true(f.comparison.frames[1].log_p_bh[GATE_SELF] > log(0.01));
    assert_true(f.comparison.frames[1].is_suspect[GATE_SELF] && f.comparison.frames[1].is_broken);
    assert_false(f.comparison.frames[1].is_suspect[GATE_CUMULATIVE]);
    gate_regex_free(a);
}

static void budgets_that_are_off_are_left_out(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 20000);
    counts_budget(&f, "off", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .01)->severity = GATE_SEVERITY_OFF;
    counts_budget(&f, "on", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .5);
    counts_budget(&f, "off too", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .01)->severity = GATE_SEVERITY_OFF;
    counts_reach(&f);
    assert_int_equal(f.verdict.budget_count, 1);
    assert_true(f.verdict.budgets[0].budget == &f.budgets[1]);
    assert_int_equal(f.verdict.hypothesis_count, 9);
    assert_int_equal(f.verdict.hypotheses[0].budget, 1);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
}

/* Two identical files cannot have grown, but an absolute limit can still fail. */
static void equal_bytes_prove_growth_alone(void **state) {
    COUNTS(f, 2, 1, 1, 3000);
    counts_set_all(&f, 1, 900, 900);
    counts_set_all(&f, 0, 2100, 2100);
    f.comparison.same_input = true;
    counts_budget(&f, "growth", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.0);
    counts_budget(&f, "ratio", GATE_MEASURE_SELF, GATE_LIMIT_INCREASE, 1.0);
    counts_budget(&f, "share", GATE_MEASURE_SELF, GATE_LIMIT_SHARE, 0.1);
    counts_budget(&f, "decrease", GATE_MEASURE_SELF, GATE_LIMIT_DECREASE, 0.5);
    counts_reach(&f);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f.verdict.budgets[i].outcome, GATE_OUTCOME_PROVEN);
        assert_int_equal(f.verdict.budgets[i].findings[0].reason, GATE_REASON_WITHIN);
    }
    assert_int_equal(f.verdict.budgets[2].outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(f.verdict.budgets[3].outcome, GATE_OUTCOME_FAIL);
}

/* Few samples make a budget inconclusive only if both sides have few. */
static void samples_are_those_of_each_side(void **state) {
    static const struct {
        double samples[GATE_SIDES];
        enum gate_outcome outcome;
    } sides[] = {{{600, 600}, GATE_OUTCOME_FAIL},
                 {{400, 600}, GATE_OUTCOME_FAIL},
                 {{600, 400}, GATE_OUTCOME_FAIL},
                 {{499, 499}, GATE_OUTCOME_INCONCLUSIVE}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, 3, 20000);
        for (int side = 0; side < GATE_SIDES; side++)
            f.comparison.pair.sides[side].events = sides[i].samples[side];
        counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05);
        counts_reach(&f);
        assert_int_equal(f.verdict.budgets[0].outcome, sides[i].outcome);
    }
}

/* A budget with 2 of 2 runs fails only if an earlier verdict failed, too. A run of the history fails by itself. */
static void earlier_runs_count_for_sustain(void **state) {
    static const struct {
        bool has_history, is_history;
        enum gate_outcome outcome;
    } runs[] = {{false, false, GATE_OUTCOME_WARN}, {true, false, GATE_OUTCOME_FAIL}, {false, true, GATE_OUTCOME_FAIL}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        AT_END(counts_end) struct counts_fixture f, earlier;
        begin(&earlier, 3, 20000);
        counts_budget(&earlier, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05);
        counts_reach(&earlier);
        struct gate_verdict nothing = {.hypotheses =
                                           earlier.verdict.hypotheses}; /* an older verdict without hypotheses */
        const struct gate_verdict *history[] = {&nothing, &earlier.verdict};
        begin(&f, 3, 20000);
        struct gate_budget *budget = counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05);
        budget->sustain_k = budget->sustain_n = 2;
        f.options.history = history;
        f.options.history_count = runs[i].has_history ? 2 : 0;
        f.options.is_history = runs[i].is_history;
        counts_reach(&f);
        assert_int_equal(f.verdict.budgets[0].outcome, runs[i].outcome);
    }
}

/* With more and more memory: clean errors, then the verdict. */
static void any_limit_on_memory_is_a_clean_error(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 20000);
    struct gate_warning odd = {.guard = GATE_GUARD_SWAPPED, .message = GATE_STR("said before")};
    struct gate_regex *nowhere = NULL;
    assert_true(gate_regex_compile(&nowhere, GATE_STR("nowhere"), &f.err));
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05);
    counts_budget(&f, "missing", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05)->sample_type = GATE_STR("heap");
    counts_budget(&f, "nowhere", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05)->select.function.regex = nowhere;
    struct gate_budget *must = counts_budget(&f, "must", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05);
    must->select.function.regex = nowhere;
    must->must_match = true;
    must->expires = GATE_STR("2026-01-01");
    f.options.today = GATE_STR("2026-02-01");
    f.options.warnings = &odd;
    f.options.warning_count = 1;
    bool done = false;
    size_t refused = 0;
    for (size_t limit = 1; limit < 1000000 && !done; limit += 24) {
        AT_END(gate_arena_free) struct gate_arena arena;
        struct gate_error err = {0};
        gate_arena_init(&arena, limit);
        done = gate_verdict_reach(&f.verdict, &f.rules, &f.comparison, 1, &f.options, &arena, &err);
        refused += !done;
        assert_true(done ? err.code == GATE_OK : err.code == GATE_ERR_LIMIT || err.code == GATE_ERR_MEMORY);
        if (done) {
            assert_int_equal(f.verdict.outcome, GATE_OUTCOME_FAIL);
            assert_int_equal(f.verdict.budgets[3].finding_count, 2);
        }
    }
    assert_true(done && refused > 20);
    gate_regex_free(nowhere);
}

enum { MARKS = sizeof marks / sizeof *marks };

int main(void) {
    static struct CMUnitTest tests[MARKS + 6] = {
        cmocka_unit_test(broken_frames_are_suspects),     cmocka_unit_test(budgets_that_are_off_are_left_out),
        cmocka_unit_test(equal_bytes_prove_growth_alone), cmocka_unit_test(samples_are_those_of_each_side),
        cmocka_unit_test(earlier_runs_count_for_sustain), cmocka_unit_test(any_limit_on_memory_is_a_clean_error),
    };
    for (size_t i = 0; i < MARKS; i++) {
        union {
            const struct mark_row *row;
            void *state;
        } at = {&marks[i]}; /* cmocka's state is not const */
        tests[i + 6] = (struct CMUnitTest){marks[i].name, is_marked, NULL, NULL, at.state};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
