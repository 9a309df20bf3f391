/* SPDX-License-Identifier: Apache-2.0 */
/* budget/decide.h: gate_within_* test a limit without computing the upper bound. The result must be the same as that of
 * comparing the bound with the limit. */
#include "gate/base/hash.h"
#include "gate/budget/decide.h"
#include "tests/unit/unit.h"

// clang-format off
// clang-format on

#include <math.h>

TEST(within_limit_agrees_with_the_upper_bound) {
    uint64_t random = 1;
    uint32_t within = 0, beyond = 0;
    for (int round = 0; round < 8000; round++) {
        double u[6];
        for (int i = 0; i < 6; i++)
            u[i] = (double)(gate_hash_mix(++random) >> 11) * 0x1p-53;
        struct gate_evidence e = {.dilution = 1.0, .phi = 1.0 + 3.0 * u[0], .df = u[1] < 0.3 ? INFINITY : 40.0 * u[1]};
        e.phi = round % 3 == 0 ? 1.0 : e.phi;
        const double levels[] = {0.05, 0.05, 0.3, 0.01, 0.002, 1e-6, 1e-8}, level = levels[round % 7];
        e.counts.n1 = e.sample_n[GATE_BASELINE] = 20.0 + 5000.0 * u[2];
        e.counts.n2 = e.sample_n[GATE_CANARY] = 20.0 + 5000.0 * u[3];
        e.counts.k1 = u[4] < 0.05 ? 0.0 : e.counts.n1 * u[4] * u[4] * u[4];
        e.counts.k2 = u[5] < 0.05 ? 0.0 : u[5] > 0.98 ? e.counts.n2 : e.counts.n2 * u[5] * u[5] * u[5];
        const double limits[] = {-0.5, 0.0, 0.001, 0.02, 0.3, 0.9, 1.0, 1.5, 3.0};
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            bool is_within = gate_evidence_upper(&e, level) <= limits[i];
            assert_int_equal(gate_within_growth(&e, limits[i], level), is_within);
            assert_int_equal(gate_within_ratio(&e, limits[i], level),
                             gate_evidence_ratio_upper(&e, level) <= limits[i]);
            assert_int_equal(gate_within_share(&e, limits[i], level),
                             gate_evidence_share_upper(&e, level) <= limits[i]);
            within += is_within;
            beyond += !is_within;
        }
    }
    assert_true(within > 1000 && beyond > 1000);
}
