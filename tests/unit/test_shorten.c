/* SPDX-License-Identifier: Apache-2.0 */
/* Long names in little room. */
#include "gate/report/shorten.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void names_lose_their_package_first(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t columns;
        const char *text;
    } rows[] = {
        {"encoding/json.Marshal", 21, "encoding/json.Marshal"},
        {"github.com/acme/shop/api.(*Server).Orders", 23,
         "\xE2\x80\xA6"
         "api.(*Server).Orders"},
        {"github.com/acme/shop/api.(*Server).Orders", 28,
         "\xE2\x80\xA6"
         "shop/api.(*Server).Orders"},
        {"com.acme.shop.orders.OrderService.place", 24,
         "\xE2\x80\xA6"
         "OrderService.place"},
        {"a::b<c::d>::long_function_name", 22,
         "\xE2\x80\xA6"
         "long_function_name"},
        {"a::b<c::d>::long_function_name", 12,
         "long_functi"
         "\xE2\x80\xA6"},
        {"main.normalizeRoute", 8,
         "normali"
         "\xE2\x80\xA6"},
        {"net/http.(*conn).serve", 8,
         "\xE2\x80\xA6"
         "serve"},
        {"averyveryverylongnamewithoutanyparts", 16,
         "averyveryverylo"
         "\xE2\x80\xA6"},
        /* a closure is told by the function that it is in, a file by its name */
        {"main.(*shop).labelled.func1.2", 18,
         "\xE2\x80\xA6"
         "labelled.func1.2"},
        {"main.(*shop).labelled.func*", 10,
         "labelled."
         "\xE2\x80\xA6"},
        {"app::orders::total::{{closure}}", 12,
         "total::{{cl"
         "\xE2\x80\xA6"},
        {"/srv/app/orders/totals.py:42", 12,
         "totals.py:4"
         "\xE2\x80\xA6"},
        {"com.acme.Orders.place(int, java.lang.String)", 12,
         "place(int, "
         "\xE2\x80\xA6"},
        {"<shop::cart::Prix as caf\xC3\xA9::Boisson>::prix", 41, "<shop::cart::Prix as caf\xC3\xA9::Boisson>::prix"},
        {"<shop::cart::Price as core::fmt::Display>::fmt", 25,
         "<\xE2\x80\xA6"
         "Price as \xE2\x80\xA6"
         "Display>::fmt"},
        {"<[shop::cart::Price] as core::cmp::PartialOrd<a::B>>::lt", 40,
         "<[\xE2\x80\xA6"
         "Price] as \xE2\x80\xA6"
         "PartialOrd<\xE2\x80\xA6"
         "B>>::lt"},
        {"<shop::cart::Price as core::fmt::Display>::fmt", 12,
         "\xE2\x80\xA6"
         "fmt"},
        /* a file in brackets loses its folders, and then goes, before the name is cut */
        {"Const.__init__ (/srv/app/nodes/node_classes.py)", 46,
         "Const.__init__ ("
         "\xE2\x80\xA6"
         "/node_classes.py)"},
        {"Const.__init__ (/srv/app/nodes/node_classes.py)", 34,
         "Const.__init__ ("
         "\xE2\x80\xA6"
         "/node_classes.py)"},
        {"Const.__init__ (/srv/app/nodes/node_classes.py)", 33, "Const.__init__"},
        {"Const.__init__ (/srv/app/nodes/node_classes.py)", 9,
         "\xE2\x80\xA6"
         "__init__"},
    };
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str got = gate_shorten_name(&arena, gate_str_from(rows[i].name), rows[i].columns);
        if (!gate_str_equal(got, gate_str_from(rows[i].text)))
            fail_msg("%zu: '%.*s'", i, (int)got.len, got.ptr);
    }
    gate_arena_free(&arena);
}

static void short_names_fit_any_width(void **state) {
    (void)state;
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    char name[2000];
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = "abc.d/:<>()\xF0\x9F\x98\x80"[i % 15];
    for (size_t columns = 8; columns < 200; columns++) {
        struct gate_str got = gate_shorten_name(&arena, (struct gate_str){name, sizeof name}, columns);
        assert_true(gate_str_columns(got) <= columns);
    }
    gate_arena_free(&arena);
}

/* Columns are counted part by part: what is left of a name is what it has alone, wide, torn and bracketed text too. */
static void what_is_left_is_what_it_has(void **state) {
    (void)state;
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    const struct gate_str name = GATE_STR("\xE4\xB8\xAD.\xE4/a\xCC\x81::b<c.d>.\xF0\x9F\x98\x80/e.ff/ggg::hhhh/i");
    const struct gate_str mark = GATE_STR("\xE2\x80\xA6");
    for (size_t columns = 8; columns < gate_str_columns(name); columns++) {
        struct gate_str got = gate_shorten_name(&arena, name, columns);
        assert_true(gate_str_starts(got, mark));
        struct gate_str rest = gate_str_slice(got, mark.len, got.len);
        assert_true(gate_str_ends(name, rest));
        assert_true(gate_str_columns(got) <= columns);
        /* a longer end that would fit has no part of its own to begin with */
        size_t longest = 0;
        for (size_t at = 1; at < name.len; at++) {
            struct gate_str end = gate_str_slice(name, at, name.len);
            bool is_part = strchr("/.:", name.ptr[at - 1]) != NULL && strchr("/.:", name.ptr[at]) == NULL;
            bool is_inside = at > 12 && at <= 16; /* of the brackets */
            if (is_part && !is_inside && gate_str_columns(end) <= columns - 1 && end.len > longest)
                longest = end.len;
        }
        assert_int_equal(rest.len, longest);
    }
    gate_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_lose_their_package_first),
        cmocka_unit_test(short_names_fit_any_width),
        cmocka_unit_test(what_is_left_is_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
