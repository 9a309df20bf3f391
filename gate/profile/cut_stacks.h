/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a profiler cut the stacks of a profile. That many are as deep as profilers cut may be chance; but what is
 * whole begins at an entry point, as shorter stacks do, and what is cut begins inside of the program.
 * Used by profile/inspection.h and guards/guards_frames.h. */
#ifndef GATE_PROFILE_CUT_STACKS_H
#define GATE_PROFILE_CUT_STACKS_H

#include "gate/profile/sample.h"

/** One look at a profile. Zeroed but for the profile where its deepest stack is not as deep as profilers cut. */
struct gate_cut_stacks {
    const struct gate_profile *profile;
    uint32_t depth;    /* of the cut, 0: there can be none */
    uint8_t *is_root;  /* what shorter stacks begin with, by function, then by location without one */
    uint32_t *deepest; /* stacks at the cut that begin there */
    double *values;    /* of those */
};

/** err: GATE_ERR_LIMIT, GATE_ERR_MEMORY. O(functions + locations). */
GATE_MUST_CHECK
bool gate_cut_stacks_begin(struct gate_cut_stacks *out, const struct gate_profile *profile, struct gate_arena *arena,
                           struct gate_error *err);

/** Add a stack of the profile, `depth` locations deep. O(depth). */
void gate_cut_stacks_add(struct gate_cut_stacks *cut, struct gate_stack_ref stack, uint32_t depth, double value);

/** How many stacks were cut, and their value in sum; one alone is no sign of a cut. */
uint32_t gate_cut_stacks_count(const struct gate_cut_stacks *cut, double *value);

#endif
