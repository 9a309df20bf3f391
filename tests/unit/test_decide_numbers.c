/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h: the numbers behind the decisions of test_decide.c, each computed a second time or searched for. */
#include "tests/unit/decide_fixture.h"

#include "gate/compare/evidence.h"

static const double PROOF = 0.05;

TEST(each_limit_kind_has_its_quantity) {
    static const struct {
        enum gate_limit_kind kind;
        enum gate_quantity quantity;
        bool bounds_growth;
    } rows[] = {
        {GATE_LIMIT_SHARE_INCREASE, GATE_QUANTITY_GROWTH, true}, {GATE_LIMIT_NEW_FRAME, GATE_QUANTITY_GROWTH, true},
        {GATE_LIMIT_INCREASE, GATE_QUANTITY_RATIO, true},        {GATE_LIMIT_DECREASE, GATE_QUANTITY_RATIO, false},
        {GATE_LIMIT_SHARE, GATE_QUANTITY_LEVEL, false},          {GATE_LIMIT_ABSOLUTE, GATE_QUANTITY_LEVEL, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_limit limit = {.kind = rows[i].kind};
        struct gate_hypothesis h = {.limit = &limit};
        assert_int_equal(gate_limit_quantity(rows[i].kind), rows[i].quantity);
        assert_int_equal(gate_hypothesis_bounds_growth(&h), rows[i].bounds_growth);
    }
}

TEST(quantities_are_computed_from_both_shares) {
    struct gate_evidence both = {.share = {0.25, 0.75}, .delta = 0.5}, fresh = {.share = {0, 0.1}}, none = {.df = 1};
    struct gate_evidence gone = {.share = {0.1, 0}};
    decide_assert_near(gate_quantity_of(&both, GATE_QUANTITY_GROWTH), 0.5, 0);
    decide_assert_near(gate_quantity_of(&both, GATE_QUANTITY_RATIO), 3.0, 0);
    decide_assert_near(gate_quantity_of(&both, GATE_QUANTITY_LEVEL), 0.75, 0);
    assert_true(isinf(gate_quantity_of(&fresh, GATE_QUANTITY_RATIO)));
    decide_assert_near(gate_quantity_of(&none, GATE_QUANTITY_RATIO), 1.0, 0);
    decide_assert_near(gate_quantity_of(&gone, GATE_QUANTITY_RATIO), 0.0, 0);
}

/* Which test each kind of limit uses: for "over the limit", and for the hypothesis that Holm corrects. */
TEST(each_kind_of_limit_uses_its_test) {
    const struct gate_counts2 counts = {500, 1e4, 650, 1e4};
    double growth = 0, over = 0, ratio = 0, share = 0;
    struct gate_evidence e = decide_evidence(counts, 1, true);
    (void)gate_evidence_increase(&e, 0.0, &growth);
    (void)gate_evidence_increase(&e, 0.01, &over);
    (void)gate_evidence_ratio(&e, 1.2, &ratio);
    share = gate_evidence_log_p(&e, gate_one_sample_z(counts.k2, counts.n2, 0.06));
    const struct {
        enum gate_limit_kind kind;
        double limit, margin, family;
    } rows[] = {{GATE_LIMIT_SHARE_INCREASE, 0.01, over, growth},
                {GATE_LIMIT_NEW_FRAME, 0.01, over, growth},
                {GATE_LIMIT_INCREASE, 1.2, ratio, growth},
                {GATE_LIMIT_DECREASE, 1.2, ratio, ratio},
                {GATE_LIMIT_SHARE, 0.06, share, share},
                {GATE_LIMIT_ABSOLUTE, 0.06, share, share},
                {GATE_LIMIT_SHARE, 1.0, 0, 0},
                {GATE_LIMIT_SHARE, 0.0, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decide_room room;
        struct gate_hypothesis h = decide_make(&room, rows[i].kind, rows[i].limit, counts);
        decide_assert_near(gate_hypothesis_margin_log_p(&h, &e), rows[i].margin, 1e-12);
        decide_assert_near(gate_hypothesis_family_log_p(&h, &e), rows[i].family, 1e-12);
        decide_assert_near(h.log_p, rows[i].family, 1e-12);
    }
    struct decide_room room;
    struct gate_hypothesis absent = decide_make(&room, GATE_LIMIT_SHARE, 0.0, (struct gate_counts2){50, 1e3, 0, 1e3});
    decide_assert_near(gate_hypothesis_margin_log_p(&absent, absent.evidence), 0, 0);
}

TEST(the_upper_bound_is_in_the_quantity_of_the_limit) {
    const struct gate_counts2 counts = {500, 1e4, 650, 1e4};
    struct decide_room room;
    struct gate_hypothesis growth = decide_make(&room, GATE_LIMIT_SHARE_INCREASE, 0.01, counts);
    decide_assert_near(gate_hypothesis_upper(&growth, PROOF), gate_evidence_upper(growth.evidence, PROOF), 0);
    struct gate_hypothesis ratio = decide_make(&room, GATE_LIMIT_INCREASE, 1.2, counts);
    decide_assert_near(gate_hypothesis_upper(&ratio, PROOF), gate_evidence_ratio_upper(ratio.evidence, PROOF), 0);
    struct gate_hypothesis share = decide_make(&room, GATE_LIMIT_SHARE, 0.1, counts);
    decide_assert_near(gate_hypothesis_upper(&share, PROOF), gate_evidence_share_upper(share.evidence, PROOF), 0);
}

/* A limit is proven if the 95% upper bound is within it. Limits just below and just above the bound show that. */
TEST(a_limit_is_proven_if_the_upper_bound_is_within_it) {
    static const enum gate_limit_kind kinds[] = {GATE_LIMIT_SHARE_INCREASE, GATE_LIMIT_INCREASE, GATE_LIMIT_SHARE,
                                                 GATE_LIMIT_DECREASE, GATE_LIMIT_NEW_FRAME};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int over = 0; over < 2; over++) {
            struct decide_room room;
            struct gate_hypothesis h = decide_make(&room, kinds[i], 1.0, (struct gate_counts2){500, 1e4, 400, 1e4});
            double bound = gate_hypothesis_upper(&h, PROOF);
            h.limit_value = bound + fabs(bound) * (over ? 1e-6 : -1e-6);
            struct decide_row plain = {.max_mde = 1e-9}; /* so small that no unproven growth passes */
            struct gate_decision_rules rules = decide_rules(&plain);
            gate_hypothesis_decide(&h, &rules);
            assert_int_equal(h.outcome == GATE_OUTCOME_PROVEN, over);
        }
}

TEST(the_largest_unseen_growth_follows_from_limit_or_max_mde) {
    static const struct {
        enum gate_limit_kind kind;
        double limit, max_mde, ceiling;
    } rows[] = {/* Growth: twice the limit, at least 1 pp; or max_mde if it is set. The baseline's share is .1. */
                {GATE_LIMIT_SHARE_INCREASE, 0.05, 0, 0.1},
                {GATE_LIMIT_SHARE_INCREASE, 0.005, 0, 0.01},
                {GATE_LIMIT_SHARE_INCREASE, 0.0, 0, 0.01},
                {GATE_LIMIT_SHARE_INCREASE, 0.05, 0.07, 0.07},
                {GATE_LIMIT_NEW_FRAME, 0.05, 0, 0.1},
                /* Ratio: twice the limit's distance from 1, at least .1, times the baseline's share; at least
                   max_mde. */
                {GATE_LIMIT_INCREASE, 1.5, 0, 0.1},
                {GATE_LIMIT_INCREASE, 1.01, 0, 0.01},
                {GATE_LIMIT_INCREASE, 1.0, 0, 0.01},
                {GATE_LIMIT_INCREASE, 1.5, 0.2, 0.2},
                {GATE_LIMIT_INCREASE, 1.5, 0.02, 0.1},
                {GATE_LIMIT_DECREASE, 0.9, 0, 0.01},
                {GATE_LIMIT_DECREASE, 0.8, 0, 0.02},
                {GATE_LIMIT_DECREASE, 0.8, 0.03, 0.03},
                /* Level: twice the limit, less the baseline's share; or max_mde if it is set. */
                {GATE_LIMIT_SHARE, 0.2, 0, 0.3},
                {GATE_LIMIT_SHARE, 0.2, 0.05, 0.05}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decide_room room;
        struct gate_hypothesis h =
            decide_make(&room, rows[i].kind, rows[i].limit, (struct gate_counts2){1000, 1e4, 1000, 1e4});
        decide_assert_near(gate_hypothesis_mde_ceiling(&h, rows[i].max_mde), rows[i].ceiling, 1e-12);
    }
}

/* Detectable growth is significant over 0 at the family-wise level and over the limit at the margin's level. Limits
 * that do not bound growth use the family-wise level for both. */
TEST(detectable_growth_is_significant_at_both_levels) {
    static const struct {
        enum gate_limit_kind kind;
        double limit, points;
        bool own_hypothesis;
    } rows[] = {{GATE_LIMIT_SHARE_INCREASE, 0.02, 0.02, false}, {GATE_LIMIT_NEW_FRAME, 0.02, 0.02, false},
                {GATE_LIMIT_INCREASE, 1.5, 0.05, false},        {GATE_LIMIT_DECREASE, 0.9, -0.01, true},
                {GATE_LIMIT_SHARE, 0.12, 0.02, true},           {GATE_LIMIT_ABSOLUTE, 0.12, 0.02, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decide_row row = {
            .kind = rows[i].kind, .limit = rows[i].limit, .counts = {1000, 1e4, 1010, 1e4}, .family = 30};
        struct decide_room room;
        struct gate_hypothesis h = decide_hypothesis(&row, &room);
        struct gate_decision_rules rules = decide_rules(&row);
        gate_hypothesis_decide(&h, &rules);
        double level = 0.01 / 30;
        decide_assert_near(
            gate_hypothesis_detectable(&h),
            gate_detectable_growth(h.evidence, rows[i].points, level, rows[i].own_hypothesis ? level : 0.05), 1e-9);
        double growth = gate_hypothesis_detectable(&h);
        assert_true(gate_hypothesis_detects(&h, growth * 1.001));
        assert_false(gate_hypothesis_detects(&h, growth * 0.999));
        h.detectable = 0.1; /* as computed elsewhere */
        assert_true(gate_hypothesis_detects(&h, 0.1));
        assert_false(gate_hypothesis_detects(&h, 0.099));
    }
}

/* Return the level whose logarithm is exactly `log_p`. */
static double level_of(double log_p) {
    double level = exp(log_p);
    for (int i = 0; i < 100 && log(level) != log_p; i++)
        level = nextafter(level, log(level) < log_p ? 1.0 : 0.0);
    assert_true(log(level) == log_p);
    return level;
}

/* Each condition of a fail holds exactly at its level, and not at a slightly stricter level. */
TEST(a_fail_holds_exactly_at_each_level) {
    const struct decide_row row = {.limit = .05, .counts = {500, 1e4, 1500, 1e4}, .own = {500, 1e4, 1300, 1e4}};
    struct decide_room room;
    struct gate_hypothesis h = decide_hypothesis(&row, &room);
    struct gate_decision_rules rules = decide_rules(&row);
    double margin = gate_hypothesis_margin_log_p(&h, h.evidence), own = gate_hypothesis_margin_log_p(&h, h.own);
    rules.margin = level_of(margin);
    rules.margin_own = level_of(own);
    h.log_p_adjusted = log(rules.alpha);
    h.log_level = gate_hypothesis_family_log_p(&h, h.own);
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.outcome, GATE_OUTCOME_FAIL);
    const struct gate_hypothesis at = h;
    const struct gate_decision_rules exact = rules;
    for (int beyond = 0; beyond < 4; beyond++) {
        h = at;
        rules = exact;
        rules.alpha *= beyond == 0 ? 0.999 : 1.0;
        rules.margin *= beyond == 1 ? 0.999 : 1.0;
        rules.margin_own *= beyond == 2 ? 0.999 : 1.0;
        h.log_level -= beyond == 3 ? 0.001 : 0.0;
        gate_hypothesis_decide(&h, &rules);
        assert_int_not_equal(h.outcome, GATE_OUTCOME_FAIL);
    }
}

/* Own cost within the limit does not excuse growth that is significant exactly at the level of Holm's last step. */
TEST(growth_significant_exactly_at_the_level_is_not_excused) {
    const struct decide_row row = {
        .limit = .05, .counts = {500, 1e4, 1500, 1e4}, .own = {5, 100, 9, 100}, .max_mde = .2};
    struct decide_room room;
    struct gate_hypothesis h = decide_hypothesis(&row, &room);
    struct gate_decision_rules rules = decide_rules(&row);
    h.log_level = gate_hypothesis_family_log_p(&h, h.own);
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.reason, GATE_REASON_OWN_COST_OPEN);
    h.log_level = nextafter(h.log_level, -INFINITY);
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.reason, GATE_REASON_OTHERS_SHRANK);
}

/* A pass needs an upper bound of at most max_mde. Growth that is significant exactly at alpha is not tolerated. */
TEST(max_mde_is_inclusive_and_alpha_is_not) {
    struct decide_row row = {.limit = .05, .counts = {500, 1e4, 980, 1e4}};
    struct decide_room room;
    struct gate_hypothesis h = decide_hypothesis(&row, &room);
    struct gate_decision_rules rules = decide_rules(&row);
    double bound = gate_hypothesis_upper(&h, PROOF);
    rules.max_mde = bound * (1.0 + 1e-9);
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.outcome, GATE_OUTCOME_PASS);
    rules.max_mde = bound * (1.0 - 1e-9);
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.outcome, GATE_OUTCOME_INCONCLUSIVE);
    row = (struct decide_row){.kind = GATE_LIMIT_INCREASE, .limit = 2, .counts = {8, 8e3, 18, 8e3}, .max_mde = .01};
    h = decide_hypothesis(&row, &room);
    rules = decide_rules(&row);
    h.log_p_adjusted = 0.0; /* not significant in its family */
    rules.alpha = level_of(h.log_p);
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.reason, GATE_REASON_UNCONFIRMED);
    rules.alpha *= 0.999;
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.reason, GATE_REASON_TOLERATED);
    /* If the variation from run to run was measured, half of alpha is the level. */
    static const enum gate_variation measured[] = {GATE_VARIATION_MODEL, GATE_VARIATION_REPLICATES,
                                                   GATE_VARIATION_BOTH};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        double level = rules.alpha;
        room.evidence.variation = measured[i];
        rules.alpha *= 1.99;
        gate_hypothesis_decide(&h, &rules);
        assert_int_equal(h.reason, GATE_REASON_TOLERATED);
        rules.alpha = level * 2.01;
        gate_hypothesis_decide(&h, &rules);
        assert_int_equal(h.reason, GATE_REASON_UNCONFIRMED);
        rules.alpha = level;
    }
    /* The total is one question: the level of the margin, however its variation is known. */
    h.is_total = true;
    rules.alpha_margin = level_of(h.log_p);
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.reason, GATE_REASON_UNCONFIRMED);
    rules.alpha_margin *= 0.999;
    gate_hypothesis_decide(&h, &rules);
    assert_int_equal(h.reason, GATE_REASON_TOLERATED);
}

/* With too few samples the advised factor is min_samples over the samples of the larger side. Without samples there is
 * no advice. */
TEST(too_few_samples_give_the_missing_factor) {
    static const struct {
        double baseline, canary, factor;
    } rows[] = {{100, 250, 2}, {250, 100, 2}, {0.5, 0.25, 1000}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decide_row row = {.limit = .05,
                                 .counts = {500, 1e4, 1500, 1e4},
                                 .min_samples = 500,
                                 .samples = {rows[i].baseline, rows[i].canary}};
        struct decide_room room;
        struct gate_hypothesis h = decide_hypothesis(&row, &room);
        struct gate_decision_rules rules = decide_rules(&row);
        gate_hypothesis_decide(&h, &rules);
        assert_int_equal(h.reason, GATE_REASON_MIN_SAMPLES);
        decide_assert_near(h.settle_factor, rows[i].factor, 1e-12);
    }
}

TEST(deciding_again_resets_the_advice) {
    struct decide_row row = {.limit = .05, .counts = {500, 1e4, 500, 1e4}};
    struct decide_room room;
    struct gate_hypothesis h = decide_hypothesis(&row, &room);
    struct gate_decision_rules rules = decide_rules(&row);
    h.settle_factor = 7.0;
    gate_hypothesis_decide(&h, &rules);
    decide_assert_near(h.settle_factor, 0.0, 0);
}

TEST(an_estimated_work_ratio_is_tested_at_a_level_of_a_quarter) {
    decide_assert_near(gate_own_cost_margin(0.05, true), 0.05, 0);
    decide_assert_near(gate_own_cost_margin(0.05, false), 0.25, 0);
    decide_assert_near(gate_own_cost_margin(0.4, false), 0.4, 0);
    decide_assert_near(gate_own_cost_margin(0.4, true), 0.4, 0);
}

/* The trap of large samples: any growth is significant then. Only growth over the limit fails. */
TEST(significant_growth_within_the_limit_is_proven) {
    static const struct {
        double samples, growth;
        enum gate_outcome outcome;
    } rows[] = {{1e8, 0.001, GATE_OUTCOME_PROVEN},    {1e8, 0.009, GATE_OUTCOME_PROVEN},
                {1e8, 0.011, GATE_OUTCOME_FAIL},      {1e10, 1e-5, GATE_OUTCOME_PROVEN},
                {1e10, 0.001, GATE_OUTCOME_PROVEN},   {1e10, 0.0099, GATE_OUTCOME_PROVEN},
                {1e10, 0.0101, GATE_OUTCOME_FAIL},    {1e12, 1e-5, GATE_OUTCOME_PROVEN},
                {1e12, 0.00999, GATE_OUTCOME_PROVEN}, {1e12, 0.01001, GATE_OUTCOME_FAIL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double n = rows[i].samples;
        const struct gate_counts2 counts = {0.05 * n, n, (0.05 + rows[i].growth) * n, n};
        const struct decide_row row = {.limit = 0.01, .counts = counts, .own = counts};
        const struct gate_decision_rules rules = decide_rules(&row);
        struct decide_room room;
        struct gate_hypothesis h = decide_hypothesis(&row, &room);
        gate_hypothesis_decide(&h, &rules);
        if (h.log_p > log(1e-3) || h.outcome != rows[i].outcome)
            fail_msg("+%g of %g samples: log p %g, %s", rows[i].growth, n, h.log_p, gate_outcome_name(h.outcome));
        /* The same counts fail at a limit of 0: they are not passed for want of evidence. */
        const struct decide_row strict = {.limit = 0.0, .counts = counts, .own = counts};
        h = decide_hypothesis(&strict, &room);
        gate_hypothesis_decide(&h, &rules);
        assert_int_equal(h.outcome, GATE_OUTCOME_FAIL);
    }
}
