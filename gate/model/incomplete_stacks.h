/* SPDX-License-Identifier: Apache-2.0 */
/* Detects stacks that a profiler truncated at its depth limit or could not unwind to the end. */
#ifndef GATE_MODEL_INCOMPLETE_STACKS_H
#define GATE_MODEL_INCOMPLETE_STACKS_H

#include "gate/model/sample.h"

/* ---- truncated stacks -----------------------------------------------------------------------------------------------
 *
 * A stack at a profiler's depth limit may be complete by chance. A complete stack starts at an entry point, as
 * shorter stacks do; a truncated one starts inside the program. */

/**
 * State of one pass over a profile. All fields but `profile` are 0 if its deepest stack is not at a known depth
 * limit.
 */
struct gate_cut_stacks {
    const struct gate_profile *profile;
    uint32_t depth;    /* the depth limit; 0: no stack can be truncated */
    uint8_t *is_root;  /* 1 if a shorter stack starts here; indexed by function, then by location without function */
    uint32_t *deepest; /* number of stacks at the limit that start here */
    double *values;    /* sum of the values of those stacks */
};

/** Start a pass over `profile`. The arrays are allocated from `arena`. O(functions + locations). err: GATE_ERR_LIMIT or
 * GATE_ERR_MEMORY: `arena` is full. */
GATE_MUST_CHECK
bool gate_cut_stacks_begin(struct gate_cut_stacks *out, const struct gate_profile *profile, struct gate_arena *arena,
                           struct gate_error *err);

/** Add a stack of the profile that is `depth` locations deep. O(depth). */
void gate_cut_stacks_add(struct gate_cut_stacks *cut, struct gate_stack_ref stack, uint32_t depth, double value);

/**
 * Return the number of truncated stacks and set `value` to the sum of their values. Returns 0 if there is only one,
 * which is not enough evidence.
 */
uint32_t gate_cut_stacks_count(const struct gate_cut_stacks *cut, double *value);

/* ---- stacks that were not unwound to the end ------------------------------------------------------------------------
 *
 * This is not the same as missing symbols: names can be looked up later, lost callers cannot. */

/** What the outermost frame shows about the unwinding. */
enum gate_unwinding {
    GATE_UNWINDING_WHOLE,
    GATE_UNWINDING_LOST, /* ends in an address outside of all files or in "[unknown]": the unwinder took a wrong turn */
    GATE_UNWINDING_ALONE /* one native frame without a caller: unwinding did not start */
};

/**
 * Classify one stack. ALONE is only a suspicion, as a program's first function has no caller either: require many of
 * them. O(depth).
 */
enum gate_unwinding gate_unwinding_look(const struct gate_profile *profile, struct gate_stack_ref stack);

#endif
