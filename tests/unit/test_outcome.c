/* SPDX-License-Identifier: Apache-2.0 */
/* budget/outcome.h: the words of outcomes in JSON, and that worse outcomes have larger numbers. */
#include "gate/budget/outcome.h"
#include "tests/unit/unit.h"

TEST(outcomes_have_their_names_and_order) {
    static const struct {
        enum gate_outcome outcome;
        const char *name, *capitals, *of_budget;
    } rows[] = {{GATE_OUTCOME_PROVEN, "proven", "PROVEN", "holds"},
                {GATE_OUTCOME_PASS, "pass", "PASS", "holds"},
                {GATE_OUTCOME_WARN, "warn", "WARN", "warns"},
                {GATE_OUTCOME_INCONCLUSIVE, "inconclusive", "INCONCLUSIVE", "undecided"},
                {GATE_OUTCOME_FAIL, "fail", "FAIL", "broken"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(gate_outcome_name(rows[i].outcome), rows[i].name);
        assert_string_equal(gate_outcome_capitals(rows[i].outcome), rows[i].capitals);
        assert_string_equal(gate_outcome_of_budget(rows[i].outcome), rows[i].of_budget);
        if (i > 0)
            assert_true(rows[i].outcome > rows[i - 1].outcome);
    }
}

/* Scripts read these words in JSON, so they must not change. */
TEST(reasons_have_stable_names) {
    static const struct {
        enum gate_reason reason;
        const char *name;
    } rows[] = {{GATE_REASON_WITHIN, "within_budget"},
                {GATE_REASON_OVER, "over_budget"},
                {GATE_REASON_SEVERITY_WARN, "severity_warn"},
                {GATE_REASON_UNCONFIRMED, "unconfirmed"},
                {GATE_REASON_TOO_FEW_SAMPLES, "too_few_samples"},
                {GATE_REASON_OTHERS_SHRANK, "others_shrank"},
                {GATE_REASON_OWN_COST_OPEN, "own_cost_open"},
                {GATE_REASON_SHIFT, "cost_shift"},
                {GATE_REASON_DELAY_REPLICATES, "delay_replicates"},
                {GATE_REASON_MIN_SAMPLES, "min_samples"},
                {GATE_REASON_NO_MATCH, "no_match"},
                {GATE_REASON_NOT_COMPARABLE, "not_comparable"},
                {GATE_REASON_EXPIRED, "expired"},
                {GATE_REASON_NOT_SUSTAINED, "not_sustained"},
                {GATE_REASON_RUNTIME, "runtime_load"},
                {GATE_REASON_TOLERATED, "below_max_mde"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(gate_reason_name(rows[i].reason), rows[i].name);
}
