/* SPDX-License-Identifier: Apache-2.0 */
/* compare/error_spending.h: the levels of one look. test_error_spending.c tests the error spending itself. */
#include "gate/compare/error_spending.h"

#include "gate/compare/student.h"
#include "tests/unit/unit.h"

#include <math.h>

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

static struct gate_looks_now begin(const struct gate_looks *looks) {
    struct gate_looks_now now;
    if (!gate_looks_begin(&now, looks, 0.02, &err))
        fail_msg("%s", err.message);
    return now;
}

static const double half[] = {0.5, 1.0};

TEST(one_look_has_all_levels) {
    const struct gate_looks rows[] = {{0}, {.fractions = &half[1], .count = 1}};
    for (int i = 0; i < 2; i++) {
        const struct gate_looks_now now = begin(&rows[i]);
        assert_false(gate_looks_are_several(&rows[i]));
        assert_true(now.margin == 0.02 && now.proof == GATE_LOOKS_PROOF && now.turn == 0.0);
        assert_true(gate_looks_level(&now, 0.01) == 0.01 && gate_looks_spent(&now, 0.01) == 0.01);
    }
}

TEST(an_early_look_has_a_small_level) {
    const struct gate_looks looks = {.fractions = half, .count = 1};
    const struct gate_looks_now now = begin(&looks);
    assert_true(gate_looks_are_several(&looks));
    assert_near(now.margin, 0.02 / 8, 1e-12);
    assert_near(now.proof, 0.05 / 8, 1e-12);
    assert_near(gate_looks_spent(&now, 0.01), 0.01 / 8, 1e-12);
    /* A pass requires z of at most sqrt(t) z_.02 - sqrt(1 - t) z_.01, with t = 0.5. */
    assert_near(now.turn, gate_normal_p(sqrt(0.5) * (gate_normal_z(0.02) - gate_normal_z(0.01))), 1e-12);
}

TEST(the_last_look_has_what_is_left) {
    struct gate_looks looks = {.fractions = half, .count = 2};
    const struct gate_looks_now now = begin(&looks);
    assert_near(gate_looks_spent(&now, 0.01), 0.01, 1e-12);
    assert_true(now.margin < 0.02 && now.margin > 0.02 * 7 / 8);
    assert_true(now.turn == 0.0);
    looks.is_alone = true; /* then only what this look adds */
    const struct gate_looks_now alone = begin(&looks);
    assert_near(alone.margin, 0.02 * 7 / 8, 1e-12);
    assert_near(alone.proof, 0.05 * 7 / 8, 1e-12);
    looks.count = 1; /* the first look */
    const struct gate_looks_now first = begin(&looks);
    assert_near(first.margin, 0.02 / 8, 1e-12);
}

TEST(levels_are_finite_numbers) {
    const double early[] = {0.001};
    const struct gate_looks looks = {.fractions = early, .count = 1};
    const struct gate_looks_now now = begin(&looks);
    assert_true(gate_looks_level(&now, 1e-299) >= 1e-300);
    assert_near(now.margin, 0.02 * 1e-9, 1e-9);
    assert_true(now.turn > 0.0 && now.turn < 1.0);
}

TEST(information_that_does_not_grow_is_refused) {
    const double back[] = {0.5, 0.4};
    const struct gate_looks looks = {.fractions = back, .count = 2};
    struct gate_looks_now now;
    assert_false(gate_looks_begin(&now, &looks, 0.05, &err));
    assert_int_equal(err.code, GATE_ERR_INPUT);
}
