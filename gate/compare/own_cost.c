/* SPDX-License-Identifier: Apache-2.0 */
/* How much work the canary did beside the baseline, from the profiles alone (see own_cost.h). */
#include "gate/compare/own_cost.h"

#include "gate/compare/effective.h"

#include <math.h>
#include <stdlib.h>

static const double MIN_FRAME_COUNTS = 10.0;
static const double TRIM = 0.3; /* of the frames, each end */
enum { MIN_FRAMES = 5 };

struct work_ratio {
    double log_ratio, weight;
    uint32_t frame; /* makes the order total */
};

static int work_compare(const void *left, const void *right) {
    const struct work_ratio *a = left, *b = right;
    if (a->log_ratio != b->log_ratio)
        return a->log_ratio < b->log_ratio ? -1 : 1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static uint32_t work_collect(struct work_ratio *out, const struct gate_pair *pair,
                             const struct gate_delta_list *deltas) {
    uint32_t count = 0;
    for (uint32_t item = 0; item < deltas->count; item++) {
        struct gate_effective one, two;
        if (!gate_effective_of(&one, pair, deltas, item, GATE_CHARGED, GATE_BASELINE) ||
            !gate_effective_of(&two, pair, deltas, item, GATE_CHARGED, GATE_CANARY))
            continue;
        double k1 = one.n * one.share, k2 = two.n * two.share;
        if (k1 < MIN_FRAME_COUNTS || k2 < MIN_FRAME_COUNTS)
            continue;
        out[count++] = (struct work_ratio){log(two.value / one.value), 1.0 / (1.0 / k1 + 1.0 / k2), item};
    }
    return count;
}

static void work_estimate(double *ratio, bool *is_estimate, struct work_ratio *ratios, const struct gate_pair *pair,
                          const struct gate_delta_list *deltas) {
    uint32_t count = work_collect(ratios, pair, deltas);
    /* Nothing to estimate from: taking the totals for the work makes own cost and share the same question. */
    *ratio = (double)pair->sides[GATE_CANARY].total / (double)pair->sides[GATE_BASELINE].total;
    *is_estimate = count >= MIN_FRAMES;
    if (!*is_estimate)
        return;
    qsort(ratios, count, sizeof *ratios, work_compare);
    uint32_t cut = (uint32_t)(TRIM * count);
    double sum = 0.0, weight = 0.0;
    for (uint32_t i = cut; i < count - cut; i++) {
        sum += ratios[i].weight * ratios[i].log_ratio;
        weight += ratios[i].weight;
    }
    *ratio = exp(sum / weight);
}

bool gate_own_cost_work_ratio(double *ratio, bool *is_estimate, const struct gate_pair *pair,
                              const struct gate_delta_list *deltas, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    struct work_ratio *ratios = gate_arena_alloc(&scratch, ((size_t)deltas->count + 1) * sizeof *ratios);
    if (ratios == NULL)
        (void)gate_arena_error(&scratch, err);
    else
        work_estimate(ratio, is_estimate, ratios, pair, deltas);
    gate_arena_free(&scratch);
    return ratios != NULL;
}
