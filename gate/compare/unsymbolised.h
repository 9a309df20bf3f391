/* SPDX-License-Identifier: Apache-2.0 */
/* What refuses profiles without function names (profile/address_name.h says which names are none).
 * Used by budget/plan.c and budget/hypotheses.c. */
#ifndef GATE_COMPARE_UNSYMBOLISED_H
#define GATE_COMPARE_UNSYMBOLISED_H

#include "gate/compare/pair_types.h"

/**
 * Whether a frame is only known by what it was compiled into: it stands for all code without names there, so it being
 * new says that symbols are missing, not that code is new. By mapping, that is what a frame is meant to be.
 */
static inline bool gate_unsymbolised_is_frame(const struct gate_pair *pair, const struct gate_frame *frame) {
    return !frame->is_symbolised && pair->granularity != GATE_BY_MAPPING;
}

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
