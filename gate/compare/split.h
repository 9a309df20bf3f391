/* SPDX-License-Identifier: Apache-2.0 */
/* Where one side's cost lies: with the program's own code, with third parties, or with nobody's here.
 * Pipeline: compare/delta.h -> compare/split.h -> report/inspect.h */
#ifndef GATE_COMPARE_SPLIT_H
#define GATE_COMPARE_SPLIT_H

#include "gate/compare/delta.h"

enum gate_split_part {
    GATE_SPLIT_OWN,         /* frames of the program's own, by what is charged to them */
    GATE_SPLIT_THIRD_PARTY, /* third parties that count as the program's own, by what is charged to them */
    GATE_SPLIT_REMAINDER,   /* roots of stacks without either, by what is left to them */
    GATE_SPLIT_LIBRARY,     /* frames that do not count as the program's own, by what they cost themselves */
    GATE_SPLIT_PARTS
};

const char *gate_split_name(enum gate_split_part part); /* "own", "third_party", ...: keys in JSON; static text */

struct gate_split_row {
    uint32_t frame; /* of the pair */
    int64_t value;  /* in the pair's unit */
};

/** Frames of one part, the largest first, then by name. Frames of a value of 0 are among them. */
struct gate_split_list {
    struct gate_split_row *rows; /* arena memory */
    uint32_t count;
    int64_t total;
};

/**
 * Own, third-party and remainder share out all cost that has a stack; library is another view of the same cost.
 * Where nothing is the program's own (pair->has_no_own), own and remainder are empty: nothing is charged to anybody.
 */
struct gate_split {
    struct gate_split_list parts[GATE_SPLIT_PARTS];
    int64_t unsymbolised; /* self cost of frames without a name */
    bool is_all_own;      /* no library costs anything by itself */
};

/** The split of one side. O(frames log frames). */
GATE_MUST_CHECK
bool gate_split_make(struct gate_split *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     enum gate_side_name side, struct gate_arena *arena, struct gate_error *err);

#endif
