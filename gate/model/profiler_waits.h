/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting of the profiler itself, which is in the profile that it takes. */
#ifndef GATE_MODEL_PROFILER_WAITS_H
#define GATE_MODEL_PROFILER_WAITS_H

#include "gate/model/profile.h"
#include "gate/model/sample.h"

/**
 * Find the locations of a profiler that waits while it takes a profile: the handlers of net/http/pprof wait a second
 * per second, and most of a block profile can be that.
 *
 * waits  a flag per location, arena memory; NULL: there are none
 * err    GATE_ERR_LIMIT the arena is full
 *
 * O(lines of locations).
 */
GATE_MUST_CHECK
bool gate_profiler_waits_find(const bool **waits, const struct gate_profile *profile, struct gate_arena *arena,
                              struct gate_error *err);

/** Return whether a stack has one of these locations. O(depth). */
bool gate_profiler_waits_in(const bool *waits, const struct gate_profile *profile, struct gate_stack_ref stack);

#endif
