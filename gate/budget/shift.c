/* SPDX-License-Identifier: Apache-2.0 */
/* Cost that moved instead of growing (see shift.h). */
#include "gate/budget/shift.h"

#include <math.h>
#include <stdlib.h>

static const double HOLDER_GROWTH = 0.25; /* of the frame's growth: more, and the holder grew too */
static const double HOLDER_LEVEL = 0.05;
static const double SOURCE_Z = -3.0;
static const double MATCHED = 0.5; /* of the frame's growth */
/* A holder of most of the profile says nothing: there, an unrelated saving would excuse any growth. */
static const double HOLDER_MAX_SHARE = 0.5;
enum { HOLDER_MAX_LEVELS = 3 }; /* the frame itself, its caller, its caller's caller */

static struct gate_evidence own_cost(const struct gate_shift_search *search, uint32_t frame,
                                     enum gate_measure measure) {
    const struct gate_pair *pair = &search->comparison->pair;
    return gate_evidence_of(pair, &search->comparison->deltas, frame, measure, pair->frames[frame].name,
                            &search->options);
}

/* What a node says of a measure. Charged: without the subtrees of own code that it calls itself. */
static int64_t weight_of(const struct gate_shift_search *search, uint32_t node, enum gate_measure measure) {
    const struct gate_tree_node *nodes = search->tree->nodes;
    int64_t weight = measure == GATE_SELF ? nodes[node].self[GATE_CANARY] : nodes[node].total[GATE_CANARY];
    if (measure == GATE_CHARGED)
        for (uint32_t c = nodes[node].first_child; c != GATE_NO_INDEX; c = nodes[c].next_sibling)
            if (search->comparison->pair.frames[nodes[c].frame].is_own)
                weight -= nodes[c].total[GATE_CANARY];
    return weight;
}

/* The node of `frame` that weighs most in the canary; GATE_NO_INDEX: pruned. */
static uint32_t heaviest_node(const struct gate_shift_search *search, uint32_t frame, enum gate_measure measure) {
    const struct gate_tree *tree = search->tree;
    uint32_t best = GATE_NO_INDEX;
    int64_t weight = -1;
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->nodes[i].frame != frame)
            continue;
        int64_t own = weight_of(search, i, measure);
        if (own > weight) {
            best = i;
            weight = own;
        }
    }
    return best;
}

/* Whether the frame that may hold both did not grow itself. */
static bool stands_still(const struct gate_shift_search *search, uint32_t holder, double growth) {
    struct gate_evidence e = own_cost(search, holder, GATE_CUMULATIVE);
    double log_p = 0.0;
    if (!gate_evidence_is_counted(&e) || e.delta > HOLDER_GROWTH * growth || e.share[GATE_CANARY] > HOLDER_MAX_SHARE)
        return false;
    if (!search->comparison->work_is_known) /* a drift of everything is within the error of the estimate */
        return true;
    (void)gate_evidence_increase(&e, 0.0, &log_p);
    return log_p > log(HOLDER_LEVEL);
}

/* Mark the frames beneath every node of `holder`; of those, `grown`'s own callees stay out unless its self cost grew.
 */
static void mark_beneath(const struct gate_shift_search *search, uint32_t holder, uint32_t grown,
                         enum gate_measure measure) {
    const struct gate_tree *tree = search->tree;
    memset(search->marks, 0, search->comparison->pair.frame_count);
    for (uint32_t i = 1; i < tree->count; i++) {
        bool inside = false, through = false;
        for (uint32_t at = i; at != 0 && at != GATE_NO_INDEX; at = tree->nodes[at].parent) {
            inside = inside || (tree->nodes[at].frame == holder);
            through = through || (tree->nodes[at].frame == grown && measure == GATE_CUMULATIVE);
        }
        if (inside && !through)
            search->marks[tree->nodes[i].frame] = 1;
    }
    search->marks[grown] = 0;
}

/* Keep the largest losers in order. */
static void add_source(struct gate_shift *out, double losses[GATE_SHIFT_SOURCES], uint32_t frame, double loss) {
    uint32_t at = out->source_count;
    while (at > 0 && losses[at - 1] < loss)
        at--;
    if (at == GATE_SHIFT_SOURCES)
        return;
    uint32_t last = out->source_count < GATE_SHIFT_SOURCES ? out->source_count++ : GATE_SHIFT_SOURCES - 1;
    for (uint32_t i = last; i > at; i--) {
        losses[i] = losses[i - 1];
        out->sources[i] = out->sources[i - 1];
    }
    losses[at] = loss;
    out->sources[at] = frame;
}

/* Frames among the marked that lost `measure`. Losses add up but for cumulative ones: those nest, so the largest
 * speaks. */
static bool find_sources(struct gate_shift *out, const struct gate_shift_search *search, enum gate_measure measure,
                         double growth) {
    double losses[GATE_SHIFT_SOURCES] = {0};
    out->source_count = 0;
    out->moved = 0.0;
    for (uint32_t frame = 0; frame < search->comparison->pair.frame_count; frame++) {
        if (!search->marks[frame])
            continue;
        struct gate_evidence e = own_cost(search, frame, measure);
        if (!e.is_tested || e.delta >= 0.0 || e.z > SOURCE_Z)
            continue;
        out->moved = measure == GATE_CUMULATIVE ? fmax(out->moved, -e.delta) : out->moved - e.delta;
        add_source(out, losses, frame, -e.delta);
    }
    return out->moved >= MATCHED * growth;
}

/* What is charged to a frame was charged to another before. Else it was anyone's self cost; a function that was renamed
 * or split loses all it held without a change of that. */
static bool find_any_sources(struct gate_shift *out, const struct gate_shift_search *search, enum gate_measure measure,
                             double growth) {
    if (measure == GATE_CHARGED)
        return find_sources(out, search, GATE_CHARGED, growth);
    return find_sources(out, search, GATE_SELF, growth) ||
           (measure == GATE_CUMULATIVE && find_sources(out, search, GATE_CUMULATIVE, growth));
}

bool gate_shift_find(struct gate_shift *out, const struct gate_shift_search *search,
                     const struct gate_hypothesis *hypothesis) {
    const struct gate_tree *tree = search->tree;
    if (hypothesis->frame == GATE_NO_INDEX || hypothesis->is_cost || hypothesis->own == NULL)
        return false;
    double growth = hypothesis->own->delta;
    uint32_t node = heaviest_node(search, hypothesis->frame, hypothesis->measure);
    if (node == GATE_NO_INDEX || growth <= 0.0)
        return false;
    if (weight_of(search, node, hypothesis->measure) <
        hypothesis->evidence->value[GATE_CANARY] / 2) /* it grew in too many places to say where from */
        return false;
    /* Self and charged cost may have come from the frame's own callees; then the frame itself is what did not grow. */
    if (hypothesis->measure == GATE_CUMULATIVE)
        node = tree->nodes[node].parent;
    for (int level = 0; level < HOLDER_MAX_LEVELS && node != 0 && node != GATE_NO_INDEX; level++) {
        uint32_t holder = tree->nodes[node].frame;
        node = tree->nodes[node].parent;
        if (!stands_still(search, holder, growth))
            continue;
        out->within = holder;
        mark_beneath(search, holder, hypothesis->frame, hypothesis->measure);
        return find_any_sources(out, search, hypothesis->measure, growth);
    }
    return false;
}

static bool may_have_moved(const struct gate_hypothesis *h, const struct gate_rules *rules, uint32_t comparison) {
    const struct gate_budget *budget = &rules->budgets[h->budget];
    bool is_broken =
        h->outcome == GATE_OUTCOME_FAIL || (h->outcome == GATE_OUTCOME_WARN && h->reason == GATE_REASON_SEVERITY_WARN);
    return h->comparison == comparison && is_broken && h->frame != GATE_NO_INDEX &&
           budget->shift != GATE_SEVERITY_OFF && budget->select.under.regex == NULL && h->own != NULL;
}

bool gate_shift_is_wanted(const struct gate_hypothesis_list *list, const struct gate_rules *rules, uint32_t index) {
    bool wanted = false;
    for (size_t i = 0; i < list->count; i++)
        wanted = wanted || may_have_moved(&list->items[i], rules, index);
    return wanted;
}

bool gate_shift_apply(struct gate_hypothesis_list *list, const struct gate_rules *rules,
                      const struct gate_comparison *comparison, uint32_t index, const struct gate_tree *tree,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_shift_search search = {.comparison = comparison, .tree = tree};
    search.options = (struct gate_evidence_options){.noise = comparison->noise, .work_ratio = comparison->work_ratio};
    search.marks = GATE_NEW_ARRAY(arena, uint8_t, (size_t)comparison->pair.frame_count + 1);
    if (search.marks == NULL)
        return gate_arena_error(arena, err);
    if (!gate_evidence_prior(&search.options, &comparison->pair, &comparison->deltas, arena, err))
        return false;
    for (size_t i = 0; i < list->count; i++) {
        struct gate_hypothesis *h = &list->items[i];
        struct gate_shift found = {0};
        if (!may_have_moved(h, rules, index) || !gate_shift_find(&found, &search, h))
            continue;
        struct gate_shift *shift = gate_arena_alloc(arena, sizeof *shift);
        if (shift == NULL)
            return gate_arena_error(arena, err);
        *shift = found;
        h->shift = shift;
        h->reason = GATE_REASON_SHIFT;
        if (rules->budgets[h->budget].shift == GATE_SEVERITY_WARN)
            h->outcome = GATE_OUTCOME_WARN;
    }
    return true;
}
