/* SPDX-License-Identifier: Apache-2.0 */
/* What a function costs itself, as a box beside those that it calls.
 * Pipeline: compare/tree.h -> report/self_boxes.h -> report/trees.h */
#ifndef GATE_REPORT_SELF_BOXES_H
#define GATE_REPORT_SELF_BOXES_H

#include "gate/compare/tree.h"

/**
 * `tree` with one more child, behind the others, for each node that costs something itself beside what it calls: of the
 * same frame, marked is_self, its total the node's self. A node that is nothing but self gets none, nor does one whose
 * self is below `min_share` on both sides. The self of a new node is 0, since its parent has it.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(nodes).
 */
GATE_MUST_CHECK
bool gate_self_boxes_add(struct gate_tree *out, const struct gate_tree *tree, double min_share,
                         struct gate_arena *arena, struct gate_error *err);

#endif
