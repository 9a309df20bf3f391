/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of one stack keep its ids once: while a profile is checked, its own bytes are rewritten in place, and what is
 * left over is given back. No walk over the samples sees a difference (profile/sample.h).
 * Pipeline: profile/decoder_samples.h -> profile/stack_sharing.h -> profile/stacks.h, which knows stacks by their place
 */
#ifndef GATE_PROFILE_STACK_SHARING_H
#define GATE_PROFILE_STACK_SHARING_H

#include "gate/profile/sample.h"

/** Shorter stacks stay as they are: naming another place takes as much. */
enum { GATE_STACK_SHARING_LEAST_BYTES = 16, GATE_STACK_SHARING_BATCH = 32 };

/** A sample that is checked and not written yet. */
struct gate_stack_sharing_sample {
    uint8_t *from, *end; /* with its tag and its length */
    struct gate_stack_ref stack;
    uint32_t head;  /* bytes in front of the ids' field */
    uint32_t tag;   /* of the hash */
    bool is_listed; /* ids first, in one piece, and long enough */
};

struct gate_stack_sharing_slot {
    uint32_t tag;
    uint32_t place; /* of the field of ids in the bytes; 0: free */
};

struct gate_stack_sharing {
    struct gate_profile *profile; /* NULL: its bytes are somebody else's, and nothing is rewritten */
    uint8_t *bytes;
    struct gate_arena *arena;
    struct gate_stack_sharing_slot *slots; /* a power of two */
    size_t slot_count, count;
    uint64_t secret;
    uint8_t *to;      /* behind what is written */
    uint8_t *run_end; /* samples from there on stood here, one behind the other */
    struct gate_stack_sharing_sample waiting[GATE_STACK_SHARING_BATCH];
    uint32_t waiting_count;
    bool is_complete; /* no two stacks that are long enough are equal and apart */
};

/** `own`: the bytes of `profile`, to be rewritten, or NULL. `arena` is for what is given back at the end. */
void gate_stack_sharing_begin(struct gate_stack_sharing *sharing, struct gate_profile *profile, uint8_t *own,
                              struct gate_arena *arena);

/** The cursor's current sample, which is as it should be. Whatever stands before the cursor may be moved. */
void gate_stack_sharing_add(struct gate_stack_sharing *sharing, const struct gate_sample_cursor *cursor,
                            const struct gate_sample *sample);

/** After the last sample; sets what profile->has_shared_stacks and profile->has_unique_stacks say. */
void gate_stack_sharing_end(struct gate_stack_sharing *sharing);

#endif
