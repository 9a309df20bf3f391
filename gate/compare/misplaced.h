/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a JVM in which samples of inlined methods are misplaced. Signal skid is elsewhere: names/frame_name
 * recognises its frames, and compare/walk folds them into their callers. */
#ifndef GATE_COMPARE_MISPLACED_H
#define GATE_COMPARE_MISPLACED_H

#include "gate/compare/pair_types.h"

/*
 * Compiled code of the JVM has debug information for some instructions only. Without -XX:+DebugNonSafepoints these are
 * the safepoints, with it all instructions but those that the compiler moved or made. A sample elsewhere gets the debug
 * information of an instruction near it. So the leaf of its stack may be any method that was inlined into the compiled
 * method. The compiled method itself and its callers are right. See docs/statistics.md, "Other readings".
 */

/** The cost of a function in stacks whose leaf is one compiled method, or was inlined into it. */
struct gate_misplaced_cost {
    uint32_t frame; /* function that these stacks are charged to. Only stacks whose leafmost own function is in `unit`
                       count. pair->frame_count: the part of the cost whose leafmost own function is on one side only.
                       That part is in the item of its charged function, too */
    uint32_t unit;  /* the compiled method */
    int64_t cost[GATE_SIDES]; /* in the pair's unit */
};

/** Set pair->misplaced to the costs that may be misplaced, of CPU time of a JVM. It stays NULL if no leaf was inlined,
 * if the profile does not show inlining, or if the granularity is not functions. O(samples * depth). Memory: 40 bytes
 * per pair of function and compiled method. err: errors of reading samples. */
GATE_MUST_CHECK
bool gate_misplaced_find(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err);

#endif
