/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that were renamed (see renamed.h). */
#include "gate/budget/renamed.h"

#include <stdlib.h>

static const double RENAME_MIN_SHARE = 0.005;
static const double RENAME_RATIO = 1.5;
/* Fewer events come and go by chance. */
static const double RENAME_MIN_COUNT = 20.0;
enum { RENAME_CANDIDATES = 64 };

/* A frame of one side only, with the frames of both sides that call it and that it calls. */
struct candidate {
    uint32_t frame;
    double share;
    uint8_t *callers, *callees;
    bool has_callees, is_taken;
};

static bool is_shared(const struct gate_comparison *comparison, uint32_t frame) {
    const int64_t *value = comparison->deltas.items[frame].value[GATE_CUMULATIVE];
    return value[GATE_BASELINE] > 0 && value[GATE_CANARY] > 0;
}

static int candidate_compare(const void *left, const void *right) {
    const struct candidate *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static void read_neighbours(struct candidate *candidate, const struct gate_comparison *comparison,
                            const struct gate_tree *tree) {
    for (uint32_t i = 1; i < tree->count; i++) {
        uint32_t parent = tree->nodes[i].parent;
        if (parent == 0 || parent == GATE_NO_INDEX)
            continue;
        uint32_t caller = tree->nodes[parent].frame, callee = tree->nodes[i].frame;
        if (callee == candidate->frame && is_shared(comparison, caller))
            candidate->callers[caller] = 1;
        candidate->has_callees =
            candidate->has_callees || (caller == candidate->frame && is_shared(comparison, callee));
        if (caller == candidate->frame && is_shared(comparison, callee))
            candidate->callees[callee] = 1;
    }
}

/* Whether a frame costs nothing on `absent`, and too much on the other side for that to be chance. */
static bool is_one_sided(const struct gate_comparison *comparison, uint32_t frame, int absent) {
    const struct gate_pair *pair = &comparison->pair;
    const int64_t *value = comparison->deltas.items[frame].value[GATE_CUMULATIVE];
    double share = gate_share(value[1 - absent], pair->sides[1 - absent].total);
    return value[absent] == 0 && share >= RENAME_MIN_SHARE &&
           share * pair->sides[1 - absent].events >= RENAME_MIN_COUNT &&
           share * pair->sides[absent].events >= RENAME_MIN_COUNT;
}

/* Frames that cost nothing on `absent`, heaviest first. */
static bool collect_candidates(struct candidate **out, uint32_t *count, const struct gate_comparison *comparison,
                               const struct gate_tree *tree, int absent, struct gate_arena *arena,
                               struct gate_error *err) {
    const struct gate_pair *pair = &comparison->pair;
    struct candidate *all = GATE_NEW_ARRAY(arena, struct candidate, (size_t)pair->frame_count + 1);
    if (all == NULL)
        return gate_arena_error(arena, err);
    uint32_t found = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        double share =
            gate_share(comparison->deltas.items[i].value[GATE_CUMULATIVE][1 - absent], pair->sides[1 - absent].total);
        if (is_one_sided(comparison, i, absent))
            all[found++] = (struct candidate){.frame = i, .share = share};
    }
    qsort(all, found, sizeof *all, candidate_compare);
    *count = found < RENAME_CANDIDATES ? found : RENAME_CANDIDATES;
    *out = all;
    for (uint32_t i = 0; i < *count; i++) {
        all[i].callers = GATE_NEW_ARRAY(arena, uint8_t, (size_t)pair->frame_count + 1);
        all[i].callees = GATE_NEW_ARRAY(arena, uint8_t, (size_t)pair->frame_count + 1);
        if (all[i].callers == NULL || all[i].callees == NULL)
            return gate_arena_error(arena, err);
        read_neighbours(&all[i], comparison, tree);
    }
    return true;
}

static bool overlaps(const uint8_t *a, const uint8_t *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (a[i] && b[i])
            return true;
    return false;
}

static bool stands_where(const struct candidate *gone, const struct candidate *fresh, uint32_t frames) {
    double ratio = fresh->share / gone->share;
    if (ratio > RENAME_RATIO || ratio < 1.0 / RENAME_RATIO || !overlaps(gone->callers, fresh->callers, frames))
        return false;
    if (!gone->has_callees && !fresh->has_callees)
        return true;
    return overlaps(gone->callees, fresh->callees, frames);
}

static bool find(struct gate_renamed **out, uint32_t *count, const struct gate_comparison *comparison,
                 const struct gate_tree *tree, struct gate_arena *arena, struct gate_error *err) {
    struct candidate *gone = NULL, *fresh = NULL;
    uint32_t gone_count = 0, fresh_count = 0;
    *count = 0;
    if (!collect_candidates(&gone, &gone_count, comparison, tree, GATE_CANARY, arena, err) ||
        !collect_candidates(&fresh, &fresh_count, comparison, tree, GATE_BASELINE, arena, err))
        return false;
    *out = GATE_NEW_ARRAY(arena, struct gate_renamed, (size_t)gone_count + 1);
    if (*out == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t g = 0; g < gone_count; g++)
        for (uint32_t f = 0; f < fresh_count && !gone[g].is_taken; f++) {
            if (fresh[f].is_taken || !stands_where(&gone[g], &fresh[f], comparison->pair.frame_count))
                continue;
            gone[g].is_taken = fresh[f].is_taken = true;
            (*out)[(*count)++] = (struct gate_renamed){gone[g].frame, fresh[f].frame};
        }
    return true;
}

bool gate_renamed_is_wanted(const struct gate_comparison *comparison) {
    bool only[GATE_SIDES] = {false, false};
    for (uint32_t i = 0; i < comparison->deltas.count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            only[side] = only[side] || is_one_sided(comparison, i, 1 - side);
    return only[GATE_BASELINE] && only[GATE_CANARY];
}

bool gate_renamed_warn(struct gate_warning_list *warnings, bool *raised, const struct gate_rules *rules,
                       const struct gate_comparison *comparison, const struct gate_tree *tree, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_renamed *hints = NULL;
    uint32_t count = 0;
    if (!find(&hints, &count, comparison, tree, arena, err))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct gate_warning hint = {
            GATE_STR("renamed"),
            gate_str_format(arena,
                            "%.*s: '%.*s' is gone and '%.*s' stands in its place at about the same cost: if it was "
                            "renamed, say so under 'frames.rename' in the rules",
                            GATE_STR_ARG(comparison->name), GATE_STR_ARG(comparison->pair.frames[hints[i].gone].name),
                            GATE_STR_ARG(comparison->pair.frames[hints[i].fresh].name))};
        if (!gate_warning_add(warnings, rules, hint, raised, arena, err))
            return false;
    }
    return true;
}
