/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/walk.h"

#include "gate/compare/pair_types.h"
#include "gate/model/wire.h"

bool gate_walk_prepare(struct gate_run *run, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_id_index *index = &run->input.profile->location_index;
    run->frame_of_id = NULL;
    if (run->prune != NULL || run->joins_equal)
        return true;
    if (index->in_order != 0) {
        run->frame_of_id = run->frame_of - 1;
        return true;
    }
    if (index->dense == NULL)
        return true;
    run->frame_of_id = gate_arena_alloc(arena, index->dense_count * sizeof *run->frame_of_id);
    if (run->frame_of_id == NULL)
        return gate_arena_error(arena, err);
    for (size_t id = 0; id < index->dense_count; id++) { /* ids without a location are in no stack (checked) */
        uint32_t location = index->dense[id];
        run->frame_of_id[id] = location == GATE_NO_INDEX ? GATE_FRAME_LIST : run->frame_of[location];
    }
    return true;
}

/* Copy the frames of an id that is not exactly one frame. */
static uint32_t list_frames(const struct gate_run *run, uint32_t list, uint32_t *out) {
    uint32_t count = 0;
    const uint32_t *frames = gate_run_frame_list(&count, run, list);
    for (uint32_t i = 0; i < count; i++)
        out[i] = frames[i];
    return count;
}

static uint32_t run_frames_dense(const struct gate_run *run, struct gate_stack_ref ref, uint32_t *out) {
    const uint32_t *frame_of_id = run->frame_of_id;
    const uint8_t *at = ref.ids, *end = ref.ids + ref.len, *last_word = ref.len < 4 ? at : end - 3;
    uint32_t *to = out;
    while (at < end) {
        uint32_t id = 0;
        unsigned len = at < last_word ? gate_wire_short(&id, at) : 0;
        at += len;
        if (len == 0)
            id = gate_walk_id_behind(&at, end);
        uint32_t frame = frame_of_id[id];
        if (frame < GATE_FRAME_LIST)
            *to++ = frame;
        else
            to += list_frames(run, frame, to);
    }
    return (uint32_t)(to - out);
}

static uint32_t run_locations(const struct gate_run *run, struct gate_stack_ref ref, uint32_t *out) {
    uint32_t at = 0;
    uint32_t count = 0;
    uint64_t id = 0;
    while (gate_stack_next(ref, &at, &id))
        out[count++] = gate_location_find(run->input.profile, id);
    return count;
}

/* Return the index of the first location, from the leaf, that stays: google/pprof, profile.Prune's loop over
 * samples. */
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
        uint32_t frame_count = 0;
        const uint32_t *frames = gate_run_frames(&frame_count, run, location);
        for (uint32_t f = 0; f < frame_count; f++)
            if (!run->joins_equal || count == 0 || out[count - 1] != frames[f])
                out[count++] = frames[f];
    }
    return count;
}

uint32_t gate_walk_frames(const struct gate_run *run, const struct gate_stack *stack, uint32_t *out) {
    uint32_t count =
        run->frame_of_id != NULL ? run_frames_dense(run, stack->ref, out) : run_frames_any(run, stack->ref, out);
    uint32_t folded = 0;
    while (run->skid != NULL && folded + 1 < count && run->skid[out[folded]])
        folded++;
    if (folded > 0)
        memmove(out, out + folded, (count - folded) * sizeof *out);
    return count - folded;
}

bool gate_walk_is_pruned(const struct gate_run *run, struct gate_stack_ref stack, uint32_t *scratch) {
    uint32_t count = run->prune == NULL ? 0 : run_locations(run, stack, scratch);
    for (uint32_t i = 0; i < count; i++)
        if (run->prune[scratch[i]] == GATE_PRUNE_BENEATH) /* loses lines in every stack */
            return true;
    return count > 0 && run_pruned(run, scratch, count) > 0;
}

/* ---- frame by frame ---------------------------------------------------------------------------------------------- */

/* Return the next location of a walk, and how many bytes its id has. */
static uint32_t rest_location(const struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf,
                              uint32_t *bytes) {
    struct gate_stack_ref ref = {rest->ids, rest->len};
    uint64_t id = 0;
    *bytes = 0;
    if (!from_leaf) {
        ref = (struct gate_stack_ref){rest->ids - 1, 1};
        while (ref.len < rest->len && ref.ids[-1] >= 0x80) {
            ref.ids--;
            ref.len++;
        }
    }
    (void)gate_stack_next(ref, bytes, &id);
    return gate_location_find(run->input.profile, id);
}

/* Return the frames of the next location of a walk (`*count`), and how many bytes its id has. */
static const uint32_t *rest_frames(uint32_t *count, const struct gate_walk_rest *rest, const struct gate_run *run,
                                   bool from_leaf, uint32_t *bytes) {
    if (run->frame_of_id == NULL)
        return gate_run_frames(count, run, rest_location(rest, run, from_leaf, bytes));
    const uint8_t *at = rest->ids;
    const uint32_t *frame = &run->frame_of_id[from_leaf ? gate_walk_id_behind(&at, at + rest->len)
                                                        : gate_walk_id_before(&at, at - rest->len)];
    *bytes = (uint32_t)(from_leaf ? at - rest->ids : rest->ids - at);
    *count = 1;
    return *frame < GATE_FRAME_LIST ? frame : gate_run_frame_list(count, run, *frame);
}

static void rest_skip(struct gate_walk_rest *rest, bool from_leaf, uint32_t bytes) {
    rest->ids = from_leaf ? rest->ids + bytes : rest->ids - bytes;
    rest->len -= bytes;
    rest->taken = 0;
}

/* Return how many frames of a leaf location are folded: those before the first that is not skid. */
static uint32_t location_skid(const struct gate_run *run, const uint32_t *frames, uint32_t count) {
    uint32_t folded = 0;
    while (run->skid != NULL && folded < count && run->skid[frames[folded]])
        folded++;
    return folded;
}

/* Let a walk from the leaf start at the first frame that is not skid. If all frames are skid, keep the outermost. */
static void rest_fold(struct gate_walk_rest *rest, const struct gate_run *run) {
    struct gate_walk_rest at = *rest;
    while (at.len > 0) {
        uint32_t bytes, count = 0;
        const uint32_t *frames = rest_frames(&count, &at, run, true, &bytes);
        uint32_t folded = location_skid(run, frames, count);
        if (count > 0) {
            *rest = at;
            rest->taken = folded < count ? folded : count - 1;
        }
        if (folded < count)
            return;
        rest_skip(&at, true, bytes);
    }
}

/* Return whether the leaf is a single frame that is not skid. */
static bool is_solid(const struct gate_walk_rest *rest, const struct gate_run *run) {
    const uint8_t *at = rest->ids;
    if (run->frame_of_id == NULL || rest->len == 0)
        return false;
    uint32_t frame = run->frame_of_id[gate_walk_id_behind(&at, at + rest->len)];
    return frame < GATE_FRAME_LIST && !run->skid[frame];
}

void gate_walk_begin(struct gate_walk_rest *out, const struct gate_run *run, const struct gate_stack *stack,
                     bool from_leaf, uint32_t *scratch) {
    *out = (struct gate_walk_rest){.ids = stack->ref.ids, .len = stack->ref.len};
    if (run->prune != NULL) {
        uint32_t skip = run_pruned(run, scratch, run_locations(run, stack->ref, scratch)), at = 0;
        uint64_t id = 0;
        while (skip-- > 0)
            (void)gate_stack_next(stack->ref, &at, &id);
        rest_skip(out, true, at);
    }
    if (run->skid != NULL && !is_solid(out, run))
        rest_fold(out, run);
    if (!from_leaf) { /* gate_walk_take computes again how many frames of the leaf's location are folded */
        out->ids += out->len;
        out->taken = 0;
    }
}

/* Return the next frame for locations with several frames, and for runs without frame_of_id. */
uint32_t gate_walk_take_any(struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf, uint32_t last) {
    while (rest->len > 0) {
        uint32_t bytes, frame;
        if (rest->taken == GATE_NO_INDEX) {
            frame = rest->frames[--rest->len];
        } else {
            uint32_t count = 0;
            const uint32_t *frames = rest_frames(&count, rest, run, from_leaf, &bytes);
            if (rest->taken == count) {
                rest_skip(rest, from_leaf, bytes);
                continue;
            }
            if (!from_leaf && rest->taken == 0 && bytes == rest->len) {
                uint32_t folded = location_skid(run, frames, count);
                folded = folded < count ? folded : count - 1;
                *rest =
                    (struct gate_walk_rest){.frames = frames + folded, .len = count - folded, .taken = GATE_NO_INDEX};
                continue;
            }
            frame = frames[from_leaf ? rest->taken : count - 1 - rest->taken];
            rest->taken++;
        }
        if (!run->joins_equal || frame != last)
            return frame;
    }
    return GATE_NO_INDEX;
}

/* Take consecutive locations that have exactly one frame. Returns how many. */
static uint32_t take_plain(struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf, uint32_t *out,
                           uint32_t most) {
    const uint32_t *frame_of_id = run->frame_of_id;
    const uint8_t *at = rest->ids, *end = from_leaf ? at + rest->len : at - rest->len, *from = at;
    uint32_t count = 0;
    while (at != end && count < most) {
        const uint8_t *before = at;
        uint32_t frame = frame_of_id[from_leaf ? gate_walk_id_behind(&at, end) : gate_walk_id_before(&at, end)];
        if (frame >= GATE_FRAME_LIST) {
            at = before;
            break;
        }
        out[count++] = frame;
    }
    rest->len -= (uint32_t)(from_leaf ? at - from : from - at);
    rest->ids = at;
    return count;
}

uint32_t gate_walk_take_some(struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf, uint32_t last,
                             uint32_t *out, uint32_t most) {
    uint32_t count = 0;
    while (count < most) {
        if (run->frame_of_id != NULL && rest->taken == 0)
            count += take_plain(rest, run, from_leaf, out + count, most - count);
        if (count == most)
            break;
        out[count] = gate_walk_take_any(rest, run, from_leaf, count == 0 ? last : out[count - 1]);
        if (out[count] == GATE_NO_INDEX)
            break;
        count++;
    }
    return count;
}
