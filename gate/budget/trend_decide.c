/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a series under a limit (see trend_decide.h). */
#include "gate/budget/trend_decide.h"

#include <math.h>

const char *gate_trend_decide_reason(enum gate_trend_reason reason) {
    static const char *const names[] = {[GATE_TREND_WITHIN] = "within",
                                        [GATE_TREND_UNSEEN] = "below_max_mde",
                                        [GATE_TREND_OVER] = "over_budget",
                                        [GATE_TREND_SEVERITY_WARN] = "severity_warn",
                                        [GATE_TREND_STEP] = "step",
                                        [GATE_TREND_STEP_OR_SLOPE] = "step_or_slope",
                                        [GATE_TREND_TOO_FEW_POINTS] = "too_few_points",
                                        [GATE_TREND_UNCERTAIN] = "uncertain",
                                        [GATE_TREND_NOT_COMPARABLE] = "not_comparable",
                                        [GATE_TREND_NO_MATCH] = "no_match",
                                        [GATE_TREND_EXPIRED] = "expired"};
    return names[reason];
}

bool gate_trend_decide_is_testable(const struct gate_trend_case *one) {
    return one->fit.count >= GATE_TREND_DECIDE_LEAST && one->fit.log_p_least <= log(one->alpha);
}

static void end(struct gate_trend_case *one, enum gate_outcome outcome, enum gate_trend_reason reason) {
    one->outcome = outcome;
    one->reason = reason;
}

/* The interval of the pairs that decide shrinks with n to the power of 1.5: how many points put the limit, or zero
 * where significance is what lacks, out of it. */
static uint32_t needed_for(const struct gate_trend_case *one) {
    const struct gate_trend_slope *slope = isfinite(one->fit.within.low) ? &one->fit.within : &one->fit.whole;
    uint32_t least = gate_trend_points_needed(one->family > 0 ? one->family : 1, one->alpha);
    /* Two segments of half the points have to show it at the interval's level. */
    double half = fmax(slope->slope - slope->low, slope->high - slope->slope);
    double distance = fabs(slope->slope - one->limit);
    double points = one->fit.count + 1.0;
    if (isfinite(half) && distance > 0.0)
        points = fmax(points, ceil(one->fit.count * pow(half / distance, 2.0 / 3.0)));
    else if (isfinite(half) || one->fit.inflation > 1.0)
        return 0; /* who knows */
    points = fmax(points, fmax(least, GATE_TREND_DECIDE_LEAST + 1));
    return points > GATE_TREND_DECIDE_MOST_NEEDED ? 0 : (uint32_t)points;
}

/* Five times what points differ by from the two levels, which take two of them: of noise alone hardly any is. */
static bool is_large_step(const struct gate_trend_fit *fit) {
    return fit->step * (fit->count - 2.0) > 5.0 * fit->step_residual;
}

void gate_trend_decide(struct gate_trend_case *one) {
    const struct gate_trend_fit *fit = &one->fit;
    const struct gate_trend_slope *whole = &fit->whole, *within = &fit->within;
    one->points_needed = 0;
    if (fit->count >= GATE_TREND_DECIDE_LEAST && whole->high <= one->limit) {
        end(one, GATE_OUTCOME_PROVEN, GATE_TREND_WITHIN);
        return;
    }
    if (fit->count >= GATE_TREND_DECIDE_LEAST && one->unseen > 0.0 && whole->high <= one->unseen) {
        end(one, GATE_OUTCOME_PASS, GATE_TREND_UNSEEN);
        return;
    }
    bool rises = gate_trend_decide_is_testable(one) && one->log_p_adjusted <= log(one->alpha);
    bool is_over = rises && whole->low > one->limit;
    if (is_over && within->low > one->limit) {
        end(one, one->warns_only ? GATE_OUTCOME_WARN : GATE_OUTCOME_FAIL,
            one->warns_only ? GATE_TREND_SEVERITY_WARN : GATE_TREND_OVER);
        return;
    }
    bool is_flat_beside = fit->count >= GATE_TREND_DECIDE_LEAST && is_large_step(fit) &&
                          fit->step_residual < fit->residual &&
                          (within->high <= one->limit || (one->unseen > 0.0 && within->high <= one->unseen));
    if (is_flat_beside) {
        end(one, GATE_OUTCOME_WARN, GATE_TREND_STEP);
        return;
    }
    one->points_needed = needed_for(one);
    bool too_few = fit->count < GATE_TREND_DECIDE_LEAST ||
                   fit->count < gate_trend_points_needed(one->family > 0 ? one->family : 1, one->alpha);
    end(one, one->warns_only ? GATE_OUTCOME_WARN : GATE_OUTCOME_INCONCLUSIVE,
        too_few   ? GATE_TREND_TOO_FEW_POINTS
        : is_over ? GATE_TREND_STEP_OR_SLOPE
                  : GATE_TREND_UNCERTAIN);
}
