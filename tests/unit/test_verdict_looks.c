/* SPDX-License-Identifier: Apache-2.0 */
/* budget/verdict.h: verdicts over several looks, on pairs made of counts. */
#include "counts_fixture.h"

#include "gate/report/headline.h"

static const double fractions[] = {0.2, 0.4, 0.6, 0.8, 1.0};

/* Three runs per side; "a" has 5% before, and `after` afterwards. */
static void begin(struct counts_fixture *f, double after, uint32_t looks) {
    const int64_t total = 2000;
    counts_begin(f, 9, 3, 3, total);
    int64_t before = total / 20, now = (int64_t)(after * (double)total);
    for (uint32_t i = 2; i < 9; i++)
        counts_set_all(f, i, total / 20, total / 20);
    counts_set_all(f, 1, before, now);
    counts_set_all(f, 0, total - 8 * before, total - 7 * before - now);
    counts_budget(f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    f->options.looks = (struct gate_looks){.fractions = fractions, .count = looks, .planned = looks > 0 ? 5 : 0};
    counts_reach(f);
}

static enum gate_outcome outcome(double after, uint32_t looks) {
    struct counts_fixture f;
    begin(&f, after, looks);
    enum gate_outcome found = f.verdict.outcome;
    counts_end(&f);
    return found;
}

/* Return the smallest growth with which such runs fail. */
static double least_fail(uint32_t looks) {
    double low = 0.05, high = 0.3;
    while (high - low > 0.0005) {
        double middle = (low + high) / 2;
        *(outcome(middle, looks) == GATE_OUTCOME_FAIL ? &high : &low) = middle;
    }
    return high;
}

static double most_pass(uint32_t looks) {
    double low = 0.0, high = 0.3;
    while (high - low > 0.0005) {
        double middle = (low + high) / 2;
        *(outcome(middle, looks) == GATE_OUTCOME_PASS ? &low : &high) = middle;
    }
    return low;
}

TEST(an_earlier_look_needs_more_growth_to_decide) {
    double one_fail = least_fail(0), one_pass = most_pass(0), last_fail = 1.0, last_pass = -1.0;
    for (uint32_t looks = 1; looks <= 5; looks++) {
        double fails = least_fail(looks), passes = most_pass(looks);
        assert_true(fails < last_fail);
        assert_true(passes >= last_pass);
        last_fail = fails;
        last_pass = passes;
    }
    assert_true(last_fail >= one_fail && last_fail < one_fail + 0.005);
    assert_true(last_pass <= one_pass && last_pass > one_pass - 0.005);
}

TEST(the_sentence_about_a_look_has_its_numbers) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 0.06, 2);
    const struct gate_verdict_looks *looks = &f.verdict.looks;
    assert_int_equal(looks->count, 2);
    assert_int_equal(looks->planned, 5);
    assert_float_equal(looks->fraction, 0.4, 0);
    assert_float_equal(looks->fail_total, 0.01, 0);
    assert_float_equal(looks->fail_spent, 0.01 * 0.064, 1e-12);
    assert_float_equal(looks->held_total, 0.05, 0);
    assert_float_equal(looks->held_spent, 0.05 * 0.064, 1e-12);
    assert_int_equal(looks->runs, 3);
    assert_int_equal(looks->one_look_runs, 8); /* 3 / .4, rounded up */
    assert_true(looks->margin < 0.0033 && looks->margin > 0.0027);
    assert_true(looks->proof == looks->margin);
    assert_int_equal(looks->stands.len, 0);
    AT_END(gate_buf_free) struct gate_buf line = {0};
    gate_looks_line(&line, looks);
    assert_true(gate_str_equal(gate_buf_view(&line),
                               GATE_STR("look 2 of at most 5, 3 of 8 planned runs per side; error "
                                        "budget used: 0.00064 of 0.01 for a fail, 0.0032 of 0.05 for a pass")));
}

TEST(the_plan_is_known_or_derived) {
    static const struct {
        uint32_t count, planned, expected_planned, expected_runs;
    } rows[] = {{2, 0, 0, 8}, {2, 1, 2, 8}, {2, 2, 2, 8}, {5, 5, 5, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, 0.05, 0);
        struct gate_looks_now now;
        struct gate_verdict_looks found;
        const struct gate_looks looks = {.fractions = fractions, .count = rows[i].count, .planned = rows[i].planned};
        assert_true(gate_looks_begin(&now, &looks, 0.05, &f.err));
        gate_verdict_looks_fill(&found, &looks, &now, &f.rules, &f.comparison, 1);
        assert_int_equal(found.planned, rows[i].expected_planned);
        assert_int_equal(found.one_look_runs, rows[i].expected_runs);
        AT_END(gate_buf_free) struct gate_buf line = {0};
        gate_looks_line(&line, &found);
        assert_int_equal(gate_str_find(gate_buf_view(&line), GATE_STR("at most"), 0) != SIZE_MAX,
                         rows[i].expected_planned > 0);
    }
}

TEST(a_single_look_is_not_reported) {
    AT_END(counts_end) struct counts_fixture f;
    struct gate_buf line = {0};
    begin(&f, 0.05, 0);
    assert_int_equal(f.verdict.looks.count, 0);
    gate_looks_line(&line, &f.verdict.looks);
    assert_int_equal(line.len, 0);
}

/* In a family of named and unnamed budgets, the p value that is compared with alpha is the sequential one. */
TEST(p_values_are_sequential) {
    AT_END(counts_end) struct counts_fixture one, early;
    begin(&one, 0.125, 0);
    begin(&early, 0.125, 1);
    const struct gate_finding *now = counts_finding(&early, 0, "a"), *all = counts_finding(&one, 0, "a");
    assert_non_null(now);
    assert_non_null(all);
    assert_true(now->log_p_adjusted > all->log_p_adjusted);
    /* the level spent is t^3 of the whole at the same p; with a larger margin, more of the family cannot fail */
    assert_true(now->log_p_adjusted < all->log_p_adjusted - 3 * log(0.2) + 1.0);
}
