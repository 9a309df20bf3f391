/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces memory: rewrites a profile's own bytes in place, so that a large file needs no second copy. See
 * docs/performance.md. */
#ifndef GATE_MODEL_IN_PLACE_H
#define GATE_MODEL_IN_PLACE_H

#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/model/wire.h"

#include <stdint.h>

/* ---- gaps: bytes that are no longer used, turned into one protobuf field that readers skip ----------------------- */

enum { GATE_BYTE_GAP_LEAST = 6 };

/**
 * Turn the bytes from `from` to `end` into one field that readers skip. The field's tag and length take
 * GATE_BYTE_GAP_LEAST bytes, so the range has at least that size. Bytes between the head and `unused` keep their
 * contents. Whole pages between `unused` and `end` are returned to the system.
 */
void gate_byte_gap_make(uint8_t *from, uint8_t *end, uint8_t *unused);

/* ---- release of a profile's bytes -----------------------------------------------------------------------------------
 *
 * After the last walk over samples and locations, only strings and the tables outside the bytes are kept. */

/**
 * Record that `own`, the bytes of `profile`, have no other owner. Call after the strings are read. Returns false if
 * `arena` is full.
 */
GATE_MUST_CHECK
bool gate_own_bytes_note(struct gate_profile *profile, uint8_t *own, struct gate_arena *arena);

/**
 * Free everything but strings. No holder of `profile` may start a walk over samples or locations afterwards. Does
 * nothing if the bytes have another owner.
 */
void gate_own_bytes_spend(const struct gate_profile *profile);

/* ---- locations ------------------------------------------------------------------------------------------------------
 *
 * Packed in place while a profile is read, which halves their bytes; the rest is returned to the system. Readers see
 * no difference (model/location.h). */

/** State of packing the locations of one profile. */
struct gate_location_packing {
    struct gate_profile *profile; /* NULL: the bytes have another owner, nothing is rewritten */
    uint8_t *bytes;
    uint8_t *region; /* start of the current run of adjacent locations; NULL: no run yet */
    uint8_t *region_end;
    uint8_t *to; /* end of the bytes written so far */
};

/** Start packing. `own` is the bytes of `profile`, which are rewritten; NULL disables packing. */
void gate_location_packing_begin(struct gate_location_packing *packing, struct gate_profile *profile, uint8_t *own);

/**
 * Rewrite location `index`, which was checked and is short (gate_location_is_short). Its field starts at `from` and
 * ends with `message`. Bytes before the end of `message` may move. Returns false if the location is left unchanged:
 * there is no room, or packing is disabled.
 */
bool gate_location_packing_add(struct gate_location_packing *packing, uint32_t index, const uint8_t *from,
                               struct gate_wire message, const struct gate_location_numbers *numbers);

/**
 * Release a field that is not read again, such as a function or a location stored outside the bytes
 * (gate_location_put_held). Its bytes stay valid until the next field is added.
 */
void gate_location_packing_drop(struct gate_location_packing *packing, const uint8_t *from, struct gate_wire message);

/** Finish packing after the last location. */
void gate_location_packing_end(struct gate_location_packing *packing);

/* ---- stacks ---------------------------------------------------------------------------------------------------------
 *
 * Samples with equal stacks share one list of ids. Done in place while a profile is checked; the rest is returned to
 * the system. A walk over the samples sees no difference (model/sample.h). */

/** Shorter stacks are not shared: a reference takes as many bytes as their ids. */
enum { GATE_STACK_SHARING_LEAST_BYTES = 16, GATE_STACK_SHARING_BATCH = 32 };

/** A sample that is checked but not written yet. */
struct gate_stack_sharing_sample {
    uint8_t *from, *end; /* of the field, with its tag and its length */
    struct gate_stack_ref stack;
    uint32_t head;  /* bytes before the field of ids */
    uint32_t tag;   /* low 32 bits of the hash of the ids */
    bool is_listed; /* the ids come first, in one field, and are long enough to share */
};

/** A slot of the hash table of stacks. */
struct gate_stack_sharing_slot {
    uint32_t tag;
    uint32_t place; /* offset of the field of ids in the bytes; 0: free slot */
};

/** State of sharing the stacks of one profile. */
struct gate_stack_sharing {
    struct gate_profile *profile; /* NULL: the bytes have another owner, nothing is rewritten */
    uint8_t *bytes;
    struct gate_arena *arena;
    struct gate_stack_sharing_slot *slots; /* hash table; slot_count is a power of two */
    size_t slot_count, count;
    uint64_t secret;
    uint8_t *to;      /* end of the bytes written so far */
    uint8_t *run_end; /* end of the current run of adjacent samples in the input */
    struct gate_stack_sharing_sample waiting[GATE_STACK_SHARING_BATCH];
    uint32_t waiting_count;
    bool is_complete; /* all equal stacks of at least GATE_STACK_SHARING_LEAST_BYTES are shared */
};

/**
 * Start sharing. `own` is the bytes of `profile`, which are rewritten; NULL disables sharing. The hash table is
 * allocated from `arena` and returned to it by gate_stack_sharing_end.
 */
void gate_stack_sharing_begin(struct gate_stack_sharing *sharing, struct gate_profile *profile, uint8_t *own,
                              struct gate_arena *arena);

/** Add the current sample of `cursor`, which was checked. Bytes before the cursor may move. */
void gate_stack_sharing_add(struct gate_stack_sharing *sharing, const struct gate_sample_cursor *cursor,
                            const struct gate_sample *sample);

/** Finish after the last sample. Sets `has_shared_stacks` and `has_unique_stacks` of the profile. */
void gate_stack_sharing_end(struct gate_stack_sharing *sharing);

#endif
