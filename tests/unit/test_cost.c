/* SPDX-License-Identifier: Apache-2.0 */
/* compare/cost.h: cost per unit of work as rates, and how they vary from run to run. */
#include "tests/unit/counts_fixture.h"

#include "gate/compare/cost.h"

static const double RATES = 1e4; /* trials of a rate, in counts: so many times what shares divide by */

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance * fmax(1.0, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

/* Total cost: the canary's total is twice the baseline's for the same work. */
static void cost_sees_a_uniform_slow_down(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 2, 3, 3, 1000);
    f.comparison.pair.sides[GATE_CANARY].total = 6000;
    for (uint32_t r = 0; r < 3; r++) {
        f.runs[GATE_CANARY][r].total = 2000;
        f.runs[GATE_CANARY][r].stacks.weight_sq = 2000;
    }
    struct gate_exposure same = {.ratio = 1.0}, twice = {.ratio = 2.0};
    struct gate_evidence e = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &same);
    double log_p = 0.0;
    assert_near(e.share[GATE_BASELINE], 1.0, 1e-12);
    assert_near(e.share[GATE_CANARY], 2.0, 1e-12);
    assert_near(e.delta, 1.0, 1e-12);
    assert_true(gate_evidence_ratio(&e, 1.5, &log_p) > 3.0);
    assert_true(fabs(gate_evidence_ratio(&e, 2.0, &log_p)) < 0.1);
    assert_true(gate_evidence_ratio_upper(&e, 0.05) > 2.0 && gate_evidence_ratio_upper(&e, 0.05) < 2.3);
    struct gate_interval ci95 = gate_evidence_ci95(&e);
    assert_true(ci95.bounds[0] > 0.8 && ci95.bounds[1] < 1.3);
    e = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &twice);
    assert_near(e.delta, 0.0, 1e-12);
    assert_true(fabs(e.z) < 0.1);
    counts_end(&f);
}

static struct gate_evidence of_frame(const struct counts_fixture *f, uint32_t frame, double ratio) {
    struct gate_exposure exposure = {.ratio = ratio};
    return gate_cost_evidence_of(&f->comparison.pair, &f->comparison.deltas, frame, GATE_SELF, &exposure);
}

/* One pair: the counts are events, less what 10 % from run to run take from them. */
static void one_pair_assumes_its_variation(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 300);
    struct gate_evidence e = of_frame(&f, 1, 2.0);
    assert_int_equal(e.variation, GATE_VARIATION_ASSUMED);
    assert_near(e.share[GATE_BASELINE], 0.1, 1e-12);
    assert_near(e.share[GATE_CANARY], 0.15, 1e-12); /* 300 of the 2000 that twice the work would cost */
    assert_near(e.sample_n[GATE_BASELINE], 1000, 1e-12);
    assert_near(e.sample_n[GATE_CANARY], 2000, 1e-12);
    assert_near(e.counts.k1, 100 / (1 + .01 * 100), 1e-12);
    assert_near(e.counts.n1, RATES * 1000 / (1 + .01 * 100), 1e-12);
    assert_near(e.counts.k2, 300 / (1 + .01 * 300), 1e-12);
    assert_near(e.counts.n2, RATES * 2000 / (1 + .01 * 300), 1e-12);
    assert_true(e.phi == 1.0 && isinf(e.df) && e.dilution == RATES && e.is_tested && e.is_wide && e.z > 0.5);
    counts_end(&f);
}

/* A frame that is absent has the exposure of the whole. */
static void an_absent_frame_has_exposure(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 0, 50);
    struct gate_evidence e = of_frame(&f, 1, 3.0);
    assert_near(e.sample_n[GATE_BASELINE], 1000, 1e-12);
    assert_near(e.sample_n[GATE_CANARY], 3000, 1e-12);
    counts_set_all(&f, 1, 50, 0);
    e = of_frame(&f, 1, 3.0);
    assert_near(e.sample_n[GATE_CANARY], 3000, 1e-12);
    assert_near(e.delta, -0.05, 1e-12);
    counts_end(&f);
}

static void twenty_events_are_tested(void **state) {
    (void)state;
    for (int64_t canary = 11; canary <= 12; canary++) {
        struct counts_fixture f;
        counts_begin(&f, 2, 1, 1, 1000);
        counts_set_all(&f, 1, 8, canary);
        assert_int_equal(of_frame(&f, 1, 1.0).is_tested, canary == 12);
        counts_end(&f);
    }
}

static void unknown_events_prove_nothing(void **state) {
    (void)state;
    for (int side = 0; side < GATE_SIDES; side++) {
        struct counts_fixture f;
        counts_begin(&f, 2, 2, 2, 1000);
        counts_set_all(&f, 1, 50, 100);
        f.runs[side][1].counts.kind = GATE_COUNTS_UNKNOWN;
        struct gate_evidence e = of_frame(&f, 1, 1.0);
        assert_false(gate_evidence_is_counted(&e) || e.is_tested);
        assert_near(e.share[GATE_CANARY], 0.1, 1e-12);
        counts_end(&f);
    }
}

/* Replicates: residuals of each run around its part, shrunk to what the totals show. */
static void replicates_measure_the_dispersion(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 2, 2, 2, 1000);
    static const int64_t counts[2][2] = {{60, 140}, {180, 220}};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < 2; r++)
            counts_set(&f, 1, side, r, counts[side][r]);
    struct gate_evidence e = of_frame(&f, 1, 1.0);
    double chi = 2 * 40.0 * 40.0 / 100 + 2 * 20.0 * 20.0 / 200; /* the totals do not vary: a prior of 1 */
    assert_int_equal(e.variation, GATE_VARIATION_REPLICATES);
    assert_near(e.phi, (4.0 + chi) / 6.0, 1e-12);
    assert_near(e.df, 6.0, 1e-12);
    assert_true(isnan(e.sigma));
    counts_end(&f);
}

static void steady_runs_never_narrow(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 2, 3, 3, 1000);
    counts_set_all(&f, 1, 100, 100);
    assert_near(of_frame(&f, 1, 1.0).phi, 1.0, 1e-12);
    counts_end(&f);
}

/* Totals that vary widen the prior of every frame; the total itself leans on nothing. */
static void totals_that_vary_widen(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 2, 2, 2, 1000);
    static const int64_t totals[2][2] = {{600, 1400}, {1000, 1000}};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < 2; r++) {
            f.runs[side][r].total = totals[side][r];
            f.runs[side][r].stacks.weight_sq = (double)totals[side][r];
        }
    counts_set_all(&f, 1, 100, 100);
    double chi = 2 * 400.0 * 400.0 / 1000, excess = chi / 2 - 1, relative = excess * 4 / 4000;
    struct gate_evidence e = of_frame(&f, 1, 1.0);
    assert_near(e.phi, 4.0 * (1 + 400.0 / 4 * relative) / 6.0, 1e-9);
    struct gate_exposure same = {.ratio = 1.0};
    e = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &same);
    assert_near(e.phi, chi / 2, 1e-9);
    assert_near(e.df, 2.0, 1e-12);
    counts_end(&f);
}

/* Per second a run of twice the time is expected to cost twice as much: no dispersion in that. */
static void a_runs_part_follows_its_time(void **state) {
    (void)state;
    for (int per_second = 0; per_second < 2; per_second++) {
        struct counts_fixture f;
        counts_begin(&f, 2, 2, 2, 1000);
        struct gate_profile longer = {.duration_ns = 3 * f.profile.duration_ns};
        for (int side = 0; side < GATE_SIDES; side++) {
            f.runs[side][1].input.profile = &longer;
            f.comparison.pair.sides[side].duration_ns = 4 * f.profile.duration_ns;
            f.runs[side][0].total = 500;
            f.runs[side][1].total = 1500;
            f.runs[side][0].stacks.weight_sq = 500;
            f.runs[side][1].stacks.weight_sq = 1500;
        }
        struct gate_exposure exposure = {.ratio = 1.0, .is_per_second = per_second};
        struct gate_evidence e = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &exposure);
        assert_near(e.phi, per_second ? 1.0 : 2 * (2 * 500.0 * 500.0 / 1000) / 2, 1e-9);
        counts_end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_sees_a_uniform_slow_down), cmocka_unit_test(one_pair_assumes_its_variation),
        cmocka_unit_test(an_absent_frame_has_exposure),  cmocka_unit_test(twenty_events_are_tested),
        cmocka_unit_test(unknown_events_prove_nothing),  cmocka_unit_test(replicates_measure_the_dispersion),
        cmocka_unit_test(steady_runs_never_narrow),      cmocka_unit_test(totals_that_vary_widen),
        cmocka_unit_test(a_runs_part_follows_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
