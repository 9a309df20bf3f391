/* SPDX-License-Identifier: Apache-2.0 */
/* On the CPU or off it (see off_cpu.h). */
#include "gate/budget/off_cpu.h"

#include "gate/base/figures.h"
#include "gate/profile/unit.h"

#include <math.h>

static const double HALF = 0.5;
static const double Z95 = 1.96;

/* The first word that is in the text decides; "off" before "cpu". */
static const struct {
    const char *word;
    enum gate_clock clock;
} clock_words[] = {{"off-cpu", GATE_CLOCK_WAIT}, {"offcpu", GATE_CLOCK_WAIT}, {"off_cpu", GATE_CLOCK_WAIT},
                   {"delay", GATE_CLOCK_WAIT},   {"wall", GATE_CLOCK_WALL},   {"cpu", GATE_CLOCK_CPU}};
/* Of a pair's name, where the type does not tell. */
static const char *const waiting_pairs[] = {"block", "mutex", "lock"};

static enum gate_clock clock_of(struct gate_str text) {
    for (size_t i = 0; i < sizeof clock_words / sizeof *clock_words; i++)
        if (gate_str_find(text, gate_str_from(clock_words[i].word), 0) != SIZE_MAX)
            return clock_words[i].clock;
    return GATE_CLOCK_OTHER;
}

enum gate_clock gate_off_cpu_clock(const struct gate_comparison *comparison) {
    static const char *const vague[] = {"samples", "sample", "time", "events"};
    struct gate_str type = comparison->pair.type.type;
    enum gate_clock clock = clock_of(type);
    bool is_vague = false;
    for (size_t i = 0; i < sizeof vague / sizeof *vague; i++)
        is_vague = is_vague || gate_str_equal(type, gate_str_from(vague[i]));
    if (clock != GATE_CLOCK_OTHER || !is_vague)
        return clock;
    struct gate_str name = gate_str_slice(comparison->name, 0, gate_str_find(comparison->name, GATE_STR("{"), 0));
    clock = clock_of(name);
    for (size_t i = 0; clock == GATE_CLOCK_OTHER && i < sizeof waiting_pairs / sizeof *waiting_pairs; i++)
        if (gate_str_find(name, gate_str_from(waiting_pairs[i]), 0) != SIZE_MAX)
            clock = GATE_CLOCK_WAIT;
    return clock;
}

/* ---- how much of the growth is CPU time -------------------------------------------------------------------------- */

static bool tells_durations(const struct gate_comparison *comparison) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < comparison->pair.sides[side].run_count; r++)
            if (comparison->pair.sides[side].runs[r].input.profile->duration_ns <= 0)
                return false;
    return true;
}

/* What a side's time is divided by. Of one kind for both comparisons: seconds of each profile's own, or, where the work
 * is known, seconds of the baseline and as many times more as there was work. */
static void exposure_of(double out[GATE_SIDES], const struct gate_comparison *comparison, bool is_by_work) {
    for (int side = 0; side < GATE_SIDES; side++)
        out[side] = (double)comparison->pair.sides[side].duration_ns;
    if (is_by_work)
        out[GATE_CANARY] = out[GATE_BASELINE] * comparison->work_ratio;
}

/* Growth in seconds per second, of a share of a side's time. */
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

/* A function that no CPU time was charged to has none, as surely as a frame of one count in all samples would. */
static void share_on_cpu(double share[GATE_SIDES], double bounds[2], const struct gate_comparison *cpu,
                         struct gate_str name) {
    uint32_t frame = frame_named(&cpu->pair, name);
    if (frame == GATE_NO_INDEX) {
        const struct gate_side *canary = &cpu->pair.sides[GATE_CANARY];
        share[GATE_BASELINE] = share[GATE_CANARY] = bounds[0] = 0.0;
        bounds[1] = 3.0 / fmax(canary->events, 3.0); /* the rule of three: 95 % bound of a count of zero */
        return;
    }
    const struct gate_evidence *evidence = cpu->frames[frame].evidence[GATE_CHARGED];
    const struct gate_interval interval = gate_evidence_ci95(evidence);
    memcpy(share, evidence->share, sizeof evidence->share);
    memcpy(bounds, interval.bounds, sizeof interval.bounds);
}

/* All of it, to within the error of two counts. */
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
    if (!tells_durations(wall) || !tells_durations(cpu) || gate_unit_ratio(wall->pair.type.unit, GATE_STR("ns")) <= 0 ||
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

/* Of a function or of the whole; a group has no frame to look for. */
static bool is_growth(const struct gate_cause *cause) {
    return (cause->frame != GATE_NO_INDEX || gate_budget_measure_row(cause->measure)->is_total) &&
           cause->evidence.delta > 0.0;
}

/* Of all samples, or of the same value of --by. */
static bool is_of_the_same(const struct gate_comparison *a, const struct gate_comparison *b) {
    if (a->part == NULL || b->part == NULL)
        return !a->is_filtered && !b->is_filtered;
    return gate_str_equal(a->part->key, b->part->key) && gate_str_equal(a->part->value, b->part->value);
}

static const struct gate_comparison *cpu_beside(const struct gate_comparison *wall,
                                                const struct gate_comparison *comparisons, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (gate_off_cpu_clock(&comparisons[i]) == GATE_CLOCK_CPU && is_of_the_same(wall, &comparisons[i]))
            return &comparisons[i];
    return NULL;
}

void gate_off_cpu_find(struct gate_cause_list *causes, const struct gate_comparison *comparisons, uint32_t count) {
    for (uint32_t i = 0; i < causes->count; i++) {
        struct gate_cause *cause = &causes->items[i];
        const struct gate_comparison *comparison = &comparisons[cause->comparison];
        const struct gate_comparison *cpu = cpu_beside(comparison, comparisons, count);
        enum gate_clock clock = gate_off_cpu_clock(comparison);
        set_certain(cause, NAN);
        if (!is_growth(cause))
            continue;
        if (clock == GATE_CLOCK_WAIT)
            set_certain(cause, 0.0);
        else if (clock == GATE_CLOCK_WALL && cpu != NULL)
            compare_clocks(cause, comparison, cpu);
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

enum gate_off_cpu_where gate_off_cpu_where(const struct gate_cause *cause, const struct gate_comparison *comparison) {
    enum gate_clock clock = gate_off_cpu_clock(comparison);
    if (!is_growth(cause) || clock == GATE_CLOCK_OTHER || clock == GATE_CLOCK_CPU)
        return GATE_OFF_CPU_NOT_ASKED;
    if (isnan(cause->on_cpu))
        return GATE_OFF_CPU_NO_PROFILE;
    if (cause->on_cpu_bounds[0] >= HALF)
        return GATE_OFF_CPU_ON;
    return cause->on_cpu_bounds[1] <= HALF ? GATE_OFF_CPU_OFF : GATE_OFF_CPU_OPEN;
}

const char *gate_off_cpu_where_name(enum gate_off_cpu_where where) {
    static const char *const names[] = {[GATE_OFF_CPU_NOT_ASKED] = "not_asked",
                                        [GATE_OFF_CPU_NO_PROFILE] = "no_profile",
                                        [GATE_OFF_CPU_OPEN] = "open",
                                        [GATE_OFF_CPU_ON] = "on",
                                        [GATE_OFF_CPU_OFF] = "off"};
    return names[where];
}

void gate_off_cpu_sentence(struct gate_buf *out, const struct gate_cause *cause,
                           const struct gate_comparison *comparison) {
    static const char *const words[] = {[GATE_OFF_CPU_OPEN] = "partly on the CPU",
                                        [GATE_OFF_CPU_ON] = "on the CPU",
                                        [GATE_OFF_CPU_OFF] =
                                            "off the CPU, it waits"}; /* for a processor too, on a busy host */
    enum gate_off_cpu_where where = gate_off_cpu_where(cause, comparison);
    enum gate_clock clock = gate_off_cpu_clock(comparison);
    if (where == GATE_OFF_CPU_NOT_ASKED)
        return;
    if (where == GATE_OFF_CPU_NO_PROFILE) {
        gate_buf_text(out, "on the CPU or off it: not known");
        return;
    }
    gate_buf_text(out, words[where]);
    if (clock == GATE_CLOCK_WALL)
        gate_buf_printf(out, ": of what grew, %.0f %% is CPU time (95 %% CI %.0f \xE2\x80\xA6 %.0f)",
                        100.0 * cause->on_cpu, 100.0 * cause->on_cpu_bounds[0], 100.0 * cause->on_cpu_bounds[1]);
}

struct gate_str gate_off_cpu_next(const struct gate_cause *cause, const struct gate_comparison *comparison) {
    enum gate_off_cpu_where where = gate_off_cpu_where(cause, comparison);
    if (where == GATE_OFF_CPU_NOT_ASKED || gate_off_cpu_clock(comparison) != GATE_CLOCK_WALL)
        return GATE_STR("");
    if (where == GATE_OFF_CPU_NO_PROFILE || where == GATE_OFF_CPU_OPEN)
        return GATE_STR("take CPU profiles of the same runs beside these (--pair cpu=...), which tell computing from "
                        "waiting");
    if (where == GATE_OFF_CPU_ON)
        return GATE_STR("the CPU profile has the lines that compute");
    switch (comparison->pair.language) {
    case GATE_LANGUAGE_GO:
        return GATE_STR("take block and mutex profiles: they name what it waits for");
    case GATE_LANGUAGE_JVM:
        return GATE_STR("take a profile of locks (async-profiler -e lock), or traces of the calls that it makes");
    default:
        return GATE_STR("take an off-CPU profile (offcputime), or traces of the calls that it makes");
    }
}
