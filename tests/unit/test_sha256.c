/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against the examples of FIPS 180-4 and lengths around a block; Base64 against RFC 4648, 10. */
#include "gate/base/hash.h"
#include "tests/unit/unit.h"

static void digest_is(struct gate_str bytes, const char *hex) {
    uint8_t digest[GATE_SHA256_BYTES];
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    gate_sha256(digest, bytes);
    struct gate_buf text = {0};
    for (size_t i = 0; i < sizeof digest; i++)
        gate_buf_printf(&text, "%02x", digest[i]);
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, hex);
    gate_buf_free(&text);
    struct gate_str digits = gate_sha256_hex(bytes, &arena);
    assert_int_equal(digits.len, 64);
    assert_string_equal(digits.ptr, hex);
    assert_true(gate_sha256_is_hex(digits));
    assert_false(gate_sha256_is_hex(gate_str_slice(digits, 1, 64)));
}

TEST(without_memory_there_are_no_digits) {
    AT_END(gate_arena_free) struct gate_arena arena = {.limit_bytes = 1};
    assert_null(gate_sha256_hex(GATE_STR("abc"), &arena).ptr);
}

TEST(a_digest_is_64_lower_case_hexadecimal_digits) {
    struct gate_str zeros = GATE_STR("0000000000000000000000000000000000000000000000000000000000000000");
    assert_true(gate_sha256_is_hex(zeros));
    assert_false(gate_sha256_is_hex(GATE_STR("")));
    assert_false(gate_sha256_is_hex(GATE_STR("000000000000000000000000000000000000000000000000000000000000000A")));
    assert_false(gate_sha256_is_hex(GATE_STR("000000000000000000000000000000000000000000000000000000000000000\0")));
}

TEST(published_examples) {
    digest_is(GATE_STR(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    digest_is(GATE_STR("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest_is(GATE_STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(the_digest_of_a_million_letters_is_the_published_one) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_buf_repeat(&text, 'a', 1000000);
    digest_is(gate_buf_view(&text), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(base64_is_padded_to_four_characters) {
    static const char *const rows[][2] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                          {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        gate_base64(&out, (const uint8_t *)rows[i][0], strlen(rows[i][0]));
        gate_buf_char(&out, '\0');
        assert_string_equal(out.ptr, rows[i][1]);
    }
}
