/* SPDX-License-Identifier: Apache-2.0 */
/* Trees made once (see trees.h). */
#include "gate/report/trees.h"

#include "gate/compare/hot_path.h"
#include "gate/compare/tree_judge.h"
#include "gate/compare/tree_prune.h"
#include "gate/report/cause_box.h"
#include "gate/report/charged_view.h"
#include "gate/report/self_boxes.h"

static bool trees_judged(struct gate_tree *tree, const struct gate_verdict *verdict, uint32_t index,
                         struct gate_arena *arena, struct gate_error *err) {
    return gate_tree_judge(tree, &verdict->comparisons[index], arena, err) &&
           gate_cause_box_mark(tree, verdict, index, arena, err);
}

/* What decided may have left a tree that is fine enough; where it is as fine as that, it is the one. */
static bool trees_bare(struct gate_tree *out, const struct gate_comparison *comparison,
                       const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_pair *pair = &comparison->pair;
    const struct gate_tree *known = options->inverted ? comparison->callees : comparison->tree;
    if (known != NULL && options->min_share == GATE_COMPARISON_TREE_SHARE) {
        *out = *known;
        return true;
    }
    if (known != NULL && options->min_share > GATE_COMPARISON_TREE_SHARE)
        return gate_tree_prune(out, known, pair, options->min_share, arena, err);
    return gate_hot_path_tree(out, pair, &comparison->deltas, options, arena, err);
}

/* A tree that is not made yet, but for its judgement and the boxes of own cost; one by owner is folded from
 * `by_caller`. */
static bool trees_shaped(struct gate_tree *out, const struct gate_tree *by_caller,
                         const struct gate_comparison *comparison, const struct gate_tree_options *options,
                         struct gate_arena *arena, struct gate_error *err) {
    return by_caller != NULL ? gate_charged_view_fold(out, by_caller, &comparison->pair, arena, err)
                             : trees_bare(out, comparison, options, arena, err);
}

/* By callee, what a frame costs itself stands at the root: there are no boxes of it to add. Else the tree with them is
 * another one, and the memory of the first is for whoever comes next. */
static bool trees_merged(struct gate_tree *tree, const struct gate_tree *by_caller,
                         const struct gate_comparison *comparison, const struct gate_tree_options *options,
                         struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_tree bare;
    if (options->inverted)
        return trees_shaped(tree, by_caller, comparison, options, arena, err);
    gate_arena_fork(&scratch, arena);
    bool ok = trees_shaped(&bare, by_caller, comparison, options, &scratch, err) &&
              gate_self_boxes_add(tree, &bare, options->min_share, arena, err);
    gate_arena_free(&scratch);
    return ok;
}

bool gate_trees_get(const struct gate_tree **out, struct gate_trees *trees, const struct gate_verdict *verdict,
                    uint32_t comparison, enum gate_trees_view view, double min_share, struct gate_arena *arena,
                    struct gate_error *err) {
    GATE_ASSERT(comparison < verdict->comparison_count);
    struct gate_trees alone = {0};
    const struct gate_tree *by_caller = NULL;
    const struct gate_tree_options options = {.min_share = min_share, .inverted = view == GATE_BY_CALLEE};
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
        if (view == GATE_BY_OWNER &&
            !gate_trees_get(&by_caller, trees, verdict, comparison, GATE_BY_CALLER, min_share, arena, err))
            return false;
        if (!trees_merged(tree, by_caller, &verdict->comparisons[comparison], &options, arena, err) ||
            !trees_judged(tree, verdict, comparison, arena, err))
            return false;
        *slot = tree;
    }
    *out = *slot;
    return true;
}

bool gate_trees_begin(struct gate_trees *trees, const struct gate_verdict *verdict, struct gate_arena *arena,
                      struct gate_error *err) {
    trees->made = GATE_NEW_ARRAY(arena, struct gate_tree *, (size_t)verdict->comparison_count * GATE_VIEWS);
    return trees->made != NULL || gate_arena_error(arena, err);
}

bool gate_trees_fill(struct gate_trees *trees, const struct gate_verdict *verdict, bool inverted, double min_share,
                     struct gate_arena *arena, struct gate_error *err) {
    const struct gate_tree *tree;
    for (uint32_t i = 0; i < verdict->comparison_count; i++)
        for (int view = 0; view < GATE_VIEWS; view++)
            if ((view == GATE_BY_CALLEE) == inverted &&
                !gate_trees_get(&tree, trees, verdict, i, (enum gate_trees_view)view, min_share, arena, err))
                return false;
    return true;
}

bool gate_trees_whole(struct gate_tree *out, const struct gate_comparison *comparison, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_tree_options options = {.min_share = 0};
    return gate_hot_path_tree(out, &comparison->pair, &comparison->deltas, &options, arena, err);
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
