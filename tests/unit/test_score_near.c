/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds from a guess against those that are bracketed. */
#include "gate/compare/evidence.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What is to be rounded is found from a guess: the same bounds, of ordinary counts and of the oddest. */
static void near_bounds_are_the_bounds(void **state) {
    (void)state;
    static const double n[] = {1e-3, 0.7, 3, 40, 1e3, 2.5e5, 4e7, 1e9};
    static const double p[] = {0.0, 1e-9, 1e-3, 0.02, 0.4, 0.5, 0.999, 1.0};
    static const double z[] = {1.959963984540054, 2.2, 4.3, 12.7, 60.0};
    enum { N = sizeof n / sizeof *n, P = sizeof p / sizeof *p, Z = sizeof z / sizeof *z };
    for (int at = 0; at < N * N * P * P * Z * 2; at++) {
        double n1 = n[at % N], n2 = n[at / N % N], p1 = p[at / N / N % P], p2 = p[at / N / N / P % P];
        double critical = z[at / N / N / P / P % Z] * (at / N / N / P / P / Z == 0 ? 1 : -1);
        const struct gate_counts2 counts = {n1 * p1, n1, n2 * p2, n2};
        double exact = gate_score_bound(counts, critical),
               near = gate_score_near(counts, critical, GATE_SCORE_NEAR_ROUNDED);
        if (!(fabs(exact - near) <= 1e-11))
            fail_msg("%g of %g, %g of %g at %g: %.17g, but %.17g", counts.k1, n1, counts.k2, n2, critical, exact, near);
    }
}

/* Where all digits are asked for, the test is what it was asked to be, as far as a double can say. */
static void whole_bounds_meet_the_test(void **state) {
    (void)state;
    static const double n[] = {100, 900, 3e4, 7e4};
    for (int at = 0; at < 4 * 4 * 50 * 50; at++) {
        double n1 = n[at % 4], n2 = n[at / 4 % 4], p1 = pow(0.8, 1 + at / 16 % 50), p2 = pow(0.83, 1 + at / 800);
        const struct gate_counts2 counts = {n1 * p1, n1, n2 * p2, n2};
        double bound = gate_score_near(counts, 1.959963984540054, GATE_SCORE_NEAR_WHOLE);
        double width = fabs(p2 - p1 - bound), miss = fabs(gate_score_z(counts, bound) - 1.959963984540054);
        if (miss > 1e-11 + 4e-16 / width)
            fail_msg("%g of %g, %g of %g: %.17g misses by %g", counts.k1, n1, counts.k2, n2, bound, miss);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_bounds_are_the_bounds),
        cmocka_unit_test(whole_bounds_meet_the_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
