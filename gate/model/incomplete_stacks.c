/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/model/incomplete_stacks.h"

#include "gate/model/location.h"
#include "gate/model/sample.h"

/* ---- truncated stacks -------------------------------------------------------------------------------------------- */

/* Depth limits of profilers: Go has 32 (heap before 1.23), 64 (CPU) and 128 (heap since), the JVM 64, perf 127. */
static const uint32_t limits[] = {32, 64, 127, 128};

enum { LIMITS = sizeof limits / sizeof *limits };

/* Go may exceed its limit by the callers that the outermost frame was inlined into. Its limits that count frames are 64
 * and more. A stack with so many frames has at least half as many locations. */
enum { INLINED_MOST = 8, FRAMES_LEAST = 64, LOCATIONS_LEAST = 32 };

/* Return 1 + the index of the largest limit that a depth reaches; 0: it reaches none. */
static uint8_t limit_of(uint32_t depth) {
    uint8_t limit = 0;
    while (limit < LIMITS && depth >= limits[limit])
        limit++;
    return limit;
}

static bool depths_make(struct gate_cut_depths *out, const struct gate_profile *profile, struct gate_arena *arena) {
    size_t roots = (size_t)profile->function_count + profile->location_count + 1;
    out->shortest = GATE_NEW_ARRAY(arena, uint32_t, roots);
    out->limit = GATE_NEW_ARRAY(arena, uint8_t, roots);
    out->at_limit = GATE_NEW_ARRAY(arena, uint32_t, roots);
    out->values = GATE_NEW_ARRAY(arena, double, roots);
    return out->shortest != NULL && out->limit != NULL && out->at_limit != NULL && out->values != NULL;
}

static bool has_inlined(const struct gate_profile *profile) {
    for (uint32_t i = 0; i < profile->location_count; i++)
        if (gate_location_frames(profile, i) > 1)
            return true;
    return false;
}

bool gate_cut_stacks_begin(struct gate_cut_stacks *out, const struct gate_profile *profile, bool counts_inlined,
                           struct gate_arena *arena, struct gate_error *err) {
    uint8_t limit = limit_of(profile->max_depth);
    bool is_at_limit = limit > 0 && profile->max_depth == limits[limit - 1];
    bool may_be_inlined = counts_inlined && profile->max_depth >= LOCATIONS_LEAST &&
                          profile->max_depth <= limits[LIMITS - 1] + INLINED_MOST && has_inlined(profile);
    *out = (struct gate_cut_stacks){.profile = profile, .is_wanted = is_at_limit || may_be_inlined};
    return ((!is_at_limit || depths_make(&out->locations, profile, arena)) &&
            (!may_be_inlined || depths_make(&out->frames, profile, arena))) ||
           gate_arena_error(arena, err);
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

static void depths_add(struct gate_cut_depths *depths, uint32_t root, uint32_t depth, double value) {
    const uint8_t limit = limit_of(depth);
    if (depths->shortest == NULL)
        return;
    depths->most = depth > depths->most ? depth : depths->most;
    if (depths->shortest[root] == 0 || depth < depths->shortest[root])
        depths->shortest[root] = depth;
    if (limit > depths->limit[root]) {
        depths->limit[root] = limit;
        depths->at_limit[root] = 0;
        depths->values[root] = 0.0;
    }
    if (limit > 0 && limit == depths->limit[root]) {
        depths->at_limit[root]++;
        depths->values[root] += value;
    }
}

void gate_cut_stacks_add(struct gate_cut_stacks *cut, struct gate_stack_ref stack, double value) {
    uint32_t root = cut->is_wanted ? root_of(cut->profile, stack) : GATE_NO_INDEX;
    if (root == GATE_NO_INDEX)
        return;
    depths_add(&cut->locations, root, gate_stack_depth(stack), value);
    if (cut->frames.shortest != NULL)
        depths_add(&cut->frames, root, (uint32_t)gate_location_stack_frames(cut->profile, stack), value);
}

/* Return whether the stacks with this root are truncated: some are at the profiler's limit, and none is shorter. */
static bool is_cut(const struct gate_cut_depths *depths, uint32_t root) {
    const uint8_t limit = limit_of(depths->most);
    return limit > 0 && depths->limit[root] == limit && depths->shortest[root] >= limits[limit - 1];
}

/* Count the stacks at the largest limit, which is at least `least`. The count is 0 if some stack exceeds this limit by
 * more than `beyond` frames. */
static uint32_t depths_count(const struct gate_cut_depths *depths, uint32_t roots, uint32_t least, uint32_t beyond,
                             double *value) {
    const uint8_t limit = limit_of(depths->most);
    uint32_t count = 0;
    *value = 0.0;
    if (limit == 0 || limits[limit - 1] < least || depths->most > limits[limit - 1] + beyond)
        return 0;
    for (uint32_t i = 0; i < roots; i++) {
        if (!is_cut(depths, i))
            continue;
        count += depths->at_limit[i];
        *value += depths->values[i];
    }
    return count;
}

uint32_t gate_cut_stacks_count(struct gate_cut_stacks *cut, double *value, uint32_t *depth) {
    uint32_t roots = cut->profile->function_count + cut->profile->location_count;
    double of_frames = 0.0;
    uint32_t count = depths_count(&cut->locations, roots, 0, 0, value);
    uint32_t frames = depths_count(&cut->frames, roots, FRAMES_LEAST, INLINED_MOST, &of_frames);
    cut->found = frames > count ? &cut->frames : &cut->locations;
    *value = frames > count ? of_frames : *value;
    count = frames > count ? frames : count;
    *depth = count > 0 ? limits[limit_of(cut->found->most) - 1] : 0;
    if (count >= 2)
        return count;
    *value = 0.0;
    cut->found = NULL;
    return 0;
}

bool gate_cut_stacks_has(const struct gate_cut_stacks *cut, struct gate_stack_ref stack) {
    uint32_t root = cut->found == NULL ? GATE_NO_INDEX : root_of(cut->profile, stack);
    return root != GATE_NO_INDEX && is_cut(cut->found, root);
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
