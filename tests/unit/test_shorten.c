/* SPDX-License-Identifier: Apache-2.0 */
/* Long names in little room. */
#include "gate/report/shorten.h"
#include "tests/unit/unit.h"

TEST(names_lose_their_package_first) {
    static const struct {
        const char *name;
        size_t columns;
        const char *text;
    } rows[] = {
        {"encoding/json.Marshal", 40, "encoding/json.Marshal"},
        {"github.com/acme/shop/api.(*Server).Orders", 23, "…api.(*Server).Orders"},
        {"github.com/acme/shop/api.(*Server).Orders", 28, "…shop/api.(*Server).Orders"},
        {"com.acme.shop.orders.OrderService.place", 24, "…OrderService.place"},
        {"a::b<c::d>::long_function_name", 22, "…long_function_name"},
        {"a::b<c::d>::long_function_name", 12, "…long_funct…"},
        {"main.normalizeRoute", 8, "…normal…"},
        {"net/http.(*conn).serve", 8, "…serve"},
        {"averyveryverylongnamewithoutanyparts", 16, "averyveryverylo…"},
        /* a closure is identified by its enclosing function, a file by its name */
        {"main.(*shop).labelled.func1.2", 18, "…labelled.func1.2"},
        {"main.(*shop).labelled.func*", 10, "…labelled…"},
        {"app::orders::total::{{closure}}", 12, "…total::{{c…"},
        {"/srv/app/orders/totals.py:42", 12, "…totals.py:…"},
        {"server.js (anonymous)", 12, "server.js (…"},
        {"src/server.js (anonymous)", 24, "…server.js (anonymous)"},
        /* a class, the parameters and the type arguments stay if there is room */
        {"com.acme.Orders.place(int, java.lang.String)", 30, "…Orders.place(int, …String)"},
        {"com.acme.Orders.place(int, java.lang.String)", 23, "…acme.Orders.place(…)"},
        {"com.acme.Orders.place(int, java.lang.String)", 12, "…place(…)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 44, "app::Sorter<int, …less<int>>::sort(int*)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 36, "…Sorter<int, …less<int>>::sort(int*)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 32, "app::Sorter<int, …>::sort(int*)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 27, "app::Sorter<…>::sort(int*)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 24, "app::Sorter<…>::sort(…)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 20, "…Sorter<…>::sort(…)"},
        {"app::Sorter<int, std::less<int> >::sort(int*)", 14, "…sort(…)"},
        {"Pair<K1>::sort", 13, "Pair<…>::sort"},
        {"json::Reader<json::UTF8<char>, json::Pool>::ParseString<0u, json::Stream<json::UTF8<char> > >", 60,
         "json::Reader<…UTF8<…>, …Pool>::ParseString<0u, …Stream<…>>"},
        {"json::Reader<json::UTF8<char>, json::Pool>::ParseString<0u, json::Stream<json::UTF8<char> > >", 52,
         "json::Reader<…>::ParseString<0u, …Stream<…>>"},
        {"json::Value<json::UTF8<char>, json::Pool<json::Crt> >::operator[]<char const>", 44,
         "json::Value<…>::operator[]<char const>"},
        {"ns::operator<< <char, std::char_traits<char> >", 30, "ns::operator<< <char, …>"},
        {"app::(anonymous namespace)::mix(std::string const&, long)", 40, "app::(anonymous namespace)::mix(…)"},
        {"app::Pointer<app::Order>::operator->(long) const", 36, "app::Pointer<…>::operator->(…) const"},
        {"<shop::cart::Prix as caf\xC3\xA9::Boisson>::prix", 41, "<shop::cart::Prix as caf\xC3\xA9::Boisson>::prix"},
        {"<shop::cart::Price as core::fmt::Display>::fmt", 25, "<…Price as …Display>::fmt"},
        {"<[shop::cart::Price] as core::cmp::PartialOrd<a::B>>::lt", 40, "<[…Price] as …PartialOrd<…B>>::lt"},
        {"<shop::cart::Price as core::fmt::Display>::fmt", 24, "…Price::fmt"}, /* the type without the trait */
        {"<shop::cart::Price as core::fmt::Display>::fmt", 11, "…Price::fmt"},
        {"<Price as core::fmt::Display>::fmt", 12, "…Price::fmt"},
        {"<&mut shop::Price as core::fmt::Display>::fmt", 12, "…Price::fmt"},
        {"<shop::List<shop::Price> as core::iter::Iterator>::next", 24, "…List<…Price>::next"},
        {"<shop::cart::Price as core::fmt::Display>::fmt", 10, "…fmt"},
        /* a file in brackets loses its folders, and then goes, before the name is cut */
        {"Const.__init__ (/srv/app/nodes/node_classes.py)", 46, "Const.__init__ (…/node_classes.py)"},
        {"Const.__init__ (/srv/app/nodes/node_classes.py)", 34, "Const.__init__ (…/node_classes.py)"},
        {"Const.__init__ (/srv/app/nodes/node_classes.py)", 33, "Const.__init__"},
        {"Const.__init__ (/srv/app/nodes/node_classes.py)", 9, "…__init__"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str got = gate_shorten_name(&arena, gate_str_from(rows[i].name), rows[i].columns);
        if (!gate_str_equal(got, gate_str_from(rows[i].text)))
            fail_msg("%zu: '%.*s'", i, (int)got.len, got.ptr);
    }
}

/* A headline has 60 columns, a table row 36. The part that distinguishes two functions stays in both. */
TEST(template_names_stay_apart) {
    static const char *const pairs[][2] = {
        {"app::Sorter<int, std::less<int> >::sort(int*)", "app::Sorter<int, std::greater<int> >::sort(int*)"},
        {"app::Vec::append(int, std::vector<int> const&)", "app::Vec::append(long, std::vector<int> const&)"},
        {"app::each<app::orders::price::{lambda#*}>", "app::each<app::orders::parse::{lambda#*}>"},
        {"shop::Map<long>::find", "shop::Map<int>::find"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (size_t columns = 36; columns <= 60; columns++)
            assert_false(gate_str_equal(gate_shorten_name(&arena, gate_str_from(pairs[i][0]), columns),
                                        gate_shorten_name(&arena, gate_str_from(pairs[i][1]), columns)));
}

TEST(names_in_sentences_are_shortened) {
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"in main app::Map<std::vector<int, std::allocator<int> > >::find, and 3 more (4.1%)",
         "in main …Map<…vector<…>>::find, and 3 more (4.1%)"},
        {"app::Map<std::vector<int, std::allocator<int> > >::find: 2%", "…Map<…vector<…>>::find: 2%"},
        {"app::Map<int>::find is new", "app::Map<int>::find is new"},
        {"a_name_without_types_stays_however_long_it_is", "a_name_without_types_stays_however_long_it_is"},
        {"run 'explain app::Map<std::vector<int, std::allocator<int> > >::find'",
         "run 'explain app::Map<std::vector<int, std::allocator<int> > >::find'"},
        {"shop::List<one of (two: 95% CI [+1,\n +2])", "shop::List<one of (two: 95% CI [+1,\n +2])"},
        {"a < b and c > d", "a < b and c > d"},
        {"in <shop::cart::Price as core::fmt::Display>::fmt, <shop::cart::Price as core::fmt::Debug>::fmt is new",
         "in …Price::fmt, <…Price as …Debug>::fmt is new"},
        {"Sort<List<shop::Item const**, shop::Less>, long> is gone and Sort<List<shop::Item*, shop::Less>, long> is "
         "new",
         "Sort<List<…Item const**, …Less>, long> is gone and Sort<List<…Item*, …Less>, long> is new"},
        {"Sort<List<shop::Item*, shop::Less>, long> and Sort<List<shop::Item*, shop::Less>, long>",
         "Sort<List<…>, long> and Sort<List<…>, long>"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        gate_shorten_in_text(&out, &arena, gate_str_from(rows[i].text), 24);
        if (!gate_str_equal(gate_buf_view(&out), gate_str_from(rows[i].wanted)))
            fail_msg("%zu: '%.*s'", i, (int)out.len, out.ptr);
    }
}

TEST(short_names_fit_any_width) {
    char name[2000];
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = "abc.d/:<>()\xF0\x9F\x98\x80"[i % 15];
    for (size_t columns = 8; columns < 200; columns++) {
        struct gate_str got = gate_shorten_name(&arena, (struct gate_str){name, sizeof name}, columns);
        assert_true(gate_str_columns(got) <= columns);
    }
}

/* The width of a shortened name is the width of its text, also for wide characters, invalid UTF-8 and brackets. */
TEST(the_width_of_a_shortened_name_is_that_of_its_text) {
    const struct gate_str name = GATE_STR("\xE4\xB8\xAD.\xE4/a\xCC\x81::b{c.d}.\xF0\x9F\x98\x80/e.ff/ggg::hhhh/i");
    const struct gate_str mark = GATE_STR("…");
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
}
