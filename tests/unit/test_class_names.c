/* SPDX-License-Identifier: Apache-2.0 */
/* Original names of JVM frames: every spelling, line numbers, inlined calls, and ambiguous methods. */
#include "profile_fixture.h"

#include "gate/symbols/class_map.h"

/* In class a.a, method "b" is add, with round inlined at line 4. "c" is clear. "d" is open or close, depending on the
 * line. "e" is here or there. */
static const char shop[] = "com.acme.Cart -> a.a:\n"
                           "# {\"id\":\"sourceFile\",\"fileName\":\"Carts.kt\"}\n"
                           "    1:3:void add(int):10:12 -> b\n"
                           "    4:4:int com.acme.Price.round(int):20:20 -> b\n"
                           "    4:4:void add(int):13 -> b\n"
                           "    5:9:void add(int):30 -> b\n"
                           "    void clear() -> c\n"
                           "    1:2:void open() -> d\n"
                           "    3:4:void close() -> d\n"
                           "    void here() -> e\n"
                           "    void there() -> e\n"
                           "com.acme.Cart$Line -> b:\n"
                           "    1:5:int spell():40:44 -> a\n";

/* Expect the calls at a frame, each as "NAME FILE:LINE", innermost first. */
static void expect_calls(const char *name, const char *file, int64_t line, const char *expected) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_class_map map;
    struct gate_symbol_answer found;
    AT_END(gate_buf_free) struct gate_buf out = {0};
    const struct gate_class_place place = {gate_str_from(name), gate_str_from(file), line, true};
    assert_true(gate_class_map_read(&map, gate_str_from(shop), &arena, &err));
    assert_true(gate_class_names_find(&found, &map, &place, &arena, &err));
    for (uint32_t i = 0; i < found.count; i++) {
        const struct gate_symbol_line *call = &found.lines[i];
        gate_buf_printf(&out, "%s%.*s %.*s:%lld", i == 0 ? "" : ", ", GATE_STR_ARG(call->name),
                        GATE_STR_ARG(call->file), (long long)call->line);
    }
    if (!gate_str_equal(gate_buf_view(&out), gate_str_from(expected)))
        fail_msg("%s:%lld is '%.*s', expected '%s'", name, (long long)line, (int)out.len, out.ptr, expected);
}

TEST(each_spelling_of_a_jvm_name_is_mapped) {
    expect_calls("a.a.c", "", 0, "com.acme.Cart.clear Carts.kt:0");
    expect_calls("a/a.c", "", 0, "com/acme/Cart.clear Carts.kt:0");
    expect_calls("a/a.c_[j]", "", 0, "com/acme/Cart.clear_[j] Carts.kt:0");
    expect_calls("La/a;::c", "", 0, "Lcom/acme/Cart;::clear Carts.kt:0");
    expect_calls("Lb;::a", "", 0, "Lcom/acme/Cart$Line;::spell :0");
    expect_calls("b.a", "SourceFile", 2, "com/acme/Cart$Line.spell Cart.java:41");
    expect_calls("a.a.c(int)", "", 0, "com.acme.Cart.clear Carts.kt:0");
    expect_calls("a.a.b:2_[i]", "", 0, "com.acme.Cart.add:11_[i] Carts.kt:11");
    expect_calls("a.a.b(SourceFile:3)", "", 0, "com.acme.Cart.add Carts.kt:12");
    expect_calls("a/a$$Lambda$8.0x00007fb01a047fe8.apply", "", 0,
                 "com/acme/Cart$$Lambda$8.0x00007fb01a047fe8.apply Carts.kt:0");
}

TEST(line_ranges_give_the_inlined_methods) {
    expect_calls("a/a.b", "", 1, "com/acme/Cart.add Carts.kt:10");
    expect_calls("a/a.b", "", 4, "com/acme/Price.round :20, com/acme/Cart.add Carts.kt:13");
    expect_calls("a/a.b", "SourceFile", 4, "com/acme/Price.round Price.java:20, com/acme/Cart.add Carts.kt:13");
    expect_calls("a/a.b", "", 7, "com/acme/Cart.add Carts.kt:30");
    expect_calls("a/a.b", "", 0, "com/acme/Cart.add Carts.kt:0");
    expect_calls("a/a.b", "", 77, "com/acme/Cart.add Carts.kt:0");
    expect_calls("a/a.c", "", 77, "com/acme/Cart.clear Carts.kt:77");
}

TEST(ambiguous_names_are_kept) {
    expect_calls("a/a.d", "", 3, "com/acme/Cart.close Carts.kt:3");
    expect_calls("a/a.d", "", 0, "com/acme/Cart.d Carts.kt:0");
    expect_calls("a/a.e", "", 3, "com/acme/Cart.e Carts.kt:0");
    expect_calls("a/a.toString", "", 0, "com/acme/Cart.toString Carts.kt:0");
    expect_calls("java/lang/String.length", "", 0, "");
    expect_calls("a", "", 0, "");
    expect_calls("a::", "", 0, "");
    expect_calls(".a", "", 0, "");
    expect_calls("", "", 0, "");
    expect_calls("(anonymous)", "", 0, "");
    expect_calls("_[j]", "", 0, "");
}
