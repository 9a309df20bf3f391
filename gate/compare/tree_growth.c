/* SPDX-License-Identifier: Apache-2.0 */
/* Growing the merged call tree (see tree_growth.h). */
#include "gate/compare/tree_growth.h"

#include "gate/base/hash.h"
#include "gate/base/parallel.h"

enum { FIRST_NODES = 1024, SLOTS_LIMIT = 1 << 30, STACKS_WORTH_A_THREAD = 1 << 17 };

bool gate_growth_passes(const struct gate_growth *growth, const int64_t total[GATE_SIDES]) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (total[side] > 0 && gate_share(total[side], growth->pair->sides[side].total) >= growth->min_share)
            return true;
    return false;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static uint32_t slot_tag(const struct gate_growth *growth, uint32_t parent, uint32_t frame) {
    return (uint32_t)gate_hash_number((uint64_t)parent << 32 | frame, growth->secret);
}

/* The slot of a child, or the free one where it would go. */
static struct gate_growth_slot *slot_find(const struct gate_growth *growth, uint32_t parent, uint32_t frame,
                                          uint32_t tag) {
    uint32_t mask = growth->slot_count - 1;
    for (uint32_t at = tag & mask;; at = (at + 1) & mask) {
        struct gate_growth_slot *slot = &growth->slots[at];
        if (slot->entry == 0)
            return slot;
        if (slot->tag != tag)
            continue;
        const struct gate_grown_node *node = &growth->nodes[slot->entry - 1];
        if (node->parent == parent && node->frame == frame)
            return slot;
    }
}

/* A first child is found through its parent: only the others need a slot, and a tail that one stack has needs none. */
static bool node_is_hot(const struct gate_growth *growth, uint32_t node) {
    return growth->nodes[growth->nodes[node].parent].hot_child == node;
}

static void slots_drop(struct gate_growth *growth) {
    (void)gate_arena_resize(growth->arena, growth->slots, growth->slot_count * sizeof *growth->slots, 0);
    growth->slots = NULL;
    growth->slot_count = 0;
}

/* Slots for twice the nodes that need one. */
static bool slots_remake(struct gate_growth *growth) {
    uint32_t wanted = FIRST_NODES * 2;
    growth->slotted = 0;
    for (uint32_t i = 1; i < growth->count; i++)
        growth->slotted += !node_is_hot(growth, i);
    while (wanted / 4 < growth->slotted)
        wanted *= 2;
    if (wanted > SLOTS_LIMIT)
        return false;
    slots_drop(growth);
    growth->slots = gate_arena_resize(growth->arena, NULL, 0, wanted * sizeof *growth->slots);
    if (growth->slots == NULL)
        return false;
    growth->slot_count = wanted;
    memset(growth->slots, 0, wanted * sizeof *growth->slots);
    for (uint32_t i = 1; i < growth->count; i++) {
        const struct gate_grown_node *node = &growth->nodes[i];
        if (node_is_hot(growth, i))
            continue;
        uint32_t tag = slot_tag(growth, node->parent, node->frame);
        *slot_find(growth, node->parent, node->frame, tag) = (struct gate_growth_slot){tag, i + 1};
    }
    return true;
}

static bool nodes_reserve(struct gate_growth *growth) {
    if (growth->count < growth->capacity)
        return true;
    size_t wanted = growth->capacity == 0 ? FIRST_NODES : growth->capacity + growth->capacity / 2;
    struct gate_grown_node *nodes =
        gate_arena_resize(growth->arena, growth->nodes, growth->capacity * sizeof *nodes, wanted * sizeof *nodes);
    if (nodes == NULL)
        return false;
    growth->nodes = nodes;
    growth->capacity = wanted;
    return true;
}

static uint32_t node_add(struct gate_growth *growth, uint32_t parent, uint32_t frame) {
    if (!nodes_reserve(growth))
        return GATE_NO_INDEX;
    uint32_t node = growth->count++;
    growth->nodes[node] = (struct gate_grown_node){
        .parent = parent, .frame = frame, .hot_frame = GATE_NO_INDEX, .hot_child = GATE_NO_INDEX};
    return node;
}

/* The child of `parent` for `frame`, which is not its first one's; made when it is new. GATE_NO_INDEX when memory is
 * full. */
static uint32_t child_make(struct gate_growth *growth, uint32_t parent, uint32_t frame) {
    if (growth->nodes[parent].hot_child == GATE_NO_INDEX) {
        uint32_t first = node_add(growth, parent, frame);
        growth->nodes[parent].hot_frame = first == GATE_NO_INDEX ? GATE_NO_INDEX : frame;
        growth->nodes[parent].hot_child = first;
        return first;
    }
    if (growth->slotted >= growth->slot_count / 2 && !slots_remake(growth))
        return GATE_NO_INDEX;
    uint32_t tag = slot_tag(growth, parent, frame);
    struct gate_growth_slot *slot = slot_find(growth, parent, frame, tag);
    if (slot->entry != 0)
        return slot->entry - 1;
    uint32_t node = node_add(growth, parent, frame);
    if (node == GATE_NO_INDEX)
        return GATE_NO_INDEX;
    *slot = (struct gate_growth_slot){tag, node + 1};
    growth->slotted++;
    return node;
}

/* The same where levels are final: GATE_NO_INDEX means that it did not pass. */
static uint32_t child_find(const struct gate_growth *growth, uint32_t parent, uint32_t frame) {
    return slot_find(growth, parent, frame, slot_tag(growth, parent, frame))->entry - 1;
}

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

/* Weights of nodes deeper than `level` go to the nodes that they hang on, which then weigh what is beneath them: while
 * stacks are added, each is counted at its last node alone. */
static bool growth_lift(struct gate_growth *growth, uint32_t level) {
    size_t size = growth->count * sizeof(uint32_t);
    uint32_t *levels = gate_arena_resize(growth->arena, NULL, 0, size);
    if (levels == NULL)
        return false;
    levels[0] = 0;
    for (uint32_t i = 1; i < growth->count; i++)
        levels[i] = levels[growth->nodes[i].parent] + 1;
    for (uint32_t i = growth->count; i-- > 1;) {
        const struct gate_grown_node *node = &growth->nodes[i];
        for (int side = 0; levels[i] > level && side < GATE_SIDES; side++)
            growth->nodes[node->parent].total[side] += node->total[side];
    }
    (void)gate_arena_resize(growth->arena, levels, size, 0);
    return true;
}

/* Drop nodes below the window and, with `small`, those that do not pass. */
static bool growth_cut(struct gate_growth *growth, bool small) {
    size_t size = growth->count * sizeof(uint32_t);
    uint32_t *place = gate_arena_resize(growth->arena, NULL, 0, size);
    uint32_t *level = gate_arena_resize(growth->arena, NULL, 0, size);
    bool ok = place != NULL && level != NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; ok && i < growth->count; i++) {
        struct gate_grown_node node = growth->nodes[i];
        level[i] = i == 0 ? 0 : level[node.parent] + 1;
        place[i] = GATE_NO_INDEX;
        if (i != 0 && (place[node.parent] == GATE_NO_INDEX || level[i] > growth->window ||
                       (small && !gate_growth_passes(growth, node.total))))
            continue;
        place[i] = kept++;
        node.hot_frame = node.hot_child = GATE_NO_INDEX;
        if (i != 0) {
            node.parent = place[node.parent];
            struct gate_grown_node *parent = &growth->nodes[node.parent];
            if (parent->hot_child == GATE_NO_INDEX) {
                parent->hot_frame = node.frame;
                parent->hot_child = place[i];
            }
        }
        growth->nodes[place[i]] = node;
    }
    (void)gate_arena_resize(growth->arena, place, size, 0);
    (void)gate_arena_resize(growth->arena, level, size, 0);
    growth->count = ok ? kept : growth->count;
    return ok && slots_remake(growth);
}

/* Too large: half as many new levels, until it is not or there is only one. At least one, however short the stacks
 * before this one were: a pass that adds no level would be the same one for ever. */
static bool growth_narrow(struct gate_growth *growth, uint32_t deepest) {
    if (deepest <= growth->done)
        deepest = growth->done + 1;
    if (growth->window > deepest)
        growth->window = deepest;
    while (growth->count >= growth->limit / 2 && growth->window > growth->done + 1) {
        growth->window = growth->done + (growth->window - growth->done) / 2;
        if (!growth_lift(growth, growth->window) || !growth_cut(growth, false))
            return false;
    }
    return true;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

struct growth_stack {
    const uint32_t *frames; /* from the root of the tree */
    uint32_t count;
    bool is_whole;
    int side;
    int64_t value;
};

static bool growth_add(struct gate_growth *growth, const struct growth_stack *stack) {
    const struct gate_grown_node *nodes = growth->nodes;
    uint32_t node = 0;
    uint32_t levels = stack->count < growth->window ? stack->count : growth->window;
    for (uint32_t i = 0; i < levels; i++) {
        uint32_t frame = stack->frames[i];
        if (nodes[node].hot_frame == frame) {
            node = nodes[node].hot_child;
            continue;
        }
        node = i < growth->done ? child_find(growth, node, frame) : child_make(growth, node, frame);
        nodes = growth->nodes;
        if (node != GATE_NO_INDEX)
            continue;
        return i < growth->done; /* then it has no part in the levels that are grown; else memory is full */
    }
    if (levels <= growth->done && growth->done != 0)
        return true;
    growth->nodes[node].total[stack->side] += stack->value;
    if (stack->is_whole && levels == stack->count)
        growth->nodes[node].self[stack->side] += stack->value;
    return true;
}

/* All stacks of the sides from `first` to `last`. */
static bool growth_pass(struct gate_growth *growth, int first, int last, uint32_t *scratch) {
    uint32_t deepest = 0;
    for (int side = first; side <= last; side++) {
        const struct gate_side *from = &growth->pair->sides[side];
        for (uint32_t r = 0; r < from->run_count; r++) {
            const struct gate_run *run = &from->runs[r];
            for (uint32_t i = 0; i < run->stacks.count; i++) {
                const struct gate_stack joined = gate_stacks_at(&run->stacks, i);
                struct growth_stack stack = {.frames = scratch, .side = side};
                growth->walk.limit = growth->window;
                stack.count = gate_walk_stack(&stack.is_whole, &growth->walk, run, &joined, scratch);
                stack.value = joined.value * run->unit_ratio;
                deepest = stack.count > deepest ? stack.count : deepest;
                if (growth->count >= growth->limit && growth->min_share > 0.0 && !growth_narrow(growth, deepest))
                    return false;
                if (!growth_add(growth, &stack))
                    return false;
            }
        }
    }
    return true;
}

/* ---- two sides at a time ----------------------------------------------------------------------------------------- */

/* The canary's half of a pass: a growth of its own, which begins as a copy. */
struct growth_half {
    struct gate_growth growth;
    struct gate_arena arena;
    int side;
    uint32_t *scratch;
    bool ok;
};

static bool half_begin(struct growth_half *half, const struct gate_growth *growth) {
    *half = (struct growth_half){.growth = *growth, .side = GATE_CANARY};
    gate_arena_fork(&half->arena, growth->arena);
    half->growth.arena = &half->arena;
    half->growth.nodes = gate_arena_resize(&half->arena, NULL, 0, growth->capacity * sizeof *half->growth.nodes);
    half->growth.slots = gate_arena_resize(&half->arena, NULL, 0, growth->slot_count * sizeof *half->growth.slots);
    half->scratch = gate_arena_alloc(&half->arena, growth->pair->max_frames * sizeof *half->scratch);
    if (half->growth.nodes == NULL || half->growth.slots == NULL || half->scratch == NULL)
        return false;
    memcpy(half->growth.nodes, growth->nodes, growth->count * sizeof *half->growth.nodes);
    memcpy(half->growth.slots, growth->slots, growth->slot_count * sizeof *half->growth.slots);
    return true;
}

static void half_run(void *context) {
    struct growth_half *half = context;
    half->ok = growth_pass(&half->growth, half->side, half->side, half->scratch);
}

/* Add the canary's weights of `half`; the first `known` nodes are those that it began with. */
static bool half_join(struct gate_growth *growth, const struct gate_growth *half, uint32_t known) {
    size_t size = half->count * sizeof(uint32_t);
    uint32_t *place = gate_arena_resize(growth->arena, NULL, 0, size);
    bool ok = place != NULL;
    if (half->window < growth->window)
        growth->window = half->window; /* what is deeper is cut when the pass ends */
    for (uint32_t i = 0; ok && i < half->count; i++) {
        const struct gate_grown_node *from = &half->nodes[i];
        if (i < known) {
            place[i] = i;
            growth->nodes[i].total[GATE_CANARY] = from->total[GATE_CANARY];
            growth->nodes[i].self[GATE_CANARY] = from->self[GATE_CANARY];
            continue;
        }
        uint32_t parent = place[from->parent];
        bool is_hot = growth->nodes[parent].hot_frame == from->frame;
        place[i] = is_hot ? growth->nodes[parent].hot_child : child_make(growth, parent, from->frame);
        ok = place[i] != GATE_NO_INDEX;
        if (!ok)
            break;
        growth->nodes[place[i]].total[GATE_CANARY] += from->total[GATE_CANARY];
        growth->nodes[place[i]].self[GATE_CANARY] += from->self[GATE_CANARY];
    }
    (void)gate_arena_resize(growth->arena, place, size, 0);
    return ok;
}

static bool growth_pass_threaded(struct gate_growth *growth, uint32_t *scratch) {
    struct growth_half canary, baseline = {.growth = *growth, .side = GATE_BASELINE, .scratch = scratch};
    uint32_t known = growth->count;
    bool ok = half_begin(&canary, growth);
    if (ok) {
        gate_parallel_both(half_run, &baseline, &canary);
        *growth = baseline.growth;
        ok = baseline.ok && canary.ok && half_join(growth, &canary.growth, known);
    }
    growth->arena->is_refused |= canary.arena.is_refused;
    gate_arena_free(&canary.arena);
    return ok;
}

static bool is_worth_a_thread(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++) {
        uint64_t stacks = 0;
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            stacks += pair->sides[side].runs[r].stacks.count;
        if (stacks < STACKS_WORTH_A_THREAD)
            return false;
    }
    return true;
}

/* A pass has room for as many new nodes as are final, and more: passes of a level each would be as many as there are
 * levels. */
static uint32_t growth_limit(const struct gate_growth *growth, bool threaded) {
    uint32_t least = threaded ? GATE_GROWTH_NODES / 2 : GATE_GROWTH_NODES;
    return growth->count > least / 4 ? (growth->count > UINT32_MAX / 4 ? UINT32_MAX : growth->count * 4) : least;
}

bool gate_growth_grow(struct gate_growth *growth, uint32_t *scratch) {
    bool threaded = is_worth_a_thread(growth->pair);
    growth->secret = gate_hash_secret();
    if (!nodes_reserve(growth) || !slots_remake(growth))
        return false;
    growth->nodes[0] = (struct gate_grown_node){
        .parent = GATE_NO_INDEX, .frame = GATE_NO_INDEX, .hot_frame = GATE_NO_INDEX, .hot_child = GATE_NO_INDEX};
    growth->count = 1;
    for (;;) {
        growth->window = UINT32_MAX;
        growth->limit = growth_limit(growth, threaded);
        if (!(threaded ? growth_pass_threaded(growth, scratch)
                       : growth_pass(growth, GATE_BASELINE, GATE_CANARY, scratch)))
            return false;
        /* What is final was known to weigh all that is beneath it before. */
        if (!growth_lift(growth, growth->done == 0 ? 0 : growth->done + 1) ||
            !growth_cut(growth, growth->min_share > 0.0))
            return false;
        if (growth->window == UINT32_MAX)
            return true;
        growth->done = growth->window;
    }
}
