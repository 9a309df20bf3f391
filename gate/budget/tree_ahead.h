/* SPDX-License-Identifier: Apache-2.0 */
/* Call trees that will be wanted, made while the budgets are decided, which takes about as long.
 * Pipeline: compare/tree.h -> budget/tree_ahead.h -> budget/second_look.h, report/trees.h */
#ifndef GATE_BUDGET_TREE_AHEAD_H
#define GATE_BUDGET_TREE_AHEAD_H

#include "gate/compare/comparison.h"
#include "gate/rules/rules.h"

/** What is done beside. It must not touch the trees of the comparisons, and takes no memory of `arena`'s forks. */
typedef bool gate_tree_ahead_work(void *context);

/** Something else to be done meanwhile, whose end nobody waits for but the trees': it reads the frames of the
 * comparisons alone. `run` NULL: nothing. */
struct gate_errand {
    void (*run)(void *context, const struct gate_comparison *comparisons, uint32_t count);
    void *context;
};

struct gate_tree_ahead_options {
    const struct gate_rules *rules; /* that `work` goes by */
    bool are_drawn;                 /* by reports */
    bool is_last_walk;              /* no report walks stacks besides */
    gate_tree_ahead_work *walk;     /* then `work`, which walks stacks for what its rules ask alone */
    gate_tree_ahead_work *work;
    void *context; /* of both */
    struct gate_errand errand;
};

/**
 * walk(context), then work(context), and in a thread of its own the trees by caller of those comparisons that have
 * likely renames, or where reports draw them those of all, and by callee too. Returns what both do. A tree that could
 * not be made stays NULL: who wants it makes it then, and says what is wrong. Where there are trees to be made, the
 * errand is done behind them.
 *
 * Of large profiles whose stacks nobody needs besides, trees come first, beside `walk`, and what only walks over stacks
 * need is given back before `work` (gate_pair_spend), which takes as much memory where functions are many.
 */
GATE_MUST_CHECK
bool gate_tree_ahead(struct gate_comparison *comparisons, uint32_t count, const struct gate_tree_ahead_options *options,
                     struct gate_arena *arena);

/** Make the tree by caller, at GATE_COMPARISON_TREE_SHARE, unless there is one. */
GATE_MUST_CHECK
bool gate_tree_ahead_make(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err);

#endif
