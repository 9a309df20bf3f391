/* SPDX-License-Identifier: Apache-2.0 */
/* Locations with a name, and those without (see location_name.h). */
#include "gate/profile/location_name.h"

#include "gate/profile/address_name.h"

bool gate_location_name_is_known(const struct gate_profile *profile, const struct gate_location *location) {
    uint32_t function = location->line_count == 0 ? GATE_NO_INDEX : profile->lines[location->line_first].function;
    if (function == GATE_NO_INDEX)
        return false;
    struct gate_str name = profile->functions[function].name;
    return name.len != 0 && !gate_address_name_is(name);
}
