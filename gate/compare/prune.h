/* SPDX-License-Identifier: Apache-2.0 */
/* drop_frames and keep_frames of a profile: which locations, and which of their lines, are not shown.
 * Neighbours: profile/profile.h before, compare/pair.h after. */
#ifndef GATE_COMPARE_PRUNE_H
#define GATE_COMPARE_PRUNE_H

#include "gate/compare/pair_types.h"

/** Per location: what to do with stacks through it, and how many of its inner lines are gone. NULL arrays: nothing. */
struct gate_prune_plan {
    uint8_t *action;      /* enum gate_prune */
    uint32_t *lines_gone; /* lines [0, lines_gone) are pruned, counted from the innermost */
};

/**
 * Read the profile's drop_frames and keep_frames as google/pprof does (profile/prune.go): anchored at both ends,
 * matched against the simplified name, the outermost matching line of a location decides.
 *
 * err   GATE_ERR_INPUT a pattern that does not compile or is too hard
 *
 * O(functions + lines).
 */
GATE_MUST_CHECK
bool gate_prune_plan_make(struct gate_prune_plan *out, const struct gate_profile *profile, struct gate_arena *arena,
                          struct gate_error *err);

#endif
