/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the cost of one side into own code, third parties, libraries and the rest, for `inspect`. */
#ifndef GATE_COMPARE_SPLIT_H
#define GATE_COMPARE_SPLIT_H

#include "gate/compare/delta.h"

enum gate_split_part {
    GATE_SPLIT_OWN,         /* own-code frames, by charged cost */
    GATE_SPLIT_THIRD_PARTY, /* third-party frames that count as own code, by charged cost */
    GATE_SPLIT_REMAINDER,   /* roots of stacks without own code, by charged cost */
    GATE_SPLIT_LIBRARY,     /* frames that are not own code, by self cost */
    GATE_SPLIT_PARTS
};

const char *gate_split_name(enum gate_split_part part); /* "own", "third_party", ...: keys in JSON; static text */

struct gate_split_row {
    uint32_t frame; /* index in the pair's frames */
    int64_t value;  /* in the pair's unit */
};

/** Frames of one part, largest first, then by name; includes frames with value 0. */
struct gate_split_list {
    struct gate_split_row *rows; /* arena memory */
    uint32_t count;
    int64_t total;
};

/**
 * Own, third-party and remainder together are all cost with a stack. Library is another view of the same cost. If
 * nothing is own code (pair->has_no_own), own and remainder are empty.
 */
struct gate_split {
    struct gate_split_list parts[GATE_SPLIT_PARTS];
    int64_t unsymbolised; /* self cost of frames without a name */
    bool is_all_own;      /* no library has self cost */
};

/**
 * Split the cost of one side.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(frames log frames).
 */
GATE_MUST_CHECK
bool gate_split_make(struct gate_split *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     enum gate_side_name side, struct gate_arena *arena, struct gate_error *err);

/**
 * Compute the share of each side's cost that is self cost of frames without a name. 0 with GATE_BY_MAPPING, where a
 * frame is a binary. O(frames).
 */
void gate_split_unnamed(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas);

#endif
