/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the ids of a stack are ones that there are, sixteen bytes at a time: nearly all that checking a profile takes
 * is to look at each id of each of its samples.
 * Neighbours: profile/sample.h before, profile/decoder_samples.h behind. */
#ifndef GATE_PROFILE_STACK_IDS_H
#define GATE_PROFILE_STACK_IDS_H

#include "gate/profile/sample.h"

/**
 * Whether all ids are from 1 to `count`, as far as that can be told fast: true is certain, and false says that somebody
 * has to look at each. So it is where `count` has other than two or three digits of seven bits, and where an id of a
 * stack of 18 bytes or more is written in more of them than it needs.
 *
 * stack   ends with an id's last byte, as every stack of a sample does
 * depth   how many ids there are, where true
 *
 * O(bytes).
 */
GATE_MUST_CHECK bool gate_stack_ids_are_within(uint32_t *depth, struct gate_stack_ref stack, uint32_t count);

#endif
