/* SPDX-License-Identifier: Apache-2.0 */
/* rules/yaml.h: the document tree: kinds by YAML 1.2's core schema, lines and columns, and everything that is
 * refused. */

#include "gate/base/buf.h"
#include "gate/rules/yaml.h"
#include "tests/unit/unit.h"

TEST(the_text_of_a_value_gives_its_kind) {
    static const struct {
        const char *text;
        enum gate_yaml_kind kind;
    } rows[] = {
        {"~", GATE_YAML_NULL},        {"null", GATE_YAML_NULL},       {"Null", GATE_YAML_NULL},
        {"NULL", GATE_YAML_NULL},     {"nULL", GATE_YAML_TEXT},       {"true", GATE_YAML_BOOL},
        {"False", GATE_YAML_BOOL},    {"TRUE", GATE_YAML_BOOL},       {"yes", GATE_YAML_TEXT},
        {"no", GATE_YAML_TEXT},       {"on", GATE_YAML_TEXT},         {"off", GATE_YAML_TEXT},
        {"0", GATE_YAML_INT},         {"-12", GATE_YAML_INT},         {"+12", GATE_YAML_INT},
        {"007", GATE_YAML_INT},       {"0x1F", GATE_YAML_INT},        {"0o17", GATE_YAML_INT},
        {"0x", GATE_YAML_TEXT},       {"0o8", GATE_YAML_TEXT},        {"0b11", GATE_YAML_TEXT},
        {"1_000", GATE_YAML_TEXT},    {"1.", GATE_YAML_FLOAT},        {".5", GATE_YAML_FLOAT},
        {"-1.5", GATE_YAML_FLOAT},    {"1e3", GATE_YAML_FLOAT},       {"1E-3", GATE_YAML_FLOAT},
        {"1e", GATE_YAML_TEXT},       {"1e+", GATE_YAML_TEXT},        {".", GATE_YAML_TEXT},
        {"+", GATE_YAML_TEXT},        {"+.", GATE_YAML_TEXT},         {".inf", GATE_YAML_FLOAT},
        {"-.Inf", GATE_YAML_FLOAT},   {".NaN", GATE_YAML_FLOAT},      {"-.nan", GATE_YAML_TEXT},
        {"1.5.2", GATE_YAML_TEXT},    {"2026-12-31", GATE_YAML_TEXT}, {"+5pp", GATE_YAML_TEXT},
        {"2x", GATE_YAML_TEXT},       {"12:30", GATE_YAML_TEXT},      {"'5'", GATE_YAML_TEXT},
        {"\"true\"", GATE_YAML_TEXT}, {"''", GATE_YAML_TEXT},         {"[]", GATE_YAML_LIST},
        {"{}", GATE_YAML_MAP},        {"|\n  5", GATE_YAML_TEXT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_yaml_node *node = NULL;
        assert_true(gate_yaml_parse(&node, gate_str_format(&arena, "key: %s\n", rows[i].text), &arena, &err));
        const struct gate_yaml_node *value = gate_yaml_get(node, "key");
        assert_non_null(value);
        if (value->kind != rows[i].kind)
            fail_msg("%s is %s, expected %s", rows[i].text, gate_yaml_kind_name(value->kind),
                     gate_yaml_kind_name(rows[i].kind));
    }
}

static void expect_place(const struct gate_yaml_node *node, uint32_t line, uint32_t column) {
    assert_non_null(node);
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
}

/* Columns are characters: the umlaut and the flame count one each. */
TEST(each_node_has_its_line_and_column_in_characters) {
    struct gate_yaml_node *root = NULL;
    const char *text = "# \xC3\xBC\n"
                       "a: 1\r\n"
                       "\xC3\xBC\xF0\x9F\x94\xA5: {b: [x, 'y z']}\n"
                       "c:\n"
                       "  - d: 'two\n"
                       "     lines'\n"
                       "    e: last\n";
    assert_true(gate_yaml_parse(&root, gate_str_from(text), &arena, &err));
    assert_int_equal(root->kind, GATE_YAML_MAP);
    assert_int_equal(root->count, 3);
    expect_place(root, 2, 1);
    expect_place(gate_yaml_get(root, "a"), 2, 4);
    expect_place(gate_yaml_get(root, "a")->key, 2, 1);
    const struct gate_yaml_node *flow = gate_yaml_get(root, "\xC3\xBC\xF0\x9F\x94\xA5");
    expect_place(flow, 3, 5);
    const struct gate_yaml_node *list = gate_yaml_get(flow, "b");
    expect_place(list, 3, 9);
    assert_int_equal(list->count, 2);
    expect_place(list->first, 3, 10);
    expect_place(list->first->next, 3, 13);
    assert_true(gate_str_equal(list->first->next->text, GATE_STR("y z")));
    assert_ptr_equal(list->first->key, list->key);
    const struct gate_yaml_node *item = gate_yaml_get(root, "c")->first;
    expect_place(item, 5, 5);
    expect_place(gate_yaml_get(item, "d"), 5, 8);
    assert_true(gate_str_equal(gate_yaml_get(item, "d")->text, GATE_STR("two lines")));
    expect_place(gate_yaml_get(item, "e"), 7, 8);
    assert_null(gate_yaml_get(root, "absent"));
    assert_null(gate_yaml_get(list, "b"));
}

static void expect_error(struct gate_str text, enum gate_error_code code, uint32_t line, uint32_t column,
                         const char *message) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_yaml_node *node = NULL;
    assert_false(gate_yaml_parse(&node, text, &arena, &err));
    if (err.code != code || err.line != line || err.column != column || strncmp(err.message, message, strlen(message)))
        fail_msg("expected %u:%u: %s\n     got %u:%u: %s", (unsigned)line, (unsigned)column, message,
                 (unsigned)err.line, (unsigned)err.column, err.message);
}

TEST(invalid_utf8_and_control_characters_are_refused) {
    expect_error(GATE_STR("a: \xFF\n"), GATE_ERR_CONFIG, 1, 4, "not UTF-8: byte 0xFF");
    expect_error(GATE_STR("# ok\nb: \xC3\xBC \xE2\x82\n"), GATE_ERR_CONFIG, 2, 6, "not UTF-8: byte 0xE2");
    expect_error(GATE_STR("a: \xED\xA0\x80\n"), GATE_ERR_CONFIG, 1, 4, "not UTF-8: byte 0xED");
    expect_error(GATE_STR("\xFF\xFE"
                          "a\0:\0"),
                 GATE_ERR_CONFIG, 1, 1, "not UTF-8: byte 0xFF");
    expect_error(GATE_STR("a: b\0\n"), GATE_ERR_CONFIG, 1, 5, "control character U+0000");
    expect_error(GATE_STR("a: \x1B[31m\n"), GATE_ERR_CONFIG, 1, 4, "control character U+001B");
    expect_error(GATE_STR("a: b\rc: d\n"), GATE_ERR_CONFIG, 1, 5, "control character U+000D");
    expect_error(GATE_STR("a: b\r"), GATE_ERR_CONFIG, 1, 5, "control character U+000D");
    expect_error(GATE_STR("a: \xE2\x80\xA8x\n"), GATE_ERR_CONFIG, 1, 4, "control character U+2028");
    expect_error(GATE_STR("a: \xC2\x85x\n"), GATE_ERR_CONFIG, 1, 4, "control character U+0085");
    expect_error(GATE_STR("a: \xEF\xBB\xBFx\n"), GATE_ERR_CONFIG, 1, 4, "control character U+FEFF");
}

TEST(invalid_or_unsupported_yaml_is_refused_with_its_place) {
    expect_error(GATE_STR(""), GATE_ERR_CONFIG, 1, 1, "the file is empty");
    expect_error((struct gate_str){NULL, 0}, GATE_ERR_CONFIG, 1, 1, "the file is empty");
    expect_error(GATE_STR("a: 1\na: 2\n"), GATE_ERR_CONFIG, 2, 1, "duplicate key 'a' (first on line 1)");
    expect_error(GATE_STR("x:\n  a: 1\n  b: 2\n  'b': 3\n"), GATE_ERR_CONFIG, 4, 3,
                 "duplicate key 'b' (first on line 3)");
    expect_error(GATE_STR("a: &x 1\n"), GATE_ERR_CONFIG, 1, 4, "anchors are not accepted");
    expect_error(GATE_STR("a: &x [1]\n"), GATE_ERR_CONFIG, 1, 4, "anchors are not accepted");
    expect_error(GATE_STR("a: &x {b: 1}\n"), GATE_ERR_CONFIG, 1, 4, "anchors are not accepted");
    expect_error(GATE_STR("&x a: 1\n"), GATE_ERR_CONFIG, 1, 1, "anchors are not accepted");
    expect_error(GATE_STR("a: 1\n*x : 1\n"), GATE_ERR_CONFIG, 2, 1, "aliases are not accepted");
    expect_error(GATE_STR("- *x\n"), GATE_ERR_CONFIG, 1, 3, "aliases are not accepted");
    expect_error(GATE_STR("a: !!int 1\n"), GATE_ERR_CONFIG, 1, 4, "tags are not accepted");
    expect_error(GATE_STR("a: !mine [1]\n"), GATE_ERR_CONFIG, 1, 4, "tags are not accepted");
    expect_error(GATE_STR("a: ! 1\n"), GATE_ERR_CONFIG, 1, 4, "tags are not accepted");
    expect_error(GATE_STR("%TAG ! tag:x,2000:\n---\na: 1\n"), GATE_ERR_CONFIG, 1, 1, "YAML directives");
    expect_error(GATE_STR("{a: 1}: 2\n"), GATE_ERR_CONFIG, 1, 1, "expected a key, found a list or a map");
    expect_error(GATE_STR("a: 1\n---\nb: 1\n"), GATE_ERR_CONFIG, 2, 1, "several documents");
    expect_error(GATE_STR("a: 1\n...\n...\nb: 1\n"), GATE_ERR_CONFIG, 4, 1, "not YAML");
    expect_error(GATE_STR("a: [1\n"), GATE_ERR_CONFIG, 2, 1, "not YAML");
    expect_error(GATE_STR("a: 1\n\tb: 2\n"), GATE_ERR_CONFIG, 2, 1, "tab in the indentation");
    expect_error(GATE_STR("a: @x\n"), GATE_ERR_CONFIG, 1, 4, "not YAML");
    expect_error(
        GATE_STR("a: \"main\\.f\"\n"), GATE_ERR_CONFIG, 1, 9,
        "not YAML: found unknown escape character while parsing a quoted scalar: write the text in single quotes");
    expect_error(GATE_STR("a: 1\n  b: 2\n"), GATE_ERR_CONFIG, 2, 4,
                 "not YAML: mapping values are not allowed in this context: is the line indented too far");
    expect_error(GATE_STR("- a: 1\n b: 2\n"), GATE_ERR_CONFIG, 2, 2,
                 "not YAML: did not find expected '-' indicator while parsing a block collection: indent the line");
}

TEST(yaml_nested_deeper_than_16_levels_is_refused) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    struct gate_yaml_node *node = NULL;
    gate_buf_repeat(&text, '[', GATE_YAML_MAX_DEPTH + 1);
    gate_buf_repeat(&text, ']', GATE_YAML_MAX_DEPTH + 1);
    assert_true(gate_yaml_parse(&node, gate_buf_view(&text), &arena, &err));
    text.len = 0;
    gate_buf_repeat(&text, '[', GATE_YAML_MAX_DEPTH + 2);
    gate_buf_repeat(&text, ']', GATE_YAML_MAX_DEPTH + 2);
    expect_error(gate_buf_view(&text), GATE_ERR_LIMIT, 1, GATE_YAML_MAX_DEPTH + 2, "nested deeper than 16 levels");
}

TEST(a_file_with_too_many_bytes_or_values_is_refused) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_buf_text(&text, "a: 1 #");
    gate_buf_repeat(&text, 'x', GATE_YAML_MAX_BYTES - text.len);
    struct gate_yaml_node *node = NULL;
    assert_true(gate_yaml_parse(&node, gate_buf_view(&text), &arena, &err));
    gate_buf_char(&text, 'x');
    expect_error(gate_buf_view(&text), GATE_ERR_LIMIT, 0, 0, "larger than 262144 bytes");
    text.len = 0;
    for (int i = 0; i < GATE_YAML_MAX_NODES; i++)
        gate_buf_text(&text, "- 1\n");
    expect_error(gate_buf_view(&text), GATE_ERR_LIMIT, GATE_YAML_MAX_NODES, 3, "more than 20000 values");
}
