/* SPDX-License-Identifier: Apache-2.0 */
/* Trees made once (see forest.h). */
#include "gate/report/forest.h"

static bool forest_make(struct gate_tree *tree, const struct gate_comparison *comparison, enum gate_forest_view view,
                        double min_share, struct gate_arena *arena, struct gate_error *err) {
    struct gate_tree_options options = {.min_share = min_share, .inverted = view == GATE_BY_CALLEE};
    return gate_tree_merge(tree, &comparison->pair, &comparison->deltas, &options, arena, err) &&
           gate_tree_judge(tree, &comparison->pair, &comparison->deltas, comparison->noise, arena, err);
}

bool gate_forest_tree(const struct gate_tree **out, struct gate_forest *forest, const struct gate_verdict *verdict,
                      uint32_t comparison, enum gate_forest_view view, double min_share, struct gate_arena *arena,
                      struct gate_error *err) {
    GATE_ASSERT(comparison < verdict->comparison_count);
    struct gate_forest alone = {0};
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
        if (!forest_make(tree, &verdict->comparisons[comparison], view, min_share, arena, err))
            return false;
        *slot = tree;
    }
    *out = *slot;
    return true;
}
