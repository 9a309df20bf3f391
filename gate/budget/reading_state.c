/* SPDX-License-Identifier: Apache-2.0 */
/* What the readings of a verdict share. */
#include "gate/budget/reading_state.h"

double gate_reading_total_at(const struct gate_reading_state *r, double ratio) {
    const struct gate_side *sides = r->comparison->pair.sides;
    return (double)sides[GATE_CANARY].total / (double)sides[GATE_BASELINE].total / ratio;
}

double gate_reading_charged_share(const struct gate_reading_state *r, uint32_t frame, int side) {
    const struct gate_comparison *c = r->comparison;
    return gate_share(c->deltas.items[frame].value[GATE_CHARGED][side], c->pair.sides[side].total);
}

bool gate_reading_factor_outside(struct gate_common_factor *out, const struct gate_reading_state *r,
                                 const uint8_t *marks) {
    *out = gate_own_growth_factor_of(&r->own, marks, false, GATE_NO_INDEX);
    return gate_own_growth_tells_work(out->count, out);
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
