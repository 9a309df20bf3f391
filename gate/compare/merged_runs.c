/* SPDX-License-Identifier: Apache-2.0 */
/* Merges runs that share their stacks, for what depends on the sum of a side only. */
#include "gate/compare/merged_runs.h"

static bool runs_are_alike(const struct gate_run *a, const struct gate_run *b) {
    return a->stacks.packed != NULL && b->stacks.packed != NULL && a->stacks.bytes == b->stacks.bytes &&
           a->frame_of == b->frame_of && a->frame_of_id == b->frame_of_id && a->frame_lists == b->frame_lists &&
           a->prune == b->prune && a->skid == b->skid && a->joins_equal == b->joins_equal;
}

/* Replace the stacks of `merged`, a copy of the first of `count` runs, by their sum. */
static bool runs_sum(struct gate_run *merged, const struct gate_run *runs, uint32_t count, struct gate_arena *arena) {
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    struct gate_stacks_sum sum = {.arena = arena, .scratch = &scratch};
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = gate_stacks_sum_add(&sum, &runs[i].stacks, runs[i].unit_ratio);
    merged->stacks = sum.stacks;
    merged->unit_ratio = 1;
    arena->is_refused |= scratch.is_refused;
    gate_arena_free(&scratch);
    return ok;
}

static bool side_merge(struct gate_side *out, const struct gate_side *side, struct gate_arena *arena) {
    out->runs = gate_arena_alloc(arena, ((size_t)side->run_count + 1) * sizeof *out->runs);
    out->run_count = 0;
    if (out->runs == NULL)
        return false;
    for (uint32_t first = 0, end = 0; first < side->run_count; first = end) {
        const struct gate_run *runs = &side->runs[first];
        struct gate_run *merged = &out->runs[out->run_count++];
        for (end = first + 1; end < side->run_count && runs_are_alike(runs, &side->runs[end]);)
            end++;
        *merged = *runs;
        if (end - first > 1 && !runs_sum(merged, runs, end - first, arena))
            return false;
    }
    return true;
}

bool gate_merged_runs_make(struct gate_pair *out, const struct gate_pair *pair, struct gate_arena *arena) {
    *out = *pair;
    for (int side = 0; side < GATE_SIDES; side++)
        if (!side_merge(&out->sides[side], &pair->sides[side], arena))
            return false;
    return true;
}
