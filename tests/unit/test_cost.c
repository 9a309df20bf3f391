/* SPDX-License-Identifier: Apache-2.0 */
/* compare/cost.h: cost per unit of work as rates, and how they vary from run to run. */
#include "tests/unit/counts_fixture.h"

#include "gate/compare/cost.h"
#include "tests/unit/near.h"

static const double RATES = 1e4; /* trials of a rate per sample of the side's total; also its dilution */

/* Total cost: the canary's total is twice the baseline's for the same work. */
TEST(cost_per_unit_of_work_shows_a_uniform_slow_down) {
    COUNTS(f, 2, 3, 3, 1000);
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
    assert_true(ci95.bounds[0] > 0.7 && ci95.bounds[1] < 1.35);
    e = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &twice);
    assert_near(e.delta, 0.0, 1e-12);
    assert_true(fabs(e.z) < 0.1);
}

/* A lock that nobody waited for, and then everybody: the canary's cost is 30,000 times the baseline's total. */
TEST(the_interval_of_any_growth_contains_it) {
    for (double ratio = 10.0; ratio <= 1e6; ratio *= 10.0) {
        COUNTS(f, 2, 3, 3, 1000);
        struct gate_exposure exposure = {.ratio = 1.0 / ratio}; /* as much in a shorter time */
        counts_set_all(&f, 1, 100, 900);
        struct gate_evidence e = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &exposure);
        struct gate_interval ci95 = gate_evidence_ci95(&e);
        assert_near(e.delta, ratio - 1.0, 1e-9);
        assert_true(ci95.bounds[0] > e.delta * 0.5 && ci95.bounds[0] < e.delta);
        assert_true(ci95.bounds[1] > e.delta && ci95.bounds[1] < e.delta * 2.0);
    }
}

/* Check the dispersion of the total against the variance of a run (compare/cost.h), which has tests of its own. */
static void assert_total(const struct counts_fixture *f, const struct gate_exposure *exposure, double df) {
    const struct gate_pair *pair = &f->comparison.pair;
    struct gate_evidence e = gate_cost_evidence_of(pair, NULL, 0, GATE_SELF, exposure);
    double found_df, variance = gate_total_cost_run_variance(&found_df, pair, exposure->equal);
    double between = 1.0 / pair->sides[GATE_BASELINE].run_count + 1.0 / pair->sides[GATE_CANARY].run_count;
    assert_near(e.phi, 1.0 + variance * between / (1.0 / e.counts.k1 + 1.0 / e.counts.k2), 1e-9);
    assert_near(e.df, df, 1e-12);
    assert_near(found_df, df, 1e-12);
}

static struct gate_evidence of_frame(const struct counts_fixture *f, uint32_t frame, double ratio) {
    struct gate_exposure exposure = {.ratio = ratio};
    return gate_cost_evidence_of(&f->comparison.pair, &f->comparison.deltas, frame, GATE_SELF, &exposure);
}

/* With one run per side, 10% variation from run to run is assumed. It reduces k events to k / (1 + .01 k) counts. */
TEST(one_pair_assumes_its_variation) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 300);
    struct gate_evidence e = of_frame(&f, 1, 2.0);
    assert_int_equal(e.variation, GATE_VARIATION_ASSUMED);
    assert_near(e.share[GATE_BASELINE], 0.1, 1e-12);
    assert_near(e.share[GATE_CANARY], 0.15, 1e-12); /* 300 / 2000: twice the work would cost 2000 */
    assert_near(e.sample_n[GATE_BASELINE], 1000, 1e-12);
    assert_near(e.sample_n[GATE_CANARY], 2000, 1e-12);
    assert_near(e.counts.k1, 100 / (1 + .01 * 100), 1e-12);
    assert_near(e.counts.n1, RATES * 1000 / (1 + .01 * 100), 1e-12);
    assert_near(e.counts.k2, 300 / (1 + .01 * 300), 1e-12);
    assert_near(e.counts.n2, RATES * 2000 / (1 + .01 * 300), 1e-12);
    assert_true(e.phi == 1.0 && isinf(e.df) && e.dilution == RATES && e.is_tested && e.is_wide && e.z > 0.5);
}

/* A frame that is absent from a side still has the exposure of the whole side. */
TEST(an_absent_frame_has_the_exposure_of_its_side) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 0, 50);
    struct gate_evidence e = of_frame(&f, 1, 3.0);
    assert_near(e.sample_n[GATE_BASELINE], 1000, 1e-12);
    assert_near(e.sample_n[GATE_CANARY], 3000, 1e-12);
    counts_set_all(&f, 1, 50, 0);
    e = of_frame(&f, 1, 3.0);
    assert_near(e.sample_n[GATE_CANARY], 3000, 1e-12);
    assert_near(e.delta, -0.05, 1e-12);
}

TEST(twenty_events_are_tested) {
    for (int64_t canary = 11; canary <= 12; canary++) {
        COUNTS(f, 2, 1, 1, 1000);
        counts_set_all(&f, 1, 8, canary);
        assert_int_equal(of_frame(&f, 1, 1.0).is_tested, canary == 12);
    }
}

TEST(unknown_event_counts_are_not_tested) {
    for (int side = 0; side < GATE_SIDES; side++) {
        COUNTS(f, 2, 2, 2, 1000);
        counts_set_all(&f, 1, 50, 100);
        f.runs[side][1].counts.kind = GATE_COUNTS_UNKNOWN;
        struct gate_evidence e = of_frame(&f, 1, 1.0);
        assert_false(gate_evidence_is_counted(&e) || e.is_tested);
        assert_near(e.share[GATE_CANARY], 0.1, 1e-12);
    }
}

/* With replicates, phi is the dispersion of the runs, shrunk towards the totals' dispersion as a prior of 4 degrees of
 * freedom. */
TEST(replicates_measure_the_dispersion) {
    COUNTS(f, 2, 2, 2, 1000);
    static const int64_t counts[2][2] = {{60, 140}, {180, 220}};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < 2; r++)
            counts_set(&f, 1, side, r, counts[side][r]);
    struct gate_evidence e = of_frame(&f, 1, 1.0);
    double chi = 2 * 40.0 * 40.0 / 100 + 2 * 20.0 * 20.0 / 200;
    /* The totals do not vary: of the assumed 0.10² with 4 degrees of freedom, 4 of 6 parts are left. */
    double prior = 1.0 + .01 * 4 / 6 / (1.0 / 200 + 1.0 / 400);
    assert_int_equal(e.variation, GATE_VARIATION_REPLICATES);
    assert_near(e.phi, (4.0 * prior + chi) / 6.0, 1e-12);
    assert_near(e.df, 6.0, 1e-12);
    assert_true(isnan(e.sigma));
}

TEST(steady_runs_do_not_narrow_the_interval) {
    COUNTS(f, 2, 3, 3, 1000);
    counts_set_all(&f, 1, 100, 100);
    assert_near(of_frame(&f, 1, 1.0).phi, 1.0, 1e-12);
}

/* Totals that vary widen the prior of every frame, with 4 degrees of freedom. */
TEST(totals_that_vary_widen_the_interval) {
    COUNTS(f, 2, 2, 2, 1000);
    static const int64_t totals[2][2] = {{600, 1400}, {1000, 1000}};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < 2; r++) {
            f.runs[side][r].total = totals[side][r];
            f.runs[side][r].stacks.weight_sq = (double)totals[side][r];
        }
    counts_set_all(&f, 1, 100, 100);
    double df, variance = gate_total_cost_run_variance(&df, &f.comparison.pair, GATE_EQUAL_RUN);
    struct gate_evidence e = of_frame(&f, 1, 1.0);
    assert_true(variance > 0.04);
    assert_near(e.phi, 4.0 * (1 + variance / (2.0 / 200)) / 6.0, 1e-9);
    assert_total(&f, &(struct gate_exposure){.ratio = 1.0, .equal = GATE_EQUAL_RUN}, 6.0);
}

/* Per second, a run of three times the duration is expected to cost three times as much. */
TEST(expected_cost_of_a_run_is_proportional_to_its_duration) {
    for (int per_second = 0; per_second < 2; per_second++) {
        COUNTS(f, 2, 2, 2, 1000);
        struct gate_profile longer = {.duration_ns = 3 * f.profile.duration_ns};
        for (int side = 0; side < GATE_SIDES; side++) {
            f.runs[side][1].input.profile = &longer;
            f.comparison.pair.sides[side].duration_ns = 4 * f.profile.duration_ns;
            f.runs[side][0].total = 500;
            f.runs[side][1].total = 1500;
            f.runs[side][0].stacks.weight_sq = 500;
            f.runs[side][1].stacks.weight_sq = 1500;
        }
        struct gate_exposure exposure = {.ratio = 1.0, .equal = per_second ? GATE_EQUAL_TIME : GATE_EQUAL_RUN};
        double df, variance = gate_total_cost_run_variance(&df, &f.comparison.pair, exposure.equal);
        assert_total(&f, &exposure, 6.0);
        assert_int_equal(variance > 0.01, !per_second);
    }
}

/* Per unit of work, a run with three times the work is expected to cost three times as much. */
TEST(expected_cost_of_a_run_is_proportional_to_its_work) {
    for (int told = 0; told < 2; told++) {
        COUNTS(f, 2, 2, 2, 1000);
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < 2; r++) {
                f.runs[side][r].total = r == 0 ? 500 : 1500;
                f.runs[side][r].stacks.weight_sq = (double)f.runs[side][r].total;
                f.runs[side][r].input.work = told ? 10.0 + 20.0 * r : 0.0;
            }
        struct gate_exposure exposure = {.ratio = 1.0, .equal = GATE_EQUAL_WORK};
        double df, variance = gate_total_cost_run_variance(&df, &f.comparison.pair, exposure.equal);
        assert_total(&f, &exposure, 6.0);
        assert_int_equal(variance > 0.01, !told);
    }
}

/* Three runs per side on a host that drifts: all pairs show about the same growth, but the runs of a side differ. */
static void drifting(struct counts_fixture *f, bool is_interleaved) {
    static const int64_t totals[2][3] = {{800, 1000, 1200}, {960, 1180, 1460}};
    counts_begin(f, 2, 3, 3, 1000);
    f->comparison.pair.is_interleaved = is_interleaved;
    for (int side = 0; side < GATE_SIDES; side++) {
        f->comparison.pair.sides[side].total = totals[side][0] + totals[side][1] + totals[side][2];
        for (uint32_t r = 0; r < 3; r++) {
            f->runs[side][r].total = totals[side][r];
            f->runs[side][r].stacks.weight_sq = (double)totals[side][r];
        }
    }
}

TEST(pairs_that_agree_narrow_the_interval) {
    struct counts_fixture f;
    const struct gate_exposure same = {.ratio = 1.0, .equal = GATE_EQUAL_RUN};
    double z[2];
    for (int paired = 0; paired < 2; paired++) {
        drifting(&f, paired);
        assert_total(&f, &same, paired ? 6.0 : 8.0);
        z[paired] = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &same).z;
        counts_end(&f);
    }
    assert_true(z[1] > 1.5 * z[0]); /* +20%, +18%, +21.7%: sampling explains the differences of the pairs */
}

/* A noise model gives the variation of one pair's cost. It is smaller for interleaved runs, neighbours in time. */
TEST(a_noise_model_gives_the_variation_of_cost) {
    struct gate_noise noise = {.run_count = 10, .per_work = {.08, .03, 0}, .per_second = {NAN, NAN, 0}};
    static const struct {
        bool is_interleaved, is_per_second;
        double variance; /* 0: the model does not know it, so it is assumed */
    } rows[] = {{false, false, .0064}, {true, false, .0009}, {true, true, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COUNTS(f, 2, 1, 1, 1000);
        f.comparison.pair.is_interleaved = rows[i].is_interleaved;
        const struct gate_exposure exposure = {
            .ratio = 1.0, .noise = &noise, .equal = rows[i].is_per_second ? GATE_EQUAL_TIME : GATE_EQUAL_RUN};
        struct gate_evidence e = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &exposure);
        bool is_known = rows[i].variance > 0.0;
        double variance = is_known ? rows[i].variance : .01, ratio = (.002 + 2 * variance) / (2 * variance);
        assert_int_equal(e.variation, is_known ? GATE_VARIATION_MODEL : GATE_VARIATION_ASSUMED);
        assert_near(e.counts.k1, 1000 / (1 + variance * 1000), 1e-9);
        if (is_known)
            assert_near(e.df, 9 * ratio * ratio, 1e-9);
        assert_int_equal(e.is_wide, !is_known);
    }
}

/* The drift that the runs of a build have in common is added once per side, however many they are. */
TEST(more_runs_do_not_reduce_the_drift_of_builds) {
    COUNTS(f, 2, 2, 2, 1000);
    counts_set_all(&f, 1, 100, 100);
    struct gate_noise_frame frame = {.name = f.frames[1].name, .sigma = {.02, .02, .02}};
    struct gate_noise noise = {.run_count = 10,
                               .per_work = {.08, .03, .5},
                               .frames = &frame,
                               .frame_count = 1,
                               .common = {.25, .25, .25},
                               .build_count = 5};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    const struct gate_exposure exposure = {.ratio = 1.0, .noise = &noise};
    struct gate_evidence e = gate_cost_evidence_of(&f.comparison.pair, NULL, 0, GATE_SELF, &exposure);
    assert_near(e.phi_common, .0032 * 2 / .001, 1e-6);
    assert_near(e.phi, 13 * (1 + .0032 / .001) / 15 + .0032 * 2 / .001, 1e-9);
    e = gate_cost_evidence_of(&f.comparison.pair, &f.comparison.deltas, 1, GATE_SELF, &exposure);
    assert_near(e.phi_common, (.0032 + .04 * .25) * 2 / .01, 1e-6); /* and the frame's share */
}

/* A noise model has no row for a group, so its share varies like that of a frame that the model does not know. The
 * variation of a frame that is absent from the baseline is assumed. */
TEST(a_noise_model_is_less_certain_of_groups_and_new_frames) {
    COUNTS(f, 3, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 100);
    counts_set_all(&f, 2, 0, 100);
    struct gate_noise noise = {.run_count = 10, .per_work = {.02, .02, 0}, .rho = {.004, .004, .004}};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    const struct gate_exposure exposure = {.ratio = 1.0, .noise = &noise};
    struct gate_tally tallies[2] = {{100, 100}, {100, 100}};
    struct gate_delta item = f.comparison.deltas.items[1];
    struct gate_delta_list group = {.items = &item, .count = 1, .run_count = 2, .tallies = {tallies, tallies, tallies}};
    struct gate_evidence e = gate_cost_evidence_of(&f.comparison.pair, &group, 0, GATE_SELF, &exposure);
    assert_int_equal(e.variation, GATE_VARIATION_MODEL);
    assert_near(e.counts.k1, 100 / (1 + (.0004 + .004 * .9 / .1) * 100), 1e-9);
    e = gate_cost_evidence_of(&f.comparison.pair, &f.comparison.deltas, 2, GATE_SELF, &exposure);
    assert_int_equal(e.variation, GATE_VARIATION_ASSUMED);
    assert_near(e.counts.k2, 100 / (1 + .01 * 100), 1e-9);
}

/* A frame's cost varies with the total and with the frame's share, so both variances add: .08^2 + (.02 / .1)^2. */
TEST(a_frames_cost_varies_by_its_share_too) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 100);
    struct gate_noise_frame frame = {.name = f.frames[1].name, .share = {.1, .1, .1}, .sigma = {.02, .02, .02}};
    struct gate_noise noise = {.run_count = 10, .per_work = {.08, .03, 0}, .frames = &frame, .frame_count = 1};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    const struct gate_exposure exposure = {.ratio = 1.0, .noise = &noise};
    struct gate_evidence e = gate_cost_evidence_of(&f.comparison.pair, &f.comparison.deltas, 1, GATE_SELF, &exposure);
    assert_near(e.counts.k1, 100 / (1 + (.0064 + .04) * 100), 1e-9);
}
