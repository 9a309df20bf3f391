/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/model/incomplete_stacks.h"

#include "gate/model/location.h"
#include "gate/model/sample.h"

/* ---- truncated stacks -------------------------------------------------------------------------------------------- */

/* Depth limits of profilers: Go before 1.23 has 32 (heap) and 64 (CPU), later 128; perf has 127. */
static bool is_cap(uint32_t depth) {
    return depth == 32 || depth == 64 || depth == 127 || depth == 128;
}

bool gate_cut_stacks_begin(struct gate_cut_stacks *out, const struct gate_profile *profile, struct gate_arena *arena,
                           struct gate_error *err) {
    size_t roots = (size_t)profile->function_count + profile->location_count + 1;
    *out = (struct gate_cut_stacks){.profile = profile};
    if (!is_cap(profile->max_depth))
        return true;
    out->depth = profile->max_depth;
    out->is_root = GATE_NEW_ARRAY(arena, uint8_t, roots);
    out->deepest = GATE_NEW_ARRAY(arena, uint32_t, roots);
    out->values = GATE_NEW_ARRAY(arena, double, roots);
    return (out->is_root != NULL && out->deepest != NULL && out->values != NULL) || gate_arena_error(arena, err);
}

/* Return the index of the outermost function of a stack. For a location without function, return function_count +
 * its index. */
static uint32_t root_of(const struct gate_profile *profile, struct gate_stack_ref stack) {
    uint64_t id = 0;
    uint32_t at = 0;
    while (gate_stack_next(stack, &at, &id))
        continue;
    uint32_t index = stack.len == 0 ? GATE_NO_INDEX : gate_location_find(profile, id);
    if (index == GATE_NO_INDEX)
        return GATE_NO_INDEX;
    struct gate_location location = gate_location_at(profile, index);
    uint32_t function = GATE_NO_INDEX;
    if (location.line_count > 0)
        function = gate_location_line(profile, &location, location.line_count - 1).function;
    return function == GATE_NO_INDEX ? profile->function_count + index : function;
}

void gate_cut_stacks_add(struct gate_cut_stacks *cut, struct gate_stack_ref stack, uint32_t depth, double value) {
    uint32_t root = cut->depth == 0 ? GATE_NO_INDEX : root_of(cut->profile, stack);
    if (root == GATE_NO_INDEX)
        return;
    if (depth < cut->depth) {
        cut->is_root[root] = 1;
        return;
    }
    cut->deepest[root]++;
    cut->values[root] += value;
}

uint32_t gate_cut_stacks_count(const struct gate_cut_stacks *cut, double *value) {
    uint32_t roots = cut->profile->function_count + cut->profile->location_count;
    uint32_t count = 0;
    *value = 0.0;
    for (uint32_t i = 0; cut->depth > 0 && i < roots; i++) {
        if (cut->is_root[i])
            continue;
        count += cut->deepest[i];
        *value += cut->values[i];
    }
    if (count < 2)
        *value = 0.0;
    return count < 2 ? 0 : count;
}

/* ---- unwinding --------------------------------------------------------------------------------------------------- */

/* Return true if `name` is a profiler's placeholder for an unknown frame. */
static bool is_unknown(struct gate_str name) {
    static const char *const words[] = {"[unknown]", "<unknown>", "[Unknown]", "unknown", "??", "[unknown] [unknown]"};
    return gate_str_is_among(name, words, sizeof words / sizeof *words);
}

static bool is_lost(const struct gate_profile *profile, const struct gate_location *location) {
    uint32_t function = gate_location_leaf(profile, location);
    if (function != GATE_NO_INDEX && is_unknown(profile->functions[function].name))
        return true;
    bool has_file = location->mapping != GATE_NO_INDEX && profile->mappings[location->mapping].file.len != 0;
    return location->address != 0 && !has_file && profile->mapping_count != 0 &&
           !gate_location_name_is_known(profile, location);
}

static bool is_lost_at(const struct gate_profile *profile, uint64_t id) {
    struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
    return is_lost(profile, &location);
}

enum gate_unwinding gate_unwinding_look(const struct gate_profile *profile, struct gate_stack_ref stack) {
    uint64_t last[2] = {0}; /* the root and its callee, as the root may be a frame for the process */
    uint32_t at = 0, depth = 0;
    uint64_t id = 0;
    while (gate_stack_next(stack, &at, &id)) {
        last[1] = last[0];
        last[0] = id;
        depth++;
    }
    if (depth == 0)
        return GATE_UNWINDING_WHOLE;
    struct gate_location root = gate_location_at(profile, gate_location_find(profile, last[0]));
    if (is_lost(profile, &root) || (depth > 2 && root.address == 0 && is_lost_at(profile, last[1])))
        return GATE_UNWINDING_LOST;
    return depth == 1 && root.address != 0 ? GATE_UNWINDING_ALONE : GATE_UNWINDING_WHOLE;
}
