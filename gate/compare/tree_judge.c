/* SPDX-License-Identifier: Apache-2.0 */
/* Which boxes of a flame graph changed by more than noise (see tree_judge.h). */
#include "gate/compare/tree_judge.h"

#include "gate/compare/evidence.h"
#include "gate/compare/holm.h"

#include <math.h>

/* The node's shares on the precision of its frame: both have the same weight of an event and the same relative noise.
 */
static double node_log_p(struct gate_tree_node *node, const struct gate_pair *pair, const struct gate_evidence *frame) {
    struct gate_evidence own = *frame;
    double p1 = gate_share(node->total[GATE_BASELINE], pair->sides[GATE_BASELINE].total);
    double p2 = gate_share(node->total[GATE_CANARY], pair->sides[GATE_CANARY].total);
    if (p1 * frame->sample_n[GATE_BASELINE] + p2 * frame->sample_n[GATE_CANARY] < GATE_MIN_COUNTS)
        return 0.0;
    own.counts.k1 = own.counts.n1 * p1;
    own.counts.k2 = own.counts.n2 * p2;
    double log_p = 0.0;
    node->z = gate_evidence_increase(&own, 0.0, &log_p);
    log_p = gate_student_log_p(fabs(node->z), own.df) + log(2.0);
    return log_p < 0.0 ? log_p : 0.0;
}

/* Of which measure of its frame a node is a part. */
static enum gate_measure node_measure(const struct gate_tree *tree, const struct gate_tree_node *node) {
    return !node->is_self ? GATE_CUMULATIVE : tree->is_charged ? GATE_CHARGED : GATE_SELF;
}

static void judge_nodes(struct gate_tree *tree, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        const struct gate_evidence_options *options, double *log_p) {
    for (uint32_t i = 0; i < tree->count; i++) {
        struct gate_tree_node *node = &tree->nodes[i];
        node->z = 0.0;
        node->is_significant = false;
        log_p[i] = 0.0;
        if (node->frame == GATE_NO_INDEX)
            continue;
        struct gate_evidence frame = gate_evidence_count(pair, deltas, node->frame, node_measure(tree, node),
                                                         pair->frames[node->frame].name, options);
        if (gate_evidence_is_counted(&frame))
            log_p[i] = node_log_p(node, pair, &frame);
    }
}

bool gate_tree_judge(struct gate_tree *tree, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                     const struct gate_noise *noise, const bool *grown, struct gate_arena *arena,
                     struct gate_error *err) {
    double *log_p = GATE_NEW_ARRAY(arena, double, (size_t)tree->count + 1);
    double *adjusted = GATE_NEW_ARRAY(arena, double, (size_t)tree->count + 1);
    uint32_t *scratch = GATE_NEW_ARRAY(arena, uint32_t, (size_t)tree->count + 1);
    if (log_p == NULL || adjusted == NULL || scratch == NULL)
        return gate_arena_error(arena, err);
    struct gate_evidence_options options = {.noise = noise};
    if (!gate_evidence_prior(&options, pair, deltas, arena, err))
        return false;
    judge_nodes(tree, pair, deltas, &options, log_p);
    gate_holm_bh_adjust(log_p, adjusted, scratch, tree->count);
    for (uint32_t i = 0; i < tree->count; i++) {
        struct gate_tree_node *node = &tree->nodes[i];
        bool is_known = node->frame != GATE_NO_INDEX && grown[node->frame] && node->z > 0.0;
        node->is_significant = (is_known ? log_p[i] : adjusted[i]) <= log(GATE_TREE_SUSPECT_LEVEL);
    }
    return true;
}
