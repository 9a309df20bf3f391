/* SPDX-License-Identifier: Apache-2.0 */
/* Which names are none: a bare address stands where a profiler knew no symbol, and is another one in the next build.
 * Used by profile/own_code_look.c, profile/inspection.c and compare/frames.c. */
#ifndef GATE_PROFILE_ADDRESS_NAME_H
#define GATE_PROFILE_ADDRESS_NAME_H

#include "gate/base/str.h"

/**
 * "0x55d1", "00007f12a4b0c8d0", "sub_4A2F10": an address where a name should be. Words of the letters a to f are none:
 * without a mark it takes 8 hexadecimal digits, of which one is decimal. O(length).
 */
bool gate_address_name_is(struct gate_str name);

#endif
