/* SPDX-License-Identifier: Apache-2.0 */
/* Deciding and drawing at a time (see tree_ahead.h). */
#include "gate/budget/tree_ahead.h"

#include "gate/base/parallel.h"
#include "gate/budget/renamed.h"
#include "gate/compare/hot_path.h"

/* NULL: there is no memory. */
static struct gate_tree *tree_make(const struct gate_comparison *comparison, bool inverted, struct gate_arena *arena,
                                   struct gate_error *err) {
    const struct gate_tree_options options = {.min_share = GATE_COMPARISON_TREE_SHARE, .inverted = inverted};
    struct gate_tree *tree = GATE_NEW_ARRAY(arena, struct gate_tree, 1);
    if (tree == NULL) {
        (void)gate_arena_error(arena, err);
        return NULL;
    }
    return gate_hot_path_tree(tree, &comparison->pair, &comparison->deltas, &options, arena, err) ? tree : NULL;
}

bool gate_tree_ahead_make(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err) {
    if (comparison->tree == NULL)
        comparison->tree = tree_make(comparison, false, arena, err);
    return comparison->tree != NULL;
}

static bool callees_make(struct gate_comparison *comparison, struct gate_arena *arena, struct gate_error *err) {
    comparison->callees = tree_make(comparison, true, arena, err);
    return comparison->callees != NULL;
}

/* One of the two things that are done at a time. */
struct ahead {
    gate_tree_ahead_work *work; /* NULL: the trees */
    void *context;
    struct gate_comparison *comparisons;
    uint32_t count;
    bool are_drawn;
    struct gate_arena *arena; /* the trees' alone */
    bool ok;
};

/* A comparison of a part is told renames by the whole. */
static bool is_wanted(const struct ahead *ahead, const struct gate_comparison *comparison) {
    return ahead->are_drawn || (comparison->part == NULL && gate_renamed_is_wanted(comparison));
}

static void ahead_run(void *context) {
    struct ahead *ahead = context;
    if (ahead->work != NULL) {
        ahead->ok = ahead->work(ahead->context);
        return;
    }
    struct gate_error unsaid;
    ahead->ok = true;
    for (uint32_t i = 0; ahead->ok && i < ahead->count; i++) {
        struct gate_comparison *comparison = &ahead->comparisons[i];
        ahead->ok = (!is_wanted(ahead, comparison) || gate_tree_ahead_make(comparison, ahead->arena, &unsaid)) &&
                    (!ahead->are_drawn || callees_make(comparison, ahead->arena, &unsaid));
    }
}

/* Those of an earlier verdict, or of one that went wrong, are in memory that is not there any more. */
static void forget(struct gate_comparison *comparisons, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        comparisons[i].tree = NULL;
        comparisons[i].callees = NULL;
    }
}

bool gate_tree_ahead(struct gate_comparison *comparisons, uint32_t count, bool are_drawn, struct gate_arena *arena,
                     gate_tree_ahead_work *work, void *context) {
    struct gate_arena beside;
    struct ahead deciding = {.work = work, .context = context};
    struct ahead trees = {.comparisons = comparisons, .count = count, .are_drawn = are_drawn, .arena = &beside};
    bool any = false;
    forget(comparisons, count);
    for (uint32_t i = 0; i < count && !any; i++)
        any = is_wanted(&trees, &comparisons[i]);
    if (!any)
        return work(context);
    gate_arena_fork(&beside, arena);
    gate_parallel_both(ahead_run, &deciding, &trees);
    if (trees.ok) {
        gate_arena_absorb(arena, &beside);
    } else {
        forget(comparisons, count);
        gate_arena_free(&beside);
    }
    return deciding.ok;
}
