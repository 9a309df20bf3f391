/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/upgraded.h"

#include "gate/base/table.h"
#include "gate/budget/replaced.h"
#include "gate/compare/tree.h"
#include "gate/compare/upgrades.h"

#include <math.h>

/* Minimum fraction of a function's growth that must be in libraries with another version. A fail stays if these
 * libraries as a whole grew by at least the same fraction. */
static const double KEPT_LEAST = 0.5;

/* Under a limit on a ratio: maximum growth of a library, as a fraction of the function's growth in it. */
static const double KEPT_MOST = 0.25;

/* A library beneath one caller. The caller is the nearest own function outside of such libraries. */
struct part {
    uint32_t library;            /* index in pair->upgrades */
    double whole[GATE_SIDES];    /* cost of the library there, with everything that it calls */
    double function[GATE_SIDES]; /* the part of it that is charged to the judged function */
};

/* The parts of a call tree. */
struct parts {
    struct part *items;
    size_t capacity;
    struct gate_table keys; /* caller and library */
    uint32_t *of_node;      /* index of a node's part, or GATE_NO_INDEX */
    uint32_t *caller;       /* frame of a node's nearest own function outside of such libraries, or GATE_NO_INDEX */
    bool *is_cut; /* per library: the library is a single part, because some of its stacks are cut off below the caller,
                     or it has threads of its own */
};

/* Return whether own code that is not of such a library calls a node. */
static bool has_caller(const struct gate_reading_state *r, uint32_t node, const uint32_t *libraries) {
    const struct gate_pair *pair = &r->comparison->pair;
    for (uint32_t at = r->tree->nodes[node].parent; at != 0; at = r->tree->nodes[at].parent)
        if (libraries[r->tree->nodes[at].frame] == GATE_NO_INDEX &&
            gate_frame_is_charged(&pair->frames[r->tree->nodes[at].frame]))
            return true;
    return false;
}

/* Assign a node to a part; its parent is already assigned. Code of the language's own libraries belongs to its
 * caller. */
static bool place(struct parts *parts, const struct gate_reading_state *r, uint32_t node, const uint32_t *libraries) {
    const struct gate_pair *pair = &r->comparison->pair;
    const struct gate_tree_node *at = &r->tree->nodes[node];
    uint32_t library = libraries[at->frame], parent = at->parent;
    parts->caller[node] = parts->caller[parent];
    parts->of_node[node] = parts->of_node[parent];
    if (library == GATE_NO_INDEX) {
        if (pair->frames[at->frame].is_own)
            parts->of_node[node] = GATE_NO_INDEX;
        if (gate_frame_is_charged(&pair->frames[at->frame]))
            parts->caller[node] = at->frame;
        return true;
    }
    if (parts->of_node[parent] != GATE_NO_INDEX) /* called by this library, or by another one with another version */
        return true;
    const uint32_t key[2] = {parts->is_cut[library] ? GATE_NO_INDEX : parts->caller[node], library};
    uint32_t known = parts->keys.count;
    uint32_t index = gate_table_intern_copy(&parts->keys, (struct gate_str){(const char *)key, sizeof key});
    if (index == GATE_TABLE_NONE || !GATE_GROW(r->arena, parts->items, known, parts->capacity))
        return gate_arena_error(r->arena, r->err);
    if (index == known)
        parts->items[index] = (struct part){.library = library};
    parts->of_node[node] = index;
    return true;
}

/* Return whether a node's self cost belongs to a hypothesis. `is_inherited`: the self cost of its parent does. */
static bool counts(const struct gate_hypothesis *h, const struct gate_pair *pair, uint32_t frame, bool is_inherited) {
    if (h->measure == GATE_SELF || frame == h->frame)
        return frame == h->frame;
    return is_inherited && !(h->measure == GATE_CHARGED && gate_frame_is_charged(&pair->frames[frame]));
}

/* Find the parts, and the total cost of the hypothesis' function. */
static bool find_parts(struct parts *parts, double all[GATE_SIDES], const struct gate_hypothesis *h,
                       const struct gate_reading_state *r) {
    const struct gate_pair *pair = &r->comparison->pair;
    uint32_t *libraries = GATE_NEW_ARRAY(r->arena, uint32_t, pair->frame_count);
    bool *is_counted = GATE_NEW_ARRAY(r->arena, bool, r->tree->count);
    parts->of_node = GATE_NEW_ARRAY(r->arena, uint32_t, r->tree->count);
    parts->caller = GATE_NEW_ARRAY(r->arena, uint32_t, r->tree->count);
    parts->is_cut = GATE_NEW_ARRAY(r->arena, bool, pair->upgrade_count);
    if (parts->is_cut == NULL || libraries == NULL || is_counted == NULL || parts->of_node == NULL ||
        parts->caller == NULL)
        return gate_arena_error(r->arena, r->err);
    gate_table_init(&parts->keys, r->arena);
    for (uint32_t i = 0; i < pair->frame_count; i++)
        libraries[i] = gate_upgrade_of(pair, i);
    parts->of_node[0] = parts->caller[0] = GATE_NO_INDEX;
    for (uint32_t node = 1; node < r->tree->count; node++)
        if (libraries[r->tree->nodes[node].frame] != GATE_NO_INDEX && !has_caller(r, node, libraries))
            parts->is_cut[libraries[r->tree->nodes[node].frame]] = true;
    for (uint32_t node = 1; node < r->tree->count; node++) { /* parents come first */
        const struct gate_tree_node *at = &r->tree->nodes[node];
        if (!place(parts, r, node, libraries))
            return false;
        is_counted[node] = counts(h, pair, at->frame, is_counted[at->parent]);
        struct part *part = parts->of_node[node] == GATE_NO_INDEX ? NULL : &parts->items[parts->of_node[node]];
        for (int side = 0; side < GATE_SIDES; side++) {
            double cost = gate_tree_own_cost(r->tree, node, side);
            all[side] += is_counted[node] ? cost : 0.0;
            if (part != NULL) {
                part->whole[side] += cost;
                part->function[side] += is_counted[node] ? cost : 0.0;
            }
        }
    }
    return true;
}

/* Set the ratio of work, and the variance of its logarithm. The ratio is the first of these that is known: the given
 * work; the estimate from own functions outside of these libraries, without the one that disagrees most; the ratio of
 * all cost outside of the parts. 0: not known. */
static bool find_ratio(double *ratio, double *variance, const struct parts *parts, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    struct gate_own_growth own = {0};
    struct gate_common_factor others;
    double inside[GATE_SIDES] = {0.0, 0.0};
    if (!c->work_is_known) {
        if (!gate_own_growth_collect(&own, &c->pair, &c->deltas, GATE_OWN_GROWTH_COUNTS, 0.0, true, r->arena, r->err))
            return false;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < own.count; i++)
            if (gate_upgrade_of(&c->pair, own.items[i].frame) == GATE_NO_INDEX)
                own.items[kept++] = own.items[i];
        own.count = kept;
        if (gate_own_growth_odd(&others, &own) != GATE_NO_INDEX &&
            gate_own_growth_estimates_work(own.count - 1, &others)) {
            *ratio = exp(others.m);
            *variance = 1.0 / others.weight;
            return true;
        }
    }
    for (uint32_t i = 0; i < parts->keys.count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            inside[side] += parts->items[i].whole[side];
    return gate_reading_ratio_beside(ratio, variance, r, inside);
}

/* The growth of a function, and that of its libraries as a whole. */
struct growth {
    double all, in_parts; /* growth of the function: everywhere, and in libraries */
    double kept;    /* the part of `all` by which the libraries as a whole grew as well, less one standard deviation of
                       their samples */
    bool is_within; /* each library plus one standard deviation is within the limit, judged as one function */
    uint32_t largest; /* part in which the function grew most, or GATE_NO_INDEX */
};

/* Return whether a library, judged as one function, is within a limit. If the work is not known, its share must be
 * within the limit, too. Under a limit on a ratio, a large library could hide any growth of a function. Its growth must
 * then be at most KEPT_MOST of the function's. */
static bool is_part_within(const struct gate_hypothesis *h, const struct gate_reading_state *r, const struct part *part,
                           double growth, double more) {
    const struct gate_side *sides = r->comparison->pair.sides;
    enum gate_quantity quantity = gate_limit_quantity(h->limit->kind);
    double shares = gate_reading_total_at(r, 1.0), by_share = gate_reading_growth(r, part->whole, shares, 0.0, 1.0);
    double all = (double)sides[GATE_BASELINE].total, before = part->whole[GATE_BASELINE];
    if (!r->comparison->work_is_known && by_share > growth)
        growth = by_share;
    if (quantity == GATE_QUANTITY_RATIO)
        return before > 0.0 && (before + growth) / before <= h->limit_value && growth <= KEPT_MOST * more;
    return quantity == GATE_QUANTITY_GROWTH && growth / all <= h->limit_value;
}

static struct growth growth_of(const struct parts *parts, const struct gate_hypothesis *h, const double all[GATE_SIDES],
                               const struct gate_reading_state *r, double ratio, double variance) {
    struct growth growth = {
        .all = all[GATE_CANARY] / ratio - all[GATE_BASELINE], .is_within = true, .largest = GATE_NO_INDEX};
    double most = 0.0;
    growth.kept = growth.all;
    for (uint32_t i = 0; i < parts->keys.count; i++) {
        const struct part *part = &parts->items[i];
        double more = part->function[GATE_CANARY] / ratio - part->function[GATE_BASELINE];
        if (more <= 0.0)
            continue;
        growth.in_parts += more;
        growth.largest = more > most ? i : growth.largest;
        most = fmax(most, more);
        growth.kept -= more - fmin(more, fmax(0.0, gate_reading_growth(r, part->whole, ratio, variance, -1.0)));
        growth.is_within = growth.is_within &&
                           is_part_within(h, r, part, gate_reading_growth(r, part->whole, ratio, variance, 1.0), more);
    }
    return growth;
}

bool gate_reading_judge_upgraded(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    if (c->pair.upgrade_count == 0 || r->tree == NULL || h->frame == GATE_NO_INDEX || h->is_total || h->is_named ||
        !gate_hypothesis_bounds_growth(h))
        return true;
    struct parts parts = {0};
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .equal = c->equal};
    double all[GATE_SIDES] = {0.0, 0.0}, variance = 0.0;
    if (!find_parts(&parts, all, h, r) || !find_ratio(&reading.ratio, &variance, &parts, r))
        return false;
    if (!(reading.ratio > 0.0))
        return true;
    struct growth growth = growth_of(&parts, h, all, r, reading.ratio, variance);
    if (growth.all <= 0.0 || growth.in_parts < KEPT_LEAST * growth.all)
        return true;
    const struct part *part = &parts.items[growth.largest];
    reading.upgrade = &c->pair.upgrades[part->library];
    for (int side = 0; side < GATE_SIDES; side++)
        reading.whole[side] = part->whole[side] / (double)c->pair.sides[side].total;
    if (growth.is_within)
        return gate_reading_contradict(h, r, GATE_OUTCOME_WARN, GATE_REASON_UPGRADED, reading);
    return h->outcome != GATE_OUTCOME_FAIL || growth.kept >= KEPT_LEAST * growth.all ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UPGRADED, reading);
}
