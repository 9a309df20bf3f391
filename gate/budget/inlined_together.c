/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of growth in a function that a compiler at run time inlines in some runs only. */
#include "gate/budget/inlined_together.h"

#include "gate/compare/evidence.h"
#include "gate/compare/tree.h"

#include <math.h>

/* A function is inlined in a run in which it has at most INLINED_MOST of its share in another run, which is at least
 * SHARE_LEAST. */
static const double INLINED_MOST = 0.1, SHARE_LEAST = 0.01;

/* The part of what a function won that those around it have to win, too, for a fail. */
static const double WON_LEAST = 0.5;

/* Functions that exchange their cost by inlining, as one. */
struct together {
    uint8_t *marks;              /* a byte per frame */
    double share[GATE_SIDES];    /* of each side */
    double variance[GATE_SIDES]; /* of these shares: from run to run, or of the samples if that is more */
};

static double share_in_run(const struct gate_comparison *c, uint32_t frame, int side, uint32_t run) {
    uint32_t index = gate_first_run(&c->pair, (enum gate_side_name)side) + run;
    return gate_share(gate_tally_at(&c->deltas, GATE_CHARGED, index, frame)->value,
                      c->pair.sides[side].runs[run].total);
}

/* Return the largest share of a function in a run, and set the smallest one. */
static double share_range(double *least, const struct gate_comparison *c, uint32_t frame) {
    double most = 0.0;
    *least = 1.0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t run = 0; run < c->pair.sides[side].run_count; run++) {
            double share = share_in_run(c, frame, side, run);
            *least = fmin(*least, share);
            most = fmax(most, share);
        }
    return most;
}

/* Return whether a function nearly vanishes in some run. */
static bool is_inlined_in_some(const struct gate_comparison *c, uint32_t frame) {
    double least, most = share_range(&least, c, frame);
    return most >= SHARE_LEAST && least <= INLINED_MOST * most;
}

/* Bits of a mark. */
enum { IS_COUNTED = 1, IS_CALLER = 2 };

/* Mark a function and, if it is inlined in some runs, its own callers, a few levels up. */
static void mark_callers(uint8_t *marks, const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    marks[frame] = IS_COUNTED | IS_CALLER;
    if (!is_inlined_in_some(r->comparison, frame))
        return;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t at = nodes[node].frame == frame ? nodes[node].parent : GATE_NO_INDEX;
        for (int level = 0; at != 0 && at != GATE_NO_INDEX && level < GATE_INLINED_LEVELS; at = nodes[at].parent) {
            bool is_own = r->comparison->pair.frames[nodes[at].frame].is_own;
            marks[nodes[at].frame] |= is_own ? IS_COUNTED | IS_CALLER : 0;
            level += is_own;
        }
    }
}

/* Mark the functions beneath these that are inlined in some runs, and what is between, which they are inlined into.
 * Return whether `frame`, or what is inlined into it, is one of them. */
static bool mark_inlined(uint8_t *marks, const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_frame *frames = r->comparison->pair.frames;
    const struct gate_tree_node *nodes = r->tree->nodes;
    bool is_any = is_inlined_in_some(r->comparison, frame);
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t caller = nodes[node].parent;
        if (!frames[nodes[node].frame].is_own || !is_inlined_in_some(r->comparison, nodes[node].frame))
            continue;
        int level = 0;
        while (caller != 0 && caller != GATE_NO_INDEX && level < GATE_INLINED_LEVELS &&
               (marks[nodes[caller].frame] & IS_CALLER) == 0) {
            level += frames[nodes[caller].frame].is_own;
            caller = nodes[caller].parent;
        }
        if (caller == 0 || caller == GATE_NO_INDEX || (marks[nodes[caller].frame] & IS_CALLER) == 0)
            continue;
        for (uint32_t at = node; at != caller; at = nodes[at].parent)
            marks[nodes[at].frame] |= frames[nodes[at].frame].is_own ? IS_COUNTED : 0;
        is_any = is_any || nodes[caller].frame == frame;
    }
    return is_any;
}

/* Return what the marked functions cost in a run, as a share. */
static double marked_share(const struct gate_comparison *c, const uint8_t *marks, int side, uint32_t run) {
    double share = 0.0;
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        share += marks[i] != 0 ? share_in_run(c, i, side, run) : 0.0;
    return share;
}

/* Set the variance of both sides' shares: from the differences of their runs, taken together. */
static void find_variance(struct together *out, const struct gate_comparison *c) {
    double squares = 0.0, df = 0.0;
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *from = &c->pair.sides[side];
        double mean = 0.0;
        for (uint32_t run = 0; run < from->run_count; run++)
            mean += marked_share(c, out->marks, side, run) / from->run_count;
        for (uint32_t run = 0; run < from->run_count; run++)
            squares += pow(marked_share(c, out->marks, side, run) - mean, 2.0);
        df += from->run_count - 1.0;
    }
    for (int side = 0; side < GATE_SIDES; side++) {
        const struct gate_side *from = &c->pair.sides[side];
        double pq = out->share[side] * (1.0 - out->share[side]), of_samples = pq / fmax(from->events, 1.0);
        double of_runs = df > 0.0 ? squares / df / from->run_count : pq * GATE_ASSUMED_RHO_CHARGED + of_samples;
        out->variance[side] = fmax(of_samples, of_runs);
    }
}

static bool find_together(struct together *out, bool *is_any, const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_comparison *c = r->comparison;
    *out = (struct together){.marks = GATE_NEW_ARRAY(r->arena, uint8_t, c->pair.frame_count)};
    if (out->marks == NULL)
        return gate_arena_error(r->arena, r->err);
    mark_callers(out->marks, r, frame);
    *is_any = mark_inlined(out->marks, r, frame);
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            out->share[side] += out->marks[i] != 0 ? gate_reading_charged_share(r, i, side) : 0.0;
    find_variance(out, c);
    return true;
}

/* Return how much one function grew if nothing else changed, by the growth of these shares plus `sd`. `before`: its
 * share in the baseline. */
static double won_by_shares(const struct together *all, double before, double sd) {
    double beside = fmax(1.0 - all->share[GATE_BASELINE], 1e-6);
    return (all->share[GATE_CANARY] - all->share[GATE_BASELINE] + sd) * (1.0 - before) / beside;
}

/* Return what a share won at a ratio of work, as a share of the baseline's total. */
static double won_at(const struct gate_reading_state *r, const double share[GATE_SIDES], double ratio) {
    return share[GATE_CANARY] * gate_reading_total_at(r, ratio) - share[GATE_BASELINE];
}

/* Return whether a function is within a limit if all that these functions won together, `most`, is its own. What it
 * costs shows in a run in which it is not inlined. */
static bool is_within(const struct gate_hypothesis *h, const struct gate_comparison *c, double most, double won) {
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH)
        return most <= h->limit_value && most <= WON_LEAST * won;
    double least, cost = share_range(&least, c, h->frame);
    return most < cost && cost / (cost - most) <= h->limit_value;
}

bool gate_reading_judge_inlined_together(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    enum gate_quantity quantity = gate_limit_quantity(h->limit->kind);
    if ((quantity != GATE_QUANTITY_RATIO && quantity != GATE_QUANTITY_GROWTH) || h->frame == GATE_NO_INDEX ||
        h->is_named || h->is_path || h->measure != GATE_CHARGED || c->noise != NULL || r->tree == NULL ||
        !gate_pair_inlines_at_run_time(&c->pair))
        return true;
    struct together all;
    struct gate_common_factor others;
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    bool is_any;
    if (!find_together(&all, &is_any, r, h->frame))
        return false;
    const double function[GATE_SIDES] = {gate_reading_charged_share(r, h->frame, GATE_BASELINE),
                                         gate_reading_charged_share(r, h->frame, GATE_CANARY)};
    bool is_told = c->work_is_known || gate_reading_factor_outside(&others, r, all.marks);
    if (!c->work_is_known)
        reading.ratio = is_told ? exp(others.m) : gate_reading_total_at(r, 1.0);
    double scale = gate_reading_total_at(r, reading.ratio);
    double sd = sqrt(all.variance[GATE_BASELINE] + all.variance[GATE_CANARY] * scale * scale);
    double won = won_at(r, function, reading.ratio), won_together = won_at(r, all.share, reading.ratio);
    double most = is_told ? won_together + sd : 0.0, least = is_told ? won_together - sd : 0.0;
    if (!c->work_is_known) {
        most = fmax(most, won_by_shares(&all, function[GATE_BASELINE], sd));
        least = fmax(least, won_by_shares(&all, function[GATE_BASELINE], -sd));
    }
    if (!is_any || won <= 0.0)
        return true;
    memcpy(reading.whole, all.share, sizeof reading.whole);
    if (is_within(h, c, most, won))
        return gate_reading_contradict(h, r, GATE_OUTCOME_WARN, GATE_REASON_INLINED_TOGETHER, reading);
    return h->outcome != GATE_OUTCOME_FAIL || least >= WON_LEAST * won ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_INLINED_TOGETHER, reading);
}
