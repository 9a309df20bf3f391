/* SPDX-License-Identifier: Apache-2.0 */
/* The merged call tree (see tree.h): which frames are in it at all, and in which order; tree_growth.h makes it. */
#include "gate/compare/tree.h"

#include "gate/base/letter_order.h"
#include "gate/compare/tree_growth.h"

enum { STACKS_OF_PART = 1 << 13 };

/* The least weight that has the minimum share of a side: a larger one never has a smaller share. */
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

/* Rank the frames whose cumulative weight passes by name, from 1 on; the others are 0. */
static bool tree_rank(struct gate_tree_plan *plan, const struct gate_delta_list *deltas) {
    const struct gate_pair *pair = plan->pair;
    uint32_t count = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        count += gate_tree_plan_passes(plan, deltas->items[i].value[GATE_CUMULATIVE]);
    struct gate_letter_key *keys = gate_arena_alloc(plan->scratch, ((size_t)count + 1) * sizeof *keys);
    uint32_t *rank_of = GATE_NEW_ARRAY(plan->scratch, uint32_t, (size_t)pair->frame_count + 1);
    uint32_t *frame_of = gate_arena_alloc(plan->scratch, ((size_t)count + 1) * sizeof *frame_of);
    if (keys == NULL || rank_of == NULL || frame_of == NULL)
        return false;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (gate_tree_plan_passes(plan, deltas->items[i].value[GATE_CUMULATIVE]))
            keys[plan->rank_count++] = (struct gate_letter_key){.name = pair->frames[i].name, .index = i};
    gate_letter_order_sort(keys, count);
    for (uint32_t rank = 1; rank <= count; rank++) {
        frame_of[rank] = keys[rank - 1].index;
        rank_of[frame_of[rank]] = rank;
    }
    plan->rank_of = rank_of;
    plan->frame_of = frame_of;
    return true;
}

/* Which frames can be the first of an inverted stack: that node weighs what the frame costs itself. */
static bool tree_begins(struct gate_tree_plan *plan, const struct gate_delta_list *deltas) {
    uint32_t count = plan->pair->frame_count;
    uint8_t *begins = gate_arena_alloc(plan->scratch, (size_t)count + 1);
    for (uint32_t i = 0; begins != NULL && i < count; i++)
        begins[i] = gate_tree_plan_passes(plan, deltas->items[i].value[GATE_SELF]);
    plan->begins = begins;
    return begins != NULL;
}

/* The same plan for each stride-th stack: what may be in the tree has to weigh half as much of them. */
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

/* Where there are many stacks, a part of them says which nodes there are likely to be. */
static bool tree_start(struct gate_tree_start *start, const struct gate_tree_plan *plan, double min_share) {
    size_t stacks = gate_tree_start_count(plan->pair), stride = stacks / STACKS_OF_PART;
    struct gate_arena scratch;
    struct gate_tree likely;
    if (stride < 2 || min_share <= 0.0)
        return gate_tree_start_plain(start, plan, 1);
    gate_arena_fork(&scratch, plan->scratch);
    struct gate_tree_plan part = *plan;
    part.scratch = &scratch;
    bool ok = gate_tree_start_plain(start, &part, (uint32_t)stride);
    if (ok) {
        part = plan_of_part(&part, &start->known);
        ok = gate_tree_grow(&likely, &part, start, &scratch) && gate_tree_start_known(start, plan, &likely);
    }
    plan->scratch->is_refused |= scratch.is_refused;
    gate_arena_free(&scratch);
    return ok;
}

bool gate_tree_merge(struct gate_tree *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_tree_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_tree_plan plan = {.pair = pair, .from_leaf = options->inverted, .scratch = &scratch};
    struct gate_tree_start start;
    struct gate_tree tree;
    GATE_ASSERT(deltas->count == pair->frame_count && !pair->is_spent);
    for (int side = 0; side < GATE_SIDES; side++)
        plan.least[side] = tree_least(&pair->sides[side], options->min_share);
    gate_arena_fork(&scratch, arena);
    bool ok = tree_rank(&plan, deltas) && (!options->inverted || tree_begins(&plan, deltas)) &&
              tree_start(&start, &plan, options->min_share) && gate_tree_grow(&tree, &plan, &start, arena);
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
