/* SPDX-License-Identifier: Apache-2.0 */
/* budget/families.h: Holm's correction over the hypotheses that may fail the run. The tests set the p value, the
 * attainable p value and the sample set of each hypothesis by hand. */
#include "gate/budget/families.h"
#include "sweep.h"
#include "tests/unit/unit.h"

#include <math.h>

static const double ALPHA = 0.01;
static const struct gate_spending one_look = {0};

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-12 * fmax(1.0, fabs(expected))))
        fail_msg("found %.15g, expected %.15g", found, expected);
}

static const struct gate_limit points = {.kind = GATE_LIMIT_SHARE_INCREASE, .value = 0.05};

/* Return a hypothesis with p value `p` that may fail the run. Any p value is attainable for it. */
static struct gate_hypothesis make(uint64_t set_id, double p) {
    return (struct gate_hypothesis){.limit = &points,
                                    .limit_value = 0.05,
                                    .severity = GATE_SEVERITY_ERROR,
                                    .set_id = set_id,
                                    .is_tested = true,
                                    .is_in_family = true,
                                    .log_p = log(p)};
}

static void adjust_with(struct gate_hypothesis *items, size_t count, struct gate_hypothesis *unseen,
                        size_t unseen_count) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_hypothesis_list list = {.items = items, .count = count, .unseen = unseen, .unseen_count = unseen_count};
    for (size_t i = 0; i < count; i++) { /* results of an earlier correction */
        items[i].log_p_adjusted = items[i].log_level = 7.0;
        items[i].family = 77;
    }
    if (!gate_families_adjust(&list, ALPHA, &one_look, &arena, &err))
        fail_msg("%s", err.message);
}

static void adjust(struct gate_hypothesis *items, size_t count) {
    adjust_with(items, count, NULL, 0);
}

/* Holm's steps: 3 p, then 2 p. The last hypothesis is not rejected; it is compared with alpha / 1. */
TEST(holm_multiplies_each_p_by_the_remaining_hypotheses) {
    struct gate_hypothesis items[] = {make(1, 0.004), make(2, 0.5), make(3, 0.0001)};
    adjust(items, 3);
    assert_near(exp(items[2].log_p_adjusted), 0.0003);
    assert_near(exp(items[0].log_p_adjusted), 0.008);
    assert_near(exp(items[1].log_p_adjusted), 0.5);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(items[i].family, 3);
        assert_near(exp(items[i].log_level), 0.01);
    }
}

/* A budget that names a function does not pay for the others: if both kinds exist, each gets half of alpha. */
TEST(budgets_that_name_a_function_have_half_of_alpha) {
    struct gate_hypothesis items[] = {make(1, 0.004), make(2, 0.5), make(3, 0.004), make(4, 0.2)};
    struct gate_hypothesis unseen = make(9, 0.5);
    items[0].is_named = true;
    adjust(items, 4);
    assert_near(exp(items[0].log_p_adjusted), 0.008);
    assert_near(exp(items[2].log_p_adjusted), 0.024);
    assert_near(items[1].log_p_adjusted, 0.0);
    assert_int_equal(items[0].family, 1);
    assert_int_equal(items[2].family, 3);
    assert_near(exp(items[0].log_level), 0.005);
    assert_near(exp(items[2].log_level), 0.005 / 3);
    adjust(items, 1); /* alone, it gets all of alpha */
    assert_near(exp(items[0].log_p_adjusted), 0.004);
    adjust(NULL, 0);
    adjust_with(items, 1, &unseen, 1); /* an unseen hypothesis counts as the other kind */
    assert_near(exp(items[0].log_p_adjusted), 0.008);
    items[1].is_in_family = false; /* a hypothesis outside of the family does not */
    adjust(items, 2);
    assert_near(exp(items[0].log_p_adjusted), 0.004);
}

/* A p value equal to the level is rejected. */
TEST(the_level_is_inclusive) {
    struct gate_hypothesis at[] = {make(1, ALPHA / 2), make(2, 0.5)}, beyond[] = {make(1, ALPHA / 1.99), make(2, 0.5)};
    at[0].log_p = log(ALPHA) - log(2.0);
    adjust(at, 2);
    adjust(beyond, 2);
    assert_near(exp(at[0].log_level), 0.01);
    assert_near(exp(beyond[0].log_level), 0.005);
}

/* A hypothesis with p above its attainable p is never rejected. It stays in the sums of later steps, whatever its
 * adjusted p. */
TEST(a_p_value_that_is_not_attainable_is_not_rejected) {
    struct gate_hypothesis items[] = {make(1, 1e-6), make(2, 1e-5)};
    items[1].log_attainable = log(1e-7);
    adjust(items, 2);
    assert_near(exp(items[0].log_p_adjusted), 1e-6 + 1e-7);
    assert_near(exp(items[0].log_level), 0.01);
    items[1].log_attainable = log(4e-6); /* now it takes 4e-6 of alpha */
    items[0].log_p = log(0.2);
    adjust(items, 2);
    assert_near(exp(items[0].log_level), 0.01 - 4e-6);
}

/* Hypotheses outside of the family cost the others nothing. Their adjusted p is 1, but they get the family's level and
 * size. */
TEST(hypotheses_that_cannot_fail_do_not_count) {
    struct gate_hypothesis items[] = {make(1, 0.004), make(2, 1e-9), make(3, 1e-9)};
    items[1].is_in_family = false;
    items[2].is_tested = false;
    items[2].log_p = 0.0;
    adjust(items, 3);
    assert_near(exp(items[0].log_p_adjusted), 0.008); /* the untested one counts with p = 1 */
    assert_near(items[1].log_p_adjusted, 0.0);
    assert_near(items[2].log_p_adjusted, 0.0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(items[i].family, 2);
    struct gate_hypothesis first[] = {make(1, 1.0), make(2, 0.004)}; /* the untested one is first */
    first[0].is_tested = false;
    adjust(first, 2);
    assert_near(exp(first[1].log_p_adjusted), 0.008);
    assert_near(exp(first[1].log_level), 0.01);
    struct gate_hypothesis alone = make(1, 0.5);
    alone.is_in_family = false;
    adjust(&alone, 1);
    assert_int_equal(alone.family, 1);
    assert_near(exp(alone.log_level), 0.01);
}

/* Hypotheses that can fail the run are corrected for one another only. So are those that can only warn. */
TEST(warnings_are_a_family_of_their_own) {
    struct gate_hypothesis items[] = {make(1, 0.004), make(2, 0.002), make(3, 0.3), make(4, 0.3), make(1, 0.004)};
    items[1].severity = items[2].severity = GATE_SEVERITY_WARN;
    items[3].is_restrained = true;
    items[4].severity = GATE_SEVERITY_WARN;
    adjust(items, 5);
    assert_near(exp(items[0].log_p_adjusted), 0.004);
    assert_int_equal(items[0].family, 1);
    assert_near(exp(items[0].log_level), 0.01);
    assert_near(exp(items[1].log_p_adjusted), 0.008);
    for (int i = 1; i < 5; i++)
        assert_int_equal(items[i].family, 4);
    assert_near(exp(items[3].log_level), 0.01 / 3); /* 0.004 * 3 exceeds 0.01, so it is not rejected */
}

/* Hypotheses with the same samples and the same null hypothesis count once, with the largest p and the largest
 * attainable p. */
TEST(equal_sets_count_once) {
    struct gate_hypothesis items[] = {make(1, 1e-5), make(1, 1e-4), make(2, 0.2), make(1, 1e-6)};
    items[0].log_attainable = log(0.02);
    items[1].log_attainable = log(0.001);
    items[3].log_attainable = log(0.01);
    items[2].log_attainable = log(0.03);
    adjust(items, 4);
    assert_int_equal(items[0].family, 2);
    assert_near(exp(items[0].log_p_adjusted), 2e-4);
    assert_near(exp(items[1].log_p_adjusted), 2e-4);
    assert_near(exp(items[3].log_p_adjusted), 2e-4);
    items[0].log_p = items[1].log_p = items[3].log_p = log(0.2); /* none is rejected */
    adjust(items, 4);
    assert_near(exp(items[0].log_level), 0.005);
    items[0].log_attainable = log(0.002);
    items[1].log_attainable = log(0.003); /* the largest of the three, now in the middle */
    items[3].log_attainable = log(0.001);
    adjust(items, 4);
    assert_near(exp(items[0].log_level), 0.007);
}

/* Among hypotheses on equal samples only the tested ones have a p value. The untested ones do not weaken it. */
TEST(untested_hypotheses_have_no_p_value) {
    struct gate_hypothesis items[] = {make(1, 1.0), make(1, 1e-5), make(1, 1.0)};
    items[0].is_tested = items[2].is_tested = false;
    adjust(items, 3);
    assert_near(exp(items[1].log_p_adjusted), 1e-5);
    assert_near(items[0].log_p_adjusted, 0.0);
    assert_near(items[2].log_p_adjusted, 0.0);
}

TEST(hypotheses_differ_by_samples_or_null_hypothesis) {
    static const struct gate_limit ratio = {.kind = GATE_LIMIT_INCREASE}, share = {.kind = GATE_LIMIT_SHARE};
    static const struct gate_limit absolute = {.kind = GATE_LIMIT_ABSOLUTE}, less = {.kind = GATE_LIMIT_DECREASE};
    static const struct {
        const struct gate_limit *limits[2];
        double values[2];
        uint32_t comparison;
        bool is_cost;
        uint64_t set_id;
        uint32_t family;
    } pairs[] = {
        {{&points, &points}, {0.05, 0.02}, 0, false, 9, 1}, /* both test growth > 0 */
        {{&points, &ratio}, {0.05, 2.0}, 0, false, 9, 1},    {{&share, &share}, {0.05, 0.05}, 0, false, 9, 1},
        {{&share, &share}, {0.05, 0.06}, 0, false, 9, 2},    {{&share, &points}, {0.05, 0.05}, 0, false, 9, 2},
        {{&share, &absolute}, {0.05, 0.05}, 0, false, 9, 2}, {{&less, &less}, {0.9, 0.9}, 0, false, 9, 1},
        {{&less, &less}, {0.9, 0.8}, 0, false, 9, 2},        {{&less, &ratio}, {0.9, 0.9}, 0, false, 9, 2},
        {{&points, &points}, {0.05, 0.05}, 1, false, 9, 2},  {{&points, &points}, {0.05, 0.05}, 0, true, 9, 2},
        {{&points, &points}, {0.05, 0.05}, 0, false, 8, 2},  {{&points, &points}, {0.05, 0.05}, 0, false, 0, 2}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct gate_hypothesis items[] = {make(9, 0.1), make(pairs[i].set_id, 0.1)};
        for (int k = 0; k < 2; k++) {
            items[k].limit = pairs[i].limits[k];
            items[k].limit_value = pairs[i].values[k];
        }
        items[1].comparison = pairs[i].comparison;
        items[1].is_cost = pairs[i].is_cost;
        adjust(items, 2);
        if (items[0].family != pairs[i].family)
            fail_msg("pair %zu: found %u, expected %u", i, (unsigned)items[0].family, (unsigned)pairs[i].family);
    }
}

/* A hypothesis that a limit does not look at has no p value, but could have had one. Its attainable p is in the sum. */
TEST(unseen_hypotheses_count_in_the_sum) {
    struct gate_hypothesis items[] = {make(1, 0.001), make(2, 0.9)};
    struct gate_hypothesis unseen[] = {make(3, 1e-9), make(4, 1e-9), make(2, 1e-9)};
    unseen[0].log_attainable = log(0.002);
    unseen[1].severity = GATE_SEVERITY_WARN;
    unseen[1].log_attainable = log(0.002);
    adjust_with(items, 2, unseen, 3);
    assert_int_equal(items[0].family, 3);
    assert_near(exp(items[0].log_p_adjusted), 0.003);
    assert_near(exp(items[0].log_level), 0.008); /* 0.01 - 0.002, the unseen one's attainable p */
}

TEST(a_full_arena_is_an_error) {
    struct gate_hypothesis items[40];
    for (uint64_t i = 0; i < 40; i++)
        items[i] = make(i + 1, 0.1);
    struct gate_hypothesis_list list = {.items = items, .count = 40};
    struct sweep s = {0};
    while (sweep_next(&s, 8))
        s.done = gate_families_adjust(&list, ALPHA, &one_look, &s.arena, &s.err);
    assert_true(s.refused > 3);
    assert_int_equal(items[0].family, 40);
}

/* At a look at half of the information p values are multiplied by 8. The level that a p value must reach is divided by
 * 8. */
TEST(an_early_look_corrects_sequential_values) {
    const double half = 0.5;
    struct gate_spending spending;
    struct gate_hypothesis items[] = {make(1, 0.0001), make(2, 0.4), make(3, 0.00002)};
    items[1].log_attainable = log(0.0001);
    struct gate_hypothesis_list list = {.items = items, .count = 3};
    assert_true(gate_spending_begin(&spending, &half, 1, &err));
    if (!gate_families_adjust(&list, ALPHA, &spending, &arena, &err))
        fail_msg("%s", err.message);
    /* Times 8: the p values 0.00016 and 0.0008, and the attainable p 0.0008 of the hypothesis that cannot be
     * rejected. */
    assert_near(exp(items[2].log_p_adjusted), 3 * 8 * 0.00002);
    assert_near(exp(items[0].log_p_adjusted), 2 * 8 * 0.0001);
    assert_near(exp(items[0].log_level), ALPHA / 8);
    /* However early the look is, exp of log_level is a normal number. */
    const double early = 0.001;
    assert_true(gate_spending_begin(&spending, &early, 1, &err));
    if (!gate_families_adjust(&list, 1e-300, &spending, &arena, &err))
        fail_msg("%s", err.message);
    assert_near(items[0].log_level, -690.0);
}

/* Paths have half of alpha for themselves, and take nothing from what is judged of functions. */
TEST(paths_are_a_family_of_their_own) {
    struct gate_hypothesis items[] = {make(1, 0.004), make(2, 0.004)};
    items[1].is_path = true;
    adjust(items, 2);
    assert_near(exp(items[0].log_p_adjusted), 0.004);
    assert_near(exp(items[1].log_p_adjusted), 0.008);
    assert_int_equal(items[0].family, 1);
    assert_int_equal(items[1].family, 1);
}
