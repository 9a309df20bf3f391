/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/tree_judge.h"

#include "gate/compare/comparison.h"
#include "gate/compare/evidence.h"
#include "gate/compare/holm.h"
#include "gate/compare/student.h"
#include "gate/compare/tree.h"
#include "gate/names/own_code.h"

#include <math.h>

/* ---- significance ------------------------------------------------------------------------------------------------ */

/* A node with a smaller |z| is not significant at any degrees of freedom: 1.04% of a normal distribution is beyond it,
 * and more of any t distribution. Its exact p value is not needed. */
static const double FEWEST_DEVIATIONS = 2.56;

/* Return the measure that a node's cost is a part of. */
static enum gate_measure node_measure(const struct gate_tree *tree, const struct gate_tree_node *node) {
    return !node->is_self ? GATE_CUMULATIVE : tree->is_charged ? GATE_CHARGED : GATE_SELF;
}

/* Return the two-sided log p of a node. Its shares are tested with the precision of its frame, which has the same
 * weight per event and the same relative noise. 0 if the node is not tested or cannot be significant. */
static double node_log_p(struct gate_tree_node *node, const struct gate_pair *pair, const struct gate_evidence *of) {
    double share[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        share[side] = gate_share(node->total[side], pair->sides[side].total);
    if (share[GATE_BASELINE] * of->sample_n[GATE_BASELINE] + share[GATE_CANARY] * of->sample_n[GATE_CANARY] <
            GATE_MIN_COUNTS ||
        !gate_evidence_is_counted(of))
        return 0.0;
    struct gate_counts2 counts = of->counts;
    counts.k1 = counts.n1 * share[GATE_BASELINE];
    counts.k2 = counts.n2 * share[GATE_CANARY];
    node->z = gate_score_z(counts, 0.0) / sqrt(of->phi);
    if (fabs(node->z) < FEWEST_DEVIATIONS)
        return 0.0;
    return fmin(gate_student_log_p(fabs(node->z), of->df) + log(2.0), 0.0);
}

/* Set is_significant by Benjamini-Hochberg over all nodes. `count` nodes can be significant; the others only count
 * towards the size of the family. */
static bool mark_significant(struct gate_tree *tree, const uint32_t *nodes, const double *log_p, uint32_t count,
                             struct gate_arena *arena) {
    double *adjusted = GATE_NEW_ARRAY(arena, double, count);
    struct gate_ranked *scratch = GATE_NEW_ARRAY(arena, struct gate_ranked, count);
    if (adjusted == NULL || scratch == NULL)
        return false;
    gate_holm_bh_adjust(log_p, adjusted, scratch, count, tree->count);
    for (uint32_t i = 0; i < count; i++)
        if (adjusted[i] <= log(GATE_TREE_SUSPECT_LEVEL))
            tree->nodes[nodes[i]].is_significant = true;
    return true;
}

bool gate_tree_judge(struct gate_tree *tree, const struct gate_comparison *comparison, struct gate_arena *arena,
                     struct gate_error *err) {
    const struct gate_frame_judgement *frames = comparison->frames;
    const double level = log(GATE_TREE_SUSPECT_LEVEL);
    double *log_p = gate_arena_alloc(arena, (size_t)tree->count * sizeof *log_p);
    uint32_t *nodes = gate_arena_alloc(arena, (size_t)tree->count * sizeof *nodes), count = 0;
    if (log_p == NULL || nodes == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < tree->count; i++) {
        struct gate_tree_node *node = &tree->nodes[i];
        node->z = 0.0;
        node->is_significant = false;
        if (node->frame == GATE_NO_INDEX)
            continue;
        log_p[count] = node_log_p(node, &comparison->pair, frames[node->frame].evidence[node_measure(tree, node)]);
        if (log_p[count] > level)
            continue;
        node->is_significant = frames[node->frame].is_broken && node->z > 0.0;
        nodes[count++] = i;
    }
    return mark_significant(tree, nodes, log_p, count, arena) || gate_arena_error(arena, err);
}

/* ---- smaller trees ----------------------------------------------------------------------------------------------- */

/* A node weighs at most as much as its parent, so a subtree whose root does not pass is dropped entirely. */

/* State of a node of the larger tree. Parents precede their children in both trees. */
struct pruned_node {
    uint32_t place; /* index in the smaller tree, or GATE_NO_INDEX */
    uint32_t level;
    uint32_t last_child; /* in the smaller tree, or GATE_NO_INDEX */
};

static bool passes(const struct gate_tree_node *node, const struct gate_pair *pair, double min_share) {
    for (int side = 0; side < GATE_SIDES; side++)
        if (node->total[side] > 0 && gate_share(node->total[side], pair->sides[side].total) >= min_share)
            return true;
    return false;
}

/* Append a node behind its siblings. */
static void node_keep(struct gate_tree *out, struct pruned_node *known, const struct gate_tree *tree, uint32_t node) {
    uint32_t parent = tree->nodes[node].parent, to = out->count++;
    struct gate_tree_node *kept = &out->nodes[to];
    *kept = tree->nodes[node];
    kept->first_child = kept->next_sibling = GATE_NO_INDEX;
    known[node] = (struct pruned_node){.place = to, .last_child = GATE_NO_INDEX};
    if (node == 0)
        return;
    uint32_t *link = known[parent].last_child == GATE_NO_INDEX ? &out->nodes[known[parent].place].first_child
                                                               : &out->nodes[known[parent].last_child].next_sibling;
    *link = known[parent].last_child = to;
    kept->parent = known[parent].place;
    known[node].level = known[parent].level + 1;
    out->depth = known[node].level > out->depth ? known[node].level : out->depth;
}

bool gate_tree_prune(struct gate_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                     double min_share, struct gate_arena *arena, struct gate_error *err) {
    struct gate_tree pruned = {.inverted = tree->inverted};
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    struct pruned_node *known = gate_arena_alloc(&scratch, tree->count * sizeof *known);
    pruned.nodes = gate_arena_alloc(arena, tree->count * sizeof *pruned.nodes);
    bool ok = known != NULL && pruned.nodes != NULL;
    if (!ok)
        (void)gate_arena_error(known == NULL ? &scratch : arena, err);
    for (uint32_t i = 0; ok && i < tree->count; i++) {
        known[i].place = GATE_NO_INDEX;
        if (i == 0 || (known[tree->nodes[i].parent].place != GATE_NO_INDEX && passes(&tree->nodes[i], pair, min_share)))
            node_keep(&pruned, known, tree, i);
    }
    gate_arena_free(&scratch);
    for (int side = 0; ok && side < GATE_SIDES; side++) {
        pruned.pruned[side] = pruned.nodes[0].total[side];
        for (uint32_t i = 0; i < pruned.count; i++)
            pruned.pruned[side] -= pruned.nodes[i].self[side];
    }
    if (ok)
        *out = pruned;
    return ok;
}

/* ---- owners of cost ---------------------------------------------------------------------------------------------- */

/* Parents precede their children in a tree. */

static double growth_of(const struct gate_pair *pair, const int64_t value[GATE_SIDES]) {
    return gate_share(value[GATE_CANARY], pair->sides[GATE_CANARY].total) -
           gate_share(value[GATE_BASELINE], pair->sides[GATE_BASELINE].total);
}

/* Return whether a node is of own code that both sides have. */
static bool is_charged(const struct gate_charge_tree *charge, uint32_t node) {
    return gate_frame_is_charged(&charge->pair->frames[charge->tree->nodes[node].frame]);
}

static bool is_folded(const struct gate_charge_tree *charge, uint32_t node) {
    return charge->pair->frames[charge->tree->nodes[node].frame].is_folded;
}

/* Return the node that a node's cost is charged to. Own code that both sides have owns its node, and so does the
 * outermost own function of a stack without such code. A stack without own code is charged to its first frame, a child
 * of the tree's root. */
static uint32_t owner_of(const struct gate_charge_tree *charge, uint32_t node) {
    uint32_t parent = charge->tree->nodes[node].parent;
    if (parent == 0 || is_charged(charge, node))
        return node;
    uint32_t above = charge->owner[parent];
    return is_folded(charge, node) && !is_charged(charge, above) && !is_folded(charge, above) ? node : above;
}

/* Return the frame of an owning node. */
static uint32_t owning_frame(const struct gate_charge_tree *charge, uint32_t node) {
    return is_folded(charge, node) ? charge->pair->one_sided : charge->tree->nodes[node].frame;
}

bool gate_charge_tree_make(struct gate_charge_tree *out, const struct gate_tree *tree, const struct gate_pair *pair,
                           struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_charge_tree){.tree = tree, .pair = pair};
    out->owner = GATE_NEW_ARRAY(arena, uint32_t, tree->count);
    out->growth = GATE_NEW_ARRAY(arena, double, tree->count);
    out->beneath = GATE_NEW_ARRAY(arena, double, tree->count);
    out->scratch = GATE_NEW_ARRAY(arena, double, pair->frame_count);
    out->inside = GATE_NEW_ARRAY(arena, uint8_t, tree->count);
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
            charge->scratch[owning_frame(charge, charge->owner[i])] += charge->growth[i];
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t owner = owning_frame(charge, charge->owner[i]);
        if (charge->scratch[owner] > most) {
            most = charge->scratch[owner];
            best = owner;
        }
    }
    for (uint32_t i = 1; i < count; i++)
        charge->scratch[owning_frame(charge, charge->owner[i])] = 0.0;
    return best;
}

/* Return the node of the frame whose charged cost grew most. A folded frame owns no node. */
static uint32_t node_of(const struct gate_charge_tree *charge, uint32_t frame) {
    uint32_t best = GATE_NO_INDEX;
    bool is_folded_frame = charge->pair->frames[frame].is_folded;
    for (uint32_t i = 1; i < charge->tree->count; i++)
        if ((is_folded_frame ? charge->tree->nodes[i].frame == frame
                             : charge->owner[i] == i && owning_frame(charge, i) == frame) &&
            (best == GATE_NO_INDEX || charge->beneath[i] > charge->beneath[best]))
            best = i;
    return best;
}

/* Return the child whose growth is largest, or GATE_NO_INDEX if more growth ends at the node itself. */
static uint32_t heaviest_child(const struct gate_charge_tree *charge, uint32_t node) {
    uint32_t best = GATE_NO_INDEX;
    for (uint32_t i = charge->tree->nodes[node].first_child; i != GATE_NO_INDEX;
         i = charge->tree->nodes[i].next_sibling)
        if (charge->owner[i] == charge->owner[node] && charge->beneath[i] > charge->growth[node] &&
            charge->beneath[i] > 0.0 && (best == GATE_NO_INDEX || charge->beneath[i] > charge->beneath[best]))
            best = i;
    return best;
}

uint32_t gate_charge_tree_path(uint32_t out[GATE_CHARGE_PATH_MAX], const struct gate_charge_tree *charge,
                               uint32_t frame) {
    const struct gate_tree_node *nodes = charge->tree->nodes;
    uint32_t node = node_of(charge, frame), entry = node, above = 0, count = 0;
    if (node == GATE_NO_INDEX)
        return 0;
    for (uint32_t at = nodes[node].parent; at != 0; at = nodes[at].parent)
        if (charge->pair->frames[nodes[at].frame].is_own)
            entry = at;
    for (uint32_t at = node; at != entry; at = nodes[at].parent)
        above++;
    if (above >= GATE_CHARGE_PATH_MAX)
        above = GATE_CHARGE_PATH_MAX - 1;
    count = above + 1;
    for (uint32_t at = node, i = count; i-- > 0; at = nodes[at].parent)
        out[i] = nodes[at].frame;
    for (node = heaviest_child(charge, node); node != GATE_NO_INDEX && count < GATE_CHARGE_PATH_MAX;
         node = heaviest_child(charge, node))
        out[count++] = nodes[node].frame;
    return count;
}

/* Least part of a function's growth that ends in system libraries which it calls. */
static const double LOST_LEAST = 0.5;

uint32_t gate_charge_tree_lost_caller(const struct gate_charge_tree *charge, uint32_t frame) {
    const struct gate_pair *pair = charge->pair;
    const struct gate_tree *tree = charge->tree;
    double all = 0.0, ends = 0.0, most = 0.0;
    uint32_t library = GATE_NO_INDEX;
    if ((pair->language != GATE_LANGUAGE_NATIVE && pair->language != GATE_LANGUAGE_RUST) || !pair->frames[frame].is_own)
        return GATE_NO_INDEX;
    if (gate_pair_is_exact(pair)) /* Valgrind follows each call */
        return GATE_NO_INDEX;
    for (uint32_t i = 1; i < tree->count; i++) {
        uint32_t parent = tree->nodes[i].parent, of = tree->nodes[i].frame;
        if (charge->owner[i] != GATE_NO_INDEX && tree->nodes[charge->owner[i]].frame == frame)
            all += fmax(0.0, charge->growth[i]);
        if (parent == 0 || tree->nodes[parent].frame != frame || of == frame ||
            !gate_is_system_library(pair->frames[of].mapping))
            continue;
        ends += fmax(0.0, charge->growth[i]);
        if (charge->growth[i] > most) {
            most = charge->growth[i];
            library = of;
        }
    }
    return ends >= LOST_LEAST * all ? library : GATE_NO_INDEX;
}
