/* SPDX-License-Identifier: Apache-2.0 */
/* Where findings and causes are in a call tree (see cause_box.h). */
#include "gate/report/cause_box.h"

#include <math.h>

/* How well the callers of `node` fit the path above `at`: each that does counts, each step in between counts against.
 */
static uint32_t box_fit(const struct gate_tree *tree, uint32_t node, const struct gate_cause *cause, uint32_t at) {
    uint32_t fit = GATE_CAUSE_PATH_MAX;
    for (uint32_t above = tree->nodes[node].parent; above != 0 && at > 0; above = tree->nodes[above].parent) {
        uint32_t step = at;
        while (step > 0 && cause->path[step - 1] != tree->nodes[above].frame)
            step--;
        if (step == 0)
            break;
        fit += GATE_CAUSE_PATH_MAX - (at - step);
        at = step - 1;
    }
    return fit;
}

static double box_change(const struct gate_tree *tree, uint32_t node) {
    const int64_t *total = tree->nodes[node].total, *all = tree->nodes[0].total;
    return fabs(gate_share(total[GATE_CANARY], all[GATE_CANARY]) -
                gate_share(total[GATE_BASELINE], all[GATE_BASELINE]));
}

uint32_t gate_cause_box_find(const struct gate_tree *tree, const struct gate_cause *cause) {
    uint32_t best = GATE_NO_INDEX, best_fit = 0, own = 0;
    for (uint32_t i = 0; i < cause->path_count; i++)
        if (cause->path[i] == cause->frame)
            own = i;
    for (uint32_t i = 1; i < tree->count && cause->frame != GATE_NO_INDEX; i++) {
        if (tree->nodes[i].frame != cause->frame || tree->nodes[i].is_self)
            continue;
        uint32_t fit = box_fit(tree, i, cause, own);
        if (best != GATE_NO_INDEX &&
            (fit < best_fit || (fit == best_fit && box_change(tree, i) <= box_change(tree, best))))
            continue;
        best = i;
        best_fit = fit;
    }
    return best;
}

bool gate_cause_box_is_broken(const struct gate_cause *cause) {
    return cause->frame != GATE_NO_INDEX && cause->measure == GATE_MEASURE_CHARGED && cause->evidence.delta > 0.0 &&
           (cause->outcome == GATE_OUTCOME_FAIL ||
            (cause->outcome == GATE_OUTCOME_WARN && cause->reason == GATE_REASON_SEVERITY_WARN));
}

/* What `at` costs itself: its own box, or itself where it is nothing else. GATE_NO_INDEX: too little to have one. */
static uint32_t self_of(const struct gate_tree *tree, uint32_t at) {
    const struct gate_tree_node *nodes = tree->nodes;
    for (uint32_t child = nodes[at].first_child; child != GATE_NO_INDEX; child = nodes[child].next_sibling)
        if (nodes[child].is_self)
            return child;
    return nodes[at].first_child == GATE_NO_INDEX ? at : GATE_NO_INDEX;
}

uint32_t gate_cause_box_show(const struct gate_tree *tree, const struct gate_cause *cause) {
    uint32_t node = gate_cause_box_find(tree, cause);
    uint32_t self = node == GATE_NO_INDEX ? GATE_NO_INDEX : self_of(tree, node);
    bool tells_more = self != GATE_NO_INDEX && box_change(tree, self) > box_change(tree, node) &&
                      (tree->nodes[self].is_significant || tree->nodes[self].mark > tree->nodes[node].mark);
    return tells_more ? self : node;
}

/* Whether a node is what a measure of its frame sums up. By callee, only the self costs at the root are. */
static bool is_part_of(const struct gate_tree *tree, uint32_t at, enum gate_measure measure) {
    const struct gate_tree_node *node = &tree->nodes[at];
    if (tree->inverted)
        return measure == GATE_SELF && node->parent == 0;
    if (measure == GATE_CUMULATIVE)
        return !node->is_self;
    return measure == (tree->is_charged ? GATE_CHARGED : GATE_SELF) && self_of(tree, at) == at;
}

/* A frame each: the box that changed most of those that `measure` sums up, or GATE_NO_INDEX. */
static uint32_t *find_boxes(const struct gate_tree *tree, uint32_t frame_count, enum gate_measure measure,
                            struct gate_arena *arena) {
    uint32_t *best = GATE_NEW_ARRAY(arena, uint32_t, (size_t)frame_count + 1);
    for (uint32_t i = 0; best != NULL && i < frame_count; i++)
        best[i] = GATE_NO_INDEX;
    for (uint32_t i = 1; best != NULL && i < tree->count; i++) {
        uint32_t *box = &best[tree->nodes[i].frame];
        if (is_part_of(tree, i, measure) && (*box == GATE_NO_INDEX || box_change(tree, i) > box_change(tree, *box)))
            *box = i;
    }
    return best;
}

static enum gate_tree_mark mark_of(enum gate_outcome outcome, enum gate_reason reason) {
    return outcome == GATE_OUTCOME_FAIL           ? GATE_TREE_BROKEN
           : outcome == GATE_OUTCOME_INCONCLUSIVE ? GATE_TREE_UNDECIDED
           : reason == GATE_REASON_SEVERITY_WARN  ? GATE_TREE_WARNED
                                                  : GATE_TREE_UNMARKED;
}

/* Growth that is decided needs no second opinion from a box, whose counts are judged as a whole code path's. */
static void mark_node(struct gate_tree *tree, uint32_t at, enum gate_tree_mark mark, bool is_growth) {
    if (at == GATE_NO_INDEX)
        return;
    struct gate_tree_node *node = &tree->nodes[at];
    node->mark = mark > node->mark ? (uint8_t)mark : node->mark;
    if (is_growth && mark >= GATE_TREE_WARNED && node->z > 0.0)
        node->is_significant = true;
}

/* Where the boxes of a tree's frames are, by measure: found where a finding asks for one of them. */
struct boxes {
    uint32_t frame_count;
    uint32_t *of[GATE_MEASURES]; /* NULL: not asked for so far */
    struct gate_arena *arena;
};

static bool mark_findings(struct gate_tree *tree, const struct gate_budget_result *result, struct boxes *boxes) {
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct gate_finding *finding = &result->findings[i];
        enum gate_tree_mark mark = mark_of(finding->outcome, finding->reason);
        if (finding->frame == GATE_NO_INDEX || mark == GATE_TREE_UNMARKED || !gate_cause_tells(finding))
            continue;
        uint32_t **of = &boxes->of[finding->measure];
        if (*of == NULL)
            *of = find_boxes(tree, boxes->frame_count, finding->measure, boxes->arena);
        if (*of == NULL)
            return false;
        mark_node(tree, (*of)[finding->frame], mark, finding->evidence.delta > 0.0);
    }
    return true;
}

bool gate_cause_box_mark(struct gate_tree *tree, const struct gate_verdict *verdict, uint32_t comparison,
                         struct gate_arena *arena, struct gate_error *err) {
    struct boxes boxes = {.frame_count = verdict->comparisons[comparison].pair.frame_count, .arena = arena};
    for (uint32_t b = 0; b < verdict->budget_count; b++)
        if (verdict->budgets[b].comparison == comparison && !mark_findings(tree, &verdict->budgets[b], &boxes))
            return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < verdict->causes.count && !tree->inverted; i++) {
        const struct gate_cause *cause = &verdict->causes.items[i];
        if (cause->comparison == comparison)
            mark_node(tree, gate_cause_box_find(tree, cause), mark_of(cause->outcome, cause->reason),
                      gate_cause_box_is_broken(cause));
    }
    return true;
}
