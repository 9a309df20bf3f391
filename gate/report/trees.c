/* SPDX-License-Identifier: Apache-2.0 */
/* Trees made once (see forest.h). */
#include "gate/report/trees.h"

#include "gate/base/parallel.h"
#include "gate/compare/tree_judge.h"

static bool forest_tree(struct gate_tree *tree, const struct gate_comparison *comparison, enum gate_trees_view view,
                        double min_share, struct gate_arena *arena, struct gate_error *err) {
    struct gate_tree_options options = {.min_share = min_share, .inverted = view == GATE_BY_CALLEE};
    bool *grown = GATE_NEW_ARRAY(arena, bool, (size_t)comparison->pair.frame_count + 1);
    if (grown == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < comparison->pair.frame_count; i++)
        grown[i] = comparison->frames[i].is_broken;
    return gate_tree_merge(tree, &comparison->pair, &comparison->deltas, &options, arena, err) &&
           gate_tree_judge(tree, &comparison->pair, &comparison->deltas, comparison->noise, grown, arena, err);
}

bool gate_trees_tree(const struct gate_tree **out, struct gate_trees *forest, const struct gate_verdict *verdict,
                      uint32_t comparison, enum gate_trees_view view, double min_share, struct gate_arena *arena,
                      struct gate_error *err) {
    GATE_ASSERT(comparison < verdict->comparison_count);
    struct gate_trees alone = {0};
    if (forest == NULL)
        forest = &alone;
    if (forest->trees == NULL)
        forest->trees = GATE_NEW_ARRAY(arena, struct gate_tree *, (size_t)verdict->comparison_count * GATE_VIEWS);
    if (forest->trees == NULL)
        return gate_arena_error(arena, err);
    struct gate_tree **slot = &forest->trees[(size_t)comparison * GATE_VIEWS + view];
    if (*slot == NULL) {
        struct gate_tree *tree = GATE_NEW_ARRAY(arena, struct gate_tree, 1);
        if (tree == NULL)
            return gate_arena_error(arena, err);
        if (!forest_tree(tree, &verdict->comparisons[comparison], view, min_share, arena, err))
            return false;
        *slot = tree;
    }
    *out = *slot;
    return true;
}

/* One view of every comparison: a thread's work, in an arena of its own. */
struct forest_view {
    struct gate_trees forest;
    const struct gate_verdict *verdict;
    enum gate_trees_view view;
    double min_share;
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

static void forest_view_run(void *context) {
    struct forest_view *work = context;
    const struct gate_tree *tree;
    work->ok = true;
    for (uint32_t i = 0; work->ok && i < work->verdict->comparison_count; i++)
        work->ok = gate_trees_tree(&tree, &work->forest, work->verdict, i, work->view, work->min_share, &work->arena,
                                    &work->err);
}

bool gate_trees_make(struct gate_trees *forest, const struct gate_verdict *verdict, double min_share,
                      struct gate_arena *arena, struct gate_error *err) {
    struct forest_view work[GATE_VIEWS];
    struct gate_tree **trees =
        GATE_NEW_ARRAY(arena, struct gate_tree *, (size_t)verdict->comparison_count * GATE_VIEWS);
    if (trees == NULL)
        return gate_arena_error(arena, err);
    for (int view = 0; view < GATE_VIEWS; view++) {
        work[view] = (struct forest_view){
            .forest = {trees}, .verdict = verdict, .view = (enum gate_trees_view)view, .min_share = min_share};
        gate_arena_fork(&work[view].arena, arena);
    }
    gate_parallel_both(forest_view_run, &work[GATE_BY_CALLER], &work[GATE_BY_CALLEE]);
    bool ok = true;
    for (int view = GATE_VIEWS; view-- > 0;) {
        gate_arena_absorb(arena, &work[view].arena);
        if (!work[view].ok)
            *err = work[view].err;
        ok = ok && work[view].ok;
    }
    forest->trees = ok ? trees : NULL;
    return ok;
}
