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

/* Whether a node of these shares has enough samples to be tested; then `out` is the evidence of its frame. */
static bool evidence_is_enough(struct gate_evidence *out, const struct judging *j, const struct gate_tree_node *node,
                               const double share[GATE_SIDES]) {
    struct judge_slot *slot = &j->slots[(2 * node->frame + node->is_self) % SLOTS];
    bool is_kept = slot->frame == node->frame && slot->is_self == node->is_self;
    if (!is_kept) {
        *out = evidence_of(j, node);
        *slot = (struct judge_slot){node->frame, node->is_self, {out->sample_n[0], out->sample_n[1]}};
    }
    if (share[GATE_BASELINE] * slot->sample_n[GATE_BASELINE] + share[GATE_CANARY] * slot->sample_n[GATE_CANARY] <
        GATE_MIN_COUNTS)
        return false;
    if (is_kept)
        *out = evidence_of(j, node);
    return gate_evidence_is_counted(out);
}

/* The node's shares on the precision of its frame: both have the same weight of an event and the same relative noise.
 */
static double node_log_p(const struct judging *j, struct gate_tree_node *node) {
    double share[GATE_SIDES];
    struct gate_evidence own;
    for (int side = 0; side < GATE_SIDES; side++)
        share[side] = gate_share(node->total[side], j->pair->sides[side].total);
    if (!evidence_is_enough(&own, j, node, share))
        return 0.0;
    own.counts.k1 = own.counts.n1 * share[GATE_BASELINE];
    own.counts.k2 = own.counts.n2 * share[GATE_CANARY];
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
