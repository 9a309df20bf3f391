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
         "ong_function_name"},
        {"averyveryverylongnamewithoutanyparts", 16,
         "avery\xE2\x80\xA6"
         "hEND"},
    };
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    for (size_t i = 0; i < 4; i++) {
        struct gate_str got = gate_shorten_name(&arena, gate_str_from(rows[i].name), rows[i].columns);
        assert_string_equal(got.ptr, rows[i].text);
    }
    for (size_t i = 4; i < 6; i++) {
        struct gate_str got = gate_shorten_name(&arena, gate_str_from(rows[i].name), rows[i].columns);
        assert_int_equal(gate_str_columns(got), rows[i].columns);
        assert_true(gate_str_ends(gate_str_from(rows[i].name), gate_str_slice(got, got.len - 8, got.len)));
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_lose_their_package_first),
        cmocka_unit_test(short_names_fit_any_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
