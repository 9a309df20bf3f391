/* SPDX-License-Identifier: Apache-2.0 */
/* report/headline.h: sentences about the totals of both sides. */
#include "tests/unit/verdict_fixture.h"

#include "gate/report/headline.h"
#include "tests/unit/unit.h"

#include <math.h>

TEST(totals_include_the_cost_per_unit_of_work) {
    static const struct {
        double work_ratio;
        bool is_known, is_estimated;
        const char *text;
    } rows[] = {
        {1.25, false, false, "total 1s \xE2\x86\x92 1.5s; canary used 1.50x in the same 30s (90% CI [1.09, 2.06])"},
        {1.25, true, false,
         "total 1s \xE2\x86\x92 1.5s; canary used 1.20x per unit of work (90% CI [0.88, 1.64]); 1.50x in the "
         "same 30s (90% CI [1.09, 2.06])"},
        {0.5, false, true,
         "total 1s \xE2\x86\x92 1.5s; canary used 1.50x in the same 30s (90% CI [1.09, 2.06]); 3.0x per unit of "
         "work (estimated)"}};
    FIXTURE(f);
    fixture_stack(&f, "main;work", 100, 150);
    fixture_seal(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        f.comparison.work_ratio = rows[i].work_ratio;
        f.comparison.work_is_known = rows[i].is_known;
        f.comparison.equal = rows[i].is_known ? GATE_EQUAL_WORK : GATE_EQUAL_UNKNOWN;
        f.comparison.work_in_force[GATE_BASELINE] = rows[i].is_known ? 100 : 0;
        f.comparison.work_in_force[GATE_CANARY] = rows[i].is_known ? 125 : 0;
        f.comparison.work_is_estimated = rows[i].is_estimated;
        gate_totals_print(&out, &f.comparison, f.rules.work_unit);
        gate_buf_char(&out, '\0');
        assert_string_equal(out.ptr, rows[i].text);
        out.len = 0;
        gate_totals_print(&out, &f.comparison, GATE_STR("request")); /* the word of the causes */
        gate_buf_char(&out, '\0');
        assert_int_equal(strstr(out.ptr, " per request (90% CI") != NULL, rows[i].is_known);
    }
}

/* A whole execution that costs 1.5 times as much also takes longer, so its cost per second would be 1.00 times. */
TEST(whole_executions_have_no_cost_per_second) {
    static const struct {
        int64_t canary_ns;
        const char *text;
    } rows[] = {{INT64_C(45000000000), "total 1s \xE2\x86\x92 1.5s; canary used 1.50x per run (90% CI [1.09, 2.06])"},
                {INT64_C(30000000000), "total 1s \xE2\x86\x92 1.5s; canary used 1.50x per run (90% CI [1.09, 2.06]); "
                                       "1.50x in the same 30s (90% CI [1.09, 2.06])"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        FIXTURE(f);
        fixture_stack(&f, "main;work", 100, 150);
        fixture_seal(&f);
        f.comparison.work_ratio = 1;
        f.comparison.work_is_known = true;
        f.comparison.equal = GATE_EQUAL_RUN;
        f.comparison.pair.sides[GATE_CANARY].duration_ns = rows[i].canary_ns;
        gate_totals_print(&out, &f.comparison, f.rules.work_unit);
        gate_buf_char(&out, '\0');
        assert_string_equal(out.ptr, rows[i].text);
    }
}

/* Shares do not show that everything in a benchmark became slower. */
TEST(totals_of_benchmarks_name_the_option_that_judges_their_cost) {
    static const struct {
        const char *stack;
        enum gate_equal equal;
        bool is_told;
    } rows[] = {{"testing.(*B).runN;work", GATE_EQUAL_UNKNOWN, true},
                {"testing.(*B).RunParallel.func1;work", GATE_EQUAL_UNKNOWN, true},
                {"testing.(*B).runN;work", GATE_EQUAL_RUN, false},
                {"main;work", GATE_EQUAL_UNKNOWN, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        FIXTURE(f);
        fixture_stack(&f, rows[i].stack, 100, 150);
        fixture_stack(&f, "other", 60, 60);
        fixture_seal(&f);
        f.comparison.equal = rows[i].equal;
        gate_totals_print(&out, &f.comparison, f.rules.work_unit);
        gate_buf_char(&out, '\0');
        assert_int_equal(strstr(out.ptr, "--equal run judges their cost") != NULL, rows[i].is_told);
    }
}

TEST(totals_are_per_run_if_the_sides_have_different_run_counts) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    FIXTURE(f);
    fixture_stack(&f, "main;work", 300, 600);
    fixture_seal(&f);
    struct gate_run runs[GATE_SIDES][3];
    for (int side = 0; side < GATE_SIDES; side++) {
        struct gate_side *own = &f.comparison.pair.sides[side];
        own->run_count = side == GATE_BASELINE ? 2 : 3;
        for (uint32_t r = 0; r < own->run_count; r++) {
            runs[side][r] = own->runs[0];
            runs[side][r].total = own->total / own->run_count;
        }
        own->duration_ns = 0;
        own->runs = runs[side];
    }
    gate_totals_print(&out, &f.comparison, f.rules.work_unit);
    gate_buf_char(&out, '\0');
    assert_string_equal(out.ptr,
                        "total of a run 1.5s \xE2\x86\x92 2s; canary used 1.33x per run (90% CI [1.11, 1.61])");
}

TEST(the_share_without_a_name_is_part_of_the_totals) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    FIXTURE(f);
    fixture_stack(&f, "main;work", 90, 60);
    fixture_stack(&f, "main;nameless", 10, 40);
    fixture_seal(&f);
    for (uint32_t i = 0; i < f.comparison.pair.frame_count; i++)
        f.comparison.pair.frames[i].is_symbolised =
            !gate_str_equal(f.comparison.pair.frames[i].name, GATE_STR("nameless"));
    gate_totals_print(&out, &f.comparison, f.rules.work_unit);
    gate_buf_char(&out, '\0');
    assert_non_null(strstr(out.ptr, "; without a function name: 10.0% \xE2\x86\x92 40.0%"));
    out.len = 0;
    f.comparison.pair.granularity = GATE_BY_MAPPING;
    gate_totals_print(&out, &f.comparison, f.rules.work_unit);
    gate_buf_char(&out, '\0');
    assert_null(strstr(out.ptr, "without a function name"));
}

/* The total per run doubled, so the share of everything else fell. 30 → 20 samples are not a lower cost, 300 → 20 are.
 * Not reported: less than 1% of a program, and a cost that may have moved to another function. */
TEST(only_a_significant_decrease_counts_as_cheaper) {
    static const struct {
        int64_t baseline, decode;
        bool has_moved, is_cheaper;
    } rows[] = {{30, 100, false, false}, {300, 100, false, true}, {300, 100, true, false}, {300, 40000, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        FIXTURE(f);
        fixture_stack(&f, "main;encode", rows[i].baseline, 20);
        fixture_stack(&f, "main;decode", rows[i].decode, 14 * rows[i].decode);
        fixture_stack(&f, "main;rest", 700, 700);
        fixture_seal(&f);
        f.comparison.work_ratio = 1;
        f.comparison.work_is_known = true;
        f.comparison.equal = GATE_EQUAL_RUN;
        uint32_t encode = 0;
        while (!gate_str_equal(f.comparison.pair.frames[encode].name, GATE_STR("encode")))
            encode++;
        const struct gate_shift shift = {.sources = {encode}, .source_count = 1};
        struct gate_finding finding = {.shift = &shift};
        const struct gate_budget_result result = {.comparison = 0};
        struct gate_cause_finding told = {.result = &result, .finding = &finding};
        struct gate_cause cause = {.findings = &told, .finding_count = 1};
        f.verdict.causes = (struct gate_cause_list){&cause, rows[i].has_moved ? 1 : 0};
        gate_cheaper_print(&out, &f.verdict);
        gate_buf_char(&out, '\0');
        assert_int_equal(strstr(out.ptr, "encode got cheaper") != NULL, rows[i].is_cheaper);
    }
}

/* One run per side: 10% variation between runs, and Poisson counts. */
TEST(work_is_not_estimated_from_amounts_held) {
    struct gate_comparison comparison = {.work_is_estimated = true, .pair.type = {.type = GATE_STR("cpu")}};
    assert_true(gate_comparison_shows_work(&comparison));
    comparison.pair.type.type = GATE_STR("inuse_space");
    assert_false(gate_comparison_shows_work(&comparison));
    comparison.work_is_known = true;
    assert_true(gate_comparison_shows_work(&comparison));
}

TEST(the_error_of_one_pair_is_assumed) {
    FIXTURE(f);
    fixture_stack(&f, "main;work", 400, 500);
    fixture_seal(&f);
    assert_true(fabs(gate_totals_error(&f.comparison) - sqrt(0.02 + 1.0 / 400 + 1.0 / 500)) < 1e-9);
}
