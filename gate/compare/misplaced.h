/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of a JVM in which samples of inlined methods are misplaced. Signal skid is elsewhere: names/frame_name
 * recognises its frames, and compare/walk folds them into their callers. */
#ifndef GATE_COMPARE_MISPLACED_H
#define GATE_COMPARE_MISPLACED_H

#include "gate/compare/pair_types.h"

/*
 * The JVM's compiled code tells of some of its instructions only which method they belong to: without
 * -XX:+DebugNonSafepoints of those at safepoints, with it of all but those that its compiler moved or made. The method
 * at the leaf of a stack is then any of those that were inlined into one compiled method; that one, and all its
 * callers, are right. See docs/statistics.md, "What the other functions tell".
 */

/** What a function costs in stacks whose leaf was inlined into one compiled method, or is that method itself. */
struct gate_misplaced_cost {
    uint32_t frame;           /* what they are charged to, if the own function nearest to the leaf is in that compiled
                               * code, too; pair->frame_count: own code that only one side has, once more */
    uint32_t unit;            /* the compiled method */
    int64_t cost[GATE_SIDES]; /* in the pair's unit */
};

/** Find such costs, of CPU time of a JVM. `pair->misplaced` stays NULL if no leaf was inlined, as where the profile
 * does not tell what was, and with a granularity other than functions. O(samples * depth). Memory: 40 bytes per pair of
 * function and compiled method. err: errors of reading samples. */
GATE_MUST_CHECK
bool gate_misplaced_find(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err);

#endif
