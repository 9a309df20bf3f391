/* SPDX-License-Identifier: Apache-2.0 */
/* --by: which label values become inputs, with which budgets and work, and the rows that reports list. */
#include "gate/budget/by.h"
#include "gate/report/listing.h"
#include "tests/unit/labelled_fixture.h"

static const struct gate_label_filter everything = {NULL, 0};

struct by_fixture {
    struct pair_fixture profiles;
    struct gate_budget budgets[4];
    struct gate_limit growth, level;
    struct gate_rules rules;
    struct gate_plan_input whole, *inputs;
    uint32_t input_count;
    struct gate_by_list list;
    struct gate_work work;
};

static struct gate_budget *by_budget(struct by_fixture *f, const char *name, enum gate_budget_measure measure,
                                     struct gate_limit *limit) {
    struct gate_budget *budget = &f->budgets[f->rules.budget_count++];
    *budget = (struct gate_budget){.name = gate_str_from(name),
                                   .severity = GATE_SEVERITY_ERROR,
                                   .measure = measure,
                                   .limits = limit,
                                   .limit_count = 1,
                                   .must_match = true,
                                   .expires = GATE_STR("2030-01-01")};
    return budget;
}

static void by_begin(struct by_fixture *f, const char *baseline, const char *canary) {
    *f = (struct by_fixture){.growth = {.kind = GATE_LIMIT_SHARE_INCREASE, .value = 0.05},
                             .level = {.kind = GATE_LIMIT_SHARE, .value = 0.3}};
    fixture_begin(&f->profiles);
    labelled_add(&f->profiles, GATE_BASELINE, baseline, 0);
    labelled_add(&f->profiles, GATE_CANARY, canary, 0);
    f->rules = (struct gate_rules){.source = GATE_STR("test"), .budgets = f->budgets};
    f->whole = (struct gate_plan_input){
        .runs = {f->profiles.inputs[0], f->profiles.inputs[1]}, .counts = {1, 1}, .given_work = &f->work};
}

static bool by_try(struct by_fixture *f, uint32_t limit) {
    const struct gate_by_options options = {.key = GATE_STR("e"), .limit = limit, .where = &everything};
    f->inputs = &f->whole;
    f->input_count = 1;
    return gate_by_spread(&f->list, &f->rules, &f->inputs, &f->input_count, &options, &f->profiles.arena,
                          &f->profiles.err);
}

static void assert_text(struct gate_str text, const char *expected) {
    if (!gate_str_equal(text, gate_str_from(expected)))
        fail_msg("found '%.*s', expected '%s'", GATE_STR_ARG(text), expected);
}

TEST(each_value_gets_the_budgets_that_bound_growth) {
    struct by_fixture f;
    by_begin(&f, "e=/a m;x 50\ne=/b m;x 50", "e=/a m;x 60\ne=/b m;x 40");
    by_budget(&f, "grows", GATE_MEASURE_SELF, &f.growth);
    by_budget(&f, "level", GATE_MEASURE_SELF, &f.level);
    by_budget(&f, "total", GATE_MEASURE_TOTAL_COST, &f.growth); /* not repeated: no work is given */
    by_budget(&f, "off", GATE_MEASURE_SELF, &f.growth)->severity = GATE_SEVERITY_OFF;
    assert_true(by_try(&f, 0));
    assert_int_equal(f.input_count, 3);
    assert_null(f.inputs[0].part);
    assert_text(f.inputs[1].part->value, "/a");
    assert_int_equal(f.rules.budget_count, 4 + 2);
    assert_text(f.rules.budgets[4].name, "grows (e=/a)");
    assert_text(f.rules.budgets[5].name, "grows (e=/b)");
    assert_ptr_equal(f.rules.budgets[5].part, f.inputs[2].part);
    assert_false(f.rules.budgets[4].must_match); /* checked for the whole only */
    assert_int_equal(f.rules.budgets[4].expires.len, 0);
    fixture_end(&f.profiles);
}

TEST(values_of_one_side_are_listed_and_not_compared) {
    struct by_fixture f;
    by_begin(&f, "e=/a m;x 50\ne=/old m;x 50", "e=/a m;x 60\ne=/new m;x 40");
    by_budget(&f, "grows", GATE_MEASURE_SELF, &f.growth);
    assert_true(by_try(&f, 0));
    assert_int_equal(f.input_count, 2);
    assert_int_equal(f.list.items[0].count, 3);
    assert_text(gate_str_from(gate_by_state_name(f.list.items[0].values[0].state)), "compared");
    assert_text(gate_str_from(gate_by_state_name(f.list.items[0].values[1].state)), "gone");
    assert_text(gate_str_from(gate_by_state_name(f.list.items[0].values[2].state)), "new");
    const struct gate_by *worst = NULL;
    assert_true(gate_by_uncovered(&f.list, &worst) == 0.5);
    assert_ptr_equal(worst, &f.list.items[0]);
    fixture_end(&f.profiles);
}

TEST(light_and_many_values_are_left_out_and_counted) {
    struct by_fixture f;
    const char *lines = "e=/a m;x 500\ne=/b m;x 300\ne=/c m;x 191\ne=/light m;x 9";
    by_begin(&f, lines, lines);
    by_budget(&f, "grows", GATE_MEASURE_SELF, &f.growth);
    assert_true(by_try(&f, 0));
    assert_int_equal(f.input_count, 1 + 3);
    assert_int_equal(f.list.items[0].left_out, 1);
    fixture_end(&f.profiles);
    by_begin(&f, lines, lines);
    by_budget(&f, "grows", GATE_MEASURE_SELF, &f.growth);
    assert_true(by_try(&f, 2));
    assert_int_equal(f.input_count, 1 + 2);
    assert_int_equal(f.list.items[0].left_out, 2);
    assert_true(f.list.items[0].left_out_cost[GATE_CANARY] == 0.2);
    fixture_end(&f.profiles);
}

/* A run without samples of a value is left out of that value's input, because it would be refused as empty. */
TEST(runs_without_the_value_are_left_out_of_it) {
    struct by_fixture f;
    by_begin(&f, "e=/a m;x 50\ne=/b m;x 50", "e=/a m;x 60\ne=/b m;x 40");
    labelled_add(&f.profiles, GATE_CANARY, "e=/a m;x 60", 0);
    f.whole.counts[GATE_CANARY] = 2;
    by_budget(&f, "grows", GATE_MEASURE_SELF, &f.growth);
    assert_true(by_try(&f, 0));
    assert_int_equal(f.inputs[1].counts[GATE_CANARY], 2);
    assert_int_equal(f.inputs[2].counts[GATE_CANARY], 1);
    fixture_end(&f.profiles);
}

static void tell(struct by_fixture *f, enum gate_side_name side, const char *value, const double *number) {
    const struct gate_work_count count = {side, GATE_STR("e"), gate_str_from(value), number, 1};
    assert_true(gate_work_add(&f->work, &count, &f->profiles.arena, &f->profiles.err));
}

TEST(a_value_has_its_own_work_and_no_other) {
    static const double some[] = {100, 300};
    struct by_fixture f;
    by_begin(&f, "e=/a m;x 50\ne=/b m;x 50", "e=/a m;x 60\ne=/b m;x 40");
    by_budget(&f, "total", GATE_MEASURE_TOTAL_COST, &f.growth);
    tell(&f, GATE_BASELINE, "/a", &some[0]);
    tell(&f, GATE_CANARY, "/a", &some[1]);
    tell(&f, GATE_BASELINE, "/b", &some[0]); /* on one side only: no ratio */
    assert_true(by_try(&f, 0));
    assert_true(f.inputs[1].work[GATE_BASELINE] == 100 && f.inputs[1].work[GATE_CANARY] == 300);
    assert_true(f.inputs[2].work[GATE_BASELINE] == 0 && f.inputs[2].work[GATE_CANARY] == 0);
    assert_true(f.inputs[1].runs[GATE_CANARY][0].work == 300);
    assert_int_equal(f.rules.budget_count, 2);
    assert_text(f.rules.budgets[1].name, "total (e=/a)");
    fixture_end(&f.profiles);
}

static void assert_lack(const struct gate_by_value *value, const char *name, bool on_baseline, bool on_canary) {
    assert_int_equal(value->lack_count, 1);
    assert_text(value->lacks[0].name, name);
    assert_int_equal(value->lacks[0].is_without[GATE_BASELINE], on_baseline);
    assert_int_equal(value->lacks[0].is_without[GATE_CANARY], on_canary);
}

TEST(sample_types_without_cost_of_a_value_are_reported_and_left_out) {
    struct gate_label_match tenant = {{"t", 1}, {"x", 1}};
    struct by_fixture f;
    by_begin(&f, "e=/a,t=x m;x 50\ne=/b m;x 30\ne=/c,t=x m;x 20\ne=/d m;x 10",
             "e=/a,t=x m;x 50\ne=/b m;x 30\ne=/c m;x 20\ne=/d,t=x m;x 10");
    by_budget(&f, "all", GATE_MEASURE_SELF, &f.growth);
    for (int i = 0; i < 2; i++) { /* two budgets with the same filter give one lack */
        struct gate_budget *budget = by_budget(&f, "of x", GATE_MEASURE_SELF, &f.growth);
        budget->where = &tenant;
        budget->where_count = 1;
    }
    assert_true(by_try(&f, 0));
    assert_int_equal(f.rules.budget_count, 3 + 3 + 1 + 1 + 1);
    const struct gate_by_value *values = f.list.items[0].values;
    assert_int_equal(values[0].lack_count, 0);
    assert_lack(&values[1], "samples{t=x}", true, true);
    assert_lack(&values[2], "samples{t=x}", false, true);
    assert_lack(&values[3], "samples{t=x}", true, false);
    assert_int_equal(values[2].state, GATE_BY_COMPARED);
    f.rules.budgets = f.budgets + 1;
    f.rules.budget_count = 1;
    assert_true(by_try(&f, 0)); /* no other budget applies within /b */
    assert_int_equal(f.list.items[0].values[1].state, GATE_BY_NO_BUDGET);
    fixture_end(&f.profiles);
}

TEST(a_run_without_the_value_is_not_an_error) {
    struct gate_label_match tenant = {{"t", 1}, {"x", 1}};
    const struct gate_plan_options options = {.where = everything};
    struct gate_plan plan;
    struct by_fixture f;
    by_begin(&f, "e=/a,t=x m;x 50", "e=/a,t=x m;x 50");
    labelled_add(&f.profiles, GATE_CANARY, "e=/a m;x 50\nt=x m;x 50", 0);
    f.whole.counts[GATE_CANARY] = 2;
    struct gate_budget *budget = by_budget(&f, "of x", GATE_MEASURE_SELF, &f.growth);
    budget->where = &tenant;
    budget->where_count = 1;
    assert_true(by_try(&f, 0));
    assert_true(gate_plan_make(&plan, &f.rules, f.inputs, f.input_count, &options, &f.profiles.arena, &f.profiles.err));
    assert_int_equal(plan.comparison_count, 2);
    assert_int_equal(plan.comparisons[1].pair.sides[GATE_CANARY].runs[0].total, 50);
    assert_int_equal(plan.comparisons[1].pair.sides[GATE_CANARY].runs[1].total, 0);
    fixture_end(&f.profiles);
}

TEST(a_label_without_values_on_both_sides_is_an_error) {
    struct by_fixture f;
    by_begin(&f, "e=/a m;x 50", "e=/b m;x 60");
    by_budget(&f, "grows", GATE_MEASURE_SELF, &f.growth);
    assert_false(by_try(&f, 0));
    assert_int_equal(f.profiles.err.code, GATE_ERR_INPUT);
    assert_non_null(strstr(f.profiles.err.message, "is on both sides"));
    fixture_end(&f.profiles);
    by_begin(&f, "other=/a m;x 50", "other=/b m;x 60");
    by_budget(&f, "grows", GATE_MEASURE_SELF, &f.growth);
    assert_false(by_try(&f, 0));
    assert_non_null(strstr(f.profiles.err.message, "has the label 'e'; its labels are 'other'"));
    fixture_end(&f.profiles);
}

TEST(rows_are_sorted_worst_first) {
    struct by_fixture f;
    by_begin(&f, "e=/a m;x 50\ne=/b m;x 30\ne=/old m;x 20", "e=/a m;x 60\ne=/b m;x 40");
    by_budget(&f, "grows", GATE_MEASURE_SELF, &f.growth);
    assert_true(by_try(&f, 0));
    struct gate_comparison comparisons[3] = {[1] = {.part = f.inputs[1].part}, [2] = {.part = f.inputs[2].part}};
    struct gate_finding findings[2] = {{.frame = 0, .outcome = GATE_OUTCOME_FAIL, .evidence = {.delta = 0.1}},
                                       {.frame = 0, .outcome = GATE_OUTCOME_PASS, .evidence = {.delta = 0.2}}};
    struct gate_budget_result results[] = {
        {.budget = &f.rules.budgets[1], .comparison = 1, .outcome = GATE_OUTCOME_PASS},
        {.budget = &f.rules.budgets[2],
         .comparison = 2,
         .outcome = GATE_OUTCOME_FAIL,
         .findings = findings,
         .finding_count = 2}};
    const struct gate_verdict verdict = {.rules = &f.rules,
                                         .comparisons = comparisons,
                                         .comparison_count = 3,
                                         .budgets = results,
                                         .budget_count = 2,
                                         .by = f.list};
    struct gate_by_row rows[3];
    gate_by_rows_make(rows, &f.list.items[0], &verdict);
    assert_text(rows[0].value->of.match.value, "/b");
    assert_ptr_equal(rows[0].worst, &findings[0]);
    assert_string_equal(gate_by_rows_word(&rows[0]), "broken");
    assert_text(rows[1].value->of.match.value, "/a");
    assert_string_equal(gate_by_rows_word(&rows[1]), "holds");
    assert_string_equal(gate_by_rows_word(&rows[2]), "gone");
    fixture_end(&f.profiles);
}
