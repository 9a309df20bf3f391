/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting of the profiler itself. */
#include "gate/model/profiler_waits.h"

#include "gate/model/location.h"

/* Return whether a function waits until a profile is whole. */
static bool is_wait(struct gate_str function) {
    return gate_str_equal(function, GATE_STR("net/http/pprof.sleep")) ||
           gate_str_equal(function, GATE_STR("net/http/pprof.handler.serveDeltaProfile"));
}

static bool is_of_profiler(const struct gate_profile *profile, uint32_t index) {
    const struct gate_location location = gate_location_at(profile, index);
    struct gate_line_walk walk = gate_location_lines(profile, &location);
    struct gate_line line;
    while (gate_line_next(&walk, &line))
        if (line.function != GATE_NO_INDEX && is_wait(profile->functions[line.function].name))
            return true;
    return false;
}

bool gate_profiler_waits_in(const bool *waits, const struct gate_profile *profile, struct gate_stack_ref stack) {
    uint32_t at = 0;
    uint64_t id = 0;
    while (gate_stack_next(stack, &at, &id)) {
        uint32_t index = gate_id_index_find(&profile->location_index, id);
        if (index != GATE_NO_INDEX && waits[index])
            return true;
    }
    return false;
}

bool gate_profiler_waits_find(const bool **waits, const struct gate_profile *profile, struct gate_arena *arena,
                              struct gate_error *err) {
    bool *found = GATE_NEW_ARRAY(arena, bool, profile->location_count), has_some = false;
    *waits = NULL;
    if (found == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        found[i] = is_of_profiler(profile, i);
        has_some = has_some || found[i];
    }
    *waits = has_some ? found : NULL;
    return true;
}
