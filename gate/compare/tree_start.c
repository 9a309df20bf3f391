/* SPDX-License-Identifier: Apache-2.0 */
/* Where growth starts (see tree_start.h). */
#include "gate/compare/tree_start.h"

#include "gate/base/parallel.h"
#include "gate/compare/tree_descent.h"

enum { STACKS_WORTH_A_THREAD = 1 << 16, BUCKETS = 1 << 14, STACKS_AHEAD = 6 };

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

static bool walk_begins(const struct gate_tree_plan *plan, const struct gate_run *run, struct gate_walk_rest rest) {
    return plan_begins(plan, gate_walk_take(&rest, run, plan->from_leaf, GATE_NO_INDEX));
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
        if (plan->begins != NULL && !walk_begins(plan, from->run, rest))
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

struct known_walk {
    const struct gate_tree_plan *plan;
    struct gate_tree_start *start;
    struct gate_tree_descent descent;
    uint16_t *left; /* of each stack in the order of the runs: its bucket, or BUCKETS */
};

/* What stacks that end or leave the tree at a node weigh. */
struct known_weight {
    int64_t total, self;
};

/* One side of it. Sides write nothing that lies beside what the other one writes. */
struct known_side {
    const struct known_walk *walk;
    enum gate_side_name side;
    uint32_t first;               /* of `left` */
    struct known_weight *weights; /* of each node */
    int64_t *buckets; /* what leaves the tree, by a hash of the node and the frame behind it: no less than its weight */
    uint32_t *frames;
    struct gate_tree_memo memo;
};

/* Weigh one stack where it leaves the known tree, and say in which bucket what it goes on to is. */
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
    uint16_t bucket = gate_tree_descent_hash(&s->walk->descent, at.node, at.frame) % BUCKETS;
    s->buckets[bucket] += value;
    return bucket;
}

/* Both ends of a stack are looked at. */
static inline void fetch_ahead(struct gate_stack_ref stack) {
    __builtin_prefetch(stack.ids);
    __builtin_prefetch(stack.ids + stack.len);
}

static void known_side_run(void *context) {
    struct known_side *s = context;
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

/* Which buckets may hold what passes; no stack is in the one behind the last. */
static void buckets_judge(bool heavy[BUCKETS + 1], const struct gate_tree_plan *plan,
                          const struct known_side sides[GATE_SIDES]) {
    for (uint32_t i = 0; i < BUCKETS; i++) {
        const int64_t most[GATE_SIDES] = {sides[GATE_BASELINE].buckets[i], sides[GATE_CANARY].buckets[i]};
        heavy[i] = gate_tree_plan_passes(plan, most);
    }
    heavy[BUCKETS] = false;
}

/* Put the stacks of heavy buckets into the lists of the nodes that they leave. */
static bool known_list(const struct known_walk *walk, struct known_side sides[GATE_SIDES]) {
    struct gate_tree_start *start = walk->start;
    size_t all = gate_tree_start_count(walk->plan->pair), at = 0, most = 0;
    uint32_t count = 0;
    bool heavy[BUCKETS + 1];
    buckets_judge(heavy, walk->plan, sides);
    for (size_t i = 0; i < all; i++)
        most += heavy[walk->left[i]];
    if (!start_reserve(start, walk->plan, 0, most + 1))
        return false;
    for (uint32_t r = 0; r < start->run_count; r++) {
        const struct gate_run *run = start->runs[r].run;
        for (uint32_t i = 0; i < run->stacks.count; i++) {
            if (!heavy[walk->left[at++]])
                continue;
            const struct gate_stack whole = gate_stacks_at(&run->stacks, i);
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

/* What a side needs. False when the arena is full. */
static bool known_side_make(struct known_side *s, const struct gate_tree *known) {
    const struct gate_tree_plan *plan = s->walk->plan;
    s->weights = GATE_NEW_ARRAY(plan->scratch, struct known_weight, known->count);
    s->buckets = GATE_NEW_ARRAY(plan->scratch, int64_t, BUCKETS);
    s->frames = gate_arena_alloc(plan->scratch, (size_t)plan->pair->max_frames * sizeof *s->frames);
    return gate_tree_memo_make(&s->memo, plan->scratch) && s->weights != NULL && s->buckets != NULL &&
           s->frames != NULL;
}

bool gate_tree_start_known(struct gate_tree_start *out, const struct gate_tree_plan *plan,
                           const struct gate_tree *known) {
    struct known_walk walk = {.plan = plan, .start = out};
    struct known_side sides[GATE_SIDES] = {{.walk = &walk, .side = GATE_BASELINE},
                                           {.walk = &walk, .side = GATE_CANARY}};
    size_t all = gate_tree_start_count(plan->pair);
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
