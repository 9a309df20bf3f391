/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/detectable.h"

#include "gate/compare/student.h"

#include <math.h>

/* The test of growth > b at some level, of which growth has to be found with 80% power. */
struct test {
    struct gate_counts2 counts;
    double b, z, deviations;
};

/* With few degrees of freedom the estimated variance is uncertain too; this uses Johnson & Welch's approximation of the
 * non-central t. */
static struct test test_of(const struct gate_evidence *evidence, double b, double level) {
    const double z_power = 0.8416212335729143;
    /* Dividing the counts by phi multiplies every standard error by sqrt(phi). */
    struct gate_counts2 c = evidence->counts;
    c = (struct gate_counts2){c.k1 / evidence->phi, c.n1 / evidence->phi, c.k2 / evidence->phi, c.n2 / evidence->phi};
    double t = gate_student_t(level, evidence->df);
    return (struct test){c, b / evidence->dilution, t * (1.0 - 0.25 / evidence->df),
                         z_power * sqrt(1.0 + t * t / (2.0 * evidence->df))};
}

static double detectable_at(const struct gate_evidence *evidence, double b, double level) {
    struct test test = test_of(evidence, b, level);
    return gate_detectable_effect(test.counts, test.b, test.z, test.deviations);
}

/* Return whether growth of that size would be detected. Evaluates the test at most once. */
static bool is_detectable(const struct gate_evidence *evidence, double b, double level, double growth) {
    struct test test = test_of(evidence, b, level);
    double effect = growth / evidence->dilution, p1 = test.counts.k1 / test.counts.n1;
    if (effect >= 1.0 - p1 || effect <= fmax(test.b, -p1))
        return effect >= 1.0 - p1;
    return gate_detectable_z(test.counts, test.b, test.deviations, effect) >= test.z;
}

double gate_detectable_growth(const struct gate_evidence *evidence, double b, double level, double level_margin) {
    if (!gate_evidence_is_counted(evidence))
        return INFINITY;
    /* Growth must pass both tests. They are strongly dependent, so the larger requirement decides. */
    double growth = detectable_at(evidence, b < 0.0 ? b : 0.0, level);
    return evidence->dilution * fmax(growth, detectable_at(evidence, b, level_margin));
}

bool gate_detectable_is_within(const struct gate_evidence *evidence, double b, double level, double level_margin,
                               double growth) {
    return gate_evidence_is_counted(evidence) && is_detectable(evidence, b < 0.0 ? b : 0.0, level, growth) &&
           is_detectable(evidence, b, level_margin, growth);
}
