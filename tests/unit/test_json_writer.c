/* SPDX-License-Identifier: Apache-2.0 */
/* base/json_io.h: the JSON writer puts commas, brackets and white space. */
#include "gate/base/json_io.h"
#include "tests/unit/unit.h"

#include <jansson.h>
#include <math.h>

static struct gate_buf write_sample(unsigned indent) {
    struct gate_buf out = {0};
    struct gate_json json = {.out = &out, .indent = indent};
    gate_json_open(&json, '{');
    gate_json_key(&json, "empty");
    gate_json_open(&json, '[');
    gate_json_close(&json, ']');
    gate_json_key(&json, "flat");
    gate_json_open_flat(&json, '[');
    gate_json_integer(&json, INT64_MIN);
    gate_json_number(&json, NAN);
    gate_json_bool(&json, true);
    gate_json_close(&json, ']');
    gate_json_key(&json, "text");
    gate_json_text(&json, "</script>\n");
    gate_json_close(&json, '}');
    return out;
}

static void expect_sample(unsigned indent, const char *wanted) {
    AT_END(gate_buf_free) struct gate_buf out = write_sample(indent);
    json_error_t error;
    json_t *root = json_loadb(out.ptr, out.len, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "text")), "</script>\n");
    json_decref(root);
    gate_buf_char(&out, '\0');
    assert_string_equal(out.ptr, wanted);
}

TEST(without_indent_there_is_no_white_space) {
    expect_sample(0, "{\"empty\":[],\"flat\":[-9223372036854775808,null,true],\"text\":\"\\u003c/script>\\n\"}");
}

TEST(with_indent_an_item_has_its_line) {
    expect_sample(2, "{\n  \"empty\": [],\n  \"flat\": [-9223372036854775808, null, true],\n"
                     "  \"text\": \"\\u003c/script>\\n\"\n}\n");
}

/* All integers from -20 to 119,999 are written and read back. */
TEST(integers_of_a_column_are_read_back) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_json json = {.out = &out};
    enum { LEAST = -20, MOST = 120000 };
    gate_json_open(&json, '[');
    for (int64_t i = LEAST; i < MOST; i++)
        gate_json_integer(&json, i);
    gate_json_close(&json, ']');
    json_error_t error;
    json_t *root = json_loadb(out.ptr, out.len, 0, &error);
    assert_non_null(root);
    assert_int_equal(json_array_size(root), MOST - LEAST);
    for (int64_t i = LEAST; i < MOST; i++)
        assert_int_equal(json_integer_value(json_array_get(root, (size_t)(i - LEAST))), i);
    json_decref(root);
}

/* A column writes the same bytes as its numbers one by one: numbers of every length, rounded, and too large to
 * round. */
TEST(a_column_equals_its_numbers_written_one_by_one) {
    static const double odd[] = {0,   -0.0,   0.05,       0.005, -0.004, 9.995, 99.999,
                                 100, -100.5, 1e7 + 0.25, 3e12,  1e300,  NAN};
    enum { ODD = sizeof odd / sizeof *odd, MANY = 400 };
    for (int decimals = 0; decimals <= 4; decimals++) {
        AT_END(gate_buf_free) struct gate_buf alone = {0}, out = {0};
        struct gate_json one = {.out = &alone}, json = {.out = &out};
        struct gate_json_column column;
        gate_json_key(&one, "k");
        gate_json_open(&one, '[');
        gate_json_column_begin(&column, &json, "k", decimals);
        for (int i = 0; i < MANY; i++) {
            double value = i < ODD ? odd[i] : (i % 2 == 0 ? 1 : -1) * pow(1.07, i - MANY / 2.0);
            gate_json_rounded(&one, value, decimals);
            gate_json_column_round(&column, value);
        }
        gate_json_close(&one, ']');
        gate_json_column_end(&column);
        assert_int_equal(out.len, alone.len);
        assert_memory_equal(out.ptr, alone.ptr, out.len);
    }
}

TEST(a_column_writes_all_integers) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_json json = {.out = &out};
    struct gate_json_column column;
    gate_json_open(&json, '{');
    gate_json_column_begin(&column, &json, "none", 0);
    gate_json_column_end(&column);
    gate_json_column_begin(&column, &json, "ends", 0);
    gate_json_column_add(&column, INT64_MIN);
    gate_json_column_add(&column, -1);
    gate_json_column_add(&column, 9999);
    gate_json_column_add(&column, 10000);
    gate_json_column_add(&column, INT64_MAX);
    gate_json_column_end(&column);
    gate_json_close(&json, '}');
    gate_buf_char(&out, '\0');
    assert_string_equal(out.ptr, "{\"none\":[],\"ends\":[-9223372036854775808,-1,9999,10000,9223372036854775807]}");
}
