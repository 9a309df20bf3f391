/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h: the numbers behind the decisions of test_decide.c, each computed here a second time or searched for. */
#include "tests/unit/decide_fixture.h"

#include "gate/base/table.h"

static const double PROOF = 0.05;

static void assert_near(double found, double expected, double tolerance) {
    if (found == expected)
        return;
    if (!(fabs(found - expected) <= tolerance * fmax(1e-3, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static struct gate_hypothesis make(struct gate_limit *limit, enum gate_limit_kind kind, double value,
                                   struct gate_counts2 counts) {
    struct decide_row row = {.kind = kind, .limit = value, .counts = counts};
    return decide_hypothesis(&row, limit);
}

static void kinds_bound_quantities(void **state) {
    (void)state;
    static const struct { enum gate_limit_kind kind; enum gate_quantity quantity; bool bounds_growth; } rows[] = {
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

static void quantities_of_shares(void **state) {
    (void)state;
    struct gate_evidence both = {.share = {0.25, 0.75}, .delta = 0.5}, fresh = {.share = {0, 0.1}}, none = {.df = 1};
    struct gate_evidence gone = {.share = {0.1, 0}};
    assert_near(gate_quantity_of(&both, GATE_QUANTITY_GROWTH), 0.5, 0);
    assert_near(gate_quantity_of(&both, GATE_QUANTITY_RATIO), 3.0, 0);
    assert_near(gate_quantity_of(&both, GATE_QUANTITY_LEVEL), 0.75, 0);
    assert_true(isinf(gate_quantity_of(&fresh, GATE_QUANTITY_RATIO)));
    assert_near(gate_quantity_of(&none, GATE_QUANTITY_RATIO), 1.0, 0);
    assert_near(gate_quantity_of(&gone, GATE_QUANTITY_RATIO), 0.0, 0);
}

/* Which test a limit asks: of more than the limit, and of what Holm corrects. */
static void tests_by_kind(void **state) {
    (void)state;
    const struct gate_counts2 counts = {500, 1e4, 650, 1e4};
    double growth = 0, over = 0, ratio = 0, share = 0;
    struct gate_evidence e = decide_evidence(counts, 1, true);
    (void)gate_evidence_increase(&e, 0.0, &growth);
    (void)gate_evidence_increase(&e, 0.01, &over);
    (void)gate_evidence_ratio(&e, 1.2, &ratio);
    (void)gate_evidence_share(&e, 0.06, &share);
    const struct { enum gate_limit_kind kind; double limit, margin, family; } rows[] = {
        {GATE_LIMIT_SHARE_INCREASE, 0.01, over, growth}, {GATE_LIMIT_NEW_FRAME, 0.01, over, growth},
        {GATE_LIMIT_INCREASE, 1.2, ratio, growth},       {GATE_LIMIT_DECREASE, 1.2, ratio, ratio},
        {GATE_LIMIT_SHARE, 0.06, share, share},          {GATE_LIMIT_ABSOLUTE, 0.06, share, share},
        {GATE_LIMIT_SHARE, 1.0, 0, 0},                   {GATE_LIMIT_SHARE, 0.0, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_limit limit;
        struct gate_hypothesis h = make(&limit, rows[i].kind, rows[i].limit, counts);
        assert_near(gate_hypothesis_margin_log_p(&h, &e), rows[i].margin, 1e-12);
        assert_near(gate_hypothesis_family_log_p(&h, &e), rows[i].family, 1e-12);
        assert_near(h.log_p, rows[i].family, 1e-12);
    }
    struct gate_limit limit;
    struct gate_hypothesis absent = make(&limit, GATE_LIMIT_SHARE, 0.0, (struct gate_counts2){50, 1e3, 0, 1e3});
    assert_near(gate_hypothesis_margin_log_p(&absent, &absent.evidence), 0, 0);
}

static void the_upper_bound_is_of_what_is_limited(void **state) {
    (void)state;
    const struct gate_counts2 counts = {500, 1e4, 650, 1e4};
    struct gate_limit limit;
    struct gate_hypothesis growth = make(&limit, GATE_LIMIT_SHARE_INCREASE, 0.01, counts);
    assert_near(gate_hypothesis_upper(&growth), gate_evidence_upper(&growth.evidence, PROOF), 0);
    struct gate_hypothesis ratio = make(&limit, GATE_LIMIT_INCREASE, 1.2, counts);
    assert_near(gate_hypothesis_upper(&ratio), gate_evidence_ratio_upper(&ratio.evidence, PROOF), 0);
    struct gate_hypothesis share = make(&limit, GATE_LIMIT_SHARE, 0.1, counts);
    assert_near(gate_hypothesis_upper(&share), gate_evidence_share_upper(&share.evidence, PROOF), 0);
}

/* "Proven" is the 95 % bound within the limit: a limit just under the bound is not proven, one just over it is. */
static void proven_at_the_bound(void **state) {
    (void)state;
    static const enum gate_limit_kind kinds[] = {GATE_LIMIT_SHARE_INCREASE, GATE_LIMIT_INCREASE, GATE_LIMIT_SHARE,
                                                 GATE_LIMIT_DECREASE, GATE_LIMIT_NEW_FRAME};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int over = 0; over < 2; over++) {
            struct gate_limit limit;
            struct gate_hypothesis h = make(&limit, kinds[i], 1.0, (struct gate_counts2){500, 1e4, 400, 1e4});
            double bound = gate_hypothesis_upper(&h);
            h.limit_value = bound + fabs(bound) * (over ? 1e-6 : -1e-6);
            struct decide_row plain = {.max_mde = 1e-9}; /* passes nothing for having seen enough */
            struct gate_decision_rules rules = decide_rules(&plain);
            gate_hypothesis_decide(&h, &rules);
            assert_int_equal(h.outcome == GATE_OUTCOME_PROVEN, over);
        }
}

static void mde_ceilings(void **state) {
    (void)state;
    static const struct { enum gate_limit_kind kind; double limit, max_mde, ceiling; } rows[] = {
        /* Of growth: twice the limit, at least a point; or what the budget says. Baseline share .1. */
        {GATE_LIMIT_SHARE_INCREASE, 0.05, 0, 0.1},
        {GATE_LIMIT_SHARE_INCREASE, 0.005, 0, 0.01},
        {GATE_LIMIT_SHARE_INCREASE, 0.0, 0, 0.01},
        {GATE_LIMIT_SHARE_INCREASE, 0.05, 0.07, 0.07},
        {GATE_LIMIT_NEW_FRAME, 0.05, 0, 0.1},
        /* Of a ratio: twice as far from 1 as the limit, at least .1, of the baseline's share; in points at least max_mde. */
        {GATE_LIMIT_INCREASE, 1.5, 0, 0.1},
        {GATE_LIMIT_INCREASE, 1.01, 0, 0.01},
        {GATE_LIMIT_INCREASE, 1.0, 0, 0.01},
        {GATE_LIMIT_INCREASE, 1.5, 0.2, 0.2},
        {GATE_LIMIT_INCREASE, 1.5, 0.02, 0.1},
        {GATE_LIMIT_DECREASE, 0.9, 0, 0.01},
        {GATE_LIMIT_DECREASE, 0.8, 0, 0.02},
        {GATE_LIMIT_DECREASE, 0.8, 0.03, 0.03},
        /* Of a level: twice the level, from the baseline on. */
        {GATE_LIMIT_SHARE, 0.2, 0, 0.3},
        {GATE_LIMIT_SHARE, 0.2, 0.05, 0.05}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_limit limit;
        struct gate_hypothesis h =
            make(&limit, rows[i].kind, rows[i].limit, (struct gate_counts2){1000, 1e4, 1000, 1e4});
        assert_near(gate_hypothesis_mde_ceiling(&h, rows[i].max_mde), rows[i].ceiling, 1e-12);
    }
}

/* The report's detectable growth: the family-wise level against 0, the margin's against the limit in points. */
static void detectable_growth(void **state) {
    (void)state;
    static const struct { enum gate_limit_kind kind; double limit, points; bool own_hypothesis; } rows[] = {
        {GATE_LIMIT_SHARE_INCREASE, 0.02, 0.02, false}, {GATE_LIMIT_NEW_FRAME, 0.02, 0.02, false},
        {GATE_LIMIT_INCREASE, 1.5, 0.05, false},        {GATE_LIMIT_DECREASE, 0.9, -0.01, true},
        {GATE_LIMIT_SHARE, 0.12, 0.02, true},           {GATE_LIMIT_ABSOLUTE, 0.12, 0.02, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decide_row row = {
            .kind = rows[i].kind, .limit = rows[i].limit, .counts = {1000, 1e4, 1010, 1e4}, .family = 30};
        struct gate_limit limit;
        struct gate_hypothesis h = decide_hypothesis(&row, &limit);
        struct gate_decision_rules rules = decide_rules(&row);
        gate_hypothesis_decide(&h, &rules);
        double level = 0.01 / 30;
        assert_near(h.detectable,
                    gate_evidence_detectable(&h.evidence, rows[i].points, level, rows[i].own_hypothesis ? level : 0.05),
                    1e-9);
    }
}

static enum gate_outcome with_counts_times(const struct decide_row *row, double factor) {
    struct gate_limit limit;
    struct gate_hypothesis h = decide_hypothesis(row, &limit);
    struct gate_counts2 *c = &h.evidence.counts;
    *c = (struct gate_counts2){c->k1 * factor, c->n1 * factor, c->k2 * factor, c->n2 * factor};
    gate_hypothesis_test(&h, 0.05);
    h.log_p_adjusted = fmin(0.0, h.log_p + log(row->family));
    struct gate_decision_rules rules = decide_rules(row);
    gate_hypothesis_decide(&h, &rules);
    return h.outcome;
}

/* So many times the samples would decide, and a twentieth fewer would not. */
static void samples_that_would_settle(void **state) {
    (void)state;
    static const struct decide_row rows[] = {
        {"fails then", .limit = .05, .counts = {500, 1e4, 1020, 1e4}, .family = 10},
        {"fails then, once significant", .limit = .001, .counts = {500, 1e4, 560, 1e4}, .family = 1e5},
        {"proven then", .limit = .05, .counts = {5, 100, 6, 100}, .family = 10, .max_mde = 1e-9},
        {"has seen enough then", .limit = .05, .counts = {5, 100, 9, 100}, .family = 10},
        {"share", GATE_LIMIT_SHARE, .1, {500, 1e4, 1020, 1e4}, .family = 10},
        {"ratio", GATE_LIMIT_INCREASE, 2, {500, 1e4, 1020, 1e4}, .family = 10},
        {"6000 times are advice", .limit = .05, .counts = {500, 1e4, 1000 + .79, 1e4}, .family = 10, .max_mde = 1e-9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_limit limit;
        struct gate_hypothesis h = decide_hypothesis(&rows[i], &limit);
        struct gate_decision_rules rules = decide_rules(&rows[i]);
        gate_hypothesis_decide(&h, &rules);
        if (h.outcome != GATE_OUTCOME_INCONCLUSIVE || !(h.settle_factor > 1.0))
            fail_msg("%s: %s, factor %g", rows[i].name, gate_outcome_name(h.outcome), h.settle_factor);
        assert_int_not_equal(with_counts_times(&rows[i], h.settle_factor), GATE_OUTCOME_INCONCLUSIVE);
        assert_int_equal(with_counts_times(&rows[i], h.settle_factor / 1.03), GATE_OUTCOME_INCONCLUSIVE);
    }
}

static void nothing_settles_growth_at_its_limit(void **state) {
    (void)state;
    static const struct { double k2; bool is_advice; } rows[] = {
        {1000 + 1e-9, false},                 /* never */
        {1000 + .58, false}, {1000 + .79, true}}; /* about 11000 and 6000 times: the line is at 10000, in powers of 2 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decide_row row = {.limit = .05, .counts = {500, 1e4, rows[i].k2, 1e4}, .max_mde = 1e-9};
        struct gate_limit limit;
        struct gate_hypothesis h = decide_hypothesis(&row, &limit);
        struct gate_decision_rules rules = decide_rules(&row);
        gate_hypothesis_decide(&h, &rules);
        assert_int_equal(h.reason, GATE_REASON_UNCONFIRMED);
        assert_int_equal(h.settle_factor > 0.0, rows[i].is_advice);
    }
}

/* Of few samples the advice is how many times fewer they are than the rules ask for; of none there is no advice. */
static void few_samples_say_how_few(void **state) {
    (void)state;
    static const struct { double baseline, canary, factor; } rows[] = {{100, 250, 5}, {250, 100, 5}, {0, 250, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decide_row row = {.limit = .05,
                                 .counts = {500, 1e4, 1500, 1e4},
                                 .min_samples = 500,
                                 .samples = {rows[i].baseline, rows[i].canary}};
        struct gate_limit limit;
        struct gate_hypothesis h = decide_hypothesis(&row, &limit);
        struct gate_decision_rules rules = decide_rules(&row);
        gate_hypothesis_decide(&h, &rules);
        assert_int_equal(h.reason, GATE_REASON_MIN_SAMPLES);
        assert_near(h.settle_factor, rows[i].factor, 1e-12);
    }
}

static void decided_again_forgets_the_advice(void **state) {
    (void)state;
    struct decide_row row = {.limit = .05, .counts = {500, 1e4, 500, 1e4}};
    struct gate_limit limit;
    struct gate_hypothesis h = decide_hypothesis(&row, &limit);
    struct gate_decision_rules rules = decide_rules(&row);
    h.settle_factor = 7.0;
    gate_hypothesis_decide(&h, &rules);
    assert_near(h.settle_factor, 0.0, 0);
}

static void an_estimated_work_ratio_is_asked_at_a_quarter(void **state) {
    (void)state;
    assert_near(gate_own_cost_margin(0.05, true), 0.05, 0);
    assert_near(gate_own_cost_margin(0.05, false), 0.25, 0);
    assert_near(gate_own_cost_margin(0.4, false), 0.4, 0);
    assert_near(gate_own_cost_margin(0.4, true), 0.4, 0);
}

static void what_is_tested(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum gate_limit_kind kind;
        struct gate_counts2 counts;
        bool is_rare, is_uncounted, is_tested, is_in_family;
    } rows[] = {
        {"enough counts", GATE_LIMIT_SHARE_INCREASE, {500, 1e4, 500, 1e4}, false, false, true, true},
        {"too few counts", GATE_LIMIT_SHARE_INCREASE, {500, 1e4, 500, 1e4}, true, false, false, false},
        {"no counts", GATE_LIMIT_SHARE_INCREASE, {500, 1e4, 500, 1e4}, false, true, false, false},
        {"ratio, 10 in the canary", GATE_LIMIT_INCREASE, {500, 1e4, 10, 1e4}, false, false, true, true},
        {"ratio, 9 in the canary", GATE_LIMIT_INCREASE, {500, 1e4, 9, 1e4}, false, false, false, true},
        {"points, 9 in the canary", GATE_LIMIT_SHARE_INCREASE, {500, 1e4, 9, 1e4}, false, false, true, true},
        {"decrease, 9 in the canary", GATE_LIMIT_DECREASE, {500, 1e4, 9, 1e4}, false, false, false, false},
        {"decrease, 10 in the canary", GATE_LIMIT_DECREASE, {500, 1e4, 10, 1e4}, false, false, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_limit limit = {.kind = rows[i].kind};
        struct gate_hypothesis h = {.limit = &limit,
                                    .limit_value = rows[i].kind == GATE_LIMIT_SHARE_INCREASE ? 0.01 : 1.5,
                                    .log_p = 7.0,
                                    .evidence = decide_evidence(rows[i].counts, 1.0, !rows[i].is_uncounted)};
        h.evidence.is_tested = !rows[i].is_rare;
        gate_hypothesis_test(&h, 0.05);
        if (h.is_tested != rows[i].is_tested || h.is_in_family != rows[i].is_in_family)
            fail_msg("%s: tested %d, in the family %d", rows[i].name, h.is_tested, h.is_in_family);
        assert_true(h.is_tested ? h.log_p == gate_hypothesis_family_log_p(&h, &h.evidence) : h.log_p == 0.0);
    }
}

static struct gate_evidence with_split(const struct gate_hypothesis *h, double k2) {
    struct gate_evidence e = h->evidence;
    e.counts.k1 += e.counts.k2 - k2;
    e.counts.k2 = k2;
    return e;
}

/* Against every split of the counts, one by one: the mildest with which more than the limit is confirmed, to a
 * ten-thousandth of them. `least`: what the canary has to have at least. */
static void assert_attainable(const struct gate_hypothesis *h, double least) {
    const struct gate_counts2 *c = &h->evidence.counts;
    double all = c->k1 + c->k2, step = all * 2e-5, even = all * c->n2 / (c->n1 + c->n2);
    for (double k2 = fmax(even, least); k2 <= fmin(all, c->n2); k2 += step) {
        struct gate_evidence e = with_split(h, k2);
        if (gate_hypothesis_margin_log_p(h, &e) > log(0.05))
            continue;
        struct gate_evidence milder = with_split(h, fmax(least, k2 - all * 1.2e-4));
        double found = h->log_attainable, strictest = gate_hypothesis_family_log_p(h, &e);
        if (!(found >= strictest - 1e-9) || !(found <= gate_hypothesis_family_log_p(h, &milder) + 1e-9))
            fail_msg("limit %g: found %.9g, expected %.9g or a little more", h->limit_value, found, strictest);
        assert_true(h->is_in_family);
        return;
    }
    assert_true(h->log_attainable == -INFINITY && !h->is_in_family);
}

static void attainable_is_of_the_mildest_split(void **state) {
    (void)state;
    static const struct {
        enum gate_limit_kind kind;
        double limit;
        struct gate_counts2 counts;
        double least_share, least; /* the latter in counts of the canary, by hand */
    } rows[] = {
        {GATE_LIMIT_SHARE_INCREASE, 0.05, {500, 4000, 480, 5000}, 0, 0},
        {GATE_LIMIT_SHARE_INCREASE, 0.0, {500, 4000, 480, 5000}, 0, 0},
        {GATE_LIMIT_SHARE_INCREASE, 0.05, {50, 4000, 200, 5000}, 0, 0}, /* all 250 are 5 %: no more than that */
        {GATE_LIMIT_SHARE_INCREASE, 0.05, {100, 4000, 170, 5000}, 0, 0},
        {GATE_LIMIT_SHARE_INCREASE, 0.05, {900, 1000, 900, 1000}, 0, 0},
        {GATE_LIMIT_INCREASE, 1.5, {500, 4000, 480, 5000}, 0, 0},
        {GATE_LIMIT_INCREASE, 1.5, {6, 4000, 16, 5000}, 0, 10},
        {GATE_LIMIT_INCREASE, 1.1, {500, 4000, 480, 5000}, 0.12, 600}, /* looked at only from 12 % on */
        {GATE_LIMIT_INCREASE, 1.1, {500, 4000, 480, 5000}, 0.3, 1500}, /* never looked at */
        {GATE_LIMIT_SHARE_INCREASE, 0.01, {500, 4000, 480, 5000}, 0.13, 650}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_limit limit;
        struct gate_hypothesis h = make(&limit, rows[i].kind, rows[i].limit, rows[i].counts);
        h.least_share = rows[i].least_share;
        gate_hypothesis_test(&h, 0.05);
        assert_attainable(&h, rows[i].least);
    }
}

/* No split but one: all in the canary. And what has no growth in it needs no split. */
static void attainable_without_splits(void **state) {
    (void)state;
    struct gate_limit limit;
    struct gate_hypothesis h = make(&limit, GATE_LIMIT_NEW_FRAME, 0.02, (struct gate_counts2){100, 1e4, 300, 1e4});
    struct gate_evidence all = h.evidence;
    all.counts = (struct gate_counts2){0, 1e4, 400, 1e4};
    assert_near(h.log_attainable, gate_hypothesis_family_log_p(&h, &all), 1e-12);
    h = make(&limit, GATE_LIMIT_SHARE, 0.02, (struct gate_counts2){100, 1e4, 300, 1e4});
    assert_true(h.log_attainable == 0.0 && h.is_in_family);
    h = make(&limit, GATE_LIMIT_DECREASE, 0.9, (struct gate_counts2){100, 1e4, 300, 1e4});
    assert_true(h.log_attainable == 0.0 && h.is_in_family);
}

/* Rates: the same questions on the scale of the shares. */
static void attainable_of_rates(void **state) {
    (void)state;
    struct decide_row row = {.limit = 0.1, .counts = {4000, 4e7, 4400, 4e7}, .dilution = RATES};
    struct gate_limit limit;
    struct gate_hypothesis h = decide_hypothesis(&row, &limit);
    assert_attainable(&h, 0);
    row.kind = GATE_LIMIT_INCREASE;
    row.limit = 1.1;
    h = decide_hypothesis(&row, &limit);
    h.least_share = 1.2; /* 4800 of the events */
    gate_hypothesis_test(&h, 0.05);
    assert_attainable(&h, 4800);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_bound_quantities),
        cmocka_unit_test(quantities_of_shares),
        cmocka_unit_test(tests_by_kind),
        cmocka_unit_test(the_upper_bound_is_of_what_is_limited),
        cmocka_unit_test(proven_at_the_bound),
        cmocka_unit_test(mde_ceilings),
        cmocka_unit_test(detectable_growth),
        cmocka_unit_test(samples_that_would_settle),
        cmocka_unit_test(nothing_settles_growth_at_its_limit),
        cmocka_unit_test(few_samples_say_how_few),
        cmocka_unit_test(decided_again_forgets_the_advice),
        cmocka_unit_test(an_estimated_work_ratio_is_asked_at_a_quarter),
        cmocka_unit_test(what_is_tested),
        cmocka_unit_test(attainable_is_of_the_mildest_split),
        cmocka_unit_test(attainable_without_splits),
        cmocka_unit_test(attainable_of_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
