/* SPDX-License-Identifier: Apache-2.0 */
/* session/ledger.h: a written ledger is read back, and anything else is refused. test_ledger_file.c tests ledgers in
 * use. */
#include "gate/session/ledger.h"
#include "tests/unit/unit.h"

struct gate_arena arena;

static struct gate_str text_of(const struct gate_ledger *ledger) {
    struct gate_buf text = {0};
    gate_ledger_write(&text, ledger);
    struct gate_str copy = gate_str_copy(&arena, gate_buf_view(&text));
    gate_buf_free(&text);
    return copy;
}

static struct gate_ledger example(void) {
    static struct gate_ledger_run runs[] = {{GATE_STR("a/\"b\".pb.gz"), GATE_STR("00ff"), 0.0},
                                            {GATE_STR("c.pb.gz"), GATE_STR("0100"), 1250.5}};
    struct gate_ledger ledger = {.rules = GATE_STR("rules.yml"),
                                 .rules_digest = GATE_STR("ab"),
                                 .change = GATE_STR("fix-7"),
                                 .builds = {GATE_STR("base"), GATE_STR("can")},
                                 .planned = 3};
    struct gate_ledger_look look = {.time = GATE_STR("2026-11-21T20:00:00Z"),
                                    .outcome = GATE_OUTCOME_INCONCLUSIVE,
                                    .found = GATE_STR("1 of 4"),
                                    .runs = {{runs, 2}, {runs + 1, 1}}};
    struct gate_error err = {0};
    for (int i = 0; i < 2; i++)
        if (!gate_ledger_add(&ledger, &look, &arena, &err))
            fail_msg("%s", err.message);
    ledger.looks[1].outcome = GATE_OUTCOME_FAIL;
    return ledger;
}

static void what_is_written_is_read(void **state) {
    const struct gate_ledger ledger = example();
    struct gate_ledger back;
    struct gate_error err = {0};
    struct gate_str text = text_of(&ledger);
    if (!gate_ledger_read(&back, text, &arena, &err))
        fail_msg("%s", err.message);
    assert_true(gate_str_equal(text, text_of(&back)));
    assert_int_equal(back.planned, 3);
    assert_int_equal(back.count, 2);
    assert_int_equal(back.looks[0].outcome, GATE_OUTCOME_INCONCLUSIVE);
    assert_int_equal(back.looks[1].outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(back.looks[1].runs[GATE_BASELINE].count, 2);
    assert_float_equal(back.looks[1].runs[GATE_CANARY].items[0].work, 1250.5, 0);
    assert_true(gate_str_equal(back.builds[GATE_CANARY], GATE_STR("can")));
    const struct gate_ledger_run *found = gate_ledger_find(&back, GATE_STR("00ff"));
    assert_non_null(found);
    assert_true(gate_str_equal(found->path, GATE_STR("a/\"b\".pb.gz")));
    assert_non_null(gate_ledger_find(&back, GATE_STR("0100")));
    assert_null(gate_ledger_find(&back, GATE_STR("00")));
}

static struct gate_str replaced(struct gate_str text, const char *what, const char *with) {
    size_t at = gate_str_find(text, gate_str_from(what), 0);
    if (at == SIZE_MAX)
        fail_msg("no '%s'", what);
    const struct gate_str parts[] = {gate_str_slice(text, 0, at), gate_str_from(with),
                                     gate_str_slice(text, at + strlen(what), text.len)};
    return gate_str_concat(&arena, parts, 3);
}

static void anything_else_is_refused(void **state) {
    static const struct {
        const char *what, *with, *says;
    } rows[] = {
        {"{\n", "", "expected a ledger in JSON, found in line 1: "},
        {"\"schema\"", "\"scheme\"", "the ledger: expected a text in 'schema'"},
        {"ledger/1", "ledger/2", "expected the schema 'pprofgate-ledger/1', found 'pprofgate-ledger/2'"},
        {"\"fix-7\"", "7", "expected a text in 'change'"},
        {"\"canary_build\": \"can\",", "", "expected a text in 'canary_build'"},
        {"\"planned\": 3", "\"planned\": 0", "expected a whole number from 1 to 64 in 'planned'"},
        {"\"planned\": 3", "\"planned\": 65", "expected a whole number from 1 to 64 in 'planned'"},
        {"\"planned\": 3", "\"planned\": 1", "expected a list of at most 1 in 'looks'"},
        {"\"looks\": [", "\"looks\": [7, ", "looks[0]: expected a map"},
        {"\"inconclusive\"", "\"proven\"", "looks[0]: expected pass, fail or inconclusive in 'outcome'"},
        {"\"found\"", "\"lost\"", "looks[0]: unknown key 'lost'"},
        {"\"baseline\": [", "\"baseline\": {}, \"x\": [", "looks[0]: unknown key 'x'"},
        {"\"digest\": \"00ff\"", "\"digest\": \"\"", "expected a text in 'digest'"},
        {"\"work\": 0", "\"work\": -1", "expected a number of zero or more in 'work'"},
        {"\"work\": 0", "\"works\": 0", "looks[0]: unknown key 'works'"},
    };
    const struct gate_ledger ledger = example();
    struct gate_str text = text_of(&ledger);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_ledger back;
        struct gate_error err = {0};
        assert_false(gate_ledger_read(&back, replaced(text, rows[i].what, rows[i].with), &arena, &err));
        assert_int_equal(err.code, GATE_ERR_CONFIG);
        if (strstr(err.message, rows[i].says) == NULL)
            fail_msg("row %zu: %s", i, err.message);
    }
}

/* A ledger that is truncated anywhere is refused. */
static void half_a_ledger_is_none(void **state) {
    const struct gate_ledger ledger = example();
    struct gate_str text = text_of(&ledger);
    for (size_t len = 0; len + 2 < text.len; len += 7) {
        struct gate_ledger back;
        struct gate_error err = {0};
        assert_false(gate_ledger_read(&back, gate_str_slice(text, 0, len), &arena, &err));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(half_a_ledger_is_none),
    };
    gate_arena_init(&arena, 0);
    int failed = cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
    gate_arena_free(&arena);
    return failed;
}
