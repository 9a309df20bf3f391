/* SPDX-License-Identifier: Apache-2.0 */
/* budget/verdict.h: each outcome of a budget and its reason, on pairs made of counts. test_verdict_run.c tests runs as
 * a whole. */
#include "counts_fixture.h"

static void assert_finding(const struct counts_fixture *f, uint32_t budget, const char *name, enum gate_outcome outcome,
                           enum gate_reason reason) {
    const struct gate_finding *finding = counts_finding(f, budget, name);
    if (finding == NULL)
        fail_msg("budget %u has no finding on '%s'", budget, name);
    if (finding->outcome != outcome || finding->reason != reason)
        fail_msg("'%s': found %s (%s), expected %s (%s): %.*s", name, gate_outcome_name(finding->outcome),
                 gate_reason_name(finding->reason), gate_outcome_name(outcome), gate_reason_name(reason),
                 GATE_STR_ARG(finding->text));
}

/* Three runs per side with frames "a" to "h" at 5% each, except "a". */
static void begin_runs(struct counts_fixture *f, uint32_t runs, int64_t total, double before, double after) {
    counts_begin(f, 9, runs, runs, total);
    for (uint32_t i = 2; i < 9; i++)
        counts_set_all(f, i, total / 20, total / 20);
    counts_set_all(f, 1, (int64_t)(before * (double)total), (int64_t)(after * (double)total));
    int64_t others = 7 * (total / 20);
    counts_set_all(f, 0, total - others - (int64_t)(before * (double)total),
                   total - others - (int64_t)(after * (double)total));
}

TEST(a_confirmed_growth_fails) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 2000, 0.04, 0.14);
    counts_budget(&f, "no function takes over", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_FAIL);
    assert_finding(&f, 0, "a", GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    const struct gate_finding *finding = counts_finding(&f, 0, "a");
    struct gate_str expected = GATE_STR("a: self 4.0% → 14.0% of cpu, +10.0 pp (95% CI [+");
    assert_true(gate_str_starts(finding->text, expected));
    assert_true(gate_str_ends(finding->text, GATE_STR("]), over the +5 pp of \"no function takes over\"")));
    assert_int_equal(f.verdict.warning_count, 0);
}

TEST(a_decrease_of_the_same_size_passes) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 20000, 0.14, 0.04);
    counts_set_all(&f, 0, 0, 0); /* without this frame, so that no other frame takes the share that "a" lost */
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
    assert_int_equal(f.verdict.budgets[0].outcome, GATE_OUTCOME_PROVEN);
}

TEST(equal_sides_are_proven) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 20000, 0.05, 0.05);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_int_equal(f.verdict.budgets[0].outcome, GATE_OUTCOME_PROVEN);
    assert_int_equal(f.verdict.budgets[0].proven, 9);
    assert_int_equal(f.verdict.budgets[0].finding_count, 1); /* the nearest to its limit */
}

/* At the loosest levels that rules allow, no growth at all has a p value as small as the level. */
TEST(no_growth_never_fails) {
    COUNTS(f, 1, 3, 3, 2000);
    counts_set_all(&f, 0, 2000, 2000);
    f.rules.alpha = f.rules.alpha_margin = 0.5;
    counts_budget(&f, "nothing grows", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.0);
    counts_reach(&f);
    assert_int_not_equal(f.verdict.outcome, GATE_OUTCOME_FAIL);
}

TEST(over_but_unconfirmed_is_undecided) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 600, 0.04, 0.10);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_INCONCLUSIVE);
    assert_finding(&f, 0, "a", GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED);
    const struct gate_finding *finding = counts_finding(&f, 0, "a");
    assert_true(finding->samples_to_settle > 1800);
    assert_true(gate_str_find(finding->advice, GATE_STR("effective samples per side would decide"), 0) != SIZE_MAX);
}

TEST(too_few_samples_are_undecided_and_do_not_pass) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 2, 300, 0.10, 0.11);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.02);
    counts_reach(&f);
    assert_finding(&f, 0, "a", GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_INCONCLUSIVE);
}

TEST(a_warning_budget_only_warns) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 2000, 0.04, 0.14);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05)->severity = GATE_SEVERITY_WARN;
    counts_reach(&f);
    assert_finding(&f, 0, "a", GATE_OUTCOME_WARN, GATE_REASON_SEVERITY_WARN);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
    counts_end(&f);
    begin_runs(&f, 2, 300, 0.10, 0.11);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.02)->severity = GATE_SEVERITY_WARN;
    counts_reach(&f);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
}

TEST(one_pair_needs_more_for_a_wide_class) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 1, 2000, 0.04, 0.24);
    counts_budget(&f, "self", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_finding(&f, 0, "a", GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    assert_int_equal(f.verdict.warning_count, 1); /* one_pair */
    counts_end(&f);
    begin_runs(&f, 1, 2000, 0.04, 0.14);
    f.frames[1].is_runtime = true;
    counts_budget(&f, "self", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_finding(&f, 0, "a", GATE_OUTCOME_WARN, GATE_REASON_UNCONFIRMED);
    counts_end(&f);
    begin_runs(&f, 1, 2000, 0.04, 0.71); /* so large a growth fails in any class of frame */
    f.frames[1].is_runtime = true;
    counts_budget(&f, "self", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_finding(&f, 0, "a", GATE_OUTCOME_FAIL, GATE_REASON_OVER);
}

TEST(delays_need_replicates) {
    static const struct {
        uint32_t runs;
        enum gate_outcome outcome;
        enum gate_reason reason;
    } rows[] = {{1, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_DELAY_REPLICATES}, {2, GATE_OUTCOME_FAIL, GATE_REASON_OVER}};
    for (size_t i = 0; i < 2; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin_runs(&f, rows[i].runs, 4000, 0.04, 0.34);
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < rows[i].runs; r++)
                f.runs[side][r].counts.kind = GATE_COUNTS_DELAY;
        counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
        counts_reach(&f);
        assert_finding(&f, 0, "a", rows[i].outcome, rows[i].reason);
    }
}

TEST(few_samples_never_fail) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 1, 400, 0.04, 0.40);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_finding(&f, 0, "a", GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_MIN_SAMPLES);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_INCONCLUSIVE);
}

/* An optimisation elsewhere halves the total: the shares of unchanged frames double, but their cost does not. */
TEST(a_share_that_grew_because_others_shrank_only_warns) {
    for (int known = 0; known < 2; known++) {
        COUNTS(f, 9, 3, 3, 10000);
        for (uint32_t i = 1; i < 9; i++)
            counts_set_all(&f, i, 800, 1600);
        counts_set_all(&f, 0, 3600, 0);
        counts_set_all(&f, 8, 4400, 0);
        counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
        if (known) { /* equal totals, so the canary did twice the work */
            f.options.work[GATE_BASELINE] = 1000;
            f.options.work[GATE_CANARY] = 2000;
        }
        f.comparison.pair.has_no_own = true;
        counts_reach(&f);
        assert_int_equal(f.comparison.work_is_known, known);
        assert_true(fabs(f.comparison.work_ratio - 2.0) < (known ? 1e-9 : 1e-2));
        assert_finding(&f, 0, "a", GATE_OUTCOME_WARN, GATE_REASON_OTHERS_SHRANK);
        assert_true(fabs(counts_finding(&f, 0, "a")->own_cost_ratio - 1.0) < 1e-2);
        assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
    }
}

/* In a canary that costs half as much, 3% of the baseline's cost is 6% of the canary's profile. */
TEST(a_small_cost_is_below_min_share) {
    for (int small = 0; small < 2; small++) {
        COUNTS(f, 3, 3, 3, 10000);
        counts_set_all(&f, 0, 200, small ? 600 : 1000);
        counts_set_all(&f, 1, 5000, 0);
        counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_INCREASE, 1.0)->min_share = 0.04;
        f.options.work[GATE_BASELINE] = 1000;
        f.options.work[GATE_CANARY] = 2000;
        f.comparison.pair.has_no_own = true;
        counts_reach(&f);
        assert_int_equal(f.verdict.budgets[0].outcome == GATE_OUTCOME_FAIL, !small);
    }
}

TEST(the_same_bytes_are_proven) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 1, 40, 0.10, 0.10);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.01);
    f.comparison.same_input = true;
    counts_reach(&f);
    assert_int_equal(f.verdict.budgets[0].outcome, GATE_OUTCOME_PROVEN);
    assert_int_equal(f.verdict.warnings[0].guard, GATE_GUARD_SAME_FILE);
}

TEST(identical_sample_sets_count_once) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 2000, 0.10, 0.10);
    counts_budget(&f, "self", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.01);
    counts_budget(&f, "cumulative", GATE_MEASURE_CUMULATIVE, GATE_LIMIT_SHARE_INCREASE, 0.01);
    counts_reach(&f);
    uint32_t family = f.verdict.hypotheses[0].family;
    assert_int_equal(family, 9); /* nine frames with two hypotheses each */
    assert_true(f.verdict.hypotheses[0].log_p_adjusted == f.verdict.hypotheses[9].log_p_adjusted);
}

/* Frames that could not break the limit even with all their counts in the canary are not in the family, so they cost no
 * power. */
TEST(frames_that_cannot_fail_are_not_in_the_family) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 2000, 0.10, 0.10);
    for (uint32_t i = 3; i < 9; i++)
        counts_set_all(&f, i, 20, 20); /* 1 % each */
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    assert_int_equal(f.verdict.hypotheses[0].family, 3); /* rest, a, b */
    assert_int_equal(f.verdict.budgets[0].tested, 9);
}

/* The limit ignores a frame that is too small in the canary. The frame is still in the family: which frames are
 * corrected for must not depend on which ones grew. */
TEST(unseen_frames_are_in_the_family) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 10000, 0.02, 0.06);
    for (uint32_t i = 3; i < 9; i++)
        counts_set_all(&f, i, 80, 40); /* below 0.5% in the canary; with all 120 counts there it would be tested */
    counts_set_all(&f, 2, 10, 5);      /* with all 15 counts there it would not be tested */
    struct gate_budget *budget = counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_INCREASE, 2.0);
    counts_reach(&f);
    assert_int_equal(f.verdict.hypothesis_count, 2);     /* rest, a */
    assert_int_equal(f.verdict.hypotheses[0].family, 8); /* and six of those */
    assert_int_equal(f.verdict.budgets[0].tested, 2);
    assert_finding(&f, 0, "a", GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    budget->min_share = 0.011; /* 120 of 10,000 are above this, and 15 are not */
    counts_reach(&f);
    assert_int_equal(f.verdict.hypotheses[0].family, 8);
    budget->min_share = 0.013; /* 120 do not */
    counts_reach(&f);
    assert_int_equal(f.verdict.hypotheses[0].family, 2);
}

TEST(each_kind_of_limit_fails_above_and_holds_below) {
    static const struct {
        enum gate_limit_kind kind;
        double value, before, after;
        enum gate_outcome outcome;
    } rows[] = {
        {GATE_LIMIT_INCREASE, 2.0, 0.05, 0.15, GATE_OUTCOME_FAIL},
        {GATE_LIMIT_INCREASE, 2.0, 0.05, 0.05, GATE_OUTCOME_PROVEN},
        {GATE_LIMIT_INCREASE, 2.0, 0.0, 0.05, GATE_OUTCOME_FAIL}, /* a new frame has no finite ratio */
        {GATE_LIMIT_SHARE, 0.10, 0.05, 0.15, GATE_OUTCOME_FAIL},
        {GATE_LIMIT_SHARE, 0.20, 0.05, 0.15, GATE_OUTCOME_PROVEN},
        {GATE_LIMIT_NEW_FRAME, 0.02, 0.0, 0.05, GATE_OUTCOME_FAIL},
        {GATE_LIMIT_NEW_FRAME, 0.02, 0.0, 0.005, GATE_OUTCOME_PROVEN},
        {GATE_LIMIT_NEW_FRAME, 0.02, 0.01, 0.20, GATE_OUTCOME_PASS}, /* the baseline has it, so new_frame ignores it */
        {GATE_LIMIT_DECREASE, 0.5, 0.20, 0.19, GATE_OUTCOME_FAIL},
        {GATE_LIMIT_DECREASE, 0.5, 0.20, 0.05, GATE_OUTCOME_PROVEN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COUNTS(f, 2, 3, 3, 20000);
        counts_set_all(&f, 1, (int64_t)(rows[i].before * 20000), (int64_t)(rows[i].after * 20000));
        counts_budget(&f, "b", GATE_MEASURE_SELF, rows[i].kind, rows[i].value);
        counts_reach(&f);
        if (f.verdict.budgets[0].outcome != rows[i].outcome)
            fail_msg("row %zu: found %s, expected %s", i, gate_outcome_name(f.verdict.budgets[0].outcome),
                     gate_outcome_name(rows[i].outcome));
    }
}

TEST(totals_compare_per_work_or_per_second) {
    COUNTS(f, 2, 3, 3, 10000);
    counts_set_all(&f, 1, 500, 500);
    counts_budget(&f, "total", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, 1.2);
    f.options.work[GATE_BASELINE] = 3000;
    f.options.work[GATE_CANARY] = 1500; /* the same total for half the work */
    counts_reach(&f);
    assert_finding(&f, 0, "total", GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    f.options = (struct gate_verdict_options){0};
    counts_reach(&f);
    assert_int_equal(f.verdict.budgets[0].outcome, GATE_OUTCOME_PROVEN);
    f.comparison.pair.sides[GATE_CANARY].duration_ns = 0;
    counts_reach(&f);
    assert_finding(&f, 0, "total", GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_NOT_COMPARABLE);
}

TEST(budgets_that_cannot_be_compared_are_inconclusive) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 2000, 0.05, 0.05);
    static const uint32_t nowhere[] = {GATE_NO_INDEX, 0, 0};
    counts_budget(&f, "heap", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_budget(&f, "old", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05)->expires = GATE_STR("2026-01-31");
    counts_budget(&f, "cost", GATE_MEASURE_SELF_COST, GATE_LIMIT_INCREASE, 1.5);
    f.options.comparison_of = nowhere;
    f.options.today = GATE_STR("2026-02-01");
    counts_reach(&f);
    assert_finding(&f, 0, "heap", GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_NOT_COMPARABLE);
    assert_finding(&f, 1, "old", GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_EXPIRED);
    assert_finding(&f, 2, "cost", GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_NOT_COMPARABLE);
}

TEST(guards_disable_a_warning_or_make_the_run_inconclusive) {
    static const struct {
        enum gate_severity severity;
        uint32_t warnings;
        enum gate_outcome outcome;
    } rows[] = {{GATE_SEVERITY_OFF, 0, GATE_OUTCOME_PASS},
                {GATE_SEVERITY_WARN, 1, GATE_OUTCOME_PASS},
                {GATE_SEVERITY_ERROR, 1, GATE_OUTCOME_INCONCLUSIVE}};
    for (size_t i = 0; i < 3; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin_runs(&f, 3, 20000, 0.05, 0.05);
        struct gate_guard_rule guard = {.guard = GATE_GUARD_IDLE, .severity = rows[i].severity};
        struct gate_warning idle = {.guard = GATE_GUARD_IDLE, .message = GATE_STR("the canary did nothing")};
        f.rules.guards = &guard;
        f.rules.guard_count = 1;
        f.options.warnings = &idle;
        f.options.warning_count = 1;
        counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
        counts_reach(&f);
        assert_int_equal(f.verdict.warning_count, rows[i].warnings);
        assert_int_equal(f.verdict.outcome, rows[i].outcome);
    }
}

TEST(movers_are_in_a_total_order) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 2000, 0.04, 0.14);
    counts_reach(&f);
    assert_int_equal(f.comparison.by_self[0],
                     1); /* "a" and "rest" changed by the same amount, so they are ordered by name */
    assert_int_equal(f.comparison.by_self[1], 0);
    for (uint32_t i = 2; i < 9; i++)
        assert_int_equal(f.comparison.by_self[i], i);
    assert_true(f.comparison.frames[1].is_suspect[GATE_SELF]);
    assert_false(f.comparison.frames[2].is_suspect[GATE_SELF]);
}
