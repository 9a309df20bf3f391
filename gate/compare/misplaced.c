/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/misplaced.h"

#include "gate/base/table.h"
#include "gate/compare/walk.h"
#include "gate/model/labels.h"

/* Costs by function and compiled method, while they are added up. */
struct collection {
    struct gate_pair *pair;
    struct gate_table keys;
    struct gate_misplaced_cost *items;
    size_t count, capacity;
    bool has_inlined; /* a leaf was inlined */
    struct gate_arena *arena;
};

/* Return whether some location has several frames. */
static bool has_lists(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (pair->sides[side].runs[r].frame_lists != NULL)
                return true;
    return false;
}

static bool lacks_flag(const struct gate_pair *pair) {
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (gate_profile_has_comment(pair->sides[side].runs[r].input.profile, GATE_STR(GATE_COMMENT_MISPLACED)))
                return true;
    return false;
}

/* Return the number of frames at the leaf's location of a stack: the inlined methods, and the compiled method. */
static uint32_t leaf_frames(const struct gate_run *run, struct gate_stack_ref stack) {
    uint32_t at = 0, count = 0;
    uint64_t id = 0;
    if (gate_stack_next(stack, &at, &id))
        (void)gate_run_frames(&count, run, gate_location_find(run->input.profile, id));
    return count;
}

static bool cost_add(struct collection *to, int side, uint32_t frame, uint32_t unit, int64_t value) {
    const uint32_t key[2] = {frame, unit};
    uint32_t index = gate_table_intern_copy(&to->keys, (struct gate_str){(const char *)key, sizeof key});
    if (index == GATE_TABLE_NONE)
        return false;
    if (index == to->count) {
        if (!GATE_REGROW(to->arena, to->items, to->count, to->capacity))
            return false;
        to->items[to->count++] = (struct gate_misplaced_cost){.frame = frame, .unit = unit};
    }
    to->items[index].cost[side] += value;
    return true;
}

/* Add the cost of a stack to the function that is charged with it: the first own one that both sides have, from `own`
 * towards the root. The cost of a new function counts as new code, too. */
static bool stack_add(struct collection *to, int side, const uint32_t *frames, uint32_t count, uint32_t own,
                      uint32_t unit, int64_t value) {
    const struct gate_pair *pair = to->pair;
    bool is_new = pair->frames[frames[own]].is_folded;
    while (own < count && !gate_frame_is_charged(&pair->frames[frames[own]]))
        own++;
    return cost_add(to, side, own < count ? frames[own] : pair->one_sided, unit, value) &&
           (!is_new || cost_add(to, side, pair->frame_count, unit, value));
}

/* Add the samples of a run whose leaf is in a compiled method that contains own code. */
static bool run_add(struct collection *to, int side, const struct gate_run *run, struct gate_error *err) {
    const struct gate_label_match is_interpreted = {GATE_STR(GATE_CODE_LABEL), GATE_STR(GATE_CODE_INTERPRETED)};
    const struct gate_label_filter interpreted = {&is_interpreted, 1};
    const struct gate_pair *pair = to->pair;
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error why = {0};
    uint32_t *frames = GATE_NEW_ARRAY(to->arena, uint32_t, pair->max_frames);
    if (frames == NULL)
        return gate_arena_error(to->arena, err);
    gate_sample_begin(&cursor, run->input.profile);
    while (gate_sample_next(&cursor, &sample, &why)) {
        const struct gate_stack stack = {.ref = sample.stack};
        if (gate_where_passes(&interpreted, &cursor, &sample) || !gate_where_passes(&pair->where, &cursor, &sample))
            continue;
        uint32_t count = sample.stack.len == 0 ? 0 : gate_walk_frames(run, &stack, frames), own = 0;
        uint32_t inlined = count == 0 ? 0 : leaf_frames(run, sample.stack);
        while (own < inlined && own < count && !pair->frames[frames[own]].is_own)
            own++;
        to->has_inlined = to->has_inlined || inlined > 1;
        if (own < inlined && inlined <= count &&
            !stack_add(to, side, frames, count, own, frames[inlined - 1],
                       sample.values[run->counts.value_column] * run->unit_ratio)) {
            (void)gate_arena_error(to->arena, &why);
            break;
        }
    }
    gate_sample_end(&cursor);
    if (why.code != GATE_OK)
        *err = why;
    return why.code == GATE_OK;
}

bool gate_misplaced_find(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    struct collection to = {.pair = pair, .arena = arena};
    bool is_time =
        gate_str_equal(pair->type.type, GATE_STR("cpu")) ||
        gate_str_equal(
            pair->type.type,
            GATE_STR("samples")); /* allocations and locks are recorded at safepoints, so they are not misplaced */
    if (pair->language != GATE_LANGUAGE_JVM || pair->granularity != GATE_BY_FUNCTION || !is_time || !has_lists(pair))
        return true;
    gate_table_init(&to.keys, arena);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (!run_add(&to, side, &pair->sides[side].runs[r], err))
                return false;
    if (to.has_inlined) {
        pair->misplaced = to.items;
        pair->misplaced_count = (uint32_t)to.count;
    }
    pair->lacks_debug_flag = to.has_inlined && lacks_flag(pair);
    return true;
}
