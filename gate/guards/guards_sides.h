/* SPDX-License-Identifier: Apache-2.0 */
/* What the files say about themselves: times, types, periods, durations.
 * Pipeline: guards/guard_check.h -> guards/guards_sides.h -> guards/guards.h */
#ifndef GATE_GUARDS_GUARDS_SIDES_H
#define GATE_GUARDS_GUARDS_SIDES_H

#include "gate/guards/guard_check.h"

gate_guard_check_fn gate_guards_sides_swapped;
gate_guard_check_fn gate_guards_sides_different_types;
gate_guard_check_fn gate_guards_sides_different_period;
gate_guard_check_fn gate_guards_sides_different_rate;
gate_guard_check_fn gate_guards_sides_different_duration;
gate_guard_check_fn gate_guards_sides_delta_profile;

#endif
