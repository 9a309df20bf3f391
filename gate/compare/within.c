/* SPDX-License-Identifier: Apache-2.0 */
/* One test in place of a bound (see within.h). */
#include "gate/compare/within.h"

#include "gate/compare/score_bounds.h"

#include <math.h>

/* Critical z of everyday levels: below all, and above them where there are as many degrees of freedom as single runs
 * are taken to have (20), and where runs do not differ. */
static const struct everyday {
    double level, least, most_of_few, most;
} everydays[] = {{0.05, 1.6448, 1.7248, 1.6449}, {0.01, 2.3263, 2.5280, 2.3264}, {1e-6, 4.7534, 6.6000, 4.7535}};
static const double FEW_DEGREES = 20.0;

/* What the critical z is at least and at most, as far as can be told without looking for it. */
static void critical_bounds(const struct gate_evidence *e, double level, double *least, double *most) {
    double root = e->phi == 1.0 ? 1.0 : sqrt(e->phi);
    *least = 0.0;
    *most = INFINITY;
    for (size_t i = 0; i < sizeof everydays / sizeof *everydays; i++) {
        const struct everyday *at = &everydays[i];
        if (level <= at->level)
            *least = root * at->least;
        if (level >= at->level) {
            *most = e->df < FEW_DEGREES ? INFINITY : root * (isinf(e->df) ? at->most : at->most_of_few);
            return;
        }
    }
}

/* Whether z is below minus the critical one. */
static bool is_low(const struct gate_evidence *e, double z, double level) {
    double least = 0.0, most = 0.0;
    critical_bounds(e, level, &least, &most);
    return z <= -most || (z <= -least && z <= -gate_evidence_critical_z(e, level));
}

/* Whether it is, with no test. */
static bool is_surely_low(const struct gate_evidence *e, double b, double level) {
    double least = 0.0, most = 0.0;
    critical_bounds(e, level, &least, &most);
    return !isinf(most) && gate_score_bounds_below(&e->counts, b, most);
}

bool gate_within_growth(const struct gate_evidence *evidence, double limit, double level) {
    double b = limit / evidence->dilution;
    if (!gate_evidence_is_counted(evidence) || b <= -1.0 || b >= 1.0)
        return gate_evidence_upper(evidence, level) <= limit;
    return is_surely_low(evidence, b, level) || is_low(evidence, gate_score_z(evidence->counts, b), level);
}

bool gate_within_ratio(const struct gate_evidence *evidence, double limit, double level) {
    if (!gate_evidence_is_counted(evidence) || !(evidence->counts.k1 > 0.0) || !(limit > 0.0))
        return gate_evidence_ratio_upper(evidence, level) <= limit;
    return is_low(evidence, gate_ratio_z(evidence->counts, limit), level);
}

bool gate_within_share(const struct gate_evidence *evidence, double limit, double level) {
    double p0 = limit / evidence->dilution;
    if (!gate_evidence_is_counted(evidence) || p0 <= 0.0 || p0 >= 1.0)
        return gate_evidence_share_upper(evidence, level) <= limit;
    return is_low(evidence, gate_one_sample_z(evidence->counts.k2, evidence->counts.n2, p0), level);
}
