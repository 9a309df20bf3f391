/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one stack (see walk.h and gate_run_frames in pair.h). */
#include "gate/compare/walk.h"

bool gate_walk_prepare(struct gate_run *run, uint32_t frame_count, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_profile *profile = run->input.profile;
    const struct gate_id_index *index = &profile->location_index;
    run->frame_of_id = NULL;
    if (index->dense == NULL || run->prune != NULL || run->joins_equal || frame_count >= GATE_WALK_LOCATION ||
        profile->location_count >= GATE_WALK_LOCATION)
        return true;
    uint32_t *frame_of_id = gate_arena_alloc(arena, index->dense_count * sizeof *frame_of_id);
    if (frame_of_id == NULL)
        return gate_arena_error(arena, err);
    for (size_t id = 0; id < index->dense_count; id++) {
        uint32_t location = index->dense[id];
        if (location == GATE_NO_INDEX) { /* no stack holds it: the decoder saw to that */
            frame_of_id[id] = GATE_WALK_LOCATION;
            continue;
        }
        bool is_one = run->frame_first[location + 1] - run->frame_first[location] == 1;
        frame_of_id[id] = is_one ? run->frames[run->frame_first[location]] : GATE_WALK_LOCATION | location;
    }
    run->frame_of_id = frame_of_id;
    return true;
}

/* Ids are at most 31 bits here, and the decoder has checked every byte of every stack. */
static uint32_t run_frames_dense(const struct gate_run *run, struct gate_stack_ref ref, uint32_t *out) {
    const uint32_t *frame_of_id = run->frame_of_id;
    const uint8_t *at = ref.ids, *end = ref.ids + ref.len;
    uint32_t count = 0;
    while (at < end) {
        uint32_t id = *at++;
        if (id >= 0x80) {
            id &= 0x7F;
            for (unsigned shift = 7; at < end; shift += 7) {
                uint32_t byte = *at++;
                if (shift < 32)
                    id |= (byte & 0x7F) << shift;
                if (byte < 0x80)
                    break;
            }
        }
        uint32_t frame = frame_of_id[id];
        if (frame < GATE_WALK_LOCATION) {
            out[count++] = frame;
            continue;
        }
        uint32_t location = frame & ~GATE_WALK_LOCATION;
        for (uint32_t f = run->frame_first[location]; f < run->frame_first[location + 1]; f++)
            out[count++] = run->frames[f];
    }
    return count;
}

static uint32_t run_locations(const struct gate_run *run, struct gate_stack_ref ref, uint32_t *out) {
    uint32_t at = 0;
    uint32_t count = 0;
    uint64_t id = 0;
    while (gate_stack_next(ref, &at, &id))
        out[count++] = gate_location_find(run->input.profile, id);
    return count;
}

/* First location (leafward) that stays, and whether its whole is gone: google/pprof, profile.Prune's sample loop. */
static uint32_t run_pruned(const struct gate_run *run, const uint32_t *locations, uint32_t count) {
    bool found_user = false;
    for (uint32_t i = count; i > 0; i--) {
        enum gate_prune action = (enum gate_prune)run->prune[locations[i - 1]];
        if (action == GATE_PRUNE_KEEP)
            found_user = true;
        else if (found_user)
            return action == GATE_PRUNE_WHOLE ? i : i - 1;
    }
    return 0;
}

static uint32_t run_frames_any(const struct gate_run *run, struct gate_stack_ref ref, uint32_t *out) {
    uint32_t count = 0;
    uint32_t at = 0;
    uint32_t skip = 0;
    uint64_t id = 0;
    if (run->prune != NULL) {
        uint32_t locations = run_locations(run, ref, out);
        skip = run_pruned(run, out, locations);
    }
    for (uint32_t i = 0; gate_stack_next(ref, &at, &id); i++) {
        if (i < skip)
            continue;
        uint32_t location = gate_location_find(run->input.profile, id);
        for (uint32_t f = run->frame_first[location]; f < run->frame_first[location + 1]; f++) {
            uint32_t frame = run->frames[f];
            if (run->joins_equal && count > 0 && out[count - 1] == frame)
                continue;
            out[count++] = frame;
        }
    }
    return count;
}

uint32_t gate_run_frames(const struct gate_run *run, const struct gate_stack *stack, uint32_t *out) {
    uint32_t count =
        run->frame_of_id != NULL ? run_frames_dense(run, stack->ref, out) : run_frames_any(run, stack->ref, out);
    uint32_t folded = 0;
    while (run->skid != NULL && folded + 1 < count && run->skid[out[folded]])
        folded++;
    if (folded > 0)
        memmove(out, out + folded, (count - folded) * sizeof *out);
    return count - folded;
}

/* ---- walks that stop early --------------------------------------------------------------------------------------- */

/* Appends the frames of one id, and says whether the walk may go on: the skid at a leaf never reaches past a frame that
 * is none, so behind one that is neither skid nor enters nothing matters. */
static bool walk_add(const struct gate_walk *walk, const struct gate_run *run, uint32_t id, uint32_t *out,
                     uint32_t *count) {
    uint32_t frame = run->frame_of_id[id];
    if (frame < GATE_WALK_LOCATION) {
        out[(*count)++] = frame;
        return walk->marks[frame] != 0;
    }
    uint32_t location = frame & ~GATE_WALK_LOCATION;
    uint32_t first = run->frame_first[location], past = run->frame_first[location + 1];
    bool goes_on = true;
    for (uint32_t i = 0; i < past - first; i++) {
        frame = run->frames[walk->from_leaf ? first + i : past - 1 - i];
        out[(*count)++] = frame;
        goes_on = goes_on && walk->marks[frame] != 0;
    }
    return goes_on;
}

static uint32_t walk_from_leaf(bool *is_whole, const struct gate_walk *walk, const struct gate_run *run,
                               struct gate_stack_ref ref, uint32_t *out) {
    const uint8_t *at = ref.ids, *end = ref.ids + ref.len;
    uint32_t count = 0;
    while (at < end) {
        uint32_t id = 0;
        unsigned shift = 0;
        for (; at < end && *at >= 0x80; at++, shift += 7)
            id |= shift < 32 ? (uint32_t)(*at & 0x7F) << shift : 0;
        if (at < end)
            id |= shift < 32 ? (uint32_t)*at++ << shift : (uint32_t)(at++, 0);
        if (!walk_add(walk, run, id, out, &count)) {
            *is_whole = false;
            return count;
        }
    }
    *is_whole = true;
    return count;
}

/* A varint ends at a byte without the high bit, so a list of them can be read backwards. */
static uint32_t walk_from_root(bool *is_whole, const struct gate_walk *walk, const struct gate_run *run,
                               struct gate_stack_ref ref, uint32_t *out) {
    const uint8_t *at = ref.ids + ref.len;
    uint32_t count = 0;
    while (at > ref.ids) {
        uint32_t id = *--at;
        while (at > ref.ids && at[-1] >= 0x80)
            id = id << 7 | (*--at & 0x7F);
        if (!walk_add(walk, run, id, out, &count)) {
            *is_whole = false;
            return count;
        }
    }
    *is_whole = true;
    return count;
}

static void walk_reverse(uint32_t *frames, uint32_t count) {
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t kept = frames[i];
        frames[i] = frames[count - 1 - i];
        frames[count - 1 - i] = kept;
    }
}

uint32_t gate_walk_stack(bool *is_whole, const struct gate_walk *walk, const struct gate_run *run,
                         const struct gate_stack *stack, uint32_t *out) {
    uint32_t count = 0, kept = 0;
    *is_whole = true;
    if (run->frame_of_id == NULL) {
        count = run_frames_any(run, stack->ref, out);
        if (!walk->from_leaf)
            walk_reverse(out, count);
    } else if (walk->from_leaf) {
        count = walk_from_leaf(is_whole, walk, run, stack->ref, out);
    } else {
        count = walk_from_root(is_whole, walk, run, stack->ref, out);
    }
    if (walk->from_leaf) {
        uint32_t folded = 0;
        while (folded + 1 < count && walk->marks[out[folded]] & GATE_WALK_SKID)
            folded++;
        count -= folded;
        if (folded > 0)
            memmove(out, out + folded, count * sizeof *out);
    } else {
        while (*is_whole && count > 1 && walk->marks[out[count - 1]] & GATE_WALK_SKID)
            count--;
    }
    while (kept < count && walk->marks[out[kept]] & GATE_WALK_ENTERS)
        kept++;
    *is_whole = *is_whole && kept == count;
    return kept;
}
