/* SPDX-License-Identifier: Apache-2.0 */
/* compare/evidence.h: effective counts, run-to-run variation, own cost, and the tests that use them. */
#include "counts_fixture.h"

#include "gate/budget/decide.h"
#include "gate/compare/evidence.h"
#include "gate/compare/student.h"
#include "tests/unit/near.h"

static const struct gate_evidence_options PLAIN = {0};

TEST(equal_weights_count_as_samples) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 50, 100);
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN);
    assert_near(e.sample_n[0], 1000, 1e-12);
    assert_near(e.share[0], 0.05, 1e-12);
    assert_near(e.delta, 0.05, 1e-12);
    /* One pair without a noise model: rho = 0.002, so 1000 samples are worth 1000 / (1 + 0.002 * 1000). */
    assert_int_equal(e.variation, GATE_VARIATION_ASSUMED);
    assert_near(e.counts.n1, 1000.0 / 3.0, 1e-12);
    assert_near(e.counts.k2, 100.0 / 3.0, 1e-12);
    struct gate_interval ci95 = gate_evidence_ci95(&e);
    assert_true(e.is_tested && e.z > 0.0 && ci95.bounds[0] < 0.05 && ci95.bounds[1] > 0.05);
}

/* If the counts of both sides are exact instead of sampled, no run-to-run variation is assumed. */
TEST(exact_counts_have_no_assumed_variation) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 50, 100);
    f.runs[GATE_BASELINE][0].counts.kind = GATE_COUNTS_EXACT;
    assert_true(gate_evidence_assumed_rho(&f.comparison.pair, GATE_SELF, true) > 0.0); /* one side is not enough */
    f.runs[GATE_CANARY][0].counts.kind = GATE_COUNTS_EXACT;
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN);
    assert_near(e.counts.n1, 1000.0, 1e-12);
    assert_near(e.counts.k2, 100.0, 1e-12);
    assert_near(e.rho, 0.0, 1e-12);
    assert_near(gate_evidence_assumed_rho(&f.comparison.pair, GATE_CUMULATIVE, true), 0.0, 1e-12);
}

/* Half of the canary is interpreted: half of the way from own code to the wide classes. */
TEST(interpreted_methods_vary_more) {
    COUNTS(f, 2, 1, 1, 1000);
    struct gate_pair *pair = &f.comparison.pair;
    pair->interpreted[GATE_CANARY] = 0.5;
    assert_near(gate_evidence_assumed_rho(pair, GATE_CHARGED, false), 0.01125, 1e-12);
    assert_near(gate_evidence_assumed_rho(pair, GATE_SELF, false), 0.011, 1e-12);
    assert_near(gate_evidence_assumed_rho(pair, GATE_SELF, true), GATE_ASSUMED_RHO_WIDE, 1e-12);
    pair->interpreted[GATE_BASELINE] = 1.0;
    assert_near(gate_evidence_assumed_rho(pair, GATE_CHARGED, false), GATE_ASSUMED_RHO_WIDE, 1e-12);
}

TEST(a_fail_of_python_must_hold_at_a_larger_variation) {
    COUNTS(f, 2, 1, 1, 1000);
    struct gate_pair *pair = &f.comparison.pair;
    assert_true(gate_evidence_rho_of_fail(pair) == 0.0);
    pair->language = GATE_LANGUAGE_PYTHON;
    double rho = gate_evidence_rho_of_fail(pair);
    assert_true(rho > gate_evidence_assumed_rho(pair, GATE_CHARGED, false));
    const struct gate_evidence evidence = {.counts = {10, 100, 40, 200}, .sample_n = {200, 1000}, .rho = 0.0025};
    const struct gate_evidence wider = gate_evidence_at_rho(&evidence, rho);
    assert_near(wider.counts.n1, 100 * 1.5 / 2.0, 1e-9); /* (1 + 200 * .0025) / (1 + 200 * .005) */
    assert_near(wider.counts.k2, 40 * 3.5 / 6.0, 1e-9);
    assert_near(wider.counts.k2 / wider.counts.n2, 0.2, 1e-12);
    pair->mix_key = GATE_STR("route");
    assert_true(gate_evidence_rho_of_fail(pair) == 0.0);
}

TEST(heavy_events_count_less) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 200, 200);
    /* The frame's 200 units are 2 events of weight 100: Var = (2e4 * .8^2 + 800 * .2^2) / 1000^2. */
    for (uint32_t run = 0; run < 2; run++)
        f.comparison.deltas.tallies[GATE_SELF][run * 2 + 1].weight_sq = 20000;
    for (int side = 0; side < 2; side++)
        f.runs[side][0].stacks.weight_sq = 20000 + 800;
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN);
    double variance = (20000 * 0.64 + 800 * 0.04) / 1e6;
    assert_near(e.sample_n[0], 0.16 / variance, 1e-12);
    assert_false(e.is_tested);
}

TEST(an_absent_frame_has_the_event_weight_of_the_other_side) {
    COUNTS(f, 2, 1, 1, 10000);
    counts_set_all(&f, 1, 0, 1000);
    f.comparison.deltas.tallies[GATE_SELF][1 * 2 + 1].weight_sq = 100000; /* 10 events of weight 100 */
    f.runs[GATE_CANARY][0].stacks.weight_sq = 100000 + 9000;
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN);
    assert_true(e.sample_n[GATE_BASELINE] < 2000);
}

TEST(unknown_event_counts_are_not_tested) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 50, 100);
    f.runs[GATE_CANARY][0].counts.kind = GATE_COUNTS_UNKNOWN;
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN);
    assert_false(gate_evidence_is_counted(&e));
    assert_false(e.is_tested);
    struct gate_interval ci95 = gate_evidence_ci95(&e);
    assert_true(ci95.bounds[0] == -1.0 && ci95.bounds[1] == 1.0 && gate_evidence_upper(&e, 0.05) == 1.0);
}

TEST(replicates_divide_z_by_the_dispersion) {
    COUNTS(f, 2, 3, 3, 1000);
    const int64_t baseline[] = {40, 50, 60}, canary[] = {90, 100, 110};
    for (uint32_t r = 0; r < 3; r++) {
        counts_set(&f, 1, GATE_BASELINE, r, baseline[r]);
        counts_set(&f, 1, GATE_CANARY, r, canary[r]);
    }
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN);
    /* chi^2 of each side is 2 * (10/1000)^2 * 1000 / (p q), with 4 degrees of freedom in all. No prior was estimated,
     * so it is phi = 1 with 4 degrees of freedom. */
    double chi = 0.2 / (0.05 * 0.95) + 0.2 / (0.1 * 0.9);
    assert_int_equal(e.variation, GATE_VARIATION_REPLICATES);
    assert_near(e.phi, (4.0 + chi) / 8.0 > 1.0 ? (4.0 + chi) / 8.0 : 1.0, 1e-9);
    assert_near(e.df, 8.0, 1e-12);
    assert_near(e.z, gate_score_z((struct gate_counts2){150, 3000, 300, 3000}, 0.0) / sqrt(e.phi), 1e-9);
}

TEST(two_runs_on_one_side_are_replicates) {
    COUNTS(f, 2, 2, 1, 1000);
    counts_set(&f, 1, GATE_BASELINE, 0, 20);
    counts_set(&f, 1, GATE_BASELINE, 1, 80);
    counts_set(&f, 1, GATE_CANARY, 0, 100);
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN);
    assert_int_equal(e.variation, GATE_VARIATION_REPLICATES);
    assert_near(e.df, 5.0, 1e-12);
    assert_true(e.phi > 5.0);
}

/* The noise model's sigma reduces the effective counts and the degrees of freedom. */
TEST(a_noise_model_reduces_effective_counts) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 50, 100);
    struct gate_noise_frame frame = {.name = f.frames[1].name, .sigma = {0.01, 0.02}};
    struct gate_noise noise = {.run_count = 10, .frames = &frame, .frame_count = 1, .rho = {0.001, 0.001}};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    struct gate_evidence_options options = {.noise = &noise};
    struct gate_evidence e = counts_evidence(&f, 1, &options);
    double pq = 0.075 * 0.925, sampling = pq * 2.0 / 1000, between = 2e-4;
    assert_int_equal(e.variation, GATE_VARIATION_MODEL);
    assert_near(e.counts.n1, 1000.0 / (1.0 + 1000 * 1e-4 / pq), 1e-12);
    assert_near(e.df, 9.0 * (sampling + between) * (sampling + between) / (between * between), 1e-9);
    assert_near(e.sigma, 0.01, 1e-8);
    assert_near(gate_noise_variance(&noise, GATE_STR("unseen"), GATE_SELF, 0.2, GATE_DISPERSION_OWN), 0.001 * 0.16,
                1e-12);
}

/* What the runs of a build have in common does not get smaller with more of them: it is added once per side. */
TEST(more_runs_do_not_reduce_what_they_have_in_common) {
    COUNTS(f, 2, 2, 2, 1000);
    counts_set_all(&f, 1, 100, 100);
    struct gate_noise_frame frame = {.name = f.frames[1].name, .sigma = {.02}};
    struct gate_noise noise = {.run_count = 10, .frames = &frame, .frame_count = 1, .common = {.5}, .build_count = 5};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    struct gate_evidence_options options = {.noise = &noise};
    const double of_run = .02 * .02 / (.09 * 2 / 2000);
    const double apart = 13 * (1 + .5 * of_run) / 15, common = .5 * of_run * 2; /* 9 + 4 degrees, and 2 of these runs */
    struct gate_evidence e = counts_evidence(&f, 1, &options);
    assert_int_equal(e.variation, GATE_VARIATION_BOTH);
    assert_near(e.phi, apart + common, 1e-9);
    assert_near(e.phi_common, common, 1e-6);
    assert_near(e.df, pow(apart + common, 2) / (apart * apart / 15 + common * common / 4), 1e-9);
    options.is_paired = true; /* of one moment: nothing is added */
    options.paired_part[GATE_SELF][GATE_DISPERSION_OWN] = options.paired_part[GATE_SELF][GATE_DISPERSION_RUNTIME] = 1.0;
    assert_true(counts_evidence(&f, 1, &options).phi_common == 0.0);
}

TEST(own_cost_is_relative_to_the_work) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 100);
    /* The canary did twice the work in the same total: the frame's own cost halved. */
    struct gate_evidence_options options = {.work_ratio = 2.0};
    struct gate_evidence e = counts_evidence(&f, 1, &options);
    assert_near(e.share[GATE_CANARY], 0.05, 1e-12);
    assert_near(e.sample_n[GATE_CANARY], 2000, 1e-9);
    assert_true(e.z < 0.0);
}

TEST(swapped_sides_negate_the_change_and_its_interval) {
    AT_END(counts_end) struct counts_fixture f, g;
    counts_begin(&f, 2, 1, 1, 1000);
    counts_begin(&g, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 50, 100);
    counts_set_all(&g, 1, 100, 50);
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN), r = counts_evidence(&g, 1, &PLAIN);
    assert_near(e.z, -r.z, 1e-9);
    assert_near(gate_evidence_ci95(&e).bounds[0], -gate_evidence_ci95(&r).bounds[1], 1e-9);
    assert_near(e.delta, -r.delta, 1e-12);
}

/* With `dilution` 1e4, the counts have 10,000 times as many trials as shares refer to. Bounds and limits are on the
 * scale of the shares. */
TEST(bounds_of_rates_have_the_scale_of_shares) {
    struct gate_evidence e = {.dilution = 1e4, .phi = 1.0, .df = INFINITY, .counts = {400, 4e6, 480, 4e6}};
    e.sample_n[GATE_BASELINE] = e.sample_n[GATE_CANARY] = 400;
    struct gate_evidence plain = e;
    plain.dilution = 1.0;
    double upper = gate_evidence_upper(&e, 0.05), lower = gate_evidence_lower(&e, 0.05), log_p = 0.0, same = 0.0;
    assert_near(upper, 1e4 * gate_evidence_upper(&plain, 0.05), 1e-9);
    assert_near(lower, 1e4 * gate_evidence_lower(&plain, 0.05), 1e-9);
    assert_true(lower > 0.0 && lower < 0.2 && upper > 0.2 && upper < 0.5);
    assert_true(gate_within_growth(&e, upper * 1.000001, 0.05));
    assert_false(gate_within_growth(&e, upper * 0.999999, 0.05));
    double most = gate_evidence_share_upper(&e, 0.05);
    assert_near(most, 1e4 * gate_evidence_share_upper(&plain, 0.05), 1e-9);
    assert_true(gate_within_share(&e, most * 1.000001, 0.05));
    assert_false(gate_within_share(&e, most * 0.999999, 0.05));
    assert_near(gate_evidence_increase(&e, 0.1, &log_p), gate_evidence_increase(&plain, 1e-5, &same), 1e-12);
    assert_near(log_p, same, 1e-12);
    assert_near(gate_detectable_growth(&e, 0.1, 0.01, 0.05), 1e4 * gate_detectable_growth(&plain, 1e-5, 0.01, 0.05),
                1e-9);
    assert_near(gate_evidence_ci95(&e).bounds[1], 1e4 * gate_evidence_ci95(&plain).bounds[1], 1e-9);
}

/* The lower bound is the growth at which the one-sided p equals the level. More dispersion and fewer degrees of freedom
 * lower it. */
TEST(lower_bounds_agree_with_p_at_their_level) {
    struct gate_evidence e = {.dilution = 1.0, .phi = 1.0, .df = INFINITY, .counts = {100, 1000, 160, 1000}};
    e.sample_n[GATE_BASELINE] = e.sample_n[GATE_CANARY] = 1000;
    double lower = gate_evidence_lower(&e, 0.05), log_p = 0.0;
    (void)gate_evidence_increase(&e, lower, &log_p);
    assert_near(exp(log_p), 0.05, 1e-9);
    e.phi = 2.0;
    e.df = 4.0;
    assert_true(gate_evidence_lower(&e, 0.05) < lower);
    (void)gate_evidence_increase(&e, gate_evidence_lower(&e, 0.05), &log_p);
    assert_near(exp(log_p), 0.05, 1e-9);
}

/* Without counts each bound is the end of its scale, so only a limit at that end certainly holds. */
TEST(without_counts_bounds_are_wide) {
    struct gate_evidence e = {.dilution = 1.0, .phi = 1.0, .df = INFINITY};
    assert_near(gate_evidence_upper(&e, 0.05), 1.0, 0);
    assert_near(gate_evidence_lower(&e, 0.05), -1.0, 0);
    assert_near(gate_evidence_share_upper(&e, 0.05), 1.0, 0);
    assert_true(isinf(gate_evidence_ratio_upper(&e, 0.05)) && isinf(gate_detectable_growth(&e, 0.1, 0.01, 0.05)));
    assert_true(gate_within_growth(&e, 1.0, 0.05) && !gate_within_growth(&e, 0.99, 0.05));
    assert_true(gate_within_share(&e, 1.0, 0.05) && !gate_within_share(&e, 0.99, 0.05));
    assert_false(gate_within_ratio(&e, 100.0, 0.05));
}

/* A frame absent from the canary is assumed to have the event weight of the baseline. Events of weight 1 change
 * nothing. */
TEST(a_vanished_frame_has_the_event_weight_of_the_baseline) {
    COUNTS(f, 2, 1, 1, 10000);
    counts_set_all(&f, 1, 1000, 0);
    /* sample_n is the sample size from sampling alone, not reduced by run-to-run variation. */
    assert_near(counts_evidence(&f, 1, &PLAIN).sample_n[GATE_CANARY], 10000, 1e-12);
    f.comparison.deltas.tallies[GATE_SELF][1].weight_sq = 100000; /* 10 events of weight 100 */
    f.runs[GATE_BASELINE][0].stacks.weight_sq = 100000 + 9000;
    struct gate_evidence e = counts_evidence(&f, 1, &PLAIN);
    double variance = (100000 * 0.81 + 9000 * 0.01) / 1e8, n = 0.09 / variance;
    assert_near(e.sample_n[GATE_BASELINE], n, 1e-12);
    assert_near(e.sample_n[GATE_CANARY], 10000 * n * 109000 / 1e8, 1e-12);
}

/* An estimate of p serves where it is far from every level, and p is computed where it is near one. */
TEST(p_near_a_level_is_computed) {
    const struct gate_evidence evidence = {.phi = 1.0, .df = 8};
    double exact = gate_evidence_log_p(&evidence, 5.0), estimate = gate_student_log_p_near(5.0, 8);
    const double far[] = {exact - 5, exact + 5}, near[] = {exact - 5, exact + 0.001};
    assert_true(estimate != exact && fabs(estimate - exact) < 0.01);
    assert_true(gate_evidence_log_p_among(&evidence, 5.0, far, 2) == estimate);
    assert_true(gate_evidence_log_p_among(&evidence, 5.0, near, 2) == exact);
}
