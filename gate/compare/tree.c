/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/tree.h"

#include "gate/base/hash.h"
#include "gate/base/parallel.h"
#include "gate/base/sort.h"
#include "gate/compare/delta.h"
#include "gate/compare/pair_types.h"
#include "gate/compare/walk.h"

#include <stdlib.h>

static bool runs_are_alike(const struct gate_run *a, const struct gate_run *b) {
    return a->stacks.packed != NULL && b->stacks.packed != NULL && a->stacks.bytes == b->stacks.bytes &&
           a->frame_of == b->frame_of && a->frame_of_id == b->frame_of_id && a->frame_lists == b->frame_lists &&
           a->prune == b->prune && a->skid == b->skid && a->joins_equal == b->joins_equal;
}

/* Replace the stacks of `merged`, a copy of the first of `count` runs, by their sum. */
static bool runs_sum(struct gate_run *merged, const struct gate_run *runs, uint32_t count, struct gate_arena *arena) {
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    struct gate_stacks_sum sum = {.arena = arena, .scratch = &scratch};
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = gate_stacks_sum_add(&sum, &runs[i].stacks, runs[i].unit_ratio);
    merged->stacks = sum.stacks;
    merged->unit_ratio = 1;
    arena->is_refused |= scratch.is_refused;
    gate_arena_free(&scratch);
    return ok;
}

static bool side_merge(struct gate_side *out, const struct gate_side *side, struct gate_arena *arena) {
    out->runs = gate_arena_alloc(arena, ((size_t)side->run_count + 1) * sizeof *out->runs);
    out->run_count = 0;
    if (out->runs == NULL)
        return false;
    for (uint32_t first = 0, end = 0; first < side->run_count; first = end) {
        const struct gate_run *runs = &side->runs[first];
        struct gate_run *merged = &out->runs[out->run_count++];
        for (end = first + 1; end < side->run_count && runs_are_alike(runs, &side->runs[end]);)
            end++;
        *merged = *runs;
        if (end - first > 1 && !runs_sum(merged, runs, end - first, arena))
            return false;
    }
    return true;
}

/* Make `out` a copy of `pair` in which neighbouring runs of a side are one run, if they share their stacks
 * (model/shared_tables.h) and their frames. Its values are in the pair's unit. Squared weights and totals of runs are
 * not set, so it is for call trees only.
 *
 * Returns false if the arena is full. O(stacks of all runs). Memory: 32 bytes per distinct stack of a side. */
static bool merged_runs_make(struct gate_pair *out, const struct gate_pair *pair, struct gate_arena *arena) {
    *out = *pair;
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_merge(&out->sides[side], &pair->sides[side], arena))
            return false;
    return true;
}

/* ---- descent ----------------------------------------------------------------------------------------------------- */

/* A stretch is the last 16 bytes of the remaining ids, without bytes that belong to an id which starts before them.
 * Stacks that leave the tree are not remembered, because they are too diverse. */

static inline uint32_t tree_descent_hash(const struct gate_tree_descent *descent, uint32_t node, uint32_t frame) {
    return (uint32_t)gate_hash_mix(((uint64_t)node << 32 | frame) ^ descent->secret);
}

enum { FEWEST_SLOTS = 64, FRAMES_AT_A_TIME = 8, STRETCHES = 4096, STRETCH_BYTES = 16, WORD_BYTES = 8 };

bool gate_tree_descent_make(struct gate_tree_descent *out, const struct gate_tree *tree, bool from_leaf,
                            struct gate_arena *arena) {
    uint32_t slots = FEWEST_SLOTS;
    while (slots / 2 < tree->count && slots < UINT32_MAX / 2)
        slots *= 2;
    *out = (struct gate_tree_descent){.from_leaf = from_leaf, .secret = gate_hash_secret(), .mask = slots - 1};
    out->slots = GATE_NEW_ARRAY(arena, struct gate_tree_slot, slots);
    out->hot = gate_arena_alloc(arena, tree->count * sizeof *out->hot);
    if (out->slots == NULL || out->hot == NULL)
        return false;
    memset(out->hot, 0xFF, tree->count * sizeof *out->hot);
    for (uint32_t i = 1; i < tree->count; i++) {
        const struct gate_tree_node *node = &tree->nodes[i];
        struct gate_tree_hot *hot = &out->hot[node->parent];
        if (hot->child == GATE_NO_INDEX || node->total[GATE_BASELINE] > tree->nodes[hot->child].total[GATE_BASELINE])
            *hot = (struct gate_tree_hot){node->frame, i};
        uint32_t at = tree_descent_hash(out, node->parent, node->frame) & out->mask;
        while (out->slots[at].child != 0)
            at = (at + 1) & out->mask;
        out->slots[at] = (struct gate_tree_slot){node->parent, node->frame, i};
    }
    return true;
}

bool gate_tree_memo_make(struct gate_tree_memo *out, struct gate_arena *arena) {
    *out = (struct gate_tree_memo){.stretches = gate_arena_alloc(arena, STRETCHES * sizeof *out->stretches)};
    return out->stretches != NULL;
}

/* Return the child of `node` with `frame`, or 0 (the root) if there is none. */
static inline uint32_t child_of(const struct gate_tree_descent *descent, uint32_t node, uint32_t frame) {
    if (descent->hot[node].frame == frame)
        return descent->hot[node].child;
    for (uint32_t at = tree_descent_hash(descent, node, frame) & descent->mask;; at = (at + 1) & descent->mask) {
        const struct gate_tree_slot *slot = &descent->slots[at];
        if (slot->child == 0 || (slot->node == node && slot->frame == frame))
            return slot->child;
    }
}

/* Go down by one frame. Returns false if there is no such child. */
static inline bool step(struct gate_tree_leave *at, const struct gate_tree_descent *descent, uint32_t frame) {
    uint32_t child = child_of(descent, at->node, frame);
    at->frame = frame;
    if (child == 0)
        return false;
    at->node = child;
    at->depth++;
    return true;
}

/* ---- stretches --------------------------------------------------------------------------------------------------- */

/* Read eight bytes, little-endian. */
static inline uint64_t word_at(const uint8_t *at) {
    uint64_t word = 0;
    for (int i = 0; i < WORD_BYTES; i++)
        word |= (uint64_t)at[i] << 8 * i;
    return word;
}

/* Return the stretch that ends at `end`. More than STRETCH_BYTES bytes of ids must precede `end`. Its `bytes` are 0 if
 * an id is too long for it. */
static inline struct gate_tree_stretch stretch_at(const uint8_t *end, uint32_t node) {
    const uint8_t *at = end - STRETCH_BYTES;
    uint64_t first = word_at(at), ends = ~first & UINT64_C(0x8080808080808080);
    uint32_t others = at[-1] < 0x80 ? 0 : (uint32_t)__builtin_ctzll(ends | UINT64_C(1) << 63) / 8 + 1;
    uint64_t own = others == WORD_BYTES ? 0 : first >> 8 * others << 8 * others;
    bool is_cut = others == WORD_BYTES && ends >> 63 == 0;
    return (struct gate_tree_stretch){
        {own, word_at(end - WORD_BYTES)}, .from = node, .bytes = is_cut ? 0 : (uint16_t)(STRETCH_BYTES - others)};
}

static struct gate_tree_stretch *memo_at(const struct gate_tree_memo *memo, const struct gate_tree_stretch *stretch) {
    uint64_t hash = (stretch->ids[0] ^ stretch->from) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32 ^ stretch->ids[1]) * UINT64_C(0xBF58476D1CE4E5B9);
    return &memo->stretches[hash >> 32 & (STRETCHES - 1)];
}

/* Walk the tree by the frames of some ids, from the root side. Returns false if one leaves the tree. */
static bool stretch_walk(struct gate_tree_leave *at, const struct gate_tree_descent *descent,
                         const struct gate_run *run, const uint8_t *end, uint32_t bytes) {
    const uint8_t *from = end - bytes;
    while (end > from) {
        uint32_t frame = run->frame_of_id[gate_walk_id_before(&end, from)];
        if (frame < GATE_FRAME_LIST) {
            if (!step(at, descent, frame))
                return false;
            continue;
        }
        uint32_t count = 0;
        const uint32_t *frames = gate_run_frame_list(&count, run, frame);
        for (uint32_t f = count; f > 0; f--)
            if (!step(at, descent, frames[f - 1]))
                return false;
    }
    return true;
}

/* Walk by whole stretches as far as possible. Returns false if the stack leaves the tree. Stretches exclude the leaf's
 * id, whose frames may be folded. */
static bool descend_stretches(struct gate_tree_leave *at, const struct gate_tree_descent *descent,
                              struct gate_tree_memo *memo, const struct gate_run *run, struct gate_walk_rest *rest) {
    if (memo->run != run)
        memset(memo->stretches, 0, STRETCHES * sizeof *memo->stretches);
    memo->run = run;
    while (rest->len > STRETCH_BYTES) {
        struct gate_tree_stretch stretch = stretch_at(rest->ids, at->node);
        struct gate_tree_stretch *known = memo_at(memo, &stretch);
        if (stretch.bytes == 0)
            return true;
        if (known->ids[0] == stretch.ids[0] && known->ids[1] == stretch.ids[1] && known->from == stretch.from &&
            known->bytes == stretch.bytes) {
            at->node = known->to;
            at->depth += known->frames;
        } else {
            uint32_t depth = at->depth;
            if (!stretch_walk(at, descent, run, rest->ids, stretch.bytes))
                return false;
            stretch.to = at->node;
            stretch.frames = (uint16_t)(at->depth - depth);
            if (at->depth - depth <= UINT16_MAX)
                *known = stretch;
        }
        rest->ids -= stretch.bytes;
        rest->len -= stretch.bytes;
    }
    return true;
}

/* ---- whole stacks ------------------------------------------------------------------------------------------------ */

struct gate_tree_leave gate_tree_descend(const struct gate_tree_descent *descent, struct gate_tree_memo *memo,
                                         const struct gate_run *run, struct gate_walk_rest rest) {
    struct gate_tree_leave at = {.frame = GATE_NO_INDEX};
    bool from_leaf = descent->from_leaf; /* most stacks then leave the tree at the first frame */
    uint32_t frames[FRAMES_AT_A_TIME], most = from_leaf ? 1 : FRAMES_AT_A_TIME;
    bool is_plain = memo != NULL && !from_leaf && run->frame_of_id != NULL && rest.taken == 0;
    if (is_plain && !descend_stretches(&at, descent, memo, run, &rest))
        return at;
    for (;; most = FRAMES_AT_A_TIME) {
        uint32_t count = gate_walk_take_some(&rest, run, from_leaf, at.frame, frames, most);
        for (uint32_t i = 0; i < count; i++)
            if (!step(&at, descent, frames[i]))
                return at;
        if (count < most)
            break;
    }
    at.frame = GATE_NO_INDEX;
    return at;
}

/* ---- start of building a tree ------------------------------------------------------------------------------------ */

/** Which frames and nodes a tree contains. */
struct gate_tree_plan {
    const struct gate_pair *pair;
    bool from_leaf;
    int64_t least[GATE_SIDES]; /* minimum total of a node, on either side */
    const uint32_t *rank_of;   /* per frame of the pair: its rank by name, from 1; 0: not in the tree */
    const uint32_t *frame_of;  /* frame of each rank, from 1 */
    uint32_t rank_count;
    const uint8_t *begins;      /* one byte per frame: stacks may start with it; NULL: all may */
    struct gate_arena *scratch; /* memory for everything but the tree itself */
};

static inline bool tree_plan_passes(const struct gate_tree_plan *plan, const int64_t total[GATE_SIDES]) {
    return total[GATE_BASELINE] >= plan->least[GATE_BASELINE] || total[GATE_CANARY] >= plan->least[GATE_CANARY];
}

/** A stack on its way down the tree, in the list of the node it has reached. */
struct gate_tree_stack {
    struct gate_walk_rest rest;
    int64_t value;
    uint32_t run;
    uint32_t next; /* in the list, or GATE_NO_INDEX */
};

struct gate_tree_run {
    const struct gate_run *run;
    enum gate_side_name side;
};

struct gate_tree_start {
    struct gate_tree_run *runs; /* of both sides */
    uint32_t run_count;
    struct gate_tree_stack *stacks;
    struct gate_tree known; /* at least a root, depth first; its nodes that weigh enough are in the tree */
    uint32_t *lists;        /* per node: the first stack that leaves the known tree there, or GATE_NO_INDEX */
};

enum { STACKS_WORTH_A_THREAD = 1 << 16, BUCKETS = 1 << 14, STACKS_AHEAD = 6 };

static size_t tree_start_count(const struct gate_pair *pair) {
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
    return out->runs != NULL && tree_start_count(plan->pair) < GATE_NO_INDEX - 1;
}

/* Resize the stacks of the lists, a separate block. */
static bool start_reserve(struct gate_tree_start *out, const struct gate_tree_plan *plan, size_t from, size_t to) {
    size_t size = sizeof *out->stacks;
    out->stacks = gate_arena_resize(plan->scratch, out->stacks, from * size, to * size);
    return out->stacks != NULL;
}

/* ---- start at the root ------------------------------------------------------------------------------------------- */

/* Return whether stacks with this first frame can be in the tree below the root. */
static bool plan_begins(const struct gate_tree_plan *plan, uint32_t frame) {
    return plan->begins == NULL || frame == GATE_NO_INDEX || plan->begins[frame];
}

static bool walk_begins(const struct gate_tree_plan *plan, const struct gate_run *run, struct gate_walk_rest rest) {
    return plan_begins(plan, gate_walk_take(&rest, run, plan->from_leaf, GATE_NO_INDEX));
}

/* Add every `stride`-th stack of a run to the root's list. */
static void plain_run(struct gate_tree_start *out, const struct gate_tree_plan *plan, uint32_t index, uint32_t stride,
                      uint32_t *count, uint32_t *frames) {
    const struct gate_tree_run *from = &out->runs[index];
    int64_t *total = &out->known.nodes[0].total[from->side];
    struct gate_stacks_walk walk = gate_stacks_begin(&from->run->stacks);
    struct gate_stack stack;
    for (; gate_stacks_next(&stack, &walk); gate_stacks_skip(&walk, stride - 1)) {
        int64_t value = stack.value * from->run->unit_ratio;
        struct gate_walk_rest rest;
        *total += value;
        if (value == 0)
            continue;
        gate_walk_begin(&rest, from->run, &stack, plan->from_leaf, frames);
        if (plan->begins != NULL && !walk_begins(plan, from->run, rest))
            continue;
        out->stacks[*count] = (struct gate_tree_stack){rest, value, index, out->lists[0]};
        out->lists[0] = (*count)++;
    }
}

/** Put every `stride`-th stack in the root's list. Returns false if the arena is full. O(stacks); 32 bytes per listed
 * stack. */
static bool tree_start_plain(struct gate_tree_start *out, const struct gate_tree_plan *plan, uint32_t stride) {
    if (!start_runs(out, plan))
        return false;
    size_t most = tree_start_count(plan->pair) / stride + out->run_count + 1;
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

/* ---- start from a known tree ------------------------------------------------------------------------------------- */

struct known_walk {
    const struct gate_tree_plan *plan;
    struct gate_tree_start *start;
    struct gate_tree_descent descent;
    uint16_t *left; /* per stack, in order of the runs: its bucket, or BUCKETS */
};

/* Weight of stacks that end at a node or leave the tree there. */
struct known_weight {
    int64_t total, self;
};

/* The walk of one side. Sides never write to neighbouring memory. */
struct known_side {
    const struct known_walk *walk;
    enum gate_side_name side;
    uint32_t first;               /* its first index in `left` */
    struct known_weight *weights; /* per node */
    int64_t *buckets; /* weight that leaves the tree, by hash of node and next frame: an upper bound of that child's
                         weight */
    uint32_t *frames;
    struct gate_tree_memo memo;
};

/* Weigh one stack where it leaves the known tree, and return its bucket. */
static uint16_t known_weigh(struct known_side *s, const struct gate_run *run, const struct gate_stack *stack) {
    const struct gate_tree_plan *plan = s->walk->plan;
    struct gate_walk_rest rest;
    int64_t value = stack->value * run->unit_ratio;
    gate_walk_begin(&rest, run, stack, plan->from_leaf, s->frames);
    if (plan->begins != NULL && !walk_begins(plan, run, rest)) {
        s->weights[0].total += value;
        return BUCKETS;
    }
    struct gate_tree_leave at = gate_tree_descend(&s->walk->descent, &s->memo, run, rest);
    s->weights[at.node].total += value;
    if (at.frame == GATE_NO_INDEX)
        s->weights[at.node].self += value;
    if (at.frame == GATE_NO_INDEX || plan->rank_of[at.frame] == 0 || value == 0)
        return BUCKETS;
    uint16_t bucket = tree_descent_hash(&s->walk->descent, at.node, at.frame) % BUCKETS;
    s->buckets[bucket] += value;
    return bucket;
}

/* Prefetch both ends of a stack. */
static inline void fetch_ahead(struct gate_stack_ref stack) {
    __builtin_prefetch(stack.ids);
    __builtin_prefetch(stack.ids + stack.len);
}

static void known_side_run(void *context) {
    struct known_side *s = context;
    const struct gate_side *side = &s->walk->plan->pair->sides[s->side];
    uint32_t at = s->first;
    for (uint32_t r = 0; r < side->run_count; r++) {
        const struct gate_stacks *stacks = &side->runs[r].stacks;
        struct gate_stacks_walk walk = gate_stacks_begin(stacks);
        struct gate_stack stack;
        while (gate_stacks_next(&stack, &walk)) {
            if (stacks->packed == NULL && walk.i - 1 + STACKS_AHEAD < stacks->count)
                fetch_ahead(gate_stacks_ref_at(stacks, walk.i - 1 + STACKS_AHEAD));
            s->walk->left[at++] = known_weigh(s, &side->runs[r], &stack);
        }
    }
}

/* Mark the buckets heavy enough for a node. Bucket BUCKETS is for stacks without one. */
static void buckets_judge(bool heavy[BUCKETS + 1], const struct gate_tree_plan *plan,
                          const struct known_side sides[GATE_SIDES]) {
    for (uint32_t i = 0; i < BUCKETS; i++) {
        const int64_t most[GATE_SIDES] = {sides[GATE_BASELINE].buckets[i], sides[GATE_CANARY].buckets[i]};
        heavy[i] = tree_plan_passes(plan, most);
    }
    heavy[BUCKETS] = false;
}

/* Put the stacks of heavy buckets into the lists of the nodes where they leave the known tree. */
static bool known_list(const struct known_walk *walk, struct known_side sides[GATE_SIDES]) {
    struct gate_tree_start *start = walk->start;
    size_t all = tree_start_count(walk->plan->pair), at = 0, most = 0;
    uint32_t count = 0;
    bool heavy[BUCKETS + 1];
    buckets_judge(heavy, walk->plan, sides);
    for (size_t i = 0; i < all; i++)
        most += heavy[walk->left[i]];
    if (!start_reserve(start, walk->plan, 0, most + 1))
        return false;
    for (uint32_t r = 0; r < start->run_count; r++) {
        const struct gate_run *run = start->runs[r].run;
        struct gate_stacks_walk each = gate_stacks_begin(&run->stacks);
        struct gate_stack whole;
        while (gate_stacks_next(&whole, &each)) {
            if (!heavy[walk->left[at++]])
                continue;
            struct gate_tree_stack *stack = &start->stacks[count];
            gate_walk_begin(&stack->rest, run, &whole, walk->plan->from_leaf, sides[0].frames);
            struct gate_tree_leave from =
                gate_tree_descend(&walk->descent, &sides[start->runs[r].side].memo, run, stack->rest);
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

/* Copy the known tree with all weights 0. */
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

/* Weigh all stacks of both sides, then add each node's total to its parent. */
static void known_weigh_all(struct known_side sides[GATE_SIDES], struct gate_tree *known, size_t stacks) {
    gate_parallel_both_if(stacks >= GATE_SIDES * (size_t)STACKS_WORTH_A_THREAD, known_side_run, &sides[GATE_BASELINE],
                          &sides[GATE_CANARY]);
    for (uint32_t i = known->count; i-- > 0;)
        for (int side = 0; side < GATE_SIDES; side++) {
            struct gate_tree_node *node = &known->nodes[i];
            node->total[side] += sides[side].weights[i].total;
            node->self[side] = sides[side].weights[i].self;
            if (i > 0)
                known->nodes[node->parent].total[side] += node->total[side];
        }
}

/* Allocate the memory of a side. Returns false if the arena is full. */
static bool known_side_make(struct known_side *s, const struct gate_tree *known) {
    const struct gate_tree_plan *plan = s->walk->plan;
    s->weights = GATE_NEW_ARRAY(plan->scratch, struct known_weight, known->count);
    s->buckets = GATE_NEW_ARRAY(plan->scratch, int64_t, BUCKETS);
    s->frames = GATE_NEW_ARRAY(plan->scratch, uint32_t, plan->pair->max_frames);
    return gate_tree_memo_make(&s->memo, plan->scratch) && s->weights != NULL && s->buckets != NULL &&
           s->frames != NULL;
}

/**
 * Walk all stacks down a tree made from a sample of them. Most stacks leave it for a node that is too light. Those that
 * may leave it for a heavier node go into the list of the node where they leave. If both sides have very many stacks,
 * each is walked by its own thread.
 *
 * known  a tree of the same plan; its weights may be wrong
 *
 * Returns false if the arena is full. O(stack slots in known nodes); 2 bytes per stack, and 32 per listed stack.
 */
static bool tree_start_known(struct gate_tree_start *out, const struct gate_tree_plan *plan,
                             const struct gate_tree *known) {
    struct known_walk walk = {.plan = plan, .start = out};
    struct known_side sides[GATE_SIDES] = {{.walk = &walk, .side = GATE_BASELINE},
                                           {.walk = &walk, .side = GATE_CANARY}};
    size_t all = tree_start_count(plan->pair);
    if (!start_runs(out, plan) || !known_copy(out, plan, known) ||
        !gate_tree_descent_make(&walk.descent, known, plan->from_leaf, plan->scratch))
        return false;
    walk.left = gate_arena_resize(plan->scratch, NULL, 0, (all + 1) * sizeof *walk.left);
    if (walk.left == NULL || !known_side_make(&sides[GATE_BASELINE], known) ||
        !known_side_make(&sides[GATE_CANARY], known))
        return false;
    for (uint32_t r = 0; r < plan->pair->sides[GATE_BASELINE].run_count; r++)
        sides[GATE_CANARY].first += plan->pair->sides[GATE_BASELINE].runs[r].stacks.count;
    known_weigh_all(sides, &out->known, all);
    bool ok = known_list(&walk, sides);
    (void)gate_arena_resize(plan->scratch, walk.left, (all + 1) * sizeof *walk.left, 0);
    return ok;
}

/* ---- growth ------------------------------------------------------------------------------------------------------ */

/* The stacks of a node that continue to one child. */
struct growth_child {
    int64_t total[GATE_SIDES];
    uint32_t stacks; /* a list, or GATE_NO_INDEX */
    uint32_t known;  /* node of the start's tree, or GATE_NO_INDEX */
};

/* A node still to be made. */
struct growth_due {
    struct growth_child child;
    uint32_t rank;
    uint32_t parent;
    uint32_t level;
    uint32_t elder; /* the sibling before it, already made, or GATE_NO_INDEX */
};

enum { FIRST_NODES = 256, FIRST_DUE = 64, FEW_SIBLINGS = 12 };

struct growing {
    const struct gate_tree_plan *plan;
    const struct gate_tree_start *start;
    struct gate_arena *arena;
    struct gate_tree tree;
    size_t node_capacity;
    struct growth_child *by_rank; /* per rank; empty except for children of the current node */
    uint32_t *met;                /* ranks of the non-empty entries */
    struct growth_due *due;       /* a stack of nodes; the last is made next */
    uint32_t due_count;
    size_t due_capacity;
};

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Append a node. Returns GATE_NO_INDEX if memory is full. */
static uint32_t node_add(struct growing *g, const struct growth_due *due) {
    struct gate_tree *tree = &g->tree;
    if (!GATE_REGROW(g->arena, tree->nodes, tree->count, g->node_capacity) || tree->count == GATE_NO_INDEX)
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

/* Grow a node with a single stack, whose remaining frames form a chain. */
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

/* Enter the known children of a node. Returns their number. */
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

/* Distribute the stacks of a node to its children by their next frame. `count` children are already entered. Returns
 * the new number of children. */
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

/* Remove the children that are too light. Returns how many are left. */
static uint32_t keep_large(struct growing *g, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct growth_child *child = &g->by_rank[g->met[i]];
        if (tree_plan_passes(g->plan, child->total))
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

/* Push the children of a node in reverse order of name, so that the first is made next. */
static bool make_due(struct growing *g, uint32_t node, uint32_t level, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        if (!GATE_REGROW(g->plan->scratch, g->due, g->due_count, g->due_capacity))
            return false;
        struct growth_child *child = &g->by_rank[g->met[i]];
        g->due[g->due_count++] = (struct growth_due){*child, g->met[i], node, level, GATE_NO_INDEX};
        *child = no_child;
    }
    return true;
}

/* Make the next node, and push its children. */
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

/**
 * Build the tree of all stacks of a start, except for `inverted` and `pruned`. Nodes are made in depth-first order. The
 * stacks of a node are distributed to its children by their next frame. Stacks of a child that is too light are
 * dropped. That loses nothing, because a node weighs at most as much as its parent.
 *
 * out    its nodes are in `arena`
 * start  is consumed: its lists change
 *
 * Returns false if an arena is full. O(stack slots of the start in nodes that pass + nodes * log of siblings).
 */
static bool tree_grow(struct gate_tree *out, const struct gate_tree_plan *plan, const struct gate_tree_start *start,
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

/* ---- merged call tree -------------------------------------------------------------------------------------------- */

enum { STACKS_OF_PART = 1 << 13 };

/* Return the smallest weight whose share is at least `min_share`; shares grow with the weight. */
static int64_t tree_least(const struct gate_side *side, double min_share) {
    int64_t least = 1, most = INT64_MAX;
    while (least < most) {
        int64_t middle = least + (most - least) / 2;
        if (gate_share(middle, side->total) >= min_share)
            most = middle;
        else
            least = middle + 1;
    }
    return least;
}

/* Rank the frames with enough cumulative weight by name, from 1; all others get 0. */
static bool tree_rank(struct gate_tree_plan *plan, const struct gate_delta_list *deltas) {
    const struct gate_pair *pair = plan->pair;
    uint32_t count = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        count += tree_plan_passes(plan, deltas->items[i].value[GATE_CUMULATIVE]);
    struct gate_name_key *keys = gate_arena_alloc(plan->scratch, ((size_t)count + 1) * sizeof *keys);
    uint32_t *rank_of = GATE_NEW_ARRAY(plan->scratch, uint32_t, pair->frame_count);
    uint32_t *frame_of = gate_arena_alloc(plan->scratch, ((size_t)count + 1) * sizeof *frame_of);
    if (keys == NULL || rank_of == NULL || frame_of == NULL)
        return false;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (tree_plan_passes(plan, deltas->items[i].value[GATE_CUMULATIVE]))
            keys[plan->rank_count++] = (struct gate_name_key){.name = pair->frames[i].name, .index = i};
    gate_name_keys_sort(keys, count);
    for (uint32_t rank = 1; rank <= count; rank++) {
        frame_of[rank] = keys[rank - 1].index;
        rank_of[frame_of[rank]] = rank;
    }
    plan->rank_of = rank_of;
    plan->frame_of = frame_of;
    return true;
}

/* Mark the frames that can start an inverted stack. The weight of such a node is the frame's self cost. */
static bool tree_begins(struct gate_tree_plan *plan, const struct gate_delta_list *deltas) {
    uint32_t count = plan->pair->frame_count;
    uint8_t *begins = gate_arena_alloc(plan->scratch, (size_t)count + 1);
    for (uint32_t i = 0; begins != NULL && i < count; i++)
        begins[i] = tree_plan_passes(plan, deltas->items[i].value[GATE_SELF]);
    plan->begins = begins;
    return begins != NULL;
}

/* Return the plan for a sample of the stacks. A likely node must weigh half as much in the sample. */
static struct gate_tree_plan plan_of_part(const struct gate_tree_plan *plan, const struct gate_tree *part) {
    struct gate_tree_plan scaled = *plan;
    for (int side = 0; side < GATE_SIDES; side++) {
        double whole = (double)plan->pair->sides[side].total;
        double weight = whole > 0.0 ? (double)part->nodes[0].total[side] / whole : 0.0;
        if (plan->least[side] < INT64_MAX / 2)
            scaled.least[side] = 1 + (int64_t)((double)plan->least[side] * weight / 2.0);
    }
    return scaled;
}

/* If there are many stacks, a sample of them predicts the nodes of the tree. */
static bool tree_start(struct gate_tree_start *start, const struct gate_tree_plan *plan, double min_share) {
    size_t stacks = tree_start_count(plan->pair), stride = stacks / STACKS_OF_PART;
    struct gate_arena scratch;
    struct gate_tree likely;
    if (stride < 2 || min_share <= 0.0)
        return tree_start_plain(start, plan, 1);
    gate_arena_fork(&scratch, plan->scratch);
    struct gate_tree_plan part = *plan;
    part.scratch = &scratch;
    bool ok = tree_start_plain(start, &part, (uint32_t)stride);
    if (ok) {
        part = plan_of_part(&part, &start->known);
        ok = tree_grow(&likely, &part, start, &scratch) && tree_start_known(start, plan, &likely);
    }
    plan->scratch->is_refused |= scratch.is_refused;
    gate_arena_free(&scratch);
    return ok;
}

bool gate_tree_merge(struct gate_tree *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_pair merged;
    struct gate_tree_plan plan = {.pair = &merged, .from_leaf = options->inverted, .scratch = &scratch};
    struct gate_tree_start start;
    struct gate_tree tree;
    GATE_ASSERT(deltas->count == pair->frame_count && !pair->is_spent);
    for (int side = 0; side < GATE_SIDES; side++)
        plan.least[side] = tree_least(&pair->sides[side], options->min_share);
    gate_arena_fork(&scratch, arena);
    bool ok = merged_runs_make(&merged, pair, &scratch) && tree_rank(&plan, deltas) &&
              (!options->inverted || tree_begins(&plan, deltas)) && tree_start(&start, &plan, options->min_share) &&
              tree_grow(&tree, &plan, &start, arena);
    if (!ok)
        (void)gate_arena_error(scratch.is_refused ? &scratch : arena, err);
    gate_arena_free(&scratch);
    if (!ok)
        return false;
    tree.inverted = options->inverted;
    for (int side = 0; side < GATE_SIDES; side++) {
        tree.pruned[side] = tree.nodes[0].total[side];
        for (uint32_t i = 0; i < tree.count; i++)
            tree.pruned[side] -= tree.nodes[i].self[side];
    }
    *out = tree;
    return true;
}

bool gate_tree_is_beneath(const struct gate_tree *tree, uint32_t node, uint32_t frame) {
    for (uint32_t at = tree->nodes[node].parent; at != 0; at = tree->nodes[at].parent)
        if (tree->nodes[at].frame == frame)
            return true;
    return false;
}
