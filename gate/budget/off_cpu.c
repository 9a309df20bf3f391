/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/off_cpu.h"

#include "gate/compare/comparison.h"
#include "gate/model/unit.h"

#include <math.h>

static const double OFF_CPU_HALF = 0.5;

static const double Z95 = 1.96;

/* ---- CPU time of the growth -------------------------------------------------------------------------------------- */

static bool has_durations(const struct gate_comparison *comparison) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < comparison->pair.sides[side].run_count; r++)
            if (comparison->pair.sides[side].runs[r].input.profile->duration_ns <= 0)
                return false;
    return true;
}

/* Compute the divisor of each side's time, of the same kind for both comparisons. It is the duration of each side or,
 * if the work is known, the baseline's duration times the work ratio. */
static void exposure_of(double out[GATE_SIDES], const struct gate_comparison *comparison, bool is_by_work) {
    for (int side = 0; side < GATE_SIDES; side++)
        out[side] = (double)comparison->pair.sides[side].duration_ns;
    if (is_by_work)
        out[GATE_CANARY] = out[GATE_BASELINE] * comparison->work_ratio;
}

/* Convert shares of each side's time to a growth in seconds per second. */
static double growth_of(const struct gate_comparison *comparison, const double share[GATE_SIDES],
                        const double exposure[GATE_SIDES]) {
    const struct gate_pair *pair = &comparison->pair;
    double unit_ns = (double)gate_unit_ratio(pair->type.unit, GATE_STR("ns"));
    double cost[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        cost[side] = share[side] * (double)pair->sides[side].total * unit_ns / exposure[side];
    return cost[GATE_CANARY] - cost[GATE_BASELINE];
}

static uint32_t frame_named(const struct gate_pair *pair, struct gate_str name) {
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (gate_str_equal(pair->frames[i].name, name))
            return i;
    return GATE_NO_INDEX;
}

/* Set the share of CPU time charged to a function, and its bounds. Without any, the share is 0, with the upper bound of
 * a count of zero. */
static void share_on_cpu(double share[GATE_SIDES], double bounds[2], const struct gate_comparison *cpu,
                         struct gate_str name) {
    uint32_t frame = frame_named(&cpu->pair, name);
    if (frame == GATE_NO_INDEX) {
        const struct gate_side *canary = &cpu->pair.sides[GATE_CANARY];
        share[GATE_BASELINE] = share[GATE_CANARY] = bounds[0] = 0.0;
        bounds[1] = 3.0 / fmax(canary->events, 3.0); /* rule of three: 95% bound of a count of zero */
        return;
    }
    const struct gate_evidence *evidence = cpu->frames[frame].evidence[GATE_CHARGED];
    const struct gate_interval interval = gate_evidence_ci95(evidence);
    memcpy(share, evidence->share, sizeof evidence->share);
    memcpy(bounds, interval.bounds, sizeof interval.bounds);
}

/* Set the share of the total, which is 1 on both sides, and the 95% interval of its growth, from the event counts. */
static void share_of_total(double share[GATE_SIDES], double bounds[2], const struct gate_comparison *cpu) {
    const struct gate_side *sides = cpu->pair.sides;
    double error =
        Z95 * sqrt(1.0 / fmax(sides[GATE_BASELINE].events, 1.0) + 1.0 / fmax(sides[GATE_CANARY].events, 1.0));
    share[GATE_BASELINE] = share[GATE_CANARY] = 1.0;
    bounds[0] = -error;
    bounds[1] = error;
}

static double part_of(double cpu, double wall) {
    return fmin(fmax(cpu / wall, 0.0), 1.0);
}

static void compare_clocks(struct gate_cause *cause, const struct gate_comparison *wall,
                           const struct gate_comparison *cpu) {
    bool is_by_work = wall->work_is_known && cpu->work_is_known;
    double share[GATE_SIDES], bounds[2], of_wall[GATE_SIDES], of_cpu[GATE_SIDES];
    if (!has_durations(wall) || !has_durations(cpu) || gate_unit_ratio(wall->pair.type.unit, GATE_STR("ns")) <= 0 ||
        gate_unit_ratio(cpu->pair.type.unit, GATE_STR("ns")) <= 0)
        return;
    exposure_of(of_wall, wall, is_by_work);
    exposure_of(of_cpu, cpu, is_by_work);
    const double whole[GATE_SIDES] = {1.0, 1.0};
    bool is_total = cause->frame == GATE_NO_INDEX;
    double grown =
        growth_of(wall, is_total ? whole : wall->frames[cause->frame].evidence[GATE_CHARGED]->share, of_wall);
    if (is_total)
        share_of_total(share, bounds, cpu);
    else
        share_on_cpu(share, bounds, cpu, cause->function);
    if (!(grown > 0.0))
        return;
    cause->on_cpu = part_of(growth_of(cpu, share, of_cpu), grown);
    for (int i = 0; i < 2; i++) {
        const double at[GATE_SIDES] = {share[GATE_BASELINE], share[GATE_BASELINE] + bounds[i]};
        cause->on_cpu_bounds[i] = part_of(growth_of(cpu, at, of_cpu), grown);
    }
}

static void set_certain(struct gate_cause *cause, double part) {
    cause->on_cpu = cause->on_cpu_bounds[0] = cause->on_cpu_bounds[1] = part;
}

/* Return whether a function or the total grew; a group has no frame to look up. */
static bool is_growth(const struct gate_cause *cause) {
    return (cause->frame != GATE_NO_INDEX || gate_budget_measure_row(cause->measure)->is_total) &&
           cause->evidence.delta > 0.0;
}

/* Return whether both comparisons cover all samples, or the same value of --by. */
static bool covers_same_samples(const struct gate_comparison *a, const struct gate_comparison *b) {
    if (a->part == NULL || b->part == NULL)
        return !a->is_filtered && !b->is_filtered;
    return gate_str_equal(a->part->key, b->part->key) && gate_str_equal(a->part->value, b->part->value);
}

static const struct gate_comparison *cpu_beside(const struct gate_comparison *wall,
                                                const struct gate_comparison *comparisons, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (gate_comparison_clock(&comparisons[i]) == GATE_CLOCK_CPU && covers_same_samples(wall, &comparisons[i]))
            return &comparisons[i];
    return NULL;
}

static void off_cpu_one(struct gate_cause *cause, const struct gate_comparison *comparisons, uint32_t count) {
    const struct gate_comparison *comparison = &comparisons[cause->comparison];
    const struct gate_comparison *cpu = cpu_beside(comparison, comparisons, count);
    enum gate_clock clock = gate_comparison_clock(comparison);
    set_certain(cause, NAN);
    if (!is_growth(cause))
        return;
    if (clock == GATE_CLOCK_WAIT)
        set_certain(cause, 0.0);
    else if (clock == GATE_CLOCK_WALL && cpu != NULL)
        compare_clocks(cause, comparison, cpu);
}

void gate_off_cpu_find(struct gate_cause_list *causes, const struct gate_comparison *comparisons, uint32_t count) {
    for (uint32_t i = 0; i < causes->count; i++) {
        off_cpu_one(&causes->items[i], comparisons, count);
        for (uint32_t k = 0; k < causes->items[i].other_count; k++)
            off_cpu_one(&causes->items[i].others[k], comparisons, count);
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

enum gate_off_cpu_where gate_off_cpu_where(const struct gate_cause *cause, const struct gate_comparison *comparison) {
    enum gate_clock clock = gate_comparison_clock(comparison);
    if (!is_growth(cause) || clock == GATE_CLOCK_OTHER || clock == GATE_CLOCK_CPU)
        return GATE_OFF_CPU_NOT_APPLICABLE;
    if (isnan(cause->on_cpu))
        return GATE_OFF_CPU_NO_PROFILE;
    if (cause->on_cpu_bounds[0] >= OFF_CPU_HALF)
        return GATE_OFF_CPU_ON;
    return cause->on_cpu_bounds[1] <= OFF_CPU_HALF ? GATE_OFF_CPU_OFF : GATE_OFF_CPU_OPEN;
}

struct gate_str gate_off_cpu_next(const struct gate_cause *cause, const struct gate_comparison *comparison) {
    enum gate_off_cpu_where where = gate_off_cpu_where(cause, comparison);
    if (where == GATE_OFF_CPU_NOT_APPLICABLE || gate_comparison_clock(comparison) != GATE_CLOCK_WALL)
        return GATE_STR("");
    if (where == GATE_OFF_CPU_NO_PROFILE || where == GATE_OFF_CPU_OPEN)
        return GATE_STR("take CPU profiles of the same runs beside these (--pair cpu=...), which separate computing "
                        "from waiting");
    if (where == GATE_OFF_CPU_ON)
        return GATE_STR("the CPU profile shows the lines that compute");
    switch (comparison->pair.language) {
    case GATE_LANGUAGE_GO:
        return GATE_STR("take block and mutex profiles: they name what it waits for");
    case GATE_LANGUAGE_JVM:
        return GATE_STR("take a profile of locks (async-profiler -e lock), or traces of the calls that it makes");
    default:
        return GATE_STR("take an off-CPU profile (offcputime), or traces of the calls that it makes");
    }
}
