/* SPDX-License-Identifier: Apache-2.0 */
/* From the tallies of one side to effective counts: how many equal, independent samples would be as precise.
 * Pipeline: compare/delta.h -> compare/effective.h -> compare/dispersion.h, compare/evidence.h */
#ifndef GATE_COMPARE_EFFECTIVE_H
#define GATE_COMPARE_EFFECTIVE_H

#include "gate/compare/delta.h"

/** One item on one side, its runs summed: what was measured and how precisely. Weights are in the pair's unit. */
struct gate_effective {
    double value, total;
    double item_sq;  /* sum of squared weights of the item's events */
    double total_sq; /* of all events of the side */
    double share;
    double n; /* share (1 - share) / sampling variance of the share; the whole side's where that is 0 / 0 */
};

/** False, with n 0, where a run of the side has no countable events. O(runs). */
bool gate_effective_of(struct gate_effective *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                       uint32_t item, enum gate_measure measure, enum gate_side_name side);

/** Index of a side's first run in the tallies. */
static inline uint32_t gate_first_run(const struct gate_pair *pair, enum gate_side_name side) {
    return side == GATE_BASELINE ? 0 : pair->sides[GATE_BASELINE].run_count;
}

/** Sum of squared weights of all events of a run, in the pair's unit squared. */
static inline double gate_run_weight_sq(const struct gate_run *run) {
    return run->stacks.weight_sq * (double)run->unit_ratio * (double)run->unit_ratio;
}

#endif
