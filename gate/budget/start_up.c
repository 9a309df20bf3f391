/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/start_up.h"

#include "gate/names/frame_name.h"

/* A function with at least this fraction of its cost beneath start-up code counts as start-up code. */
static const double AT_START_LEAST = 0.9;

bool gate_start_up_mark(struct gate_reading_state *r) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    if (r->is_at_start != NULL)
        return true;
    r->is_at_start = GATE_NEW_ARRAY(r->arena, bool, r->tree->count);
    if (r->is_at_start == NULL)
        return gate_arena_error(r->arena, r->err);
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t parent = nodes[node].parent;
        const struct gate_frame *frame = &r->comparison->pair.frames[nodes[node].frame];
        r->is_at_start[node] =
            (parent != GATE_NO_INDEX && r->is_at_start[parent]) || gate_name_initialises(frame->name, frame->file);
        r->has_start = r->has_start || r->is_at_start[node];
    }
    return true;
}

bool gate_start_up_has(const struct gate_reading_state *r, const struct gate_hypothesis *h) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    double cost[2] = {0.0, 0.0}; /* elsewhere, at the start */
    if (!r->has_start)
        return false;
    for (uint32_t node = 1; node < r->tree->count; node++)
        if (gate_reading_is_about(h, r, nodes[node].frame))
            cost[r->is_at_start[node]] += (double)nodes[node].total[GATE_CANARY];
    return cost[1] > 0.0 && cost[1] >= AT_START_LEAST * (cost[0] + cost[1]);
}

/* Return whether a function is within its limit, or too small for it, as a share of the cost outside of start-up
 * code. */
static bool is_within_beside_start(const struct gate_reading_state *r, const struct gate_hypothesis *h) {
    double share[GATE_SIDES];
    if (h->frame == GATE_NO_INDEX || h->measure != GATE_CHARGED || h->is_new_code)
        return false;
    for (int side = 0; side < GATE_SIDES; side++) {
        double total = (double)r->comparison->pair.sides[side].total, rest = total;
        double cost = h->evidence->share[side] * total;
        for (uint32_t node = 1; node < r->tree->count; node++) {
            double here = r->is_at_start[node] ? gate_tree_own_cost(r->tree, node, side) : 0.0;
            rest -= here;
            cost -= r->folded->owner[node] == h->frame ? here : 0.0;
        }
        share[side] = rest > 0.0 ? cost / rest : 0.0;
    }
    return share[GATE_CANARY] < h->least_share ||
           gate_reading_are_shares_within(h, share[GATE_BASELINE], share[GATE_CANARY]);
}

/* Return whether growth of start-up code makes a hypothesis inconclusive. In whole runs it does so only with one run
 * per side, which does not show how much it varies. Unconfirmed growth of whole runs is already inconclusive. */
static bool is_wanted(const struct gate_hypothesis *h, const struct gate_comparison *c) {
    bool is_unconfirmed = h->outcome == GATE_OUTCOME_INCONCLUSIVE && h->reason == GATE_REASON_UNCONFIRMED;
    if (c->equal != GATE_EQUAL_RUN)
        return h->outcome == GATE_OUTCOME_FAIL || is_unconfirmed;
    return h->outcome == GATE_OUTCOME_FAIL && c->pair.sides[GATE_BASELINE].run_count == 1 &&
           c->pair.sides[GATE_CANARY].run_count == 1;
}

/* Return whether a hypothesis can be about growth of start-up code. */
static bool may_be_start(const struct gate_hypothesis *h, const struct gate_reading_state *r) {
    return r->tree != NULL && !h->is_total && gate_hypothesis_bounds_growth(h) &&
           !gate_sample_type_is_level(r->comparison->pair.type.type);
}

bool gate_start_up_is_wanted(const struct gate_hypothesis *h, const struct gate_reading_state *r) {
    return may_be_start(h, r) && is_wanted(h, r->comparison);
}

bool gate_start_up_judge(struct gate_hypothesis *h, struct gate_reading_state *r) {
    enum gate_reason reason = r->comparison->equal == GATE_EQUAL_RUN ? GATE_REASON_ONE_START : GATE_REASON_START_UP;
    if (!gate_start_up_mark(r))
        return false;
    return !(gate_start_up_has(r, h) || is_within_beside_start(r, h)) || gate_reading_open(h, r, reason);
}

/* ---- little growth ----------------------------------------------------------------------------------------------- */

/* A limit that allows growth by more points than this is not a useful bound. */
static const double POINTS_MOST = 0.10;

/* If more of the cost is beneath start-up code, that code is the program's main work. */
static const double START_MOST = 0.5;

/* Return whether start-up code, with all beneath it, is at most half of the canary. */
static bool is_start_brief(const struct gate_reading_state *r) {
    double start = 0.0;
    for (uint32_t node = 1; node < r->tree->count; node++)
        start += r->is_at_start[node] ? gate_tree_own_cost(r->tree, node, GATE_CANARY) : 0.0;
    return start <= START_MOST * (double)r->comparison->pair.sides[GATE_CANARY].total;
}

/* Return whether a limit in points that can fail holds for the same cost of the same function, and the measured growth
 * is within it, too. */
static bool holds_in_points(const struct gate_hypothesis *h, const struct gate_reading_state *r) {
    for (size_t i = 0; i < r->all->count; i++) {
        const struct gate_hypothesis *other = &r->all->items[i];
        if (other->comparison == r->index && other->frame == h->frame && other->measure == h->measure &&
            !other->is_path && other->limit->kind == GATE_LIMIT_SHARE_INCREASE && other->limit_value <= POINTS_MOST &&
            other->severity == GATE_SEVERITY_ERROR && other->outcome <= GATE_OUTCOME_PASS &&
            other->reason == GATE_REASON_WITHIN)
            return true;
    }
    return false;
}

/* Return whether growth of start-up code is too small to make the run inconclusive: it is not confirmed, over a limit
 * on a ratio, and within a limit in points. False if a look can follow, which may confirm it. */
static bool is_small(const struct gate_hypothesis *h, const struct gate_reading_state *r) {
    bool is_unconfirmed = h->outcome == GATE_OUTCOME_INCONCLUSIVE && !h->is_broken &&
                          (h->reason == GATE_REASON_UNCONFIRMED || h->reason == GATE_REASON_START_UP);
    return is_unconfirmed && !h->has_next_look && !h->is_path && h->frame != GATE_NO_INDEX &&
           gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_RATIO && holds_in_points(h, r);
}

bool gate_start_up_excuse(struct gate_hypothesis_list *list, struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    const struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    for (size_t i = 0; i < list->count; i++) {
        struct gate_hypothesis *h = &list->items[i];
        if (h->comparison != r->index || !may_be_start(h, r) || !is_small(h, r))
            continue;
        if (!gate_start_up_mark(r))
            return false;
        if (gate_start_up_has(r, h) && is_start_brief(r) &&
            !gate_reading_contradict(h, r, GATE_OUTCOME_WARN, GATE_REASON_SMALL_START, reading))
            return false;
    }
    return true;
}
