/* SPDX-License-Identifier: Apache-2.0 */
/* Guards on the origin of a profile: profiler, architecture, kind of build. */
#ifndef GATE_GUARDS_GUARDS_ORIGIN_H
#define GATE_GUARDS_GUARDS_ORIGIN_H

#include "gate/guards/guard_check.h"

gate_guard_check_fn gate_guards_origin_different_producer;
gate_guard_check_fn gate_guards_origin_different_architecture;
gate_guard_check_fn gate_guards_origin_debug_build;

#endif
