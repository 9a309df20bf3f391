/* SPDX-License-Identifier: Apache-2.0 */
/* Causes of hand-made findings: which findings are joined, the order of causes, and their sentences.
 * test_cause_verdict.c tests causes in whole verdicts. */
#include "gate/report/cause_sentence.h"
#include "sweep.h"
#include "tests/unit/unit.h"
#include "tests/unit/verdict_fixture.h"

/* main.text grew in the strings that it concatenates, main.sum in its self cost. The garbage collector grew too,
 * without own code on its stacks. */
static void begin(struct fixture *f) {
    fixture_init(f);
    fixture_stack(f, "net/http.serve;main.handle;main.text;runtime.concat;runtime.memmove", 100, 500);
    fixture_stack(f, "net/http.serve;main.handle;main.text", 50, 50);
    fixture_stack(f, "net/http.serve;main.handle;main.list;runtime.memmove", 100, 100);
    fixture_stack(f, "net/http.serve;main.handle;main.sum", 100, 250);
    fixture_stack(f, "net/http.serve;main.handle", 1500, 850);
    fixture_stack(f, "runtime.gc;runtime.scan", 150, 250);
    fixture_seal(f);
}

static const struct gate_cause *cause_of(const struct fixture *f, const char *name) {
    for (uint32_t i = 0; i < f->verdict.causes.count; i++)
        if (gate_str_equal(f->verdict.causes.items[i].function, gate_str_from(name)))
            return &f->verdict.causes.items[i];
    fail_msg("no cause '%s'", name);
    return NULL;
}

static void assert_names(const struct fixture *f, const uint32_t *frames, uint32_t count, const char *expected) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    for (uint32_t i = 0; i < count; i++) {
        gate_buf_text(&text, i == 0 ? "" : ";");
        gate_buf_str(&text, frames[i] == GATE_NO_INDEX ? GATE_STR("-") : f->comparison.pair.frames[frames[i]].name);
    }
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, expected);
}

TEST(one_growth_is_one_cause) {
    AT_END(fixture_free) struct fixture f;
    begin(&f);
    fixture_budget(&f, "charged", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
    fixture_budget(&f, "self", GATE_OUTCOME_WARN, "runtime.memmove", GATE_SELF);
    fixture_budget(&f, "path", GATE_OUTCOME_WARN, "runtime.concat", GATE_CUMULATIVE);
    fixture_budget(&f, "text's path", GATE_OUTCOME_INCONCLUSIVE, "main.text", GATE_CUMULATIVE);
    fixture_causes(&f);
    assert_int_equal(f.verdict.causes.count, 1);
    const struct gate_cause *cause = cause_of(&f, "main.text");
    assert_int_equal(cause->finding_count, 4);
    for (uint32_t i = 1; i < cause->finding_count; i++) /* worst first */
        assert_true(cause->findings[i - 1].finding->outcome >= cause->findings[i].finding->outcome);
    assert_int_equal(cause->outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(cause->reason, GATE_REASON_OVER);
    assert_int_equal(cause->measure, GATE_MEASURE_CHARGED);
    assert_true(cause->is_own);
    assert_true(fabs(cause->evidence.delta - 0.20) < 1e-12);
    assert_names(&f, cause->path, cause->path_count, "main.handle;main.text;runtime.concat;runtime.memmove");
}

TEST(causes_are_sorted_by_outcome_own_code_and_points) {
    AT_END(fixture_free) struct fixture f;
    begin(&f);
    f.comparison.work_is_known = true;
    f.comparison.equal = GATE_EQUAL_WORK;
    f.comparison.work_ratio = 1.0;
    fixture_budget(&f, "a", GATE_OUTCOME_FAIL, "runtime.scan", GATE_SELF); /* charged to its root, runtime.gc */
    fixture_budget(&f, "b", GATE_OUTCOME_FAIL, "main.sum", GATE_CHARGED);
    fixture_budget(&f, "c", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
    fixture_causes(&f);
    assert_int_equal(f.verdict.causes.count, 3);
    static const char *const names[] = {"main.text", "main.sum", "runtime.gc"};
    for (size_t i = 0; i < 3; i++)
        assert_true(gate_str_equal(f.verdict.causes.items[i].function, gate_str_from(names[i])));
    assert_false(cause_of(&f, "runtime.gc")->is_own);
    /* They grew by 400, 150 and 100 samples, 650 in total. main.sum is 2.5 times its baseline. */
    assert_true(fabs(cause_of(&f, "main.text")->explains - 400.0 / 650.0) < 1e-12);
    assert_true(fabs(cause_of(&f, "main.sum")->explains - 150.0 / 650.0) < 1e-12);
    assert_true(fabs(cause_of(&f, "main.sum")->cost_ratio - 2.5) < 1e-12);
    f.findings[1].outcome = GATE_OUTCOME_INCONCLUSIVE;
    f.findings[2].outcome = GATE_OUTCOME_WARN;
    fixture_causes(&f);
    static const char *const worst_first[] = {"runtime.gc", "main.sum", "main.text"};
    for (size_t i = 0; i < 3; i++)
        assert_true(gate_str_equal(f.verdict.causes.items[i].function, gate_str_from(worst_first[i])));
}

/* Without known or estimated work there is no cost ratio. The ratio of a new function is infinite. */
TEST(costs_are_given_if_they_are_known) {
    FIXTURE(f);
    fixture_stack(&f, "main.run;main.old", 100, 200);
    fixture_stack(&f, "main.run;main.new", 0, 200);
    fixture_stack(&f, "main.run", 900, 600);
    fixture_seal(&f);
    fixture_budget(&f, "a", GATE_OUTCOME_FAIL, "main.old", GATE_CHARGED);
    fixture_budget(&f, "b", GATE_OUTCOME_FAIL, "main.new", GATE_CHARGED);
    fixture_causes(&f);
    assert_true(isnan(cause_of(&f, "main.old")->cost_ratio));
    assert_true(isnan(cause_of(&f, "main.new")->cost_ratio));
    f.comparison.work_is_estimated = true;
    f.comparison.work_ratio = 0.5; /* the canary did half of the work */
    fixture_causes(&f);
    assert_true(fabs(cause_of(&f, "main.old")->cost_ratio - 4.0) < 1e-12);
    assert_true(isinf(cause_of(&f, "main.new")->cost_ratio));
    assert_false(isnan(cause_of(&f, "main.old")->explains));
    f.comparison.work_is_contested =
        true; /* the other functions estimate another ratio, so no cost per unit of work is shown */
    fixture_causes(&f);
    assert_true(isnan(cause_of(&f, "main.old")->cost_ratio));
    assert_true(isnan(cause_of(&f, "main.old")->explains));
}

/* A finding on the total or a group joins the largest cause. If there is no other cause, it is its own cause. */
TEST(growth_of_the_total_belongs_to_the_largest_cause) {
    AT_END(fixture_free) struct fixture f;
    begin(&f);
    struct gate_finding *whole = fixture_budget(&f, "total", GATE_OUTCOME_FAIL, "main.handle", GATE_CUMULATIVE);
    whole->frame = GATE_NO_INDEX;
    whole->function = GATE_STR("total");
    whole->evidence.delta = 0.3;
    fixture_causes(&f);
    assert_int_equal(f.verdict.causes.count, 1);
    assert_int_equal(cause_of(&f, "total")->frame, GATE_NO_INDEX);
    assert_int_equal(cause_of(&f, "total")->path_count, 0);
    assert_true(cause_of(&f, "total")->evidence.delta == 0.3);
    fixture_budget(&f, "sum", GATE_OUTCOME_WARN, "main.sum", GATE_CHARGED);
    fixture_budget(&f, "text", GATE_OUTCOME_WARN, "main.text", GATE_CHARGED);
    fixture_causes(&f);
    assert_int_equal(f.verdict.causes.count, 2);
    assert_int_equal(cause_of(&f, "main.text")->finding_count, 2);
    assert_int_equal(cause_of(&f, "main.text")->outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(cause_of(&f, "main.sum")->outcome, GATE_OUTCOME_WARN);
    assert_false(cause_of(&f, "main.text")->has_total); /* it is on a group */
}

/* Add a finding on the total, which doubled, per unit of the known work. */
static struct gate_finding *add_total(struct fixture *f, enum gate_outcome outcome) {
    f->comparison.work_is_known = true;
    f->comparison.equal = GATE_EQUAL_WORK;
    f->comparison.work_ratio = 1.0;
    struct gate_finding *whole = fixture_budget(f, "total", outcome, "main.handle", GATE_CUMULATIVE);
    f->budgets[0].measure = GATE_MEASURE_TOTAL;
    whole->frame = GATE_NO_INDEX;
    whole->function = GATE_STR("total");
    whole->evidence.delta = 1.0;
    return whole;
}

/* All functions grew alike. The total joins an undecided function only if that one grew significantly. */
TEST(a_total_does_not_belong_to_a_function_that_may_be_unchanged) {
    static const struct {
        int64_t canary; /* of main.sum; 100 in the baseline, of 2000 */
        enum gate_outcome total;
        uint32_t causes;
    } rows[] = {{210, GATE_OUTCOME_FAIL, 2}, {210, GATE_OUTCOME_INCONCLUSIVE, 2}, {400, GATE_OUTCOME_FAIL, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FIXTURE(f);
        fixture_stack(&f, "main.handle;main.sum", 100, rows[i].canary);
        fixture_stack(&f, "main.handle;main.text", 900, 1800);
        fixture_stack(&f, "main.handle;main.sort", 1000, 2000);
        fixture_seal(&f);
        (void)add_total(&f, rows[i].total);
        fixture_budget(&f, "sum", GATE_OUTCOME_INCONCLUSIVE, "main.sum", GATE_CHARGED);
        fixture_causes(&f);
        if (f.verdict.causes.count != rows[i].causes)
            fail_msg("row %zu: %u causes", i, (unsigned)f.verdict.causes.count);
        const struct gate_cause *sum = cause_of(&f, "main.sum");
        assert_int_equal(sum->outcome, rows[i].causes == 1 ? GATE_OUTCOME_FAIL : GATE_OUTCOME_INCONCLUSIVE);
        assert_int_equal(sum->has_total, rows[i].causes == 1);
    }
}

/* The collector grew more, but on no stack of the user's own functions. */
/* An undecided total whose growth alone would look certain gives its reason. */
TEST(an_undecided_total_of_a_cause_has_its_reason) {
    static const struct {
        enum gate_reason reason;
        const char *words;
    } rows[] = {{GATE_REASON_PREEMPTED, "the total +100.0%, maybe by a busy machine)"},
                {GATE_REASON_UNEQUAL_LOAD, "the total +100.0%, under another load)"},
                {GATE_REASON_UNCONFIRMED, "the total +100.0%)"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FIXTURE(f);
        fixture_stack(&f, "main.handle;main.sum", 100, 1100);
        fixture_stack(&f, "main.handle;main.text", 900, 900);
        fixture_seal(&f);
        struct gate_finding *whole = add_total(&f, GATE_OUTCOME_INCONCLUSIVE);
        f.budgets[0].measure = GATE_MEASURE_TOTAL_COST;
        whole->reason = rows[i].reason;
        fixture_budget(&f, "sum", GATE_OUTCOME_FAIL, "main.sum", GATE_CHARGED);
        fixture_causes(&f);
        AT_END(gate_buf_free) struct gate_buf text = {0};
        gate_cause_sentence_text(&text, &f.verdict, cause_of(&f, "main.sum"));
        gate_buf_char(&text, '\0');
        if (strstr(text.ptr, rows[i].words) == NULL)
            fail_msg("row %zu: %s", i, text.ptr);
    }
}

TEST(growth_of_the_total_belongs_to_own_code_first) {
    FIXTURE(f);
    fixture_stack(&f, "main.handle;main.sum", 100, 200);
    fixture_stack(&f, "main.handle", 1500, 1100);
    fixture_stack(&f, "runtime.gc;runtime.scan", 150, 600);
    fixture_seal(&f);
    struct gate_finding *whole = fixture_budget(&f, "total", GATE_OUTCOME_FAIL, "main.handle", GATE_CUMULATIVE);
    whole->frame = GATE_NO_INDEX;
    whole->function = GATE_STR("total");
    whole->evidence.delta = 0.3;
    fixture_budget(&f, "self", GATE_OUTCOME_WARN, "runtime.scan", GATE_SELF);
    fixture_budget(&f, "sum", GATE_OUTCOME_WARN, "main.sum", GATE_CHARGED);
    fixture_causes(&f);
    assert_int_equal(cause_of(&f, "main.sum")->outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(cause_of(&f, "runtime.gc")->outcome, GATE_OUTCOME_WARN);
}

/* A limit on a level, or on a decrease that must stay, concerns the frame itself, not its callers. So the cause has the
 * measure and the numbers of the finding. */
TEST(a_finding_on_a_level_has_its_own_frame_as_cause) {
    static const enum gate_limit_kind kinds[] = {GATE_LIMIT_SHARE, GATE_LIMIT_ABSOLUTE, GATE_LIMIT_DECREASE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        AT_END(fixture_free) struct fixture f;
        begin(&f);
        fixture_budget(&f, "level", GATE_OUTCOME_FAIL, "runtime.memmove", GATE_SELF);
        f.limits[0].kind = kinds[i];
        fixture_causes(&f);
        const struct gate_cause *cause = cause_of(&f, "runtime.memmove");
        assert_int_equal(cause->measure, GATE_MEASURE_SELF);
        assert_true(cause->evidence.delta == f.findings[0].evidence.delta);
    }
}

/* One library replaced another below the same caller, whose charged cost hardly changed. The finding on the library is
 * its own cause. */
TEST(a_caller_that_did_not_grow_is_not_a_cause) {
    FIXTURE(f);
    fixture_stack(&f, "main.run;encoding/json.Marshal", 400, 50);
    fixture_stack(&f, "main.run;encoding/gob.Encode", 50, 410);
    fixture_stack(&f, "main.run;main.rest", 550, 540);
    fixture_seal(&f);
    fixture_budget(&f, "self", GATE_OUTCOME_FAIL, "encoding/gob.Encode", GATE_SELF);
    fixture_causes(&f);
    const struct gate_cause *cause = cause_of(&f, "encoding/gob.Encode");
    assert_int_equal(f.verdict.causes.count, 1);
    assert_int_equal(cause->measure, GATE_MEASURE_SELF);
    assert_true(fabs(cause->evidence.delta - 0.36) < 1e-12);
    assert_int_equal(gate_cause_sentence_not_own(cause).len, 0); /* own code, main.run, calls it */
}

/* If an own-code path grew a little in many functions, the cause has the path's cumulative numbers. */
TEST(a_path_that_grew_everywhere_is_reported_as_a_path) {
    FIXTURE(f);
    fixture_stack(&f, "main.run;main.serve;main.a", 100, 150);
    fixture_stack(&f, "main.run;main.serve;main.b", 100, 150);
    fixture_stack(&f, "main.run;main.serve;main.c", 100, 150);
    fixture_stack(&f, "main.run", 700, 550);
    fixture_seal(&f);
    fixture_budget(&f, "path", GATE_OUTCOME_FAIL, "main.serve", GATE_CUMULATIVE);
    fixture_causes(&f);
    const struct gate_cause *cause = cause_of(&f, "main.serve");
    assert_int_equal(f.verdict.causes.count, 1);
    assert_int_equal(cause->measure, GATE_MEASURE_CUMULATIVE);
    assert_true(fabs(cause->evidence.delta - 0.15) < 1e-12);
}

/* main.serve grew by 15 points, a function beside it by 5 or 10. */
TEST(a_path_that_grew_twice_as_much_as_any_function_comes_first) {
    for (int beside = 5; beside <= 10; beside += 5) {
        FIXTURE(f);
        fixture_stack(&f, "main.run;main.serve;main.a", 100, 150);
        fixture_stack(&f, "main.run;main.serve;main.b", 100, 150);
        fixture_stack(&f, "main.run;main.serve;main.c", 100, 150);
        fixture_stack(&f, "main.run;main.beside", 100, 100 + 10 * beside);
        fixture_stack(&f, "main.run", 600, 450 - 10 * beside);
        fixture_seal(&f);
        fixture_budget(&f, "charged", GATE_OUTCOME_FAIL, "main.beside", GATE_CHARGED);
        fixture_budget(&f, "path", GATE_OUTCOME_FAIL, "main.serve", GATE_CUMULATIVE);
        fixture_causes(&f);
        assert_int_equal(f.verdict.causes.count, 2);
        assert_true(gate_str_equal(f.verdict.causes.items[0].function,
                                   gate_str_from(beside == 5 ? "main.serve" : "main.beside")));
    }
}

TEST(an_undecided_path_comes_after_what_fails) {
    FIXTURE(f);
    fixture_stack(&f, "main.run;main.serve;main.a", 100, 150);
    fixture_stack(&f, "main.run;main.serve;main.b", 100, 200);
    fixture_stack(&f, "main.run", 800, 650);
    fixture_seal(&f);
    fixture_budget(&f, "charged", GATE_OUTCOME_FAIL, "main.a", GATE_CHARGED);
    fixture_budget(&f, "path", GATE_OUTCOME_INCONCLUSIVE, "main.serve", GATE_CUMULATIVE);
    fixture_causes(&f);
    assert_true(gate_str_equal(f.verdict.causes.items[0].function, GATE_STR("main.a")));
}

/* A finding gets no cause if it has too few samples, is not comparable, has no limit, or is within its limit. */
TEST(findings_without_growth_have_no_cause) {
    AT_END(fixture_free) struct fixture f;
    begin(&f);
    fixture_budget(&f, "blind", GATE_OUTCOME_INCONCLUSIVE, "main.text", GATE_CHARGED)->reason =
        GATE_REASON_TOO_FEW_SAMPLES;
    fixture_budget(&f, "apart", GATE_OUTCOME_INCONCLUSIVE, "main.text", GATE_CHARGED)->reason =
        GATE_REASON_NOT_COMPARABLE;
    fixture_budget(&f, "idle", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED)->limit = NULL;
    fixture_budget(&f, "fine", GATE_OUTCOME_PASS, "main.text", GATE_CHARGED);
    fixture_budget(&f, "none", GATE_OUTCOME_PASS, NULL, GATE_CHARGED);
    fixture_causes(&f);
    assert_int_equal(f.verdict.causes.count, 0);
}

/* One function in two comparisons, such as two sample types, has two causes. */
TEST(comparisons_are_kept_apart) {
    AT_END(fixture_free) struct fixture f;
    begin(&f);
    struct gate_comparison both[2] = {f.comparison, f.comparison};
    f.verdict.comparisons = both;
    f.verdict.comparison_count = 2;
    fixture_budget(&f, "cpu", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
    fixture_budget(&f, "heap", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
    f.results[1].comparison = 1;
    fixture_causes(&f);
    assert_int_equal(f.verdict.causes.count, 2);
    assert_int_equal(f.verdict.causes.items[0].comparison, 0);
    assert_int_equal(f.verdict.causes.items[1].comparison, 1);
    assert_true(gate_cause_is_of(&f.verdict.causes.items[1], &f.results[1], GATE_OUTCOME_FAIL));
    assert_false(gate_cause_is_of(&f.verdict.causes.items[1], &f.results[0], GATE_OUTCOME_FAIL));
    assert_false(gate_cause_is_of(&f.verdict.causes.items[1], &f.results[1], GATE_OUTCOME_WARN));
}

/* Comparison 0 is all samples, 1 to 6 are values of --by, and 7 is a value of another sample type. */
TEST(one_function_in_several_values_is_one_cause) {
    static const struct gate_label_match values[] = {
        {GATE_STR("at"), GATE_STR("/1")}, {GATE_STR("at"), GATE_STR("/2")}, {GATE_STR("at"), GATE_STR("/3")},
        {GATE_STR("at"), GATE_STR("/4")}, {GATE_STR("at"), GATE_STR("/5")}, {GATE_STR("at"), GATE_STR("/6")}};
    AT_END(fixture_free) struct fixture f;
    AT_END(gate_buf_free) struct gate_buf text = {0};
    struct gate_comparison all[8];
    begin(&f);
    for (uint32_t i = 0; i < 8; i++) {
        all[i] = f.comparison;
        all[i].name = i == 7 ? GATE_STR("heap{at=/1}") : i > 0 ? GATE_STR("cpu{at=/N}") : GATE_STR("cpu");
        all[i].part = i == 7 ? &values[0] : i > 0 ? &values[i - 1] : NULL;
        all[i].pair.where = (struct gate_label_filter){all[i].part, i > 0};
        fixture_budget(&f, i > 0 ? "of a value" : "of all", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
        f.results[i].comparison = i;
    }
    f.verdict.comparisons = all;
    f.verdict.comparison_count = 8;
    fixture_causes(&f);
    assert_int_equal(f.verdict.causes.count, 2);
    const struct gate_cause *cause = &f.verdict.causes.items[0];
    assert_int_equal(cause->other_count, 6);
    assert_int_equal(cause->finding_count, 7);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(gate_cause_in(cause, i) != NULL, i < 7);
    assert_ptr_equal(gate_cause_in(cause, 3), &cause->others[2]);
    gate_cause_sentence_budget_names(&text, cause, GATE_OUTCOME_FAIL);
    gate_buf_char(&text, '\n');
    gate_cause_sentence_cost(&text, &f.verdict, cause);
    gate_buf_char(&text, '\0');
    assert_non_null(strstr(text.ptr, "\"of all\", \"of a value\", \"of a value\", \"of a value\", \"of a value\" and "
                                     "2 more\n"));
    assert_non_null(strstr(text.ptr, " of cpu{at=/N} and 3 more"));
}

TEST(shortened_paths_keep_their_first_and_last_steps) {
    AT_END(fixture_free) struct fixture f;
    begin(&f);
    uint32_t path[] = {0, 1, 0, 1, 0, 2, 3, 4, 3, 4, 3, 4};
    uint32_t steps[GATE_CAUSE_STEPS_MAX];
    struct gate_cause cause = {.frame = 2, .path = path, .path_count = 12};
    uint32_t count = gate_cause_steps(steps, &cause);
    assert_int_equal(count, GATE_CAUSE_STEPS_MAX);
    static const uint32_t expected[] = {0, GATE_NO_INDEX, 0, 2, 3, GATE_NO_INDEX, 3, 4};
    assert_memory_equal(steps, expected, sizeof expected);
    cause.path_count = 6; /* now the cause's frame is the leaf */
    assert_int_equal(gate_cause_steps(steps, &cause), 4);
    cause.path = path + 4;
    cause.path_count = 3;
    assert_int_equal(gate_cause_steps(steps, &cause), 3);
    uint32_t recursive[] = {0, 0, 2, 2, 2, 3, 3}; /* a frame that calls itself is one step */
    cause.path = recursive;
    cause.path_count = 7;
    assert_int_equal(gate_cause_steps(steps, &cause), 3);
    static const uint32_t merged[] = {0, 2, 3};
    assert_memory_equal(steps, merged, sizeof merged);
    cause.path_count = 0;
    assert_int_equal(gate_cause_steps(steps, &cause), 0);
}

TEST(sentences_contain_the_known_numbers) {
    AT_END(fixture_free) struct fixture f;
    begin(&f);
    f.rules.work_unit = GATE_STR("request");
    f.comparison.work_is_known = true;
    f.comparison.equal = GATE_EQUAL_WORK;
    fixture_budget(&f, "no function takes over", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
    fixture_budget(&f, "no self cost grows", GATE_OUTCOME_WARN, "runtime.memmove", GATE_SELF)->why =
        GATE_STR("not the reason of what is worse");
    f.budgets[0].owner = GATE_STR("team-cart");
    f.budgets[1].owner = GATE_STR("team-runtime");
    fixture_causes(&f);
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_cause_sentence_text(&text, &f.verdict, cause_of(&f, "main.text"));
    gate_buf_char(&text, '\0');
    assert_string_equal(
        text.ptr,
        "main.text: charged 7.5% \xE2\x86\x92 27.5% of cpu, +20.0 pp (95% CI [+17.7, +22.3]), 3.7x the cost per "
        "request, 62% of all increases, while the total hardly grew; breaks \"no function takes over\" (limit +5 pp); "
        "over the limit "
        "(warning only): \"no self cost grows\" (runtime.memmove self +20.0 pp); by way of main.handle "
        "\xE2\x86\x92 main.text \xE2\x86\x92 runtime.concat \xE2\x86\x92 runtime.memmove");
    text.len = 0;
    f.comparison.work_is_known = false;
    f.comparison.equal = GATE_EQUAL_UNKNOWN;
    f.comparison.work_is_estimated = true;
    gate_cause_sentence_cost(&text, &f.verdict, cause_of(&f, "main.text"));
    gate_buf_char(&text, '\0');
    assert_string_equal(
        text.ptr, "3.7x the cost per unit of work (estimated), 62% of all increases, while the total hardly grew");
    text.len = 0;
    f.comparison.work_ratio = 10.0; /* as if the canary had done ten times the work: others became cheaper by more */
    gate_cause_sentence_cost(&text, &f.verdict, cause_of(&f, "main.text"));
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, "3.7x the cost per unit of work (estimated), 62% of all increases, while the total "
                                  "did not grow by the estimate");
    text.len = 0;
    f.comparison.work_is_estimated = false; /* shares alone: they grow as much as others shrink */
    gate_cause_sentence_cost(&text, &f.verdict, cause_of(&f, "main.text"));
    gate_buf_char(&text, '\0');
    assert_non_null(strstr(text.ptr, "62% of all increases of shares"));
}

/* Whether the sentence of main.text, whose growth is in `leaf`, gives the garbage collector's settings. */
static bool names_settings(const char *stack) {
    struct fixture f;
    struct gate_buf text = {0};
    fixture_init(&f);
    fixture_stack(&f, stack, 100, 500);
    fixture_stack(&f, "net/http.serve;main.handle", 1500, 850);
    fixture_seal(&f);
    fixture_budget(&f, "charged", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
    fixture_causes(&f);
    gate_cause_sentence_cost(&text, &f.verdict, cause_of(&f, "main.text"));
    bool names = gate_str_find(gate_buf_view(&text), GATE_STR("compare GOGC, GOMEMLIMIT"), 0) != SIZE_MAX;
    gate_buf_free(&text);
    fixture_free(&f);
    return names;
}

TEST(growth_in_the_collector_names_its_settings) {
    static const struct {
        const char *leaf;
        bool names;
    } rows[] = {{"runtime.gcAssistAlloc", true}, {"runtime.gcDrain", true},    {"runtime.gcDrainN", true},
                {"runtime.scanobject", true},    {"runtime.scanObject", true}, {"runtime.gcStart", true},
                {"runtime.memmove", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char stack[128];
        (void)snprintf(stack, sizeof stack, "net/http.serve;main.handle;main.text;%s", rows[i].leaf);
        if (names_settings(stack) != rows[i].names)
            fail_msg("%s", rows[i].leaf);
    }
    /* A function above the cause only calls it, and did not grow itself. */
    assert_false(names_settings("runtime.gcStart;main.handle;main.text;runtime.memmove"));
}

/* A budget with a failing finding is not named again for those of its findings that only warn. */
TEST(a_budget_is_named_once) {
    struct gate_budget takes_over = {.name = GATE_STR("no function takes over")};
    struct gate_budget self = {.name = GATE_STR("no self cost grows")};
    struct gate_budget path = {.name = GATE_STR("no code path grows")};
    const struct gate_budget_result results[] = {{.budget = &takes_over}, {.budget = &self}, {.budget = &path}};
    const struct gate_finding fails = {.outcome = GATE_OUTCOME_FAIL}, warns = {.outcome = GATE_OUTCOME_WARN};
    struct gate_cause_finding members[] = {{.result = &results[0], .finding = &fails},
                                           {.result = &results[0], .finding = &warns},
                                           {.result = &results[1], .finding = &warns},
                                           {.result = &results[1], .finding = &warns},
                                           {.result = &results[2], .finding = &warns}};
    const struct gate_cause cause = {.findings = members, .finding_count = sizeof members / sizeof *members};
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_cause_sentence_budget_names(&text, &cause, GATE_OUTCOME_WARN);
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, "\"no self cost grows\", \"no code path grows\"");
}

/* The first finding's advice already names the owners of its budget. */
TEST(advice_has_the_messages_of_all_budgets) {
    const struct gate_budget first = {.owner = GATE_STR("one")}, other = {.owner = GATE_STR("three")};
    const struct gate_budget second = {.reason = GATE_STR("ticket 7"), .owner = GATE_STR("two")};
    const struct gate_budget_result results[] = {{.budget = &first}, {.budget = &second}, {.budget = &other}};
    const struct gate_finding warns = {.outcome = GATE_OUTCOME_WARN};
    const struct gate_finding fails = {.outcome = GATE_OUTCOME_FAIL, .advice = GATE_STR("look at it; owner: one")};
    struct gate_cause_finding members[] = {{.result = &results[0], .finding = &fails},
                                           {.result = &results[1], .finding = &fails},
                                           {.result = &results[1], .finding = &fails},
                                           {.result = &results[2], .finding = &warns}};
    const struct gate_cause cause = {.outcome = GATE_OUTCOME_FAIL, .findings = members, .finding_count = 4};
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_cause_sentence_advice(&text, &cause);
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, "look at it; owner: one; known: ticket 7; owner: two");
}

/* A function that allocates also makes the collector work more. That is not a second cause, unless the collector grew
 * far more than the function. */
/* One sample in the baseline is too few for a ratio; five are enough. A function with 1% of the baseline is not new. */
TEST(a_ratio_to_few_samples_is_left_out) {
    static const struct {
        int64_t baseline, canary;
        bool is_nearly_new;
        int64_t rest;
        bool lacks_ratio;
    } rows[] = {{1, 100, true, 999, true},  {4, 100, true, 999, true},   {5, 100, false, 999, false},
                {4, 16, false, 999, false}, {0, 100, false, 999, false}, {1, 10, true, 100, true},
                {1, 10, false, 99, true},   {4, 60, false, 40, true},    {4, 16, false, 40, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf text = {0};
        FIXTURE(f);
        fixture_stack(&f, "main.handle;main.text", rows[i].baseline, rows[i].canary);
        fixture_stack(&f, "main.handle", rows[i].rest, rows[i].rest * 9 / 10);
        fixture_seal(&f);
        f.comparison.work_is_known = true;
        f.comparison.equal = GATE_EQUAL_RUN;
        f.comparison.work_ratio = 1.0;
        fixture_budget(&f, "no function takes over", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
        fixture_causes(&f);
        gate_cause_sentence_cost(&text, &f.verdict, cause_of(&f, "main.text"));
        gate_buf_char(&text, '\0');
        assert_int_equal(strstr(text.ptr, "hardly a sample of it in the baseline") != NULL, rows[i].is_nearly_new);
        assert_int_equal(strstr(text.ptr, "too few samples of it in the baseline for a ratio") != NULL,
                         rows[i].lacks_ratio && !rows[i].is_nearly_new);
        assert_int_equal(strstr(text.ptr, "x the cost per run") != NULL, !rows[i].lacks_ratio && rows[i].baseline > 0);
    }
}

/* main.text (20% to 35%) calls new functions in place of others. "main.Old.total" and "main.New.total" are one by their
 * last part. An excess counts from half of 15 points on. */
TEST(the_new_function_with_the_largest_excess_over_what_it_replaced_is_named) {
#define OLD "main.Old.total"
#define NEW "main.New.total"
    static const char *const all[] = {OLD, "main.y", "main.z", NEW, "main.b", "main.c", "main.d"};
    static const struct {
        struct {
            const char *name;
            double share;
        } gone[3], fresh[3]; /* by falling share */
        uint32_t comparison;
        const char *expected; /* "-": none */
    } rows[] = {
        {{{OLD, 0.12}, {"main.y", 0.02}, {"main.z", 0.02}},
         {{NEW, 0.12}, {"main.b", 0.11}, {"main.c", 0.02}},
         0,
         "main.b"},
        {{{"main.y", 0.12}, {OLD, 0.03}, {"main.z", 0.01}}, {{NEW, 0.13}, {"main.b", 0.10}, {"main.c", 0.04}}, 0, NEW},
        /* main.c replaced main.z, since OLD is NEW */
        {{{"main.y", 0.10}, {OLD, 0.06}, {"main.z", 0.03}},
         {{"main.b", 0.12}, {"main.c", 0.11}, {NEW, 0.06}},
         0,
         "main.c"},
        /* main.d replaced nothing */
        {{{"main.y", 0.05}, {"main.z", 0.04}}, {{"main.b", 0.09}, {"main.c", 0.085}, {"main.d", 0.08}}, 0, "main.d"},
        /* main.b and main.c replaced main.y, the only one that is left */
        {{{OLD, 0.10}, {"main.y", 0.02}}, {{NEW, 0.10}, {"main.b", 0.06}, {"main.c", 0.05}}, 0, "main.b"},
        {{{"main.y", 0.02}, {"main.z", 0.01}},
         {{"main.b", 0.095}, {"main.c", 0.11}},
         0,
         "main.c"}, /* both could be it */
        {{{OLD, 0.10}, {"main.y", 0.05}, {"main.z", 0.02}}, {{NEW, 0.14}, {"main.b", 0.09}, {"main.c", 0.02}}, 0, "-"},
        {{{OLD, 0.12}, {"main.y", 0.02}, {"main.z", 0.02}}, {{NEW, 0.12}, {"main.b", 0.11}, {"main.c", 0.02}}, 1, "-"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FIXTURE(f);
        struct gate_replaced_name listed[6];
        struct gate_replaced item = {.comparison = rows[i].comparison, .names = listed};
        fixture_stack(&f, "main.handle;main.text", 200, 350);
        fixture_stack(&f, "main.handle", 800, 650);
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            fixture_stack(&f, all[k], k < 3, k >= 3);
        fixture_seal(&f);
        fixture_budget(&f, "no function takes over", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
        fixture_causes(&f);
        for (size_t k = 0; k < 3 && rows[i].gone[k].name != NULL; k++)
            listed[item.gone_count++] = (struct gate_replaced_name){
                gate_table_find(&f.frames, gate_str_from(rows[i].gone[k].name)), rows[i].gone[k].share};
        for (size_t k = 0; k < 3 && rows[i].fresh[k].name != NULL; k++)
            listed[item.gone_count + item.new_count++] = (struct gate_replaced_name){
                gate_table_find(&f.frames, gate_str_from(rows[i].fresh[k].name)), rows[i].fresh[k].share};
        item.caller = gate_table_find(&f.frames, GATE_STR("main.text"));
        const struct gate_replaced_list replaced = {&item, 1};
        struct gate_error err = {0};
        const struct gate_comparison comparisons[] = {f.comparison, f.comparison};
        assert_true(gate_cause_name_new(&f.verdict.causes, &replaced, comparisons, &f.arena, &err));
        assert_names(&f, &cause_of(&f, "main.text")->new_frame, 1, rows[i].expected);
    }
#undef OLD
#undef NEW
}

/* "(own code of one side only)" is the sum of many functions, so the advice speaks of new code. */
TEST(all_new_code_has_advice_of_its_own) {
    const struct gate_budget budget = {.measure = GATE_MEASURE_CHARGED, .select.one_sided = true};
    const struct gate_budget_result result = {.budget = &budget};
    const struct gate_finding fails = {.outcome = GATE_OUTCOME_FAIL,
                                       .reason = GATE_REASON_OVER,
                                       .advice = GATE_STR("look at what this function does")};
    struct gate_cause_finding members[] = {{.result = &result, .finding = &fails}};
    struct gate_cause cause = {.function = GATE_STR(GATE_ONE_SIDED_NAME),
                               .outcome = GATE_OUTCOME_FAIL,
                               .findings = members,
                               .finding_count = 1};
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_cause_sentence_advice(&text, &cause);
    gate_buf_char(&text, '\0');
    assert_non_null(strstr(text.ptr, "look at the new functions that cost most"));
    text.len = 0;
    cause.function = GATE_STR("main.audit"); /* one function explains it */
    gate_cause_sentence_advice(&text, &cause);
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, "look at what this function does");
}

/* main.lookup broke its limit because of main.search, which the baseline never ran, so the advice is about
 * main.search. */
TEST(a_new_callee_has_advice_of_its_own) {
    const struct gate_budget budget = {.measure = GATE_MEASURE_CHARGED, .owner = GATE_STR("one")};
    const struct gate_budget_result result = {.budget = &budget};
    struct gate_finding fails = {.outcome = GATE_OUTCOME_FAIL,
                                 .reason = GATE_REASON_OVER,
                                 .frame = 1,
                                 .advice = GATE_STR("look at what this function does")};
    struct gate_cause_finding members[] = {{.result = &result, .finding = &fails}};
    struct gate_cause cause = {.function = GATE_STR("main.search"),
                               .frame = 2,
                               .outcome = GATE_OUTCOME_FAIL,
                               .cost_ratio = INFINITY,
                               .findings = members,
                               .finding_count = 1};
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_cause_sentence_advice(&text, &cause);
    gate_buf_char(&text, '\0');
    assert_non_null(strstr(text.ptr, "look at why it runs now"));
    assert_non_null(strstr(text.ptr, "; owner: one"));
    text.len = 0;
    cause.cost_ratio = 3.0;
    gate_cause_sentence_advice(&text, &cause);
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, "look at what this function does");
}

/* The total grew by 30%, and main.sum by 12% of that. The advice names the cause, instead of stating that no function
 * explains the growth. */
TEST(a_total_without_a_function_has_the_advice_of_its_cause) {
    const struct gate_budget budget = {.measure = GATE_MEASURE_TOTAL, .owner = GATE_STR("one")};
    const struct gate_budget_result result = {.budget = &budget};
    const struct gate_finding fails = {.outcome = GATE_OUTCOME_FAIL,
                                       .reason = GATE_REASON_OVER,
                                       .frame = GATE_NO_INDEX,
                                       .advice = GATE_STR("no single function of yours explains it; owner: one")};
    struct gate_cause_finding members[] = {{.result = &result, .finding = &fails}};
    struct gate_cause cause = {.function = GATE_STR("main.sum"),
                               .outcome = GATE_OUTCOME_FAIL,
                               .findings = members,
                               .finding_count = 1,
                               .explains = 0.12};
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_cause_sentence_advice(&text, &cause); /* the cause itself is the total */
    gate_buf_char(&text, '\0');
    assert_string_equal(text.ptr, "no single function of yours explains it; owner: one");
    text.len = 0;
    cause.has_total = cause.is_own = true;
    gate_cause_sentence_advice(&text, &cause);
    gate_buf_char(&text, '\0');
    assert_string_equal(
        text.ptr, "look at what main.sum does more often or at higher cost, and compare the load and the machines "
                  "of both sides: it has 12% of the growth, and no single function has most of it; if the growth "
                  "is intended, raise the limit and give a reason; owner: one");
    text.len = 0;
    cause.explains = 0.58; /* 58% is most */
    gate_cause_sentence_advice(&text, &cause);
    gate_buf_char(&text, '\0');
    assert_non_null(strstr(text.ptr, "both sides: it has 58% of the growth; if the growth"));
    text.len = 0;
    cause.is_own = false;
    cause.collector[GATE_CANARY] = 0.2;
    gate_cause_sentence_advice(&text, &cause);
    gate_buf_char(&text, '\0');
    assert_non_null(strstr(text.ptr, "it has 58% of the growth, and no function of your own has most of it; if"));
    assert_non_null(strstr(
        text.ptr, "the collector takes more than before, 0% \xE2\x86\x92 20.0%: profile the allocations of both sides "
                  "(--kind allocs), which name the function that allocates more; else look at"));
}

TEST(runtime_growth_joins_the_own_failing_cause_unless_it_is_far_larger) {
    static const struct {
        int64_t collector; /* of the canary; 100 in the baseline, and the function grew by 200 */
        uint32_t causes;
        const char *function;
        enum gate_outcome outcome;
    } rows[] = {{200, 1, "main.text", GATE_OUTCOME_FAIL},      {299, 1, "main.text", GATE_OUTCOME_FAIL},
                {350, 1, "main.text", GATE_OUTCOME_FAIL},      {480, 1, "main.text", GATE_OUTCOME_FAIL},
                {520, 2, "main.text", GATE_OUTCOME_FAIL},      {900, 2, "main.text", GATE_OUTCOME_FAIL},
                {200, 2, "net/http.serve", GATE_OUTCOME_FAIL}, {200, 2, "main.text", GATE_OUTCOME_WARN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FIXTURE(f);
        fixture_stack(&f, rows[i].function, 100, 300);
        fixture_stack(&f, "runtime.gc", 100, rows[i].collector);
        fixture_stack(&f, "main.run", 1800, 1800);
        fixture_seal(&f);
        for (uint32_t k = 0; k < f.comparison.pair.frame_count; k++)
            f.comparison.pair.frames[k].is_runtime =
                gate_str_equal(f.comparison.pair.frames[k].name, GATE_STR("runtime.gc"));
        fixture_budget(&f, "a", rows[i].outcome, rows[i].function, GATE_CHARGED);
        fixture_budget(&f, "b", rows[i].outcome, "runtime.gc", GATE_CHARGED);
        fixture_causes(&f);
        assert_int_equal(f.verdict.causes.count, rows[i].causes);
        assert_int_equal(cause_of(&f, rows[i].function)->finding_count, 3 - rows[i].causes);
    }
}

TEST(a_full_arena_is_an_error) {
    AT_END(fixture_free) struct fixture f;
    struct gate_cause_list causes;
    begin(&f);
    fixture_budget(&f, "charged", GATE_OUTCOME_FAIL, "main.text", GATE_CHARGED);
    fixture_budget(&f, "self", GATE_OUTCOME_WARN, "runtime.memmove", GATE_SELF);
    for (struct sweep s = {0}; sweep_next(&s, 64);)
        s.done = gate_cause_find(&causes, NULL, f.results, f.verdict.budget_count, &f.comparison, 1, &s.arena, &s.err);
    assert_int_equal(causes.count, 1);
}
