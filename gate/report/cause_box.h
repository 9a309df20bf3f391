/* SPDX-License-Identifier: Apache-2.0 */
/* Where findings and causes are in a call tree, and what that makes of its boxes.
 * Pipeline: budget/cause.h + compare/tree.h -> report/cause_box.h -> report/trees.h, the reports that lead to a box */
#ifndef GATE_REPORT_CAUSE_BOX_H
#define GATE_REPORT_CAUSE_BOX_H

#include "gate/budget/verdict.h"
#include "gate/compare/tree.h"

/**
 * The node of a cause's frame on the cause's path, in a tree by caller or by owner; of several the one that changed
 * most. GATE_NO_INDEX: the tree has none. O(nodes).
 */
uint32_t gate_cause_box_find(const struct gate_tree *tree, const struct gate_cause *cause);

/**
 * The node that shows a cause: that of gate_cause_box_find, or what its frame costs itself where that changed, and by
 * more than all of it. GATE_NO_INDEX: the tree has none. O(nodes).
 */
uint32_t gate_cause_box_show(const struct gate_tree *tree, const struct gate_cause *cause);

/** Whether a cause is a growth that a budget found broken, so that its box is never grey. */
bool gate_cause_box_is_broken(const struct gate_cause *cause);

/**
 * Set the mark of the nodes that findings over a limit, and causes, are about: for a self budget the box of what the
 * frame costs itself. What is known to have grown is made significant. The tree is judged.
 *
 * err   GATE_ERR_LIMIT the arena is full
 *
 * O(nodes * causes + findings).
 */
GATE_MUST_CHECK
bool gate_cause_box_mark(struct gate_tree *tree, const struct gate_verdict *verdict, uint32_t comparison,
                         struct gate_arena *arena, struct gate_error *err);

#endif
