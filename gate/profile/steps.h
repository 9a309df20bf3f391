/* SPDX-License-Identifier: Apache-2.0 */
/* What reading a profile's stacks and names will cost, told before it is done: a few bytes can name one location of
 * thousands of inlined calls in every sample, or one name of a megabyte in every function.
 * Pipeline: profile/load.h -> profile/steps.h -> cli/load_sides.h, which refuses what is out of proportion. */
#ifndef GATE_PROFILE_STEPS_H
#define GATE_PROFILE_STEPS_H

#include "gate/profile/profile.h"

/**
 * Steps of work, each about ten nanoseconds of a comparison with all its reports: a frame of a stack, inlined calls
 * too, is one; a sample eight besides; a byte of a function's name eight, of its file two, and 32 of its name one for
 * each line that refers to it. Saturates at UINT64_MAX.
 *
 * roughly   where the deepest stack in each sample would make no more steps than this, they are taken for that many;
 *           else stacks are walked
 *
 * O(functions + lines), and O(stack slots) where they are walked.
 */
uint64_t gate_steps_of(const struct gate_profile *profile, uint64_t roughly);

#endif
