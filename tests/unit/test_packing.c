/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing in parts: decompression returns the input, from one gzip member or zstd frame, wherever the parts end.
 * Compressing stops if the sink is full. */
#include "gate/base/hash.h"
#include "gate/formats/deflate.h"
#include "gate/formats/inflate.h"
#include "tests/unit/unit.h"

#include <libdeflate.h>
#include <zlib.h>

/* Small parts, so that the tests are quick. */
enum { PART = 64 << 10 };

/* Text that compresses well, interrupted by noise, so that parts end in blocks of each kind. */
static struct gate_buf make_text(size_t len) {
    struct gate_buf text = {0};
    for (uint64_t i = 0; text.len < len; i++) {
        uint64_t noise = gate_hash_mix(i);
        if (i / 2000 % 3 == 0)
            gate_buf_bytes(&text, &noise, sizeof noise);
        else
            gate_buf_printf(&text, "line %u of %u\n", (unsigned)(noise % 100), (unsigned)(i % 7));
    }
    text.len = len;
    assert_false(text.failed);
    return text;
}

/* Compress `text` in pieces of `step` bytes. */
static void pack(struct gate_buf *out, struct gate_str text, enum gate_container container, size_t step) {
    AT_END(gate_packing_free) struct gate_packing packing;
    gate_packing_begin(&packing, container, gate_sink_of_buf(out));
    packing.part_bytes = PART;
    for (size_t at = 0; at < text.len; at += step) {
        size_t len = text.len - at < step ? text.len - at : step;
        if (!gate_packing_put(&packing, (struct gate_str){text.ptr + at, len}, &err))
            fail_msg("%s", err.message);
    }
    if (!gate_packing_end(&packing, &err))
        fail_msg("%s", err.message);
}

/* Our reader and libdeflate accept any number of gzip members. zlib stops after the first one. */
static void expect_one_member(struct gate_str packed, struct gate_str text) {
    uint8_t *out = malloc(text.len + 1);
    assert_non_null(out);
    z_stream decoder = {.next_in = (Bytef *)(uintptr_t)packed.ptr, .avail_in = (uInt)packed.len};
    decoder.next_out = out;
    decoder.avail_out = (uInt)text.len + 1;
    assert_int_equal(inflateInit2(&decoder, MAX_WBITS + 16), Z_OK);
    assert_int_equal(inflate(&decoder, Z_FINISH), Z_STREAM_END);
    assert_int_equal(decoder.avail_in, 0);
    assert_int_equal(decoder.total_out, text.len);
    assert_memory_equal(out, text.ptr, text.len);
    (void)inflateEnd(&decoder);
    free(out);
}

static void expect_text(struct gate_str packed, struct gate_str text) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_str out;
    if (!gate_inflate(&out, packed, SIZE_MAX, &arena, &err))
        fail_msg("%s", err.message);
    assert_true(gate_str_equal(out, text));
}

TEST(decompression_returns_the_input) {
    static const size_t lens[] = {0, 1, 1000, PART - 1, PART, PART + 1, 3 * PART, 5 * PART + 12345};
    static const enum gate_container containers[] = {GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD, GATE_CONTAINER_RAW};
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        AT_END(gate_buf_free) struct gate_buf text = make_text(lens[i]);
        for (size_t j = 0; j < sizeof containers / sizeof *containers; j++) {
            AT_END(gate_buf_free) struct gate_buf packed = {0}, again = {0};
            pack(&packed, gate_buf_view(&text), containers[j], SIZE_MAX / 2);
            pack(&again, gate_buf_view(&text), containers[j], 15991);
            if (containers[j] == GATE_CONTAINER_GZIP)
                expect_one_member(gate_buf_view(&again), gate_buf_view(&text));
            expect_text(gate_buf_view(&packed), gate_buf_view(&text));
            expect_text(gate_buf_view(&again), gate_buf_view(&text));
        }
    }
}

/* Different cuts make the first part's stream end at each of the 8 bits of a byte. */
TEST(parts_that_end_anywhere_join) {
    enum { FIRST = 30000 };
    AT_END(gate_buf_free) struct gate_buf text = make_text(FIRST + 64);
    for (size_t cut = 0; cut < 64; cut++) {
        AT_END(gate_buf_free) struct gate_buf packed = {0};
        struct gate_packing packing;
        gate_packing_begin(&packing, GATE_CONTAINER_GZIP, gate_sink_of_buf(&packed));
        gate_buf_bytes(&packing.plain, text.ptr, FIRST + cut);
        assert_true(gate_packing_flush(&packing, &err));
        gate_buf_bytes(&packing.plain, text.ptr + FIRST + cut, 64 - cut);
        assert_true(gate_packing_end(&packing, &err));
        gate_packing_free(&packing);
        expect_one_member(gate_buf_view(&packed), gate_buf_view(&text));
    }
}

TEST(one_part_is_packed_as_without_parts) {
    static const enum gate_container containers[] = {GATE_CONTAINER_GZIP, GATE_CONTAINER_ZSTD};
    AT_END(gate_buf_free) struct gate_buf text = make_text(PART - 1);
    for (size_t i = 0; i < 2; i++) {
        AT_END(gate_buf_free) struct gate_buf whole = {0}, packed = {0};
        assert_true(gate_container_write(&whole, gate_buf_view(&text), containers[i], &err));
        pack(&packed, gate_buf_view(&text), containers[i], 1000);
        assert_true(gate_str_equal(gate_buf_view(&whole), gate_buf_view(&packed)));
    }
}

static bool take_some(void *context, struct gate_str bytes, struct gate_error *err) {
    int *left = context;
    (void)bytes;
    return (*left)-- > 0 || gate_error_set(err, GATE_ERR_IO, "full");
}

TEST(a_sink_that_is_full_ends_it) {
    AT_END(gate_buf_free) struct gate_buf text = make_text((size_t)3 * PART);
    bool was_enough = false;
    for (int takes = 0; !was_enough; takes++) {
        int left = takes;
        AT_END(gate_packing_free) struct gate_packing packing;
        struct gate_error err = {0};
        assert_true(takes < 10);
        gate_packing_begin(&packing, GATE_CONTAINER_GZIP, (struct gate_sink){take_some, &left});
        packing.part_bytes = PART;
        was_enough = gate_packing_put(&packing, gate_buf_view(&text), &err) && gate_packing_end(&packing, &err);
        assert_int_equal(err.code, was_enough ? GATE_OK : GATE_ERR_IO);
    }
}
