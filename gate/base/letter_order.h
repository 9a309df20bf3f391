/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting many names that begin alike, as functions of a few packages do: eight letters at a time, each looked at once.
 * Neighbours: compare/comparison.h and compare/tree.h stand frames by name. */
#ifndef GATE_BASE_LETTER_ORDER_H
#define GATE_BASE_LETTER_ORDER_H

#include "gate/base/str.h"

/** A name, and what the caller knows it by. */
struct gate_letter_key {
    struct gate_str name;
    uint64_t letters; /* while sorting: eight of them, the first one highest */
    uint32_t index;
};

/** Sort by gate_str_compare, equal names by index. O(count * (log count + length / 8)), at worst times log count. */
void gate_letter_order_sort(struct gate_letter_key *keys, size_t count);

#endif
