/* SPDX-License-Identifier: Apache-2.0 */
/* Which entry a stack is that stands at a place in a profile's bytes: where entries are in the order of their places, a
 * number for each stretch of bytes says where to look, and no table of them all is needed.
 * Pipeline: profile/stack_sharing.h, which has equal stacks at one place -> profile/stack_places.h -> profile/stacks.h
 */
#ifndef GATE_PROFILE_STACK_PLACES_H
#define GATE_PROFILE_STACK_PLACES_H

#include "gate/base/arena.h"

enum { GATE_STACK_PLACES_BITS = 10 }; /* of the bytes of a stretch: a dozen stacks of a usual depth */

struct gate_stack_places {
    uint32_t *first; /* of each stretch: the first entry in it or behind it */
    size_t stretches, filled;
};

/** For places below `bytes_len`. False when the arena is full. 4 bytes a KiB, which gate_stack_places_end gives back.
 */
GATE_MUST_CHECK bool gate_stack_places_begin(struct gate_stack_places *out, size_t bytes_len, struct gate_arena *arena);
void gate_stack_places_end(struct gate_stack_places *places, struct gate_arena *arena);

/** `entry` stands at `place`, behind all before it. O(1) amortised. */
static inline void gate_stack_places_add(struct gate_stack_places *places, uint64_t place, uint32_t entry) {
    while (places->filled <= place >> GATE_STACK_PLACES_BITS)
        places->first[places->filled++] = entry;
}

/** The first entry that may stand at `place`, of `count` that there are. */
static inline uint32_t gate_stack_places_from(const struct gate_stack_places *places, uint64_t place, uint32_t count) {
    size_t stretch = place >> GATE_STACK_PLACES_BITS;
    return stretch < places->filled ? places->first[stretch] : count;
}

#endif
