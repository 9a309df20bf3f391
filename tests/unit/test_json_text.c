/* SPDX-License-Identifier: Apache-2.0 */
/* base/json_io.h: which texts are JSON and which are not, and that every value is complete. The reference is jansson's
 * own reader, for which memory suffices here. */
#include "gate/base/json_io.h"

#include "gate/base/buf.h"
#include "tests/unit/unit.h"

struct refusal {
    struct gate_str text;
    size_t line, column;
    const char *what;
};

#define TEXT(literal)                                                                                                  \
    { literal, sizeof(literal) - 1 }

static const struct refusal refusals[] = {
    {TEXT(""), 1, 1, "found nothing"},
    {TEXT(" \n\t"), 2, 2, "found nothing"},
    {TEXT("1"), 1, 1, "expected '{' or '['"},
    {TEXT("\"a\""), 1, 1, "expected '{' or '['"},
    {TEXT("\xEF\xBB\xBF{}"), 1, 1, "expected '{' or '['"},
    {TEXT("["), 1, 2, "the text ends where a value was expected"},
    {TEXT("[1"), 1, 3, "expected ',' or ']'"},
    {TEXT("[1,"), 1, 4, "the text ends where a value was expected"},
    {TEXT("[1,]"), 1, 4, "expected a value"},
    {TEXT("[,1]"), 1, 2, "expected a value"},
    {TEXT("[1 2]"), 1, 4, "expected ',' or ']'"},
    {TEXT("[1}"), 1, 3, "expected ',' or ']'"},
    {TEXT("{\"a\":1]"), 1, 7, "expected ',' or '}'"},
    {TEXT("{"), 1, 2, "the text ends inside of a map"},
    {TEXT("{a:1}"), 1, 2, "expected a key in quotes"},
    {TEXT("{\"a\" 1}"), 1, 6, "expected ':' behind a key"},
    {TEXT("{\"a\":1,}"), 1, 8, "expected a key in quotes"},
    {TEXT("{\n \"a\": 1,\n \"a\": 2}"), 3, 5, "duplicate key"},
    {TEXT("{} {}"), 1, 4, "found more behind the end of the document"},
    {TEXT("[]\0"), 1, 3, "found more behind the end of the document"},
    {TEXT("[1\0]"), 1, 3, "expected ',' or ']'"},
    {TEXT("[tru]"), 1, 2, "expected a value"},
    {TEXT("[NaN]"), 1, 2, "expected a value"},
    {TEXT("[01]"), 1, 3, "expected ',' or ']'"},
    {TEXT("[-]"), 1, 3, "expected a digit"},
    {TEXT("[1.]"), 1, 4, "expected a digit"},
    {TEXT("[.5]"), 1, 2, "expected a value"},
    {TEXT("[1e]"), 1, 4, "expected a digit"},
    {TEXT("[+1]"), 1, 2, "expected a value"},
    {TEXT("[9223372036854775808]"), 1, 21, "found an integer of more than 64 bits"},
    {TEXT("[-9223372036854775809]"), 1, 22, "found an integer of more than 64 bits"},
    {TEXT("[1e999]"), 1, 7, "found a number that is too large"},
    {TEXT("[\"a]"), 1, 5, "the text ends inside of a string"},
    {TEXT("[\"a\n\"]"), 1, 4, "found a control character in a string"},
    {TEXT("[\"a\0\"]"), 1, 4, "found a control character in a string"},
    {TEXT("[\"\\x\"]"), 1, 4, "found an escape that JSON does not have"},
    {TEXT("[\"\\\0\"]"), 1, 4, "found an escape that JSON does not have"},
    {TEXT("[\"\\"), 1, 4, "found an escape that JSON does not have"},
    {TEXT("[\"\\u12g4\"]"), 1, 7, "expected four hexadecimal digits behind '\\u'"},
    {TEXT("[\"\\uD800\"]"), 1, 9, "found half of a pair of surrogates"},
    {TEXT("[\"\\uD800\\u0041\"]"), 1, 15, "found half of a pair of surrogates"},
    {TEXT("[\"\\uDC00\"]"), 1, 9, "found half of a pair of surrogates"},
    {TEXT("[\"\\u0000\"]"), 1, 9, "found a zero byte in a text"},
    {TEXT("[\"\xC0\x80\"]"), 1, 3, "found bytes that are not UTF-8"},
    {TEXT("[\"\xED\xA0\x80\"]"), 1, 3, "found bytes that are not UTF-8"},
    {TEXT("[\"\xF0\x80\x80\x80\"]"), 1, 3, "found bytes that are not UTF-8"},
    {TEXT("[\"\xF4\x90\x80\x80\"]"), 1, 3, "found bytes that are not UTF-8"},
    {TEXT("[\"\xE2\x82"), 1, 3, "found bytes that are not UTF-8"},
};

TEST(invalid_json_is_refused) {
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *row = &refusals[i];
        struct gate_json_fault fault = {0};
        assert_null(gate_json_text_read(&fault, row->text, GATE_JSON_TEXT_UNIQUE));
        assert_non_null(fault.what);
        assert_string_equal(fault.what, row->what);
        assert_int_equal(fault.line, row->line);
        assert_int_equal(fault.column, row->column);
    }
}

static const struct gate_str accepted[] = {
    TEXT("{}"),
    TEXT(" [ ] \r\n"),
    TEXT("[0,-0,1,-1,9223372036854775807,-9223372036854775808]"),
    TEXT("[0.5,-0.0,1e3,1E+3,1e-400,123456789012345678901234567890.0,0.1e1]"),
    TEXT("[true,false,null,[true,[false,{}],[]]]"),
    TEXT("{\"a\":{\"b\":[1,{\"c\":\"d\"}]},\"e\":[],\"\":1}"),
    TEXT("[\"\",\"a\",\"\\\"\\\\\\/"
         "\\b\\f\\n\\r\\t\",\"\\u0041\\u00e4\\u20ac\\uD83D\\uDE00\",\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"]"),
    TEXT("{\"\\u0061b\":1,\"\xC3\xA4\":2}"),
    TEXT("{\"a\":1,\"a\":2,\"a\":{\"b\":1,\"b\":[]}}"),
    TEXT("[\"\\u0000a\"]"),
    TEXT("[\"plain then \\n and more\\t\"]"),
};

TEST(valid_json_is_read_as_by_jansson) {
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct gate_json_fault fault = {0};
        json_t *mine = gate_json_text_read(&fault, accepted[i], GATE_JSON_TEXT_ZEROS);
        json_t *other = json_loadb(accepted[i].ptr, accepted[i].len, JSON_ALLOW_NUL, NULL);
        assert_non_null(mine);
        assert_non_null(other);
        assert_true(json_equal(mine, other));
        json_decref(mine);
        json_decref(other);
    }
}

TEST(integers_beyond_64_bits_are_doubles_only_on_request) {
    struct gate_json_fault fault = {0};
    json_t *root = gate_json_text_read(
        &fault, GATE_STR("[9223372036854775808,-9223372036854775809,9223372036854775807,18446744073709551615]"),
        GATE_JSON_TEXT_WIDE);
    assert_non_null(root);
    assert_true(json_real_value(json_array_get(root, 0)) == 0x1p63);
    assert_true(json_real_value(json_array_get(root, 1)) == -0x1p63);
    assert_true(json_is_integer(json_array_get(root, 2)));
    assert_true(json_real_value(json_array_get(root, 3)) == 0x1p64);
    json_decref(root);
}

static json_t *nested(size_t depth) {
    struct gate_buf text = {0};
    struct gate_json_fault fault = {0};
    gate_buf_repeat(&text, '[', depth);
    gate_buf_repeat(&text, ']', depth);
    json_t *out = gate_json_text_read(&fault, gate_buf_view(&text), 0);
    assert_true(out != NULL || strcmp(fault.what, "nested too deeply") == 0);
    gate_buf_free(&text);
    return out;
}

TEST(depth_has_a_limit) {
    json_t *whole = nested(GATE_JSON_TEXT_DEPTH);
    assert_non_null(whole);
    json_decref(whole);
    assert_null(nested(GATE_JSON_TEXT_DEPTH + 1));
    assert_null(nested(100000));
}

/* Read a truncated or changed document: both readers accept it with equal values, or both refuse it. (jansson ignores a
 * zero byte after a number, which is refused here.) */
static void damaged(const char *bytes, size_t len) {
    struct gate_json_fault fault = {0};
    json_t *mine = gate_json_text_read(&fault, (struct gate_str){bytes, len}, GATE_JSON_TEXT_ZEROS);
    json_t *other = json_loadb(bytes, len, JSON_ALLOW_NUL, NULL);
    assert_int_equal(mine == NULL, other == NULL);
    assert_true(mine == NULL || json_equal(mine, other));
    json_decref(mine);
    json_decref(other);
}

TEST(damaged_json_is_judged_as_by_jansson) {
    static const char whole[] =
        "{\"nodes\":[{\"id\":1,\"x\":-1.5e2,\"n\":\"m\\u00e4in\\n\xC3\xA4\"},[true,null]],\"t\":12}";
    static const char put[] = "\"\\{}[],:0-.eE\x80\xC3 \n\tu";
    char text[sizeof whole];
    for (size_t at = 0; at < sizeof whole - 1; at++) {
        damaged(whole, at);
        memcpy(text, whole, sizeof whole);
        for (size_t i = 0; i < sizeof put - 1; i++) {
            text[at] = put[i];
            damaged(text, sizeof whole - 1);
        }
    }
}

/* ---- allocations that fail --------------------------------------------------------------------------------------- */

static size_t allocations_left;

static void *scarce_malloc(size_t size) {
    if (allocations_left == 0)
        return NULL;
    allocations_left--;
    return malloc(size);
}

/* The n-th allocation of jansson fails: no document is returned, and `fault.what` is NULL, which means out of
 * memory. */
TEST(no_value_is_lost_if_memory_runs_out) {
    static const struct gate_str text = TEXT("{\"name\":[\"a longer text than jansson starts with\",12,{\"k\":1.5}]}");
    struct gate_json_fault fault = {0};
    json_t *out = NULL;
    size_t number = 0;
    json_set_alloc_funcs(scarce_malloc, free);
    for (; out == NULL; number++) {
        fault.what = "untouched";
        allocations_left = number;
        out = gate_json_text_read(&fault, text, 0);
        assert_true(out != NULL || fault.what == NULL);
        assert_true(number < 100);
    }
    json_decref(out);
    json_set_alloc_funcs(malloc, free);
    assert_true(number > 8);
}
