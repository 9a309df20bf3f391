/* SPDX-License-Identifier: Apache-2.0 */
/* Guards over whether a program did anything while its CPU was profiled (rules/guard_rules.h).
 * Pipeline: guards/guard_check.h -> guards/guards_idle.h -> guards/guards.c */
#ifndef GATE_GUARDS_GUARDS_IDLE_H
#define GATE_GUARDS_GUARDS_IDLE_H

#include "gate/guards/guard_check.h"

/** CPU time per second of wall time below the limit, with samples enough to compare: what waits is not seen. */
gate_guard_check_fn gate_guards_idle;

/**
 * A side in which less of the program's own code was seen than can fail (`min_samples` effective samples charged to
 * it), and that was idle: below the limit in CPU time per second, where the profiles tell durations, or else with a
 * part of own code that is below the limit times that of the other side. That nothing grew there says nothing.
 */
gate_guard_check_fn gate_guards_idle_no_load;

#endif
