/* SPDX-License-Identifier: Apache-2.0 */
/* gate_stack_ids_are_within checks sixteen bytes of ids at a time. The tests compare it with a check of one id at a
 * time, for any largest id, any length of stack, and any position of an invalid id. */
#include "gate/model/sample.h"

#include "gate/base/hash.h"
#include "gate/model/wire.h"
#include "tests/unit/unit.h"

static const uint32_t counts[] = {1,     127,   128,    129,     255,     300,     5000,       16383,
                                  16384, 16385, 200001, 2097151, 2097152, 2097153, 123456789u, UINT32_MAX};

struct expected {
    bool is_within, is_short; /* each id is valid; each id is written in as few bytes as possible */
    uint32_t depth;
};

/* One id at a time. */
static struct expected reference(struct gate_stack_ref stack, uint32_t count) {
    struct expected expected = {.is_within = true, .is_short = true};
    struct gate_wire left = {stack.ids, stack.ids + stack.len};
    uint64_t id = 0;
    for (const uint8_t *from = left.at; left.at < left.end; from = left.at) {
        bool is_id = gate_wire_varint(&left, &id);
        expected.is_within = expected.is_within && is_id && id >= 1 && id <= count;
        if (!is_id)
            break;
        expected.is_short = expected.is_short && (left.at - from == 1 || left.at[-1] != 0);
        expected.depth++;
    }
    return expected;
}

/* The bytes are copied to a block of exactly their size, so that sanitizers find a read past the end. */
static void expect_agreement(const struct gate_buf *bytes, uint32_t count) {
    uint8_t *alone = malloc(bytes->len == 0 ? 1 : bytes->len);
    assert_non_null(alone);
    if (bytes->len != 0)
        memcpy(alone, bytes->ptr, bytes->len);
    struct gate_stack_ref stack = {alone, (uint32_t)bytes->len};
    struct expected expected = reference(stack, count);
    uint32_t depth = UINT32_MAX;
    bool is_within = gate_stack_ids_are_within(&depth, stack, count);
    bool is_fast = count >= 128 && count < 1u << 21;
    if (is_within)
        assert_int_equal(depth, expected.depth);
    if (is_within ? !is_fast || !expected.is_within : is_fast && expected.is_within && expected.is_short)
        fail_msg("%u bytes of %u ids up to %u: %d", stack.len, expected.depth, count, is_within);
    free(alone);
}

/* An id from 1 to `count`, or one next to a power of 128. */
static uint64_t id_drawn(uint64_t draw, uint32_t count) {
    uint64_t id = draw >> 8;
    unsigned digits = draw & 3;
    if (draw >> 2 & 1)
        id = (UINT64_C(1) << 7 * digits) - (draw >> 3 & 1);
    else if (draw >> 4 & 1)
        id = count - (id & 3);
    return 1 + (id - 1) % count;
}

/* Append an id with `more` bytes than it needs. With more than ten bytes in all it is invalid. */
static void put_overlong(struct gate_buf *out, uint64_t id, uint32_t more) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    gate_wire_put_varint(&bytes, id);
    bytes.ptr[bytes.len - 1] = (char)((uint8_t)bytes.ptr[bytes.len - 1] | 0x80);
    for (uint32_t i = 0; i < more; i++)
        gate_buf_char(&bytes, (char)0x80);
    gate_buf_char(&bytes, (char)(more % 2));
    gate_buf_str(out, gate_buf_view(&bytes));
}

/* Append a stack of `ids` ids. The id at index `wrong` is faulty: too large, 0, longer than needed, or longer than
 * allowed. */
static void put_stack(struct gate_buf *out, uint64_t seed, uint32_t count, uint32_t ids, uint32_t wrong) {
    for (uint32_t i = 0; i < ids; i++) {
        uint64_t draw = gate_hash_mix(seed << 16 | i), id = id_drawn(draw, count);
        if (i == wrong && seed % 4 == 3)
            put_overlong(out, id, (uint32_t)(draw >> 40) % 12);
        else if (i == wrong)
            gate_wire_put_varint(out, seed % 4 == 0 ? 0 : count + (seed % 4 == 1 ? UINT64_C(1) : draw >> 24));
        else
            gate_wire_put_varint(out, id);
    }
}

TEST(fast_counting_agrees_with_one_id_at_a_time) {
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint32_t ids = 0; ids < 70; ids++)
            for (uint32_t wrong = 0; wrong <= ids; wrong++) {
                AT_END(gate_buf_free) struct gate_buf bytes = {0};
                put_stack(&bytes, (uint64_t)ids * 71 + wrong, counts[c], ids, wrong);
                expect_agreement(&bytes, counts[c]);
            }
}

TEST(deep_stacks_are_counted_to_the_last_id) {
    static const uint32_t depths[] = {4079, 4080, 4081, 8160, 16320, 20000};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        put_stack(&bytes, i, 128, depths[i], UINT32_MAX);
        expect_agreement(&bytes, 128);
    }
}
