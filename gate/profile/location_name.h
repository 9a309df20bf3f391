/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a location has a name. Used by profile/inspection.c, profile/mapping_names.c and symbols/symbolise.c. */
#ifndef GATE_PROFILE_LOCATION_NAME_H
#define GATE_PROFILE_LOCATION_NAME_H

#include "gate/profile/profile.h"

/** Whether the innermost call has a name that is no address (profile/address_name.h). O(length of the name). */
bool gate_location_name_is_known(const struct gate_profile *profile, const struct gate_location *location);

#endif
