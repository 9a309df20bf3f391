/* SPDX-License-Identifier: Apache-2.0 */
/* Where growth starts (see tree_start.h). */
#include "gate/compare/tree_start.h"

#include "gate/base/hash.h"
#include "gate/base/parallel.h"

enum { STACKS_WORTH_A_THREAD = 1 << 16, BUCKETS = 1 << 14, FEWEST_SLOTS = 64, FRAMES_AT_A_TIME = 8, STACKS_AHEAD = 6 };

size_t gate_tree_start_count(const struct gate_pair *pair) {
    size_t count = 0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            count += pair->sides[side].runs[r].stacks.count;
    return count;
}

static bool start_runs(struct gate_tree_start *out, const struct gate_tree_plan *plan) {
    const struct gate_side *sides = plan->pair->sides;
    *out = (struct gate_tree_start){0};
    size_t count = (size_t)sides[GATE_BASELINE].run_count + sides[GATE_CANARY].run_count;
    out->runs = gate_arena_alloc(plan->scratch, (count + 1) * sizeof *out->runs);
    for (int side = 0; out->runs != NULL && side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < sides[side].run_count; r++)
            out->runs[out->run_count++] = (struct gate_tree_run){&sides[side].runs[r], (enum gate_side_name)side};
    return out->runs != NULL && gate_tree_start_count(plan->pair) < GATE_NO_INDEX - 1;
}

/* Room for the stacks of lists: a block of its own. */
static bool start_reserve(struct gate_tree_start *out, const struct gate_tree_plan *plan, size_t from, size_t to) {
    size_t size = sizeof *out->stacks;
    out->stacks = gate_arena_resize(plan->scratch, out->stacks, from * size, to * size);
    return out->stacks != NULL;
}

/* ---- all at the root --------------------------------------------------------------------------------------------- */

/* Whether a stack whose first frame this is, is in the tree beneath the root at all. */
static bool plan_begins(const struct gate_tree_plan *plan, uint32_t frame) {
    return plan->begins == NULL || frame == GATE_NO_INDEX || plan->begins[frame];
}

/* Each stride-th stack of a run, in front of the root's list. */
static void plain_run(struct gate_tree_start *out, const struct gate_tree_plan *plan, uint32_t index, uint32_t stride,
                      uint32_t *count, uint32_t *frames) {
    const struct gate_tree_run *from = &out->runs[index];
    int64_t *total = &out->known.nodes[0].total[from->side];
    for (uint32_t i = 0; i < from->run->stacks.count; i += stride) {
        const struct gate_stack stack = gate_stacks_at(&from->run->stacks, i);
        int64_t value = stack.value * from->run->unit_ratio;
        struct gate_walk_rest rest;
        *total += value;
        if (value == 0)
            continue;
        gate_walk_begin(&rest, from->run, &stack, plan->from_leaf, frames);
        struct gate_walk_rest ahead = rest;
        if (plan->begins != NULL &&
            !plan_begins(plan, gate_walk_take(&ahead, from->run, plan->from_leaf, GATE_NO_INDEX)))
            continue;
        out->stacks[*count] = (struct gate_tree_stack){rest, value, index, out->lists[0]};
        out->lists[0] = (*count)++;
    }
}

bool gate_tree_start_plain(struct gate_tree_start *out, const struct gate_tree_plan *plan, uint32_t stride) {
    if (!start_runs(out, plan))
        return false;
    size_t most = gate_tree_start_count(plan->pair) / stride + out->run_count + 1;
    uint32_t *frames = gate_arena_alloc(plan->scratch, (size_t)plan->pair->max_frames * sizeof *frames);
    uint32_t count = 0;
    out->lists = gate_arena_alloc(plan->scratch, sizeof *out->lists);
    out->known.nodes = GATE_NEW_ARRAY(plan->scratch, struct gate_tree_node, 1);
    if (frames == NULL || out->lists == NULL || out->known.nodes == NULL || !start_reserve(out, plan, 0, most))
        return false;
    out->lists[0] = out->known.nodes[0].first_child = GATE_NO_INDEX;
    out->known.count = 1;
    for (uint32_t r = 0; r < out->run_count; r++)
        plain_run(out, plan, r, stride, &count, frames);
    return start_reserve(out, plan, most, (size_t)count + 1);
}

/* ---- down a known tree ------------------------------------------------------------------------------------------- */

/* A child of a node, by its frame. */
struct known_slot {
    uint32_t node;
    uint32_t frame;
    uint32_t child; /* 0: the slot is free */
};

/* The child that weighs most is looked at first. */
struct known_hot {
    uint32_t frame;
    uint32_t child;
};

struct known_walk {
    const struct gate_tree_plan *plan;
    struct gate_tree_start *start;
    uint64_t secret;
    struct known_slot *slots;
    uint32_t mask;
    struct known_hot *hot; /* of each node */
    uint32_t *left;        /* of each stack in the order of the runs: its bucket, or GATE_NO_INDEX */
};

/* One side of it. */
struct known_side {
    const struct known_walk *walk;
    enum gate_side_name side;
    uint32_t first;   /* of `left` */
    int64_t *buckets; /* what leaves the tree, by a hash of the node and the frame behind it: no less than its weight */
    uint32_t *frames;
};

static uint32_t known_hash(const struct known_walk *walk, uint32_t node, uint32_t frame) {
    return (uint32_t)gate_hash_mix(((uint64_t)node << 32 | frame) ^ walk->secret);
}

/* 0, the root, where there is no such child. */
static inline uint32_t known_child(const struct known_walk *walk, uint32_t node, uint32_t frame) {
    if (walk->hot[node].frame == frame)
        return walk->hot[node].child;
    for (uint32_t at = known_hash(walk, node, frame) & walk->mask;; at = (at + 1) & walk->mask) {
        const struct known_slot *slot = &walk->slots[at];
        if (slot->child == 0 || (slot->node == node && slot->frame == frame))
            return slot->child;
    }
}

static bool known_index(struct known_walk *walk, const struct gate_tree *known) {
    uint32_t slots = FEWEST_SLOTS;
    while (slots / 2 < known->count && slots < UINT32_MAX / 2)
        slots *= 2;
    walk->secret = gate_hash_secret();
    walk->mask = slots - 1;
    walk->slots = GATE_NEW_ARRAY(walk->plan->scratch, struct known_slot, slots);
    walk->hot = gate_arena_alloc(walk->plan->scratch, known->count * sizeof *walk->hot);
    if (walk->slots == NULL || walk->hot == NULL)
        return false;
    memset(walk->hot, 0xFF, known->count * sizeof *walk->hot);
    for (uint32_t i = 1; i < known->count; i++) {
        const struct gate_tree_node *node = &known->nodes[i];
        struct known_hot *hot = &walk->hot[node->parent];
        if (hot->child == GATE_NO_INDEX || node->total[GATE_BASELINE] > known->nodes[hot->child].total[GATE_BASELINE])
            *hot = (struct known_hot){node->frame, i};
        uint32_t at = known_hash(walk, node->parent, node->frame) & walk->mask;
        while (walk->slots[at].child != 0)
            at = (at + 1) & walk->mask;
        walk->slots[at] = (struct known_slot){node->parent, node->frame, i};
    }
    return true;
}

/* Where a stack leaves the known tree. */
struct known_leave {
    uint32_t node;
    uint32_t depth; /* of that node */
    uint32_t frame; /* that it goes on to, or GATE_NO_INDEX */
};

static struct known_leave known_descend(const struct known_walk *walk, const struct gate_run *run,
                                        struct gate_walk_rest rest) {
    struct known_leave at = {.frame = GATE_NO_INDEX};
    bool from_leaf = walk->plan->from_leaf; /* then most stacks have no part in the tree */
    uint32_t frames[FRAMES_AT_A_TIME], most = from_leaf ? 1 : FRAMES_AT_A_TIME;
    for (;; most = FRAMES_AT_A_TIME) {
        uint32_t count = gate_walk_take_some(&rest, run, from_leaf, at.frame, frames, most);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t child = known_child(walk, at.node, frames[i]);
            at.frame = frames[i];
            if (child == 0)
                return at;
            at.node = child;
            at.depth++;
        }
        if (count < most)
            break;
    }
    at.frame = GATE_NO_INDEX;
    return at;
}

/* Weigh one stack where it leaves the known tree, and say in which bucket what it goes on to is. */
static uint32_t known_weigh(const struct known_side *s, const struct gate_run *run, const struct gate_stack *stack) {
    const struct gate_tree_plan *plan = s->walk->plan;
    struct gate_tree_node *nodes = s->walk->start->known.nodes;
    struct gate_walk_rest rest;
    int64_t value = stack->value * run->unit_ratio;
    gate_walk_begin(&rest, run, stack, plan->from_leaf, s->frames);
    struct known_leave at = known_descend(s->walk, run, rest);
    nodes[at.node].total[s->side] += value;
    if (at.frame == GATE_NO_INDEX)
        nodes[at.node].self[s->side] += value;
    if (at.frame == GATE_NO_INDEX || plan->rank_of[at.frame] == 0 || value == 0 ||
        (at.node == 0 && !plan_begins(plan, at.frame)))
        return GATE_NO_INDEX;
    uint32_t bucket = known_hash(s->walk, at.node, at.frame) % BUCKETS;
    s->buckets[bucket] += value;
    return bucket;
}

/* Both ends of a stack are looked at. */
static inline void fetch_ahead(struct gate_stack_ref stack) {
    __builtin_prefetch(stack.ids);
    __builtin_prefetch(stack.ids + stack.len);
}

static void known_side_run(void *context) {
    const struct known_side *s = context;
    const struct gate_side *side = &s->walk->plan->pair->sides[s->side];
    uint32_t at = s->first;
    for (uint32_t r = 0; r < side->run_count; r++)
        for (uint32_t i = 0; i < side->runs[r].stacks.count; i++) {
            const struct gate_stack stack = gate_stacks_at(&side->runs[r].stacks, i);
            if (i + STACKS_AHEAD < side->runs[r].stacks.count)
                fetch_ahead(gate_stacks_ref_at(&side->runs[r].stacks, i + STACKS_AHEAD));
            s->walk->left[at++] = known_weigh(s, &side->runs[r], &stack);
        }
}

/* Whether a bucket may hold what passes. */
static bool is_heavy(const struct known_side sides[GATE_SIDES], uint32_t bucket) {
    if (bucket == GATE_NO_INDEX)
        return false;
    const int64_t most[GATE_SIDES] = {sides[GATE_BASELINE].buckets[bucket], sides[GATE_CANARY].buckets[bucket]};
    return gate_tree_plan_passes(sides[GATE_BASELINE].walk->plan, most);
}

/* Put the stacks of heavy buckets into the lists of the nodes that they leave. */
static bool known_list(const struct known_walk *walk, const struct known_side sides[GATE_SIDES]) {
    struct gate_tree_start *start = walk->start;
    uint32_t all = (uint32_t)gate_tree_start_count(walk->plan->pair), heavy = 0, at = 0, count = 0;
    for (uint32_t i = 0; i < all; i++)
        heavy += is_heavy(sides, walk->left[i]);
    if (!start_reserve(start, walk->plan, 0, (size_t)heavy + 1))
        return false;
    for (uint32_t r = 0; r < start->run_count; r++) {
        const struct gate_run *run = start->runs[r].run;
        for (uint32_t i = 0; i < run->stacks.count; i++) {
            if (!is_heavy(sides, walk->left[at++]))
                continue;
            const struct gate_stack whole = gate_stacks_at(&run->stacks, i);
            struct gate_tree_stack *stack = &start->stacks[count];
            gate_walk_begin(&stack->rest, run, &whole, walk->plan->from_leaf, sides[0].frames);
            struct known_leave from = known_descend(walk, run, stack->rest);
            uint32_t last = GATE_NO_INDEX;
            for (uint32_t d = 0; d < from.depth; d++)
                last = gate_walk_take(&stack->rest, run, walk->plan->from_leaf, last);
            stack->value = whole.value * run->unit_ratio;
            stack->run = r;
            stack->next = start->lists[from.node];
            start->lists[from.node] = count++;
        }
    }
    return true;
}

/* The known tree without weights. */
static bool known_copy(struct gate_tree_start *out, const struct gate_tree_plan *plan, const struct gate_tree *known) {
    out->known = *known;
    out->known.nodes = gate_arena_alloc(plan->scratch, known->count * sizeof *known->nodes);
    out->lists = gate_arena_alloc(plan->scratch, known->count * sizeof *out->lists);
    if (out->known.nodes == NULL || out->lists == NULL)
        return false;
    memcpy(out->known.nodes, known->nodes, known->count * sizeof *known->nodes);
    memset(out->lists, 0xFF, known->count * sizeof *out->lists);
    for (uint32_t i = 0; i < known->count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            out->known.nodes[i].self[side] = out->known.nodes[i].total[side] = 0;
    return true;
}

/* Weigh all stacks of both sides; then each node weighs what is beneath it too. */
static void known_weigh_all(struct known_side sides[GATE_SIDES], struct gate_tree *known, size_t stacks) {
    if (stacks >= GATE_SIDES * (size_t)STACKS_WORTH_A_THREAD) {
        gate_parallel_both(known_side_run, &sides[GATE_BASELINE], &sides[GATE_CANARY]);
    } else {
        known_side_run(&sides[GATE_BASELINE]);
        known_side_run(&sides[GATE_CANARY]);
    }
    for (uint32_t i = known->count; i-- > 1;)
        for (int side = 0; side < GATE_SIDES; side++)
            known->nodes[known->nodes[i].parent].total[side] += known->nodes[i].total[side];
}

bool gate_tree_start_known(struct gate_tree_start *out, const struct gate_tree_plan *plan,
                           const struct gate_tree *known) {
    struct known_walk walk = {.plan = plan, .start = out};
    struct known_side sides[GATE_SIDES] = {{&walk, GATE_BASELINE, 0, NULL, NULL}, {&walk, GATE_CANARY, 0, NULL, NULL}};
    size_t all = gate_tree_start_count(plan->pair);
    if (!start_runs(out, plan) || !known_copy(out, plan, known) || !known_index(&walk, known))
        return false;
    walk.left = gate_arena_resize(plan->scratch, NULL, 0, (all + 1) * sizeof *walk.left);
    bool ok = walk.left != NULL;
    for (int side = 0; side < GATE_SIDES; side++) {
        sides[side].buckets = GATE_NEW_ARRAY(plan->scratch, int64_t, BUCKETS);
        sides[side].frames = gate_arena_alloc(plan->scratch, (size_t)plan->pair->max_frames * sizeof(uint32_t));
        ok = ok && sides[side].buckets != NULL && sides[side].frames != NULL;
    }
    for (uint32_t r = 0; r < plan->pair->sides[GATE_BASELINE].run_count; r++)
        sides[GATE_CANARY].first += plan->pair->sides[GATE_BASELINE].runs[r].stacks.count;
    if (!ok)
        return false;
    known_weigh_all(sides, &out->known, all);
    ok = known_list(&walk, sides);
    (void)gate_arena_resize(plan->scratch, walk.left, (all + 1) * sizeof *walk.left, 0);
    return ok;
}
