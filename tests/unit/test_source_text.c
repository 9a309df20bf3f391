/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in JavaScript's text: each row has a ^ where the function begins. */
#include "profile_fixture.h"

#include "gate/symbols/source_map.h"

static void expect_name(const char *marked, const char *name) {
    char text[256];
    size_t at = 0, len = strlen(marked), out = 0;
    for (size_t i = 0; i < len; i++) {
        if (marked[i] == '^')
            at = out;
        else
            text[out++] = marked[i];
    }
    struct gate_str found = gate_source_text_name((struct gate_str){text, out}, at);
    if (!gate_str_equal(found, gate_str_from(name)))
        fail_msg("%s: '%.*s', expected '%s'", marked, GATE_STR_ARG(found), name);
}

TEST(names_are_found_before_or_after_the_place) {
    expect_name("^function total(a) {", "total");
    expect_name("export ^async function * total(a) {", "total");
    expect_name("function total^(a) {", "total");
    expect_name("function* total^(a) {", "total");
    expect_name("const total = ^function (a) {", "total");
    expect_name("const total = function ^(a) {", "total");
    expect_name("const total = async function* ^(a) {", "total");
    expect_name("const total = ^(a, b) => a", "total");
    expect_name("const total = (^a, b) => a", "total");
    expect_name("const total = async ^(a) => a", "total");
    expect_name("const total = ^async (a) => a", "total");
    expect_name("const total = ^a => a", "total");
    expect_name("const total: Handler = ^(a) => a", "total");
    expect_name("this.total = ^(a) => a", "total");
    expect_name("x = { total: ^(a) => a }", "total");
    expect_name("x = { a, total:\n  ^function (a) {}", "total");
    expect_name("class A { total^(a) {", "total");
    expect_name("class A { #total^(a) {", "#total");
}

TEST(an_ambiguous_place_gets_no_name) {
    expect_name("items.filter(^(a) => a)", "");
    expect_name("items.filter((^a) => a)", "");
    expect_name("items.filter(^a => a)", "");
    expect_name("items.filter(^function (a) {", "");
    expect_name("x = y ? z : ^(a) => a", "");
    expect_name("if (x === ^(a) => a)", "");
    expect_name("if (x >= ^(a) => a)", "");
    expect_name("return ^(a) => a", "");
    expect_name("await ^(async () => a)", "");
    expect_name("^(a) => a", "");
    expect_name("^total", "");
    expect_name("^", "");
    expect_name("a => ^b => b", "");
    expect_name("let x = total^; let y", "");
}

TEST(columns_are_counted_in_utf16_units) {
    struct gate_source_text text;
    assert_true(gate_source_text_open(&text, GATE_STR("ab\n\xC3\xA4\xF0\x9F\x98\x80x\n"), &arena));
    assert_int_equal(text.line_count, 3);
    assert_int_equal(gate_source_text_place(&text, 0, 2), 2);
    assert_int_equal(gate_source_text_place(&text, 1, 1), 5);
    assert_int_equal(gate_source_text_place(&text, 1, 3), 9);
    assert_int_equal(gate_source_text_place(&text, 1, 2), SIZE_MAX); /* within a pair */
    assert_int_equal(gate_source_text_place(&text, 0, 3), SIZE_MAX);
    assert_int_equal(gate_source_text_place(&text, 3, 0), SIZE_MAX);
    assert_int_equal(gate_source_text_place(&text, 0, GATE_SOURCE_COLUMNS_MAX + 1), SIZE_MAX);
}
