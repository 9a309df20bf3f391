/* SPDX-License-Identifier: Apache-2.0 */
/* What stacks and frames look like: names that are missing, stacks that are cut, shapes that do not match.
 * Pipeline: guards/guard_check.h -> guards/guards_frames.h -> guards/guards.h */
#ifndef GATE_GUARDS_GUARDS_FRAMES_H
#define GATE_GUARDS_GUARDS_FRAMES_H

#include "gate/guards/guard_check.h"

gate_guard_check_fn gate_guards_frames_unsymbolised;
gate_guard_check_fn gate_guards_frames_own_code;
gate_guard_check_fn gate_guards_frames_truncated_stacks;
gate_guard_check_fn gate_guards_frames_shape_changed;
gate_guard_check_fn gate_guards_frames_cold_start;
gate_guard_check_fn gate_guards_frames_profiler_overhead;

#endif
