/* SPDX-License-Identifier: Apache-2.0 */
/* Finds runs that differ from the others of their side. */
#ifndef GATE_COMPARE_ODD_RUN_H
#define GATE_COMPARE_ODD_RUN_H

#include "gate/compare/noise.h"

/** Minimum number of runs: with fewer, the odd one cannot be identified. */
enum { GATE_ODD_RUN_LEAST = 5 };

/** An odd run, and the frame whose charged cost differs most from the other runs. */
struct gate_odd_run {
    uint32_t run; /* index in the baseline side */
    uint32_t frame;
    double share;     /* in this run */
    double low, high; /* of the runs that are not odd */
};

struct gate_odd_run_list {
    struct gate_odd_run *items; /* in order of the runs; arena memory */
    uint32_t count;
    bool is_split; /* so many runs are odd that there are two kinds of runs, and none can be called odd */
};

/**
 * Compare each run of the baseline side of `pair` with the others, by the cost charged to each own-code frame. Runtime
 * cost is left out because it follows the load of the host. If more than a quarter of the runs stand out in a frame,
 * good runs have two states there, and the frame is ignored.
 *
 * out   empty if there are fewer than GATE_ODD_RUN_LEAST runs
 *
 * O(runs^2 * frames * log(runs)) per search; the search is repeated while it finds more odd runs.
 */
GATE_MUST_CHECK
bool gate_odd_run_find(struct gate_odd_run_list *out, const struct gate_pair *pair,
                       const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err);

#endif
