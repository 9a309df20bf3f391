/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression: what is read, and that each kind of damage has its own message. */
#include "gate/formats/inflate.h"
#include "profile_fixture.h"

#include "gate/base/hash.h"
#include "gate/formats/deflate.h"

#include <zlib.h>

static const char text[] = "the quick brown fox jumps over the lazy dog, the quick brown fox jumps over the lazy dog";

static void pack(struct gate_buf *out, enum gate_container container) {
    assert_true(gate_container_write(out, gate_str_from(text), container, &err));
}

static void expect_inflated(const struct gate_buf *packed, size_t copies) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_str plain;
    if (!gate_inflate(&plain, gate_buf_view(packed), 0, &arena, &err))
        fail_msg("%s", err.message);
    assert_int_equal(plain.len, copies * strlen(text));
    for (size_t i = 0; i < copies; i++)
        assert_memory_equal(plain.ptr + i * strlen(text), text, strlen(text));
}

static void expect_refused(struct gate_str packed, size_t cap, enum gate_error_code code, const char *part) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_str plain;
    if (gate_inflate(&plain, packed, cap, &arena, &err))
        fail_msg("inflated, expected '%s'", part);
    if (strstr(err.message, part) == NULL)
        fail_msg("said '%s', expected '%s'", err.message, part);
    assert_int_equal(err.code, code);
}

TEST(one_member_and_several_are_read) {
    for (int container = GATE_CONTAINER_GZIP; container <= GATE_CONTAINER_ZSTD; container++) {
        AT_END(gate_buf_free) struct gate_buf packed = {0};
        for (size_t copies = 1; copies <= 3; copies++) {
            pack(&packed, (enum gate_container)container);
            expect_inflated(&packed, copies);
        }
    }
}

TEST(raw_bytes_are_not_copied) {
    struct gate_arena arena = {0};
    struct gate_str plain;
    assert_true(gate_inflate(&plain, gate_str_from(text), 0, &arena, &err));
    assert_ptr_equal(plain.ptr, text);
    assert_int_equal(arena.used_bytes, 0);
    expect_refused(gate_str_from(text), 5, GATE_ERR_LIMIT, "--max-size");
}

TEST(errors_of_broken_gzip_name_the_fault) {
    AT_END(gate_buf_free) struct gate_buf packed = {0};
    pack(&packed, GATE_CONTAINER_GZIP);
    struct gate_str whole = gate_buf_view(&packed);
    for (size_t len = 2; len < whole.len; len++)
        expect_refused(gate_str_slice(whole, 0, len), 0, GATE_ERR_FORMAT, "is truncated");
    packed.ptr[packed.len - 8] ^= 1;
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "checksum is wrong");
    packed.ptr[packed.len - 8] ^= 1;
    packed.ptr[packed.len - 4] ^= 1;
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "length field is wrong");
    packed.ptr[packed.len - 4] ^= 1;
    gate_buf_text(&packed, "tail");
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "4 bytes of trailing garbage");
    packed.len -= 4;
    gate_buf_bytes(&packed, "\0\0\0", 3);
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "3 bytes of trailing garbage");
    packed.len -= 3;
    packed.ptr[12] ^= 0x55;
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "at byte");
}

TEST(errors_of_broken_zstd_name_the_fault) {
    AT_END(gate_buf_free) struct gate_buf packed = {0};
    pack(&packed, GATE_CONTAINER_ZSTD);
    struct gate_str whole = gate_buf_view(&packed);
    for (size_t len = 4; len < whole.len; len++)
        expect_refused(gate_str_slice(whole, 0, len), 0, GATE_ERR_FORMAT, "is truncated");
    packed.ptr[packed.len - 1] ^= 1;
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "checksum is wrong");
    packed.ptr[packed.len - 1] ^= 1;
    gate_buf_text(&packed, "tail");
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "4 bytes of trailing garbage");
    packed.len -= 4;
    gate_buf_bytes(&packed, "\x50\x2a\x4d\x18\x02\0\0\0ab", 10); /* a skippable frame */
    expect_inflated(&packed, 1);
}

TEST(a_bomb_stops_at_the_cap) {
    enum { ZEROS = 8 * 1024 * 1024 };
    char *zeros = calloc(1, ZEROS);
    for (int container = GATE_CONTAINER_GZIP; container <= GATE_CONTAINER_ZSTD; container++) {
        AT_END(gate_buf_free) struct gate_buf packed = {0};
        assert_true(
            gate_container_write(&packed, (struct gate_str){zeros, ZEROS}, (enum gate_container)container, &err));
        expect_refused(gate_buf_view(&packed), ZEROS - 1, GATE_ERR_LIMIT, "--max-size");
        expect_refused(gate_buf_view(&packed), 100, GATE_ERR_LIMIT, "--max-size");
        struct gate_str plain;
        assert_true(gate_inflate(&plain, gate_buf_view(&packed), ZEROS, &arena, &err));
        assert_int_equal(plain.len, ZEROS);
    }
    free(zeros);
}

/* ISIZE is the size of the last gzip member only. It must not be taken for the size of all members. */
TEST(the_size_field_is_not_trusted) {
    AT_END(gate_buf_free) struct gate_buf packed = {0};
    pack(&packed, GATE_CONTAINER_GZIP);
    size_t first = packed.len;
    pack(&packed, GATE_CONTAINER_GZIP);
    expect_inflated(&packed, 2);
    packed.ptr[first - 4] = 0; /* the first member's ISIZE is checked too */
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "length field is wrong");
}

TEST(an_empty_member_is_empty) {
    AT_END(gate_buf_free) struct gate_buf packed = {0};
    struct gate_str plain;
    assert_true(gate_container_write(&packed, GATE_STR(""), GATE_CONTAINER_GZIP, &err));
    assert_true(gate_inflate(&plain, gate_buf_view(&packed), 0, &arena, &err));
    assert_int_equal(plain.len, 0);
    expect_error(gate_buf_view(&packed), NULL, GATE_ERR_FORMAT, "empty");
}

TEST(content_of_compressed_input_is_checked) {
    AT_END(gate_buf_free) struct gate_buf packed = {0}, twice = {0};
    assert_true(gate_container_write(&packed, GATE_STR("<html>no</html>"), GATE_CONTAINER_GZIP, &err));
    expect_error(gate_buf_view(&packed), NULL, GATE_ERR_FORMAT, "an HTML page");
    assert_true(gate_container_write(&twice, gate_buf_view(&packed), GATE_CONTAINER_ZSTD, &err));
    expect_error(gate_buf_view(&twice), NULL, GATE_ERR_FORMAT, "compressed twice");
    packed.len = 0;
    assert_true(gate_container_write(&packed, GATE_STR("\x0a\x03\x08\xff\xff\x01\x02\x03"), GATE_CONTAINER_GZIP, &err));
    expect_error(gate_buf_view(&packed), NULL, GATE_ERR_FORMAT, "malformed");
}

/* Put `packed` at the end of a block and call gate_inflate_over. Returns whether it succeeded; then the result equals
 * `plain`. */
static bool inflates_over(struct gate_str packed, struct gate_str plain) {
    size_t block_size = plain.len + gate_inflate_margin(packed.len);
    uint8_t *block = calloc(block_size, 1);
    assert_non_null(block);
    memcpy(block + block_size - packed.len, packed.ptr, packed.len);
    struct gate_str over = {(char *)block + block_size - packed.len, packed.len};
    bool ok = gate_inflate_over(block, plain.len, over);
    if (ok)
        assert_memory_equal(block, plain.ptr, plain.len);
    free(block);
    return ok;
}

/* Three parts, each of which compresses well or not at all, in every combination. The output then catches up with the
 * unread input at different places. */
TEST(a_stream_is_inflated_over_itself) {
    enum { PART = 1 << 20 };
    for (unsigned kinds = 0; kinds < 8; kinds++) {
        AT_END(gate_buf_free) struct gate_buf plain = {0}, packed = {0};
        for (uint64_t i = 0; i < 3 * (uint64_t)PART; i++)
            gate_buf_char(&plain, kinds >> (i / PART) & 1 ? (char)gate_hash_mix(i) : 'a');
        assert_true(gate_container_write(&packed, gate_buf_view(&plain), GATE_CONTAINER_GZIP, &err));
        assert_true(inflates_over(gate_buf_view(&packed), gate_buf_view(&plain)));
        packed.ptr[packed.len - 5]++;
        assert_false(inflates_over(gate_buf_view(&packed), gate_buf_view(&plain)));
    }
}

static bool inflates_small(struct gate_str packed, size_t cap, struct gate_str plain) {
    struct gate_arena arena = {0};
    struct gate_str out = GATE_STR("");
    bool ok = gate_inflate_small(&out, packed, cap, &arena);
    assert_true(ok == gate_str_equal(out, plain));
    assert_int_equal(arena.used_bytes != 0, ok);
    gate_arena_free(&arena);
    return ok;
}

/* gate_inflate_small decompresses a gzip file only if its ISIZE is at most 4 MiB and correct. Other files are left to
 * gate_inflate. */
TEST(input_with_a_small_size_field_is_inflated_at_once) {
    enum { SMALL = 4 << 20 };
    struct gate_str plain = {calloc(SMALL + 1, 1), SMALL + 1};
    assert_non_null(plain.ptr);
    for (int more = 0; more < 2; more++) {
        AT_END(gate_buf_free) struct gate_buf packed = {0};
        struct gate_str part = gate_str_slice(plain, 0, (size_t)SMALL + (size_t)more);
        assert_true(gate_container_write(&packed, part, GATE_CONTAINER_GZIP, &err));
        assert_int_equal(inflates_small(gate_buf_view(&packed), 0, part), more == 0);
        assert_false(inflates_small(gate_buf_view(&packed), SMALL - 1, part));
        packed.ptr[packed.len - 4]--; /* smaller than the real size */
        assert_false(inflates_small(gate_buf_view(&packed), 0, part));
        packed.len = 0;
        assert_true(gate_container_write(&packed, gate_str_from(text), GATE_CONTAINER_ZSTD, &err));
        assert_false(inflates_small(gate_buf_view(&packed), 0, gate_str_from(text)));
        assert_false(inflates_small(gate_str_from(text), 0, gate_str_from(text)));
    }
    free((void *)(uintptr_t)plain.ptr);
}

/* Append `plain` as deflate blocks, none of them marked as the last one. */
static void blocks_write(struct gate_buf *out, struct gate_str plain) {
    char packed[64 * 1024];
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)plain.ptr,
                       .avail_in = (uInt)plain.len,
                       .next_out = (Bytef *)packed,
                       .avail_out = sizeof packed};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_SYNC_FLUSH), Z_OK);
    assert_int_equal(stream.avail_in, 0);
    gate_buf_bytes(out, packed, sizeof packed - stream.avail_out);
    (void)deflateEnd(&stream);
}

/* Megabytes of empty blocks: before the data they are read in time. After the data they are overwritten before they are
 * read, so the function fails. */
TEST(input_overwritten_before_it_is_read_fails) {
    enum { ZEROS = 16 << 20, EMPTY_BLOCKS = 1 << 20 };
    struct gate_str plain = {calloc(ZEROS, 1), ZEROS};
    struct gate_buf whole = {0};
    assert_non_null(plain.ptr);
    assert_true(gate_container_write(&whole, plain, GATE_CONTAINER_GZIP, &err));
    for (int is_behind = 0; is_behind < 2; is_behind++) {
        AT_END(gate_buf_free) struct gate_buf packed = {0};
        gate_buf_bytes(&packed, whole.ptr, 10); /* gzip header without a file name */
        for (int i = 0; i <= EMPTY_BLOCKS; i++) {
            gate_buf_bytes(&packed, "\0\0\0\xff\xff", 5);
            if (i == (is_behind ? 0 : EMPTY_BLOCKS))
                blocks_write(&packed, plain);
        }
        gate_buf_bytes(&packed, "\1\0\0\xff\xff", 5);
        gate_buf_bytes(&packed, whole.ptr + whole.len - 8, 8);
        assert_int_equal(inflates_over(gate_buf_view(&packed), plain), !is_behind);
    }
    gate_buf_free(&whole);
    free((void *)(uintptr_t)plain.ptr);
}
