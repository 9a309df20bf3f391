/* SPDX-License-Identifier: Apache-2.0 */
/* The table of guards and how they are run (see guards.h). */
#include "gate/guards/guards.h"

#include "gate/guards/guards_frames.h"
#include "gate/guards/guards_idle.h"
#include "gate/guards/guards_judged.h"
#include "gate/guards/guards_origin.h"
#include "gate/guards/guards_sides.h"
#include "gate/guards/guards_unseen.h"

/* When a guard can speak: noise model and work are not known before a comparison is judged. */
enum stage { FOUND_LATER, AS_MADE, AS_JUDGED };

/* In the order of the enum, which is that of warnings. Those without a row are found with the budgets. */
static const struct {
    enum stage stage;
    gate_guard_check_fn *check;
} guards[GATE_GUARD_NAMES] = {
    [GATE_GUARD_SWAPPED] = {AS_MADE, gate_guards_sides_swapped},
    [GATE_GUARD_DIFFERENT_TYPES] = {AS_MADE, gate_guards_sides_different_types},
    [GATE_GUARD_DIFFERENT_PERIOD] = {AS_MADE, gate_guards_sides_different_period},
    [GATE_GUARD_DIFFERENT_RATE] = {AS_MADE, gate_guards_sides_different_rate},
    [GATE_GUARD_DIFFERENT_PRODUCER] = {AS_MADE, gate_guards_origin_different_producer},
    [GATE_GUARD_DIFFERENT_ARCHITECTURE] = {AS_MADE, gate_guards_origin_different_architecture},
    [GATE_GUARD_DIFFERENT_DURATION] = {AS_MADE, gate_guards_sides_different_duration},
    [GATE_GUARD_IDLE] = {AS_MADE, gate_guards_idle},
    [GATE_GUARD_NO_LOAD] = {AS_MADE, gate_guards_idle_no_load},
    [GATE_GUARD_UNSYMBOLISED] = {AS_MADE, gate_guards_frames_unsymbolised},
    [GATE_GUARD_OWN_CODE] = {AS_MADE, gate_guards_frames_own_code},
    [GATE_GUARD_TRUNCATED_STACKS] = {AS_MADE, gate_guards_frames_truncated_stacks},
    [GATE_GUARD_SHAPE_CHANGED] = {AS_MADE, gate_guards_frames_shape_changed},
    [GATE_GUARD_COLD_START] = {AS_MADE, gate_guards_frames_cold_start},
    [GATE_GUARD_PROFILER_OVERHEAD] = {AS_MADE, gate_guards_frames_profiler_overhead},
    [GATE_GUARD_DELTA_PROFILE] = {AS_MADE, gate_guards_sides_delta_profile},
    [GATE_GUARD_DEBUG_BUILD] = {AS_MADE, gate_guards_origin_debug_build},
    [GATE_GUARD_SAME_FILE] = {AS_JUDGED, gate_guards_judged_same_file},
    [GATE_GUARD_UNCOUNTED_EVENTS] = {AS_JUDGED, gate_guards_judged_uncounted_events},
    [GATE_GUARD_FEW_SAMPLES] = {AS_JUDGED, gate_guards_judged_few_samples},
    [GATE_GUARD_TOTAL_COST] = {AS_JUDGED, gate_guards_judged_total_cost},
    [GATE_GUARD_MIX] = {AS_JUDGED, gate_guards_judged_mix},
    [GATE_GUARD_UNSEEN] = {AS_JUDGED, gate_guards_unseen_hidden},
    [GATE_GUARD_NEW_NAMES] = {AS_JUDGED, gate_guards_unseen_new_names},
    [GATE_GUARD_ONE_PAIR] = {AS_JUDGED, gate_guards_judged_one_pair},
};

static bool check_stage(struct gate_warning **out, uint32_t *count, enum stage stage,
                        const struct gate_comparison *comparison, const struct gate_rules *rules,
                        struct gate_arena *arena, struct gate_error *err) {
    struct gate_guard_check check = {
        .comparison = comparison, .pair = &comparison->pair, .rules = rules, .arena = arena, .err = err};
    check.items = GATE_NEW_ARRAY(arena, struct gate_warning, GATE_GUARD_NAMES);
    if (check.items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; comparison->part == NULL && i < GATE_GUARD_NAMES; i++) { /* of a part the whole tells */
        enum gate_guard guard = (enum gate_guard)i;
        if (guards[i].stage != stage ||
            gate_guard_severity(rules, gate_str_from(gate_guard_name(guard))) == GATE_SEVERITY_OFF)
            continue;
        if (!guards[i].check(&check, gate_guard_limit(rules, guard)))
            return false;
    }
    *out = check.items;
    *count = check.count;
    return true;
}

bool gate_guards_check(struct gate_warning **out, uint32_t *count, const struct gate_comparison *comparison,
                       const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    return check_stage(out, count, AS_MADE, comparison, rules, arena, err);
}

bool gate_guards_check_judged(struct gate_warning **out, uint32_t *count, const struct gate_comparison *comparison,
                              const struct gate_rules *rules, struct gate_arena *arena, struct gate_error *err) {
    return check_stage(out, count, AS_JUDGED, comparison, rules, arena, err);
}
