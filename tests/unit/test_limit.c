/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of a limit to its kind and its exact value. tests/rules/reject contains the texts that are refused. */

#include "gate/model/unit.h"
#include "gate/rules/limit.h"
#include "gate/rules/rules_parse.h"
#include "tests/unit/unit.h"

static bool parse_limit(struct gate_rules *rules, const char *limit, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str text = gate_str_format(arena, "version: 1\nbudgets:\n  - {name: a, limit: %s}\n", limit);
    return gate_rules_parse(rules, text, GATE_STR("rules.yml"), NULL, arena, err);
}

TEST(each_form_of_a_limit_gives_its_kind_and_value) {
    static const struct {
        const char *limit, *text;
        enum gate_limit_kind kind;
        double value;
    } rows[] = {
        {"{share_increase: +5pp}", "+5pp", GATE_LIMIT_SHARE_INCREASE, 0.05},
        {"{share_increase: +0pp}", "+0pp", GATE_LIMIT_SHARE_INCREASE, 0.0},
        {"{share_increase: +0.1pp}", "+0.1pp", GATE_LIMIT_SHARE_INCREASE, 0.001},
        {"{share_increase: +12.5 pp}", "+12.5 pp", GATE_LIMIT_SHARE_INCREASE, 0.125},
        {"{share_increase: +99.999999pp}", "+99.999999pp", GATE_LIMIT_SHARE_INCREASE, 0.99999999},
        {"{increase: +0%}", "+0%", GATE_LIMIT_INCREASE, 1.0},
        {"{increase: +10%}", "+10%", GATE_LIMIT_INCREASE, 1.1},
        {"{increase: +100%}", "+100%", GATE_LIMIT_INCREASE, 2.0},
        {"{increase: 2x}", "2x", GATE_LIMIT_INCREASE, 2.0},
        {"{increase: 1.25x}", "1.25x", GATE_LIMIT_INCREASE, 1.25},
        {"{share: 30%}", "30%", GATE_LIMIT_SHARE, 0.3},
        {"{share: 0.000001%}", "0.000001%", GATE_LIMIT_SHARE, 1e-8},
        {"{new_frame: 2%}", "2%", GATE_LIMIT_NEW_FRAME, 0.02},
        {"{decrease: -10%}", "-10%", GATE_LIMIT_DECREASE, 0.9},
        {"{decrease: -0%}", "-0%", GATE_LIMIT_DECREASE, 1.0},
        {"{decrease: 0.9x}", "0.9x", GATE_LIMIT_DECREASE, 0.9},
        {"{absolute: 250ms}", "250ms", GATE_LIMIT_ABSOLUTE, 250e6},
        {"{absolute: 1.5s}", "1.5s", GATE_LIMIT_ABSOLUTE, 1.5e9},
        {"{absolute: 4MB}", "4MB", GATE_LIMIT_ABSOLUTE, 4194304.0},
        {"{absolute: 10 kB}", "10 kB", GATE_LIMIT_ABSOLUTE, 10240.0},
        {"{absolute: 1000count}", "1000count", GATE_LIMIT_ABSOLUTE, 1000.0},
        /* the kind follows from sign and unit */
        {"+5pp", "+5pp", GATE_LIMIT_SHARE_INCREASE, 0.05},
        {"+10%", "+10%", GATE_LIMIT_INCREASE, 1.1},
        {"2x", "2x", GATE_LIMIT_INCREASE, 2.0},
        {"1x", "1x", GATE_LIMIT_INCREASE, 1.0},
        {"-10%", "-10%", GATE_LIMIT_DECREASE, 0.9},
        {"0.5x", "0.5x", GATE_LIMIT_DECREASE, 0.5},
        {"250ms", "250ms", GATE_LIMIT_ABSOLUTE, 250e6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_rules_free) struct gate_rules rules = {0};
        if (!parse_limit(&rules, rows[i].limit, &arena, &err))
            fail_msg("%s: %s", rows[i].limit, err.message);
        assert_int_equal(rules.budgets[0].limit_count, 1);
        const struct gate_limit *limit = &rules.budgets[0].limits[0];
        assert_int_equal(limit->kind, rows[i].kind);
        assert_true(gate_str_equal(limit->text, gate_str_from(rows[i].text)));
        assert_int_equal(limit->severity, GATE_SEVERITY_ERROR);
        assert_int_equal(limit->line, 3);
        if (limit->value != rows[i].value)
            fail_msg("%s: %.17g, expected %.17g", rows[i].limit, limit->value, rows[i].value);
    }
}

/* Each tenth of a percentage point is the double nearest to its decimal fraction: it is rounded once, not twice. */
TEST(tenths_of_a_percentage_point_are_rounded_once) {
    for (unsigned tenths = 1; tenths < 1000; tenths += 7) {
        AT_END(gate_rules_free) struct gate_rules rules = {0};
        char limit[32];
        (void)snprintf(limit, sizeof limit, "+%u.%upp", tenths / 10, tenths % 10);
        assert_true(parse_limit(&rules, limit, &arena, &err));
        assert_true(rules.budgets[0].limits[0].value == (double)tenths / 1000.0);
    }
}

TEST(each_value_of_a_limit_has_its_own_severity) {
    AT_END(gate_rules_free) struct gate_rules rules = {0};
    assert_true(parse_limit(&rules, "{error: +5pp, warn: +2pp}", &arena, &err));
    const struct gate_limit *limits = rules.budgets[0].limits;
    assert_int_equal(rules.budgets[0].limit_count, 2);
    assert_int_equal(limits[0].severity, GATE_SEVERITY_ERROR);
    assert_true(limits[0].value == 0.05);
    assert_int_equal(limits[1].severity, GATE_SEVERITY_WARN);
    assert_true(limits[1].value == 0.02);
    gate_rules_free(&rules);
    assert_true(parse_limit(&rules, "{increase: {warn: +10%}, share: 5%}", &arena, &err));
    assert_int_equal(rules.budgets[0].limit_count, 2);
    assert_int_equal(rules.budgets[0].limits[0].severity, GATE_SEVERITY_WARN);
    assert_int_equal(rules.budgets[0].limits[1].severity, GATE_SEVERITY_ERROR);
}

/* A comparison can convert each unit that a rules file may use, to the same amount. */
TEST(a_comparison_converts_each_unit_to_the_same_amount) {
    static const char *const units[][2] = {
        {"ns", "nanoseconds"},
        {"us", "nanoseconds"},
        {"\xC2\xB5s", "nanoseconds"},
        {"\xCE\xBCs", "nanoseconds"},
        {"ms", "nanoseconds"},
        {"s", "nanoseconds"},
        {"min", "nanoseconds"},
        {"h", "nanoseconds"},
        {"B", "bytes"},
        {"kB", "bytes"},
        {"KB", "bytes"},
        {"KiB", "bytes"},
        {"MB", "bytes"},
        {"MiB", "bytes"},
        {"GB", "bytes"},
        {"GiB", "bytes"},
        {"count", "count"},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        AT_END(gate_rules_free) struct gate_rules rules = {0};
        double value = 0.0;
        char limit[32];
        (void)snprintf(limit, sizeof limit, "{absolute: 2.5%s}", units[i][0]);
        assert_true(parse_limit(&rules, limit, &arena, &err));
        if (!gate_unit_parse(&value, rules.budgets[0].limits[0].text, gate_str_from(units[i][1])))
            fail_msg("%s does not convert to %s", limit, units[i][1]);
        if (value != rules.budgets[0].limits[0].value)
            fail_msg("%s is %g here and %g there", limit, rules.budgets[0].limits[0].value, value);
    }
}

TEST(kinds_of_limits_are_named_as_in_rules_files) {
    assert_string_equal(gate_limit_kind_name(GATE_LIMIT_SHARE_INCREASE), "share_increase");
    assert_string_equal(gate_limit_kind_name(GATE_LIMIT_INCREASE), "increase");
    assert_string_equal(gate_limit_kind_name(GATE_LIMIT_SHARE), "share");
    assert_string_equal(gate_limit_kind_name(GATE_LIMIT_ABSOLUTE), "absolute");
    assert_string_equal(gate_limit_kind_name(GATE_LIMIT_NEW_FRAME), "new_frame");
    assert_string_equal(gate_limit_kind_name(GATE_LIMIT_DECREASE), "decrease");
}

/* What a kind bounds decides which budgets are corrected together, and what counts as a cause. */
TEST(limits_on_levels_and_decreases_do_not_bound_growth) {
    for (int i = 0; i < GATE_LIMIT_KINDS; i++) {
        enum gate_limit_kind kind = (enum gate_limit_kind)i;
        bool is_level = gate_limit_quantity(kind) == GATE_QUANTITY_LEVEL;
        if (gate_limit_bounds_growth(kind) == (is_level || kind == GATE_LIMIT_DECREASE))
            fail_msg("limit '%s': bounds_growth is %d", gate_limit_kind_name(kind), gate_limit_bounds_growth(kind));
    }
}

TEST(a_decimal_number_is_read_whole_or_refused) {
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"0.05", 0.05},
                {"-2.5e3", -2500.0},
                {"+1E+2", 100.0},
                {"5e-1", 0.5},
                {"123456789012345678", 123456789012345678.0},
                {"1e22", 1e22}};
    static const char *const refused[] = {
        "", "-", ".", "1e", "1e-", "1e5x", "1ex", "1e1000", "1e23", "1e-23", "1.2.3", "1x", "1234567890123456789"};
    double value = 0.0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(gate_amount_decimal(&value, gate_str_from(rows[i].text), 0) && value == rows[i].value);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (gate_amount_decimal(&value, gate_str_from(refused[i]), 0))
            fail_msg("'%s' was read as %g", refused[i], value);
}
