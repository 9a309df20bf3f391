/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/machine.h"

#include "gate/budget/new_code.h"
#include "gate/compare/cost.h"
#include "gate/compare/student.h"
#include "gate/compare/waits.h"

#include <math.h>

/* Level of each one-sided test here. */
static const double LEVEL = 0.05;

/* Maximum relative difference of work per run that still counts as the same work. */
static const double SAME_MOST = 0.05;

/* If the load differs by a larger factor, the cost of a request changes although the code is the same. */
static const double LOAD_MOST = 1.5;

/* With up to PREEMPTED_OPEN runs per side, a total cannot fail, because other programs on the machine may have changed
 * it. With fewer than PREEMPTED_RUNS, it fails only if it exceeds its limit by the factor PREEMPTED_GROWTH. */
enum { PREEMPTED_OPEN = 2, PREEMPTED_RUNS = 5 };
static const double PREEMPTED_GROWTH = 1.25;

/* Minimum runs per side for a total of delays to fail. While the thread that holds a lock waits for a processor, all
 * others wait for the lock: one such run of two made the total of the same code 6.9 times as large. */
enum { DELAY_RUNS = 3 };

/* ---- a slower machine -------------------------------------------------------------------------------------------- */

bool gate_machine_judge_slower(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    struct gate_total_cost total;
    struct gate_estimated_work estimate;
    if (gate_pair_is_of_amounts(&c->pair))
        return true;
    if (!gate_own_growth_work_ratio(&estimate, &c->pair, &c->deltas, r->arena, r->err))
        return false;
    bool may_be_slower = estimate.is_estimate && !estimate.is_contested && estimate.ratio > c->work_ratio &&
                         gate_total_cost_measure(&total, &c->pair, c->equal, c->work_in_force) &&
                         estimate.ratio / c->work_ratio <= total.ratio / total.ratio_bounds[0];
    const struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = estimate.ratio, .equal = c->equal};
    return !may_be_slower || !gate_reading_is_within_at(r, h, estimate.ratio) ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_SLOWER_MACHINE, reading);
}

/* ---- a busier machine, by a profiler that counts time without a processor ---------------------------------------- */

/* Return the smaller number of runs of the two sides. */
static uint32_t fewest_runs(const struct gate_pair *pair) {
    const struct gate_side *sides = pair->sides;
    return sides[sides[GATE_BASELINE].run_count < sides[GATE_CANARY].run_count ? GATE_BASELINE : GATE_CANARY].run_count;
}

/* Return whether the runs show that no side's machine was busier: there are PREEMPTED_RUNS per side, or at least two
 * that were taken in turn. */
static bool is_evenly_busy(const struct gate_pair *pair) {
    return fewest_runs(pair) >= PREEMPTED_RUNS || (pair->is_interleaved && fewest_runs(pair) > 1);
}

bool gate_machine_may_be_busy(const struct gate_pair *pair) {
    return gate_pair_counts_preempted(pair) && fewest_runs(pair) <= PREEMPTED_OPEN && !is_evenly_busy(pair);
}

bool gate_machine_judge_busier(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    struct gate_common_factor others = gate_own_growth_factor(&r->own, gate_own_growth_find(&r->own, h->frame));
    if (is_evenly_busy(&c->pair) || others.count == 0 || others.q > gate_chi_square_95(others.count - 1.0) ||
        others.m + gate_normal_z(LEVEL) / sqrt(others.weight) >= log(c->work_ratio))
        return true;
    const struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = exp(others.m), .equal = c->equal};
    return gate_reading_is_within_at(r, h, reading.ratio) ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_BUSIER_MACHINE, reading);
}

/* ---- profiles of one round that lasted for different times ------------------------------------------------------- */

bool gate_machine_judge_windows(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    const struct gate_comparison *c = r->comparison;
    bool is_fail = h->outcome == GATE_OUTCOME_FAIL;
    bool is_pass = h->outcome == GATE_OUTCOME_PASS || h->outcome == GATE_OUTCOME_PROVEN;
    double seconds = 1.0, runs = 1.0;
    if (!h->is_total || !(is_fail || is_pass) || h->severity < GATE_SEVERITY_ERROR || c->equal != GATE_EQUAL_TIME ||
        !c->pair.is_interleaved || !gate_hypothesis_bounds_growth(h) ||
        !gate_equal_ratio(&seconds, &c->pair, GATE_EQUAL_TIME, no_work) ||
        !gate_equal_ratio(&runs, &c->pair, GATE_EQUAL_RUN, no_work) || fabs(log(seconds / runs)) <= log1p(SAME_MOST))
        return true;
    const double *share = h->evidence->share;
    const struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = runs, .equal = GATE_EQUAL_RUN};
    bool is_over = !gate_reading_are_shares_within(h, share[GATE_BASELINE], share[GATE_CANARY] * seconds / runs);
    return is_over == is_fail ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNEQUAL_WINDOWS, reading);
}

/* ---- unequal load ------------------------------------------------------------------------------------------------ */

/* Return whether one side had much more traffic: its work per second and its cost per second both differ. A program
 * that is always busy does less work at a higher cost of each unit, and its cost per second stays. Runs that did the
 * same work did not have unequal traffic: another program on the machine made some of them longer. */
static bool has_unequal_load(const struct gate_comparison *comparison) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    const struct gate_side *sides = comparison->pair.sides;
    double seconds = 1.0;
    double by_run = (double)sides[GATE_CANARY].run_count / sides[GATE_BASELINE].run_count;
    if (comparison->equal != GATE_EQUAL_WORK || fabs(log(comparison->work_ratio / by_run)) <= log1p(SAME_MOST) ||
        !gate_equal_ratio(&seconds, &comparison->pair, GATE_EQUAL_TIME, no_work))
        return false;
    double load = log(comparison->work_ratio / seconds);
    double cost = log((double)sides[GATE_CANARY].total / (double)sides[GATE_BASELINE].total / seconds);
    return fabs(load) > log(LOAD_MOST) && cost / load > 0.5;
}

bool gate_machine_judge_waits(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    if (!h->is_cost || !gate_waits_are_uneven(c) || c->waits_ratio < 1.0)
        return true;
    return gate_reading_open(h, r, GATE_REASON_UNEQUAL_LOAD);
}

bool gate_machine_judge_runtime(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    if (h->is_named || h->is_new_code || !(h->is_runtime || h->is_bystander) || !has_unequal_load(c))
        return true;
    return gate_reading_open(h, r, GATE_REASON_UNEQUAL_LOAD);
}

/* Return whether other programs may have raised a total over its limit, because the profiler counts time without a
 * processor. One or two runs per side do not show how much they raise it. With few runs, even in turn, the machine may
 * have been busy during most runs of one side. The total must then be over the limit by more. */
static bool may_be_preempted(const struct gate_hypothesis *h, const struct gate_pair *pair) {
    if (!gate_pair_counts_preempted(pair) || fewest_runs(pair) >= PREEMPTED_RUNS)
        return false;
    if (fewest_runs(pair) <= PREEMPTED_OPEN)
        return true;
    double one = h->evidence->share[GATE_BASELINE];
    return gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_RATIO &&
           one + gate_evidence_ci95(h->evidence).bounds[0] < PREEMPTED_GROWTH * h->limit_value * one;
}

bool gate_machine_judge_total(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    if (has_unequal_load(c))
        return gate_reading_open(h, r, GATE_REASON_UNEQUAL_LOAD);
    if (gate_pair_has_delays(&c->pair) && fewest_runs(&c->pair) < DELAY_RUNS) {
        h->outcome = GATE_OUTCOME_INCONCLUSIVE;
        h->reason = GATE_REASON_DELAY_REPLICATES;
        return true;
    }
    return !may_be_preempted(h, &c->pair) || gate_reading_open(h, r, GATE_REASON_PREEMPTED);
}

/* ---- runs in which the holder of a lock had no processor --------------------------------------------------------- */

/* Return the delay, in a run of the canary, that `h` is about. */
static double delay_of(const struct gate_hypothesis *h, const struct gate_comparison *c, uint32_t r) {
    uint32_t run = gate_first_run(&c->pair, GATE_CANARY) + r;
    return h->is_total ? (double)c->pair.sides[GATE_CANARY].runs[r].total
                       : (double)gate_tally_at(&c->deltas, h->measure, run, h->frame)->value;
}

/* Return the divisor of that delay: for a share the run's total; for a cost the run's work, 1 (per run), or its
 * duration. */
static double divisor_of(const struct gate_hypothesis *h, const struct gate_comparison *c, uint32_t r) {
    const struct gate_run *run = &c->pair.sides[GATE_CANARY].runs[r];
    double divisor = (double)run->input.profile->duration_ns;
    if (!h->is_cost && !h->is_total)
        divisor = (double)run->total;
    else if (c->equal == GATE_EQUAL_WORK || c->equal == GATE_EQUAL_RUN)
        divisor = c->equal == GATE_EQUAL_WORK ? run->input.work : 0.0;
    return divisor > 0.0 ? divisor : 1.0;
}

bool gate_machine_judge_stalled(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *comparison = r->comparison;
    const double *share = h->evidence->share;
    uint32_t runs = comparison->pair.sides[GATE_CANARY].run_count, over = 0;
    double delay = 0.0, divisor = 0.0;
    if (!gate_pair_has_delays(&comparison->pair) || h->outcome != GATE_OUTCOME_FAIL ||
        !gate_hypothesis_bounds_growth(h) || (!h->is_total && h->frame == GATE_NO_INDEX))
        return true;
    for (uint32_t i = 0; i < runs; i++) {
        delay += delay_of(h, comparison, i);
        divisor += divisor_of(h, comparison, i);
    }
    /* If the budget measures a part of the stacks only (select.under), the values of single runs are not known. */
    if (!(delay > 0.0) || (!h->is_total && delay != (double)h->evidence->value[GATE_CANARY]))
        return true;
    for (uint32_t i = 0; i < runs; i++) {
        double canary =
            share[GATE_CANARY] * (delay_of(h, comparison, i) / divisor_of(h, comparison, i)) * divisor / delay;
        over += canary >= h->least_share && !gate_reading_are_shares_within(h, share[GATE_BASELINE], canary);
    }
    if (2 * over > runs)
        return true;
    const struct gate_reading reading = {.frame = GATE_NO_INDEX,
                                         .ratio = comparison->work_ratio,
                                         .equal = comparison->equal,
                                         .over = over,
                                         .runs = runs};
    return gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_FEW_RUNS, reading);
}

/* ---- a queue at one moment --------------------------------------------------------------------------------------- */

/* Minimum ratio of goroutines for a fail, indexed by the number of snapshots per side. The length of a queue at one
 * moment is distributed about exponentially (in an M/M/1 queue geometrically). The ratio of the means of n such lengths
 * has the distribution F(2n, 2n). These are its quantiles of 99%. */
static const double QUEUE_RATIO[] = {0.0, 99.0, 16.0};

double gate_machine_moment_growth(const struct gate_hypothesis *h, const struct gate_pair *pair) {
    const struct gate_side *baseline = &pair->sides[GATE_BASELINE];
    uint32_t runs = fewest_runs(pair);
    if (runs >= sizeof QUEUE_RATIO / sizeof *QUEUE_RATIO || baseline->total <= 0 ||
        !gate_str_starts(pair->type.type, GATE_STR("goroutine")) || !gate_hypothesis_bounds_growth(h))
        return 0.0;
    double value = (double)(h->is_total ? baseline->total : h->evidence->value[GATE_BASELINE]);
    /* Add one goroutine to each snapshot, because 0 has no ratio. */
    return (QUEUE_RATIO[runs] - 1.0) * (value + baseline->run_count) / (double)baseline->total;
}

double gate_machine_detectable(const struct gate_hypothesis *h, const struct gate_pair *pair) {
    return fmax(gate_hypothesis_detectable(h), gate_machine_moment_growth(h, pair));
}

bool gate_machine_judge_moment(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_side *sides = r->comparison->pair.sides;
    double least = gate_machine_moment_growth(h, &r->comparison->pair), cost[GATE_SIDES];
    if (h->outcome != GATE_OUTCOME_FAIL || least <= 0.0)
        return true;
    for (int side = 0; side < GATE_SIDES; side++)
        cost[side] = (double)(h->is_total ? sides[side].total : h->evidence->value[side]) / sides[side].run_count;
    double growth = (cost[GATE_CANARY] - cost[GATE_BASELINE]) * sides[GATE_BASELINE].run_count;
    return growth >= least * (double)sides[GATE_BASELINE].total || gate_reading_open(h, r, GATE_REASON_ONE_MOMENT);
}
