/* SPDX-License-Identifier: Apache-2.0 */
/* Growing the merged call tree (see tree_growth.h). */
#include "gate/compare/tree_growth.h"

#include "gate/compare/walk.h"

#include <stdlib.h>

/* A stack on its way down the tree, in the list of the node that it has come to. */
struct growth_stack {
    struct gate_walk_rest rest;
    int64_t value;
    uint32_t run;
    uint32_t next; /* of the list, or NO_STACK */
};

struct growth_run {
    const struct gate_run *run;
    enum gate_side_name side;
};

/* What the stacks of a node hold of one callee. */
struct growth_child {
    int64_t total[GATE_SIDES];
    uint32_t stacks; /* list, or NO_STACK */
    uint32_t rank;
};

/* A node that is to be made, and is next of all that are. */
struct growth_due {
    struct growth_child child;
    uint32_t parent;
    uint32_t level;
    uint32_t elder; /* the sibling in front of it, which is made before, or GATE_NO_INDEX */
};

enum { FIRST_NODES = 256, FIRST_DUE = 64, FEW_SIBLINGS = 12 };
static const uint32_t NO_STACK = UINT32_MAX;

struct growing {
    const struct gate_growth *growth;
    struct gate_arena *arena;
    struct gate_tree tree;
    size_t node_capacity;
    struct growth_run *runs;
    struct growth_stack *stacks;
    struct growth_child *by_rank; /* those that the node at hand has stacks of are not empty */
    uint32_t *met;                /* their ranks */
    struct growth_due *due;       /* a stack: the last is next */
    uint32_t due_count;
    size_t due_capacity;
};

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static size_t count_runs(const struct gate_pair *pair) {
    return (size_t)pair->sides[GATE_BASELINE].run_count + pair->sides[GATE_CANARY].run_count;
}

static size_t count_stacks(const struct gate_pair *pair) {
    size_t count = 0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            count += pair->sides[side].runs[r].stacks.count;
    return count;
}

/* Whether it is in the tree beneath the root at all. */
static bool stack_begins(const struct growing *g, const struct growth_stack *stack) {
    struct gate_walk_rest rest = stack->rest;
    if (g->growth->begins == NULL)
        return true;
    uint32_t frame = gate_walk_take(&rest, g->runs[stack->run].run, g->growth->from_leaf, GATE_NO_INDEX);
    return frame == GATE_NO_INDEX || g->growth->begins[frame];
}

/* Put the stacks of one run in front of the root's. */
static void collect_run(struct growing *g, struct growth_due *root, uint32_t index, uint32_t *count,
                        uint32_t *scratch) {
    const struct growth_run *from = &g->runs[index];
    for (uint32_t i = 0; i < from->run->stacks.count; i++) {
        const struct gate_stack *stack = &from->run->stacks.items[i];
        struct growth_stack *to = &g->stacks[*count];
        to->value = stack->value * from->run->unit_ratio;
        to->run = index;
        root->child.total[from->side] += to->value;
        if (to->value == 0)
            continue;
        gate_walk_begin(&to->rest, from->run, stack, g->growth->from_leaf, scratch);
        if (!stack_begins(g, to))
            continue;
        to->next = root->child.stacks;
        root->child.stacks = (*count)++;
    }
}

/* The stacks of all runs; what they do not need of the room that all would take is given back. */
static bool collect(struct growing *g, struct growth_due *root) {
    const struct gate_pair *pair = g->growth->pair;
    struct gate_arena *scratch = g->growth->scratch;
    size_t most = count_stacks(pair) + 1;
    uint32_t runs = 0, count = 0;
    uint32_t *frames = gate_arena_alloc(scratch, (size_t)pair->max_frames * sizeof *frames);
    g->runs = gate_arena_alloc(scratch, (count_runs(pair) + 1) * sizeof *g->runs);
    g->stacks = gate_arena_resize(scratch, NULL, 0, most * sizeof *g->stacks);
    if (most >= NO_STACK || frames == NULL || g->runs == NULL || g->stacks == NULL)
        return false;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++, runs++) {
            g->runs[runs] = (struct growth_run){&pair->sides[side].runs[r], (enum gate_side_name)side};
            collect_run(g, root, runs, &count, frames);
        }
    g->stacks = gate_arena_resize(scratch, g->stacks, most * sizeof *g->stacks, (count + 1) * sizeof *g->stacks);
    return g->stacks != NULL;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* A new node, behind all that are; GATE_NO_INDEX where memory is full. */
static uint32_t node_add(struct growing *g, const struct growth_due *due) {
    struct gate_tree *tree = &g->tree;
    tree->nodes = gate_arena_regrow(g->arena, tree->nodes, tree->count, &g->node_capacity, sizeof *tree->nodes);
    if (tree->nodes == NULL || tree->count == GATE_NO_INDEX)
        return GATE_NO_INDEX;
    uint32_t index = tree->count++;
    tree->nodes[index] = (struct gate_tree_node){
        .frame = due->child.rank == 0 ? GATE_NO_INDEX : g->growth->frame_of[due->child.rank],
        .parent = due->parent,
        .first_child = GATE_NO_INDEX,
        .next_sibling = GATE_NO_INDEX,
        .total = {due->child.total[GATE_BASELINE], due->child.total[GATE_CANARY]},
    };
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
    struct growth_stack *stack = &g->stacks[due.child.stacks];
    const struct growth_run *from = &g->runs[stack->run];
    for (due.elder = GATE_NO_INDEX;; node = node_add(g, &due)) {
        if (node == GATE_NO_INDEX)
            return false;
        uint32_t frame = gate_walk_take(&stack->rest, from->run, g->growth->from_leaf, g->tree.nodes[node].frame);
        if (frame == GATE_NO_INDEX)
            g->tree.nodes[node].self[from->side] += stack->value;
        due.child.rank = frame == GATE_NO_INDEX ? 0 : g->growth->rank_of[frame];
        if (due.child.rank == 0)
            return true;
        due.parent = node;
        due.level++;
    }
}

/* Deal out the stacks of a node to its children by their next frame; returns how many children there are. */
static uint32_t deal(struct growing *g, struct gate_tree_node *node, uint32_t stacks) {
    const struct gate_growth *growth = g->growth;
    uint32_t count = 0;
    for (uint32_t next; stacks != NO_STACK; stacks = next) {
        struct growth_stack *stack = &g->stacks[stacks];
        const struct growth_run *from = &g->runs[stack->run];
        next = stack->next;
        uint32_t frame = gate_walk_take(&stack->rest, from->run, growth->from_leaf, node->frame);
        if (frame == GATE_NO_INDEX)
            node->self[from->side] += stack->value;
        uint32_t rank = frame == GATE_NO_INDEX ? 0 : growth->rank_of[frame];
        if (rank == 0)
            continue;
        struct growth_child *child = &g->by_rank[rank];
        if (child->stacks == NO_STACK)
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
        if (gate_growth_passes(g->growth, child->total))
            g->met[kept++] = g->met[i];
        else
            *child = (struct growth_child){.stacks = NO_STACK};
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
        g->due = gate_arena_regrow(g->growth->scratch, g->due, g->due_count, &g->due_capacity, sizeof *g->due);
        if (g->due == NULL)
            return false;
        struct growth_child *child = &g->by_rank[g->met[i]];
        child->rank = g->met[i];
        g->due[g->due_count++] = (struct growth_due){*child, node, level, GATE_NO_INDEX};
        *child = (struct growth_child){.stacks = NO_STACK};
    }
    return true;
}

/* The next node that is due, and its children due in its place. */
static bool grow_next(struct growing *g) {
    struct growth_due due = g->due[--g->due_count];
    uint32_t node = node_add(g, &due), stacks = due.child.stacks;
    if (node == GATE_NO_INDEX)
        return false;
    if (g->due_count > 0 && g->due[g->due_count - 1].parent == due.parent)
        g->due[g->due_count - 1].elder = node;
    if (stacks == NO_STACK)
        return true;
    if (g->stacks[stacks].next == NO_STACK && due.parent != GATE_NO_INDEX)
        return grow_chain(g, node, due);
    uint32_t count = keep_large(g, deal(g, &g->tree.nodes[node], stacks));
    sort_ranks(g->met, count);
    return make_due(g, node, due.level + 1, count);
}

bool gate_growth_grow(struct gate_tree *out, const struct gate_growth *growth, struct gate_arena *arena) {
    struct growing g = {.growth = growth, .arena = arena, .node_capacity = FIRST_NODES, .due_capacity = FIRST_DUE};
    struct growth_due root = {{.stacks = NO_STACK}, GATE_NO_INDEX, 0, GATE_NO_INDEX};
    g.by_rank = gate_arena_alloc(growth->scratch, ((size_t)growth->rank_count + 1) * sizeof *g.by_rank);
    g.met = gate_arena_alloc(growth->scratch, ((size_t)growth->rank_count + 1) * sizeof *g.met);
    g.due = gate_arena_resize(growth->scratch, NULL, 0, g.due_capacity * sizeof *g.due);
    g.tree.nodes = gate_arena_resize(arena, NULL, 0, g.node_capacity * sizeof *g.tree.nodes);
    if (g.by_rank == NULL || g.met == NULL || g.due == NULL || g.tree.nodes == NULL || !collect(&g, &root))
        return false;
    for (uint32_t i = 0; i <= growth->rank_count; i++)
        g.by_rank[i] = (struct growth_child){.stacks = NO_STACK};
    g.due[g.due_count++] = root;
    while (g.due_count > 0)
        if (!grow_next(&g))
            return false;
    g.tree.nodes = gate_arena_resize(arena, g.tree.nodes, g.node_capacity * sizeof *g.tree.nodes,
                                     g.tree.count * sizeof *g.tree.nodes);
    *out = g.tree;
    return g.tree.nodes != NULL;
}
