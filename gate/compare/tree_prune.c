/* SPDX-License-Identifier: Apache-2.0 */
/* A smaller tree of a larger one (see tree_prune.h). A node weighs at most what its parent weighs, so whatever hangs
 * on one that does not pass does not pass either. */
#include "gate/compare/tree_prune.h"

/* What is known of a node of the larger tree: it stands in front of its children in both. */
struct pruned_node {
    uint32_t place; /* in the smaller one, or GATE_NO_INDEX */
    uint32_t level;
    uint32_t last_child; /* in the smaller one, or GATE_NO_INDEX */
};

static bool passes(const struct gate_tree_node *node, const struct gate_pair *pair, double min_share) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (node->total[side] > 0 && gate_share(node->total[side], pair->sides[side].total) >= min_share)
            return true;
    return false;
}

/* Put a node behind its siblings, and behind all nodes so far. */
static void node_keep(struct gate_tree *out, struct pruned_node *known, const struct gate_tree *tree, uint32_t node) {
    uint32_t parent = tree->nodes[node].parent, to = out->count++;
    struct gate_tree_node *kept = &out->nodes[to];
    *kept = tree->nodes[node];
    kept->first_child = kept->next_sibling = GATE_NO_INDEX;
    known[node] = (struct pruned_node){.place = to, .last_child = GATE_NO_INDEX};
    if (node == 0)
        return;
    uint32_t *link = known[parent].last_child == GATE_NO_INDEX ? &out->nodes[known[parent].place].first_child
                                                               : &out->nodes[known[parent].last_child].next_sibling;
    *link = known[parent].last_child = to;
    kept->parent = known[parent].place;
    known[node].level = known[parent].level + 1;
    out->depth = known[node].level > out->depth ? known[node].level : out->depth;
}

bool gate_tree_prune(struct gate_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                     double min_share, struct gate_arena *arena, struct gate_error *err) {
    struct gate_tree pruned = {.inverted = tree->inverted};
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    struct pruned_node *known = gate_arena_alloc(&scratch, tree->count * sizeof *known);
    pruned.nodes = gate_arena_alloc(arena, tree->count * sizeof *pruned.nodes);
    bool ok = known != NULL && pruned.nodes != NULL;
    if (!ok)
        (void)gate_arena_error(known == NULL ? &scratch : arena, err);
    for (uint32_t i = 0; ok && i < tree->count; i++) {
        known[i].place = GATE_NO_INDEX;
        if (i == 0 || (known[tree->nodes[i].parent].place != GATE_NO_INDEX && passes(&tree->nodes[i], pair, min_share)))
            node_keep(&pruned, known, tree, i);
    }
    gate_arena_free(&scratch);
    for (int side = 0; ok && side < GATE_SIDES; side++) {
        pruned.pruned[side] = pruned.nodes[0].total[side];
        for (uint32_t i = 0; i < pruned.count; i++)
            pruned.pruned[side] -= pruned.nodes[i].self[side];
    }
    if (ok)
        *out = pruned;
    return ok;
}
