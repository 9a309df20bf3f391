/* SPDX-License-Identifier: Apache-2.0 */
/* The function that makes the garbage collector work more, by the allocations in the same profiles; and whether the
 * collector works more where they have none. */
#ifndef GATE_COMPARE_ALLOCATOR_H
#define GATE_COMPARE_ALLOCATOR_H

#include "gate/compare/comparison.h"

/** Own code whose allocations grew. */
struct gate_allocator {
    struct gate_str function;
    int64_t bytes[GATE_SIDES]; /* allocated by it and the libraries beneath it, in all runs of a side */
};

/**
 * If the collector of a flight recording (GATE_COLLECTOR_FRAME) has a larger part of CPU time than before, set
 * `comparison->allocator`: the own function whose allocations per second grew most. It stays NULL if the profiles have
 * no `alloc_space` that can be compared, such as a total of zero. It also does if allocations grew by less than a
 * fifth, or if no function has a third of that growth.
 *
 * options  those of the comparison; `sample_type` is not used
 *
 * O(bytes of samples).
 */
GATE_MUST_CHECK
bool gate_allocator_find(struct gate_comparison *comparison, const struct gate_pair_options *options,
                         struct gate_arena *arena, struct gate_error *err);

/**
 * Fill `share` with the part of each side that Go's collector has on threads of its own. Return whether it is larger
 * in the canary by more than 2 points: either more is allocated, or a setting changed. Shares are 0 for other
 * languages, and for waiting. O(frames).
 */
bool gate_allocator_go_collector(double share[GATE_SIDES], const struct gate_comparison *comparison);

#endif
