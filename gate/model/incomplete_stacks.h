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
 * The deepest stacks of a profile. Depth is counted as the profiler's limit does: in locations, or in frames with
 * inlined ones.
 */
struct gate_cut_depths {
    uint32_t most;      /* depth of the deepest stack so far */
    uint32_t *shortest; /* depth of the shortest stack of each root: a function, then a location without one */
    uint8_t *limit;     /* per root: 1 + index of the largest limit that one of its stacks reached; 0: none */
    uint32_t *at_limit; /* per root: number of stacks that reached that limit */
    double *values;     /* per root: sum of the values of those stacks */
};

/** State of one pass over a profile. */
struct gate_cut_stacks {
    const struct gate_profile *profile;
    bool is_wanted;                           /* some stack may be truncated */
    struct gate_cut_depths locations, frames; /* depths in locations, in frames; arrays are NULL if unused */
    const struct gate_cut_depths *found;      /* the one that gate_cut_stacks_count chose; NULL: none */
};

/**
 * Start a pass over `profile`. The arrays are allocated from `arena`. O(functions + locations).
 *
 * counts_inlined  the profiler's limit counts inlined frames, as Go's does; else locations alone
 * err             GATE_ERR_LIMIT or GATE_ERR_MEMORY: `arena` is full
 */
GATE_MUST_CHECK
bool gate_cut_stacks_begin(struct gate_cut_stacks *out, const struct gate_profile *profile, bool counts_inlined,
                           struct gate_arena *arena, struct gate_error *err);

/** Add a stack of the profile. O(depth). */
void gate_cut_stacks_add(struct gate_cut_stacks *cut, struct gate_stack_ref stack, double value);

/**
 * Return the number of truncated stacks. Set `value` to the sum of their values, and `depth` to the limit: 32, 64, 127
 * or 128. Returns 0 if there is only one, which is not enough evidence. O(functions + locations).
 */
uint32_t gate_cut_stacks_count(struct gate_cut_stacks *cut, double *value, uint32_t *depth);

/** Return whether a stack of the profile is one of those that gate_cut_stacks_count counted. O(depth). */
bool gate_cut_stacks_has(const struct gate_cut_stacks *cut, struct gate_stack_ref stack);

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
