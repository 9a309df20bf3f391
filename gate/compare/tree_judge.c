/* SPDX-License-Identifier: Apache-2.0 */
/* Which boxes of a flame graph changed by more than noise (see tree_judge.h). */
#include "gate/compare/tree_judge.h"

#include "gate/compare/holm.h"
#include "gate/compare/stats.h"
#include "gate/compare/student.h"

#include <math.h>

/* Below this, |z| is not significant on its own, whatever the degrees of freedom: a normal distribution has 1.04 %
 * beyond it, and any other has more. How little that is need not be known. */
static const double FEWEST_DEVIATIONS = 2.56;

/* Of which measure of its frame a node is a part. */
static enum gate_measure node_measure(const struct gate_tree *tree, const struct gate_tree_node *node) {
    return !node->is_self ? GATE_CUMULATIVE : tree->is_charged ? GATE_CHARGED : GATE_SELF;
}

/* The node's shares on the precision of its frame: both have the same weight of an event and the same relative noise.
 * 0.0 where it is not tested, or cannot be significant. */
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

/* Benjamini-Hochberg over all nodes. Those that are not significant alone are not among so many, and hold no other one
 * up: they are no more than counted. */
static bool mark_significant(struct gate_tree *tree, const uint32_t *nodes, const double *log_p, uint32_t count,
                             struct gate_arena *arena) {
    double *adjusted = GATE_NEW_ARRAY(arena, double, (size_t)count + 1);
    uint32_t *scratch = GATE_NEW_ARRAY(arena, uint32_t, (size_t)count + 1);
    if (adjusted == NULL || scratch == NULL)
        return false;
    gate_holm_bh_adjust_first(log_p, adjusted, scratch, count, tree->count);
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
