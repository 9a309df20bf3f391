/* SPDX-License-Identifier: Apache-2.0 */
/* What refuses a profile without function names, and which names are none: bare addresses change with every build.
 * Used by compare/frames.c and budget/plan.c. */
#ifndef GATE_COMPARE_UNSYMBOLISED_H
#define GATE_COMPARE_UNSYMBOLISED_H

#include "gate/compare/pair_types.h"

/** "0x4a2f10", "00007f12a4b0c8d0", "sub_4A2F10": an address where a name should be. O(length). */
bool gate_unsymbolised_is_address(struct gate_str name);

/**
 * Refuse a pair in which no frame of either side has a name: what differs could not be told from what moved in memory.
 * By mapping, names are not needed.
 *
 * err   GATE_ERR_INPUT with what to do; names the baseline's first file
 *
 * O(frames).
 */
GATE_MUST_CHECK
bool gate_unsymbolised_refuse(const struct gate_pair *pair, struct gate_error *err);

#endif
