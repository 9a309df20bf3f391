/* SPDX-License-Identifier: Apache-2.0 */
/* compare/evidence.h: growth that is detectable with 80% power is found in about 80% of simulated comparisons. */
#include "gate/compare/evidence.h"

#include "gate/base/hash.h"
#include "gate/compare/student.h"
#include "tests/unit/unit.h"

#include <math.h>

enum { DRAWS = 20000 };

static double normal(uint64_t *random) {
    double u = ((double)(gate_hash_mix(++*random) >> 11) + 0.5) / 9007199254740992.0;
    return gate_normal_z(u);
}

static double drawn(double n, double p, double phi, uint64_t *random) {
    return fmin(n, fmax(0.0, n * p + sqrt(phi * n * p * (1 - p)) * normal(random)));
}

/* Return a simulated measurement of `phi`: phi times a chi-square variable with `df` degrees of freedom, over `df`. */
static double measured(double phi, double df, uint64_t *random) {
    double sum = 0.0;
    if (isinf(df))
        return phi;
    for (int i = 0; i < (int)df; i++) {
        double z = normal(random);
        sum += z * z;
    }
    return phi * sum / df;
}

TEST(detectable_growth_is_found_in_four_of_five_runs) {
    static const struct {
        double p, n1, n2, phi, df, b, level, margin;
    } rows[] = {{0.1, 800, 800, 1, INFINITY, 0.05, 1e-4, 0.05},   {0.1, 800, 800, 1, INFINITY, 0.01, 1e-4, 0.05},
                {0.04, 2000, 700, 1, INFINITY, 0.02, 1e-3, 0.05}, {0.1, 3000, 3000, 3, INFINITY, 0.05, 1e-4, 0.05},
                {0.2, 2000, 2000, 2, 8, 0.05, 1e-3, 0.05},        {0.2, 2000, 2000, 2, 24, 0.01, 1e-4, 0.05},
                {0.2, 2000, 2000, 2, 4, 0.10, 1e-2, 0.05},        {0.1, 5000, 5000, 1, INFINITY, 0.02, 1e-4, 1e-4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_evidence e = {.dilution = 1, .phi = rows[i].phi, .df = rows[i].df};
        e.counts = (struct gate_counts2){rows[i].n1 * rows[i].p, rows[i].n1, rows[i].n2 * rows[i].p, rows[i].n2};
        e.sample_n[GATE_BASELINE] = rows[i].n1;
        e.sample_n[GATE_CANARY] = rows[i].n2;
        double growth = gate_detectable_growth(&e, rows[i].b, rows[i].level, rows[i].margin);
        uint64_t random = i * DRAWS * 64;
        int found = 0;
        for (int d = 0; d < DRAWS; d++) {
            double log_p = 0.0, log_margin = 0.0;
            e.counts.k1 = drawn(rows[i].n1, rows[i].p, rows[i].phi, &random);
            e.counts.k2 = drawn(rows[i].n2, rows[i].p + growth, rows[i].phi, &random);
            e.phi = measured(rows[i].phi, rows[i].df, &random);
            (void)gate_evidence_increase(&e, 0.0, &log_p);
            (void)gate_evidence_increase(&e, rows[i].b, &log_margin);
            found += log_p <= log(rows[i].level) && log_margin <= log(rows[i].margin);
        }
        double part = (double)found / DRAWS;
        if (part < 0.77 || part > 0.83)
            fail_msg("row %zu: +%g is found in %g", i, growth, part);
    }
}
