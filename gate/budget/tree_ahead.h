/* SPDX-License-Identifier: Apache-2.0 */
/* Call trees that will be wanted, made while the budgets are decided, which takes about as long.
 * Pipeline: compare/tree.h -> budget/tree_ahead.h -> budget/second_look.h, report/trees.h */
#ifndef GATE_BUDGET_TREE_AHEAD_H
#define GATE_BUDGET_TREE_AHEAD_H

#include "gate/compare/comparison.h"

/** What is done beside. It must not touch the trees of the comparisons, and takes no memory of `arena`'s forks. */
typedef bool gate_tree_ahead_work(void *context);

/**
 * work(context), and in a thread of its own the trees by caller of those comparisons that have likely renames, or where
 * reports draw them those of all, and by callee too. Returns what `work` does. A tree that could not be made stays
 * NULL: who wants it makes it then, and says what is wrong.
 */
GATE_MUST_CHECK
bool gate_tree_ahead(struct gate_comparison *comparisons, uint32_t count, bool are_drawn, struct gate_arena *arena,
                     gate_tree_ahead_work *work, void *context);

/** Make the tree by caller, at GATE_COMPARISON_TREE_SHARE, unless there is one. */
GATE_MUST_CHECK
bool gate_tree_ahead_make(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err);

#endif
