/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h: what is said to be sure, the test says too; and of most that is far from a limit it is. */
#include "gate/base/hash.h"
#include "gate/budget/decide.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <math.h>

enum { TRIES = 200000 };

static double any(uint64_t seed, uint64_t what) {
    return (double)(gate_hash_mix(seed << 8 | what) >> 11) * 0x1p-53;
}

/* From a handful of samples to a million; shares from none to most, one in eight of them none. */
static struct gate_counts2 counts_of(uint64_t seed) {
    double n1 = exp(1.0 + 13.0 * any(seed, 0)), n2 = n1 * exp(4.0 * any(seed, 1) - 2.0);
    double p1 = seed % 8 == 0 ? 0.0 : pow(any(seed, 2), 6.0), p2 = seed % 8 == 1 ? 0.0 : pow(any(seed, 3), 6.0);
    return (struct gate_counts2){p1 * n1, n1, p2 * n2, n2};
}

static void what_is_sure_is_so(void **state) {
    (void)state;
    uint32_t below = 0, surely = 0;
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        struct gate_counts2 c = counts_of(seed);
        double b = seed % 3 == 0 ? 0.0 : pow(any(seed, 4), 4.0) * 0.9, wanted = 0.5 + 4.5 * any(seed, 5);
        double z = gate_score_z(c, b);
        bool is_below = gate_score_bounds_below(&c, b, wanted);
        if (is_below && !(z <= -wanted))
            fail_msg("%g of %g, %g of %g, growth > %g: z is %.12g, not below -%.12g", c.k1, c.n1, c.k2, c.n2, b, z,
                     wanted);
        below += z <= -wanted;
        surely += is_below;
    }
    assert_true(below > TRIES / 10 && surely > below / 4);
}

/* Small functions and a limit of some points, which are most of what a check asks. */
static void small_functions_need_no_test(void **state) {
    (void)state;
    const struct gate_counts2 rare = {0.5, 500.0, 1.0, 500.0}, none = {0.0, 500.0, 0.5, 500.0};
    assert_true(gate_score_bounds_below(&rare, 0.02, 1.6449) && gate_score_bounds_below(&none, 0.02, 1.6449));
    const struct gate_counts2 large = {300.0, 500.0, 305.0, 500.0}; /* above a half */
    assert_false(gate_score_bounds_below(&large, 0.2, 1.6449));
    assert_false(gate_score_bounds_below(&rare, 0.02, 0.9));
    assert_false(gate_score_bounds_below(&rare, -0.02, 1.6449));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_sure_is_so),
                                       cmocka_unit_test(small_functions_need_no_test)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
