/* SPDX-License-Identifier: Apache-2.0 */
/* From a stack's location ids to its frames, fast: what every fold and every tree does once per stack slot.
 * Neighbours: compare/frames.h before, compare/delta.h and compare/tree_growth.h behind. */
#ifndef GATE_COMPARE_WALK_H
#define GATE_COMPARE_WALK_H

#include "gate/compare/pair_types.h"

/**
 * Fill run->frame_of_id from its frames: one look-up a slot in place of two. Left NULL, which is slower and no less
 * right, where ids are not dense, or stacks are pruned or joined.
 *
 * run   frame_of, frame_lists, prune and joins_equal are final; in front of frame_of stands a slot that is nobody's
 * err   GATE_ERR_LIMIT, GATE_ERR_MEMORY
 *
 * Nothing where ids count from 1, else 4 bytes an id; O(ids).
 */
GATE_MUST_CHECK
bool gate_walk_prepare(struct gate_run *run, struct gate_arena *arena, struct gate_error *err);

/**
 * Frames of one stack of a run, leaf first, after drop_frames, skid and ignored frames. `out` has room for
 * pair->max_frames. Returns how many were written; 0 for an empty stack. O(depth).
 */
uint32_t gate_walk_frames(const struct gate_run *run, const struct gate_stack *stack, uint32_t *out);

/** Whether drop_frames takes frames out of a stack of a run. `scratch` has room for pair->max_frames. O(depth). */
bool gate_walk_is_pruned(const struct gate_run *run, struct gate_stack_ref stack, uint32_t *scratch);

/** What is left of a stack, from either end. */
struct gate_walk_rest {
    union {
        const uint8_t *ids;     /* of its locations; from the root, where they end */
        const uint32_t *frames; /* where no location is left but the leaf's, and not all of its frames count */
    };
    uint32_t len;   /* bytes of ids, or frames */
    uint32_t taken; /* frames of the next location that were taken, or GATE_NO_INDEX where `frames` are left */
};

/**
 * Begin to walk a stack of a run, frame by frame, after drop_frames, skid and ignored frames: for who does not want all
 * of it. `scratch` has room for pair->max_frames. O(1), or O(depth) where drop_frames are, or skid.
 */
void gate_walk_begin(struct gate_walk_rest *out, const struct gate_run *run, const struct gate_stack *stack,
                     bool from_leaf, uint32_t *scratch);

/** The id that begins at `*from`. Ids of frame_of_id are at most 31 bits, and the decoder has checked every byte of
 * every stack: the last one ends a varint. */
static inline uint32_t gate_walk_id_behind(const uint8_t **from, const uint8_t *end) {
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

/** The id that ends at `*at`: of frame_of_id. A varint ends at a byte without the high bit, so a list of them can be
 * read backwards. */
static inline uint32_t gate_walk_id_before(const uint8_t **at, const uint8_t *from) {
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

/** gate_walk_take where the frame may not be the only one of its location, or where locations are looked up. */
uint32_t gate_walk_take_any(struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf, uint32_t last);

/**
 * The next frame of what gate_walk_begin began, or GATE_NO_INDEX behind the last: the same frames as gate_walk_frames.
 * `last` is what was taken before, or GATE_NO_INDEX. O(1), mostly.
 */
static inline uint32_t gate_walk_take(struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf,
                                      uint32_t last) {
    if (run->frame_of_id == NULL || rest->taken != 0 || rest->len == 0)
        return gate_walk_take_any(rest, run, from_leaf, last);
    const uint8_t *at = rest->ids;
    uint32_t frame = run->frame_of_id[from_leaf ? gate_walk_id_behind(&at, at + rest->len)
                                                : gate_walk_id_before(&at, at - rest->len)];
    if (frame >= GATE_FRAME_LIST)
        return gate_walk_take_any(rest, run, from_leaf, last);
    rest->len -= (uint32_t)(from_leaf ? at - rest->ids : rest->ids - at);
    rest->ids = at;
    return frame;
}

/** The next `most` frames into `out`, or as many as are left; returns how many. O(frames written), mostly. */
uint32_t gate_walk_take_some(struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf, uint32_t last,
                             uint32_t *out, uint32_t most);

#endif
