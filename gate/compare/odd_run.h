/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the runs that a noise model is to be made of is not like the others.
 * Pipeline: compare/delta.h + compare/dispersion.h -> compare/odd_run.h -> `pprofgate calibrate`. Formulas:
 * docs/statistics.md, "Noise model". */
#ifndef GATE_COMPARE_ODD_RUN_H
#define GATE_COMPARE_ODD_RUN_H

#include "gate/compare/dispersion.h"

/** Of fewer runs nobody can say which one is odd. */
enum { GATE_ODD_RUN_LEAST = 5 };

/** A run, and the frame whose charged cost tells it from the others most. */
struct gate_odd_run {
    uint32_t run; /* of the baseline side */
    uint32_t frame;
    double share;             /* of this run */
    double median, low, high; /* of the others that are not odd */
    double log_p;             /* two-sided, over all runs and frames */
};

struct gate_odd_run_list {
    struct gate_odd_run *items; /* in the order of the runs; arena memory */
    uint32_t count;
    bool is_split; /* so many are odd that the runs are of two kinds, and none can be called the odd one */
};

/**
 * Hold each run of the baseline side of `pair` against the others, by what is charged to each frame of the program's
 * own: what the runtime costs by itself follows the load of the host. A frame in which more than a quarter of the runs
 * stand out has two states in good runs, and speaks against none of them.
 *
 * O(runs^2 * frames * log(runs)), once for each odd run.
 */
GATE_MUST_CHECK
bool gate_odd_run_find(struct gate_odd_run_list *out, const struct gate_pair *pair,
                       const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err);

#endif
