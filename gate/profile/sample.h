/* SPDX-License-Identifier: Apache-2.0 */
/* Samples, walked in place in the inflated bytes by a bounds-checked reader. O(1) memory, no message objects.
 * Why not protobuf-c: unpacking a million Sample messages costs four times the inflating and seven times the memory. */
#ifndef GATE_PROFILE_SAMPLE_H
#define GATE_PROFILE_SAMPLE_H

#include "gate/profile/profile.h"

/** One location list: always packed varints, leaf first. Compare by bytes; read with gate_stack_next. */
struct gate_stack_ref {
    const uint8_t *ids;
    uint32_t len; /* bytes */
};

struct gate_label {
    struct gate_str key;
    struct gate_str text; /* a string label: .ptr not NULL */
    int64_t number;       /* else this, with its unit */
    struct gate_str unit; /* may be empty */
};

/* A sample that begins with a 0 names its stack: the place of the ids in the profile's bytes, and their length, in four
 * bytes each (profile/stack_sharing.h). */
enum { GATE_SAMPLE_REFERENCE_BYTES = 9 };

enum { GATE_VALUES_MAX = 64 };

struct gate_sample {
    struct gate_stack_ref stack;
    uint32_t value_count;
    int64_t values[GATE_VALUES_MAX];
    struct gate_str label_bytes; /* the raw label fields, concatenated only when read */
    uint32_t label_count;
};

/** Position of a walk. `scratch` holds repacked stacks of samples that were not packed; it is reused. */
struct gate_sample_cursor {
    const struct gate_profile *profile;
    uint64_t left;           /* samples; no more than there are bytes where nobody counted them */
    size_t from, at;         /* where the current sample begins, with its tag, and ends */
    struct gate_str message; /* its bytes */
    uint8_t *scratch;        /* malloc'ed */
    size_t scratch_size;
};

void gate_sample_begin(struct gate_sample_cursor *cursor, const struct gate_profile *profile);
void gate_sample_end(struct gate_sample_cursor *cursor);

/**
 * The next sample; false at the end (`err->code` GATE_OK) or on an error. `sample->stack` points into the profile's
 * bytes, or into the cursor until the next call when `gate_stack_is_borrowed` says so. O(bytes of the sample).
 */
GATE_MUST_CHECK
bool gate_sample_next(struct gate_sample_cursor *cursor, struct gate_sample *sample, struct gate_error *err);

bool gate_stack_is_borrowed(const struct gate_sample_cursor *cursor, struct gate_stack_ref stack);

/** A walk over the labels of one sample. */
struct gate_label_walk {
    const struct gate_profile *profile;
    struct gate_str rest;
};

/** The labels of the cursor's current sample, until it goes on. */
struct gate_label_walk gate_labels_of(const struct gate_sample_cursor *cursor);

/** False at the end. */
bool gate_labels_next(struct gate_label_walk *walk, struct gate_label *label);

/** Locations in a stack. O(bytes), eight at a time. */
uint32_t gate_stack_depth(struct gate_stack_ref stack);

/** Read one location id of a packed stack; false at its end. `*at` is a byte offset. Never reads past `stack.len`. */
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

#endif
