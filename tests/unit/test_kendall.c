/* SPDX-License-Identifier: Apache-2.0 */
/* Kendall's S in budget/trend.h: exact p values against a count of all orders of a few values, and against the
 * normal approximation. */
#include "gate/budget/trend.h"
#include "sweep.h"
#include "tests/unit/unit.h"

#include <math.h>

static struct gate_kendall kendall_of(const double *values, uint32_t count, uint32_t split) {
    struct gate_kendall kendall;
    assert_true(gate_kendall_begin(&kendall, &arena, &err));
    assert_true(split == 0 || gate_kendall_add(&kendall, values, split, &arena, &err));
    assert_true(gate_kendall_add(&kendall, values + split, count - split, &arena, &err));
    return kendall;
}

static double s_of(const double *values, uint32_t count, uint32_t split) {
    double s = 0.0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i < split ? 0 : split; j < i; j++)
            s += (values[i] > values[j]) - (values[i] < values[j]);
    return s;
}

/* Counts over all orders of the values of each segment: how many there are, and how many have an S of at least `s`. */
struct counted {
    double s;
    double orders, reached;
};

static void permute(double *values, uint32_t from, uint32_t to, uint32_t end, uint32_t split, uint32_t count,
                    struct counted *out) {
    if (to == end) {
        if (end < count) {
            permute(values, end, end, count, split, count, out);
            return;
        }
        out->orders++;
        out->reached += s_of(values, count, split) >= out->s - 0.5;
        return;
    }
    for (uint32_t i = to; i < end; i++) {
        double kept = values[to];
        values[to] = values[i];
        values[i] = kept;
        permute(values, from, to + 1, end, split, count, out);
        kept = values[to];
        values[to] = values[i];
        values[i] = kept;
    }
}

static void assert_counted(const double *given, uint32_t count, uint32_t split) {
    double values[8];
    struct gate_kendall kendall = kendall_of(given, count, split);
    struct counted counted = {.s = s_of(given, count, split)};
    for (uint32_t i = 0; i < count; i++)
        values[i] = given[i];
    permute(values, 0, 0, split > 0 ? split : count, split, count, &counted);
    assert_true(kendall.is_exact);
    assert_float_equal(kendall.s, counted.s, 0);
    assert_float_equal(gate_kendall_log_p(&kendall, kendall.s, 1.0), log(counted.reached / counted.orders), 1e-12);
}

TEST(exact_p_values_equal_a_count_of_all_orders) {
    const double rising[] = {1, 2, 3, 4, 5, 6, 7}, mixed[] = {3, 1, 4, 1, 5, 9, 2}, tied[] = {2, 2, 2, 5, 2, 2, 7};
    const double falling[] = {7, 6, 5, 4, 3, 2, 1}, same[] = {4, 4, 4, 4, 4, 4, 4};
    const double *const all[] = {rising, mixed, tied, falling, same};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint32_t split = 0; split < 7; split++)
            assert_counted(all[i], 7, split);
}

/* The chances add up to 1, and their variance equals the formula, with and without ties. */
TEST(chances_add_up_to_one_and_have_the_variance_of_the_formula) {
    double values[30];
    for (uint32_t ties = 1; ties <= 30; ties += 7) {
        double sum = 0.0, square = 0.0;
        for (uint32_t i = 0; i < 30; i++)
            values[i] = i < ties ? 0.0 : i;
        struct gate_kendall kendall = kendall_of(values, 30, 0);
        for (uint32_t i = 0; i < kendall.chance_count; i++) {
            double s = kendall.most - 2.0 * i;
            sum += kendall.chances[i];
            square += s * s * kendall.chances[i];
        }
        assert_float_equal(sum, 1.0, 1e-12);
        assert_float_equal(square, kendall.variance, 1e-9 * fmax(1.0, kendall.variance));
    }
}

TEST(beyond_30_values_the_normal_approximation_replaces_exact_counts) {
    double values[31];
    for (uint32_t i = 0; i < 31; i++)
        values[i] = i % 4 + i / 10.0;
    struct gate_kendall near = kendall_of(values, 30, 0), far = kendall_of(values, 31, 0);
    assert_true(near.is_exact);
    assert_false(far.is_exact);
    for (double s = 21; s < 200; s += 20) {
        double one = gate_kendall_log_p(&near, s, 1.0);
        near.is_exact = false;
        assert_true(fabs(gate_kendall_log_p(&near, s, 1.0) - one) < 0.12 * fabs(one));
        near.is_exact = true;
    }
}

TEST(a_larger_inflation_never_lowers_the_p_value) {
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct gate_kendall kendall = kendall_of(values, 8, 0);
    for (double s = -28; s <= 28; s += 2) {
        double before = gate_kendall_log_p(&kendall, s, 1.0);
        for (double factor = 1.5; factor < 8; factor *= 2) {
            double now = gate_kendall_log_p(&kendall, s, factor);
            assert_true(now >= before - 1e-12 || s <= 1);
            before = now;
        }
    }
}

TEST(critical_values_match_the_table_of_kendall) {
    const double values[] = {1, 2, 3, 4, 5};
    struct gate_kendall kendall = kendall_of(values, 5, 0);
    /* Kendall's table for n = 5: .042 at 8, .008 at 10. */
    assert_float_equal(gate_kendall_critical(&kendall, 0.05, 1.0), 8, 0);
    assert_float_equal(gate_kendall_critical(&kendall, 0.01, 1.0), 10, 0);
    assert_true(isinf(gate_kendall_critical(&kendall, 0.001, 1.0)));
}

TEST(every_memory_limit_that_is_too_small_is_a_clean_error) {
    const double values[] = {1, 2, 2, 4, 5, 3};
    struct gate_kendall kendall;
    for (struct sweep s = {0}; sweep_next(&s, 8);)
        s.done =
            gate_kendall_begin(&kendall, &s.arena, &s.err) && gate_kendall_add(&kendall, values, 6, &s.arena, &s.err);
}
