/* SPDX-License-Identifier: Apache-2.0 */
/* The merged call tree (see tree.h): grown from stacks cut at the first frame too small to matter (tree_growth.h), then
 * laid out in depth-first order with children by name. */
#include "gate/compare/tree.h"

#include "gate/compare/tree_growth.h"

#include <stdlib.h>

/* Links of the growth's visible nodes: children by name. */
struct tree_links {
    uint32_t *first_child;  /* or GATE_NO_INDEX */
    uint32_t *next_sibling; /* or GATE_NO_INDEX */
};

/* For sorting children: the parent, then the frame's name, are all that the order depends on. */
struct tree_key {
    uint32_t parent;
    uint32_t node;
    struct gate_str name;
};

static int tree_key_compare(const void *left, const void *right) {
    const struct tree_key *a = left;
    const struct tree_key *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return gate_str_compare(a->name, b->name);
}

/* Link the visible nodes of `growth` as children of their parents, by name. */
static bool tree_link(struct tree_links *links, const struct gate_growth *growth, struct gate_arena *scratch) {
    struct tree_key *keys = gate_arena_alloc(scratch, growth->count * sizeof *keys);
    links->first_child = gate_arena_alloc(scratch, growth->count * sizeof *links->first_child);
    links->next_sibling = gate_arena_alloc(scratch, growth->count * sizeof *links->next_sibling);
    if (keys == NULL || links->first_child == NULL || links->next_sibling == NULL)
        return false;
    uint32_t visible = 0;
    for (uint32_t i = 0; i < growth->count; i++) {
        const struct gate_grown_node *node = &growth->nodes[i];
        links->first_child[i] = links->next_sibling[i] = GATE_NO_INDEX;
        if (i != 0 && gate_growth_passes(growth, node->total))
            keys[visible++] =
                (struct tree_key){.parent = node->parent, .node = i, .name = growth->pair->frames[node->frame].name};
    }
    qsort(keys, visible, sizeof *keys, tree_key_compare);
    for (uint32_t i = visible; i > 0; i--) {
        const struct tree_key *key = &keys[i - 1];
        links->next_sibling[key->node] = links->first_child[key->parent];
        links->first_child[key->parent] = key->node;
    }
    return true;
}

static struct gate_tree_node tree_node(const struct gate_grown_node *from) {
    struct gate_tree_node node = {
        .frame = from->frame, .parent = GATE_NO_INDEX, .first_child = GATE_NO_INDEX, .next_sibling = GATE_NO_INDEX};
    memcpy(node.self, from->self, sizeof node.self);
    memcpy(node.total, from->total, sizeof node.total);
    return node;
}

/* What the links of the growth say, in depth-first order with a parent before its children. */
static bool tree_lay_out(struct gate_tree *tree, const struct gate_growth *growth, const struct tree_links *links,
                         struct gate_arena *scratch, struct gate_arena *arena) {
    struct gate_tree_node *nodes = gate_arena_alloc(arena, growth->count * sizeof *nodes);
    uint32_t *place = gate_arena_alloc(scratch, growth->count * sizeof *place);
    if (nodes == NULL || place == NULL)
        return false;
    uint32_t count = 0;
    uint32_t depth = 0;
    for (uint32_t from = 0; from != GATE_NO_INDEX;) {
        uint32_t to = count++;
        place[from] = to;
        nodes[to] = tree_node(&growth->nodes[from]);
        if (to != 0)
            nodes[to].parent = place[growth->nodes[from].parent];
        if (links->first_child[from] != GATE_NO_INDEX) {
            nodes[to].first_child = to + 1;
            from = links->first_child[from];
            if (++depth > tree->depth)
                tree->depth = depth;
            continue;
        }
        while (from != 0 && links->next_sibling[from] == GATE_NO_INDEX) {
            from = growth->nodes[from].parent;
            depth--;
        }
        if (from == 0)
            break;
        nodes[place[from]].next_sibling = count;
        from = links->next_sibling[from];
    }
    tree->nodes = nodes;
    tree->count = count;
    return true;
}

/* A byte a frame: whether it can be in the tree at all, whether it is skid at a leaf, and whether it can be the first
 * of an inverted stack: that node weighs what the frame costs itself. */
static uint8_t *tree_marks(const struct gate_growth *growth, const struct gate_delta_list *deltas,
                           struct gate_arena *scratch) {
    const struct gate_pair *pair = growth->pair;
    const uint8_t *skid = pair->sides[GATE_BASELINE].runs[0].skid; /* the pair's, the same in all runs */
    uint8_t *marks = gate_arena_alloc(scratch, (size_t)pair->frame_count + 1);
    for (uint32_t i = 0; marks != NULL && i < pair->frame_count; i++) {
        marks[i] = gate_growth_passes(growth, deltas->items[i].value[GATE_CUMULATIVE]) ? GATE_WALK_ENTERS : 0;
        if (skid != NULL && skid[i])
            marks[i] |= GATE_WALK_SKID;
        if (gate_growth_passes(growth, deltas->items[i].value[GATE_SELF]))
            marks[i] |= GATE_WALK_BEGINS;
    }
    return marks;
}

bool gate_tree_merge(struct gate_tree *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_growth growth = {.arena = &scratch, .pair = pair, .min_share = options->min_share};
    struct gate_tree tree = {.inverted = options->inverted};
    struct tree_links links;
    GATE_ASSERT(deltas->count == pair->frame_count);
    gate_arena_fork(&scratch, arena);
    uint8_t *marks = tree_marks(&growth, deltas, &scratch);
    uint32_t *frames = gate_arena_alloc(&scratch, (size_t)pair->max_frames * sizeof *frames);
    growth.walk = (struct gate_walk){.marks = marks, .from_leaf = options->inverted};
    bool ok = marks != NULL && frames != NULL && gate_growth_grow(&growth, frames) &&
              tree_link(&links, &growth, &scratch) && tree_lay_out(&tree, &growth, &links, &scratch, arena);
    if (!ok)
        (void)gate_arena_error(scratch.is_refused ? &scratch : arena, err);
    gate_arena_free(&scratch);
    if (!ok)
        return false;
    for (int side = 0; side < GATE_SIDES; side++) {
        tree.pruned[side] = tree.nodes[0].total[side];
        for (uint32_t i = 0; i < tree.count; i++)
            tree.pruned[side] -= tree.nodes[i].self[side];
    }
    *out = tree;
    return true;
}
