/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the samples of a profile: stack, values, labels. */
#ifndef GATE_MODEL_SAMPLE_H
#define GATE_MODEL_SAMPLE_H

#include "gate/model/profile.h"

/* ---- walk -----------------------------------------------------------------------------------------------------------
 *
 * Samples are read in place from the inflated bytes by a bounds-checked reader, in O(1) memory and without message
 * objects. protobuf-c is not used: unpacking 1 M samples takes 4 times as long as inflating and 7 times the memory. */

/** One stack: location ids as packed varints, leaf first. Compare by bytes; read with gate_stack_next. */
struct gate_stack_ref {
    const uint8_t *ids;
    uint32_t len; /* bytes */
};

/** One label of a sample, with a text or a number. */
struct gate_label {
    struct gate_str key;
    struct gate_str text; /* value of a string label; .ptr is NULL for a numeric label */
    int64_t number;       /* value of a numeric label, in `unit` */
    struct gate_str unit; /* may be empty */
};

/**
 * Return the stack at `at`, which is stored as its length in bytes, a varint, and its ids. For stacks that are known to
 * be well formed.
 */
static inline struct gate_stack_ref gate_stack_stored(const uint8_t *at) {
    uint32_t len = *at & 0x7Fu;
    for (unsigned shift = 7; *at++ & 0x80u; shift += 7)
        len |= (*at & 0x7Fu) << shift;
    return (struct gate_stack_ref){at, len};
}

enum { GATE_VALUES_MAX = 64 };

/** One decoded sample. */
struct gate_sample {
    struct gate_stack_ref stack;
    uint32_t value_count;
    int64_t values[GATE_VALUES_MAX];
    struct gate_str label_bytes; /* the raw label fields; read with gate_labels_of */
    uint32_t label_count;
};

/** Position of a walk. `scratch` is a reused buffer for stacks whose ids are not in one packed field. */
struct gate_sample_cursor {
    const struct gate_profile *profile;
    uint64_t left;           /* samples left; UINT64_MAX if the samples are not counted yet */
    size_t at;               /* offset of the end of the current sample */
    const uint8_t *packed;   /* the next sample, if the profile's samples are packed */
    struct gate_str message; /* bytes of the current sample */
    uint8_t *scratch;        /* allocated with malloc */
    size_t scratch_size;
};

/** Start before the first sample of `profile`. Call gate_sample_end at the end. */
void gate_sample_begin(struct gate_sample_cursor *cursor, const struct gate_profile *profile);

/** Free the scratch buffer. */
void gate_sample_end(struct gate_sample_cursor *cursor);

/** Read the next sample. Returns false at the end (`err->code` is GATE_OK) or on an error. `sample->stack` points into
 * the profile's bytes, or if gate_stack_is_borrowed returns true, into the cursor until the next call. O(bytes of the
 * sample). err: GATE_ERR_FORMAT: malformed sample; GATE_ERR_LIMIT: sample above 4 GiB; GATE_ERR_MEMORY. */
GATE_MUST_CHECK
bool gate_sample_next(struct gate_sample_cursor *cursor, struct gate_sample *sample, struct gate_error *err);

/** Return true if `stack` is in the scratch buffer of `cursor`, which the next sample overwrites. */
bool gate_stack_is_borrowed(const struct gate_sample_cursor *cursor, struct gate_stack_ref stack);

/** Iterator over the labels of one sample. */
struct gate_label_walk {
    const struct gate_profile *profile;
    struct gate_str rest;
};

/** Start at the first label of the cursor's current sample. Valid until the cursor advances. */
struct gate_label_walk gate_labels_of(const struct gate_sample_cursor *cursor);

/** Read the next label. Returns false at the end. */
bool gate_labels_next(struct gate_label_walk *walk, struct gate_label *label);

/** Return the number of locations in a stack. O(bytes), 8 bytes at a time. */
uint32_t gate_stack_depth(struct gate_stack_ref stack);

/**
 * Read one location id of a packed stack. Returns false at the end. `*at` is a byte offset. Never reads past
 * `stack.len`.
 */
static inline bool gate_stack_next(struct gate_stack_ref stack, uint32_t *at, uint64_t *id) {
    uint32_t i = *at;
    if (i >= stack.len)
        return false;
    uint64_t value = stack.ids[i] & 0x7Fu;
    unsigned shift = 7;
    while (stack.ids[i++] & 0x80u) {
        if (i >= stack.len || shift > 63)
            break;
        value |= (uint64_t)(stack.ids[i] & 0x7Fu) << shift;
        shift += 7;
    }
    *at = i;
    *id = value;
    return true;
}

/* ---- fast id check, 16 bytes at a time ------------------------------------------------------------------------------
 *
 * Checking the ids of all samples takes most of the time of checking a profile. */

/**
 * Return true if all ids are certainly from 1 to `count`. False means unknown: check each id. That is the case if
 * `count` is below 2^7 or at least 2^21, or if a stack of 18 bytes or more has an overlong varint.
 *
 * stack   ends with the last byte of an id, as every stack of a sample does
 * depth   set to the number of ids if the result is true
 *
 * O(bytes).
 */
GATE_MUST_CHECK bool gate_stack_ids_are_within(uint32_t *depth, struct gate_stack_ref stack, uint32_t count);

#endif
