/* SPDX-License-Identifier: Apache-2.0 */
/* Which boxes of a flame graph changed by more than noise (see tree_judge.h). */
#include "gate/compare/tree_judge.h"

#include "gate/compare/evidence.h"
#include "gate/compare/holm.h"

#include <math.h>

/* Many nodes are of one frame, and most weigh too little to be tested: how many samples there are is kept of as many
 * frames as hash to different slots. */
enum { SLOTS = 1024 };

struct judge_slot {
    uint32_t frame; /* or GATE_NO_INDEX */
    bool is_self;
    double sample_n[GATE_SIDES];
};

struct judging {
    const struct gate_tree *tree;
    const struct gate_pair *pair;
    const struct gate_delta_list *deltas;
    struct gate_evidence_options options;
    struct judge_slot *slots;
};

/* Of which measure of its frame a node is a part. */
static enum gate_measure node_measure(const struct gate_tree *tree, const struct gate_tree_node *node) {
    return !node->is_self ? GATE_CUMULATIVE : tree->is_charged ? GATE_CHARGED : GATE_SELF;
}

static struct gate_evidence evidence_of(const struct judging *j, const struct gate_tree_node *node) {
    return gate_evidence_count(j->pair, j->deltas, node->frame, node_measure(j->tree, node),
                               j->pair->frames[node->frame].name, &j->options);
}

/* Effective samples of a node's frame, on each side. */
static const double *samples_of(const struct judging *j, const struct gate_tree_node *node) {
    struct judge_slot *slot = &j->slots[(2 * node->frame + node->is_self) % SLOTS];
    if (slot->frame != node->frame || slot->is_self != node->is_self) {
        struct gate_evidence frame = evidence_of(j, node);
        *slot = (struct judge_slot){node->frame, node->is_self, {frame.sample_n[0], frame.sample_n[1]}};
    }
    return slot->sample_n;
}

/* The node's shares on the precision of its frame: both have the same weight of an event and the same relative noise.
 */
static double node_log_p(const struct judging *j, struct gate_tree_node *node) {
    double p1 = gate_share(node->total[GATE_BASELINE], j->pair->sides[GATE_BASELINE].total);
    double p2 = gate_share(node->total[GATE_CANARY], j->pair->sides[GATE_CANARY].total);
    const double *n = samples_of(j, node);
    if (p1 * n[GATE_BASELINE] + p2 * n[GATE_CANARY] < GATE_MIN_COUNTS)
        return 0.0;
    struct gate_evidence own = evidence_of(j, node);
    if (!gate_evidence_is_counted(&own))
        return 0.0;
    own.counts.k1 = own.counts.n1 * p1;
    own.counts.k2 = own.counts.n2 * p2;
    double log_p = 0.0;
    node->z = gate_evidence_increase(&own, 0.0, &log_p);
    log_p = gate_student_log_p(fabs(node->z), own.df) + log(2.0);
    return log_p < 0.0 ? log_p : 0.0;
}

bool gate_tree_judge(struct gate_tree *tree, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_noise *noise, const bool *grown, struct gate_arena *arena,
                     struct gate_error *err) {
    double *log_p = GATE_NEW_ARRAY(arena, double, (size_t)tree->count + 1);
    double *adjusted = GATE_NEW_ARRAY(arena, double, (size_t)tree->count + 1);
    uint32_t *scratch = GATE_NEW_ARRAY(arena, uint32_t, (size_t)tree->count + 1);
    struct judging j = {.tree = tree, .pair = pair, .deltas = deltas, .options = {.noise = noise}};
    j.slots = gate_arena_alloc(arena, SLOTS * sizeof *j.slots);
    if (log_p == NULL || adjusted == NULL || scratch == NULL || j.slots == NULL)
        return gate_arena_error(arena, err);
    if (!gate_evidence_prior(&j.options, pair, deltas, arena, err))
        return false;
    for (size_t i = 0; i < SLOTS; i++)
        j.slots[i].frame = GATE_NO_INDEX;
    for (uint32_t i = 0; i < tree->count; i++) {
        struct gate_tree_node *node = &tree->nodes[i];
        node->z = 0.0;
        node->is_significant = false;
        log_p[i] = node->frame == GATE_NO_INDEX ? 0.0 : node_log_p(&j, node);
    }
    gate_holm_bh_adjust(log_p, adjusted, scratch, tree->count);
    for (uint32_t i = 0; i < tree->count; i++) {
        struct gate_tree_node *node = &tree->nodes[i];
        bool is_known = node->frame != GATE_NO_INDEX && grown[node->frame] && node->z > 0.0;
        node->is_significant = (is_known ? log_p[i] : adjusted[i]) <= log(GATE_TREE_SUSPECT_LEVEL);
    }
    return true;
}
