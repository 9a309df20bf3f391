/* SPDX-License-Identifier: Apache-2.0 */
/* Owners of a call tree's nodes (see charge_tree.h). Parents stand before their children in a tree. */
#include "gate/compare/charge_tree.h"

static double growth_of(const struct gate_pair *pair, const int64_t value[GATE_SIDES]) {
    return gate_share(value[GATE_CANARY], pair->sides[GATE_CANARY].total) -
           gate_share(value[GATE_BASELINE], pair->sides[GATE_BASELINE].total);
}

/* A stack without a frame of one's own is charged to its root, which stands beneath the tree's. */
static uint32_t owner_of(const struct gate_charge_tree *charge, uint32_t node) {
    const struct gate_tree_node *n = &charge->tree->nodes[node];
    return charge->pair->frames[n->frame].is_own || n->parent == 0 ? node : charge->owner[n->parent];
}

bool gate_charge_tree_make(struct gate_charge_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                           struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_charge_tree){.tree = tree, .pair = pair};
    out->owner = GATE_NEW_ARRAY(arena, uint32_t, (size_t)tree->count + 1);
    out->growth = GATE_NEW_ARRAY(arena, double, (size_t)tree->count + 1);
    out->beneath = GATE_NEW_ARRAY(arena, double, (size_t)tree->count + 1);
    out->scratch = GATE_NEW_ARRAY(arena, double, (size_t)pair->frame_count + 1);
    out->inside = GATE_NEW_ARRAY(arena, uint8_t, (size_t)tree->count + 1);
    if (out->inside == NULL || out->owner == NULL || out->growth == NULL || out->beneath == NULL ||
        out->scratch == NULL)
        return gate_arena_error(arena, err);
    out->owner[0] = GATE_NO_INDEX;
    for (uint32_t i = 1; i < tree->count; i++) {
        out->owner[i] = owner_of(out, i);
        out->growth[i] += growth_of(pair, tree->nodes[i].total);
        out->growth[tree->nodes[i].parent] -= growth_of(pair, tree->nodes[i].total);
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        uint32_t parent = tree->nodes[i].parent;
        out->beneath[i] += out->growth[i];
        if (out->owner[parent] == out->owner[i])
            out->beneath[parent] += out->beneath[i];
    }
    return true;
}

uint32_t gate_charge_tree_owner(const struct gate_charge_tree *charge, uint32_t frame, enum gate_measure measure) {
    const struct gate_tree_node *nodes = charge->tree->nodes;
    uint32_t count = charge->tree->count, best = frame;
    double most = 0.0;
    charge->inside[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        charge->inside[i] = nodes[i].frame == frame || (measure == GATE_CUMULATIVE && charge->inside[nodes[i].parent]);
        if (charge->inside[i])
            charge->scratch[nodes[charge->owner[i]].frame] += charge->growth[i];
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t owner = nodes[charge->owner[i]].frame;
        if (charge->scratch[owner] > most) {
            most = charge->scratch[owner];
            best = owner;
        }
    }
    for (uint32_t i = 1; i < count; i++)
        charge->scratch[nodes[charge->owner[i]].frame] = 0.0;
    return best;
}

/* Of the frame's owning nodes the one whose charge grew most. */
static uint32_t node_of(const struct gate_charge_tree *charge, uint32_t frame) {
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = 1; i < charge->tree->count; i++)
        if (charge->owner[i] == i && charge->tree->nodes[i].frame == frame &&
            (best == GATE_NO_INDEX || charge->beneath[i] > charge->beneath[best]))
            best = i;
    return best;
}

/* The child to go on to: what grew most beneath a node, unless more of it ends right here. */
static uint32_t heaviest_child(const struct gate_charge_tree *charge, uint32_t node) {
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = charge->tree->nodes[node].first_child; i != GATE_NO_INDEX;
         i = charge->tree->nodes[i].next_sibling)
        if (charge->owner[i] == charge->owner[node] && charge->beneath[i] > charge->growth[node] &&
            charge->beneath[i] > 0.0 && (best == GATE_NO_INDEX || charge->beneath[i] > charge->beneath[best]))
            best = i;
    return best;
}

uint32_t gate_charge_tree_path(uint32_t *out, uint32_t room, const struct gate_charge_tree *charge, uint32_t frame) {
    const struct gate_tree_node *nodes = charge->tree->nodes;
    uint32_t node = node_of(charge, frame), entry = node, above = 0, count = 0;
    if (node == GATE_NO_INDEX)
        return 0;
    for (uint32_t at = nodes[node].parent; at != 0; at = nodes[at].parent)
        if (charge->pair->frames[nodes[at].frame].is_own)
            entry = at;
    for (uint32_t at = node; at != entry; at = nodes[at].parent)
        above++;
    if (above >= room)
        above = room - 1;
    count = above + 1;
    for (uint32_t at = node, i = count; i-- > 0; at = nodes[at].parent)
        out[i] = nodes[at].frame;
    for (node = heaviest_child(charge, node); node != GATE_NO_INDEX && count < room;
         node = heaviest_child(charge, node))
        out[count++] = nodes[node].frame;
    return count;
}
