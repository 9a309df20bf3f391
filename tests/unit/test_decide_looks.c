/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h at one of several looks: which decisions depend on the levels of the look. */
#include "tests/unit/decide_fixture.h"

/* A hypothesis, the levels of the look, and the expected outcome and reason. */
struct look_row {
    const char *name; /* the rule that the row tests */
    struct decide_row is;
    double margin, proof, turn; /* levels of the look; 0: the default */
    enum gate_outcome outcome;
    enum gate_reason reason;
};

#define GROWTH .kind = GATE_LIMIT_SHARE_INCREASE, .limit = 0.05

static const struct look_row rows[] = {
    {"it is broken at the level of one look",
     {GROWTH, .counts = {100, 1000, 205, 1000}},
     0,
     0,
     0,
     GATE_OUTCOME_FAIL,
     GATE_REASON_OVER},
    {"and not at that of an early one",
     {GROWTH, .counts = {100, 1000, 180, 1000}},
     0.0004,
     0,
     0,
     GATE_OUTCOME_INCONCLUSIVE,
     GATE_REASON_UNCONFIRMED},
    {"it is proven at the level of one look",
     {GROWTH, .counts = {100, 1000, 115, 1000}},
     0,
     0,
     0,
     GATE_OUTCOME_PROVEN,
     GATE_REASON_WITHIN},
    {"and not at that of an early one, where it may still be held",
     {GROWTH, .counts = {100, 1000, 115, 1000}},
     0,
     0.0004,
     0,
     GATE_OUTCOME_PASS,
     GATE_REASON_WITHIN},
    {"or not even that",
     {GROWTH, .counts = {40, 400, 50, 400}},
     0,
     0.0004,
     0,
     GATE_OUTCOME_INCONCLUSIVE,
     GATE_REASON_TOO_FEW_SAMPLES},
    {"what is held may pass before the last look where that would not turn it",
     {GROWTH, .counts = {100, 1000, 115, 1000}},
     0,
     0.0004,
     0.9,
     GATE_OUTCOME_PASS,
     GATE_REASON_WITHIN},
    {"and may not where it would",
     {GROWTH, .counts = {100, 1000, 135, 1000}},
     0,
     0.0004,
     0.9,
     GATE_OUTCOME_INCONCLUSIVE,
     GATE_REASON_TOO_FEW_SAMPLES},
    {"at the last look it may",
     {GROWTH, .counts = {100, 1000, 135, 1000}},
     0,
     0.0004,
     0,
     GATE_OUTCOME_PASS,
     GATE_REASON_WITHIN},
    {"what is proven needs no other look",
     {GROWTH, .counts = {100, 1000, 100, 1000}},
     0,
     0,
     0.99999,
     GATE_OUTCOME_PROVEN,
     GATE_REASON_WITHIN},
    {"growth that speaks, however softly, speaks at an early look too",
     {GROWTH, .counts = {100, 1000, 165, 1000}, .is_bystander = true, .family = 1000},
     1e-9,
     1e-9,
     0,
     GATE_OUTCOME_WARN,
     GATE_REASON_UNCONFIRMED},
};

TEST(levels_of_a_look) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct look_row *row = &rows[i];
        struct decide_room room;
        struct gate_decision_rules rules = decide_rules(&row->is);
        struct gate_hypothesis h = decide_hypothesis(&row->is, &room);
        rules.margin = row->margin > 0.0 ? row->margin : rules.margin;
        rules.proof = row->proof > 0.0 ? row->proof : rules.proof;
        rules.turn = row->turn;
        gate_hypothesis_decide(&h, &rules);
        if (h.outcome != row->outcome || h.reason != row->reason)
            fail_msg("%s: found %s (%s), expected %s (%s)", row->name, gate_outcome_name(h.outcome),
                     gate_reason_name(h.reason), gate_outcome_name(row->outcome), gate_reason_name(row->reason));
    }
}

/* A stricter margin of a look raises the detectable growth and lowers log_attainable. The upper bound, which `explain`
 * prints, depends only on the level it is given. */
TEST(numbers_of_a_look) {
    const struct decide_row row = {GROWTH, .counts = {100, 1000, 120, 1000}};
    struct decide_room room;
    struct gate_hypothesis h = decide_hypothesis(&row, &room);
    struct gate_decision_rules rules = decide_rules(&row);
    gate_hypothesis_decide(&h, &rules);
    double before = gate_hypothesis_detectable(&h);
    rules.margin = 1e-4;
    gate_hypothesis_decide(&h, &rules);
    assert_true(gate_hypothesis_detectable(&h) > before);
    assert_true(gate_hypothesis_upper(&h, 1e-4) > gate_hypothesis_upper(&h, 0.05));
    gate_hypothesis_test(&h, 0.05);
    before = h.log_attainable;
    gate_hypothesis_test(&h, 1e-4);
    assert_true(h.log_attainable < before);
}
