/* SPDX-License-Identifier: Apache-2.0 */
/* Inflating: what is read, and that each way of being broken has its own message. */
#include "gate/profile/inflate.h"
#include "profile_fixture.h"

static const char text[] = "the quick brown fox jumps over the lazy dog, the quick brown fox jumps over the lazy dog";

static void pack(struct gate_buf *out, enum gate_container container) {
    struct gate_error err = {0};
    assert_true(gate_container_write(out, gate_str_from(text), container, &err));
}

static void expect_inflated(const struct gate_buf *packed, size_t copies) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_str plain;
    if (!gate_inflate(&plain, gate_buf_view(packed), 0, &arena, &err))
        fail_msg("%s", err.message);
    assert_int_equal(plain.len, copies * strlen(text));
    for (size_t i = 0; i < copies; i++)
        assert_memory_equal(plain.ptr + i * strlen(text), text, strlen(text));
    gate_arena_free(&arena);
}

static void expect_refused(struct gate_str packed, size_t cap, enum gate_error_code code, const char *part) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_str plain;
    if (gate_inflate(&plain, packed, cap, &arena, &err))
        fail_msg("inflated, expected '%s'", part);
    if (strstr(err.message, part) == NULL)
        fail_msg("said '%s', expected '%s'", err.message, part);
    assert_int_equal(err.code, code);
    gate_arena_free(&arena);
}

static void one_member_and_several_are_read(void **state) {
    (void)state;
    for (int container = GATE_CONTAINER_GZIP; container <= GATE_CONTAINER_ZSTD; container++) {
        struct gate_buf packed = {0};
        for (size_t copies = 1; copies <= 3; copies++) {
            pack(&packed, (enum gate_container)container);
            expect_inflated(&packed, copies);
        }
        gate_buf_free(&packed);
    }
}

static void raw_bytes_are_not_copied(void **state) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_str plain;
    (void)state;
    assert_true(gate_inflate(&plain, gate_str_from(text), 0, &arena, &err));
    assert_ptr_equal(plain.ptr, text);
    assert_int_equal(arena.used_bytes, 0);
    expect_refused(gate_str_from(text), 5, GATE_ERR_LIMIT, "--max-size");
}

static void broken_gzip_says_how(void **state) {
    struct gate_buf packed = {0};
    (void)state;
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
    gate_buf_free(&packed);
}

static void broken_zstd_says_how(void **state) {
    struct gate_buf packed = {0};
    (void)state;
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
    gate_buf_free(&packed);
}

static void a_bomb_stops_at_the_cap(void **state) {
    enum { ZEROS = 8 * 1024 * 1024 };
    struct gate_error err = {0};
    char *zeros = calloc(1, ZEROS);
    (void)state;
    for (int container = GATE_CONTAINER_GZIP; container <= GATE_CONTAINER_ZSTD; container++) {
        struct gate_buf packed = {0};
        assert_true(
            gate_container_write(&packed, (struct gate_str){zeros, ZEROS}, (enum gate_container)container, &err));
        expect_refused(gate_buf_view(&packed), ZEROS - 1, GATE_ERR_LIMIT, "--max-size");
        expect_refused(gate_buf_view(&packed), 100, GATE_ERR_LIMIT, "--max-size");
        struct gate_arena arena = {0};
        struct gate_str plain;
        assert_true(gate_inflate(&plain, gate_buf_view(&packed), ZEROS, &arena, &err));
        assert_int_equal(plain.len, ZEROS);
        gate_arena_free(&arena);
        gate_buf_free(&packed);
    }
    free(zeros);
}

/* ISIZE describes the last member only: one that claims the size of all must not hide the others. */
static void the_size_field_is_not_believed(void **state) {
    struct gate_buf packed = {0};
    (void)state;
    pack(&packed, GATE_CONTAINER_GZIP);
    size_t first = packed.len;
    pack(&packed, GATE_CONTAINER_GZIP);
    expect_inflated(&packed, 2);
    packed.ptr[first - 4] = 0; /* the first member's own field is checked all the same */
    expect_refused(gate_buf_view(&packed), 0, GATE_ERR_FORMAT, "length field is wrong");
    gate_buf_free(&packed);
}

static void an_empty_member_is_empty(void **state) {
    struct gate_buf packed = {0};
    struct gate_error err = {0};
    struct gate_arena arena = {0};
    struct gate_str plain;
    (void)state;
    assert_true(gate_container_write(&packed, GATE_STR(""), GATE_CONTAINER_GZIP, &err));
    assert_true(gate_inflate(&plain, gate_buf_view(&packed), 0, &arena, &err));
    assert_int_equal(plain.len, 0);
    expect_error(gate_buf_view(&packed), NULL, GATE_ERR_FORMAT, "empty");
    gate_arena_free(&arena);
    gate_buf_free(&packed);
}

static void what_is_inside_is_looked_at_too(void **state) {
    struct gate_buf packed = {0}, twice = {0};
    struct gate_error err = {0};
    (void)state;
    assert_true(gate_container_write(&packed, GATE_STR("<html>no</html>"), GATE_CONTAINER_GZIP, &err));
    expect_error(gate_buf_view(&packed), NULL, GATE_ERR_FORMAT, "an HTML page");
    assert_true(gate_container_write(&twice, gate_buf_view(&packed), GATE_CONTAINER_ZSTD, &err));
    expect_error(gate_buf_view(&twice), NULL, GATE_ERR_FORMAT, "compressed twice");
    packed.len = 0;
    assert_true(gate_container_write(&packed, GATE_STR("\x0a\x03\x08\xff\xff\x01\x02\x03"), GATE_CONTAINER_GZIP, &err));
    expect_error(gate_buf_view(&packed), NULL, GATE_ERR_FORMAT, "malformed");
    gate_buf_free(&packed);
    gate_buf_free(&twice);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_member_and_several_are_read),
        cmocka_unit_test(raw_bytes_are_not_copied),
        cmocka_unit_test(broken_gzip_says_how),
        cmocka_unit_test(broken_zstd_says_how),
        cmocka_unit_test(a_bomb_stops_at_the_cap),
        cmocka_unit_test(the_size_field_is_not_believed),
        cmocka_unit_test(an_empty_member_is_empty),
        cmocka_unit_test(what_is_inside_is_looked_at_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
