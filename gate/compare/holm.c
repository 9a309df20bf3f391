/* SPDX-License-Identifier: Apache-2.0 */
/* Multiple tests: Holm's correction for decisions, Benjamini-Hochberg for the order of suspects. Formulas:
 * docs/statistics.md, "When a budget is broken". */
#include "gate/compare/holm.h"

#include <math.h>

/* Sort by p, smallest first. */
static void sort_by_p(struct gate_ranked *order, const double *log_p, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct gate_ranked){log_p[i], i};
    gate_ranked_sort(order, count);
}

/* Below this, exp of a log-probability is denormal or 0. */
static const double LOG_SMALLEST = -690.0;

/* The rest of the family at one step: hypotheses that can be rejected at the step's p, and the others. */
struct holm_rest {
    uint32_t able, others;
    double chances; /* sum of the attainable p values of the others */
};

/* Return the log of the sum of min(p, attainable) over the rest. */
static double holm_sum(const struct holm_rest *rest, double log_p) {
    double able = rest->able;
    if (log_p < LOG_SMALLEST)
        return log_p + log(able + rest->others);
    return log_p + log(able + fmax(rest->chances, 0.0) / exp(log_p));
}

void gate_holm_adjust(const double *log_p, const double *log_attainable, double *adjusted_log_p,
                      struct gate_ranked *scratch, uint32_t count) {
    struct gate_ranked *order = scratch, *by_chance = scratch + count;
    struct holm_rest rest = {.able = count};
    double worst = -INFINITY;
    uint32_t passed = 0; /* how many of by_chance are at most p */
    sort_by_p(order, log_p, count);
    sort_by_p(by_chance, log_attainable, count);
    for (uint32_t i = 0; i < count; i++)
        adjusted_log_p[i] = INFINITY; /* not processed yet */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = order[i].index;
        for (; passed < count && by_chance[passed].value <= log_p[at]; passed++) {
            if (adjusted_log_p[by_chance[passed].index] < INFINITY)
                continue;
            rest.able--;
            rest.others++;
            rest.chances += exp(by_chance[passed].value);
        }
        double raised = fmax(holm_sum(&rest, log_p[at]), log_p[at]);
        worst = fmin(fmax(worst, raised), 0.0);
        adjusted_log_p[at] = worst;
        if (log_attainable[at] == log_p[at]) {
            rest.others--;
            rest.chances -= exp(log_attainable[at]);
        } else if (log_attainable[at] > log_p[at]) {
            rest.able--;
        }
        /* A hypothesis that cannot be rejected at its own p stays in the rest. */
    }
}

double gate_holm_level(const double *log_attainable, struct gate_ranked *scratch, uint32_t count, double alpha) {
    double chances = 0.0;
    sort_by_p(scratch, log_attainable, count);
    for (uint32_t i = 0; i < count; i++) {
        double attainable = exp(scratch[i].value);
        double level = (alpha - chances) / (count - i);
        if (level <= attainable)
            return log(level);
        chances += attainable;
    }
    return log(alpha);
}

void gate_holm_bh_adjust(const double *log_p, double *adjusted_log_p, struct gate_ranked *scratch, uint32_t count,
                         uint32_t family) {
    sort_by_p(scratch, log_p, count);
    double best = 0.0;
    for (uint32_t i = count; i-- > 0;) {
        double own = scratch[i].value, raised = own < 0.0 ? own + log((double)family / (double)(i + 1)) : 0.0;
        best = raised < best ? raised : best;
        adjusted_log_p[scratch[i].index] = best;
    }
}
