/* SPDX-License-Identifier: Apache-2.0 */
/* A call tree folded into one's own code (see charged_view.h). In a tree, parents stand before their children. */
#include "gate/report/charged_view.h"

#include "gate/base/table.h"

#include <stdlib.h>

/* One fold: nodes in the order in which they are met, then in depth-first order. */
struct fold {
    const struct gate_tree *tree;
    const struct gate_pair *pair;
    uint8_t *keeps;               /* of the tree's nodes: stays a box of its own */
    uint32_t *to;                 /* of the tree's nodes: the folded node that it went into */
    struct gate_tree_node *nodes; /* folded, as they are met */
    uint32_t count;
    uint32_t *slots; /* folded nodes by parent and frame; GATE_NO_INDEX: free */
    size_t slot_count;
};

/* A folded node on its way to its place among its siblings. */
struct place {
    uint32_t parent, node;
    struct gate_str name;
};

static int place_compare(const void *left, const void *right) {
    const struct place *a = left, *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    int names = gate_str_compare(a->name, b->name);
    return names != 0 ? names : a->node < b->node ? -1 : a->node > b->node;
}

static bool is_own(const struct fold *fold, uint32_t node) {
    return fold->pair->frames[fold->tree->nodes[node].frame].is_own;
}

/* `to` holds, for a moment, whether anything beneath a node is one's own; then each root passes its answer down. */
static void find_keepers(struct fold *fold) {
    const struct gate_tree_node *nodes = fold->tree->nodes;
    for (uint32_t i = fold->tree->count; i-- > 1;) {
        fold->to[i] = fold->to[i] || is_own(fold, i);
        fold->to[nodes[i].parent] = fold->to[nodes[i].parent] || fold->to[i];
    }
    for (uint32_t i = 1; i < fold->tree->count; i++) {
        if (nodes[i].parent != 0)
            fold->to[i] = fold->to[nodes[i].parent];
        fold->keeps[i] = !nodes[i].is_self && (nodes[i].parent == 0 || !fold->to[i] || is_own(fold, i));
    }
}

/* The folded node of `frame` beneath `parent`, made where there is none. */
static uint32_t child_of(struct fold *fold, uint32_t parent, uint32_t frame) {
    size_t mask = fold->slot_count - 1;
    size_t slot = (size_t)gate_hash_mix((uint64_t)parent << 32 | frame) & mask;
    for (; fold->slots[slot] != GATE_NO_INDEX; slot = (slot + 1) & mask)
        if (fold->nodes[fold->slots[slot]].parent == parent && fold->nodes[fold->slots[slot]].frame == frame)
            return fold->slots[slot];
    fold->slots[slot] = fold->count;
    fold->nodes[fold->count] = (struct gate_tree_node){
        .frame = frame, .parent = parent, .first_child = GATE_NO_INDEX, .next_sibling = GATE_NO_INDEX};
    return fold->count++;
}

static void fold_nodes(struct fold *fold) {
    const struct gate_tree_node *nodes = fold->tree->nodes;
    fold->nodes[0] = nodes[0];
    fold->nodes[0].first_child = GATE_NO_INDEX;
    fold->count = 1;
    fold->to[0] = 0;
    for (uint32_t i = 1; i < fold->tree->count; i++) {
        uint32_t into = fold->to[nodes[i].parent];
        if (fold->keeps[i])
            into = child_of(fold, into, nodes[i].frame);
        fold->to[i] = into;
        for (int side = 0; side < GATE_SIDES; side++) {
            fold->nodes[into].self[side] += nodes[i].self[side];
            fold->nodes[into].total[side] += fold->keeps[i] ? nodes[i].total[side] : 0;
        }
    }
}

/* Most stand by name as they were met, for they did in the tree: each behind its last sibling so far. False: one does
 * not, and all are left without children. */
static bool link_as_met(struct fold *fold, uint32_t *last) {
    const struct gate_frame *frames = fold->pair->frames;
    struct gate_tree_node *nodes = fold->nodes;
    bool is_ordered = true;
    last[0] = GATE_NO_INDEX;
    for (uint32_t i = 1; i < fold->count && is_ordered; i++) {
        uint32_t parent = nodes[i].parent, elder = last[parent];
        last[i] = GATE_NO_INDEX;
        last[parent] = i;
        if (elder == GATE_NO_INDEX)
            nodes[parent].first_child = i;
        else
            nodes[elder].next_sibling = i;
        is_ordered = elder == GATE_NO_INDEX ||
                     gate_str_compare(frames[nodes[elder].frame].name, frames[nodes[i].frame].name) <= 0;
    }
    for (uint32_t i = 0; i < fold->count && !is_ordered; i++)
        nodes[i].first_child = nodes[i].next_sibling = GATE_NO_INDEX;
    return is_ordered;
}

static bool link_children(struct fold *fold, struct gate_arena *arena) {
    uint32_t *last = gate_arena_alloc(arena, fold->count * sizeof *last);
    if (last == NULL)
        return false;
    if (link_as_met(fold, last))
        return true;
    struct place *places = gate_arena_alloc(arena, fold->count * sizeof *places);
    if (places == NULL)
        return false;
    for (uint32_t i = 1; i < fold->count; i++)
        places[i - 1] = (struct place){fold->nodes[i].parent, i, fold->pair->frames[fold->nodes[i].frame].name};
    qsort(places, fold->count - 1, sizeof *places, place_compare);
    for (uint32_t i = fold->count - 1; i > 0; i--) {
        struct gate_tree_node *parent = &fold->nodes[places[i - 1].parent];
        fold->nodes[places[i - 1].node].next_sibling = parent->first_child;
        parent->first_child = places[i - 1].node;
    }
    return true;
}

/* Depth-first order: the place of each node, counted while walking. */
static bool lay_out(struct gate_tree *out, const struct fold *fold, struct gate_arena *arena) {
    uint32_t *place = gate_arena_alloc(arena, fold->count * sizeof *place);
    out->nodes = gate_arena_alloc(arena, fold->count * sizeof *out->nodes);
    if (place == NULL || out->nodes == NULL)
        return false;
    uint32_t depth = 0;
    for (uint32_t at = 0; at != GATE_NO_INDEX;) {
        place[at] = out->count++;
        if (fold->nodes[at].first_child != GATE_NO_INDEX) {
            at = fold->nodes[at].first_child;
            out->depth = ++depth > out->depth ? depth : out->depth;
            continue;
        }
        for (; at != 0 && fold->nodes[at].next_sibling == GATE_NO_INDEX; depth--)
            at = fold->nodes[at].parent;
        at = at == 0 ? GATE_NO_INDEX : fold->nodes[at].next_sibling;
    }
    for (uint32_t i = 0; i < fold->count; i++) {
        struct gate_tree_node node = fold->nodes[i];
        uint32_t *links[] = {&node.parent, &node.first_child, &node.next_sibling};
        for (size_t l = 0; l < sizeof links / sizeof *links; l++)
            if (*links[l] != GATE_NO_INDEX)
                *links[l] = place[*links[l]];
        out->nodes[place[i]] = node;
    }
    return true;
}

bool gate_charged_view_fold(struct gate_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                            struct gate_arena *arena, struct gate_error *err) {
    struct fold fold = {.tree = tree, .pair = pair, .slot_count = 2};
    struct gate_tree folded = {.pruned = {tree->pruned[GATE_BASELINE], tree->pruned[GATE_CANARY]}, .is_charged = true};
    while (fold.slot_count < 2 * (size_t)tree->count)
        fold.slot_count *= 2;
    fold.keeps = GATE_NEW_ARRAY(arena, uint8_t, tree->count);
    fold.to = GATE_NEW_ARRAY(arena, uint32_t, tree->count);
    fold.nodes = gate_arena_alloc(arena, tree->count * sizeof *fold.nodes); /* few are: the rest is not touched */
    fold.slots = gate_arena_alloc(arena, fold.slot_count * sizeof *fold.slots);
    if (fold.keeps == NULL || fold.to == NULL || fold.nodes == NULL || fold.slots == NULL)
        return gate_arena_error(arena, err);
    for (size_t i = 0; i < fold.slot_count; i++)
        fold.slots[i] = GATE_NO_INDEX;
    find_keepers(&fold);
    fold_nodes(&fold);
    if (!link_children(&fold, arena) || !lay_out(&folded, &fold, arena))
        return gate_arena_error(arena, err);
    *out = folded;
    return true;
}
