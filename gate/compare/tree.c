/* SPDX-License-Identifier: Apache-2.0 */
/* The merged call tree (see tree.h): grown from stacks cut at the first frame too small to matter, then laid out in
 * depth-first order with children by name, without the nodes that turned out too small after all. */
#include "gate/compare/tree.h"

#include "gate/base/table.h"

#include <stdlib.h>

/* While it grows: nodes in order of appearance, found by (parent, frame). */
struct tree_growth {
    const struct gate_pair *pair;
    struct gate_arena *arena;
    struct gate_tree_node *nodes;
    size_t capacity;
    uint32_t count;
    uint32_t *slots; /* node index + 1, or 0 */
    uint32_t slot_count;
    const uint8_t *enters; /* a byte a frame: passes the minimum share */
};

static uint32_t tree_slot(const struct tree_growth *growth, uint32_t parent, uint32_t frame) {
    uint32_t mask = growth->slot_count - 1;
    uint32_t slot = (uint32_t)gate_hash_mix((uint64_t)parent << 32 | frame) & mask;
    for (;; slot = (slot + 1) & mask) {
        uint32_t entry = growth->slots[slot];
        if (entry == 0)
            return slot;
        const struct gate_tree_node *node = &growth->nodes[entry - 1];
        if (node->parent == parent && node->frame == frame)
            return slot;
    }
}

static bool tree_widen(struct tree_growth *growth) {
    if (growth->slot_count >= UINT32_C(1) << 30)
        return false;
    uint32_t wanted = growth->slot_count == 0 ? 1024 : growth->slot_count * 2;
    uint32_t *slots = GATE_NEW_ARRAY(growth->arena, uint32_t, wanted);
    if (slots == NULL)
        return false;
    growth->slots = slots;
    growth->slot_count = wanted;
    for (uint32_t i = 1; i < growth->count; i++)
        slots[tree_slot(growth, growth->nodes[i].parent, growth->nodes[i].frame)] = i + 1;
    return true;
}

/* The child of `parent` for `frame`, made when it is new; GATE_NO_INDEX when the arena is full. */
static uint32_t tree_child(struct tree_growth *growth, uint32_t parent, uint32_t frame) {
    if (growth->count >= growth->slot_count / 2 && !tree_widen(growth))
        return GATE_NO_INDEX;
    uint32_t slot = tree_slot(growth, parent, frame);
    if (growth->slots[slot] != 0)
        return growth->slots[slot] - 1;
    struct gate_tree_node *nodes =
        gate_arena_grow(growth->arena, growth->nodes, growth->count, &growth->capacity, sizeof *nodes);
    if (nodes == NULL)
        return GATE_NO_INDEX;
    growth->nodes = nodes;
    nodes[growth->count] = (struct gate_tree_node){
        .frame = frame, .parent = parent, .first_child = GATE_NO_INDEX, .next_sibling = GATE_NO_INDEX};
    growth->slots[slot] = growth->count + 1;
    return growth->count++;
}

static bool tree_stack(struct tree_growth *growth, const uint32_t *frames, uint32_t count, int side, int64_t value,
                       bool inverted) {
    uint32_t node = 0;
    growth->nodes[0].total[side] += value;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t frame = frames[inverted ? i : count - 1 - i];
        if (!growth->enters[frame])
            return true;
        node = tree_child(growth, node, frame);
        if (node == GATE_NO_INDEX)
            return false;
        growth->nodes[node].total[side] += value;
    }
    growth->nodes[node].self[side] += value;
    return true;
}

static bool tree_grow(struct tree_growth *growth, bool inverted) {
    const struct gate_pair *pair = growth->pair;
    uint32_t *scratch = GATE_NEW_ARRAY(growth->arena, uint32_t, pair->max_frames);
    growth->nodes = gate_arena_grow(growth->arena, NULL, 0, &growth->capacity, sizeof *growth->nodes);
    if (scratch == NULL || growth->nodes == NULL)
        return false;
    growth->nodes[0] = (struct gate_tree_node){.frame = GATE_NO_INDEX,
                                               .parent = GATE_NO_INDEX,
                                               .first_child = GATE_NO_INDEX,
                                               .next_sibling = GATE_NO_INDEX};
    growth->count = 1;
    for (int side = 0; side < GATE_SIDES; side++) {
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++) {
            const struct gate_run *run = &pair->sides[side].runs[r];
            for (uint32_t i = 0; i < run->stacks.count; i++) {
                uint32_t count = gate_run_frames(run, &run->stacks.items[i], scratch);
                if (!tree_stack(growth, scratch, count, side, run->stacks.items[i].value * run->unit_ratio, inverted))
                    return false;
            }
        }
    }
    return true;
}

static bool tree_is_visible(const struct tree_growth *growth, const int64_t total[GATE_SIDES], double min_share) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (total[side] > 0 && gate_share(total[side], growth->pair->sides[side].total) >= min_share)
            return true;
    return false;
}

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
static bool tree_link(struct tree_growth *growth, double min_share) {
    struct tree_key *keys = GATE_NEW_ARRAY(growth->arena, struct tree_key, growth->count);
    if (keys == NULL)
        return false;
    uint32_t visible = 0;
    for (uint32_t i = 1; i < growth->count; i++)
        if (tree_is_visible(growth, growth->nodes[i].total, min_share))
            keys[visible++] = (struct tree_key){.parent = growth->nodes[i].parent,
                                                .node = i,
                                                .name = growth->pair->frames[growth->nodes[i].frame].name};
    qsort(keys, visible, sizeof *keys, tree_key_compare);
    for (uint32_t i = visible; i > 0; i--) {
        const struct tree_key *key = &keys[i - 1];
        growth->nodes[key->node].next_sibling = growth->nodes[key->parent].first_child;
        growth->nodes[key->parent].first_child = key->node;
    }
    return true;
}

/* What the links of the growth say, in depth-first order with a parent before its children. */
static bool tree_lay_out(struct gate_tree *tree, const struct tree_growth *growth) {
    struct gate_tree_node *nodes = GATE_NEW_ARRAY(growth->arena, struct gate_tree_node, growth->count);
    uint32_t *place = GATE_NEW_ARRAY(growth->arena, uint32_t, growth->count);
    if (nodes == NULL || place == NULL)
        return false;
    uint32_t count = 0;
    uint32_t depth = 0;
    for (uint32_t from = 0; from != GATE_NO_INDEX;) {
        const struct gate_tree_node *source = &growth->nodes[from];
        uint32_t to = count++;
        place[from] = to;
        nodes[to] = *source;
        nodes[to].first_child = source->first_child == GATE_NO_INDEX ? GATE_NO_INDEX : to + 1;
        nodes[to].next_sibling = GATE_NO_INDEX;
        if (to != 0)
            nodes[to].parent = place[source->parent];
        if (source->first_child != GATE_NO_INDEX) {
            from = source->first_child;
            if (++depth > tree->depth)
                tree->depth = depth;
            continue;
        }
        while (from != 0 && growth->nodes[from].next_sibling == GATE_NO_INDEX) {
            from = growth->nodes[from].parent;
            depth--;
        }
        if (from == 0)
            break;
        nodes[place[from]].next_sibling = count;
        from = growth->nodes[from].next_sibling;
    }
    tree->nodes = nodes;
    tree->count = count;
    return true;
}

bool gate_tree_merge(struct gate_tree *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err) {
    uint8_t *enters = GATE_NEW_ARRAY(arena, uint8_t, (size_t)pair->frame_count + 1);
    if (enters == NULL)
        return gate_arena_error(arena, err);
    struct tree_growth growth = {.pair = pair, .arena = arena, .enters = enters};
    GATE_ASSERT(deltas->count == pair->frame_count);
    for (uint32_t i = 0; i < pair->frame_count; i++)
        enters[i] = tree_is_visible(&growth, deltas->items[i].value[GATE_CUMULATIVE], options->min_share);
    struct gate_tree tree = {.inverted = options->inverted};
    if (!tree_grow(&growth, options->inverted) || !tree_link(&growth, options->min_share) ||
        !tree_lay_out(&tree, &growth))
        return gate_arena_error(arena, err);
    for (int side = 0; side < GATE_SIDES; side++) {
        tree.pruned[side] = tree.nodes[0].total[side];
        for (uint32_t i = 0; i < tree.count; i++)
            tree.pruned[side] -= tree.nodes[i].self[side];
    }
    *out = tree;
    return true;
}
