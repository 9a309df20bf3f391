/* SPDX-License-Identifier: Apache-2.0 */
/* Where stacks end (see unwinding.h). */
#include "gate/profile/unwinding.h"

#include "gate/profile/location.h"
#include "gate/profile/location_name.h"

/* What profilers write for a frame of which they know nothing. */
static bool is_unknown(struct gate_str name) {
    static const char *const words[] = {"[unknown]", "<unknown>", "[Unknown]", "unknown", "??", "[unknown] [unknown]"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (gate_str_equal(name, gate_str_from(words[i])))
            return true;
    return false;
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
    uint64_t last[2] = {0}; /* the root, and what it called: a root may be the process */
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
