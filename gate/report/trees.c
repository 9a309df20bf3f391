/* SPDX-License-Identifier: Apache-2.0 */
/* Trees made once (see trees.h). */
#include "gate/report/trees.h"

#include "gate/base/parallel.h"
#include "gate/compare/tree_judge.h"

static bool trees_judged(struct gate_tree *tree, const struct gate_comparison *comparison, enum gate_trees_view view,
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

bool gate_trees_get(const struct gate_tree **out, struct gate_trees *trees, const struct gate_verdict *verdict,
                    uint32_t comparison, enum gate_trees_view view, double min_share, struct gate_arena *arena,
                    struct gate_error *err) {
    GATE_ASSERT(comparison < verdict->comparison_count);
    struct gate_trees alone = {0};
    if (trees == NULL)
        trees = &alone;
    if (trees->made == NULL)
        trees->made = GATE_NEW_ARRAY(arena, struct gate_tree *, (size_t)verdict->comparison_count * GATE_VIEWS);
    if (trees->made == NULL)
        return gate_arena_error(arena, err);
    struct gate_tree **slot = &trees->made[(size_t)comparison * GATE_VIEWS + view];
    if (*slot == NULL) {
        struct gate_tree *tree = GATE_NEW_ARRAY(arena, struct gate_tree, 1);
        if (tree == NULL)
            return gate_arena_error(arena, err);
        if (!trees_judged(tree, &verdict->comparisons[comparison], view, min_share, arena, err))
            return false;
        *slot = tree;
    }
    *out = *slot;
    return true;
}

/* One view of every comparison: a thread's work, in an arena of its own. */
struct trees_view {
    struct gate_trees trees;
    const struct gate_verdict *verdict;
    enum gate_trees_view view;
    double min_share;
    struct gate_arena arena;
    struct gate_error err;
    bool ok;
};

static void trees_view_run(void *context) {
    struct trees_view *work = context;
    const struct gate_tree *tree;
    work->ok = true;
    for (uint32_t i = 0; work->ok && i < work->verdict->comparison_count; i++)
        work->ok = gate_trees_get(&tree, &work->trees, work->verdict, i, work->view, work->min_share, &work->arena,
                                  &work->err);
}

bool gate_trees_make(struct gate_trees *trees, const struct gate_verdict *verdict, double min_share,
                     struct gate_arena *arena, struct gate_error *err) {
    struct trees_view work[GATE_VIEWS];
    struct gate_tree **made =
        GATE_NEW_ARRAY(arena, struct gate_tree *, (size_t)verdict->comparison_count * GATE_VIEWS);
    if (made == NULL)
        return gate_arena_error(arena, err);
    for (int view = 0; view < GATE_VIEWS; view++) {
        work[view] = (struct trees_view){
            .trees = {made}, .verdict = verdict, .view = (enum gate_trees_view)view, .min_share = min_share};
        gate_arena_fork(&work[view].arena, arena);
    }
    gate_parallel_both(trees_view_run, &work[GATE_BY_CALLER], &work[GATE_BY_CALLEE]);
    bool ok = true;
    for (int view = GATE_VIEWS; view-- > 0;) {
        gate_arena_absorb(arena, &work[view].arena);
        if (!work[view].ok)
            *err = work[view].err;
        ok = ok && work[view].ok;
    }
    trees->made = ok ? made : NULL;
    return ok;
}

bool gate_trees_whole(struct gate_tree *out, const struct gate_comparison *comparison, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_tree_options options = {.min_share = 0};
    return gate_tree_merge(out, &comparison->pair, &comparison->deltas, &options, arena, err);
}

uint32_t gate_trees_path(const struct gate_tree *tree, uint32_t node, uint32_t *path) {
    uint32_t depth = 0;
    for (uint32_t at = node; at != 0; at = tree->nodes[at].parent)
        depth++;
    uint32_t i = depth;
    for (uint32_t at = node; at != 0; at = tree->nodes[at].parent)
        path[--i] = at;
    return depth;
}
