/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/call_trees.h"

#include "gate/base/parallel.h"
#include "gate/budget/hypotheses.h"
#include "gate/budget/moved_cost.h"
#include "gate/budget/replaced.h"
#include "gate/compare/comparison.h"
#include "gate/compare/tree.h"
#include "gate/compare/tree_judge.h"
#include "gate/rules/rules.h"

/* ---- trees built ahead ------------------------------------------------------------------------------------------- */

/* Return NULL if the arena is full. */
static struct gate_tree *tree_make(const struct gate_comparison *comparison, bool inverted, struct gate_arena *arena,
                                   struct gate_error *err) {
    const struct gate_tree_options options = {.min_share = GATE_COMPARISON_TREE_SHARE, .inverted = inverted};
    struct gate_tree *tree = GATE_NEW_ARRAY(arena, struct gate_tree, 1);
    if (tree == NULL) {
        (void)gate_arena_error(arena, err);
        return NULL;
    }
    return gate_tree_merge(tree, &comparison->pair, &comparison->deltas, &options, arena, err) ? tree : NULL;
}

/** Make the tree by caller at GATE_COMPARISON_TREE_SHARE, unless it exists. */
static bool tree_ahead_make(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err) {
    if (comparison->tree == NULL)
        comparison->tree = tree_make(comparison, false, arena, err);
    return comparison->tree != NULL;
}

static bool callees_make(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err) {
    comparison->callees = tree_make(comparison, true, arena, err);
    return comparison->callees != NULL;
}

/* One thread's trees of all comparisons. */
struct ahead {
    struct gate_comparison *comparisons;
    uint32_t count;
    bool are_drawn;
    bool by_caller, by_callee; /* which trees to build */
    struct gate_arena arena;   /* memory of these trees only */
    bool ok;
};

/* The functions that run in parallel with the trees. */
struct beside {
    const struct gate_tree_ahead_options *options;
    bool is_walk_alone;
    bool ok;
};

/* Return whether functions were likely renamed. False for a part of the samples, because the comparison of all samples
 * reports its renames. */
static bool is_renamed(const struct gate_comparison *comparison) {
    return comparison->part == NULL && gate_replaced_is_wanted(comparison);
}

static bool is_wanted(const struct gate_comparison *comparison, bool are_drawn) {
    return are_drawn || is_renamed(comparison);
}

static void trees_run(void *context) {
    struct ahead *ahead = context;
    struct gate_error unsaid;
    ahead->ok = true;
    for (uint32_t i = 0; ahead->ok && i < ahead->count; i++) {
        struct gate_comparison *comparison = &ahead->comparisons[i];
        bool by_caller = ahead->by_caller && is_wanted(comparison, ahead->are_drawn);
        ahead->ok = (!by_caller || tree_ahead_make(comparison, &ahead->arena, &unsaid)) &&
                    (!ahead->by_callee || callees_make(comparison, &ahead->arena, &unsaid));
    }
}

static void beside_run(void *context) {
    struct beside *beside = context;
    const struct gate_tree_ahead_options *options = beside->options;
    beside->ok = options->walk(options->context) && (beside->is_walk_alone || options->work(options->context));
}

struct task {
    const struct gate_background_task *task;
    const struct gate_comparison *comparisons;
    uint32_t count;
};

static void errand_run(void *context) {
    const struct task *at = context;
    if (at->task->run != NULL)
        at->task->run(at->task->context, at->comparisons, at->count);
}

/* Forget the trees of an earlier or failed verdict: their memory is already freed. */
static void forget(struct gate_comparison *comparisons, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        comparisons[i].tree = NULL;
        comparisons[i].callees = NULL;
    }
}

/* Keep the memory of the trees in `arena`, or free it. */
static void keep(struct ahead *trees, struct gate_arena *arena, bool ok) {
    if (ok)
        gate_arena_absorb(arena, &trees->arena);
    else
        gate_arena_free(&trees->arena);
}

/* Return whether a budget on a group, or with `under`, walks the stacks again. */
static bool rules_walk(const struct gate_rules *rules) {
    for (uint32_t i = 0; i < rules->budget_count; i++)
        if (rules->budgets[i].as_group || rules->budgets[i].select.under.regex != NULL)
            return true;
    return false;
}

/* Return whether samples have labels: exemplars then walk them later (budget/exemplars.h). */
static bool has_labels(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (pair->sides[side].runs[r].input.profile->has_labels)
                return true;
    return false;
}

static bool is_spent_then(const struct gate_comparison *comparisons, uint32_t count,
                          const struct gate_tree_ahead_options *options) {
    bool is_large = false;
    if (!options->are_drawn || !options->is_last_walk || rules_walk(options->rules))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (has_labels(&comparisons[i].pair))
            return false;
        is_large = is_large || gate_pair_is_large(&comparisons[i].pair);
    }
    return is_large;
}

/* Build both trees of each comparison in parallel with `walk`. Then free the memory for stack walks and run `work`. If
 * a tree failed, nothing is freed, because trees may be built later. */
static bool ahead_spend(struct gate_comparison *comparisons, uint32_t count,
                        const struct gate_tree_ahead_options *options, struct gate_arena *arena) {
    struct ahead trees[] = {{.by_caller = true}, {.by_callee = true}};
    struct beside walking = {.options = options, .is_walk_alone = true};
    struct task task = {&options->task, comparisons, count};
    const struct gate_parallel_item items[] = {{.task = beside_run, .context = &walking},
                                               {.task = trees_run, .context = &trees[0]},
                                               {.task = trees_run, .context = &trees[1]},
                                               {.task = errand_run, .context = &task}};
    for (int i = 0; i < 2; i++) {
        trees[i].comparisons = comparisons;
        trees[i].count = count;
        trees[i].are_drawn = true;
        gate_arena_fork(&trees[i].arena, arena);
    }
    gate_parallel_list(items, sizeof items / sizeof *items, true);
    bool ok = trees[0].ok && trees[1].ok;
    for (int i = 0; i < 2; i++)
        keep(&trees[i], arena, ok);
    if (!ok)
        forget(comparisons, count);
    for (uint32_t i = 0; ok && i < count; i++)
        gate_pair_spend(&comparisons[i].pair);
    return walking.ok && options->work(options->context);
}

/* Build the trees in one thread, in parallel with `walk` and `work`. */
static bool ahead_plain(struct gate_comparison *comparisons, uint32_t count,
                        const struct gate_tree_ahead_options *options, struct gate_arena *arena) {
    struct beside deciding = {.options = options};
    struct task task = {&options->task, comparisons, count};
    struct ahead trees = {.comparisons = comparisons,
                          .count = count,
                          .are_drawn = options->are_drawn,
                          .by_caller = true,
                          .by_callee = options->are_drawn};
    const struct gate_parallel_item items[] = {{.task = beside_run, .context = &deciding},
                                               {.task = trees_run, .context = &trees},
                                               {.task = errand_run, .context = &task}};
    gate_arena_fork(&trees.arena, arena);
    gate_parallel_list(items, sizeof items / sizeof *items, true);
    keep(&trees, arena, trees.ok);
    if (!trees.ok)
        forget(comparisons, count);
    return deciding.ok;
}

bool gate_tree_ahead(struct gate_comparison *comparisons, uint32_t count, const struct gate_tree_ahead_options *options,
                     struct gate_arena *arena) {
    bool any = false;
    forget(comparisons, count);
    for (uint32_t i = 0; i < count && !any; i++)
        any = is_wanted(&comparisons[i], options->are_drawn);
    if (!any)
        return options->walk(options->context) && options->work(options->context);
    return is_spent_then(comparisons, count, options) ? ahead_spend(comparisons, count, options, arena)
                                                      : ahead_plain(comparisons, count, options, arena);
}

/* ---- second look ------------------------------------------------------------------------------------------------- */

/* Return whether a reading of a hypothesis needs the stacks (budget/readings.h). True for growth that may have an own
 * caller, growth of a path, new code that functions around it may have contained, and growth of start-up code. Also
 * true for a function that may have caused the estimate that excuses it. */
static bool are_stacks_open(const struct gate_hypothesis_list *list, uint32_t index) {
    bool is_open = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct gate_hypothesis *h = &list->items[i];
        bool is_undecided = h->outcome == GATE_OUTCOME_FAIL || h->outcome == GATE_OUTCOME_INCONCLUSIVE;
        bool is_unconfirmed = h->outcome == GATE_OUTCOME_INCONCLUSIVE && h->reason == GATE_REASON_UNCONFIRMED;
        bool is_new_code = h->is_new_code && h->outcome == GATE_OUTCOME_FAIL;
        bool is_excused = h->outcome == GATE_OUTCOME_WARN && h->reason == GATE_REASON_OTHERS_SHRANK;
        is_open = is_open || (h->comparison == index &&
                              (is_unconfirmed || is_new_code || is_excused || (h->is_callerless && is_undecided) ||
                               (h->is_path && (is_undecided || h->is_broken))));
    }
    return is_open;
}

bool gate_second_look_tree(const struct gate_tree **tree, const struct gate_hypothesis_list *list,
                           const struct gate_rules *rules, struct gate_comparison *comparison, uint32_t index,
                           struct gate_arena *arena, struct gate_error *err) {
    *tree = NULL;
    if (!gate_shift_is_wanted(list, rules, index) && !is_renamed(comparison) && !are_stacks_open(list, index))
        return true;
    struct gate_tree *made = GATE_NEW_ARRAY(arena, struct gate_tree, 1);
    *tree = made;
    if (made == NULL)
        return gate_arena_error(arena, err);
    return tree_ahead_make(comparison, arena, err) &&
           gate_tree_prune(made, comparison->tree, &comparison->pair, GATE_SECOND_LOOK_MIN_SHARE, arena, err);
}
