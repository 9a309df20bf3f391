/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/cut_stacks.h"

#include "gate/compare/walk.h"
#include "gate/guards/guards_frames.h"

/* Find the stacks that the profilers of both sides cut off, once. */
static bool find_cut(struct gate_reading_state *r) {
    const struct gate_pair *pair = &r->comparison->pair;
    const uint32_t runs = pair->sides[GATE_BASELINE].run_count;
    struct gate_reading_cut *cut = GATE_NEW_ARRAY(r->arena, struct gate_reading_cut, 1);
    if (cut == NULL)
        return gate_arena_error(r->arena, r->err);
    /* All runs of the canary share the last one, which is not used. */
    cut->runs = GATE_NEW_ARRAY(r->arena, struct gate_cut_stacks, runs + 1u);
    cut->frames = GATE_NEW_ARRAY(r->arena, uint32_t, pair->max_frames + 1u);
    if (cut->runs == NULL || cut->frames == NULL)
        return gate_arena_error(r->arena, r->err);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t run = 0; run < pair->sides[side].run_count; run++) {
            double share = 0.0;
            uint32_t depth = 0;
            if (!gate_guards_frames_find_cut(&cut->runs[side == GATE_BASELINE ? run : runs], &share, &depth, pair,
                                             &pair->sides[side].runs[run], r->arena, r->err))
                return false;
            cut->share[side] += share / pair->sides[side].run_count;
        }
    r->cut = cut;
    return true;
}

/* Return the baseline's share of cut stacks without `frame`, which may have been cut off. */
static double cut_without(const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_side *from = &r->comparison->pair.sides[GATE_BASELINE];
    double sum = 0.0;
    for (uint32_t i = 0; i < from->run_count; i++) {
        const struct gate_run *run = &from->runs[i];
        struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
        struct gate_stack stack;
        double missing = 0.0;
        while (r->cut->runs[i].found != NULL && gate_stacks_next(&stack, &walk)) {
            bool has_frame = !gate_cut_stacks_has(&r->cut->runs[i], stack.ref);
            for (uint32_t left = has_frame ? 0 : gate_walk_frames(run, &stack, r->cut->frames); left > 0; left--)
                has_frame = has_frame || r->cut->frames[left - 1] == frame;
            missing += has_frame ? 0.0 : (double)stack.value;
        }
        sum += run->stacks.total > 0 ? missing / (double)run->stacks.total / from->run_count : 0.0;
    }
    return sum;
}

bool gate_reading_judge_cut(struct gate_hypothesis *h, struct gate_reading_state *r) {
    const double *share = h->evidence->share;
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .equal = r->comparison->equal};
    if (h->measure != GATE_CUMULATIVE || h->frame == GATE_NO_INDEX || !gate_hypothesis_bounds_growth(h))
        return true;
    if (r->cut == NULL && !find_cut(r))
        return false;
    memcpy(reading.whole, r->cut->share, sizeof reading.whole);
    /* Walk the stacks only if all cut stacks together would be enough. */
    if (!(reading.whole[GATE_BASELINE] > 0.0) ||
        !gate_reading_are_shares_within(h, share[GATE_BASELINE] + reading.whole[GATE_BASELINE], share[GATE_CANARY]) ||
        !gate_reading_are_shares_within(h, share[GATE_BASELINE] + cut_without(r, h->frame), share[GATE_CANARY]))
        return true;
    return gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_CUT_STACKS, reading);
}
