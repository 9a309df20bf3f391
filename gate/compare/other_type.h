/* SPDX-License-Identifier: Apache-2.0 */
/* Where a sample type cannot be compared, the one of the same profiles that can: for the error's next step.
 * Used by compare/pair.h. */
#ifndef GATE_COMPARE_OTHER_TYPE_H
#define GATE_COMPARE_OTHER_TYPE_H

#include "gate/compare/pair_types.h"
#include "gate/profile/where.h"

/**
 * A sample type that every run of both sides has, without a negative value, and with a sum above zero on each side:
 * of the pair's unit if there is such a one, else the first; empty when there is none. Reads of the pair its type and
 * the inputs of its runs alone, which may be on their way through other threads.
 *
 * O(sample types of the first run + samples of all).
 */
struct gate_str gate_other_type_find(const struct gate_pair *pair, const struct gate_label_filter *where);

#endif
