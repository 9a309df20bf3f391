/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/waits.h"

#include "gate/compare/cost.h"
#include "gate/compare/hot_path.h"

#include <math.h>

/* Functions that show the load: their number, their waits on each side, their part of all waits, and the factor by
 * which their ratios may differ. */
enum { FUNCTIONS_LEAST = 3, WAITS_LEAST = 20 };

static const double PART_LEAST = 0.80;
static const double ALIKE_MOST = 1.5;

/* A function with a smaller part of the waits of both sides is left out: some wait by the clock, whatever the load. */
static const double SHARE_LEAST = 0.05;

static const struct gate_str contentions = {"contentions", 11};

static bool count_waits(const struct gate_side *sides) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < sides[side].run_count; r++)
            if (gate_sample_type_column(sides[side].runs[r].input.profile, contentions, GATE_STR("")) == GATE_NO_INDEX)
                return false;
    return true;
}

static const struct gate_run_input *runs_of(const struct gate_side *side, struct gate_arena *arena) {
    struct gate_run_input *runs = GATE_NEW_ARRAY(arena, struct gate_run_input, side->run_count);
    for (uint32_t r = 0; runs != NULL && r < side->run_count; r++)
        runs[r] = side->runs[r].input;
    return runs;
}

/* Return canary / baseline of the waits of the functions that show the load; 0 if they do not. */
static double ratio_of(const struct gate_pair *pair, const struct gate_delta_list *deltas) {
    const double all[] = {(double)pair->sides[GATE_BASELINE].total, (double)pair->sides[GATE_CANARY].total};
    double low = INFINITY, high = 0.0, sum[GATE_SIDES] = {0.0, 0.0};
    uint32_t functions = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const int64_t *value = deltas->items[i].value[GATE_CHARGED];
        const double waits[] = {(double)value[GATE_BASELINE], (double)value[GATE_CANARY]};
        if (fmin(waits[0], waits[1]) < WAITS_LEAST || fmax(waits[0] / all[0], waits[1] / all[1]) < SHARE_LEAST)
            continue;
        low = fmin(low, waits[GATE_CANARY] / waits[GATE_BASELINE]);
        high = fmax(high, waits[GATE_CANARY] / waits[GATE_BASELINE]);
        for (int side = 0; side < GATE_SIDES; side++)
            sum[side] += waits[side];
        functions++;
    }
    bool are_most = sum[0] >= PART_LEAST * all[0] && sum[1] >= PART_LEAST * all[1];
    return functions >= FUNCTIONS_LEAST && are_most && high <= ALIKE_MOST * low ? sum[GATE_CANARY] / sum[GATE_BASELINE]
                                                                                : 0.0;
}

bool gate_waits_find(struct gate_comparison *comparison, const struct gate_pair_options *options,
                     struct gate_arena *arena, struct gate_error *err) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    const struct gate_side *sides = comparison->pair.sides;
    const uint32_t counts[] = {sides[GATE_BASELINE].run_count, sides[GATE_CANARY].run_count};
    struct gate_pair_options by_waits = *options;
    struct gate_error refused = {0};
    struct gate_pair pair;
    struct gate_delta_list deltas;
    double seconds = 1.0;
    by_waits.sample_type = contentions;
    if (comparison->part != NULL || comparison->is_filtered || !gate_pair_has_delays(&comparison->pair) ||
        gate_comparison_no_waits(comparison) != NULL || !count_waits(sides) ||
        !gate_equal_ratio(&seconds, &comparison->pair, GATE_EQUAL_TIME, no_work))
        return true;
    const struct gate_run_input *runs[] = {runs_of(&sides[GATE_BASELINE], arena), runs_of(&sides[GATE_CANARY], arena)};
    if (runs[GATE_BASELINE] == NULL || runs[GATE_CANARY] == NULL)
        return gate_arena_error(arena, err);
    if (!gate_hot_path_costs(&pair, &deltas, runs, counts, &by_waits, arena, &refused)) {
        *err = refused.code == GATE_ERR_LIMIT ? refused : *err;
        return refused.code != GATE_ERR_LIMIT;
    }
    comparison->waits_ratio = ratio_of(&pair, &deltas) / seconds;
    return true;
}

bool gate_waits_are_uneven(const struct gate_comparison *comparison) {
    double ratio = comparison->waits_ratio;
    return ratio > 0.0 && !comparison->work_is_known && comparison->equal_given == GATE_EQUAL_UNKNOWN &&
           (ratio > GATE_WAITS_LOAD_MOST || ratio * GATE_WAITS_LOAD_MOST < 1.0);
}
