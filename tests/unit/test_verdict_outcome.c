/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a run: from each outcome of a budget and each value of on_inconclusive; and what no value turns into a
 * pass. */
#include "gate/budget/verdict.h"
#include "tests/unit/unit.h"

// clang-format off
// clang-format on

static enum gate_outcome outcome_of(enum gate_outcome one, enum gate_outcome other, enum gate_on_inconclusive how) {
    const struct gate_budget_result budgets[] = {{.outcome = one}, {.outcome = other}};
    return gate_verdict_outcome(budgets, 2, how, false);
}

TEST(the_worst_budget_decides_and_warnings_pass) {
    enum gate_on_inconclusive how = GATE_ON_INCONCLUSIVE_INCONCLUSIVE;
    assert_int_equal(gate_verdict_outcome(NULL, 0, how, false), GATE_OUTCOME_PASS);
    assert_int_equal(outcome_of(GATE_OUTCOME_PASS, GATE_OUTCOME_PROVEN, how), GATE_OUTCOME_PASS);
    assert_int_equal(outcome_of(GATE_OUTCOME_WARN, GATE_OUTCOME_PASS, how), GATE_OUTCOME_PASS);
    assert_int_equal(outcome_of(GATE_OUTCOME_WARN, GATE_OUTCOME_INCONCLUSIVE, how), GATE_OUTCOME_INCONCLUSIVE);
    assert_int_equal(outcome_of(GATE_OUTCOME_FAIL, GATE_OUTCOME_INCONCLUSIVE, how), GATE_OUTCOME_FAIL);
}

TEST(on_inconclusive_excuses_only_results_of_too_few_samples) {
    static const struct {
        enum gate_on_inconclusive how;
        enum gate_outcome expected, without_excuse; /* if samples are too few; if sides cannot be compared */
    } rows[] = {
        {GATE_ON_INCONCLUSIVE_PASS, GATE_OUTCOME_PASS, GATE_OUTCOME_INCONCLUSIVE},
        {GATE_ON_INCONCLUSIVE_WARN, GATE_OUTCOME_PASS, GATE_OUTCOME_INCONCLUSIVE},
        {GATE_ON_INCONCLUSIVE_FAIL, GATE_OUTCOME_FAIL, GATE_OUTCOME_FAIL},
        {GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_INCONCLUSIVE},
    };
    struct gate_finding expired = {.reason = GATE_REASON_EXPIRED};
    const struct gate_budget_result passed = {.outcome = GATE_OUTCOME_PASS};
    const struct gate_budget_result waived = {
        .outcome = GATE_OUTCOME_INCONCLUSIVE, .findings = &expired, .finding_count = 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(outcome_of(GATE_OUTCOME_INCONCLUSIVE, GATE_OUTCOME_PASS, rows[i].how), rows[i].expected);
        assert_int_equal(gate_verdict_outcome(&passed, 1, rows[i].how, true), rows[i].without_excuse);
        assert_int_equal(gate_verdict_outcome(&waived, 1, rows[i].how, false), rows[i].without_excuse);
    }
}
