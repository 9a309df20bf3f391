/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal report at its widths. */
#include "gate/report/report.h"
#include "tests/unit/verdict_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

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
        cmocka_unit_test(terminal_fits_80_columns),
        cmocka_unit_test(terminal_quiet_keeps_what_is_broken),
        cmocka_unit_test(terminal_neutralises_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
