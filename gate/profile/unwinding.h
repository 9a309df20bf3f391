/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that a profiler could not walk to their end. That is not what missing symbols are: names can be looked up
 * later, callers that were not found are lost. Used by profile/inspection.c. */
#ifndef GATE_PROFILE_UNWINDING_H
#define GATE_PROFILE_UNWINDING_H

#include "gate/profile/sample.h"

/** What the end of a stack says of how it was walked. */
enum gate_unwinding {
    GATE_UNWINDING_WHOLE,
    GATE_UNWINDING_LOST, /* ends in an address that is in no file, or in "[unknown]": the walk went astray */
    GATE_UNWINDING_ALONE /* one native frame, without a caller: the walk did not begin */
};

/**
 * Look at one stack. ALONE is a suspicion: a program's first function has no caller either, so it takes many of them.
 * O(depth).
 */
enum gate_unwinding gate_unwinding_look(const struct gate_profile *profile, struct gate_stack_ref stack);

#endif
