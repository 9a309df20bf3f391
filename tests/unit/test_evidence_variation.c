/* SPDX-License-Identifier: Apache-2.0 */
/* compare/evidence.h: run-to-run variation by class of frame, measure and number of runs. The tests compute each
 * expected number from its formula. */
#include "gate/compare/student.h"
#include "tests/unit/counts_fixture.h"
#include "tests/unit/near.h"

static struct gate_evidence evidence_of(const struct counts_fixture *f, uint32_t frame, enum gate_measure measure,
                                        const struct gate_evidence_options *options) {
    return gate_evidence_of(&f->comparison.pair, &f->comparison.deltas, frame, measure, f->frames[frame].name, options);
}

/* Give the frame's measures three different sample sets, as if it called others and were charged for some of them. */
static void set_apart(struct counts_fixture *f, uint32_t frame) {
    uint64_t *set_id = f->comparison.deltas.items[frame].set_id;
    set_id[GATE_CUMULATIVE] = set_id[GATE_SELF] + 1;
    set_id[GATE_CHARGED] = set_id[GATE_SELF] + 2;
}

/* One pair without a noise model: rho depends on the class. A measure with the same samples as a steadier measure uses
 * that measure's rho. */
TEST(one_pair_assumes_by_class) {
    enum { APART, AS_SELF, AS_CHARGED };
    static const struct {
        const char *name;
        enum gate_measure measure;
        int sets;
        bool is_own, is_runtime, is_heap;
        double rho;
    } rows[] = {{"self", GATE_SELF, APART, false, false, false, 0.002},
                {"self of one's own", GATE_SELF, APART, true, false, false, 0.002},
                {"self of the runtime", GATE_SELF, APART, false, true, false, 0.02},
                {"self of a heap", GATE_SELF, APART, true, false, true, 0.003},
                {"cumulative", GATE_CUMULATIVE, APART, true, false, false, 0.02},
                {"cumulative of a heap", GATE_CUMULATIVE, APART, true, false, true, 0.02},
                {"cumulative of a leaf", GATE_CUMULATIVE, AS_SELF, true, false, false, 0.002},
                {"cumulative that is all charged", GATE_CUMULATIVE, AS_CHARGED, true, false, false, 0.0025},
                {"charged to one's own", GATE_CHARGED, APART, true, false, false, 0.0025},
                {"charged to one's own, a heap", GATE_CHARGED, APART, true, false, true, 0.003},
                {"charged to a library", GATE_CHARGED, APART, false, false, false, 0.02},
                {"charged to a library's leaf", GATE_CHARGED, AS_SELF, false, false, false, 0.002},
                {"charged to the runtime", GATE_CHARGED, AS_SELF, false, true, false, 0.02}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gate_evidence_options plain = {0};
        COUNTS(f, 2, 1, 1, 1000);
        counts_set_all(&f, 1, 50, 100);
        set_apart(&f, 1);
        uint64_t *set_id = f.comparison.deltas.items[1].set_id;
        if (rows[i].sets == AS_SELF)
            set_id[rows[i].measure] = set_id[GATE_SELF];
        if (rows[i].sets == AS_CHARGED)
            set_id[rows[i].measure] = set_id[GATE_CHARGED];
        f.frames[1].is_own = rows[i].is_own;
        f.frames[1].is_runtime = rows[i].is_runtime;
        f.runs[GATE_BASELINE][0].counts.kind = rows[i].is_heap ? GATE_COUNTS_HEAP : GATE_COUNTS_VALUE;
        struct gate_evidence e = evidence_of(&f, 1, rows[i].measure, &plain);
        double factor = 1.0 / (1.0 + 1000 * rows[i].rho);
        if (!(fabs(e.counts.n1 - 1000 * factor) < 1e-9 && fabs(e.counts.k2 - 100 * factor) < 1e-9))
            fail_msg("%s: a run is worth %g samples, expected %g", rows[i].name, e.counts.n1, 1000 * factor);
        assert_int_equal(e.is_wide, rows[i].rho == 0.02);
        assert_near(e.rho, rows[i].rho, 0);
        assert_near(e.sigma, sqrt(rows[i].rho * 0.075 * 0.925), 1e-8);
        assert_true(isinf(e.df) && e.phi == 1.0);
    }
}

/* A group of frames is wide. A list with fewer items than the pair has frames is a list of groups. */
TEST(groups_of_frames_have_the_wide_variation) {
    COUNTS(f, 2, 1, 1, 1000);
    f.comparison.deltas.count = 1;
    assert_true(gate_evidence_is_wide(&f.comparison.pair, &f.comparison.deltas, 0, GATE_SELF));
    f.comparison.deltas.count = 2;
    assert_false(gate_evidence_is_wide(&f.comparison.pair, &f.comparison.deltas, 0, GATE_SELF));
}

/* Three runs per side of 5 frames that vary: "a" and "b" are not runtime frames, "c" and "d" are, "e" is too rare. */
static void begin_scattered(struct counts_fixture *f) {
    static const int64_t counts[5][6] = {{80, 100, 120, 110, 100, 90},
                                         {300, 240, 300, 250, 260, 330},
                                         {200, 100, 150, 100, 220, 130},
                                         {60, 40, 50, 55, 50, 45},
                                         {1, 8, 4, 5, 2, 3}};
    counts_begin(f, 6, 3, 3, 1000);
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t r = 0; r < 6; r++)
            counts_set(f, i + 1, r / 3, r % 3, counts[i][r]);
    f->frames[3].is_runtime = f->frames[4].is_runtime = true;
}

/* Return phi of a frame, computed from its counts. Set `k` to the mean count per run and `p` to the pooled share. */
static double phi_of(const struct counts_fixture *f, uint32_t frame, double *k, double *p) {
    double chi = 0.0, all = 0.0;
    for (uint32_t side = 0; side < 2; side++) {
        const struct gate_tally *t = &f->comparison.deltas.tallies[GATE_SELF][side * 3 * 6 + frame];
        double share = (double)(t[0].value + t[6].value + t[12].value) / 3000.0;
        for (int r = 0; r < 3; r++) {
            double off = (double)t[6 * r].value / 1000.0 - share;
            chi += off * off * 1000.0 / (share * (1.0 - share));
            all += (double)t[6 * r].value;
        }
    }
    *k = all / 6.0;
    *p = all / 6000.0;
    return chi / 4.0;
}

/* The slope of each class comes from the frames of that class alone. */
TEST(the_prior_of_a_class_uses_only_its_frames) {
    AT_END(counts_end) struct counts_fixture f;
    begin_scattered(&f);
    struct gate_evidence_options options = {.noise = NULL};
    assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    double k[6], p[6], phi[6];
    struct gate_dispersion_point points[6];
    for (uint32_t i = 0; i < 6; i++) { /* "rest" has no counts and "e" 3.8 per run (minimum 5): neither is used */
        phi[i] = phi_of(&f, i, &k[i], &p[i]);
        points[i] = (struct gate_dispersion_point){phi[i], k[i] * (1 - p[i]), 4};
    }
    const struct gate_dispersion_prior *own = &options.prior[GATE_SELF][GATE_DISPERSION_OWN];
    const struct gate_dispersion_prior *runtime = &options.prior[GATE_SELF][GATE_DISPERSION_RUNTIME];
    assert_near(own->slope, gate_dispersion_slope(&points[1], 2), 1e-9);
    assert_near(own->df, 20.0, 0);
    assert_near(runtime->slope, gate_dispersion_slope(&points[3], 2), 1e-9);
    assert_near(runtime->df, 4.0, 0);
    assert_true(own->slope > 0.0 && runtime->slope > 0.0 && own->slope != runtime->slope);
    /* None of these frames is own code, so for charged cost all of them are in the class of the runtime. */
    assert_near(options.prior[GATE_CHARGED][GATE_DISPERSION_RUNTIME].slope, gate_dispersion_slope(&points[1], 4), 1e-9);
    /* A frame's own dispersion is shrunk towards the prior at the frame's counts. */
    struct gate_evidence e = evidence_of(&f, 1, GATE_SELF, &options);
    double prior = 1 + own->slope * k[1] * (1 - p[1]);
    assert_near(e.phi, fmax(1.0, (20 * prior + 4 * phi[1]) / 24), 1e-12);
    assert_near(e.df, 24.0, 0);
    e = evidence_of(&f, 3, GATE_SELF, &options);
    prior = 1 + runtime->slope * k[3] * (1 - p[3]);
    assert_near(e.phi, fmax(1.0, (4 * prior + 4 * phi[3]) / 8), 1e-12);
}

/* A frame with a share of 100% in every run has no dispersion. It does not change the slope of its class. */
TEST(the_root_does_not_contribute_to_priors) {
    AT_END(counts_end) struct counts_fixture f;
    begin_scattered(&f);
    struct gate_evidence_options before = {.noise = NULL}, after = {.noise = NULL};
    assert_true(gate_evidence_prior(&before, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    counts_set_all(&f, 0, 1000, 1000);
    assert_true(gate_evidence_prior(&after, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    assert_near(after.prior[GATE_SELF][GATE_DISPERSION_OWN].slope, before.prior[GATE_SELF][GATE_DISPERSION_OWN].slope,
                0);
}

/* V8 inlines two functions in one run and not in the next. The others have their own prior, and these the one of all;
 * in Go, all have that. */
TEST(steady_frames_have_a_prior_of_their_own) {
    enum { FRAMES = 8 };
    static const int64_t wild[2][6] = {{20, 180, 20, 180, 20, 180}, {180, 20, 180, 20, 180, 20}};
    static const enum gate_language languages[] = {GATE_LANGUAGE_NODE, GATE_LANGUAGE_JVM, GATE_LANGUAGE_GO};
    for (size_t i = 0; i < 3; i++) {
        COUNTS(f, FRAMES, 3, 3, 1000);
        for (uint32_t frame = 1; frame < FRAMES; frame++)
            for (uint32_t r = 0; r < 6; r++)
                counts_set(&f, frame, r / 3, r % 3, frame < 3 ? wild[frame - 1][r] : 60 + (int64_t)(frame + r) % 3);
        f.comparison.pair.language = languages[i];
        struct gate_evidence_options options = {.noise = NULL};
        assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
        const struct gate_dispersion_prior *own = &options.prior[GATE_SELF][GATE_DISPERSION_OWN];
        assert_true(own->slope > 0.01);
        assert_near(own->steady_slope, languages[i] == GATE_LANGUAGE_GO ? own->slope : 0.0, 0);
        double steady = evidence_of(&f, 5, GATE_SELF, &options).phi,
               of_wild = evidence_of(&f, 1, GATE_SELF, &options).phi;
        assert_int_equal(steady < 1.01, languages[i] != GATE_LANGUAGE_GO);
        assert_true(of_wild > 1.0 + own->slope * 40.0);
    }
}

/* A group uses the prior of the runtime class, with the steeper slope of both classes. */
TEST(groups_take_the_steeper_slope) {
    static const double slopes[][2] = {{0.5, 0.1}, {0.1, 0.5}};
    for (size_t i = 0; i < 2; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin_scattered(&f);
        struct gate_evidence_options options = {.noise = NULL};
        options.prior[GATE_SELF][GATE_DISPERSION_OWN] =
            (struct gate_dispersion_prior){slopes[i][0], 20.0, slopes[i][0]};
        options.prior[GATE_SELF][GATE_DISPERSION_RUNTIME] =
            (struct gate_dispersion_prior){slopes[i][1], 4.0, slopes[i][1]};
        double k = 0, p = 0, phi = phi_of(&f, 1, &k, &p);
        struct gate_tally tallies[6];
        struct gate_delta item = f.comparison.deltas.items[1];
        for (uint32_t r = 0; r < 6; r++)
            tallies[r] = f.comparison.deltas.tallies[GATE_SELF][r * 6 + 1];
        struct gate_delta_list group = {
            .items = &item, .count = 1, .run_count = 6, .tallies = {tallies, tallies, tallies}};
        struct gate_evidence e =
            gate_evidence_of(&f.comparison.pair, &group, 0, GATE_SELF, GATE_STR("group"), &options);
        assert_near(e.phi, fmax(1.0, (4 * (1 + 0.5 * k * (1 - p)) + 4 * phi) / 8), 1e-12);
    }
}

/* If the frames vary by no more than sampling explains, the slope is 0. */
TEST(steady_classes_have_no_prior) {
    COUNTS(f, 3, 3, 3, 1000);
    counts_set_all(&f, 1, 100, 100);
    counts_set_all(&f, 2, 300, 300);
    f.frames[2].is_runtime = true;
    struct gate_evidence_options options = {.noise = NULL};
    assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    for (int class = 0; class < GATE_DISPERSION_CLASSES; class ++) {
        assert_near(options.prior[GATE_SELF][class].slope, 0.0, 0);
    }
    assert_near(evidence_of(&f, 1, GATE_SELF, &options).phi, 1.0, 0);
    counts_end(&f);
    counts_begin(&f, 2, 1, 1, 1000); /* one pair gives no slope, and no degrees of freedom of a prior */
    counts_set_all(&f, 1, 100, 300);
    assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    assert_near(options.prior[GATE_SELF][GATE_DISPERSION_OWN].slope, 0.0, 0);
}

/* Only frames with at least 5 counts per run contribute to the slope. */
TEST(rare_frames_do_not_contribute_to_priors) {
    for (int64_t count = 4; count <= 5; count++) {
        COUNTS(f, 2, 2, 2, 1000);
        for (int side = 0; side < GATE_SIDES; side++) {
            counts_set(&f, 1, side, 0, 0);
            counts_set(&f, 1, side, 1, 2 * count);
        }
        struct gate_evidence_options options = {.noise = NULL};
        assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
        assert_int_equal(options.prior[GATE_SELF][GATE_DISPERSION_OWN].slope > 0.0, count == 5);
    }
}

/* Replicates with a noise model: phi is shrunk towards the model's, which has 10 - 1 degrees of freedom plus 4. */
TEST(a_model_is_the_prior_of_replicates) {
    AT_END(counts_end) struct counts_fixture f;
    begin_scattered(&f);
    struct gate_noise_frame frame = {.name = f.frames[1].name, .sigma = {0.01, 0.02, 0.03}};
    struct gate_noise noise = {.run_count = 10, .frames = &frame, .frame_count = 1, .rho = {0.001, 0.002, 0.003}};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    struct gate_evidence_options options = {.noise = &noise};
    double k = 0, p = 0, phi = phi_of(&f, 1, &k, &p);
    struct gate_evidence e = evidence_of(&f, 1, GATE_SELF, &options);
    double prior = 1 + 1000 * 1e-4 / (p * (1 - p));
    assert_int_equal(e.variation, GATE_VARIATION_BOTH);
    assert_near(e.phi, fmax(1.0, (13 * prior + 4 * phi) / 17), 1e-12);
    assert_near(e.df, 17.0, 0);
    assert_near(e.sigma, 0.01, 1e-8);
}

/* Many light events on one side carry no information about how the other side's runs vary. phi is the dispersion of the
 * difference. */
TEST(each_side_has_its_own_dispersion_by_counts) {
    COUNTS(f, 2, 3, 2, 1000);
    counts_set_all(&f, 1, 100, 100);
    for (uint32_t r = 0; r < 3; r++) { /* the same shares with a hundred times as many events */
        f.runs[GATE_BASELINE][r].stacks.weight_sq = 10;
        f.comparison.deltas.tallies[GATE_SELF][r * 2 + 1].weight_sq = 1;
    }
    struct gate_noise noise = {.run_count = 10, .rho = {0.004, 0.004, 0.004}};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    struct gate_evidence_options options = {.noise = &noise};
    struct gate_evidence e = evidence_of(&f, 1, GATE_SELF, &options);
    assert_near(e.sample_n[GATE_BASELINE], 3e5, 1e-6);
    assert_near(e.sample_n[GATE_CANARY], 2e3, 1e-9);
    double prior = 1 + 0.004 * (1.0 / 3 + 1.0 / 2) / (1 / 3e5 + 1 / 2e3);
    assert_near(e.phi, 13 * prior / 16, 1e-9);
}

/* A frame with a share of 100% on both sides has no variance, so phi stays 1 and z is 0. */
TEST(the_root_has_no_variation) {
    for (uint32_t runs = 1; runs <= 2; runs++) {
        COUNTS(f, 1, runs, runs, 1000);
        counts_set_all(&f, 0, 1000, 1000);
        struct gate_noise noise = {.run_count = 10, .rho = {0.001, 0.002, 0.003}};
        assert_true(gate_noise_index(&noise, &f.arena, &f.err));
        struct gate_evidence_options options = {.noise = &noise};
        struct gate_evidence e = evidence_of(&f, 0, GATE_SELF, &options);
        assert_near(e.phi, 1.0, 0);
        assert_near(e.counts.n1, 1000.0 * runs, 0);
        assert_true(e.z == 0.0 && isfinite(e.log_p));
    }
}

/* Sides of different sizes: each is reduced according to its own runs and its own samples. */
TEST(each_side_is_reduced_by_its_own_runs) {
    COUNTS(f, 2, 1, 1, 1000);
    f.comparison.pair.sides[GATE_CANARY].total = f.runs[GATE_CANARY][0].total = 4000;
    f.runs[GATE_CANARY][0].stacks.weight_sq = 4000;
    counts_set_all(&f, 1, 100, 400);
    const struct gate_evidence_options plain = {0};
    struct gate_evidence e = evidence_of(&f, 1, GATE_SELF, &plain);
    assert_near(e.counts.n1, 1000 / (1 + .002 * 1000), 1e-12);
    assert_near(e.counts.n2, 4000 / (1 + .002 * 4000), 1e-12);
    assert_near(e.counts.k1, 100 / (1 + .002 * 1000), 1e-12);
    assert_near(e.counts.k2, 400 / (1 + .002 * 4000), 1e-12);
    assert_near(e.sample_n[GATE_CANARY], 4000, 1e-12);
}

/* Own cost of a frame that is absent from the canary, and of a frame whose own cost exceeds the baseline's total. */
TEST(own_cost_is_defined_for_extreme_shares) {
    const struct gate_evidence_options own = {.work_ratio = 3.0}, little = {.work_ratio = 0.25};
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 0);
    struct gate_evidence e = evidence_of(&f, 1, GATE_SELF, &own);
    assert_near(e.share[GATE_CANARY], 0.0, 0);
    assert_near(e.sample_n[GATE_CANARY], 3000, 1e-12);
    assert_near(e.delta, -0.1, 1e-12);
    counts_set_all(&f, 1, 100, 500);
    e = evidence_of(&f, 1, GATE_SELF, &little); /* 500 counts; a quarter of the work is 250 */
    assert_near(e.share[GATE_CANARY], 2.0, 1e-12);
    assert_near(e.sample_n[GATE_CANARY], 500, 1e-12); /* never less than the 500 counts */
}

/* Set a run's number of events, and the frame's count in it. */
static void resize_run(struct counts_fixture *f, int side, uint32_t r, int64_t total, int64_t count) {
    struct gate_run *run = &f->runs[side][r];
    f->comparison.pair.sides[side].total += total - run->total;
    f->comparison.pair.sides[side].events += (double)(total - run->total);
    run->total = total;
    run->events = run->stacks.weight_sq = (double)total;
    counts_set(f, 1, side, r, count);
}

/* Runs of different size: phi is the dispersion of the pooled shares, in which large runs weigh more. The variance
 * sigma^2 of a run's share that the residuals show is computed here, and put into the pooled shares' variance. */
TEST(pooled_variance_weighs_runs_by_their_size) {
    static const int64_t totals[] = {400, 1000, 1600, 9000}, counts[] = {30, 110, 150, 1000};
    COUNTS(f, 2, 4, 4, 1000);
    double n = 0, k = 0, square = 0;
    for (uint32_t r = 0; r < 4; r++) {
        resize_run(&f, GATE_BASELINE, r, totals[r], counts[r]);
        resize_run(&f, GATE_CANARY, r, totals[r], counts[r]);
        n += (double)totals[r];
        k += (double)counts[r];
        square += (double)totals[r] * (double)totals[r];
    }
    double p = k / n, chi = 0;
    for (int r = 0; r < 4; r++)
        chi += 2 * pow((double)counts[r] / (double)totals[r] - p, 2) * (double)totals[r] / (p * (1 - p));
    double sigma_sq = (chi - 6) * p * (1 - p) / (2 * (n - square / n)),
           pooled = 1 + sigma_sq * square / n / (p * (1 - p));
    struct gate_evidence_options options = {.noise = NULL};
    assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    memset(options.prior, 0, sizeof options.prior); /* a prior of 1 with 4 degrees of freedom */
    struct gate_evidence e = evidence_of(&f, 1, GATE_SELF, &options);
    assert_true(pooled > 1.0);
    assert_near(e.phi, (4 + 6 * pooled) / 10, 1e-12);
    assert_near(options.sizes.variance, 2 * square / (n * n), 1e-12);

    /* the same with a model, whose variance of a run counts by the sizes, too */
    struct gate_noise_frame frame = {.name = f.frames[1].name, .sigma = {0.01, 0.01, 0.01}};
    struct gate_noise noise = {.run_count = 10, .frames = &frame, .frame_count = 1};
    assert_true(gate_noise_index(&noise, &f.arena, &f.err));
    options.noise = &noise;
    double model = 1 + 1e-4 * (2 * square / (n * n)) / (p * (1 - p) * 2 / n);
    e = evidence_of(&f, 1, GATE_SELF, &options);
    assert_near(e.phi, (13 * model + 6 * pooled) / 19, 1e-9);
}

TEST(equal_runs_need_no_correction) {
    AT_END(counts_end) struct counts_fixture f;
    begin_scattered(&f);
    struct gate_evidence_options options = {.noise = NULL};
    assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    assert_near(options.sizes.uneven, 1.0, 1e-12);
}

static double normal(uint64_t *random) {
    return gate_normal_z(((double)(gate_hash_mix(++*random) >> 11) + 0.5) / 9007199254740992.0);
}

/* Simulated runs of very different size, none of which grew: the 95% interval contains 0 about 95% of the time. */
TEST(intervals_hold_for_runs_of_any_size) {
    enum { DRAWS = 1000, RUNS = 12 };
    uint64_t random = 34;
    int held = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        COUNTS(f, 2, RUNS, RUNS, 1000);
        for (int side = 0; side < GATE_SIDES; side++)
            for (uint32_t r = 0; r < RUNS; r++) {
                double n = round(3000 * exp(normal(&random))), p = 0.1 + 0.02 * normal(&random);
                double k = round(n * p + sqrt(n * p * (1 - p)) * normal(&random));
                resize_run(&f, side, r, (int64_t)n, (int64_t)fmax(k, 0));
            }
        struct gate_evidence_options options = {.noise = NULL};
        assert_true(gate_evidence_prior(&options, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
        const struct gate_evidence e = evidence_of(&f, 1, GATE_SELF, &options);
        struct gate_interval interval = gate_evidence_ci95(&e);
        held += interval.bounds[0] <= 0 && interval.bounds[1] >= 0;
    }
    if (held < DRAWS * 0.92 || held > DRAWS * 0.98)
        fail_msg("%d of %d intervals contain 0", held, DRAWS);
}
