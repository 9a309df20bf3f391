/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes for what functions cost themselves (see self_boxes.h). */
#include "gate/report/self_boxes.h"

/* The new tree, depth first. `place`: of an old node, where it is now. `last`: of a new node, its last child so far. */
struct self_boxes {
    const struct gate_tree *tree;
    struct gate_tree_node *nodes;
    uint32_t *place, *last;
    uint32_t count;
};

static bool is_enough(const struct gate_tree *tree, const struct gate_tree_node *node, double min_share) {
    const int64_t *self = node->self, *all = tree->nodes[0].total;
    if (memcmp(self, node->total, sizeof node->self) == 0 || node->frame == GATE_NO_INDEX)
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        if (self[side] > 0 && gate_share(self[side], all[side]) >= min_share)
            return true;
    return false;
}

static uint32_t append(struct self_boxes *b, struct gate_tree_node node, uint32_t parent) {
    uint32_t at = b->count++;
    node.parent = parent;
    node.first_child = node.next_sibling = GATE_NO_INDEX;
    b->nodes[at] = node;
    b->last[at] = GATE_NO_INDEX;
    if (parent == GATE_NO_INDEX)
        return at;
    if (b->last[parent] == GATE_NO_INDEX)
        b->nodes[parent].first_child = at;
    else
        b->nodes[b->last[parent]].next_sibling = at;
    b->last[parent] = at;
    return at;
}

/* All that `from` calls is in: its own cost follows. */
static void append_self(struct self_boxes *b, uint32_t from, double min_share) {
    const struct gate_tree_node *node = &b->tree->nodes[from];
    if (!is_enough(b->tree, node, min_share))
        return;
    struct gate_tree_node self = {.frame = node->frame, .is_self = true};
    memcpy(self.total, node->self, sizeof self.total);
    (void)append(b, self, b->place[from]);
}

bool gate_self_boxes_add(struct gate_tree *out, const struct gate_tree *tree, double min_share,
                         struct gate_arena *arena, struct gate_error *err) {
    const struct gate_tree_node *nodes = tree->nodes;
    struct self_boxes b = {.tree = tree};
    struct gate_tree made = *tree;
    size_t count = tree->count;
    for (uint32_t i = 0; i < tree->count; i++)
        count += is_enough(tree, &nodes[i], min_share);
    b.nodes = gate_arena_alloc(arena, count * sizeof *b.nodes);
    b.place = gate_arena_alloc(arena, tree->count * sizeof *b.place);
    b.last = gate_arena_alloc(arena, count * sizeof *b.last);
    if (b.nodes == NULL || b.place == NULL || b.last == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < tree->count; i++) {
        b.place[i] = append(&b, nodes[i], i == 0 ? GATE_NO_INDEX : b.place[nodes[i].parent]);
        for (uint32_t at = i; nodes[i].first_child == GATE_NO_INDEX; at = nodes[at].parent) {
            append_self(&b, at, min_share);
            if (at == 0 || nodes[at].next_sibling != GATE_NO_INDEX)
                break;
        }
    }
    GATE_ASSERT(b.count == count);
    made.depth += 1; /* at most */
    made.nodes = b.nodes;
    made.count = b.count;
    *out = made;
    return true;
}
