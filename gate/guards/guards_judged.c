/* SPDX-License-Identifier: Apache-2.0 */
/* Guards over what a judged comparison is worth (see guards_judged.h). */
#include "gate/guards/guards_judged.h"

#include "gate/base/figures.h"

static const double TOTAL_HIGH = 1.2; /* run to run, good totals differ by a tenth */
static const double TOTAL_ODD = 20.0; /* rather a wrong number of --work */

/* Where the events are not known, or the sides are one, there is nothing for the other guards to add. */
static bool is_uncounted(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (pair->sides[side].runs[r].counts.kind == GATE_COUNTS_UNKNOWN)
                return true;
    return false;
}

bool gate_guards_judged_same_file(struct gate_guard_check *check, double limit) {
    (void)limit;
    if (!check->comparison->same_input)
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_SAME_FILE,
                                 "%.*s: both sides are the same capture, so nothing was compared",
                                 GATE_STR_ARG(check->comparison->name));
}

bool gate_guards_judged_uncounted_events(struct gate_guard_check *check, double limit) {
    (void)limit;
    if (check->comparison->same_input || !is_uncounted(check->pair))
        return true;
    return gate_guard_check_warn(check, GATE_GUARD_UNCOUNTED_EVENTS,
                                 "%.*s: the profile does not say how many events it holds, so nothing can be tested; "
                                 "give the sampling period (--period N), or record it with counts",
                                 GATE_STR_ARG(check->comparison->name));
}

bool gate_guards_judged_few_samples(struct gate_guard_check *check, double limit) {
    const struct gate_side *sides = check->pair->sides;
    double least = check->rules->min_samples;
    (void)limit;
    if (check->comparison->same_input || is_uncounted(check->pair) || sides[GATE_BASELINE].events >= least ||
        sides[GATE_CANARY].events >= least)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_FEW_SAMPLES,
        "%.*s: %s effective samples in the baseline, %s in the canary: a run with fewer "
        "than %s on both sides never fails; measure longer",
        GATE_STR_ARG(check->comparison->name), gate_figures_count_text(sides[GATE_BASELINE].events).text,
        gate_figures_count_text(sides[GATE_CANARY].events).text, gate_figures_count_text(least).text);
}

/* Whether a budget looks at the cost of the whole. */
static bool total_is_looked_at(const struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->budget_count; i++) {
        const struct gate_budget_measure_row *measure = gate_budget_measure_row(rules->budgets[i].measure);
        if (measure->is_total && measure->needs_work && rules->budgets[i].severity != GATE_SEVERITY_OFF)
            return true;
    }
    return false;
}

/* With the work known the profile tells more than shares do, and somebody should hear it. */
bool gate_guards_judged_total_cost(struct gate_guard_check *check, double limit) {
    const struct gate_comparison *comparison = check->comparison;
    const struct gate_side *sides = check->pair->sides;
    (void)limit;
    if (comparison->same_input || is_uncounted(check->pair) || !comparison->work_is_known || comparison->is_filtered ||
        total_is_looked_at(check->rules))
        return true;
    double ratio = (double)sides[GATE_CANARY].total / (double)sides[GATE_BASELINE].total / comparison->work_ratio;
    bool is_odd = ratio > TOTAL_ODD || ratio < 1.0 / TOTAL_ODD;
    if (ratio <= TOTAL_HIGH && !is_odd)
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_TOTAL_COST, "%.*s: the whole program costs %s as much per unit of work as the baseline: %s",
        GATE_STR_ARG(comparison->name), gate_figures_times_text(ratio).text,
        is_odd ? "check the numbers given to --work" : "no budget covers that; add one with 'measure: total_cost'");
}

/* A mix that is told of what few samples say is not used, and nobody should think it were. */
bool gate_guards_judged_mix(struct gate_guard_check *check, double limit) {
    const struct gate_pair *pair = check->pair;
    (void)limit;
    if (pair->mix_told.len == 0 || check->comparison->same_input)
        return true;
    if (check->comparison->is_filtered)
        return gate_guard_check_warn(
            check, GATE_GUARD_MIX,
            "%.*s: the work was told by '%.*s' of whole runs, and this compares a part of them "
            "('where'): how traffic differs is taken as not known",
            GATE_STR_ARG(check->comparison->name), GATE_STR_ARG(pair->mix_told));
    return gate_guard_check_warn(
        check, GATE_GUARD_MIX,
        "%.*s: the work was told by '%.*s', but of one run only %s of the cost has a label that "
        "both sides were told of: how traffic differs is taken as not known; tell every value "
        "of it",
        GATE_STR_ARG(check->comparison->name), GATE_STR_ARG(pair->mix_told),
        gate_figures_share_text(pair->mix_share).text);
}

bool gate_guards_judged_one_pair(struct gate_guard_check *check, double limit) {
    const struct gate_side *sides = check->pair->sides;
    (void)limit;
    if (check->comparison->same_input || is_uncounted(check->pair) || check->comparison->noise != NULL ||
        sides[GATE_BASELINE].run_count + sides[GATE_CANARY].run_count > GATE_SIDES)
        return true;
    if (gate_pair_is_exact(check->pair))
        return gate_guard_check_warn(check, GATE_GUARD_ONE_PAIR,
                                     "%.*s: exact counts of one run a side: growth is taken as it is, without a test, "
                                     "which holds where both did the same with the same input; compare more runs if "
                                     "they may differ",
                                     GATE_STR_ARG(check->comparison->name));
    return gate_guard_check_warn(check, GATE_GUARD_ONE_PAIR,
                                 "%.*s: one run a side and no noise model: how much runs differ is assumed, and "
                                 "assumed to be a lot for cumulative and runtime costs; compare more runs or use "
                                 "'pprofgate calibrate'",
                                 GATE_STR_ARG(check->comparison->name));
}
