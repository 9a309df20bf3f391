/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/allocator.h"

#include "gate/compare/cost.h"
#include "gate/compare/hot_path.h"
#include "gate/formats/counted_cpu.h"

/* If the collector grew by this fraction of the CPU time, the function that allocates more is searched for, or profiles
 * of allocations are advised. */
static const double COLLECTOR_GREW = 0.02;

/* Minimum ratio of all allocations (canary / baseline) to explain the collector's growth. Minimum part of the growth of
 * allocations for a function to be the cause. */
static const double ALL_GREW = 1.2;
static const double PART_LEAST = 1.0 / 3.0;

static const struct gate_str alloc_space = {"alloc_space", 11};

/* Return whether the collector has a larger part of the canary than of the baseline. */
static bool collector_grew(const struct gate_comparison *c) {
    for (uint32_t i = 0; i < c->pair.frame_count; i++) {
        const struct gate_delta *delta = &c->deltas.items[i];
        if (gate_str_equal(c->pair.frames[i].name, GATE_STR(GATE_COLLECTOR_FRAME)))
            return gate_share(delta->value[GATE_SELF][GATE_CANARY], c->pair.sides[GATE_CANARY].total) >
                   gate_share(delta->value[GATE_SELF][GATE_BASELINE], c->pair.sides[GATE_BASELINE].total) +
                       COLLECTOR_GREW;
    }
    return false;
}

/* Collect the runs of a side. Sets `*has_all` to false if one has no allocations. */
static struct gate_run_input *runs_of(bool *has_all, const struct gate_side *side, struct gate_arena *arena) {
    struct gate_run_input *runs = GATE_NEW_ARRAY(arena, struct gate_run_input, side->run_count);
    for (uint32_t r = 0; runs != NULL && r < side->run_count; r++) {
        runs[r] = side->runs[r].input;
        *has_all = *has_all && gate_sample_type_column(runs[r].profile, alloc_space, GATE_STR("")) != GATE_NO_INDEX;
    }
    return runs;
}

/* Return the own frame with the largest part of `growth` bytes, if that part is large enough. GATE_NO_INDEX: none. */
static uint32_t most_of(double growth, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        double seconds) {
    uint32_t found = GATE_NO_INDEX;
    double most = PART_LEAST * growth;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        const int64_t *bytes = deltas->items[i].value[GATE_CHARGED];
        double won = (double)bytes[GATE_CANARY] / seconds - (double)bytes[GATE_BASELINE];
        if (!pair->frames[i].is_own || won < most)
            continue;
        most = won;
        found = i;
    }
    return found;
}

bool gate_allocator_find(struct gate_comparison *comparison, const struct gate_pair_options *options,
                         struct gate_arena *arena, struct gate_error *err) {
    static const double no_work[GATE_SIDES] = {0.0, 0.0};
    const struct gate_side *sides = comparison->pair.sides;
    const struct gate_run_input *runs[GATE_SIDES];
    uint32_t counts[GATE_SIDES];
    struct gate_pair_options by_bytes = *options;
    struct gate_pair pair;
    struct gate_delta_list deltas;
    struct gate_error refused = {0};
    double seconds = 1.0;
    bool has_all = true;
    if (!collector_grew(comparison))
        return true;
    for (int side = 0; side < GATE_SIDES; side++) {
        counts[side] = sides[side].run_count;
        runs[side] = runs_of(&has_all, &sides[side], arena);
        if (runs[side] == NULL)
            return gate_arena_error(arena, err);
    }
    by_bytes.sample_type = alloc_space;
    if (!has_all || !gate_equal_ratio(&seconds, &comparison->pair, GATE_EQUAL_TIME, no_work))
        return true;
    if (!gate_hot_path_costs(&pair, &deltas, runs, counts, &by_bytes, arena, &refused)) {
        *err = refused.code == GATE_ERR_LIMIT ? refused : *err;
        return refused.code != GATE_ERR_LIMIT;
    }
    double before = (double)pair.sides[GATE_BASELINE].total, after = (double)pair.sides[GATE_CANARY].total / seconds;
    uint32_t frame = after > ALL_GREW * before ? most_of(after - before, &pair, &deltas, seconds) : GATE_NO_INDEX;
    if (frame == GATE_NO_INDEX)
        return true;
    struct gate_allocator *found = GATE_NEW_ARRAY(arena, struct gate_allocator, 1);
    if (found == NULL)
        return gate_arena_error(arena, err);
    found->function = pair.frames[frame].name;
    for (int side = 0; side < GATE_SIDES; side++)
        found->bytes[side] = deltas.items[frame].value[GATE_CHARGED][side];
    comparison->allocator = found;
    return true;
}

bool gate_allocator_go_collector(double share[GATE_SIDES], const struct gate_comparison *comparison) {
    static const char *const roots[] = {"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge"};
    const struct gate_pair *pair = &comparison->pair;
    enum gate_clock clock = gate_comparison_clock(comparison);
    share[GATE_BASELINE] = share[GATE_CANARY] = 0.0;
    for (uint32_t i = 0; clock != GATE_CLOCK_WALL && clock != GATE_CLOCK_WAIT && i < pair->frame_count; i++)
        for (int side = 0; side < GATE_SIDES && gate_str_is_among(pair->frames[i].name, roots, 3); side++)
            share[side] +=
                gate_share(comparison->deltas.items[i].value[GATE_CUMULATIVE][side], pair->sides[side].total);
    return share[GATE_CANARY] > share[GATE_BASELINE] + COLLECTOR_GREW;
}
