/* SPDX-License-Identifier: Apache-2.0 */
/* Where profiles come from, by the names in them: profiler, architecture, kind of build.
 * Pipeline: guards/guard_check.h -> guards/guards_origin.h -> guards/guards.h */
#ifndef GATE_GUARDS_GUARDS_ORIGIN_H
#define GATE_GUARDS_GUARDS_ORIGIN_H

#include "gate/guards/guard_check.h"

gate_guard_check_fn gate_guards_origin_different_producer;
gate_guard_check_fn gate_guards_origin_different_architecture;
gate_guard_check_fn gate_guards_origin_debug_build;

#endif
