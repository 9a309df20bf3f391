/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of new code: it moved out of functions around it, or it had been inlined (docs/statistics.md). */
#include "gate/budget/new_code.h"

#include "gate/compare/frames.h"
#include "gate/compare/student.h"

#include <math.h>
#include <stdlib.h>

/* Level of each one-sided test here. */
static const double LEVEL = 0.05;

/* If, by a work ratio, the cost per unit of work changed by more than this factor, that ratio does not excuse new
 * code. */
static const double COST_CHANGE_MOST = 3.0;

/* Minimum fraction of the new code's cost that the functions around it must have lost to make it inconclusive. */
static const double AROUND_LOST = 1.0 / 3;

/* Return the cost of a frame without new code that is folded into it, as a share of the baseline's total. `ratio` is
 * the canary's work over the baseline's. */
static double unfolded_cost(const struct gate_reading_state *r, uint32_t frame, int side, double ratio) {
    const struct gate_comparison *c = r->comparison;
    double cost = gate_share(gate_delta_unfolded(&c->deltas.items[frame], side), c->pair.sides[GATE_BASELINE].total);
    return side == GATE_CANARY ? cost / ratio : cost;
}

/* Return the cost that was moved out of functions which call new ones: how much cheaper they became themselves, each at
 * most by the new code in it. Unnamed JavaScript functions of a file share one frame; some of them may have got a name,
 * so all cost that this frame lost counts. `*largest` is the frame with the largest part; GATE_NO_INDEX: nothing was
 * moved. */
static double moved_out(uint32_t *largest, const struct gate_reading_state *r, double ratio) {
    const struct gate_comparison *c = r->comparison;
    double sum = 0.0, most = 0.0;
    *largest = GATE_NO_INDEX;
    for (uint32_t i = 0; i < c->pair.frame_count; i++) {
        double fresh = gate_share(c->deltas.items[i].folded[GATE_CANARY], c->pair.sides[GATE_BASELINE].total);
        bool is_joined = gate_frame_is_unnamed(&c->pair.frames[i]);
        if (!(fresh > 0.0) && !is_joined)
            continue;
        double lost = unfolded_cost(r, i, GATE_BASELINE, ratio) - unfolded_cost(r, i, GATE_CANARY, ratio);
        double part = is_joined ? lost : fmin(lost, fresh / ratio);
        sum += fmax(part, 0.0);
        if (part > most) {
            most = part;
            *largest = i;
        }
    }
    return sum;
}

/* Return whether the growth of new code, less what was moved out of its callers, is within the limit. `*from` is the
 * caller that lost most, or GATE_NO_INDEX. */
static bool is_moved_at(uint32_t *from, const struct gate_reading_state *r, const struct gate_hypothesis *h,
                        double ratio) {
    double moved = moved_out(from, r, ratio);
    double growth =
        h->evidence->share[GATE_CANARY] * gate_reading_total_at(r, ratio) - h->evidence->share[GATE_BASELINE];
    return gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH && growth - moved <= h->limit_value;
}

/* Return whether the new code is within its limit without the cost that own functions above it, up to some levels, lost
 * together. */
static bool was_inlined(const struct gate_reading_state *r, const struct gate_hypothesis *h, bool *is_caller) {
    const struct gate_comparison *c = r->comparison;
    const struct gate_tree_node *nodes = r->tree->nodes;
    double lost = 0.0;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        int level = 0;
        if (!c->pair.frames[nodes[node].frame].is_folded)
            continue;
        for (uint32_t at = nodes[node].parent; at != 0 && level < GATE_INLINED_LEVELS; at = nodes[at].parent)
            if (gate_frame_is_charged(&c->pair.frames[nodes[at].frame])) {
                is_caller[nodes[at].frame] = true;
                level++;
            }
    }
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        if (is_caller[i])
            lost += unfolded_cost(r, i, GATE_BASELINE, c->work_ratio) - unfolded_cost(r, i, GATE_CANARY, c->work_ratio);
    double growth =
        h->evidence->share[GATE_CANARY] * gate_reading_total_at(r, c->work_ratio) - h->evidence->share[GATE_BASELINE];
    return growth - lost <= h->limit_value;
}

/* Check a fail of new code with one run per side: a run-time compiler may have inlined it into its callers before. */
static bool judge_inlined(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    if (r->tree == NULL || !gate_pair_is_blind_to_inlining(&c->pair) || c->noise != NULL ||
        gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_GROWTH)
        return true;
    bool *is_caller = GATE_NEW_ARRAY(r->arena, bool, c->pair.frame_count);
    if (is_caller == NULL)
        return gate_arena_error(r->arena, r->err);
    if (!was_inlined(r, h, is_caller))
        return true;
    return gate_reading_open(h, r, GATE_REASON_INLINED);
}

/* Minimum fraction of new code that must be charged to one function for both to be judged together. */
static const double ONE_CALLER_LEAST = 0.9;

/* Costs in shares of the baseline's total, and the variance of their growth by the samples alone. */
struct around {
    double cost[GATE_SIDES];
    double variance;
};

/* Add shares. `work` is the canary's work divided by the baseline's. */
static void around_add_shares(struct around *sum, const struct gate_reading_state *r, const double share[GATE_SIDES],
                              double work) {
    double ratio = gate_reading_total_at(r, work);
    for (int side = 0; side < GATE_SIDES; side++) {
        double of_baseline = side == GATE_CANARY ? ratio : 1.0;
        sum->cost[side] += share[side] * of_baseline;
        sum->variance += share[side] * of_baseline * of_baseline / r->comparison->pair.sides[side].events;
    }
}

/* Add the unfolded part of a function. */
static void around_add(struct around *sum, const struct gate_reading_state *r, uint32_t frame, double work) {
    const struct gate_comparison *c = r->comparison;
    double share[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++)
        share[side] = gate_share(gate_delta_unfolded(&c->deltas.items[frame], side), c->pair.sides[side].total);
    around_add_shares(sum, r, share, work);
}

static bool have_surely_lost(const struct around *lost) {
    double less = lost->cost[GATE_BASELINE] - lost->cost[GATE_CANARY];
    return less > gate_normal_z(LEVEL) * sqrt(lost->variance);
}

/* Add the functions that call new ones, and became cheaper themselves if the canary did `work` times the baseline's. */
static void around_add_callers(struct around *sum, const struct gate_reading_state *r, double work) {
    const struct gate_comparison *c = r->comparison;
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        if (c->deltas.items[i].folded[GATE_CANARY] > 0 &&
            unfolded_cost(r, i, GATE_BASELINE, work) > unfolded_cost(r, i, GATE_CANARY, work))
            around_add(sum, r, i, work);
}

static bool have_callers_lost(const struct gate_reading_state *r) {
    struct around lost = {0};
    around_add_callers(&lost, r, r->comparison->work_ratio);
    return have_surely_lost(&lost);
}

/* Return whether shares alone show that new code was moved out of its callers. Assume that all of it came on top of
 * what the program did before. What it costs beyond what the callers lost must then be significantly within the limit.
 * `*from` as in is_moved_at. */
static bool is_moved_by_shares(uint32_t *from, const struct gate_reading_state *r, const struct gate_hypothesis *h) {
    const double *share = h->evidence->share;
    double fresh = share[GATE_CANARY] - share[GATE_BASELINE];
    double work = gate_reading_total_at(r, 1.0) * (1.0 - fresh);
    struct around all = {0};
    if (r->comparison->equal != GATE_EQUAL_UNKNOWN || !(fresh > 0.0 && fresh < 1.0) || !is_moved_at(from, r, h, work))
        return false;
    around_add_shares(&all, r, share, work);
    double growth = all.cost[GATE_CANARY] - all.cost[GATE_BASELINE];
    around_add_callers(&all, r, work);
    return growth - moved_out(from, r, work) + gate_normal_z(LEVEL) * sqrt(all.variance) <= h->limit_value;
}

/* Check a fail of new code, which may be old code that was moved out of functions that both sides have. If the profiler
 * counts time without a processor, a busy machine makes all costs larger, so nothing seems to have become cheaper. Then
 * shares are used, too, but only to make the fail inconclusive. */
static bool judge_moved_out(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    double by_shares = gate_reading_total_at(r, 1.0);
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    if (is_moved_by_shares(&reading.frame, r, h))
        return gate_reading_contradict(h, r, GATE_OUTCOME_WARN, GATE_REASON_REPLACED, reading);
    bool is_moved = is_moved_at(&reading.frame, r, h, c->work_ratio);
    bool is_known = is_moved && (c->work_is_known || c->work_is_estimated) &&
                    fabs(log(gate_reading_total_at(r, c->work_ratio))) < log(COST_CHANGE_MOST);
    if (!is_moved && gate_pair_counts_preempted(&c->pair))
        is_moved = is_moved_at(&reading.frame, r, h, by_shares);
    if (!is_moved || reading.frame == GATE_NO_INDEX)
        return true;
    return gate_reading_contradict(h, r, is_known ? GATE_OUTCOME_WARN : GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_REPLACED,
                                   reading);
}

/* Mark the functions around new ones: the callers that they are folded into, and the own functions that they call. */
static void mark_around(uint8_t *marks, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    const struct gate_tree_node *nodes = r->tree->nodes;
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        marks[i] = c->deltas.items[i].folded[GATE_CANARY] > 0;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        const struct gate_frame *frame = &c->pair.frames[nodes[node].frame];
        uint32_t at = nodes[node].parent;
        while (at != 0 && !c->pair.frames[nodes[at].frame].is_own)
            at = nodes[at].parent;
        if (gate_frame_is_charged(frame) && at != 0 && c->pair.frames[nodes[at].frame].is_folded &&
            nodes[node].total[GATE_CANARY] > 0)
            marks[nodes[node].frame] = 1;
    }
}

/* Check a fail of new code. Its callers and callees may have become cheaper, so that a part of it was their cost. It
 * becomes inconclusive if the rest is not significantly over the limit. */
static bool judge_around(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    struct around all = {0}, lost = {0};
    double most = 0.0;
    if (r->tree == NULL || gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_GROWTH)
        return true;
    uint8_t *marks = GATE_NEW_ARRAY(r->arena, uint8_t, c->pair.frame_count);
    if (marks == NULL)
        return gate_arena_error(r->arena, r->err);
    mark_around(marks, r);
    around_add_shares(&all, r, h->evidence->share, c->work_ratio);
    double growth = all.cost[GATE_CANARY] - all.cost[GATE_BASELINE];
    for (uint32_t i = 0; i < c->pair.frame_count; i++) {
        double part =
            unfolded_cost(r, i, GATE_BASELINE, c->work_ratio) - unfolded_cost(r, i, GATE_CANARY, c->work_ratio);
        if (!marks[i] || !(part > 0.0))
            continue;
        around_add(&lost, r, i, c->work_ratio);
        around_add(&all, r, i, c->work_ratio);
        if (part > most) {
            most = part;
            reading.frame = i;
        }
    }
    double less = lost.cost[GATE_BASELINE] - lost.cost[GATE_CANARY], z = gate_normal_z(LEVEL);
    bool is_moved = less >= AROUND_LOST * growth && have_surely_lost(&lost);
    bool is_over = growth - less - h->limit_value > z * sqrt(all.variance);
    return !is_moved || is_over ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_REPLACED, reading);
}

bool gate_reading_is_within_at(const struct gate_reading_state *r, const struct gate_hypothesis *h, double ratio) {
    uint32_t from = GATE_NO_INDEX;
    if (h->is_new_code)
        return is_moved_at(&from, r, h, ratio);
    double one = h->own->share[GATE_BASELINE];
    double two = h->own->share[GATE_CANARY] * r->comparison->work_ratio / ratio;
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH)
        return two - one <= h->limit_value;
    return fmax(one, two) < h->least_share || (one > 0.0 && two / one <= h->limit_value);
}

bool gate_new_code_excuse(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    double by_shares = gate_reading_total_at(r, 1.0);
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    bool is_known = c->work_is_known || (c->work_is_estimated && gate_total_cost_may_be_same(&c->pair));
    bool is_excused = is_known && have_callers_lost(r) && is_moved_at(&reading.frame, r, h, c->work_ratio);
    is_excused = is_excused || is_moved_by_shares(&reading.frame, r, h);
    bool is_moved = is_excused || is_moved_at(&reading.frame, r, h, by_shares);
    if (!is_moved || reading.frame == GATE_NO_INDEX)
        return true;
    return gate_reading_contradict(h, r, is_excused ? GATE_OUTCOME_WARN : GATE_OUTCOME_INCONCLUSIVE,
                                   GATE_REASON_REPLACED, reading);
}

/* Return the own function beneath another one that lost most of what is charged to it; GATE_NO_INDEX: none lost. */
static uint32_t most_lost_beneath(const struct gate_reading_state *r, uint32_t head, double ratio) {
    uint32_t best = GATE_NO_INDEX;
    double most = 0.0;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t frame = r->tree->nodes[node].frame;
        if (frame == head || !gate_frame_is_charged(&r->comparison->pair.frames[frame]) ||
            !gate_tree_is_beneath(r->tree, node, head))
            continue;
        double lost = unfolded_cost(r, frame, GATE_BASELINE, ratio) - unfolded_cost(r, frame, GATE_CANARY, ratio);
        if (lost > most) {
            most = lost;
            best = frame;
        }
    }
    return best;
}

/* Return whether a caller is within its limit, or below min_share, if it grew by `growth`. */
static bool is_within_by(const struct gate_hypothesis *h, const double share[GATE_SIDES], double growth) {
    double canary = share[GATE_BASELINE] + fmax(growth, 0.0);
    return canary < h->least_share || gate_reading_are_shares_within(h, share[GATE_BASELINE], canary);
}

bool gate_new_code_judge_caller(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    bool is_fail = h->outcome == GATE_OUTCOME_FAIL;
    bool is_open = h->outcome == GATE_OUTCOME_INCONCLUSIVE &&
                   (h->reason == GATE_REASON_SHIFT || h->reason == GATE_REASON_UNCONFIRMED);
    if (!(is_fail || is_open) || h->is_path || h->measure != GATE_CHARGED || h->frame == GATE_NO_INDEX ||
        r->tree == NULL || !gate_hypothesis_bounds_growth(h))
        return true;
    const struct gate_delta *delta = &c->deltas.items[h->frame];
    double inside[GATE_SIDES], share[GATE_SIDES], ratio = 0.0, variance = 0.0;
    double total = (double)c->pair.sides[GATE_BASELINE].total;
    for (int side = 0; side < GATE_SIDES; side++) {
        inside[side] = (double)delta->value[GATE_CHARGED][side];
        share[side] = gate_reading_charged_share(r, h->frame, side);
    }
    if (!gate_reading_ratio_beside(&ratio, &variance, r, inside))
        return false;
    if (!(ratio > 0.0))
        return true;
    double old = unfolded_cost(r, h->frame, GATE_CANARY, ratio) - unfolded_cost(r, h->frame, GATE_BASELINE, ratio);
    double fresh = ((double)delta->folded[GATE_CANARY] / ratio - (double)delta->folded[GATE_BASELINE]) / total;
    if (fresh <= 0.0 || !is_within_by(h, share, old))
        return true;
    struct gate_evidence_options options = {.noise = c->noise, .work_ratio = ratio};
    if (!gate_evidence_prior(&options, &c->pair, &c->deltas, r->arena, r->err))
        return false;
    /* Bounds by the caller's samples, and by its run-to-run variation. The second cannot represent costs above the
     * baseline's total. */
    const int64_t *value = delta->value[GATE_CUMULATIVE];
    const double whole[GATE_SIDES] = {(double)value[GATE_BASELINE], (double)value[GATE_CANARY]};
    double growth = gate_reading_growth(r, whole, ratio, variance, 0.0) / total;
    double most = gate_reading_growth(r, whole, ratio, variance, gate_normal_z(LEVEL)) / total;
    struct gate_evidence e =
        gate_evidence_of(&c->pair, &c->deltas, h->frame, GATE_CUMULATIVE, c->pair.frames[h->frame].name, &options);
    bool is_sure = is_within_by(h, share, fmax(most, gate_evidence_upper(&e, LEVEL)));
    struct gate_reading reading = {
        .frame = most_lost_beneath(r, h->frame, ratio), .ratio = ratio, .equal = c->equal, .is_moved_out = true};
    return reading.frame == GATE_NO_INDEX || !(is_sure || (is_fail && is_within_by(h, share, growth))) ||
           gate_reading_contradict(h, r, is_sure ? GATE_OUTCOME_WARN : GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_REPLACED,
                                   reading);
}

/* Return the function that is charged with nearly all new code, or GATE_NO_INDEX. */
static uint32_t only_caller(const struct gate_comparison *c) {
    uint32_t best = GATE_NO_INDEX;
    double most = 0.0, all = 0.0;
    for (uint32_t i = 0; i < c->pair.frame_count; i++) {
        double folded = (double)c->deltas.items[i].folded[GATE_CANARY];
        all += folded;
        if (folded > most) {
            most = folded;
            best = i;
        }
    }
    return most >= ONE_CALLER_LEAST * all ? best : GATE_NO_INDEX;
}

/* Check a fail of new code that is charged to one function. The function was judged together with the new code, by a
 * limit that is not higher. If its growth is not confirmed, that of the new code is not, either. */
static bool judge_one_caller(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    struct gate_reading reading = {.frame = only_caller(r->comparison),
                                   .ratio = r->comparison->work_ratio,
                                   .equal = r->comparison->equal,
                                   .is_of_one_caller = true};
    if (reading.frame == GATE_NO_INDEX || gate_limit_quantity(h->limit->kind) != GATE_QUANTITY_GROWTH)
        return true;
    for (size_t i = 0; i < r->all->count; i++) {
        const struct gate_hypothesis *of = &r->all->items[i];
        if (of->comparison == r->index && of->frame == reading.frame && of->measure == GATE_CHARGED && !of->is_path &&
            gate_limit_quantity(of->limit->kind) == GATE_QUANTITY_GROWTH && of->limit_value <= h->limit_value &&
            of->outcome == GATE_OUTCOME_INCONCLUSIVE && of->reason == GATE_REASON_UNCONFIRMED)
            return gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_REPLACED, reading);
    }
    return true;
}

bool gate_new_code_judge(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    return judge_moved_out(h, r) && (h->outcome != GATE_OUTCOME_FAIL || judge_one_caller(h, r)) &&
           (h->outcome != GATE_OUTCOME_FAIL || judge_around(h, r)) &&
           (h->outcome != GATE_OUTCOME_FAIL || judge_inlined(h, r));
}

/* ---- functions that are gone ------------------------------------------------------------------------------------- */

/* What is charged to a function of one side alone beneath a caller that both sides have, as a share of each side. */
struct beneath {
    uint32_t frame, owner;
    double share[GATE_SIDES];
};

/* What is gone and what is new beneath callers, for the budget that was asked last. */
struct gate_new_code_callers {
    struct beneath *items; /* by frame, then by caller; each once */
    uint32_t count;
    uint32_t budget;             /* of which `share` is; GATE_NO_INDEX: none yet */
    uint8_t *is_judged;          /* per frame: the budget judges it by itself */
    double (*share)[GATE_SIDES]; /* per caller: what is gone; what is new and not judged by the budget */
};

static int beneath_compare(const void *left, const void *right) {
    const struct beneath *a = left, *b = right;
    if (a->frame != b->frame)
        return a->frame < b->frame ? -1 : 1;
    return (a->owner > b->owner) - (a->owner < b->owner);
}

static struct gate_new_code_callers *callers_make(const struct gate_reading_state *r) {
    const struct gate_pair *pair = &r->comparison->pair;
    struct gate_new_code_callers *out = GATE_NEW_ARRAY(r->arena, struct gate_new_code_callers, 1);
    struct beneath *items = GATE_NEW_ARRAY(r->arena, struct beneath, r->tree->count);
    uint8_t *is_judged = GATE_NEW_ARRAY(r->arena, uint8_t, pair->frame_count);
    double(*share)[GATE_SIDES] = gate_arena_alloc(r->arena, pair->frame_count * sizeof *share);
    uint32_t found = 0, kept = 0;
    if (out == NULL || items == NULL || is_judged == NULL || share == NULL)
        return NULL;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        const uint32_t frame = r->folded->charged[node], owner = r->folded->owner[node];
        if (frame == GATE_NO_INDEX || owner == GATE_NO_INDEX || !pair->frames[frame].is_folded)
            continue;
        items[found] = (struct beneath){.frame = frame, .owner = owner};
        for (int side = 0; side < GATE_SIDES; side++)
            items[found].share[side] =
                gate_tree_own_cost(r->tree, node, side) / fmax((double)pair->sides[side].total, 1.0);
        found++;
    }
    qsort(items, found, sizeof *items, beneath_compare);
    for (uint32_t i = 0; i < found; i++) {
        if (kept == 0 || beneath_compare(&items[kept - 1], &items[i]) != 0) {
            items[kept++] = items[i];
            continue;
        }
        for (int side = 0; side < GATE_SIDES; side++)
            items[kept - 1].share[side] += items[i].share[side];
    }
    *out = (struct gate_new_code_callers){
        .items = items, .count = kept, .budget = GATE_NO_INDEX, .is_judged = is_judged, .share = share};
    return out;
}

/* Add up what is gone and what is new beneath each caller, for one budget. */
static void callers_sum(struct gate_new_code_callers *callers, const struct gate_reading_state *r, uint32_t budget) {
    const struct gate_pair *pair = &r->comparison->pair;
    memset(callers->is_judged, 0, pair->frame_count);
    memset(callers->share, 0, pair->frame_count * sizeof *callers->share);
    for (size_t i = 0; i < r->all->count; i++) {
        const struct gate_hypothesis *of = &r->all->items[i];
        if (of->comparison == r->index && of->budget == budget && of->frame != GATE_NO_INDEX)
            callers->is_judged[of->frame] = 1;
    }
    for (uint32_t i = 0; i < callers->count; i++) {
        const struct beneath *item = &callers->items[i];
        callers->share[item->owner][GATE_BASELINE] += item->share[GATE_BASELINE];
        if (!callers->is_judged[item->frame])
            callers->share[item->owner][GATE_CANARY] += item->share[GATE_CANARY];
    }
    callers->budget = budget;
}

/* Return the first item of a frame. */
static uint32_t first_of(const struct gate_new_code_callers *callers, uint32_t frame) {
    uint32_t low = 0, high = callers->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (callers->items[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Return whether what is new costs more than what is gone, by more than samples vary. `total`: the canary's cost
 * divided by the baseline's, for the same work, or 1. */
static bool has_surely_grown(const struct gate_reading_state *r, const double share[GATE_SIDES], double total) {
    const struct gate_side *sides = r->comparison->pair.sides;
    const double fresh = share[GATE_CANARY] * total;
    const double variance = share[GATE_BASELINE] / fmax(sides[GATE_BASELINE].events, 1.0) +
                            fresh * total / fmax(sides[GATE_CANARY].events, 1.0);
    return fresh - share[GATE_BASELINE] > gate_normal_z(LEVEL) * sqrt(variance);
}

bool gate_new_code_judge_gone(struct gate_hypothesis *h, struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    const double total = h->is_cost && c->work_is_known ? gate_reading_total_at(r, c->work_ratio) : 1.0;
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    if (h->evidence->share[GATE_BASELINE] < GATE_REPLACED_MIN_SHARE)
        return true;
    if (r->callers == NULL)
        r->callers = callers_make(r);
    if (r->callers == NULL)
        return gate_arena_error(r->arena, r->err);
    if (r->callers->budget != h->budget)
        callers_sum(r->callers, r, h->budget);
    for (uint32_t i = first_of(r->callers, h->frame); i < r->callers->count && r->callers->items[i].frame == h->frame;
         i++)
        for (int side = 0; side < GATE_SIDES; side++)
            reading.whole[side] += r->callers->share[r->callers->items[i].owner][side];
    return gate_reading_are_shares_within(h, reading.whole[GATE_BASELINE], reading.whole[GATE_CANARY] * total) ||
           !has_surely_grown(r, reading.whole, total) ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_GONE, reading);
}

/* ---- code without a function name -------------------------------------------------------------------------------- */

/* Minimum cost that is gone from the baseline, as a part of new code without a function name. */
static const double NAMELESS_GONE = 0.5;

/* Return the share of the own functions without a name that only the canary has. The frame `one_sided` has only the
 * part without an own caller on both sides. */
static double nameless_of(const struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_pair *pair = &r->comparison->pair;
    double sum = 0.0;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const int64_t *folded = r->comparison->deltas.items[i].folded;
        if (pair->frames[i].is_folded && gate_unsymbolised_is_frame(pair, &pair->frames[i]))
            sum += gate_reading_charged_share(r, i, GATE_CANARY);
        if (!h->is_new_code && i != pair->one_sided)
            sum -= gate_share(folded[GATE_CANARY], pair->sides[GATE_CANARY].total);
    }
    return sum;
}

/* Return the share of the own functions that the baseline lost, less that of those which only the canary has. */
static double lost_by_name(const struct gate_reading_state *r) {
    const struct gate_pair *pair = &r->comparison->pair;
    double sum = 0.0;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        if (pair->frames[i].is_folded)
            sum += gate_reading_charged_share(r, i, GATE_BASELINE) - gate_reading_charged_share(r, i, GATE_CANARY);
    return fmax(0.0, sum);
}

bool gate_new_code_judge_nameless(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_pair *pair = &r->comparison->pair;
    const double *share = h->evidence->share;
    bool is_sum = h->is_new_code || (h->frame != GATE_NO_INDEX && h->frame == pair->one_sided);
    bool is_frame = !is_sum && h->frame != GATE_NO_INDEX && h->measure == GATE_CHARGED && !h->is_path &&
                    gate_unsymbolised_is_frame(pair, &pair->frames[h->frame]);
    if (!(is_sum || is_frame) || !gate_hypothesis_bounds_growth(h))
        return true;
    double lost = is_frame ? lost_by_name(r) : 0.0, nameless = is_sum ? nameless_of(h, r) : 0.0;
    double rest = fmax(0.0, share[GATE_CANARY] - nameless);
    bool may_be_old = is_frame ? lost > 0.0 : nameless > 0.0 && share[GATE_BASELINE] >= NAMELESS_GONE * nameless;
    return !may_be_old || !gate_reading_are_shares_within(h, share[GATE_BASELINE] + lost, rest) ||
           gate_reading_open(h, r, GATE_REASON_NAMELESS);
}
