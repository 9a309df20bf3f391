/* SPDX-License-Identifier: Apache-2.0 */
/* compare/noise.h: what runs that differ by more than sampling leave in a noise model. */
#include "counts_fixture.h"

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance * fmax(1.0, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static void steady_runs_have_no_sigma(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 3, 10, 1, 1000);
    counts_set_all(&f, 0, 900, 900);
    counts_set_all(&f, 1, 100, 100);
    struct gate_noise noise;
    assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    assert_int_equal(noise.run_count, 10);
    assert_int_equal(noise.frame_count, 2); /* "b" was never seen */
    assert_near(noise.mean_events, 1000, 1e-12);
    for (uint32_t i = 0; i < noise.frame_count; i++)
        assert_true(noise.frames[i].sigma[GATE_SELF] == 0.0);
    counts_end(&f);
}

/* phi, s0, shrinkage and sigma by hand: counts 80 and 120 in turn, n 1000, p .1. */
static void a_varying_frame_gets_its_sigma(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 2, 10, 1, 1000);
    for (uint32_t r = 0; r < 10; r++) {
        counts_set(&f, 1, GATE_BASELINE, r, r % 2 == 0 ? 80 : 120);
        counts_set(&f, 0, GATE_BASELINE, r, r % 2 == 0 ? 920 : 880);
    }
    struct gate_noise noise;
    assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    double phi = 10 * 400.0 / (1000 * 0.1 * 0.9) / 9;
    assert_near(noise.s0[GATE_SELF], phi, 1e-9); /* both frames have it */
    assert_near(noise.rho[GATE_SELF], (phi - 1) / 1000, 1e-9);
    assert_true(gate_str_equal(noise.frames[0].name, GATE_STR("a")));
    assert_near(noise.frames[0].share[GATE_SELF], 0.1, 1e-12);
    assert_near(noise.frames[0].sigma[GATE_SELF], sqrt((phi - 1) * 0.09 / 1000), 1e-9);
    counts_end(&f);
}

/* A frame that never varied beside one that did: it gets what its class has at its weight, not less. */
static void a_steady_frame_varies_like_its_class(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 3, 10, 1, 1000);
    counts_set_all(&f, 2, 200, 200);
    for (uint32_t r = 0; r < 10; r++) {
        counts_set(&f, 1, GATE_BASELINE, r, r % 2 == 0 ? 60 : 140);
        counts_set(&f, 0, GATE_BASELINE, r, r % 2 == 0 ? 740 : 660);
    }
    struct gate_noise noise;
    assert_true(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    /* phi - 1 of the three frames (0.7, 0.1, 0.2 of 1000) over their k (1 - p): the slope of the class. */
    double square = 1600.0 * 10 / 9;
    double excess = (square / 210 - 1) + (square / 90 - 1) - 1;
    double slope = excess / (210 + 90 + 160);
    assert_true(gate_str_equal(noise.frames[1].name, GATE_STR("b")));
    assert_near(noise.frames[1].sigma[GATE_SELF], sqrt(slope * 160 * 0.16 / 1000), 1e-9);
    /* And one that varied more than its class keeps most of what it showed. */
    assert_near(noise.frames[0].sigma[GATE_SELF],
                sqrt(((4 * (1 + slope * 90) + 9 * square / 90) / 13 - 1) * 0.09 / 1000), 1e-9);
    counts_end(&f);
}

static void one_run_is_refused(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 2, 1, 1, 1000);
    counts_set_all(&f, 1, 100, 100);
    struct gate_noise noise;
    assert_false(gate_noise_estimate(&noise, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    assert_int_equal(f.err.code, GATE_ERR_INPUT);
    assert_non_null(strstr(f.err.message, "at least 2"));
    counts_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_runs_have_no_sigma),
        cmocka_unit_test(a_varying_frame_gets_its_sigma),
        cmocka_unit_test(a_steady_frame_varies_like_its_class),
        cmocka_unit_test(one_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
