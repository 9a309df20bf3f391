/* SPDX-License-Identifier: Apache-2.0 */
/* budget/hypotheses.h: what a measure needs to be comparable, and what its costs are divided by. */
#include "gate/budget/hypotheses.h"
#include "tests/unit/unit.h"

#include <math.h>

#define SECOND INT64_C(1000000000)

struct row {
    enum gate_budget_measure measure;
    double work_ratio;         /* 0: not known */
    int64_t baseline, canary;  /* durations; 0: unknown */
    enum gate_limit_kind kind; /* of the only limit */
    const char *problem;       /* begins with; NULL: none */
    double ratio;
    bool is_per_second;
};

TEST(costs_are_divided_by_work_time_or_runs) {
    static const struct row rows[] = {
        {GATE_MEASURE_SELF, 0, 0, 0, GATE_LIMIT_SHARE_INCREASE, NULL, 1.0, false},
        {GATE_MEASURE_SELF, 2.0, SECOND, SECOND, GATE_LIMIT_SHARE_INCREASE, NULL, 2.0, false},
        {GATE_MEASURE_SELF_COST, 0, SECOND, SECOND, GATE_LIMIT_INCREASE, "a cost needs the work", 1.0, false},
        {GATE_MEASURE_CHARGED_COST, 0.5, 0, 0, GATE_LIMIT_INCREASE, NULL, 0.5, false},
        {GATE_MEASURE_TOTAL, 0, SECOND, 3 * SECOND, GATE_LIMIT_INCREASE, NULL, 3.0, true},
        {GATE_MEASURE_TOTAL, 2.0, SECOND, 3 * SECOND, GATE_LIMIT_INCREASE, NULL, 2.0, false},
        {GATE_MEASURE_TOTAL, 0, SECOND, 0, GATE_LIMIT_INCREASE, "totals are compared per", 1.0, false},
        {GATE_MEASURE_TOTAL, 0, 0, 0, GATE_LIMIT_ABSOLUTE, NULL, 1.0, false},
        {GATE_MEASURE_TOTAL_COST, 0, SECOND, SECOND, GATE_LIMIT_INCREASE, "a cost needs the work", 1.0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct gate_limit limit = {.kind = row->kind};
        struct gate_budget budget = {.measure = row->measure, .limits = &limit, .limit_count = 1};
        const struct gate_rules rules = {.budgets = &budget, .budget_count = 1};
        struct gate_profile profiles[GATE_SIDES] = {{.duration_ns = row->baseline}, {.duration_ns = row->canary}};
        struct gate_run runs[GATE_SIDES] = {0};
        struct gate_comparison comparison = {.work_ratio = row->work_ratio, .work_is_known = row->work_ratio > 0.0};
        comparison.equal = comparison.work_is_known ? GATE_EQUAL_WORK : GATE_EQUAL_UNKNOWN;
        for (int side = 0; side < GATE_SIDES; side++) {
            runs[side].input.profile = &profiles[side];
            comparison.pair.sides[side] =
                (struct gate_side){.runs = &runs[side], .run_count = 1, .duration_ns = profiles[side].duration_ns};
        }
        struct gate_budget_scope scope = {.rules = &rules};
        const char *problem = gate_budget_scope_fill(&scope, &comparison);
        if ((problem == NULL) != (row->problem == NULL) ||
            (problem != NULL && strncmp(problem, row->problem, strlen(row->problem)) != 0))
            fail_msg("row %zu: '%s', expected '%s'", i, problem, row->problem);
        assert_ptr_equal(scope.comparison, &comparison);
        assert_true(scope.exposure.ratio == row->ratio);
        assert_int_equal(scope.exposure.equal == GATE_EQUAL_TIME, row->is_per_second);
    }
}

/* `per` divides by seconds or runs, whether or not a fact makes costs comparable. If the work is known, costs are
 * divided by the work. */
TEST(per_gives_the_divisor_if_no_work_is_known) {
    static const struct {
        enum gate_per per;
        double work_ratio;
        int64_t baseline, canary;
        double ratio;
        enum gate_equal equal;
        bool is_untimed;
    } rows[] = {
        {GATE_PER_SECOND, 0.0, SECOND, 3 * SECOND, 3.0, GATE_EQUAL_TIME, false},
        {GATE_PER_SECOND, 2.0, SECOND, 3 * SECOND, 2.0, GATE_EQUAL_WORK, false},
        {GATE_PER_SECOND, 0.0, SECOND, 0, 1.0, GATE_EQUAL_RUN, true},
        {GATE_PER_RUN, 0.0, SECOND, 3 * SECOND, 1.0, GATE_EQUAL_RUN, false},
        {GATE_PER_RUN, 2.0, SECOND, 3 * SECOND, 1.0, GATE_EQUAL_RUN, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_limit limit = {.kind = GATE_LIMIT_INCREASE};
        struct gate_budget budget = {.measure = GATE_MEASURE_CHARGED_COST, .limits = &limit, .limit_count = 1};
        const struct gate_rules rules = {.budgets = &budget, .budget_count = 1};
        struct gate_profile profiles[GATE_SIDES] = {{.duration_ns = rows[i].baseline}, {.duration_ns = rows[i].canary}};
        struct gate_run runs[GATE_SIDES] = {0};
        struct gate_comparison comparison = {.work_ratio = rows[i].work_ratio, .work_is_known = rows[i].work_ratio > 0};
        budget.per = rows[i].per;
        comparison.equal = comparison.work_is_known ? GATE_EQUAL_WORK : GATE_EQUAL_UNKNOWN;
        for (int side = 0; side < GATE_SIDES; side++) {
            runs[side].input.profile = &profiles[side];
            comparison.pair.sides[side] =
                (struct gate_side){.runs = &runs[side], .run_count = 1, .duration_ns = profiles[side].duration_ns};
        }
        struct gate_budget_scope scope = {.rules = &rules};
        assert_null(gate_budget_scope_fill(&scope, &comparison));
        assert_true(scope.exposure.ratio == rows[i].ratio);
        assert_int_equal(scope.exposure.equal, rows[i].equal);
        assert_int_equal(scope.is_untimed, rows[i].is_untimed);
    }
}

TEST(a_missing_sample_type_is_a_problem) {
    struct gate_budget budget = {.measure = GATE_MEASURE_SELF};
    const struct gate_rules rules = {.budgets = &budget, .budget_count = 1};
    struct gate_budget_scope scope = {.rules = &rules, .comparison_index = GATE_NO_INDEX};
    assert_string_equal(gate_budget_scope_fill(&scope, NULL),
                        "the profiles have no such sample type, or nothing of it");
    assert_null(scope.comparison);
}
