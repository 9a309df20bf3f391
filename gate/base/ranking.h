/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting many numbers by their bits: for tables of every frame, where comparing pairs of them takes ten times as long.
 * Neighbours: compare/comparison.h orders frames by this. */
#ifndef GATE_BASE_RANKING_H
#define GATE_BASE_RANKING_H

#include "gate/base/arena.h"
#include "gate/base/error.h"

/**
 * Fill `order` with the indices of `values`, largest value first, equal ones in the order of their indices. None of
 * them is less than 0 or not a number. Scratch memory comes from `arena`. O(count): eight passes at most.
 */
GATE_MUST_CHECK
bool gate_ranking_largest_first(uint32_t *order, const double *values, uint32_t count, struct gate_arena *arena,
                                struct gate_error *err);

#endif
