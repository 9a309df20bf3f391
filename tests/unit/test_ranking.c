/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in order: as qsort has them, equal ones by index, and nothing taken past an arena's limit. */
#include "gate/base/ranking.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MANY = 3000 };

static void check(const double *values, uint32_t count) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    uint32_t order[MANY + 1];
    bool seen[MANY + 1] = {false};
    assert_true(gate_ranking_largest_first(order, values, count, &arena, &err));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(order[i] < count && !seen[order[i]]);
        seen[order[i]] = true;
        if (i == 0)
            continue;
        double before = values[order[i - 1]], now = values[order[i]];
        assert_true(before > now || (before == now && order[i - 1] < order[i]));
    }
    gate_arena_free(&arena);
}

static void test_edges(void **state) {
    (void)state;
    const double values[] = {0.0,     -0.0, INFINITY, DBL_MIN, 5e-324, 1.0, 1.0 + DBL_EPSILON,
                             DBL_MAX, -0.0, 0.0,      1.0,     256.0};
    check(values, sizeof values / sizeof *values);
    check(values, 1);
    check(values, 0);
}

static void test_many(void **state) {
    (void)state;
    double values[MANY];
    uint64_t seed = 1;
    for (uint32_t i = 0; i < MANY; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double number = (double)(seed >> 40) / 1024.0;
        values[i] = i % 3 == 0 ? floor(number / 1000.0) : ldexp(number, (int)(seed >> 33 & 63) - 32); /* many ties */
    }
    check(values, MANY);
}

static void test_limits(void **state) {
    (void)state;
    const double values[] = {1.0, 3.0, 2.0};
    for (size_t limit = 0;; limit += 64) {
        struct gate_arena arena;
        struct gate_error err = {0};
        uint32_t order[3];
        gate_arena_init(&arena, limit);
        bool ok = gate_ranking_largest_first(order, values, 3, &arena, &err);
        gate_arena_free(&arena);
        if (ok)
            break;
        assert_int_equal(err.code, GATE_ERR_LIMIT);
        assert_true(limit < 100000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
