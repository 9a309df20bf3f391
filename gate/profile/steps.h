/* SPDX-License-Identifier: Apache-2.0 */
/* What reading a profile's stacks and names will cost, told before it is done: a few bytes can name one location of
 * thousands of inlined calls in every sample, or one name of a megabyte in every function.
 * Pipeline: profile/load.h -> profile/steps.h -> cli/load_sides.h, the library: both refuse what is out of proportion.
 */
#ifndef GATE_PROFILE_STEPS_H
#define GATE_PROFILE_STEPS_H

#include "gate/profile/limits.h"
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

/** What the profiles of a run ask for together, and their bytes as they are stored. Zero-initialise. */
struct gate_steps {
    uint64_t asked, stored_bytes;
};

/** One more profile, which was read from that many bytes. Cost as of gate_steps_of. */
void gate_steps_add(struct gate_steps *steps, const struct gate_profile *profile, uint64_t stored_bytes);

/** What a run may ask for: limits->steps, or else by its inputs. */
uint64_t gate_steps_most(const struct gate_steps *steps, const struct gate_limits *limits);

/** err: GATE_ERR_LIMIT they ask for more; names --max-steps */
GATE_MUST_CHECK bool gate_steps_check(const struct gate_steps *steps, const struct gate_limits *limits,
                                      struct gate_error *err);

#endif
