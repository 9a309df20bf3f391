/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/own_growth.h"

#include "gate/compare/evidence.h"
#include "gate/compare/noise.h"

#include <math.h>

/* Minimum samples of a function on each side to be used for an estimate of the work. */
static const double WITNESS_COUNTS = 10.0;

/* Minimum number of functions for an estimate of the work that makes a verdict undecided, and for one that excuses
 * growth. */
enum { WITNESSES_LEAST = 3, WITNESSES_TO_EXCUSE = 5 };

/* Maximum fraction of the functions that are left out because they do not fit the common factor. */
static const double ODD_MOST = 0.4;

/* Minimum weight of the common factor for an estimate of the work: a standard deviation of 0.35. */
static const double WEIGHT_LEAST = 8.0;

/* Variance of the logarithm of a run's total beyond its samples, and z of a one-sided 95% bound. */
static const double RUN_VARIANCE = 0.01;
static const double Z_95 = 1.6448536269514722;

double gate_chi_square_95(double df) {
    double part = 2.0 / (9.0 * df);
    return df * pow(1.0 - part + Z_95 * sqrt(part), 3.0);
}

static bool is_own(const struct gate_pair *pair, uint32_t frame) {
    const struct gate_frame *of = &pair->frames[frame];
    return !of->is_folded && (pair->has_no_own ? !of->is_runtime : of->is_own);
}

/* Set `x` and `v` of an item from its counts and the value of a sample on each side. */
static void item_fill(struct gate_own_growth_item *item, const struct gate_pair *pair) {
    const double *k = item->counts, *event = item->event;
    double runs = 0.0, all = 0.0;
    double rho = gate_evidence_rho_of_interpreted(pair, GATE_ASSUMED_RHO_CHARGED, GATE_ASSUMED_RHO_WIDE);
    for (int side = 0; side < GATE_SIDES; side++) {
        runs += 1.0 / pair->sides[side].run_count;
        all += pair->sides[side].events;
    }
    double share = fmin((k[GATE_BASELINE] + k[GATE_CANARY]) / all, 1.0);
    item->x = log((k[GATE_CANARY] + 0.5) * event[GATE_CANARY]) - log((k[GATE_BASELINE] + 0.5) * event[GATE_BASELINE]);
    item->v = 1.0 / (k[GATE_BASELINE] + 0.5) + 1.0 / (k[GATE_CANARY] + 0.5) + runs * rho * (1.0 - share) / share;
}

bool gate_own_growth_collect(struct gate_own_growth *out, const struct gate_pair *pair,
                             const struct gate_delta_list *deltas, double counts, double each, bool is_folded,
                             struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_own_growth){GATE_NEW_ARRAY(arena, struct gate_own_growth_item, deltas->count), 0};
    if (out->items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t frame = 0; frame < deltas->count; frame++) {
        struct gate_own_growth_item item = {.frame = frame};
        bool is_counted = is_own(pair, frame);
        for (int side = 0; is_counted && side < GATE_SIDES; side++) {
            struct gate_effective sums;
            is_counted = gate_effective_of(&sums, pair, deltas, frame, GATE_CHARGED, (enum gate_side_name)side);
            item.counts[side] = sums.n * sums.share;
            if (!is_folded)
                item.counts[side] *= gate_share(gate_delta_unfolded(&deltas->items[frame], side),
                                                deltas->items[frame].value[GATE_CHARGED][side]);
            item.event[side] = sums.n > 0.0 ? sums.total / sums.n : 1.0;
            is_counted = is_counted && item.counts[side] >= each;
        }
        if (!is_counted || item.counts[GATE_BASELINE] + item.counts[GATE_CANARY] < counts)
            continue;
        item_fill(&item, pair);
        out->items[out->count++] = item;
    }
    return true;
}

/* Add the counts of an item; the value of a sample becomes the mean. */
static void item_add(struct gate_own_growth_item *sum, const struct gate_own_growth_item *item) {
    for (int side = 0; side < GATE_SIDES; side++) {
        double counts = sum->counts[side] + item->counts[side];
        double value = sum->counts[side] * sum->event[side] + item->counts[side] * item->event[side];
        sum->event[side] = counts > 0.0 ? value / counts : item->event[side];
        sum->counts[side] = counts;
    }
}

bool gate_own_growth_merge(struct gate_own_growth *out, const struct gate_own_growth *growth,
                           const struct gate_pair *pair, const uint8_t *marks, uint32_t as, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_own_growth_item sum = {.frame = as};
    bool is_any = false;
    *out = (struct gate_own_growth){GATE_NEW_ARRAY(arena, struct gate_own_growth_item, growth->count), 0};
    if (out->items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < growth->count; i++) {
        bool is_marked = marks[growth->items[i].frame] != 0;
        is_any = is_any || is_marked;
        if (is_marked)
            item_add(&sum, &growth->items[i]);
        else
            out->items[out->count++] = growth->items[i];
    }
    if (is_any) {
        item_fill(&sum, pair);
        out->items[out->count++] = sum;
    }
    return true;
}

/* Sums over a set of items, from which mean and chi-square follow. */
struct sums {
    double weight, x, x_squared;
    uint32_t count;
};

static void sums_add(struct sums *sums, const struct gate_own_growth_item *item) {
    double weight = 1.0 / item->v;
    sums->weight += weight;
    sums->x += weight * item->x;
    sums->x_squared += weight * item->x * item->x;
    sums->count++;
}

static struct gate_common_factor factor_of(const struct sums *sums) {
    double m = sums->count > 0 ? sums->x / sums->weight : 0.0;
    return (struct gate_common_factor){m, fmax(sums->x_squared - m * sums->x, 0.0), sums->weight, sums->count};
}

struct gate_common_factor gate_own_growth_factor(const struct gate_own_growth *growth, uint32_t left_out) {
    struct sums sums = {0};
    for (uint32_t i = 0; i < growth->count; i++)
        if (i != left_out)
            sums_add(&sums, &growth->items[i]);
    return factor_of(&sums);
}

struct gate_common_factor gate_own_growth_factor_of(const struct gate_own_growth *growth, const uint8_t *marks,
                                                    bool is_marked, uint32_t left_out) {
    struct sums sums = {0};
    for (uint32_t i = 0; i < growth->count; i++)
        if (i != left_out && (marks[growth->items[i].frame] != 0) == is_marked)
            sums_add(&sums, &growth->items[i]);
    return factor_of(&sums);
}

uint32_t gate_own_growth_odd(struct gate_common_factor *factor, const struct gate_own_growth *growth) {
    struct sums all = {0};
    uint32_t odd = GATE_NO_INDEX;
    for (uint32_t i = 0; i < growth->count; i++)
        sums_add(&all, &growth->items[i]);
    *factor = factor_of(&all);
    for (uint32_t i = 0; i < growth->count && growth->count > 1; i++) {
        const struct gate_own_growth_item *item = &growth->items[i];
        double weight = 1.0 / item->v;
        const struct sums others = {all.weight - weight, all.x - weight * item->x,
                                    all.x_squared - weight * item->x * item->x, all.count - 1};
        struct gate_common_factor without = factor_of(&others);
        if (odd != GATE_NO_INDEX && without.q >= factor->q)
            continue;
        odd = i;
        *factor = without;
    }
    return odd;
}

uint32_t gate_own_growth_find(const struct gate_own_growth *growth, uint32_t frame) {
    for (uint32_t i = 0; i < growth->count; i++)
        if (growth->items[i].frame == frame)
            return i;
    return GATE_NO_INDEX;
}

bool gate_own_growth_estimates_work(uint32_t count, const struct gate_common_factor *factor) {
    return count >= WITNESSES_LEAST && factor->weight >= WEIGHT_LEAST;
}

/* ---- estimates --------------------------------------------------------------------------------------------------- */

/* Repeatedly leave out the function that disagrees most, until the others agree. `*left`: the functions that were left
 * out. */
static void leave_out_odd(struct gate_common_factor *factor, struct gate_common_factor *left,
                          struct gate_own_growth *growth) {
    uint32_t least = growth->count - (uint32_t)(ODD_MOST * growth->count);
    struct sums sums = {0};
    while (growth->count > least && growth->count > 2) {
        struct gate_common_factor all = gate_own_growth_factor(growth, GATE_NO_INDEX);
        uint32_t odd = gate_own_growth_odd(factor, growth);
        if (all.q <= gate_chi_square_95(all.count - 1.0))
            break;
        sums_add(&sums, &growth->items[odd]);
        growth->items[odd] = growth->items[--growth->count];
    }
    *left = factor_of(&sums);
    (void)gate_own_growth_odd(factor, growth);
}

/* Return whether the functions that were left out estimate the work as well as the others do. There are several of them
 * then, they agree with each other, and they weigh as much. This happens if all functions of one path grew. */
static bool is_contested(const struct gate_common_factor *factor, const struct gate_common_factor *left) {
    return left->count >= 2 && left->q <= gate_chi_square_95(left->count - 1.0) && left->weight >= factor->weight;
}

/* Find the common factor of the functions that estimate the work. `*count`: how many functions there are. If `left` is
 * not NULL, leave out all that disagree, and set `*left` to their common factor; else leave out only the one that
 * disagrees most. */
static bool witnesses(struct gate_common_factor *out, uint32_t *count, struct gate_common_factor *left,
                      const struct gate_pair *pair, const struct gate_delta_list *deltas, struct gate_arena *arena,
                      struct gate_error *err) {
    struct gate_arena scratch;
    struct gate_own_growth growth;
    gate_arena_fork(&scratch, arena);
    /* New code that many functions call grows all of them alike, so it is left out. */
    bool ok =
        gate_own_growth_collect(&growth, pair, deltas, 2.0 * WITNESS_COUNTS, WITNESS_COUNTS, false, &scratch, err);
    if (ok) {
        *count = growth.count;
        if (left != NULL)
            leave_out_odd(out, left, &growth);
        else
            (void)gate_own_growth_odd(out, &growth);
    }
    gate_arena_free(&scratch);
    return ok;
}

bool gate_own_growth_work_ratio(struct gate_estimated_work *out, const struct gate_pair *pair,
                                const struct gate_delta_list *deltas, struct gate_arena *arena,
                                struct gate_error *err) {
    struct gate_common_factor factor, left;
    uint32_t count = 0;
    if (!witnesses(&factor, &count, &left, pair, deltas, arena, err))
        return false;
    out->is_estimate = count >= WITNESSES_TO_EXCUSE;
    out->is_contested = out->is_estimate && is_contested(&factor, &left);
    out->ratio = out->is_estimate ? exp(factor.m)
                                  : (double)pair->sides[GATE_CANARY].total / (double)pair->sides[GATE_BASELINE].total;
    return true;
}

bool gate_own_growth_cost(struct gate_estimated_cost *out, bool *is_known, const struct gate_pair *pair,
                          const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_side *one = &pair->sides[GATE_BASELINE], *two = &pair->sides[GATE_CANARY];
    struct gate_common_factor factor;
    uint32_t count = 0;
    if (!witnesses(&factor, &count, NULL, pair, deltas, arena, err))
        return false;
    *is_known = gate_own_growth_estimates_work(count, &factor);
    if (!*is_known)
        return true;
    double spread = factor.count > 1 ? fmax(factor.q / (factor.count - 1.0), 1.0) : 1.0;
    double variance = spread / factor.weight + 1.0 / one->events + 1.0 / two->events +
                      RUN_VARIANCE * (1.0 / one->run_count + 1.0 / two->run_count);
    double log_ratio = log((double)two->total / (double)one->total) - factor.m;
    *out = (struct gate_estimated_cost){exp(log_ratio), exp(log_ratio - Z_95 * sqrt(variance))};
    return true;
}
