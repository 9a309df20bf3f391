/* SPDX-License-Identifier: Apache-2.0 */
/* Locations with a name, and those without (see location_name.h). */
#include "gate/profile/location_name.h"

#include "gate/profile/address_name.h"
#include "gate/profile/location.h"

bool gate_location_name_is_known(const struct gate_profile *profile, const struct gate_location *location) {
    uint32_t function = gate_location_leaf(profile, location);
    if (function == GATE_NO_INDEX)
        return false;
    struct gate_str name = profile->functions[function].name;
    return name.len != 0 && !gate_address_name_is(name);
}
