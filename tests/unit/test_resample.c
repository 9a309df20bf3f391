/* SPDX-License-Identifier: Apache-2.0 */
/* model/stacks.h: drawn counts are Poisson, equal for equal seeds, and do not fall if the expectation rises. */
#include "gate/model/stacks.h"
#include "tests/unit/unit.h"

#include <math.h>

enum { DRAWS = 20000 };

TEST(a_uniform_number_is_between_0_and_1) {
    double sum = 0.0, square = 0.0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double u = gate_resample_uniform(7, i), z = gate_resample_normal(7, i);
        assert_true(u > 0.0 && u < 1.0);
        sum += z;
        square += z * z;
    }
    assert_true(fabs(sum / DRAWS) < 0.03);
    assert_true(fabs(square / DRAWS - 1.0) < 0.05);
}

/* Mean and variance equal the expectation, below and above 30, where a normal approximation takes over. */
TEST(drawn_counts_have_poisson_mean_and_variance) {
    static const double means[] = {0.3, 4.0, 29.0, 31.0, 400.0};
    for (size_t m = 0; m < sizeof means / sizeof *means; m++) {
        const float factor = 0.5F;
        double sum = 0.0, square = 0.0;
        for (uint64_t i = 0; i < DRAWS; i++) {
            const struct gate_resample resample = {&factor, 1, i};
            double k = gate_resample_events(&resample, 0, 2.0 * means[m]);
            assert_true(k >= 0.0 && k == floor(k));
            sum += k;
            square += k * k;
        }
        double mean = sum / DRAWS, variance = square / DRAWS - mean * mean;
        if (fabs(mean / means[m] - 1.0) > 0.04 || fabs(variance / means[m] - 1.0) > 0.06)
            fail_msg("expected %g: mean %g, variance %g", means[m], mean, variance);
    }
}

TEST(a_larger_factor_draws_no_fewer) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        double before = 0.0;
        for (int step = 1; step < 20; step++) {
            const float factor = (float)step;
            const struct gate_resample resample = {&factor, 1, seed};
            double k = gate_resample_events(&resample, 0, 1.4); /* expectations up to 26.6 */
            assert_true(k >= before);
            before = k;
        }
    }
}

TEST(absent_records_have_an_expectation_of_zero) {
    const float factors[] = {0.0F, 1.0F};
    const struct gate_resample resample = {factors, 2, 1};
    assert_true(gate_resample_events(&resample, 0, 100.0) == 0.0);
    assert_true(gate_resample_events(&resample, 2, 100.0) == 0.0); /* index past the end of `factors` */
    int64_t value = 500;
    double events = 100.0, weight_sq = 2500.0;
    assert_false(gate_resample_record(&value, &events, &weight_sq, &resample, 0));
    events = 0.0;
    assert_false(gate_resample_record(&value, &events, &weight_sq, &resample, 1));
}

/* Value and squared weight follow the drawn count, so that each event keeps its weight. */
TEST(a_record_keeps_the_weight_of_its_events) {
    const float factor = 3.0F;
    const struct gate_resample resample = {&factor, 1, 5};
    int64_t value = 500, again = 500;
    double events = 100.0, weight_sq = 2500.0, events2 = 100.0, weight2 = 2500.0;
    assert_true(gate_resample_record(&value, &events, &weight_sq, &resample, 0));
    assert_true(value == 5 * (int64_t)events && fabs(weight_sq - 25.0 * events) < 1e-9);
    assert_true(events > 200.0 && events < 400.0);
    assert_true(gate_resample_record(&again, &events2, &weight2, &resample, 0));
    assert_true(again == value && events2 == events && weight2 == weight_sq);
    value = INT64_MAX; /* a value above INT64_MAX is left out, it does not wrap around */
    events = 1.0;
    assert_false(gate_resample_record(&value, &events, &weight_sq, &resample, 0) && value < 0);
}
