/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the stacks of a run frame by frame. */
#ifndef GATE_COMPARE_WALK_H
#define GATE_COMPARE_WALK_H

#include "gate/compare/pair_types.h"

/**
 * Fill run->frame_of_id from the run's frames, so that a stack slot needs one lookup instead of two. Leaves it NULL,
 * which is slower but equally correct, if ids are not dense or if stacks are pruned or joined.
 *
 * run   frame_of, frame_lists, prune and joins_equal are final; one unused slot precedes frame_of
 *
 * O(ids). Memory: 4 bytes per id, or none if ids count from 1.
 */
GATE_MUST_CHECK
bool gate_walk_prepare(struct gate_run *run, struct gate_arena *arena, struct gate_error *err);

/**
 * Write the frames of one stack, leaf first, without dropped, skid and ignored frames. `out` has room for
 * pair->max_frames. Returns the number of frames; 0 for an empty stack. O(depth).
 */
uint32_t gate_walk_frames(const struct gate_run *run, const struct gate_stack *stack, uint32_t *out);

/** Return whether drop_frames removes frames from a stack. `scratch` has room for pair->max_frames. O(depth). */
bool gate_walk_is_pruned(const struct gate_run *run, struct gate_stack_ref stack, uint32_t *scratch);

/** The remaining part of a stack during a walk, from either end. */
struct gate_walk_rest {
    union {
        const uint8_t *ids;     /* encoded location ids; walking from the root, points behind the last one */
        const uint32_t *frames; /* used if only the leaf's location is left and some of its frames are folded */
    };
    uint32_t len;   /* bytes of ids, or frames */
    uint32_t taken; /* frames of the next location already taken, or GATE_NO_INDEX if `frames` is used */
};

/**
 * Start a walk of one stack, frame by frame, without dropped, skid and ignored frames. Use it if not all frames are
 * needed. `scratch` has room for pair->max_frames. O(1), or O(depth) if there are drop_frames or skid.
 */
void gate_walk_begin(struct gate_walk_rest *out, const struct gate_run *run, const struct gate_stack *stack,
                     bool from_leaf, uint32_t *scratch);

/**
 * Decode the id that begins at `*from` and advance. Ids in frame_of_id have at most 31 bits. The decoder has checked
 * that the last byte of every stack ends a varint.
 */
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

/**
 * Decode the id that ends at `*at` and step back. A varint ends at the first byte without the high bit, so a list of
 * varints can be read backwards.
 */
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

/** gate_walk_take for locations with several frames, and for runs without frame_of_id. */
uint32_t gate_walk_take_any(struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf, uint32_t last);

/**
 * Return the next frame of the walk, or GATE_NO_INDEX after the last one. The frames are those of gate_walk_frames.
 * `last` is the frame that the previous call returned, or GATE_NO_INDEX. Usually O(1).
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

/** Write the next `most` frames to `out`, or all that are left. Returns their number. Usually O(frames written). */
uint32_t gate_walk_take_some(struct gate_walk_rest *rest, const struct gate_run *run, bool from_leaf, uint32_t last,
                             uint32_t *out, uint32_t most);

#endif
