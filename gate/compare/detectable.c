/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest growth that a comparison can detect with 80% power. */
#include "gate/compare/detectable.h"

#include "gate/compare/evidence.h"
#include "gate/compare/student.h"

#include <math.h>

/* The arguments of gate_detectable_effect for one test of growth > b. */
struct detecting {
    struct gate_counts2 counts;
    double b, z, deviations;
};

/* Prepare the test at `level` with 80% power. With few degrees of freedom the estimated variance is uncertain too; this
 * uses Johnson & Welch's approximation of the non-central t. */
static struct detecting detecting_of(const struct gate_evidence *evidence, double b, double level) {
    const double z_power = 0.8416212335729143;
    /* Dividing the counts by phi multiplies every standard error by sqrt(phi). */
    struct gate_counts2 c = evidence->counts;
    c = (struct gate_counts2){c.k1 / evidence->phi, c.n1 / evidence->phi, c.k2 / evidence->phi, c.n2 / evidence->phi};
    double t = gate_student_t(level, evidence->df);
    return (struct detecting){c, b / evidence->dilution, t * (1.0 - 0.25 / evidence->df),
                              z_power * sqrt(1.0 + t * t / (2.0 * evidence->df))};
}

static double growth_of(const struct gate_evidence *evidence, double b, double level) {
    struct detecting d = detecting_of(evidence, b, level);
    return gate_detectable_effect(d.counts, d.b, d.z, d.deviations);
}

/* Return whether growth of that size would be detected. At most one test. */
static bool is_within(const struct gate_evidence *evidence, double b, double level, double growth) {
    struct detecting d = detecting_of(evidence, b, level);
    double effect = growth / evidence->dilution, p1 = d.counts.k1 / d.counts.n1;
    if (effect >= 1.0 - p1 || effect <= fmax(d.b, -p1))
        return effect >= 1.0 - p1;
    return gate_score_z(gate_detectable_missed(d.counts, effect, d.deviations), d.b) >= d.z;
}

double gate_detectable_growth(const struct gate_evidence *evidence, double b, double level, double level_margin) {
    if (!gate_evidence_is_counted(evidence))
        return INFINITY;
    /* Growth must pass both tests. They are strongly dependent, so the larger requirement decides. */
    double growth = growth_of(evidence, b < 0.0 ? b : 0.0, level);
    return evidence->dilution * fmax(growth, growth_of(evidence, b, level_margin));
}

bool gate_detectable_is_within(const struct gate_evidence *evidence, double b, double level, double level_margin,
                               double growth) {
    return gate_evidence_is_counted(evidence) && is_within(evidence, b < 0.0 ? b : 0.0, level, growth) &&
           is_within(evidence, b, level_margin, growth);
}
