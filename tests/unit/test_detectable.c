/* SPDX-License-Identifier: Apache-2.0 */
/* compare/evidence.h: the single test whether a growth is detectable agrees with the detectable growth found by
 * solving. The values are tested in test_evidence_power.c and test_stats.c. */
#include "gate/base/hash.h"
#include "gate/compare/evidence.h"
#include "tests/unit/unit.h"

#include <math.h>

enum { TRIES = 2000 };

static double any(uint64_t seed, uint64_t what) {
    return (double)(gate_hash_mix(seed << 8 | what) >> 11) * 0x1p-53;
}

static struct gate_evidence evidence_of(uint64_t seed) {
    double n1 = exp(4.0 + 8.0 * any(seed, 0)), n2 = exp(4.0 + 8.0 * any(seed, 1)), p = pow(any(seed, 2), 4.0);
    return (struct gate_evidence){.counts = {p * n1, n1, fmin(1.0, p * (0.5 + any(seed, 3))) * n2, n2},
                                  .sample_n = {n1, n2},
                                  .phi = 1.0 + any(seed, 4),
                                  .df = seed % 2 == 0 ? INFINITY : 2.0 + 20.0 * any(seed, 5),
                                  .dilution = seed % 5 == 0 ? 1e4 : 1.0};
}

TEST(the_single_test_agrees_with_the_solved_growth) {
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        struct gate_evidence evidence = evidence_of(seed);
        double b = (any(seed, 6) - 0.3) * 0.1 * evidence.dilution, level = exp(-12.0 * any(seed, 7) - 1.0);
        double growth = gate_detectable_growth(&evidence, b, level, 0.05);
        assert_true(isfinite(growth));
        double off = 1e-6 * fabs(growth) + 1e-9 * evidence.dilution;
        if (!gate_detectable_is_within(&evidence, b, level, 0.05, growth + off) ||
            gate_detectable_is_within(&evidence, b, level, 0.05, growth - off))
            fail_msg("seed %llu: not about %.17g", (unsigned long long)seed, growth);
    }
}

TEST(growth_without_event_counts_is_never_detectable) {
    struct gate_evidence evidence = evidence_of(1);
    evidence.sample_n[GATE_CANARY] = 0.0;
    assert_true(isinf(gate_detectable_growth(&evidence, 0.01, 0.01, 0.05)));
    assert_false(gate_detectable_is_within(&evidence, 0.01, 0.01, 0.05, 1.0));
}
