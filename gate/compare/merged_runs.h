/* SPDX-License-Identifier: Apache-2.0 */
/* Merges runs that share their stacks, for what depends on the sum of a side only. */
#ifndef GATE_COMPARE_MERGED_RUNS_H
#define GATE_COMPARE_MERGED_RUNS_H

#include "gate/compare/pair.h"

/**
 * Make `out` a copy of `pair` in which neighbouring runs of a side are one run, if they share their stacks
 * (model/shared_tables.h) and their frames. Its values are in the pair's unit. Squared weights and totals of runs are
 * not set, so it is for call trees only.
 *
 * Returns false if the arena is full. O(stacks of all runs). Memory: 32 bytes per distinct stack of a side.
 */
GATE_MUST_CHECK
bool gate_merged_runs_make(struct gate_pair *out, const struct gate_pair *pair, struct gate_arena *arena);

#endif
