/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/reading_state.h"

#include "gate/compare/cost.h"

#include <math.h>

/* Minimum samples of unrelated code for an estimate of the work from it: 1 / (1 / baseline + 1 / canary). */
static const double BESIDE_LEAST = 5.0;

double gate_reading_total_at(const struct gate_reading_state *r, double ratio) {
    const struct gate_side *sides = r->comparison->pair.sides;
    return (double)sides[GATE_CANARY].total / (double)sides[GATE_BASELINE].total / ratio;
}

double gate_reading_total_growth(const struct gate_reading_state *r, bool is_bound) {
    const struct gate_comparison *c = r->comparison;
    struct gate_total_cost total;
    if (!c->work_is_known)
        return 1.0;
    bool has_bound = is_bound && gate_total_cost_measure(&total, &c->pair, c->equal, c->work_in_force);
    return has_bound ? total.ratio_bounds[0] : gate_reading_total_at(r, c->work_ratio);
}

bool gate_reading_are_shares_within(const struct gate_hypothesis *h, double baseline, double canary) {
    return gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH ? canary - baseline <= h->limit_value
                                                                       : canary <= h->limit_value * baseline;
}

bool gate_reading_is_about(const struct gate_hypothesis *h, const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_pair *pair = &r->comparison->pair;
    bool is_new_code = h->is_new_code || (h->frame != GATE_NO_INDEX && h->frame == pair->one_sided);
    return is_new_code ? pair->frames[frame].is_folded : frame == h->frame;
}

double gate_reading_charged_share(const struct gate_reading_state *r, uint32_t frame, int side) {
    const struct gate_comparison *c = r->comparison;
    return gate_share(c->deltas.items[frame].value[GATE_CHARGED][side], c->pair.sides[side].total);
}

void gate_reading_mark_above(uint8_t *is_above, const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    for (uint32_t node = 1; node < r->tree->count; node++)
        for (uint32_t at = nodes[node].parent; nodes[node].frame == frame && at != 0 && at != GATE_NO_INDEX;
             at = nodes[at].parent)
            is_above[nodes[at].frame] = 1;
}

bool gate_reading_lost_above(uint32_t *largest, double *lost, const struct gate_reading_state *r, uint32_t head,
                             const uint8_t *marks, double factor) {
    const struct gate_pair *pair = &r->comparison->pair;
    uint8_t *is_above = GATE_NEW_ARRAY(r->arena, uint8_t, pair->frame_count);
    double most = 0.0;
    *lost = 0.0;
    *largest = GATE_NO_INDEX;
    if (is_above == NULL)
        return gate_arena_error(r->arena, r->err);
    gate_reading_mark_above(is_above, r, head);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        double one =
            gate_reading_charged_share(r, i, GATE_BASELINE) - gate_reading_charged_share(r, i, GATE_CANARY) * factor;
        if (!is_above[i] || marks[i] || !pair->frames[i].is_own || !(one > 0.0))
            continue;
        *lost += one;
        *largest = one > most ? i : *largest;
        most = fmax(most, one);
    }
    return true;
}

double gate_reading_lost_by_unnamed(uint32_t *largest, const struct gate_reading_state *r, double total) {
    double sum = 0.0, most = 0.0;
    for (uint32_t i = 0; i < r->comparison->pair.frame_count; i++) {
        double less =
            gate_reading_charged_share(r, i, GATE_BASELINE) - total * gate_reading_charged_share(r, i, GATE_CANARY);
        if (!gate_frame_is_unnamed(&r->comparison->pair.frames[i]) || !(less > 0.0))
            continue;
        sum += less;
        if (less > most) {
            most = less;
            *largest = i;
        }
    }
    return sum;
}

bool gate_reading_factor_outside(struct gate_common_factor *out, const struct gate_reading_state *r,
                                 const uint8_t *marks) {
    *out = gate_own_growth_factor_of(&r->own, marks, false, GATE_NO_INDEX);
    return gate_own_growth_estimates_work(out->count, out);
}

/* Return the effective samples of a part of a side's cost, at least one. */
static double samples_of(const struct gate_side *side, double cost) {
    return fmax(cost / (double)side->total * side->events, 1.0);
}

bool gate_reading_ratio_beside(double *ratio, double *variance, const struct gate_reading_state *r,
                               const double inside[GATE_SIDES]) {
    const struct gate_comparison *c = r->comparison;
    struct gate_estimated_work estimate = {.ratio = c->work_ratio};
    double beside[GATE_SIDES];
    *variance = 0.0;
    if (!c->work_is_known && !gate_own_growth_work_ratio(&estimate, &c->pair, &c->deltas, r->arena, r->err))
        return false;
    *ratio = estimate.ratio;
    if (c->work_is_known || estimate.is_estimate)
        return true;
    for (int side = 0; side < GATE_SIDES; side++) {
        beside[side] = (double)c->pair.sides[side].total - inside[side];
        *variance += 1.0 / samples_of(&c->pair.sides[side], beside[side]);
    }
    *ratio = *variance <= 1.0 / BESIDE_LEAST ? beside[GATE_CANARY] / beside[GATE_BASELINE] : 0.0;
    return true;
}

double gate_reading_growth(const struct gate_reading_state *r, const double part[GATE_SIDES], double ratio,
                           double variance, double z) {
    const struct gate_side *sides = r->comparison->pair.sides;
    double one = part[GATE_BASELINE], two = part[GATE_CANARY] / ratio;
    variance = two * two * (variance + 1.0 / samples_of(&sides[GATE_CANARY], part[GATE_CANARY])) +
               one * one / samples_of(&sides[GATE_BASELINE], one);
    return two - one + z * sqrt(variance);
}

bool gate_reading_contradict(struct gate_hypothesis *h, const struct gate_reading_state *r, enum gate_outcome outcome,
                             enum gate_reason reason, struct gate_reading reading) {
    struct gate_reading *kept = GATE_NEW_ARRAY(r->arena, struct gate_reading, 1);
    if (kept == NULL)
        return gate_arena_error(r->arena, r->err);
    reading.total = gate_reading_total_at(r, reading.ratio);
    *kept = reading;
    h->reading = kept;
    h->outcome = outcome;
    h->reason = reason;
    return true;
}

bool gate_reading_open(struct gate_hypothesis *h, const struct gate_reading_state *r, enum gate_reason reason) {
    const struct gate_comparison *c = r->comparison;
    const struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    return gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, reason, reading);
}
