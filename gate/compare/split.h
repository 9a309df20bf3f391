/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the cost of one side into own code, third parties, libraries and the rest, for `inspect`. */
#ifndef GATE_COMPARE_SPLIT_H
#define GATE_COMPARE_SPLIT_H

#include "gate/compare/delta.h"

/**
 * Compute the share of each side's cost that is self cost of frames without a name. 0 with GATE_BY_MAPPING, where a
 * frame is a binary. O(frames).
 */
void gate_split_unnamed(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas);

/**
 * Return whether a frame without a name hides functions that should be compared. The kernel and shared libraries of the
 * system do not: they are compared as one frame each, and their cost is charged to own code. If the profile has no own
 * code, every frame without a name does. O(rows of the own-code table).
 */
bool gate_split_is_hidden(const struct gate_pair *pair, const struct gate_frame *frame);

/** As gate_split_unnamed, of the frames of gate_split_is_hidden only. */
void gate_split_hidden(double share[GATE_SIDES], const struct gate_pair *pair, const struct gate_delta_list *deltas);

#endif
