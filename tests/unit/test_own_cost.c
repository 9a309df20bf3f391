/* SPDX-License-Identifier: Apache-2.0 */
/* compare/cost.h: the ratio of the canary's work to the baseline's, from frames that most likely did not change. */
#include "tests/unit/counts_fixture.h"

#include "gate/compare/cost.h"

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance * fmax(1.0, fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static void work_ratio_is_the_middle_of_the_frames(void **state) {
    (void)state;
    struct counts_fixture f;
    counts_begin(&f, 10, 1, 1, 10000);
    for (uint32_t i = 1; i < 10; i++)
        counts_set_all(&f, i, 500, 600);
    counts_set_all(&f, 9, 500, 3000); /* one regression does not change the ratio */
    double ratio = 0.0;
    bool is_estimate = false;
    assert_true(
        gate_own_cost_work_ratio(&ratio, &is_estimate, &f.comparison.pair, &f.comparison.deltas, &f.arena, &f.err));
    assert_true(is_estimate);
    assert_near(ratio, 1.2, 1e-9);
    counts_end(&f);
}

static double ratio_of(struct counts_fixture *f, bool *is_estimate) {
    double ratio = 0.0;
    if (!gate_own_cost_work_ratio(&ratio, is_estimate, &f->comparison.pair, &f->comparison.deltas, &f->arena, &f->err))
        fail_msg("%s", f->err.message);
    return ratio;
}

/* With fewer than five frames the ratio is that of the totals. */
static void few_frames_say_nothing(void **state) {
    (void)state;
    for (uint32_t frames = 4; frames <= 5; frames++) {
        struct counts_fixture f;
        bool is_estimate = false;
        counts_begin(&f, 6, 1, 2, 10000); /* 1 baseline run and 2 canary runs: the totals are 1 to 2 */
        for (uint32_t i = 0; i < frames; i++)
            counts_set_all(&f, i, 500, 300);
        assert_near(ratio_of(&f, &is_estimate), frames == 5 ? 1.2 : 2.0, 1e-12);
        assert_int_equal(is_estimate, frames == 5);
        counts_end(&f);
    }
}

/* Frames need at least ten counts on each side. */
static void rare_frames_are_left_out(void **state) {
    (void)state;
    static const struct {
        int64_t baseline, canary;
        bool counts;
    } rare[] = {{10, 10, true}, {9, 900, false}, {900, 9, false}};
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++) {
        struct counts_fixture f;
        bool is_estimate = false;
        counts_begin(&f, 6, 1, 1, 10000);
        for (uint32_t frame = 0; frame < 4; frame++)
            counts_set_all(&f, frame, 500, 600);
        counts_set_all(&f, 4, rare[i].baseline, rare[i].canary);
        (void)ratio_of(&f, &is_estimate);
        assert_int_equal(is_estimate, rare[i].counts);
        counts_end(&f);
    }
}

/* Of ten frames, the three lowest and three highest ratios are cut off. The others are weighted by their counts. */
static void the_middle_is_weighted(void **state) {
    (void)state;
    struct counts_fixture f;
    bool is_estimate = false;
    static const int64_t canary[] = {100, 150, 200, 1000, 1100, 1200, 1300, 2000, 3000, 4000};
    static const uint32_t place[] = {7, 2, 9, 0, 5, 1, 8, 3, 6, 4}; /* frames are not in the order of their ratios */
    counts_begin(&f, 10, 1, 1, 100000);
    double sum = 0.0, weight = 0.0;
    for (uint32_t i = 0; i < 10; i++) {
        int64_t baseline = i == 5 ? 4000 : 1000, twice = i == 5 ? 4 * canary[i] : canary[i];
        counts_set_all(&f, place[i], baseline, twice);
        if (i < 3 || i > 6)
            continue;
        double w = 1.0 / (1.0 / (double)baseline + 1.0 / (double)twice);
        sum += w * log((double)canary[i] / 1000.0);
        weight += w;
    }
    assert_near(ratio_of(&f, &is_estimate), exp(sum / weight), 1e-9);
    counts_end(&f);
}

static void uncounted_sides_say_nothing(void **state) {
    (void)state;
    for (int side = 0; side < GATE_SIDES; side++) {
        struct counts_fixture f;
        bool is_estimate = true;
        counts_begin(&f, 10, 1, 1, 10000);
        for (uint32_t i = 0; i < 10; i++)
            counts_set_all(&f, i, 500, 600);
        f.runs[side][0].counts.kind = GATE_COUNTS_UNKNOWN;
        assert_near(ratio_of(&f, &is_estimate), 1.0, 1e-12);
        assert_false(is_estimate);
        counts_end(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_ratio_is_the_middle_of_the_frames),
        cmocka_unit_test(few_frames_say_nothing),
        cmocka_unit_test(rare_frames_are_left_out),
        cmocka_unit_test(the_middle_is_weighted),
        cmocka_unit_test(uncounted_sides_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
