/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the call trees that causes and reports need, in parallel with the decision on the budgets. */
#ifndef GATE_BUDGET_CALL_TREES_H
#define GATE_BUDGET_CALL_TREES_H

#include "gate/budget/hypotheses.h"
#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"
#include "gate/guards/guard_check.h"
#include "gate/rules/rules.h"

/* ---- trees built ahead ------------------------------------------------------------------------------------------- */

/* Deciding and building the trees take about the same time. */

/**
 * Work done in parallel with the trees. It must not use the trees of the comparisons or allocate from `arena`'s forks.
 * Returns false on an error.
 */
typedef bool gate_tree_ahead_work(void *context);

/** Another task to run in parallel with the trees; it may only read the frames of the comparisons. `run` NULL: none. */
struct gate_background_task {
    void (*run)(void *context, const struct gate_comparison *comparisons, uint32_t count);
    void *context;
};

struct gate_tree_ahead_options {
    const struct gate_rules *rules; /* the rules that `work` applies */
    bool are_drawn;                 /* reports draw the trees */
    bool is_last_walk;              /* no report walks stacks afterwards */
    gate_tree_ahead_work *walk;     /* runs before `work`; unlike `work`, it may walk stacks for any rules */
    gate_tree_ahead_work *work;
    void *context; /* argument of both */
    struct gate_background_task task;
};

/**
 * Run walk(context) and then work(context) while another thread builds call trees. Trees by caller are built for the
 * comparisons with likely renames. If reports draw trees, all comparisons get trees by caller and by callee. Returns
 * whether both functions succeeded. A tree that could not be built stays NULL; its user builds it later and reports the
 * error. `task` runs after the trees, and only if there are trees to build.
 *
 * If profiles are large and nothing else needs their stacks, the trees are built in parallel with `walk` only. Memory
 * that only stack walks need is freed before `work` (gate_pair_spend), because `work` needs as much memory if there are
 * many functions.
 */
GATE_MUST_CHECK
bool gate_tree_ahead(struct gate_comparison *comparisons, uint32_t count, const struct gate_tree_ahead_options *options,
                     struct gate_arena *arena);

/* ---- second look ------------------------------------------------------------------------------------------------- */

/* Checks on decided hypotheses that need a call tree: cost that moved, and functions that were renamed. */

/** Minimum node share of the trees used here and in budget/cause.h. */
#define GATE_SECOND_LOOK_MIN_SHARE 0.002

/** Make the tree for a second look at comparison `index`: for budget/moved_cost.h, budget/replaced.h and
 * budget/readings.h. `*tree` is the comparison's tree at GATE_SECOND_LOOK_MIN_SHARE, or NULL if there is nothing to
 * look at. It is pruned from comparison->tree, which flame graphs use too. O(stack slots). */
GATE_MUST_CHECK
bool gate_second_look_tree(const struct gate_tree **tree, const struct gate_hypothesis_list *list,
                           const struct gate_rules *rules, struct gate_comparison *comparison, uint32_t index,
                           struct gate_arena *arena, struct gate_error *err);

#endif
