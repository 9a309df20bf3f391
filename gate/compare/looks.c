/* SPDX-License-Identifier: Apache-2.0 */
/* The levels of one look (see looks.h). */
#include "gate/compare/looks.h"

#include "gate/compare/student.h"

#include <math.h>

/* A level is a number that tests can take. */
static const double LEAST_LEVEL = 1e-300;

/* How often a pass before its time may be one that the last look would have failed. */
static const double TURNED = 0.01;

static bool is_only(const struct gate_looks_now *now) {
    return !(now->spending.t > 0.0);
}

double gate_looks_level(const struct gate_looks_now *now, double level) {
    return is_only(now) ? level : fmax(exp(gate_spending_nominal(&now->spending, log(level))), LEAST_LEVEL);
}

double gate_looks_spent(const struct gate_looks_now *now, double level) {
    return is_only(now) ? level : exp(gate_spending_spent(log(level), now->spending.t));
}

/* B(1) given B(t) = z sqrt(t), without any prior, is normal around B(t) / t with variance (1 - t) / t. */
static double turn_of(double t, double alpha_margin) {
    if (!(t > 0.0) || t >= 1.0)
        return 0.0;
    return gate_normal_p(sqrt(t) * gate_normal_z(alpha_margin) - sqrt(1.0 - t) * gate_normal_z(TURNED));
}

bool gate_looks_begin(struct gate_looks_now *out, const struct gate_looks *looks, double alpha_margin,
                      struct gate_error *err) {
    if (!gate_spending_begin(&out->spending, looks->fractions, looks->count, err))
        return false;
    if (looks->is_alone)
        gate_spending_begin_alone(&out->spending, looks->fractions, looks->count);
    out->margin = gate_looks_level(out, alpha_margin);
    out->proof = gate_looks_level(out, GATE_LOOKS_PROOF);
    out->turn = turn_of(out->spending.t, alpha_margin);
    return true;
}
