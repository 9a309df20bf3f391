/* SPDX-License-Identifier: Apache-2.0 */
/* Wording shared by the reports, and the terminal report at its widths. */
#include "gate/report/phrase.h"
#include "gate/report/report.h"
#include "tests/unit/verdict_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect(struct gate_buf *buf, const char *text) {
    gate_buf_char(buf, '\0');
    assert_string_equal(buf->ptr, text);
    buf->len = 0;
}

static void shares_read_well(void **state) {
    (void)state;
    static const struct {
        double share;
        const char *text;
    } rows[] = {{0, "0 %"},         {0.0041, "0.41 %"}, {0.00994, "0.99 %"}, {0.00999, "1.0 %"},
                {0.103, "10.3 %"}, {1, "100.0 %"},     {NAN, "n/a"}};
    struct gate_buf buf = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gate_phrase_share(&buf, rows[i].share);
        expect(&buf, rows[i].text);
    }
    gate_buf_free(&buf);
}

static void points_keep_their_sign(void **state) {
    (void)state;
    static const struct {
        double delta;
        const char *text;
    } rows[] = {{0.062, "+6.2 pp"}, {-0.0031, "-0.31 pp"}, {0, "0 pp"}, {0.00001, "0.00 pp"}, {-0.00001, "0.00 pp"},
                {NAN, "n/a"}};
    struct gate_buf buf = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gate_phrase_points(&buf, rows[i].delta);
        expect(&buf, rows[i].text);
    }
    double bounds[] = {-0.049, 0.076};
    gate_phrase_interval(&buf, bounds);
    expect(&buf, "-4.9 \xE2\x80\xA6 +7.6");
    gate_phrase_count(&buf, 1234567);
    expect(&buf, "1\xC2\xA0""234\xC2\xA0""567");
    gate_phrase_p(&buf, log(0.0031));
    expect(&buf, "p = 0.0031");
    gate_phrase_p(&buf, -2000);
    expect(&buf, "p < 1e-300");
    gate_buf_free(&buf);
}

static void names_lose_their_package_first(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t columns;
        const char *text;
    } rows[] = {
        {"encoding/json.Marshal", 40, "encoding/json.Marshal"},
        {"github.com/acme/shop/api.(*Server).Orders", 23, "\xE2\x80\xA6""api.(*Server).Orders"},
        {"github.com/acme/shop/api.(*Server).Orders", 28, "\xE2\x80\xA6""shop/api.(*Server).Orders"},
        {"com.acme.shop.orders.OrderService.place", 24, "\xE2\x80\xA6""OrderService.place"},
        {"a::b<c::d>::long_function_name", 22, "\xE2\x80\xA6""ong_function_name"},
        {"averyveryverylongnamewithoutanyparts", 16, "avery\xE2\x80\xA6""hEND"},
    };
    struct gate_arena arena;
    gate_arena_init(&arena, 0);
    for (size_t i = 0; i < 4; i++) {
        struct gate_str got = gate_phrase_shorten(&arena, gate_str_from(rows[i].name), rows[i].columns);
        assert_string_equal(got.ptr, rows[i].text);
    }
    for (size_t i = 4; i < 6; i++) {
        struct gate_str got = gate_phrase_shorten(&arena, gate_str_from(rows[i].name), rows[i].columns);
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
        struct gate_str got = gate_phrase_shorten(&arena, (struct gate_str){name, sizeof name}, columns);
        assert_true(gate_str_columns(got) <= columns);
    }
    gate_arena_free(&arena);
}

static struct gate_str terminal(struct fixture *f, struct gate_buf *out, bool colour, bool quiet) {
    struct gate_report_options options = {.frame_limit = 10, .columns = 80, .colour = colour, .quiet = quiet};
    struct gate_error err = {0};
    assert_true(gate_report_terminal(out, &f->verdict, &options, &f->arena, &err));
    return gate_buf_view(out);
}

static bool holds(struct gate_str text, const char *needle) {
    return gate_str_find(text, gate_str_from(needle), 0) != SIZE_MAX;
}

static void terminal_fits_80_columns(void **state) {
    (void)state;
    struct fixture f;
    fixture_service(&f);
    struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, false, false);
    assert_true(gate_str_starts(text, GATE_STR("FAIL  1 of 3 budgets is broken, 1 warns\n")));
    assert_true(holds(text, "encoding/json.Marshal: self"));
    assert_true(holds(text, " +5.8 pp "));
    assert_true(holds(text, "\xE2\x80\xA6""acme/shop/internal/trace.Start   "));
    assert_true(holds(text, "one-pair"));
    assert_true(holds(text, "recommended (built in)"));
    assert_false(holds(text, "\033"));
    for (size_t at = 0; at < text.len;) {
        size_t end = gate_str_find(text, GATE_STR("\n"), at);
        assert_true(end != SIZE_MAX);
        assert_true(gate_str_columns(gate_str_slice(text, at, end)) <= 80);
        at = end + 1;
    }
    gate_buf_free(&out);
    gate_arena_free(&f.arena);
}

static void terminal_quiet_keeps_what_is_broken(void **state) {
    (void)state;
    struct fixture f;
    fixture_service(&f);
    struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, true, true);
    assert_true(gate_str_starts(text, GATE_STR("\033[1;31mFAIL\033[0m")));
    assert_true(holds(text, "encoding/json.Marshal: self"));
    assert_false(holds(text, "Top movers"));
    gate_buf_free(&out);
    gate_arena_free(&f.arena);
}

static void terminal_neutralises_names(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    fixture_stack(&f, "main;\033[31mred\033[0m\r\n::error::x", 10, 900);
    fixture_stack(&f, "main;##[group]y \xE2\x80\xAE", 900, 10);
    fixture_seal(&f);
    fixture_budget(&f, "b", GATE_OUTCOME_FAIL, "\033[31mred\033[0m\r\n::error::x", GATE_SELF);
    struct gate_buf out = {0};
    struct gate_str text = terminal(&f, &out, false, false);
    assert_false(holds(text, "\033"));
    assert_false(holds(text, "\r"));
    assert_false(holds(text, "\n::"));
    assert_false(holds(text, "##[group]"));
    assert_false(holds(text, "\xE2\x80\xAE"));
    gate_buf_free(&out);
    gate_arena_free(&f.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_read_well),
        cmocka_unit_test(points_keep_their_sign),
        cmocka_unit_test(names_lose_their_package_first),
        cmocka_unit_test(short_names_fit_any_width),
        cmocka_unit_test(terminal_fits_80_columns),
        cmocka_unit_test(terminal_quiet_keeps_what_is_broken),
        cmocka_unit_test(terminal_neutralises_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
