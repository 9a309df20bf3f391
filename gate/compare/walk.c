/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one stack (see walk.h). */
#include "gate/compare/walk.h"

#include "gate/profile/wire.h"

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

/* Ids are at most 31 bits here, and the decoder has checked every byte of every stack: the last one ends a varint. */
static inline uint32_t next_id(const uint8_t **from, const uint8_t *end) {
    const uint8_t *at = *from;
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
    *from = at;
    return id;
}

/* What an id stands for that is not exactly one frame. */
static uint32_t location_frames(const struct gate_run *run, uint32_t location, uint32_t *out) {
    uint32_t first = run->frame_first[location], count = run->frame_first[location + 1] - first;
    for (uint32_t i = 0; i < count; i++)
        out[i] = run->frames[first + i];
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
            id = next_id(&at, end);
        uint32_t frame = frame_of_id[id];
        if (frame < GATE_WALK_LOCATION)
            *to++ = frame;
        else
            to += location_frames(run, frame & ~GATE_WALK_LOCATION, to);
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
        if (run->prune[scratch[i]] == GATE_PRUNE_BENEATH) /* lines of it are gone, wherever it stands */
            return true;
    return count > 0 && run_pruned(run, scratch, count) > 0;
}

/* ---- walks that stop early --------------------------------------------------------------------------------------- */

/* What a walk has written so far. */
struct walk_state {
    uint32_t *out;
    uint32_t count;
    uint32_t folded; /* of them, skid before the first frame that is not */
    bool is_solid;   /* that frame is there; or the walk is from the root, where none is folded in front */
};

/* Whether the walk may go on behind `frame`: the skid at a leaf never reaches past a frame that is not, so behind one
 * that neither is skid nor enters nothing matters, and behind one past the limit neither. */
static bool walk_take(const struct gate_walk *walk, struct walk_state *state, uint32_t frame) {
    uint8_t mark = walk->marks[frame];
    state->out[state->count++] = frame;
    if (mark & GATE_WALK_SKID)
        return true;
    if (!state->is_solid) {
        state->is_solid = true;
        state->folded = state->count - 1;
        if (!(mark & GATE_WALK_BEGINS))
            return false;
    }
    return mark != 0 && state->count - state->folded <= walk->limit;
}

/* A location that is not exactly one frame. */
static bool walk_location(const struct gate_walk *walk, const struct gate_run *run, struct walk_state *state,
                          uint32_t location) {
    uint32_t first = run->frame_first[location], count = run->frame_first[location + 1] - first;
    for (uint32_t i = 0; i < count; i++)
        if (!walk_take(walk, state, run->frames[first + (walk->from_leaf ? i : count - 1 - i)]))
            return false;
    return true;
}

static bool walk_from_leaf(const struct gate_walk *walk, const struct gate_run *run, struct gate_stack_ref ref,
                           struct walk_state *state) {
    const uint8_t *at = ref.ids, *end = ref.ids + ref.len;
    while (at < end) {
        uint32_t frame = run->frame_of_id[next_id(&at, end)];
        bool goes_on = frame < GATE_WALK_LOCATION ? walk_take(walk, state, frame)
                                                  : walk_location(walk, run, state, frame & ~GATE_WALK_LOCATION);
        if (!goes_on)
            return false;
    }
    if (!state->is_solid)
        state->folded = state->count;
    return true;
}

/* The id that ends at `*at`. A varint ends at a byte without the high bit, so a list of them can be read backwards. */
static inline uint32_t last_id(const uint8_t **at, const uint8_t *from) {
    const uint8_t *end = *at;
    if (end - from >= 4) {
        uint32_t id = end[-1];
        unsigned len = end[-2] < 0x80 ? 1 : end[-3] < 0x80 ? 2 : end[-4] < 0x80 ? 3 : 0;
        if (len > 1)
            id = id << 7 | (end[-2] & 0x7Fu);
        if (len > 2)
            id = id << 7 | (end[-3] & 0x7Fu);
        *at = end - len;
        if (len != 0)
            return id;
    }
    uint32_t id = *--end;
    while (end > from && end[-1] >= 0x80)
        id = id << 7 | (*--end & 0x7F);
    *at = end;
    return id;
}

/* From the root no skid is in front, so that most frames ask for one look at their mark. */
static bool walk_from_root(const struct gate_walk *walk, const struct gate_run *run, struct gate_stack_ref ref,
                           struct walk_state *state) {
    const uint8_t *at = ref.ids + ref.len, *marks = walk->marks;
    const uint32_t *frame_of_id = run->frame_of_id;
    uint32_t *out = state->out;
    uint32_t count = 0;
    state->is_solid = true;
    while (at > ref.ids) {
        uint32_t frame = frame_of_id[last_id(&at, ref.ids)];
        if (frame >= GATE_WALK_LOCATION) {
            state->count = count;
            if (!walk_location(walk, run, state, frame & ~GATE_WALK_LOCATION))
                return false;
            count = state->count;
            continue;
        }
        uint8_t mark = marks[frame];
        out[count++] = frame;
        if ((mark & GATE_WALK_SKID) == 0 && (mark == 0 || count > walk->limit)) {
            state->count = count;
            return false;
        }
    }
    state->count = count;
    return true;
}

static void walk_reverse(uint32_t *frames, uint32_t count) {
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t kept = frames[i];
        frames[i] = frames[count - 1 - i];
        frames[count - 1 - i] = kept;
    }
}

/* Every frame, however far the walk needs to go. */
static bool walk_any(const struct gate_walk *walk, const struct gate_run *run, struct gate_stack_ref ref,
                     struct walk_state *state) {
    state->count = run_frames_any(run, ref, state->out);
    if (!walk->from_leaf)
        walk_reverse(state->out, state->count);
    while (walk->from_leaf && state->folded < state->count && walk->marks[state->out[state->folded]] & GATE_WALK_SKID)
        state->folded++;
    return true;
}

uint32_t gate_walk_stack(bool *is_whole, const struct gate_walk *walk, const struct gate_run *run,
                         const struct gate_stack *stack, uint32_t *out) {
    struct walk_state state = {.out = out};
    if (run->frame_of_id == NULL)
        *is_whole = walk_any(walk, run, stack->ref, &state);
    else if (walk->from_leaf)
        *is_whole = walk_from_leaf(walk, run, stack->ref, &state);
    else
        *is_whole = walk_from_root(walk, run, stack->ref, &state);
    uint32_t count = state.count, kept = 0;
    if (walk->from_leaf) {
        /* A stack of nothing but skid keeps its outermost frame. */
        uint32_t folded = state.folded < count || count == 0 ? state.folded : count - 1;
        count -= folded;
        if (folded > 0)
            memmove(out, out + folded, count * sizeof *out);
        if (count > 0 && !(walk->marks[out[0]] & GATE_WALK_BEGINS)) {
            *is_whole = false;
            return 0;
        }
    } else {
        while (*is_whole && count > 1 && walk->marks[out[count - 1]] & GATE_WALK_SKID)
            count--;
    }
    while (kept < count && walk->marks[out[kept]] & GATE_WALK_ENTERS)
        kept++;
    *is_whole = *is_whole && kept == count;
    return kept;
}
