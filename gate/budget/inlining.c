/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/budget/inlining.h"

#include "gate/compare/evidence.h"
#include "gate/compare/misplaced.h"
#include "gate/compare/tree.h"
#include "gate/guards/guards_frames.h"

#include <math.h>

/* Minimum fraction of a function's growth that the functions around it must have lost for inlining to explain it. */
static const double EXCHANGED_LEAST = 0.5;

/* If the work is unknown and cannot be estimated, one function must have lost the growth. This is the maximum fraction
 * of its own cost that it may have kept. */
static const double LEFT_MOST = 0.5;

/* A function was nearly always inlined in the baseline if its cost there is at most this fraction of its canary
 * cost. */
static const double HARDLY_MOST = 0.1;

/* Minimum fractions of such a function's cost: the fraction that is self cost, and the fraction without an own caller
 * on the stack. */
static const double SELF_LEAST = 0.8, ALONE_LEAST = 0.5;

/* Significance level at which growth has to be over its limit in compiled code alone. At 5%, half of the slow builds of
 * services that were profiled 8 s after their start would be inconclusive. */
static const double COMPILED_LEVEL = 0.20;

/* ---- inlined at run time ----------------------------------------------------------------------------------------- */

/* Mark the own functions around a frame: its callers, a few levels up, and its callees; with `has_siblings` also what
 * its nearest callers call. Return false if the arena is full. */
static bool mark_exchange(uint8_t *marks, const struct gate_reading_state *r, uint32_t frame, bool has_siblings) {
    const struct gate_frame *frames = r->comparison->pair.frames;
    const struct gate_tree_node *nodes = r->tree->nodes;
    uint8_t *is_nearest = GATE_NEW_ARRAY(r->arena, uint8_t, r->comparison->pair.frame_count);
    if (is_nearest == NULL)
        return false;
    is_nearest[frame] = 1;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        int level = 0;
        for (uint32_t at = nodes[node].parent; nodes[node].frame == frame && at != 0 && level < GATE_INLINED_LEVELS;
             at = nodes[at].parent)
            if (frames[nodes[at].frame].is_own) {
                marks[nodes[at].frame] = 1;
                is_nearest[nodes[at].frame] |= level++ == 0 && has_siblings;
            }
    }
    for (uint32_t node = 1; node < r->tree->count; node++)
        for (uint32_t at = nodes[node].parent; frames[nodes[node].frame].is_own && at != 0; at = nodes[at].parent)
            marks[nodes[node].frame] |= is_nearest[nodes[at].frame];
    marks[frame] = 0;
    return true;
}

/* Return the charged costs of marked functions as a share of the baseline's total, if the canary did `ratio` times the
 * baseline's work. */
static double marked_cost(const struct gate_reading_state *r, const uint8_t *marks, int side, double ratio) {
    double cost = 0.0;
    for (uint32_t i = 0; i < r->comparison->pair.frame_count; i++)
        cost += marks[i] ? gate_reading_charged_share(r, i, side) : 0.0;
    return side == GATE_CANARY ? cost * gate_reading_total_at(r, ratio) : cost;
}

/* Return the ratio of work estimated from the functions that are not marked, or 0 if there are too few of them. */
static double ratio_outside(const struct gate_reading_state *r, const uint8_t *marks) {
    struct gate_common_factor others;
    return gate_reading_factor_outside(&others, r, marks) ? exp(others.m) : 0.0;
}

/* Return whether one marked function lost most of its cost, and at least half of the growth of `frame`. Costs are
 * compared as if all functions but `frame` cost the same together. */
static bool was_exchanged_with_one(const struct gate_reading_state *r, uint32_t frame, const uint8_t *marks) {
    double before = gate_reading_charged_share(r, frame, GATE_BASELINE),
           after = gate_reading_charged_share(r, frame, GATE_CANARY);
    double total = (1.0 - before) / (1.0 - after), growth = after * total - before;
    for (uint32_t i = 0; i < r->comparison->pair.frame_count; i++) {
        double one = gate_reading_charged_share(r, i, GATE_BASELINE),
               left = gate_reading_charged_share(r, i, GATE_CANARY) * total;
        if (marks[i] && left <= LEFT_MOST * one && one - left >= EXCHANGED_LEAST * growth)
            return true;
    }
    return false;
}

/* Return whether the marked functions lost at least half of the growth of `frame`, if the canary did `ratio` times the
 * baseline's work. */
static bool was_exchanged_at(const struct gate_reading_state *r, uint32_t frame, const uint8_t *marks, double ratio) {
    double growth = gate_reading_charged_share(r, frame, GATE_CANARY) * gate_reading_total_at(r, ratio) -
                    gate_reading_charged_share(r, frame, GATE_BASELINE);
    double lost = marked_cost(r, marks, GATE_BASELINE, ratio) - marked_cost(r, marks, GATE_CANARY, ratio);
    return lost >= EXCHANGED_LEAST * growth;
}

/* Return whether the marked functions around `frame` lost at least half of its growth. Costs are compared by the known
 * work, or by the work that other functions indicate, which also includes how busy the machine was. Without either, one
 * function must have lost that much: the growth of a function lowers the shares of all others. */
static bool was_exchanged(const struct gate_reading_state *r, uint32_t frame, uint8_t *marks) {
    marks[frame] = 1;
    double outside = ratio_outside(r, marks);
    marks[frame] = 0;
    bool is_known = r->comparison->work_is_known;
    if (is_known && was_exchanged_at(r, frame, marks, r->comparison->work_ratio))
        return true;
    return outside > 0.0 ? was_exchanged_at(r, frame, marks, outside)
                         : !is_known && was_exchanged_with_one(r, frame, marks);
}

/* Return the canary's cost of a function on stacks without own code above it. */
static double cost_without_caller(const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    double cost = 0.0;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t at = nodes[node].frame == frame ? nodes[node].parent : GATE_NO_INDEX;
        while (at != 0 && at != GATE_NO_INDEX && !r->comparison->pair.frames[nodes[at].frame].is_own)
            at = nodes[at].parent;
        cost += at == 0 ? (double)nodes[node].total[GATE_CANARY] : 0.0;
    }
    return cost;
}

/* Return whether a function that the baseline hardly has may have been inlined somewhere in the baseline. After an
 * `await` the stack does not show the caller. Inlining moves the function's self cost, not the cost of its callees. */
static bool was_inlined_out_of_sight(const struct gate_reading_state *r, uint32_t frame, uint8_t *marks) {
    const struct gate_pair *pair = &r->comparison->pair;
    const struct gate_delta *delta = &r->comparison->deltas.items[frame];
    double charged = (double)delta->value[GATE_CHARGED][GATE_CANARY];
    if (gate_reading_charged_share(r, frame, GATE_BASELINE) >
            HARDLY_MOST * gate_reading_charged_share(r, frame, GATE_CANARY) ||
        (double)delta->value[GATE_SELF][GATE_CANARY] < SELF_LEAST * charged ||
        cost_without_caller(r, frame) < ALONE_LEAST * charged)
        return false;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        marks[i] = i != frame && pair->frames[i].is_own;
    return was_exchanged_with_one(r, frame, marks);
}

bool gate_reading_judge_inlined(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    enum gate_quantity quantity = gate_limit_quantity(h->limit->kind);
    if ((quantity != GATE_QUANTITY_RATIO && quantity != GATE_QUANTITY_GROWTH) || h->frame == GATE_NO_INDEX ||
        h->is_named || h->measure == GATE_CUMULATIVE || c->noise != NULL || r->tree == NULL ||
        !gate_pair_is_blind_to_inlining(&c->pair))
        return true;
    uint8_t *marks = GATE_NEW_ARRAY(r->arena, uint8_t, c->pair.frame_count);
    if (marks == NULL || !mark_exchange(marks, r, h->frame, false))
        return gate_arena_error(r->arena, r->err);
    double shares = gate_reading_total_at(r, 1.0), before = marked_cost(r, marks, GATE_BASELINE, shares);
    bool is_little = quantity == GATE_QUANTITY_RATIO && before >= h->evidence->delta &&
                     marked_cost(r, marks, GATE_CANARY, shares) <= h->limit_value * before;
    if (!is_little && !mark_exchange(marks, r, h->frame, true))
        return gate_arena_error(r->arena, r->err);
    if (!is_little && !was_exchanged(r, h->frame, marks) && !was_inlined_out_of_sight(r, h->frame, marks))
        return true;
    return gate_reading_open(h, r, GATE_REASON_INLINED);
}

bool gate_reading_judge_inlined_path(struct gate_hypothesis *h, const struct gate_reading_state *r,
                                     const uint8_t *marks, double growth, double most) {
    const struct gate_pair *pair = &r->comparison->pair;
    double sum[GATE_SIDES] = {0.0, 0.0}, factor = gate_reading_total_growth(r, false), lost = 0.0;
    uint32_t largest = GATE_NO_INDEX;
    if (pair->language != GATE_LANGUAGE_NATIVE && pair->language != GATE_LANGUAGE_RUST)
        return true;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        for (int side = 0; marks[i] && side < GATE_SIDES; side++)
            sum[side] += gate_reading_charged_share(r, i, side);
    bool is_by_shares = !r->comparison->work_is_known && sum[GATE_BASELINE] < 1.0 && sum[GATE_CANARY] < 1.0;
    double shrunk = is_by_shares ? fmin(1.0, (1.0 - sum[GATE_CANARY]) / (1.0 - sum[GATE_BASELINE])) : 1.0;
    if (!gate_reading_lost_above(&largest, &lost, r, h->frame, marks, factor / shrunk))
        return false;
    if (largest == GATE_NO_INDEX || growth - lost * shrunk > most)
        return true;
    struct gate_shift *shift = GATE_NEW_ARRAY(r->arena, struct gate_shift, 1);
    if (shift == NULL)
        return gate_arena_error(r->arena, r->err);
    *shift = (struct gate_shift){.within = GATE_NO_INDEX,
                                 .sources = {largest},
                                 .source_count = 1,
                                 .library = GATE_NO_INDEX,
                                 .beneath = marks,
                                 .moved = lost * shrunk};
    h->shift = shift;
    h->outcome = GATE_OUTCOME_INCONCLUSIVE;
    h->reason = GATE_REASON_SHIFT;
    return true;
}

/* ---- costs that may be misplaced --------------------------------------------------------------------------------- */

/* Costs that may be misplaced: of a function, and of all functions in its compiled methods and in the methods around
 * these. */
struct misplaced {
    double frame[GATE_SIDES];
    double units[GATE_SIDES];
};

/* Bits of a mark: a compiled method that the function is a part of; a method around such a method. */
enum { IS_UNIT = 1, IS_AROUND = 2 };

/* Mark methods that may be inlined into a unit in one run and not in the next, and those into which the unit may be
 * inlined. These are own callers, a few levels up, the nearest own callees, and the frames between them. */
static void mark_around(uint8_t *marks, const struct gate_reading_state *r) {
    const struct gate_frame *frames = r->comparison->pair.frames;
    const struct gate_tree_node *nodes = r->tree->nodes;
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t beneath = nodes[node].frame, at = nodes[node].parent;
        for (int level = 0; at != 0 && level < GATE_INLINED_LEVELS; at = nodes[at].parent) {
            uint32_t above = nodes[at].frame;
            if ((marks[beneath] & IS_UNIT) != 0 && frames[above].is_own)
                marks[above] |= IS_AROUND;
            if ((marks[above] & IS_UNIT) != 0 && level == 0)
                marks[beneath] |= IS_AROUND;
            level += frames[above].is_own;
        }
    }
}

static struct misplaced misplaced_of(const struct gate_reading_state *r, uint32_t frame, uint8_t *marks) {
    const struct gate_pair *pair = &r->comparison->pair;
    struct misplaced sums = {{0.0, 0.0}, {0.0, 0.0}};
    for (uint32_t i = 0; i < pair->misplaced_count; i++)
        if (pair->misplaced[i].frame == frame)
            marks[pair->misplaced[i].unit] = IS_UNIT;
    mark_around(marks, r);
    for (uint32_t i = 0; i < pair->misplaced_count; i++) {
        const struct gate_misplaced_cost *item = &pair->misplaced[i];
        /* The items of new code are in other items, too. */
        bool is_counted = item->frame != pair->frame_count && marks[item->unit] != 0;
        for (int side = 0; side < GATE_SIDES; side++) {
            sums.frame[side] += item->frame == frame ? (double)item->cost[side] : 0.0;
            sums.units[side] += is_counted ? (double)item->cost[side] : 0.0;
        }
    }
    return sums;
}

/* ---- inlined in some runs ---------------------------------------------------------------------------------------- */

/* A function counts as inlined in a run if its share there is at most INLINED_MOST of its share in another run, which
 * is SHARE_LEAST or more. The smaller share must be at most SHARE_LEAST, because a function that grew many times also
 * had a smaller share before. */
static const double INLINED_MOST = 0.1, SHARE_LEAST = 0.01;

/* INLINED_MOST for inconclusive growth with one run of JavaScript per side: V8 inlines different functions in nearly
 * every run. */
static const double INLINED_MOST_OF_OPEN = 0.3;

/* Functions that exchange their cost by inlining, judged as one. */
struct together {
    uint8_t *marks;              /* a byte per frame */
    double share[GATE_SIDES];    /* of each side */
    double variance[GATE_SIDES]; /* of these shares: from run to run, or of the samples if that is larger */
};

static double share_in_run(const struct gate_comparison *c, uint32_t frame, int side, uint32_t run) {
    uint32_t index = gate_first_run(&c->pair, (enum gate_side_name)side) + run;
    return gate_share(gate_tally_at(&c->deltas, GATE_CHARGED, index, frame)->value,
                      c->pair.sides[side].runs[run].total);
}

/* Return the largest share of a function in any run, and set `*least` to the smallest one. */
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

/* Return whether a function nearly vanishes in some run. If `is_open` (its growth is inconclusive), three tenths of its
 * largest share are enough. */
static bool is_inlined_in_some(const struct gate_comparison *c, uint32_t frame, bool is_open) {
    double least, most = share_range(&least, c, frame);
    return most >= SHARE_LEAST &&
           least <= (is_open ? INLINED_MOST_OF_OPEN * most : fmin(INLINED_MOST * most, SHARE_LEAST));
}

/* Return whether a function nearly vanishes in one run of a side and has `share` or more of another run of that side.
 * If it is missing from all runs of a side, it may just as well have grown. */
static bool flips_within_side(const struct gate_comparison *c, uint32_t frame, double share) {
    for (int side = 0; side < GATE_SIDES; side++) {
        double least = 1.0, most = 0.0;
        for (uint32_t run = 0; run < c->pair.sides[side].run_count; run++) {
            least = fmin(least, share_in_run(c, frame, side, run));
            most = fmax(most, share_in_run(c, frame, side, run));
        }
        if (most >= fmax(SHARE_LEAST, share) && least <= fmin(INLINED_MOST * most, SHARE_LEAST))
            return true;
    }
    return false;
}

/* Bits of a mark: the cost of the function is in the sum; functions inlined into it are searched for. */
enum { IS_COUNTED = 1, IS_CALLER = 2 };

/* Mark a function and, if it is inlined in some runs, its own callers, a few levels up. */
static void mark_callers(uint8_t *marks, const struct gate_reading_state *r, uint32_t frame, bool is_open) {
    const struct gate_tree_node *nodes = r->tree->nodes;
    marks[frame] = IS_COUNTED | IS_CALLER;
    if (!is_inlined_in_some(r->comparison, frame, is_open))
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

/* Mark the functions beneath the marked callers that are inlined in some runs, and the functions between, into which
 * they are inlined. Return whether `frame` is one of them, or one of them is inlined into it. */
static bool mark_inlined(uint8_t *marks, const struct gate_reading_state *r, uint32_t frame, bool is_open) {
    const struct gate_frame *frames = r->comparison->pair.frames;
    const struct gate_tree_node *nodes = r->tree->nodes;
    bool is_any = is_inlined_in_some(r->comparison, frame, is_open);
    for (uint32_t node = 1; node < r->tree->count; node++) {
        uint32_t caller = nodes[node].parent;
        if (!frames[nodes[node].frame].is_own || !is_inlined_in_some(r->comparison, nodes[node].frame, is_open))
            continue;
        int level = 0;
        while (caller != 0 && level < GATE_INLINED_LEVELS && (marks[nodes[caller].frame] & IS_CALLER) == 0) {
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

/* Return the cost of the marked functions in a run, as a share. */
static double marked_share(const struct gate_comparison *c, const uint8_t *marks, int side, uint32_t run) {
    double share = 0.0;
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        share += marks[i] != 0 ? share_in_run(c, i, side, run) : 0.0;
    return share;
}

/* Set the variance of both sides' shares, pooled from the differences between the runs of each side. */
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

/* Mark the functions that share compiled methods with `frame`, if most of its growth is at leaves that may belong to
 * them. Set `*is_any` if there are some. err: GATE_ERR_LIMIT, in `r`. */
static bool mark_misplaced(uint8_t *marks, bool *is_any, const struct gate_reading_state *r, uint32_t frame) {
    const struct gate_pair *pair = &r->comparison->pair;
    if (pair->misplaced_count == 0)
        return true;
    uint8_t *units = GATE_NEW_ARRAY(r->arena, uint8_t, pair->frame_count);
    if (units == NULL)
        return gate_arena_error(r->arena, r->err);
    struct misplaced sums = misplaced_of(r, frame, units);
    double share[GATE_SIDES], charged[GATE_SIDES];
    for (int side = 0; side < GATE_SIDES; side++) {
        share[side] = sums.frame[side] / (double)pair->sides[side].total;
        charged[side] = gate_reading_charged_share(r, frame, side);
    }
    if (share[GATE_CANARY] - share[GATE_BASELINE] < EXCHANGED_LEAST * (charged[GATE_CANARY] - charged[GATE_BASELINE]))
        return true;
    for (uint32_t i = 0; i < pair->misplaced_count; i++) {
        const struct gate_misplaced_cost *item = &pair->misplaced[i];
        if (item->frame == pair->frame_count || units[item->unit] == 0)
            continue;
        *is_any = *is_any || item->frame != frame;
        marks[item->frame] |= IS_COUNTED;
    }
    return true;
}

/* Find the functions that may have the cost of `frame`: by inlining, and if `reason` is GATE_REASON_MISPLACED also by
 * misplaced samples. Set `*is_any` if there are some. */
static bool find_together(struct together *out, bool *is_any, const struct gate_reading_state *r, uint32_t frame,
                          bool is_open, enum gate_reason reason) {
    const struct gate_comparison *c = r->comparison;
    *out = (struct together){.marks = GATE_NEW_ARRAY(r->arena, uint8_t, c->pair.frame_count)};
    if (out->marks == NULL)
        return gate_arena_error(r->arena, r->err);
    mark_callers(out->marks, r, frame, is_open);
    bool is_inlined = mark_inlined(out->marks, r, frame, is_open);
    *is_any = is_inlined && reason == GATE_REASON_INLINED_TOGETHER;
    if (reason == GATE_REASON_MISPLACED && !mark_misplaced(out->marks, is_any, r, frame))
        return false;
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            out->share[side] += out->marks[i] != 0 ? gate_reading_charged_share(r, i, side) : 0.0;
    find_variance(out, c);
    return true;
}

/* Return the growth of one function that explains the growth of these shares plus `sd`, if nothing else changed.
 * `before` is its share in the baseline. */
static double growth_by_shares(const struct together *all, double before, double sd) {
    double beside = fmax(1.0 - all->share[GATE_BASELINE], 1e-6);
    return (all->share[GATE_CANARY] - all->share[GATE_BASELINE] + sd) * (1.0 - before) / beside;
}

/* Return the growth of a share as a share of the baseline's total, if the canary did `ratio` times the baseline's
 * work. */
static double growth_at(const struct gate_reading_state *r, const double share[GATE_SIDES], double ratio) {
    return share[GATE_CANARY] * gate_reading_total_at(r, ratio) - share[GATE_BASELINE];
}

/* Return whether a function, or a path that begins with it, is within a limit if the whole growth of the group, `most`,
 * is its own. `beside` is the other growth of the path. The true cost of the function is its share in a run in which it
 * is not inlined. */
static bool is_within_together(const struct gate_hypothesis *h, const struct gate_comparison *c, double most,
                               double growth, double beside) {
    if (gate_limit_quantity(h->limit->kind) == GATE_QUANTITY_GROWTH)
        return most + beside <= h->limit_value && most <= EXCHANGED_LEAST * growth;
    double least, cost = share_range(&least, c, h->frame);
    return most < cost && cost / (cost - most) <= h->limit_value;
}

/* Return whether a function of the group that may explain the growth vanishes in some runs of a side. True if each side
 * has one run, which cannot show it. */
static bool may_flip(const struct gate_comparison *c, const uint8_t *marks, double growth) {
    if (c->pair.sides[GATE_BASELINE].run_count == 1 && c->pair.sides[GATE_CANARY].run_count == 1)
        return true;
    for (uint32_t i = 0; i < c->pair.frame_count; i++)
        if (marks[i] != 0 && flips_within_side(c, i, EXCHANGED_LEAST * growth))
            return true;
    return false;
}

/* Return whether growth is inconclusive with one run of JavaScript per side. */
static bool is_open_pair(const struct gate_hypothesis *h, const struct gate_comparison *c) {
    return h->outcome == GATE_OUTCOME_INCONCLUSIVE && gate_pair_is_blind_to_inlining(&c->pair) &&
           c->pair.language == GATE_LANGUAGE_NODE;
}

/* Judge a function together with the functions that may have its cost for `reason`. If the work is unknown and cannot
 * be estimated, misplaced samples do not excuse growth, because most of the group may have grown. */
static bool judge_together(struct gate_hypothesis *h, const struct gate_reading_state *r, enum gate_reason reason) {
    const struct gate_comparison *c = r->comparison;
    struct together all;
    struct gate_common_factor others;
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .ratio = c->work_ratio, .equal = c->equal};
    bool is_any, is_open = reason == GATE_REASON_INLINED_TOGETHER && is_open_pair(h, c);
    if (!find_together(&all, &is_any, r, h->frame, is_open, reason))
        return false;
    const double function[GATE_SIDES] = {gate_reading_charged_share(r, h->frame, GATE_BASELINE),
                                         gate_reading_charged_share(r, h->frame, GATE_CANARY)};
    bool has_work_ratio = c->work_is_known || gate_reading_factor_outside(&others, r, all.marks);
    if (!c->work_is_known)
        reading.ratio = has_work_ratio ? exp(others.m) : gate_reading_total_at(r, 1.0);
    double scale = gate_reading_total_at(r, reading.ratio);
    double sd = is_open ? 0.0 : sqrt(all.variance[GATE_BASELINE] + all.variance[GATE_CANARY] * scale * scale);
    double growth = growth_at(r, function, reading.ratio), growth_together = growth_at(r, all.share, reading.ratio);
    double beside = h->is_path ? growth_at(r, h->evidence->share, reading.ratio) - growth : 0.0;
    double most = has_work_ratio ? growth_together + sd : 0.0, least = has_work_ratio ? growth_together - sd : 0.0;
    if (!c->work_is_known) {
        most = fmax(most, growth_by_shares(&all, function[GATE_BASELINE], sd));
        least = fmax(least, growth_by_shares(&all, function[GATE_BASELINE], -sd));
    }
    bool may_be = has_work_ratio || (reason == GATE_REASON_INLINED_TOGETHER && may_flip(c, all.marks, growth));
    if (!is_any || growth <= 0.0 || !may_be)
        return true;
    memcpy(reading.whole, all.share, sizeof reading.whole);
    if (is_within_together(h, c, most, growth, fmax(beside, 0.0)))
        return gate_reading_contradict(h, r, GATE_OUTCOME_WARN, reason, reading);
    return h->outcome != GATE_OUTCOME_FAIL || least >= EXCHANGED_LEAST * growth ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, reason, reading);
}

bool gate_reading_judge_inlined_together(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    enum gate_quantity quantity = gate_limit_quantity(h->limit->kind);
    bool is_open =
        h->outcome == GATE_OUTCOME_INCONCLUSIVE; /* fails were already checked by gate_reading_judge_misplaced */
    if ((quantity != GATE_QUANTITY_RATIO && quantity != GATE_QUANTITY_GROWTH) || h->frame == GATE_NO_INDEX ||
        h->is_named || (h->is_path ? !is_open : h->measure != GATE_CHARGED) || r->comparison->noise != NULL ||
        r->tree == NULL || !gate_pair_inlines_at_run_time(&r->comparison->pair))
        return true;
    if (!judge_together(h, r, GATE_REASON_INLINED_TOGETHER))
        return false;
    return !is_open || h->is_path || h->outcome != GATE_OUTCOME_INCONCLUSIVE ||
           judge_together(h, r, GATE_REASON_MISPLACED);
}

/* ---- misplaced samples ------------------------------------------------------------------------------------------- */

bool gate_reading_judge_misplaced(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    const struct gate_side *sides = c->pair.sides;
    if (c->pair.misplaced_count == 0 || r->tree == NULL || !gate_hypothesis_bounds_growth(h) || h->is_path ||
        h->measure != GATE_CHARGED || !(h->frame != GATE_NO_INDEX || h->is_new_code))
        return true;
    uint8_t *marks = GATE_NEW_ARRAY(r->arena, uint8_t, c->pair.frame_count);
    if (marks == NULL)
        return gate_arena_error(r->arena, r->err);
    struct misplaced sums = misplaced_of(r, h->is_new_code ? c->pair.frame_count : h->frame, marks);
    struct gate_reading reading = {.frame = GATE_NO_INDEX, .equal = c->equal};
    double variance = 0.0;
    if (!gate_reading_ratio_beside(&reading.ratio, &variance, r, sums.units))
        return false;
    bool has_work_ratio = reading.ratio > 0.0;
    if (!has_work_ratio)
        reading.ratio = c->work_ratio;
    double growth = sums.frame[GATE_CANARY] / reading.ratio - sums.frame[GATE_BASELINE];
    double all = h->evidence->share[GATE_CANARY] * (double)sides[GATE_CANARY].total / reading.ratio -
                 h->evidence->share[GATE_BASELINE] * (double)sides[GATE_BASELINE].total;
    return growth < EXCHANGED_LEAST * all ||
           (has_work_ratio &&
            gate_reading_growth(r, sums.units, reading.ratio, variance, -1.0) >= EXCHANGED_LEAST * growth) ||
           gate_reading_contradict(h, r, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_MISPLACED, reading);
}

bool gate_reading_judge_inlined_names(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    return h->is_path || h->is_total || h->measure == GATE_CUMULATIVE || !gate_guards_names_are_random(&c->pair) ||
           gate_reading_open(h, r, GATE_REASON_INLINED_NAMES);
}

/* ---- interpreted methods ----------------------------------------------------------------------------------------- */

/* The part that was compiled on each side. */
struct compiled {
    double frame[GATE_SIDES]; /* part of the cost that the hypothesis is about; 1 for a total */
    double whole[GATE_SIDES];
};

static struct compiled compiled_of(const struct gate_reading_state *r, const struct gate_hypothesis *h) {
    const struct gate_pair *pair = &r->comparison->pair;
    struct compiled part = {{1.0, 1.0}, {1.0, 1.0}};
    uint32_t at = h->is_new_code ? pair->frame_count : h->frame;
    for (int side = 0; side < GATE_SIDES; side++) {
        double total = (double)pair->sides[side].total, interpreted = 0.0;
        double cost = h->is_total      ? 0.0
                      : h->is_new_code ? h->evidence->share[side] * total
                                       : (double)r->comparison->deltas.items[at].value[GATE_CHARGED][side];
        for (uint32_t i = 0; i < pair->frame_count; i++)
            interpreted += (double)pair->interpreted_cost[side][i];
        part.whole[side] = 1.0 - interpreted / total;
        if (cost > 0.0)
            part.frame[side] = fmax(0.0, 1.0 - (double)pair->interpreted_cost[side][at] / cost);
    }
    return part;
}

/* Return whether growth is not significantly over its limit in compiled code alone. */
static bool is_open_compiled(const struct gate_hypothesis *h, const struct gate_evidence *evidence,
                             const struct compiled *part) {
    struct gate_evidence left = *evidence;
    left.counts.k1 *= part->frame[GATE_BASELINE];
    left.counts.k2 *= part->frame[GATE_CANARY];
    left.counts.n1 = fmax(left.counts.n1 * part->whole[GATE_BASELINE], left.counts.k1);
    left.counts.n2 = fmax(left.counts.n2 * part->whole[GATE_CANARY], left.counts.k2);
    return gate_hypothesis_margin_log_p(h, &left) > log(COMPILED_LEVEL);
}

bool gate_reading_judge_interpreted(struct gate_hypothesis *h, const struct gate_reading_state *r) {
    const struct gate_comparison *c = r->comparison;
    bool is_charged = h->measure == GATE_CHARGED && !h->is_path && (h->frame != GATE_NO_INDEX || h->is_new_code);
    if (c->pair.interpreted_cost[GATE_CANARY] == NULL || c->noise != NULL || !gate_hypothesis_bounds_growth(h) ||
        !(is_charged || h->is_total))
        return true;
    struct compiled part = compiled_of(r, h);
    if (!(part.whole[GATE_BASELINE] > 0.0) || !(part.whole[GATE_CANARY] > 0.0))
        return true;
    double total = gate_reading_total_at(r, c->work_ratio) * part.whole[GATE_CANARY] / part.whole[GATE_BASELINE];
    bool is_open = h->is_total ? total <= h->limit_value
                               : is_open_compiled(h, h->evidence, &part) ||
                                     (c->work_is_known && h->own != NULL && is_open_compiled(h, h->own, &part));
    return !is_open || gate_reading_open(h, r, GATE_REASON_INTERPRETED);
}
