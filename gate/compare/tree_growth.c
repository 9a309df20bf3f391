/* SPDX-License-Identifier: Apache-2.0 */
/* Growing the merged call tree (see tree_growth.h). */
#include "gate/compare/tree_growth.h"

#include <stdlib.h>

/* What the stacks of a node hold of one callee. */
struct growth_child {
    int64_t total[GATE_SIDES];
    uint32_t stacks; /* list, or GATE_NO_INDEX */
    uint32_t known;  /* node of the start's tree, or GATE_NO_INDEX */
};

/* A node that is to be made, and is next of all that are. */
struct growth_due {
    struct growth_child child;
    uint32_t rank;
    uint32_t parent;
    uint32_t level;
    uint32_t elder; /* the sibling in front of it, which is made before, or GATE_NO_INDEX */
};

enum { FIRST_NODES = 256, FIRST_DUE = 64, FEW_SIBLINGS = 12 };

struct growing {
    const struct gate_tree_plan *plan;
    const struct gate_tree_start *start;
    struct gate_arena *arena;
    struct gate_tree tree;
    size_t node_capacity;
    struct growth_child *by_rank; /* those that the node at hand has stacks of are not empty */
    uint32_t *met;                /* their ranks */
    struct growth_due *due;       /* a stack: the last is next */
    uint32_t due_count;
    size_t due_capacity;
};

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* A new node, behind all that are; GATE_NO_INDEX where memory is full. */
static uint32_t node_add(struct growing *g, const struct growth_due *due) {
    struct gate_tree *tree = &g->tree;
    tree->nodes = gate_arena_regrow(g->arena, tree->nodes, tree->count, &g->node_capacity, sizeof *tree->nodes);
    if (tree->nodes == NULL || tree->count == GATE_NO_INDEX)
        return GATE_NO_INDEX;
    uint32_t index = tree->count++;
    tree->nodes[index] = (struct gate_tree_node){
        .frame = due->rank == 0 ? GATE_NO_INDEX : g->plan->frame_of[due->rank],
        .parent = due->parent,
        .first_child = GATE_NO_INDEX,
        .next_sibling = GATE_NO_INDEX,
        .total = {due->child.total[GATE_BASELINE], due->child.total[GATE_CANARY]},
    };
    if (due->child.known != GATE_NO_INDEX)
        memcpy(tree->nodes[index].self, g->start->known.nodes[due->child.known].self, sizeof tree->nodes[index].self);
    if (due->elder != GATE_NO_INDEX)
        tree->nodes[due->elder].next_sibling = index;
    else if (due->parent != GATE_NO_INDEX)
        tree->nodes[due->parent].first_child = index;
    if (due->level > tree->depth)
        tree->depth = due->level;
    return index;
}

/* A node of one stack alone: whatever is left of it is a chain. */
static bool grow_chain(struct growing *g, uint32_t node, struct growth_due due) {
    struct gate_tree_stack *stack = &g->start->stacks[due.child.stacks];
    const struct gate_tree_run *from = &g->start->runs[stack->run];
    for (due.elder = GATE_NO_INDEX;; node = node_add(g, &due)) {
        if (node == GATE_NO_INDEX)
            return false;
        uint32_t frame = gate_walk_take(&stack->rest, from->run, g->plan->from_leaf, g->tree.nodes[node].frame);
        if (frame == GATE_NO_INDEX)
            g->tree.nodes[node].self[from->side] += stack->value;
        due.rank = frame == GATE_NO_INDEX ? 0 : g->plan->rank_of[frame];
        if (due.rank == 0)
            return true;
        due.parent = node;
        due.level++;
    }
}

static const struct growth_child no_child = {.stacks = GATE_NO_INDEX, .known = GATE_NO_INDEX};

/* Meet the children that are known of a node; returns how many there are. */
static uint32_t meet_known(struct growing *g, uint32_t known) {
    const struct gate_tree_node *nodes = g->start->known.nodes;
    uint32_t count = 0;
    for (uint32_t i = nodes[known].first_child; i != GATE_NO_INDEX; i = nodes[i].next_sibling) {
        uint32_t rank = g->plan->rank_of[nodes[i].frame];
        g->by_rank[rank] =
            (struct growth_child){{nodes[i].total[GATE_BASELINE], nodes[i].total[GATE_CANARY]}, g->start->lists[i], i};
        g->met[count++] = rank;
    }
    return count;
}

/* Deal out the stacks of a node to its children by their next frame, behind `count` that were met; returns how many
 * children there are. */
static uint32_t deal(struct growing *g, struct gate_tree_node *node, uint32_t stacks, uint32_t count) {
    const struct gate_tree_plan *plan = g->plan;
    for (uint32_t next; stacks != GATE_NO_INDEX; stacks = next) {
        struct gate_tree_stack *stack = &g->start->stacks[stacks];
        const struct gate_tree_run *from = &g->start->runs[stack->run];
        next = stack->next;
        uint32_t frame = gate_walk_take(&stack->rest, from->run, plan->from_leaf, node->frame);
        if (frame == GATE_NO_INDEX)
            node->self[from->side] += stack->value;
        uint32_t rank = frame == GATE_NO_INDEX ? 0 : plan->rank_of[frame];
        if (rank == 0)
            continue;
        struct growth_child *child = &g->by_rank[rank];
        if (child->stacks == GATE_NO_INDEX)
            g->met[count++] = rank;
        child->total[from->side] += stack->value;
        stack->next = child->stacks;
        child->stacks = stacks;
    }
    return count;
}

/* Empty what does not pass of the children that were met; returns how many are left of them. */
static uint32_t keep_large(struct growing *g, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct growth_child *child = &g->by_rank[g->met[i]];
        if (gate_tree_plan_passes(g->plan, child->total))
            g->met[kept++] = g->met[i];
        else
            *child = no_child;
    }
    return kept;
}

static int rank_compare(const void *left, const void *right) {
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static void sort_ranks(uint32_t *ranks, uint32_t count) {
    if (count > FEW_SIBLINGS) {
        qsort(ranks, count, sizeof *ranks, rank_compare);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t rank = ranks[i], at = i;
        for (; at > 0 && ranks[at - 1] > rank; at--)
            ranks[at] = ranks[at - 1];
        ranks[at] = rank;
    }
}

/* Make the children of a node due, the first by name last. */
static bool make_due(struct growing *g, uint32_t node, uint32_t level, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        g->due = gate_arena_regrow(g->plan->scratch, g->due, g->due_count, &g->due_capacity, sizeof *g->due);
        if (g->due == NULL)
            return false;
        struct growth_child *child = &g->by_rank[g->met[i]];
        g->due[g->due_count++] = (struct growth_due){*child, g->met[i], node, level, GATE_NO_INDEX};
        *child = no_child;
    }
    return true;
}

/* The next node that is due, and its children due in its place. */
static bool grow_next(struct growing *g) {
    struct growth_due due = g->due[--g->due_count];
    uint32_t node = node_add(g, &due), stacks = due.child.stacks, count = 0;
    if (node == GATE_NO_INDEX)
        return false;
    if (g->due_count > 0 && g->due[g->due_count - 1].parent == due.parent)
        g->due[g->due_count - 1].elder = node;
    if (due.child.known != GATE_NO_INDEX)
        count = meet_known(g, due.child.known);
    else if (g->start->stacks[stacks].next == GATE_NO_INDEX)
        return grow_chain(g, node, due);
    count = keep_large(g, deal(g, &g->tree.nodes[node], stacks, count));
    sort_ranks(g->met, count);
    return make_due(g, node, due.level + 1, count);
}

bool gate_tree_grow(struct gate_tree *out, const struct gate_tree_plan *plan, const struct gate_tree_start *start,
                    struct gate_arena *arena) {
    const struct gate_tree_node *root = &start->known.nodes[0];
    struct growing g = {
        .plan = plan, .start = start, .arena = arena, .node_capacity = FIRST_NODES, .due_capacity = FIRST_DUE};
    g.by_rank = gate_arena_alloc(plan->scratch, ((size_t)plan->rank_count + 1) * sizeof *g.by_rank);
    g.met = gate_arena_alloc(plan->scratch, ((size_t)plan->rank_count + 1) * sizeof *g.met);
    g.due = gate_arena_resize(plan->scratch, NULL, 0, g.due_capacity * sizeof *g.due);
    g.tree.nodes = gate_arena_resize(arena, NULL, 0, g.node_capacity * sizeof *g.tree.nodes);
    if (g.by_rank == NULL || g.met == NULL || g.due == NULL || g.tree.nodes == NULL)
        return false;
    for (uint32_t i = 0; i <= plan->rank_count; i++)
        g.by_rank[i] = no_child;
    g.due[g.due_count++] =
        (struct growth_due){{{root->total[GATE_BASELINE], root->total[GATE_CANARY]}, start->lists[0], 0},
                            0,
                            GATE_NO_INDEX,
                            0,
                            GATE_NO_INDEX};
    while (g.due_count > 0)
        if (!grow_next(&g))
            return false;
    (void)gate_arena_resize(plan->scratch, g.due, g.due_capacity * sizeof *g.due, 0);
    g.tree.nodes = gate_arena_resize(arena, g.tree.nodes, g.node_capacity * sizeof *g.tree.nodes,
                                     g.tree.count * sizeof *g.tree.nodes);
    *out = g.tree;
    return g.tree.nodes != NULL;
}
