/* SPDX-License-Identifier: Apache-2.0 */
/* What a judged comparison is worth: nothing to compare, few samples, one run a side, a total that grew.
 * Pipeline: guards/guard_check.h -> guards/guards_judged.h -> guards/guards.h */
#ifndef GATE_GUARDS_GUARDS_JUDGED_H
#define GATE_GUARDS_GUARDS_JUDGED_H

#include "gate/guards/guard_check.h"

gate_guard_check_fn gate_guards_judged_same_file;
gate_guard_check_fn gate_guards_judged_uncounted_events;
gate_guard_check_fn gate_guards_judged_few_samples;
gate_guard_check_fn gate_guards_judged_total_cost;
gate_guard_check_fn gate_guards_judged_mix;
gate_guard_check_fn gate_guards_judged_one_pair;

#endif
