/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h at one of several looks: which decisions depend on the levels of the look. */
#include "tests/unit/decide_fixture.h"

/* A hypothesis, the levels of the look, and the expected outcome and reason. */
struct look_row {
    const char *name;           /* the rule that the row tests */
    double margin, proof, turn; /* levels of the look; 0: the default */
    enum gate_outcome outcome;
    enum gate_reason reason;
    struct decide_row is;
    bool is_early;
};

#define GROWTH .kind = GATE_LIMIT_SHARE_INCREASE, .limit = 0.05

static const struct look_row rows[] = {
    {"it is broken at the level of one look", 0, 0, 0, GATE_OUTCOME_FAIL, GATE_REASON_OVER,
     .is = {GROWTH, .counts = {100, 1000, 205, 1000}}},
    {"and not at that of an early one", 0.0004, 0, 0, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED,
     .is = {GROWTH, .counts = {100, 1000, 180, 1000}}},
    {"it is proven at the level of one look", 0, 0, 0, GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN,
     .is = {GROWTH, .counts = {100, 1000, 115, 1000}}},
    {"and not at that of an early one, where it may still be held", 0, 0.0004, 0, GATE_OUTCOME_PASS, GATE_REASON_WITHIN,
     .is = {GROWTH, .counts = {100, 1000, 115, 1000}}},
    {"or not even that", 0, 0.0004, 0, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES,
     .is = {GROWTH, .counts = {40, 400, 50, 400}}},
    {"what is held may pass before the last look where that would not turn it", 0, 0.0004, 0.9, GATE_OUTCOME_PASS,
     GATE_REASON_WITHIN, .is = {GROWTH, .counts = {100, 1000, 115, 1000}}},
    {"and may not where it would", 0, 0.0004, 0.9, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES,
     .is = {GROWTH, .counts = {100, 1000, 135, 1000}}},
    {"at the last look it may", 0, 0.0004, 0, GATE_OUTCOME_PASS, GATE_REASON_WITHIN,
     .is = {GROWTH, .counts = {100, 1000, 135, 1000}}},
    {"growth over the limit may pass as noise at the last look", 0, 0, 0, GATE_OUTCOME_PASS, GATE_REASON_TOLERATED,
     .is = {GROWTH, .counts = {5, 100, 12, 100}, .max_mde = .2}},
    {"and not where another look may tell", 0, 0, 0.3, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED,
     .is = {GROWTH, .counts = {5, 100, 12, 100}, .max_mde = .2}},
    {"delays of one pair hold up nothing where no other look comes", 0, 0, 0, GATE_OUTCOME_WARN,
     GATE_REASON_UNCONFIRMED, .is = {GROWTH, .counts = {5, 100, 12, 100}, .is_restrained = true}},
    {"and wait for the next pair where one does", 0, 0, 0.3, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED,
     .is = {GROWTH, .counts = {5, 100, 12, 100}, .is_restrained = true}},
    {"what is proven needs no other look", 0, 0, 0.99999, GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN,
     .is = {GROWTH, .counts = {100, 1000, 100, 1000}}},
    {"nothing is proven early with fewer samples than a fail needs", 0, 0, 0, GATE_OUTCOME_INCONCLUSIVE,
     GATE_REASON_TOO_FEW_SAMPLES, .is = {GROWTH, .counts = {10, 100, 1, 99}, .min_samples = 101, .samples = {100, 99}},
     .is_early = true},
    {"but at the last look it is", 0, 0, 0, GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN,
     .is = {GROWTH, .counts = {10, 100, 1, 99}, .min_samples = 101, .samples = {100, 99}}},
    {"and early if one side has that many", 0, 0, 0, GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN,
     .is = {GROWTH, .counts = {10, 100, 1, 99}, .min_samples = 100, .samples = {100, 99}}, .is_early = true},
    {"nor is anything held early with so few", 0, 0.0004, 0, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES,
     .is = {GROWTH, .counts = {100, 1000, 115, 1000}, .min_samples = 1001, .samples = {1000, 1000}}, .is_early = true},
    {"growth that speaks, however softly, speaks at an early look too", 1e-9, 1e-9, 0, GATE_OUTCOME_WARN,
     GATE_REASON_UNCONFIRMED, .is = {GROWTH, .counts = {100, 1000, 165, 1000}, .is_bystander = true, .family = 1000}},
};

TEST(a_look_uses_its_own_levels) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct look_row *row = &rows[i];
        struct decide_room room;
        struct gate_decision_rules rules = decide_rules(&row->is);
        struct gate_hypothesis h = decide_hypothesis(&row->is, &room);
        rules.margin = row->margin > 0.0 ? row->margin : rules.margin;
        rules.proof = row->proof > 0.0 ? row->proof : rules.proof;
        rules.turn = row->turn;
        rules.is_early = row->is_early;
        gate_hypothesis_decide(&h, &rules);
        if (h.outcome != row->outcome || h.reason != row->reason)
            fail_msg("%s: found %s (%s), expected %s (%s)", row->name, gate_outcome_name(h.outcome),
                     gate_reason_name(h.reason), gate_outcome_name(row->outcome), gate_reason_name(row->reason));
    }
}

/* A stricter margin of a look raises the detectable growth and lowers log_attainable. The upper bound, which `explain`
 * prints, depends only on the level it is given. */
TEST(the_numbers_of_a_look_use_its_levels) {
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
