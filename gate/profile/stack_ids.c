/* SPDX-License-Identifier: Apache-2.0 */
/* Ids compared where they stand (see stack_ids.h). An id's last byte is its highest digit and the only one below 0x80;
 * so whether an id is too large is seen at its last byte and the ones in front of it, for all bytes at a time. An id
 * that is written in no more bytes than it needs does not end with a byte of 0, which is no id either. */
#include "gate/profile/stack_ids.h"

#include "gate/profile/wire.h"

enum { LANES = 16, DIGIT_BITS = 7, AHEAD = 2, SHORT = LANES + AHEAD, BLOCKS_COUNTED = 255 };

typedef uint8_t lanes __attribute__((vector_size(LANES)));
typedef int8_t signed_lanes __attribute__((vector_size(LANES)));

/* The largest id: its digits, the highest first; those below it as bytes that others follow. */
struct largest {
    lanes high;
    signed_lanes second, third;
};

static lanes lanes_at(const uint8_t *at) {
    lanes bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

static bool any(lanes mask) {
    uint64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/* Set where a byte ends an id of as many digits as the largest one and is larger, goes on where no id may, or is 0.
 * Signed, a byte that another one follows is below 0; among such bytes the order is that of their digits. */
static inline lanes lanes_refused(const uint8_t *at, const struct largest *most, bool is_long) {
    lanes byte = lanes_at(at);
    signed_lanes before = (signed_lanes)lanes_at(at - 1), first = (signed_lanes)lanes_at(at - 2);
    lanes lower = (lanes)(before > most->second), inner = (lanes)(before < 0);
    if (is_long) {
        lower |= (lanes)(before == most->second) & (lanes)(first > most->third);
        inner &= (lanes)(first < 0);
    }
    return (inner & ((lanes)(byte > most->high) | ((lanes)(byte == most->high) & lower))) | (lanes)(byte == 0);
}

/* -1 where a byte ends an id. */
static lanes lanes_that_end(const uint8_t *at) {
    return (lanes)((signed_lanes)lanes_at(at) >= 0);
}

/* The sum of the lanes. */
static uint32_t lanes_sum(lanes counts) {
    uint64_t halves[2], sum = 0;
    memcpy(halves, &counts, sizeof halves);
    for (int i = 0; i < 2; i++) {
        uint64_t pairs = (halves[i] & UINT64_C(0x00FF00FF00FF00FF)) + (halves[i] >> 8 & UINT64_C(0x00FF00FF00FF00FF));
        sum += pairs * UINT64_C(0x0001000100010001) >> 48;
    }
    return (uint32_t)sum;
}

/* The blocks of a stack behind its first two bytes; the last one reaches back. */
static inline bool blocks_check(uint32_t *depth, struct gate_stack_ref stack, const struct largest *most,
                                bool is_long) {
    static const lanes place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t *at = stack.ids + AHEAD, *end = stack.ids + stack.len;
    lanes refused = {0}, ends = {0};
    for (uint32_t blocks = 1; end - at >= LANES; at += LANES, blocks++) {
        refused |= lanes_refused(at, most, is_long);
        ends -= lanes_that_end(at);
        if (blocks % BLOCKS_COUNTED == 0) {
            *depth += lanes_sum(ends);
            ends = (lanes){0};
        }
    }
    if (at < end) {
        lanes known = (lanes){0} + (uint8_t)(LANES - (end - at));
        refused |= lanes_refused(end - LANES, most, is_long);
        ends -= lanes_that_end(end - LANES) & (lanes)(place >= known);
    }
    *depth += lanes_sum(ends);
    return !any(refused);
}

/* The first two bytes, which have none in front of them: of a pair of digits the value, where it may be the largest. */
static bool head_check(uint32_t *depth, const uint8_t *ids, uint32_t count, bool is_long) {
    uint32_t pair = (ids[0] & 0x7Fu) | (uint32_t)ids[1] << DIGIT_BITS;
    *depth = (uint32_t)(ids[0] < 0x80) + (ids[1] < 0x80);
    return ids[0] != 0 && ids[1] != 0 && (is_long || ids[0] < 0x80 || pair <= count);
}

static bool short_check(uint32_t *depth, struct gate_stack_ref stack, uint32_t count) {
    struct gate_wire left = {stack.ids, stack.ids + stack.len};
    uint64_t id = 0;
    for (*depth = 0; left.at < left.end; ++*depth)
        if (!gate_wire_varint(&left, &id) || id - 1 >= count)
            return false;
    return true;
}

bool gate_stack_ids_are_within(uint32_t *depth, struct gate_stack_ref stack, uint32_t count) {
    bool is_long = count >> 2 * DIGIT_BITS != 0;
    uint8_t digits[3] = {(uint8_t)(count & 0x7F), (uint8_t)(count >> DIGIT_BITS & 0x7F),
                         (uint8_t)(count >> 2 * DIGIT_BITS & 0x7F)};
    if (count >> DIGIT_BITS == 0 || count >> 3 * DIGIT_BITS != 0)
        return false;
    if (stack.len < SHORT)
        return short_check(depth, stack, count);
    uint8_t high = digits[is_long ? 2 : 1], second = digits[is_long ? 1 : 0];
    struct largest most = {
        .high = (lanes){0} + high,
        .second = (signed_lanes)((lanes){0} + (uint8_t)(second | 0x80)),
        .third = (signed_lanes)((lanes){0} + (uint8_t)(digits[0] | 0x80)),
    };
    return head_check(depth, stack.ids, count, is_long) &&
           (is_long ? blocks_check(depth, stack, &most, true) : blocks_check(depth, stack, &most, false));
}
