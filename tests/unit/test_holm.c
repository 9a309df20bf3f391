/* SPDX-License-Identifier: Apache-2.0 */
/* compare/holm.h against slow implementations of the definitions. */
#include "gate/compare/holm.h"

#include "gate/base/table.h"
#include "tests/unit/near.h"

enum { FAMILY = 40 };

static double uniform(uint64_t *seed) {
    return (double)(gate_hash_mix(++*seed) >> 11) * 0x1p-53;
}

TEST(holm_and_benjamini_hochberg_match_known_values) {
    const double p[] = {0.01, 0.04, 0.03, 0.005, 0.5};
    const double holm[] = {0.04, 0.09, 0.09, 0.025, 0.5};
    const double bh[] = {0.025, 0.05, 0.05, 0.025, 0.5};
    const double always[5] = {0};
    double log_p[5], adjusted[5];
    struct gate_ranked scratch[10];
    for (int i = 0; i < 5; i++)
        log_p[i] = log(p[i]);
    gate_holm_adjust(log_p, always, adjusted, scratch, 5);
    for (int i = 0; i < 5; i++)
        assert_near(exp(adjusted[i]), holm[i], 1e-12);
    gate_holm_bh_adjust(log_p, adjusted, scratch, 5, 5);
    for (int i = 0; i < 5; i++)
        assert_near(exp(adjusted[i]), bh[i], 1e-12);
    gate_holm_adjust(log_p, always, adjusted, scratch, 0);
    assert_near(exp(gate_holm_level(always, scratch, 5, 0.01)), 0.002, 1e-15);
    assert_near(exp(gate_holm_level(always, scratch, 0, 0.01)), 0.01, 1e-15);
}

/* By definition: the sum of the chances to reject at `log_level` the hypotheses that are still left. Left are those
 * with log_p >= `at_least` and those that cannot be rejected at their p. */
static double sum_of_chances(const double *log_p, const double *attainable, double log_level, double at_least) {
    double sum = 0.0;
    for (int i = 0; i < FAMILY; i++)
        if (log_p[i] >= at_least || attainable[i] < log_p[i])
            sum += exp(fmin(log_level, attainable[i]));
    return sum;
}

static void assert_defined(const double *log_p, const double *attainable, const double *adjusted) {
    for (int i = 0; i < FAMILY; i++) {
        double expected = 0.0;
        for (int j = 0; j < FAMILY; j++)
            if (log_p[j] <= log_p[i])
                expected = fmax(expected, fmax(exp(log_p[j]), sum_of_chances(log_p, attainable, log_p[j], log_p[j])));
        assert_near(exp(adjusted[i]), fmin(expected, 1.0), 1e-12);
    }
}

TEST(adjusted_p_is_the_sum_of_attainable_chances) {
    double log_p[FAMILY], attainable[FAMILY], adjusted[FAMILY];
    struct gate_ranked scratch[2 * FAMILY];
    uint64_t seed = 5;
    for (int round = 0; round < 500; round++) {
        for (int i = 0; i < FAMILY; i++) {
            log_p[i] = -20 * uniform(&seed) * uniform(&seed);
            attainable[i] = uniform(&seed) < 0.2 ? 0.0 : -25 * uniform(&seed);
            if (uniform(&seed) < 0.2) /* the largest p that can be rejected */
                attainable[i] = log_p[i];
        }
        gate_holm_adjust(log_p, attainable, adjusted, scratch, FAMILY);
        assert_defined(log_p, attainable, adjusted);
        double alpha = 0.001 + 0.2 * uniform(&seed), level = gate_holm_level(attainable, scratch, FAMILY, alpha);
        assert_true(level <= log(alpha));
        assert_near(sum_of_chances(log_p, attainable, level, -INFINITY), alpha, 1e-12);
    }
}

/* Hypotheses with equal p get equal adjusted p values, whatever their order. */
TEST(equal_values_are_treated_alike) {
    double log_p[FAMILY], attainable[FAMILY], adjusted[FAMILY];
    struct gate_ranked scratch[2 * FAMILY];
    for (int i = 0; i < FAMILY; i++) {
        log_p[i] = i % 4 == 0 ? -9.0 : -5.0;
        attainable[i] = 0.0;
    }
    gate_holm_adjust(log_p, attainable, adjusted, scratch, FAMILY);
    for (int i = 0; i < FAMILY; i++)
        assert_near(exp(adjusted[i]), i % 4 == 0 ? FAMILY * exp(-9.0) : 30 * exp(-5.0), 1e-12);
}

/* Far in the tail exp(log_p) is 0. The sum of chances is then p times the number of hypotheses that are left. */
TEST(p_values_far_in_the_tail_count_the_remaining_hypotheses) {
    double log_p[FAMILY], attainable[FAMILY], adjusted[FAMILY];
    struct gate_ranked scratch[2 * FAMILY];
    for (int i = 0; i < FAMILY; i++) {
        log_p[i] = -900.0 - i;
        attainable[i] = i % 2 == 0 ? -905.0 : -30.0;
    }
    gate_holm_adjust(log_p, attainable, adjusted, scratch, FAMILY);
    assert_near(adjusted[FAMILY - 1], log_p[FAMILY - 1] + log(FAMILY), 1e-9);
    /* At log p = -904 hypotheses 0 to 4 are left. The others have smaller p values and were rejected. */
    assert_near(adjusted[4], -904.0 + log(5.0), 1e-9);
    /* At log p = -900 hypotheses 1 and 3 were rejected too. 0, 2 and 4 are left, because their p exceeds the attainable
     * p. */
    assert_near(adjusted[0], -900.0 + log(3.0), 1e-9);
    assert_near(exp(gate_holm_level(attainable, scratch, FAMILY, 0.01)), 0.01, 1e-12);
    /* If each p equals its attainable p, all are rejected in turn, and i + 1 hypotheses are left at hypothesis i. */
    for (int i = 0; i < FAMILY; i++)
        log_p[i] = attainable[i] = -900.0 - i;
    gate_holm_adjust(log_p, attainable, adjusted, scratch, FAMILY);
    for (int i = 0; i < FAMILY; i++)
        assert_near(adjusted[i], log_p[i] + log(i + 1.0), 1e-9);
}

TEST(levels_stay_under_alpha) {
    struct gate_ranked scratch[4];
    const double one[] = {log(0.004)}, two[] = {log(0.002), log(0.006)};
    assert_near(exp(gate_holm_level(one, scratch, 1, 0.01)), 0.01, 1e-15);
    assert_near(exp(gate_holm_level(two, scratch, 2, 0.01)), 0.01, 1e-15);
    assert_near(exp(gate_holm_level(two, scratch, 2, 0.003)), 0.0015, 1e-15);
    assert_near(exp(gate_holm_level(two, scratch, 2, 0.005)), 0.003, 1e-15);
}

/* Benjamini-Hochberg by its definition: the smallest FAMILY * p / rank among all p values that are at least as
 * large. */
TEST(bh_adjusted_p_is_the_minimum_over_larger_p_values) {
    double log_p[FAMILY], adjusted[FAMILY];
    struct gate_ranked scratch[FAMILY];
    uint64_t seed = 9;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < FAMILY; i++)
            log_p[i] = log(uniform(&seed));
        gate_holm_bh_adjust(log_p, adjusted, scratch, FAMILY, FAMILY);
        for (int i = 0; i < FAMILY; i++) {
            double expected = 1.0;
            for (int j = 0; j < FAMILY; j++) {
                int rank = 0;
                for (int k = 0; k < FAMILY; k++)
                    rank += log_p[k] <= log_p[j];
                if (log_p[j] >= log_p[i])
                    expected = fmin(expected, exp(log_p[j]) * FAMILY / rank);
            }
            assert_near(exp(adjusted[i]), expected, 1e-12);
        }
    }
}

/* The p values up to the level are enough to find which adjusted p values are at most the level. */
TEST(p_values_up_to_the_level_are_enough_for_bh) {
    double log_p[FAMILY], adjusted[FAMILY], first[FAMILY], some[FAMILY];
    struct gate_ranked scratch[FAMILY];
    uint64_t seed = 11;
    int found = 0;
    for (int round = 0; round < 200; round++) {
        const double level = log(0.2);
        uint32_t count = 0;
        for (int i = 0; i < FAMILY; i++) {
            log_p[i] = log(uniform(&seed) * uniform(&seed));
            if (log_p[i] <= level)
                first[count++] = log_p[i];
        }
        gate_holm_bh_adjust(log_p, adjusted, scratch, FAMILY, FAMILY);
        gate_holm_bh_adjust(first, some, scratch, count, FAMILY);
        for (int i = 0, at = 0; i < FAMILY; i++) {
            bool is_first = log_p[i] <= level;
            assert_int_equal(adjusted[i] <= level, is_first && some[at] <= level);
            if (adjusted[i] <= level)
                assert_near(adjusted[i], some[at], 0.0);
            found += adjusted[i] <= level;
            at += is_first;
        }
    }
    assert_true(found > 0);
}
