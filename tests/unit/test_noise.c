/* SPDX-License-Identifier: Apache-2.0 */
/* compare/noise.h: the noise model of runs that differ by more than sampling. */
#include "counts_fixture.h"

#include "gate/rules/noise_file.h"
#include "tests/unit/near.h"
#include "tests/unit/pair_fixture.h"

TEST(steady_runs_have_no_sigma) {
    COUNTS(f, 3, 10, 1, 1000);
    counts_set_all(&f, 0, 900, 900);
    counts_set_all(&f, 1, 100, 100);
    struct gate_noise noise;
    assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, NULL, &f.arena, &f.err));
    assert_int_equal(noise.run_count, 10);
    assert_int_equal(noise.frame_count, 2); /* frame "b" has no samples */
    assert_near(noise.mean_events, 1000, 1e-12);
    for (uint32_t i = 0; i < noise.frame_count; i++)
        assert_true(noise.frames[i].sigma[GATE_SELF] == 0.0);
}

/* phi, s0, rho and sigma, calculated by hand: counts alternate between 80 and 120, n = 1000, p = 0.1. */
TEST(a_varying_frame_gets_its_sigma) {
    COUNTS(f, 2, 10, 1, 1000);
    for (uint32_t r = 0; r < 10; r++) {
        counts_set(&f, 1, GATE_BASELINE, r, r % 2 == 0 ? 80 : 120);
        counts_set(&f, 0, GATE_BASELINE, r, r % 2 == 0 ? 920 : 880);
    }
    struct gate_noise noise;
    assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, NULL, &f.arena, &f.err));
    double phi = 10 * 400.0 / (1000 * 0.1 * 0.9) / 9;
    assert_near(noise.s0[GATE_SELF], phi, 1e-9); /* both frames have the same phi */
    assert_near(noise.rho[GATE_SELF], (phi - 1) / 1000, 1e-9);
    assert_true(gate_str_equal(noise.frames[0].name, GATE_STR("a")));
    assert_near(noise.frames[0].share[GATE_SELF], 0.1, 1e-12);
    assert_near(noise.frames[0].sigma[GATE_SELF], sqrt((phi - 1) * 0.09 / 1000), 1e-9);
}

/* A frame that never varied, in a class with one that did, gets the sigma that its class has at its weight. */
TEST(a_steady_frame_varies_like_its_class) {
    COUNTS(f, 3, 10, 1, 1000);
    counts_set_all(&f, 2, 200, 200);
    for (uint32_t r = 0; r < 10; r++) {
        counts_set(&f, 1, GATE_BASELINE, r, r % 2 == 0 ? 60 : 140);
        counts_set(&f, 0, GATE_BASELINE, r, r % 2 == 0 ? 740 : 660);
    }
    struct gate_noise noise;
    assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, NULL, &f.arena, &f.err));
    double square = 1600.0 * 10 / 9;
    const struct gate_dispersion_point points[] = {{square / 210, 210, 9}, {square / 90, 90, 9}, {0, 160, 9}};
    /* the class has shares of 0.7, 0.1 and 0.2 of 1000 samples, so the weights k (1 - p) are 210, 90 and 160 */
    double slope = gate_dispersion_slope(points, 3);
    assert_true(gate_str_equal(noise.frames[1].name, GATE_STR("b")));
    assert_near(noise.frames[1].sigma[GATE_SELF], sqrt(slope * 160 * 0.16 / 1000), 1e-9);
    /* Frame "a" varied more than its class. Its own phi has 9 degrees of freedom, the class's prior has 4. */
    assert_near(noise.frames[0].sigma[GATE_SELF],
                sqrt(((4 * (1 + slope * 90) + 9 * square / 90) / 13 - 1) * 0.09 / 1000), 1e-9);
}

/* A level that changes from one build to the next, for good or for one build, is not noise. Each step takes
 * one of the degrees of freedom between builds. Runs alternate between 20 below and 20 above the level of their build.
 */
TEST(steps_between_builds_are_no_noise) {
    static const struct {
        int levels[5], builds, steps;
    } rows[] = {
        {{100, 100, 100, 500, 500}, 5, 1}, {{500, 500, 100, 100, 100}, 5, 1},
        {{100, 100, 500, 100, 100}, 5, 2}, /* in one build only */
        {{100, 100, 100, 100, 500}, 5, 1}, /* the last one */
        {{100, 200, 150, 300, 120}, 5, 0}, /* no step is much larger than the others */
        {{100, 100, 100, 130, 130}, 5, 0}, /* less than 4 standard errors */
        {{100, 100, 100, 500, 500}, 3, 0}, /* three builds are too few */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COUNTS(f, 2, 10, 1, 1000);
        uint32_t builds[10];
        double mean = 0.0, square = 0.0, expected[] = {0.0, 0.0};
        for (uint32_t r = 0; r < 10; r++) {
            const int count = rows[i].levels[r / 2] + (r % 2 == 0 ? -20 : 20);
            builds[r] = r / 2 * (uint32_t)(rows[i].builds - 1) / 4;
            counts_set(&f, 1, GATE_BASELINE, r, count);
            counts_set(&f, 0, GATE_BASELINE, r, 1000 - count);
            mean += count / 1e4;
            square += pow(count / 1e3, 2.0);
        }
        expected[0] = (square - 10 * mean * mean) / 9 - mean * (1 - mean) / 1000;
        expected[1] = 10 * 0.02 * 0.02 / 9 * 4 / (4 - rows[i].steps) - mean * (1 - mean) / 1000;
        struct gate_noise noise;
        assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, builds, &f.arena, &f.err));
        const double found = pow(noise.frames[0].sigma[GATE_SELF], 2.0),
                     wanted = fmax(expected[rows[i].steps > 0], 0.0);
        if (fabs(found - wanted) > 1e-9)
            fail_msg("row %zu: %g, not %g", i, found, wanted);
    }
}

/* The runs of a build have all, none, or a part of their variation in common. Levels are of five builds; the runs of
 * each are `apart` below and above. */
TEST(runs_of_a_build_have_a_part_in_common) {
    static const struct {
        int levels[5], apart, builds;
        double correlation;
    } rows[] = {{{100, 150, 120, 180, 130}, 0, 5, 1},
                {{100, 100, 100, 100, 100}, 40, 5, -1},
                {{100, 160, 120, 180, 140}, 20, 5, 1200.0 / 2800},
                {{100, 150, 120, 180, 130}, 0, 3, 0}}; /* three builds are too few */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        COUNTS(f, 2, 10, 1, 1000);
        uint32_t builds[10];
        double mean = 0.0, square = 0.0;
        for (uint32_t r = 0; r < 10; r++) {
            const int count = rows[i].levels[r / 2] + (r % 2 == 0 ? -1 : 1) * rows[i].apart;
            builds[r] = r / 2 * (uint32_t)(rows[i].builds - 1) / 4;
            counts_set(&f, 1, GATE_BASELINE, r, count);
            counts_set(&f, 0, GATE_BASELINE, r, 1000 - count);
            mean += count / 1e4;
            square += pow(count / 1e3, 2.0);
        }
        const double phi = (square - 10 * mean * mean) / 9 / (mean * (1 - mean) / 1000);
        struct gate_noise noise;
        assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, builds, &f.arena, &f.err));
        assert_int_equal(noise.build_count, rows[i].builds == 5 ? 5 : 0);
        assert_near(noise.common[GATE_SELF], fmin(fmax(rows[i].correlation / (1 - 1 / phi), 0), 1), 1e-9);
    }
}

/* If a runtime frame's share exceeds the calibrated share, sigma grows in proportion. An own frame keeps its sigma. */
TEST(the_runtime_varies_with_its_share) {
    COUNTS(f, 2, 10, 1, 1000);
    for (uint32_t r = 0; r < 10; r++) {
        counts_set(&f, 1, GATE_BASELINE, r, r % 2 == 0 ? 80 : 120);
        counts_set(&f, 0, GATE_BASELINE, r, r % 2 == 0 ? 920 : 880);
    }
    struct gate_noise noise;
    assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, NULL, &f.arena, &f.err));
    double sigma = noise.frames[0].sigma[GATE_SELF];
    static const struct {
        double p, factor;
        enum gate_dispersion_class class;
    } rows[] = {{0.1, 1, GATE_DISPERSION_RUNTIME},
                {0.05, 1, GATE_DISPERSION_RUNTIME},
                {0.3, 3, GATE_DISPERSION_RUNTIME},
                {0.3, 1, GATE_DISPERSION_OWN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(gate_noise_variance(&noise, GATE_STR("a"), GATE_SELF, rows[i].p, rows[i].class),
                    sigma * sigma * rows[i].factor * rows[i].factor, 1e-9);
}

/* A model of another checkout applies, by the names of the pair. */
TEST(a_model_follows_files_that_moved) {
    AT_END(fixture_end) struct pair_fixture pair = {0};
    for (int side = 0; side < GATE_SIDES; side++)
        fixture_add(&pair, (enum gate_side_name)side,
                    "main (/srv/green/app.py:9);f (/srv/green/cart.py:4);len (/usr/list.py:1) 10\n");
    fixture_make(&pair, NULL);
    struct gate_noise_frame frames[] = {{.name = GATE_STR("f (/srv/blue/cart.py)"), .sigma = {.1, .2, .3}},
                                        {.name = GATE_STR("len (/usr/list.py)"), .sigma = {.4, .5, .6}},
                                        {.name = GATE_STR("main (/srv/blue/app.py)"), .sigma = {.7, .8, .9}}};
    struct gate_noise noise = {.frames = frames, .frame_count = 3};
    const struct gate_noise *followed;
    assert_true(gate_noise_index(&noise, &pair.arena, &pair.err));
    assert_true(gate_noise_coverage(&noise, &pair.pair, &pair.deltas) == 1.0); /* all self cost is in len */
    assert_true(gate_noise_follow(&followed, &noise, &pair.pair, &pair.arena, &pair.err));
    assert_near(gate_noise_variance(followed, GATE_STR("f (/srv/green/cart.py)"), GATE_SELF, .5, GATE_DISPERSION_OWN),
                .1 * .1, 1e-12);
    assert_near(gate_noise_variance(followed, GATE_STR("main (/srv/green/app.py)"), GATE_SELF, .5, GATE_DISPERSION_OWN),
                .7 * .7, 1e-12);
    assert_near(gate_noise_variance(followed, GATE_STR("len (/usr/list.py)"), GATE_SELF, .5, GATE_DISPERSION_OWN),
                .4 * .4, 1e-12);
    assert_true(gate_str_equal(frames[0].name, GATE_STR("f (/srv/blue/cart.py)"))); /* the model stays as it was */
    /* nothing moved */
    const struct gate_noise *again;
    assert_true(gate_noise_follow(&again, followed, &pair.pair, &pair.arena, &pair.err));
    assert_ptr_equal(again, followed);
}

/* Packages of Go have no files in a model, and libraries keep their names. */
TEST(a_model_follows_packages_of_go) {
    AT_END(fixture_end) struct pair_fixture pair = {0};
    for (int side = 0; side < GATE_SIDES; side++)
        fixture_add(&pair, (enum gate_side_name)side,
                    "runtime.main;main.main;shop/list.Sum;shop/list.add;slices.Sort 10\n");
    fixture_make(&pair, NULL);
    struct gate_noise_frame frames[] = {{.name = GATE_STR("main.main"), .sigma = {.1, .1, .1}},
                                        {.name = GATE_STR("shop/cart.Sum"), .sigma = {.2, .2, .2}},
                                        {.name = GATE_STR("shop/cart.add"), .sigma = {.3, .3, .3}},
                                        {.name = GATE_STR("sort.Sort"), .sigma = {.4, .4, .4}}};
    struct gate_noise noise = {.frames = frames, .frame_count = 4};
    const struct gate_noise *followed;
    assert_true(gate_noise_index(&noise, &pair.arena, &pair.err));
    assert_true(gate_noise_follow(&followed, &noise, &pair.pair, &pair.arena, &pair.err));
    static const char *const names[] = {"main.main", "shop/list.Sum", "shop/list.add", "sort.Sort"};
    for (uint32_t i = 0; i < 4; i++)
        assert_true(gate_str_equal(followed->frames[i].name, gate_str_from(names[i])));
}

/* A function that is another package's in the canary has its row of the model. A row of its new name is kept. */
TEST(a_model_follows_functions_that_moved) {
    static const struct gate_pair_options folds = {.folds = true};
    AT_END(fixture_end) struct pair_fixture pair = {0};
    fixture_add(&pair, GATE_BASELINE, "main.main;a.price 10\nmain.main;main.sort;c.less 10\n");
    fixture_add(&pair, GATE_CANARY, "main.main;b.price 10\nmain.main;main.sort;d.less 10\n");
    fixture_make(&pair, &folds);
    struct gate_noise_frame frames[] = {{.name = GATE_STR("a.price"), .sigma = {.1, .1, .1}},
                                        {.name = GATE_STR("c.less"), .sigma = {.2, .2, .2}},
                                        {.name = GATE_STR("d.less"), .sigma = {.3, .3, .3}},
                                        {.name = GATE_STR("main.main"), .sigma = {.4, .4, .4}}};
    struct gate_noise noise = {.frames = frames, .frame_count = 4};
    const struct gate_noise *followed;
    assert_true(gate_noise_index(&noise, &pair.arena, &pair.err));
    assert_true(gate_noise_follow(&followed, &noise, &pair.pair, &pair.arena, &pair.err));
    static const char *const names[] = {"b.price", "c.less", "d.less", "main.main"};
    for (uint32_t i = 0; i < 4; i++)
        assert_true(gate_str_equal(followed->frames[i].name, gate_str_from(names[i])));
    assert_near(gate_noise_variance(followed, GATE_STR("b.price"), GATE_SELF, .5, GATE_DISPERSION_OWN), .1 * .1, 1e-12);
}

TEST(one_run_is_refused) {
    COUNTS(f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 100);
    struct gate_noise noise;
    assert_false(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, NULL, &f.arena, &f.err));
    assert_int_equal(f.err.code, GATE_ERR_INPUT);
    assert_non_null(strstr(f.err.message, "at least 2"));
}

/* A model written by gate_noise_write reads back unchanged, in all measures. */
TEST(a_written_model_reads_back_in_every_measure) {
    struct gate_noise noise, read;
    struct gate_noise_naming naming = {0};
    AT_END(gate_buf_free) struct gate_buf text = {0};
    COUNTS(f, 2, 10, 1, 1000);
    for (uint32_t r = 0; r < 10; r++) {
        counts_set(&f, 1, GATE_BASELINE, r, r % 2 == 0 ? 80 : 120);
        counts_set(&f, 0, GATE_BASELINE, r, r % 2 == 0 ? 920 : 880);
    }
    assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, NULL, &f.arena, &f.err));
    assert_true(gate_noise_write(&text, &noise, &naming, &f.arena, &f.err));
    if (!gate_noise_read(&read, &naming, gate_buf_view(&text), &f.arena, &f.err))
        fail_msg("%u:%u: %s", (unsigned)f.err.line, (unsigned)f.err.column, f.err.message);
    assert_int_equal(read.frame_count, noise.frame_count);
    for (int measure = 0; measure < GATE_MEASURES; measure++) {
        assert_near(read.s0[measure], noise.s0[measure], 1e-8);
        assert_near(read.rho[measure], noise.rho[measure], 1e-8);
        for (uint32_t i = 0; i < read.frame_count; i++) {
            uint32_t same = gate_table_find(&noise.index, read.frames[i].name);
            assert_near(read.frames[i].share[measure], noise.frames[same].share[measure], 1e-5);
            assert_near(read.frames[i].sigma[measure], noise.frames[same].sigma[measure], 1e-5);
        }
    }
    /* the runs state neither their work nor their times */
    assert_true(isnan(read.per_work.apart) && isnan(read.per_second.near));
    assert_near(read.per_second.apart, noise.per_second.apart, 1e-5);
}

/* The drift of the total cost reads back unchanged, and an unknown drift reads back as NAN. */
TEST(a_written_drift_reads_back_unchanged) {
    static const struct gate_drift rows[][2] = {
        {{.08, .03, 0}, {.05, NAN, 0}}, {{NAN, NAN, 0}, {.05, .01, 0}}, {{NAN, NAN, 0}, {NAN, NAN, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str runs[] = {GATE_STR("a"), GATE_STR("b")};
        struct gate_noise read, noise = {.type = {GATE_STR("cpu"), GATE_STR("nanoseconds")},
                                         .run_count = 2,
                                         .runs = runs,
                                         .s0 = {1, 1, 1},
                                         .per_work = rows[i][0],
                                         .per_second = rows[i][1]};
        struct gate_noise_naming naming = {0};
        AT_END(gate_buf_free) struct gate_buf text = {0};
        noise.mix_key = i == 0 ? GATE_STR("endpoint") : GATE_STR("");
        assert_true(gate_noise_write(&text, &noise, &naming, &arena, &err));
        if (!gate_noise_read(&read, &naming, gate_buf_view(&text), &arena, &err))
            fail_msg("%u:%u: %s", (unsigned)err.line, (unsigned)err.column, err.message);
        assert_true(gate_str_equal(read.mix_key, noise.mix_key));
        const double found[] = {read.per_work.apart, read.per_work.near, read.per_second.apart, read.per_second.near};
        const double expected[] = {rows[i][0].apart, rows[i][0].near, rows[i][1].apart, rows[i][1].near};
        for (int k = 0; k < 4; k++)
            assert_true(isnan(expected[k]) ? isnan(found[k]) : found[k] == expected[k]);
    }
}

/* 160 KiB are room for 1,883 frames: 80 bytes of numbers and a name of 7 bytes each. */
TEST(a_written_model_keeps_the_largest_frames_that_fit) {
    enum { FRAMES = 3000, FIT = 1883 };
    static struct gate_noise_frame frames[FRAMES];
    struct gate_str runs[] = {GATE_STR("a"), GATE_STR("b")};
    struct gate_noise read, noise = {.type = {GATE_STR("cpu"), GATE_STR("nanoseconds")},
                                     .run_count = 2,
                                     .runs = runs,
                                     .s0 = {1, 1, 1},
                                     .frames = frames,
                                     .frame_count = FRAMES};
    struct gate_noise_naming naming = {0};
    AT_END(gate_buf_free) struct gate_buf text = {0};
    for (uint32_t i = 0; i < FRAMES; i++)
        frames[i] = (struct gate_noise_frame){.name = gate_str_format(&arena, "f%04u", (unsigned)i),
                                              .share[GATE_CUMULATIVE] = (100.0 + i) / 10000};
    assert_true(gate_noise_write(&text, &noise, &naming, &arena, &err));
    if (!gate_noise_read(&read, &naming, gate_buf_view(&text), &arena, &err))
        fail_msg("%u:%u: %s", (unsigned)err.line, (unsigned)err.column, err.message);
    assert_int_equal(read.frame_count, FIT);
    assert_true(gate_str_equal(read.frames[0].name, frames[FRAMES - FIT].name));
}

/* A model of another version may lack a measure or have an unknown one, so it is refused. */
TEST(another_version_is_refused) {
    static const struct {
        const char *version, *message;
    } cases[] = {
        {"1", "this noise model is of version 1, and this program reads version 2; calibrate again"},
        {"3", "this noise model is of version 3, and this program reads version 2; calibrate again"},
        {"0", "expected a number from 1 to 1e+06, found '0'"},
        {"one", "expected a number, found text: is this a noise model written by 'pprofgate calibrate'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gate_error err = {0};
        struct gate_noise noise;
        struct gate_noise_naming naming;
        struct gate_str text = gate_str_format(&arena,
                                               "version: %s\nsample_type: cpu/nanoseconds\ngranularity: function\n"
                                               "names: stable\nruns: [a, b]\nmean_events: 900\n"
                                               "self: {s0: 1, rho: 0}\ncumulative: {s0: 1, rho: 0}\n"
                                               "frames:\n  - [main.work, 0.5, 0.01, 0.6, 0.02]\n",
                                               cases[i].version);
        assert_false(gate_noise_read(&noise, &naming, text, &arena, &err));
        assert_int_equal(err.code, GATE_ERR_CONFIG);
        assert_int_equal(err.line, 1);
        assert_string_equal(err.message, cases[i].message);
    }
}
