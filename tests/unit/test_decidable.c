/* SPDX-License-Identifier: Apache-2.0 */
/* Which budgets are decided by pairs of good runs, and the text about the others. */
#include "gate/report/calibration.h"
#include "tests/unit/unit.h"

#include <math.h>

enum { PAIRS = 10 };

struct judged {
    struct gate_arena arena;
    struct gate_error err;
    struct gate_budget budgets[2];
    struct gate_rules rules;
    struct gate_limit limit;
    struct gate_comparison comparison;
    struct gate_noise noise;
    struct gate_budget_result results[2];
    struct gate_hypothesis hypotheses[4];
    struct gate_evidence evidence[4]; /* of each hypothesis */
    struct gate_verdict verdict;
    struct gate_decidability *list;
};

static void begin(struct judged *j) {
    *j = (struct judged){.limit = {.kind = GATE_LIMIT_SHARE_INCREASE, .value = 0.05}};
    for (uint32_t i = 0; i < 2; i++) {
        j->budgets[i] = (struct gate_budget){.name = i == 0 ? GATE_STR("hot") : GATE_STR("advice"),
                                             .severity = i == 0 ? GATE_SEVERITY_ERROR : GATE_SEVERITY_WARN,
                                             .limits = &j->limit,
                                             .limit_count = 1};
        j->results[i].budget = &j->budgets[i];
    }
    j->noise = (struct gate_noise){
        .type = {GATE_STR("cpu"), GATE_STR("nanoseconds")}, .run_count = PAIRS, .mean_events = 2000, .s0 = {1, 1, 1}};
    j->comparison.noise = &j->noise;
    j->rules =
        (struct gate_rules){.source = GATE_STR("rules.yml"), .alpha = 0.01, .budgets = j->budgets, .budget_count = 2};
    j->verdict = (struct gate_verdict){.rules = &j->rules,
                                       .comparisons = &j->comparison,
                                       .comparison_count = 1,
                                       .budgets = j->results,
                                       .budget_count = 2,
                                       .hypotheses = j->hypotheses};
    assert_true(gate_decidability_begin(&j->list, &j->rules, &j->arena, &j->err));
}

static void end(struct judged *j) {
    gate_arena_free(&j->arena);
}

/* Add an undecided hypothesis on a frame of 10% on both sides. It has `n` effective samples. Without variation from run
 * to run it would have `sampled`. */
static void add(struct judged *j, uint32_t budget, enum gate_reason reason, double n, double sampled, double factor) {
    size_t at = j->verdict.hypothesis_count++;
    j->evidence[at] = (struct gate_evidence){.share = {0.1, 0.1},
                                             .counts = {n / 10, n, n / 10, n},
                                             .sample_n = {sampled, sampled},
                                             .dilution = 1,
                                             .phi = 1,
                                             .df = INFINITY,
                                             .is_tested = true};
    j->hypotheses[at] = (struct gate_hypothesis){.budget = budget,
                                                 .limit = &j->limit,
                                                 .outcome = GATE_OUTCOME_INCONCLUSIVE,
                                                 .reason = reason,
                                                 .settle_factor = factor,
                                                 .longer_factor = sampled > 2 * n ? 0 : factor,
                                                 .evidence = &j->evidence[at]};
}

static void note(struct judged *j, uint32_t times) {
    for (uint32_t i = 0; i < times; i++)
        gate_decidability_note(j->list, &j->verdict);
}

/* Expect `part` in the text, with line breaks and repeated spaces read as one space. */
static void expect_text(struct judged *j, const char *part) {
    struct gate_self_check check = {.pairs = PAIRS, .budgets = j->list};
    AT_END(gate_buf_free) struct gate_buf out = {0};
    gate_calibration_text(&out, &j->noise, &check, &j->rules);
    for (size_t i = 0; i < out.len; i++)
        if (out.ptr[i] == '\n')
            out.ptr[i] = ' ';
    struct gate_str text = gate_str_copy(&j->arena, gate_buf_view(&out));
    AT_END(gate_buf_free) struct gate_buf flat = {0};
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ' || i == 0 || text.ptr[i - 1] != ' ')
            gate_buf_char(&flat, text.ptr[i]);
    if (gate_str_find(gate_buf_view(&flat), gate_str_from(part), 0) == SIZE_MAX)
        fail_msg("no '%s' in\n%.*s", part, GATE_STR_ARG(gate_buf_view(&flat)));
}

TEST(pairs_without_undecided_frames_are_decided) {
    AT_END(end) struct judged j;
    begin(&j);
    add(&j, 0, GATE_REASON_WITHIN, 1000, 1000, 0);
    note(&j, 9);
    add(&j, 0, GATE_REASON_TOO_FEW_SAMPLES, 500, 500, 4);
    note(&j, 1);
    assert_int_equal(j.list[0].pairs, 10);
    assert_int_equal(j.list[0].undecided, 1);
    assert_int_equal(j.list[1].undecided, 0);
    expect_text(&j, "hot: 90.0%, 95% CI [59.6%, 98.2%] advice: 100.0%, 95% CI [72.2%, 100.0%]");
}

TEST(hypotheses_of_bystanders_and_fails_are_decided) {
    AT_END(end) struct judged j;
    begin(&j);
    add(&j, 0, GATE_REASON_TOO_FEW_SAMPLES, 500, 500, 4);
    j.hypotheses[0].is_bystander = true;
    add(&j, 0, GATE_REASON_OVER, 500, 500, 0);
    j.hypotheses[1].outcome = GATE_OUTCOME_FAIL;
    note(&j, 1);
    assert_int_equal(j.list[0].undecided, 0);
}

/* The worst undecided frame of a budget determines the advice. If only samples are missing, longer runs help as much as
 * more runs. */
TEST(the_text_advises_runs_that_would_help) {
    struct judged j;
    begin(&j);
    add(&j, 0, GATE_REASON_TOO_FEW_SAMPLES, 100, 100, 3.5);
    add(&j, 0, GATE_REASON_TOO_FEW_SAMPLES, 400, 400, 1.5);
    note(&j, 10);
    assert_int_equal(j.list[0].factor_count, 10);
    assert_int_equal(j.list[0].longer_count, 10);
    expect_text(&j, "hot: no pair decides it: it would always be inconclusive; what would help: runs 3.5x as "
                    "long, or 4 runs per side, or max_mde: \"8pp\"");
    end(&j);
    begin(&j);
    add(&j, 0, GATE_REASON_TOO_FEW_SAMPLES, 100, 5000, 3.5); /* runs differ by more than sampling */
    note(&j, 10);
    expect_text(&j, "what would help: 4 runs per side (longer runs do not help where runs differ by more than their "
                    "samples do), or max_mde: \"8pp\"");
    end(&j);
}

TEST(the_text_states_why_more_runs_would_not_help) {
    static const struct {
        enum gate_reason reason;
        double factor;
        const char *text;
    } rows[] = {
        {GATE_REASON_DELAY_REPLICATES, 0, "a delay profile needs two or more runs per side"},
        {GATE_REASON_NOT_COMPARABLE, 0, "these runs lack what it compares"},
        {GATE_REASON_OWN_COST_OPEN, 0, "what would help: a larger limit"},
        {GATE_REASON_MIN_SAMPLES, 5000, "what would help: a larger limit"},
        {GATE_REASON_TOO_FEW_SAMPLES, 5000, "inconclusive; what would help: max_mde: \"8pp\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct judged j;
        begin(&j);
        add(&j, 0, rows[i].reason, 100, 100, rows[i].factor);
        note(&j, 10);
        expect_text(&j, rows[i].text);
    }
}

/* A budget of severity warn never makes a run inconclusive. The text still reports that no pair decides it. */
TEST(a_budget_that_only_warns_is_counted_too) {
    AT_END(end) struct judged j;
    begin(&j);
    j.comparison.noise = NULL;
    add(&j, 1, GATE_REASON_TOO_FEW_SAMPLES, 100, 100, 3.5);
    note(&j, 10);
    expect_text(&j, "advice: no pair decides it (the model is about other values); what would help: runs 3.5x");
}

TEST(a_budget_that_needs_work_is_left_out) {
    AT_END(end) struct judged j;
    begin(&j);
    j.verdict.budget_count = 1;
    note(&j, 10);
    expect_text(&j, "advice: not checked, since the work done on each side is not given");
    j.budgets[1].severity = GATE_SEVERITY_OFF;
    expect_text(&j, "advice: off");
}

TEST(a_budget_on_values_that_the_profiles_lack_is_left_out) {
    AT_END(end) struct judged j;
    begin(&j);
    j.budgets[0].sample_type = GATE_STR("inuse");
    j.results[0].comparison = GATE_NO_INDEX;
    note(&j, 10);
    assert_int_equal(j.list[0].pairs, 0);
    expect_text(&j, "hot: not checked, since these profiles have no sample type 'inuse': calibrate with profiles that "
                    "have it, too");
}

TEST(a_leak_is_left_out) {
    AT_END(end) struct judged j;
    begin(&j);
    j.budgets[0].measure = GATE_MEASURE_LEAK;
    note(&j, 10);
    assert_int_equal(j.list[0].pairs, 0);
    expect_text(&j, "hot: not checked, since a leak shows in 5 rounds or more of one process");
}

TEST(the_ninth_of_ten_values_is_chosen) {
    double values[] = {7, 3, 1, 9, 5, 2, 8, 4, 10, 6};
    double one[] = {4};
    assert_true(gate_decidability_most(values, 10) == 9);
    assert_true(gate_decidability_most(one, 1) == 4);
    assert_true(gate_decidability_most(one, 0) == 0);
}
