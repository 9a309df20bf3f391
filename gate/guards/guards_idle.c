/* SPDX-License-Identifier: Apache-2.0 */
/* Idle programs (see guards_idle.h). */
#include "gate/guards/guards_idle.h"

#include "gate/base/figures.h"
#include "gate/profile/unit.h"

static bool is_of(const struct gate_guard_check *check, const char *word) {
    return gate_str_find(check->pair->type.type, gate_str_from(word), 0) != SIZE_MAX;
}

/* CPU time per second of wall time; negative: some run does not tell its duration, or it is no time. */
static double busy_cores(const struct gate_guard_check *check, uint32_t side) {
    double unit_ns = (double)gate_unit_ratio(check->pair->type.unit, GATE_STR("ns")), cpu_ns = 0.0, wall_ns = 0.0;
    if (!is_of(check, "cpu") || unit_ns <= 0.0)
        return -1.0;
    for (uint32_t i = 0; i < check->pair->sides[side].run_count; i++) {
        const struct gate_run *run = &check->pair->sides[side].runs[i];
        if (run->input.profile->duration_ns <= 0)
            return -1.0;
        cpu_ns += (double)run->total * unit_ns;
        wall_ns += (double)run->input.profile->duration_ns;
    }
    return wall_ns > 0.0 ? cpu_ns / wall_ns : -1.0;
}

/* Of a side's cost, what is charged to the program's own code. */
static double own_share(const struct gate_guard_check *check, uint32_t side) {
    const struct gate_pair *pair = check->pair;
    int64_t own = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (pair->frames[i].is_own)
            own += check->comparison->deltas.items[i].value[GATE_CHARGED][side];
    return gate_share(own, pair->sides[side].total);
}

static double own_events(const struct gate_guard_check *check, uint32_t side) {
    return check->pair->sides[side].events * own_share(check, side);
}

/* Of parts of a profile nothing follows: one endpoint may well take little. */
static bool is_about_cpu(const struct gate_guard_check *check) {
    const struct gate_side *sides = check->pair->sides;
    return !check->comparison->is_filtered && !check->comparison->same_input && sides[GATE_BASELINE].events > 0.0 &&
           sides[GATE_CANARY].events > 0.0 && (is_of(check, "cpu") || is_of(check, "samples"));
}

static bool hardly_ran(const struct gate_guard_check *check, uint32_t side, double limit) {
    double cores = busy_cores(check, side);
    if (!is_about_cpu(check) || own_events(check, side) >= check->rules->min_samples)
        return false;
    if (cores >= 0.0)
        return cores < limit;
    return own_events(check, 1 - side) >= check->rules->min_samples &&
           own_share(check, side) < limit * own_share(check, 1 - side);
}

bool gate_guards_idle(struct gate_guard_check *check, double limit) {
    for (uint32_t side = 0; !check->comparison->is_filtered && side < GATE_SIDES; side++) {
        double cores = busy_cores(check, side);
        if (cores >= 0.0 && cores < limit &&
            !hardly_ran(check, side, gate_guard_limit(check->rules, GATE_GUARD_NO_LOAD)))
            return gate_guard_check_warn(
                check, GATE_GUARD_IDLE,
                "the %s was nearly idle: %.3g s of CPU time in each second; most of its time is off-CPU: "
                "take a wall, block or mutex profile, or put it under load",
                gate_guard_check_side(side), cores);
    }
    return true;
}

bool gate_guards_idle_no_load(struct gate_guard_check *check, double limit) {
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        double cores = busy_cores(check, side);
        if (!hardly_ran(check, side, limit))
            continue;
        struct gate_str busy = GATE_STR("");
        if (cores >= 0.0)
            busy = gate_str_format(check->arena, "%.3g s of CPU time in each second and ", cores);
        return gate_guard_check_warn(
            check, GATE_GUARD_NO_LOAD,
            "the %s did next to nothing: %.*s%s effective samples of the program's own code, %s in the %s; that "
            "nothing "
            "grew there says nothing: put it under load, or for what waits take a wall, block or mutex profile",
            gate_guard_check_side(side), GATE_STR_ARG(busy), gate_figures_count_text(own_events(check, side)).text,
            gate_figures_count_text(own_events(check, 1 - side)).text, gate_guard_check_side(1 - side));
    }
    return true;
}
