/* SPDX-License-Identifier: Apache-2.0 */
/* base/json_io.h: strict reading of pprofgate's own JSON files. */
#include "gate/base/json_io.h"
#include "tests/unit/unit.h"

struct fixture {
    struct gate_arena arena;
    struct gate_error err;
    json_t *root;
    struct gate_json_reader reader;
};

static void open_document(struct fixture *t, const char *text, size_t arena_limit) {
    gate_arena_init(&t->arena, arena_limit);
    t->err = (struct gate_error){0};
    t->root = gate_json_reader_parse(gate_str_from(text), "a thing", GATE_ERR_CONFIG, &t->err);
    assert_non_null(t->root);
    t->reader = (struct gate_json_reader){t->root, "it", GATE_ERR_CONFIG, &t->arena, &t->err};
}

static void close_document(struct fixture *t) {
    json_decref(t->root);
    gate_arena_free(&t->arena);
}

TEST(an_error_in_json_names_its_line) {
    assert_null(gate_json_reader_parse(GATE_STR("{\n \"a\": 1,\n \"a\": 2}"), "a thing", GATE_ERR_FORMAT, &err));
    assert_int_equal(err.code, GATE_ERR_FORMAT);
    assert_non_null(strstr(err.message, "expected a thing in JSON, found in line 3: duplicate"));
    assert_null(gate_json_reader_parse(GATE_STR(""), "a thing", GATE_ERR_CONFIG, &err));
    assert_non_null(strstr(err.message, "line 1: "));
}

TEST(an_unknown_key_is_refused_and_named) {
    static const char *const known[] = {"a", "b", NULL}, *const fewer[] = {"a", NULL};
    struct fixture t;
    open_document(&t, "{\"a\": 1, \"b\": [2]}", SIZE_MAX);
    assert_true(gate_json_reader_keys(&t.reader, known));
    assert_false(gate_json_reader_keys(&t.reader, fewer));
    assert_string_equal(t.err.message, "it: unknown key 'b'");
    const struct gate_json_reader item = gate_json_reader_item(&t.reader, json_object_get(t.root, "b"), 0, "b[0]");
    assert_false(gate_json_reader_keys(&item, known));
    assert_string_equal(t.err.message, "b[0]: expected a map");
    close_document(&t);
}

TEST(a_text_may_be_optional_required_or_not_empty) {
    struct gate_str text;
    struct fixture t;
    open_document(&t, "{\"a\": \"x\", \"empty\": \"\", \"no\": 1}", SIZE_MAX);
    assert_true(gate_json_reader_text(&text, &t.reader, "a", GATE_JSON_READER_FILLED));
    assert_true(gate_str_equal(text, GATE_STR("x")));
    assert_true(gate_json_reader_text(&text, &t.reader, "none", GATE_JSON_READER_MAY));
    assert_int_equal(text.len, 0);
    assert_true(gate_json_reader_text(&text, &t.reader, "empty", GATE_JSON_READER_MUST));
    assert_false(gate_json_reader_text(&text, &t.reader, "empty", GATE_JSON_READER_FILLED));
    assert_false(gate_json_reader_text(&text, &t.reader, "none", GATE_JSON_READER_MUST));
    assert_string_equal(t.err.message, "it: expected a text in 'none'");
    assert_false(gate_json_reader_text(&text, &t.reader, "no", GATE_JSON_READER_MAY));
    close_document(&t);
    open_document(&t, "{\"a\": \"x\"}", 1);
    assert_false(gate_json_reader_text(&text, &t.reader, "a", GATE_JSON_READER_MAY));
    assert_int_equal(t.err.code, GATE_ERR_LIMIT);
    close_document(&t);
}

TEST(numbers_outside_their_range_are_refused_and_not_stored) {
    int64_t whole = 7;
    double number = 7;
    struct fixture t;
    open_document(&t, "{\"a\": 3, \"b\": 1.5, \"c\": -1, \"d\": \"3\"}", SIZE_MAX);
    assert_true(gate_json_reader_integer(&whole, &t.reader, "none", 0, 9, GATE_JSON_READER_MAY));
    assert_true(gate_json_reader_number(&number, &t.reader, "none", GATE_JSON_READER_MAY));
    assert_true(whole == 7 && number == 7); /* unchanged */
    assert_true(gate_json_reader_integer(&whole, &t.reader, "a", 3, 3, GATE_JSON_READER_MUST));
    assert_true(gate_json_reader_number(&number, &t.reader, "b", GATE_JSON_READER_MUST));
    assert_true(whole == 3 && number == 1.5);
    assert_false(gate_json_reader_integer(&whole, &t.reader, "a", 4, 9, GATE_JSON_READER_MAY));
    assert_string_equal(t.err.message, "it: expected a whole number from 4 to 9 in 'a'");
    assert_false(gate_json_reader_integer(&whole, &t.reader, "a", 0, 2, GATE_JSON_READER_MAY));
    assert_false(gate_json_reader_integer(&whole, &t.reader, "b", 0, INT64_MAX, GATE_JSON_READER_MAY));
    assert_string_equal(t.err.message, "it: expected a whole number of zero or more in 'b'");
    assert_false(gate_json_reader_integer(&whole, &t.reader, "none", 0, 9, GATE_JSON_READER_MUST));
    assert_false(gate_json_reader_number(&number, &t.reader, "c", GATE_JSON_READER_MAY));
    assert_string_equal(t.err.message, "it: expected a number of zero or more in 'c'");
    assert_false(gate_json_reader_number(&number, &t.reader, "d", GATE_JSON_READER_MAY));
    assert_false(gate_json_reader_number(&number, &t.reader, "none", GATE_JSON_READER_MUST));
    assert_true(whole == 3 && number == 1.5); /* refused values are not stored */
    close_document(&t);
}

TEST(lists_that_are_too_long_missing_or_mistyped_are_refused) {
    const json_t *list = NULL;
    struct fixture t;
    open_document(&t, "{\"a\": [1, 2], \"b\": {}}", SIZE_MAX);
    assert_true(gate_json_reader_list(&list, &t.reader, "a", 2, GATE_JSON_READER_MUST));
    assert_int_equal(json_array_size(list), 2);
    assert_false(gate_json_reader_list(&list, &t.reader, "a", 1, GATE_JSON_READER_MUST));
    assert_string_equal(t.err.message, "it: expected a list of at most 1 in 'a', found 2");
    assert_false(gate_json_reader_list(&list, &t.reader, "b", 9, GATE_JSON_READER_MAY));
    assert_false(gate_json_reader_list(&list, &t.reader, "none", 9, GATE_JSON_READER_MUST));
    assert_true(gate_json_reader_list(&list, &t.reader, "none", 9, GATE_JSON_READER_MAY));
    assert_null(list);
    close_document(&t);
}

TEST(a_document_without_the_expected_schema_is_refused) {
    struct fixture t;
    open_document(&t, "{\"schema\": \"x/2\"}", SIZE_MAX);
    assert_true(gate_json_reader_schema(&t.reader, "x/2", "begin anew"));
    assert_false(gate_json_reader_schema(&t.reader, "x/1", "begin anew"));
    assert_string_equal(t.err.message, "expected the schema 'x/1', found 'x/2'; begin anew");
    close_document(&t);
    open_document(&t, "[]", SIZE_MAX);
    assert_false(gate_json_reader_schema(&t.reader, "x/1", "begin anew"));
    assert_string_equal(t.err.message, "it: expected a map with 'schema'");
    close_document(&t);
    open_document(&t, "{}", SIZE_MAX);
    assert_false(gate_json_reader_schema(&t.reader, "x/1", "begin anew"));
    assert_string_equal(t.err.message, "it: expected a text in 'schema'");
    close_document(&t);
}
