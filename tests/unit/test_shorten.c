/* SPDX-License-Identifier: Apache-2.0 */
/* Long names in little room. */
#include "gate/report/shorten.h"
#include "tests/unit/unit.h"

static void names_lose_their_package_first(void **state) {
    static const struct {
        const char *name;
        size_t columns;
        const char *text;
    } rows[] = {
        {"encoding/json.Marshal", 40, "encoding/json.Marshal"},
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
         "\xE2\x80\xA6"
         "long_funct"
         "\xE2\x80\xA6"},
        {"main.normalizeRoute", 8,
         "\xE2\x80\xA6"
         "normal"
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
         "\xE2\x80\xA6"
         "labelled"
         "\xE2\x80\xA6"},
        {"app::orders::total::{{closure}}", 12,
         "\xE2\x80\xA6"
         "total::{{c"
         "\xE2\x80\xA6"},
        {"/srv/app/orders/totals.py:42", 12,
         "\xE2\x80\xA6"
         "totals.py:"
         "\xE2\x80\xA6"},
        /* a class, the parameters and the type arguments stay if there is room */
        {"com.acme.Orders.place(int, java.lang.String)", 30,
         "\xE2\x80\xA6"
         "Orders.place(int, "
         "\xE2\x80\xA6"
         "String)"},
        {"com.acme.Orders.place(int, java.lang.String)", 23,
         "\xE2\x80\xA6"
         "acme.Orders.place("
         "\xE2\x80\xA6"
         ")"},
        {"com.acme.Orders.place(int, java.lang.String)", 12,
         "\xE2\x80\xA6"
         "place("
         "\xE2\x80\xA6"
         ")"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 44,
         "app::Sorter<int, "
         "\xE2\x80\xA6"
         "less<int>>::sort(int*)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 36,
         "\xE2\x80\xA6"
         "Sorter<int, "
         "\xE2\x80\xA6"
         "less<int>>::sort(int*)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 32,
         "app::Sorter<int, "
         "\xE2\x80\xA6"
         ">::sort(int*)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 27,
         "app::Sorter<"
         "\xE2\x80\xA6"
         ">::sort(int*)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 24,
         "app::Sorter<"
         "\xE2\x80\xA6"
         ">::sort("
         "\xE2\x80\xA6"
         ")"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 20,
         "\xE2\x80\xA6"
         "Sorter<"
         "\xE2\x80\xA6"
         ">::sort("
         "\xE2\x80\xA6"
         ")"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 14,
         "\xE2\x80\xA6"
         "sort("
         "\xE2\x80\xA6"
         ")"},
        {"json::Reader<json::UTF8<char>, json::Pool>::ParseString<0u, json::Stream<json::UTF8<char> > >", 60,
         "json::Reader<"
         "\xE2\x80\xA6"
         "UTF8<"
         "\xE2\x80\xA6"
         ">, "
         "\xE2\x80\xA6"
         "Pool>::ParseString<0u, "
         "\xE2\x80\xA6"
         "Stream<"
         "\xE2\x80\xA6"
         ">>"},
        {"json::Reader<json::UTF8<char>, json::Pool>::ParseString<0u, json::Stream<json::UTF8<char> > >", 52,
         "json::Reader<"
         "\xE2\x80\xA6"
         ">::ParseString<0u, "
         "\xE2\x80\xA6"
         "Stream<"
         "\xE2\x80\xA6"
         ">>"},
        {"json::Value<json::UTF8<char>, json::Pool<json::Crt> >::operator[]<char const>", 44,
         "json::Value<"
         "\xE2\x80\xA6"
         ">::operator[]<char const>"},
        {"ns::operator<< <char, std::char_traits<char> >", 30,
         "ns::operator<< <char, "
         "\xE2\x80\xA6"
         ">"},
        {"app::(anonymous namespace)::mix(std::string const&, long)", 40,
         "app::(anonymous namespace)::mix("
         "\xE2\x80\xA6"
         ")"},
        {"app::Pointer<app::Order>::operator->(long) const", 36,
         "app::Pointer<"
         "\xE2\x80\xA6"
         ">::operator->("
         "\xE2\x80\xA6"
         ") const"},
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

/* Text of a headline has 60 columns, a row of a table 36: what tells two functions apart stays in both. */
static void template_names_stay_apart(void **state) {
    static const char *const pairs[][2] = {
        {"app::Sorter<int, std::less<int> >::sort(int*)", "app::Sorter<int, std::greater<int> >::sort(int*)"},
        {"app::Vec::append(int, std::vector<int> const&)", "app::Vec::append(long, std::vector<int> const&)"},
        {"app::each<app::orders::price::{lambda#*}>", "app::each<app::orders::parse::{lambda#*}>"},
        {"shop::Map<long>::find", "shop::Map<int>::find"},
    };
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t columns = 36; columns <= 60; columns++)
            assert_false(gate_str_equal(gate_shorten_name(&arena, gate_str_from(pairs[i][0]), columns),
                                        gate_shorten_name(&arena, gate_str_from(pairs[i][1]), columns)));
    gate_arena_free(&arena);
}

static void names_in_sentences_are_shortened(void **state) {
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"in main app::Map<std::vector<int, std::allocator<int> > >::find, and 3 more (4.1%)",
         "in main "
         "\xE2\x80\xA6"
         "Map<"
         "\xE2\x80\xA6"
         "vector<"
         "\xE2\x80\xA6"
         ">>::find, and 3 more (4.1%)"},
        {"app::Map<std::vector<int, std::allocator<int> > >::find: 2%", ""
                                                                        "\xE2\x80\xA6"
                                                                        "Map<"
                                                                        "\xE2\x80\xA6"
                                                                        "vector<"
                                                                        "\xE2\x80\xA6"
                                                                        ">>::find: 2%"},
        {"app::Map<int>::find is new", "app::Map<int>::find is new"},
        {"a_name_without_types_stays_however_long_it_is", "a_name_without_types_stays_however_long_it_is"},
        {"run 'explain app::Map<std::vector<int, std::allocator<int> > >::find'",
         "run 'explain app::Map<std::vector<int, std::allocator<int> > >::find'"},
        {"shop::List<one of (two: 95% CI [+1,\n +2])", "shop::List<one of (two: 95% CI [+1,\n +2])"},
        {"a < b and c > d", "a < b and c > d"},
        {"", ""},
    };
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_buf out = {0};
        gate_shorten_in_text(&out, &arena, gate_str_from(rows[i].text), 24);
        if (!gate_str_equal(gate_buf_view(&out), gate_str_from(rows[i].wanted)))
            fail_msg("%zu: '%.*s'", i, (int)out.len, out.ptr);
        gate_buf_free(&out);
    }
    gate_arena_free(&arena);
}

static void short_names_fit_any_width(void **state) {
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
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    const struct gate_str name = GATE_STR("\xE4\xB8\xAD.\xE4/a\xCC\x81::b{c.d}.\xF0\x9F\x98\x80/e.ff/ggg::hhhh/i");
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
        cmocka_unit_test(names_lose_their_package_first),   cmocka_unit_test(template_names_stay_apart),
        cmocka_unit_test(names_in_sentences_are_shortened), cmocka_unit_test(short_names_fit_any_width),
        cmocka_unit_test(what_is_left_is_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
