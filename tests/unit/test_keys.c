/* SPDX-License-Identifier: Apache-2.0 */
/* Rules files: the field that each key sets, what `extends` inherits and overrides, carets below errors, and dates. */

#include "gate/rules/guard_rules.h"
#include "gate/rules/rules.h"
#include "gate/rules/rules_parse.h"
#include "gate/session/session.h"
#include "tests/unit/unit.h"

static void expect_str(struct gate_str got, const char *expected) {
    if (!gate_str_equal(got, gate_str_from(expected)))
        fail_msg("got '%.*s', expected '%s'", GATE_STR_ARG(got), expected);
}

static void parse(struct gate_rules *rules, const char *text, const struct gate_rules_reader *reader,
                  struct gate_arena *arena) {
    if (!gate_rules_parse(rules, gate_str_from(text), GATE_STR("dir/rules.yml"), reader, arena, &err))
        fail_msg("%u:%u: %s", (unsigned)err.line, (unsigned)err.column, err.message);
}

TEST(each_section_of_a_rules_file_is_parsed) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    parse(&rules,
          "version: 1\n"
          "defaults: {severity: warn, alpha: 0.001, alpha_margin: 0.1, min_samples: 50, on_inconclusive: fail}\n"
          "sample_types: {cpu: [cpu/nanoseconds, cpu-time], wall: wall/nanoseconds}\n"
          "frames: {granularity: package, names: exact, ignore: [a, b], rename: [{match: '^(x)V2$', to: '$1'}]}\n"
          "work: {unit: order, baseline: 100, canary: 2.5e2}\n"
          "counts: {period: 10000000, mutex_fraction: 5}\n"
          "guards: {swapped: error, idle: {limit: 20%}, different_duration: {severity: off, limit: 3x}}\n"
          "budgets: [{name: a, limit: +5pp}]\n",
          NULL, &arena);
    expect_str(rules.source, "dir/rules.yml");
    assert_int_equal(rules.severity, GATE_SEVERITY_WARN);
    assert_true(rules.alpha == 0.001 && rules.alpha_margin == 0.1 && rules.min_samples == 50);
    assert_int_equal(rules.on_inconclusive, GATE_ON_INCONCLUSIVE_FAIL);
    assert_int_equal(rules.sample_type_count, 2);
    expect_str(rules.sample_types[0].key, "cpu");
    assert_int_equal(rules.sample_types[0].candidate_count, 2);
    expect_str(rules.sample_types[0].candidates[1], "cpu-time");
    expect_str(rules.sample_types[1].candidates[0], "wall/nanoseconds");
    assert_int_equal(rules.frames.granularity, GATE_BY_PACKAGE);
    assert_true(rules.frames.exact_names);
    assert_int_equal(rules.frames.ignore_count, 2);
    assert_int_equal(gate_regex_match(rules.frames.ignore[1], GATE_STR("b")), GATE_REGEX_YES);
    assert_int_equal(rules.frames.rename_count, 1);
    expect_str(gate_regex_replace(rules.frames.renames[0].match, GATE_STR("xV2"), rules.frames.renames[0].to, &arena),
               "x");
    expect_str(rules.work_unit, "order");
    assert_true(rules.work[GATE_BASELINE] == 100 && rules.work[GATE_CANARY] == 250);
    assert_true(rules.counts.period == 1e7 && rules.counts.mutex_fraction == 5);
    assert_int_equal(gate_guard_severity(&rules, GATE_GUARD_SWAPPED), GATE_SEVERITY_ERROR);
    assert_int_equal(gate_guard_severity(&rules, GATE_GUARD_IDLE), GATE_SEVERITY_WARN);
    assert_int_equal(gate_guard_severity(&rules, GATE_GUARD_DIFFERENT_DURATION), GATE_SEVERITY_OFF);
    assert_int_equal(gate_guard_severity(&rules, GATE_GUARD_UNSYMBOLISED), GATE_SEVERITY_ERROR);
    assert_true(gate_guard_limit(&rules, GATE_GUARD_IDLE) == 0.2);
    assert_true(gate_guard_limit(&rules, GATE_GUARD_DIFFERENT_DURATION) == 3.0);
    assert_true(gate_guard_limit(&rules, GATE_GUARD_SHAPE_CHANGED) == 0.5);
    assert_int_equal(rules.budgets[0].severity, GATE_SEVERITY_WARN);
}

TEST(hard_texts_of_all_patterns_are_counted_together) {
    static const struct gate_str hard = GATE_STR("aaaaaaaaaaaaaaa!"); /* 2^15 steps, of which 10,000 are few */
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    parse(&rules, "version: 1\nframes: {ignore: ['^(a+)+$', '^(a+)+$']}\nbudgets: [{name: a, limit: +5pp}]\n", NULL,
          &arena);
    for (int i = 0; i < 100; i++)
        assert_int_equal(gate_regex_match(rules.frames.ignore[0], hard), GATE_REGEX_NO);
    assert_int_equal(gate_regex_match(rules.frames.ignore[1], hard), GATE_REGEX_TOO_HARD);
}

TEST(each_key_of_a_budget_is_parsed_or_has_a_default) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    parse(&rules,
          "version: 1\n"
          "budgets:\n"
          "  - name: whole\n"
          "    severity: warn\n"
          "    sample_type: cpu\n"
          "    measure: cumulative\n"
          "    as: group\n"
          "    select: {function: f, package: p, file: g, mapping: m, under: u,\n"
          "             not: {function: nf, package: np, file: ng, mapping: nm}}\n"
          "    where: {endpoint: /checkout, size: 4096}\n"
          "    limit: +5pp\n"
          "    min_share: 0.5%\n"
          "    max_mde: 10pp\n"
          "    must_match: True\n"
          "    shift: error\n"
          "    sustain: 2 of 3\n"
          "    owner: team\n"
          "    message: see the docs\n"
          "    reason: known\n"
          "    expires: 2026-12-31\n"
          "  - {name: bare, limit: +1pp}\n",
          NULL, &arena);
    const struct gate_budget *b = &rules.budgets[0];
    expect_str(b->name, "whole");
    assert_int_equal(b->severity, GATE_SEVERITY_WARN);
    expect_str(b->sample_type, "cpu");
    assert_int_equal(b->measure, GATE_MEASURE_CUMULATIVE);
    assert_true(b->as_group);
    expect_str(b->select.function.text, "f");
    expect_str(b->select.package.text, "p");
    expect_str(b->select.file.text, "g");
    expect_str(b->select.mapping.text, "m");
    expect_str(b->select.under.text, "u");
    expect_str(b->select.not_function.text, "nf");
    expect_str(b->select.not_package.text, "np");
    expect_str(b->select.not_file.text, "ng");
    expect_str(b->select.not_mapping.text, "nm");
    assert_int_equal(b->where_count, 2);
    expect_str(b->where[0].key, "endpoint");
    expect_str(b->where[0].value, "/checkout");
    expect_str(b->where[1].value, "4096");
    assert_true(b->min_share == 0.005 && b->max_mde == 0.1);
    assert_true(b->must_match);
    assert_int_equal(b->shift, GATE_SEVERITY_ERROR);
    assert_int_equal(b->sustain_k, 2);
    assert_int_equal(b->sustain_n, 3);
    expect_str(b->owner, "team");
    expect_str(b->message, "see the docs");
    expect_str(b->reason, "known");
    expect_str(b->expires, "2026-12-31");
    expect_str(b->source, "dir/rules.yml");
    expect_str(b->limits[0].source, "dir/rules.yml");
    assert_int_equal(b->line, 3);
    assert_int_equal(b->column, 5);
    assert_int_equal(rules.regex_count, 9);

    const struct gate_budget *bare = &rules.budgets[1];
    assert_int_equal(bare->severity, GATE_SEVERITY_ERROR);
    assert_int_equal(bare->measure, GATE_MEASURE_SELF);
    assert_int_equal(bare->shift, GATE_SEVERITY_WARN);
    assert_false(bare->as_group || bare->must_match);
    assert_null(bare->select.function.regex);
    assert_int_equal(bare->sustain_n, 0);
    assert_int_equal(bare->where_count, 0);
    assert_true(bare->min_share == 0 && bare->max_mde == 0);
}

/* A reader of two files, which also checks the paths it is given. */
static bool read_two(void *context, struct gate_str *bytes, struct gate_str path, struct gate_arena *arena,
                     struct gate_error *err) {
    (void)context;
    (void)arena;
    if (gate_str_equal(path, GATE_STR("dir/sub/base.yml")))
        *bytes =
            GATE_STR("version: 1\n"
                     "extends: ../deeper.yml\n"
                     "defaults: {alpha: 0.02, severity: warn}\n"
                     "frames: {ignore: [a, b], names: exact}\n"
                     "sample_types: {cpu: x, wall: y}\n"
                     "guards: {swapped: error, idle: off}\n"
                     "budgets:\n"
                     "  - {name: one, measure: cumulative, select: a, limit: {share_increase: +1pp, increase: 2x}}\n"
                     "  - {name: two, severity: error, limit: +2pp, owner: them}\n");
    else if (gate_str_equal(path, GATE_STR("dir/deeper.yml")))
        *bytes = GATE_STR("version: 1\nwork: {unit: order}\nbudgets: [{name: zero, limit: +9pp}]\n");
    else
        return gate_error_set(err, GATE_ERR_IO, "no such file");
    return true;
}

TEST(a_rules_file_overrides_the_file_that_it_extends) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    const struct gate_rules_reader reader = {read_two, NULL};
    parse(&rules,
          "version: 1\n"
          "extends: sub/.././sub/base.yml\n"
          "defaults: {min_samples: 9}\n"
          "frames: {ignore: [c]}\n"
          "sample_types: {cpu: z}\n"
          "guards: {idle: warn}\n"
          "budgets:\n"
          "  - {name: one, select: b, limit: +3pp}\n"
          "  - {name: two, severity: off}\n"
          "  - {name: three, limit: +4pp}\n",
          &reader, &arena);
    assert_true(rules.alpha == 0.02 && rules.min_samples == 9);
    expect_str(rules.work_unit, "order");
    assert_int_equal(rules.frames.ignore_count, 1);
    assert_true(rules.frames.exact_names);
    assert_int_equal(rules.sample_type_count, 2);
    expect_str(rules.sample_types[0].candidates[0], "z");
    expect_str(rules.sample_types[1].candidates[0], "y");
    assert_int_equal(rules.guard_count, 2);
    assert_int_equal(gate_guard_severity(&rules, GATE_GUARD_SWAPPED), GATE_SEVERITY_ERROR);
    assert_int_equal(gate_guard_severity(&rules, GATE_GUARD_IDLE), GATE_SEVERITY_WARN);

    assert_int_equal(rules.budget_count, 4);
    expect_str(rules.budgets[0].name, "zero");
    expect_str(rules.budgets[0].source, "dir/deeper.yml");
    assert_int_equal(rules.budgets[0].severity, GATE_SEVERITY_WARN); /* base.yml's default overrides it */
    expect_str(rules.budgets[1].name, "one");
    assert_int_equal(rules.budgets[1].measure, GATE_MEASURE_CUMULATIVE);
    expect_str(rules.budgets[1].select.function.text, "b");
    assert_int_equal(rules.budgets[1].limit_count, 1);
    assert_true(rules.budgets[1].limits[0].value == 0.03);
    expect_str(rules.budgets[1].source, "dir/rules.yml");
    assert_int_equal(rules.budgets[2].severity, GATE_SEVERITY_OFF);
    expect_str(rules.budgets[2].owner, "them");
    expect_str(rules.budgets[3].name, "three");
}

/* A long value is cut after 60 bytes in a message, and only then is there an ellipsis. */
TEST(a_message_cuts_a_value_after_60_bytes) {
    static const char forty[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    for (int copies = 1; copies <= 2; copies++) {
        char text[160], found[160];
        struct gate_error err = {0};
        struct gate_rules rules = {0};
        (void)snprintf(text, sizeof text, "version: 1\nbudgets: [{name: a, limit: %s%s}]\n", forty,
                       copies == 2 ? forty : "");
        (void)snprintf(found, sizeof found, "'%s%.*s%s'", forty, copies == 2 ? 20 : 0, forty, copies == 2 ? "..." : "");
        assert_false(gate_rules_parse(&rules, gate_str_from(text), GATE_STR("x.yml"), NULL, &arena, &err));
        if (strstr(err.message, found) == NULL)
            fail_msg("%s: not in '%s'", found, err.message);
    }
}

/* Texts and patterns have at most GATE_RULES_TEXT_MAX bytes. */
TEST(a_text_of_the_maximum_length_is_accepted) {
    static const char *const heads[] = {"version: 1\nbudgets: [{limit: +5pp, name: '",
                                        "version: 1\nbudgets: [{name: a, limit: +5pp}]\nframes: {ignore: ['"};
    static const char *const ends[] = {"'}]\n", "']}\n"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        for (int more = 0; more < 2; more++) {
            AT_END(gate_buf_free) struct gate_buf text = {0};
            struct gate_error err = {0};
            AT_END(gate_rules_free) struct gate_rules rules = {0};
            gate_buf_text(&text, heads[i]);
            gate_buf_repeat(&text, 'x', GATE_RULES_TEXT_MAX + (size_t)more);
            gate_buf_text(&text, ends[i]);
            bool ok = gate_rules_parse(&rules, gate_buf_view(&text), GATE_STR("x.yml"), NULL, &arena, &err);
            if (ok != (more == 0) || (more == 1 && strstr(err.message, "longer than 2000 bytes") == NULL))
                fail_msg("row %zu, %d more: %s", i, more, err.message);
        }
}

TEST(a_file_can_extend_another_only_with_a_reader) {
    struct gate_rules rules = {0};
    assert_false(
        gate_rules_parse(&rules, GATE_STR("version: 1\nextends: a.yml\n"), GATE_STR("x.yml"), NULL, &arena, &err));
    assert_int_equal(err.line, 2);
    assert_string_equal(err.message, "cannot read 'a.yml' here: expected the name of a preset");
}

static void expect_caret(const char *text, uint32_t line, uint32_t column, const char *expected) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    gate_caret_print(&out, gate_str_from(text), line, column);
    if (!gate_str_equal(gate_buf_view(&out), gate_str_from(expected)))
        fail_msg("got\n%.*s\nexpected\n%s", GATE_STR_ARG(gate_buf_view(&out)), expected);
}

TEST(the_caret_points_at_the_column_of_the_error) {
    expect_caret("a\n  bad: 1\n", 2, 3, "     2 |   bad: 1\n       |   ^\n");
    expect_caret("only", 1, 1, "     1 | only\n       | ^\n");
    expect_caret("a\r\nb\r\n", 2, 2, "     2 | b\n       |  ^\n");
    expect_caret("a", 1, 99, "     1 | a\n       |  ^\n");
    expect_caret("", 1, 1, "     1 | \n       | ^\n");
    expect_caret("a", 0, 0, "");
    expect_caret("a", 2, 1, "");
    expect_caret("\xE6\x97\xA5: x", 1, 3, "     1 | \xE6\x97\xA5: x\n       |    ^\n"); /* wide: two columns */
    expect_caret("\ta: \x1B[31m", 1, 2, "     1 |  a: \xEF\xBF\xBD[31m\n       |  ^\n");
}

TEST(a_long_line_is_cut_around_the_caret) {
    char *text = gate_arena_calloc(&arena, 501, 1);
    memset(text, 'x', 500);
    AT_END(gate_buf_free) struct gate_buf out = {0};
    gate_caret_print(&out, (struct gate_str){text, 500}, 1, 250);
    struct gate_str shown = gate_buf_view(&out);
    size_t bar = gate_str_find(shown, GATE_STR("\n"), 0);
    assert_true(bar < 130);
    assert_true(gate_str_starts(shown, GATE_STR("     1 | ...xxx")));
    assert_true(gate_str_ends(gate_str_slice(shown, 0, bar), GATE_STR("xxx...")));
    /* The caret is under the 61st shown x. */
    assert_int_equal(gate_str_find(shown, GATE_STR("^"), 0), bar + 1 + 9 + 3 + 60);
}

TEST(only_days_of_the_calendar_are_valid_dates) {
    static const char *const good[] = {"1970-01-01", "2024-02-29", "2000-02-29", "2026-12-31", "9999-12-31"};
    static const char *const bad[] = {"",           "2026-1-01",  "2026-00-10",  "2026-13-01", "2026-04-31",
                                      "2026-02-29", "1900-02-29", "2100-02-29",  "2026-12-00", "2026/12/31",
                                      "20261231",   "1969-12-31", "2026-12-31 ", "202a-12-31"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(gate_waiver_date_is_valid(gate_str_from(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(gate_waiver_date_is_valid(gate_str_from(bad[i])));
}

TEST(a_waiver_expires_after_its_last_day) {
    struct gate_budget waiver = {.expires = GATE_STR("2026-12-31")};
    struct gate_budget other = {0};
    assert_false(gate_waiver_is_expired(&waiver, GATE_STR("2026-12-30")));
    assert_false(gate_waiver_is_expired(&waiver, GATE_STR("2026-12-31")));
    assert_true(gate_waiver_is_expired(&waiver, GATE_STR("2027-01-01")));
    assert_false(gate_waiver_is_expired(&other, GATE_STR("2027-01-01")));
    assert_false(gate_waiver_is_expired(&waiver, GATE_STR("")));
}

TEST(an_expired_waiver_names_its_date_reason_and_owner) {
    struct gate_budget waiver = {
        .expires = GATE_STR("2026-12-31"), .reason = GATE_STR("ISSUE-12"), .owner = GATE_STR("them")};
    expect_str(gate_waiver_sentence(&waiver, &arena), "this waiver expired on 2026-12-31 (ISSUE-12)");
    expect_str(gate_waiver_advice(&waiver, &arena), "renew it with a reason, or remove it; owner: them");
    waiver.reason = waiver.owner = GATE_STR("");
    expect_str(gate_waiver_sentence(&waiver, &arena), "this waiver expired on 2026-12-31");
    expect_str(gate_waiver_advice(&waiver, &arena), "renew it with a reason, or remove it");
}

TEST(severities_and_measures_are_named_as_in_rules_files) {
    assert_string_equal(gate_severity_name(GATE_SEVERITY_OFF), "off");
    assert_string_equal(gate_severity_name(GATE_SEVERITY_WARN), "warn");
    assert_string_equal(gate_severity_name(GATE_SEVERITY_ERROR), "error");
    assert_string_equal(gate_budget_measure_name(GATE_MEASURE_SELF), "self");
    assert_string_equal(gate_budget_measure_name(GATE_MEASURE_TOTAL_COST), "total_cost");
}
