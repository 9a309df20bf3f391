/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted order of names, and of numbers. */
#ifndef GATE_BASE_SORT_H
#define GATE_BASE_SORT_H

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "gate/base/str.h"

/** A name, and the caller's index of the thing with that name. */
struct gate_name_key {
    struct gate_str name;
    uint32_t index;
};

/** A number, and the caller's index of the thing that it belongs to. */
struct gate_ranked {
    double value;
    uint32_t index;
};

/** Sort by gate_str_compare, equal names by index. O(count * log count * length of a common beginning). */
void gate_name_keys_sort(struct gate_name_key *keys, size_t count);

/** Sort numbers, the smallest first. O(count * log count). */
void gate_doubles_sort(double *values, size_t count);

/** Sort by value, the smallest first, equal values by index. No value may be NaN. O(count * log count). */
void gate_ranked_sort(struct gate_ranked *rows, size_t count);

/**
 * Fill `order` with the indices of `values`, largest value first. Equal values stay in index order. O(count * log
 * count).
 *
 * values  `count` numbers; none may be NaN
 * arena   scratch memory
 */
GATE_MUST_CHECK
bool gate_ranking_largest_first(uint32_t *order, const double *values, uint32_t count, struct gate_arena *arena,
                                struct gate_error *err);

#endif
