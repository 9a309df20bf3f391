/* SPDX-License-Identifier: Apache-2.0 */
/* Own functions that only one side has: their cost is charged to the nearest own caller that both sides have, and all
 * of them together are judged by "no new code takes over". */
#include "pair_fixture.h"

#include "gate/budget/verdict.h"
#include "gate/report/cause_sentence.h"
#include "gate/rules/rules_parse.h"

#include <math.h>

/* Numbers without a common divisor, which would be taken for the weight of a sample. */
static const char *const others = "main;o1 1001\nmain;o2 997\nmain;o3 1003\nmain;o4 999\nmain;o5 991\nmain;o6 1009\n";

struct folded {
    struct pair_fixture pair;
    struct gate_comparison comparison;
    struct gate_rules rules;
    struct gate_verdict verdict;
    double work; /* the canary's work divided by the baseline's; 0: not given */
    bool is_estimated;
};

static void make(struct folded *f, const char *baseline, const char *canary, bool folds,
                 enum gate_granularity granularity) {
    const struct gate_pair_options options = {.folds = folds, .frames = {.granularity = granularity}};
    char text[GATE_SIDES][4096];
    *f = (struct folded){0};
    fixture_begin(&f->pair);
    (void)snprintf(text[0], sizeof text[0], "%s%s", others, baseline);
    (void)snprintf(text[1], sizeof text[1], "%s%s", others, canary);
    fixture_add(&f->pair, GATE_BASELINE, text[0]);
    fixture_add(&f->pair, GATE_CANARY, text[1]);
    fixture_make(&f->pair, &options);
}

/* Make a pair without the functions of `others`. */
static void make_of(struct folded *f, const char *baseline, const char *canary) {
    const struct gate_pair_options options = {.folds = true};
    *f = (struct folded){0};
    fixture_begin(&f->pair);
    fixture_add(&f->pair, GATE_BASELINE, baseline);
    fixture_add(&f->pair, GATE_CANARY, canary);
    fixture_make(&f->pair, &options);
}

/* Judge a pair by the preset `recommended` with this work ratio. If it is 0, the ratio of the totals is used, so that
 * costs are shares. */
static void judge_made(struct folded *f, double work_ratio) {
    const struct gate_verdict_options given = {.work = {f->work > 0.0 ? 1.0 : 0.0, f->work}};
    if (work_ratio == 0.0)
        work_ratio = (double)f->pair.pair.sides[GATE_CANARY].total / (double)f->pair.pair.sides[GATE_BASELINE].total;
    f->comparison = (struct gate_comparison){.name = GATE_STR("cpu"),
                                             .work_ratio = work_ratio,
                                             .work_is_estimated = f->is_estimated,
                                             .pair = f->pair.pair,
                                             .deltas = f->pair.deltas};
    assert_true(gate_rules_parse_preset(&f->rules, "recommended", &f->pair.arena, &f->pair.err));
    if (f->work > 0.0)
        f->rules.equal = GATE_EQUAL_WORK;
    if (!gate_verdict_reach(&f->verdict, &f->rules, &f->comparison, 1, &given, &f->pair.arena, &f->pair.err))
        fail_msg("%s", f->pair.err.message);
}

static void judge(struct folded *f, const char *baseline, const char *canary) {
    make(f, baseline, canary, true, GATE_BY_FUNCTION);
    judge_made(f, 1.0);
}

static void end(struct folded *f) {
    gate_rules_free(&f->rules);
    fixture_end(&f->pair);
}

static bool warns(const struct folded *f, const char *code, const char *text) {
    for (uint32_t i = 0; i < f->verdict.warning_count; i++)
        if (strcmp(gate_guard_name(f->verdict.warnings[i].guard), code) == 0 &&
            gate_str_find(f->verdict.warnings[i].message, gate_str_from(text), 0) != SIZE_MAX)
            return true;
    return false;
}

static struct gate_str cause_of(const struct folded *f) {
    return f->verdict.causes.count > 0 ? f->verdict.causes.items[0].function : GATE_STR("");
}

/* Return the worst finding of a budget that did not pass, or NULL. */
static const struct gate_finding *finding_of(const struct folded *f, const char *budget) {
    const struct gate_finding *worst = NULL;
    for (uint32_t i = 0; i < f->verdict.budget_count; i++)
        for (uint32_t k = 0; k < f->verdict.budgets[i].finding_count; k++)
            if (gate_str_equal(f->verdict.budgets[i].budget->name, gate_str_from(budget)) &&
                f->verdict.budgets[i].findings[k].outcome > (worst == NULL ? GATE_OUTCOME_PASS : worst->outcome))
                worst = &f->verdict.budgets[i].findings[k];
    return worst;
}

static enum gate_outcome outcome_of(const struct folded *f, const char *budget) {
    const struct gate_finding *worst = finding_of(f, budget);
    return worst == NULL ? GATE_OUTCOME_PASS : worst->outcome;
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

TEST(a_function_of_one_side_is_charged_to_its_caller) {
    struct folded f;
    make(&f, "main;h;old 20\nmain;h 5\n", "main;h;new;newer 30\nmain;h 5\n", true, GATE_BY_FUNCTION);
    assert_int_equal(fixture_value(&f.pair, "h", GATE_CHARGED, GATE_BASELINE), 25);
    assert_int_equal(fixture_value(&f.pair, "h", GATE_CHARGED, GATE_CANARY), 35);
    const struct gate_delta *h = &f.pair.deltas.items[fixture_frame(&f.pair, "h")];
    assert_int_equal(h->folded[GATE_BASELINE], 20);
    assert_int_equal(h->folded[GATE_CANARY], 30);
    assert_int_equal(gate_delta_unfolded(h, GATE_CANARY), 5);
    assert_int_equal(fixture_value(&f.pair, "newer", GATE_CHARGED, GATE_CANARY), 30); /* kept for reports */
    assert_int_equal(fixture_value(&f.pair, "new", GATE_CHARGED, GATE_CANARY), 0);
    assert_int_equal(fixture_value(&f.pair, "h", GATE_SELF, GATE_CANARY), 5); /* self costs are never folded */
    fixture_end(&f.pair);
}

TEST(code_without_a_common_caller_is_charged_to_one_frame) {
    struct folded f;
    make(&f, "old;leaf1 20\n", "new;leaf2 30\n", true, GATE_BY_FUNCTION);
    assert_int_not_equal(f.pair.pair.one_sided, GATE_NO_INDEX);
    assert_int_equal(fixture_value(&f.pair, GATE_ONE_SIDED_NAME, GATE_CHARGED, GATE_BASELINE), 20);
    assert_int_equal(fixture_value(&f.pair, GATE_ONE_SIDED_NAME, GATE_CHARGED, GATE_CANARY), 30);
    fixture_end(&f.pair);
}

/* The costs of frames that are not folded add up to the total. So do the unfolded costs of all frames. */
TEST(charged_costs_add_up) {
    struct folded f;
    make(&f, "main;h;old 20\nold;leaf1 7\nmain;o1;k 3\n", "main;h;new;o2 30\nnew;leaf2 9\nmain;o1;k 4\n", true,
         GATE_BY_FUNCTION);
    for (int side = 0; side < GATE_SIDES; side++) {
        int64_t folded = 0, unfolded = 0;
        for (uint32_t i = 0; i < f.pair.pair.frame_count; i++) {
            folded += f.pair.pair.frames[i].is_folded ? 0 : f.pair.deltas.items[i].value[GATE_CHARGED][side];
            unfolded += gate_delta_unfolded(&f.pair.deltas.items[i], side);
        }
        assert_int_equal(folded, f.pair.pair.sides[side].total);
        assert_int_equal(unfolded, f.pair.pair.sides[side].total);
    }
    fixture_end(&f.pair);
}

TEST(series_and_comparisons_by_mapping_have_no_one_sided_frame) {
    struct folded f;
    make(&f, "main;h;old 20\n", "main;h;new 30\n", false, GATE_BY_FUNCTION);
    assert_int_equal(f.pair.pair.one_sided, GATE_NO_INDEX);
    assert_int_equal(fixture_value(&f.pair, "new", GATE_CHARGED, GATE_CANARY), 30);
    assert_int_equal(fixture_value(&f.pair, "h", GATE_CHARGED, GATE_CANARY), 0);
    fixture_end(&f.pair);
    make(&f, "main;h;old 20\n", "main;h;new 30\n", true, GATE_BY_MAPPING);
    assert_int_equal(f.pair.pair.one_sided, GATE_NO_INDEX);
    fixture_end(&f.pair);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

TEST(a_rename_at_equal_cost_passes) {
    struct folded f;
    judge(&f, "main;h;old 1200\nmain;k 800\n", "main;h;new 1200\nmain;k 800\n");
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
    assert_true(warns(&f, "renamed", "in h, old is gone"));
    end(&f);
    judge(&f, "main;old 700\n", "main;new 700\n"); /* beneath the entry point itself */
    assert_true(warns(&f, "renamed", "in main, old is gone"));
    end(&f);
    judge(&f, "main;line 7 (inlined) 700\n", "main;new 700\n"); /* the names cannot be suggested as a rename */
    assert_false(warns(&f, "renamed", ""));
    end(&f);
}

TEST(a_rename_that_costs_more_fails_in_its_caller) {
    struct folded f;
    judge(&f, "main;h;old 400\nmain;k 800\n", "main;h;new 2400\nmain;k 800\n");
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_FAIL);
    assert_true(gate_str_equal(cause_of(&f), GATE_STR("h")));
    assert_true(f.verdict.causes.items[0].new_frame == fixture_frame(&f.pair, "new"));
    end(&f);
    /* The growth is not in the new function, which costs as much as the old one did. */
    judge(&f, "main;h;old 2000\nmain;h 100\nmain;k 800\n", "main;h;new 2000\nmain;h 2400\nmain;k 800\n");
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(f.verdict.causes.items[0].new_frame, GATE_NO_INDEX);
    end(&f);
}

/* A function that is new and replaces nothing is the cause itself. */
TEST(a_new_function_is_the_cause) {
    AT_END(end) struct folded f;
    judge(&f, "main;h 400\nmain;k 800\n", "main;h 400\nmain;h;audit 2400\nmain;k 800\n");
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_FAIL);
    assert_true(gate_str_equal(cause_of(&f), GATE_STR("audit")));
}

/* The growth of the total, which the new function caused, has the same cause. The cause is not the caller that is
 * charged. */
TEST(a_new_function_is_the_cause_of_the_total) {
    AT_END(end) struct folded f;
    make_of(&f, "main;h 800\nmain;k 4000\n", "main;h 800\nmain;h;audit 9000\nmain;k 4000\n");
    f.work = 1.0;
    judge_made(&f, 1.0);
    assert_int_equal(outcome_of(&f, "the total does not grow"), GATE_OUTCOME_FAIL);
    assert_int_equal(f.verdict.causes.count, 1);
    assert_true(gate_str_equal(cause_of(&f), GATE_STR("audit")));
}

/* Every caller grows by the same factor, so no share of a caller grows. */
TEST(new_code_that_all_functions_call_fails) {
    AT_END(end) struct folded f;
    judge(&f, "",
          "main;o1;hot 301\nmain;o2;hot 301\nmain;o3;hot 301\nmain;o4;hot 301\nmain;o5;hot 301\nmain;o6;hot 301\n");
    assert_int_equal(outcome_of(&f, "no function takes over"), GATE_OUTCOME_PASS);
    assert_int_equal(outcome_of(&f, "no new code takes over"), GATE_OUTCOME_FAIL);
    assert_true(gate_str_equal(cause_of(&f), GATE_STR("hot")));
}

TEST(a_function_that_moved_has_its_old_name_beside_its_cost) {
    static const struct {
        const char *baseline, *canary, *function, *old;
    } rows[] = {
        {"main;o1;p.sum 503\n", "main;o1;r.sum 2011\n", "r.sum", "; it is p.sum in the baseline"},
        /* with its package */
        {"main;o1;shop/cart.Sum 503\nmain;o2;shop/cart.Load 200\n",
         "main;o1;shop/list.Sum 2011\nmain;o2;shop/list.Load 200\n", "shop/list.Sum",
         "; it is shop/cart.Sum in the baseline"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        AT_END(gate_buf_free) struct gate_buf text = {0};
        judge(&f, rows[i].baseline, rows[i].canary);
        assert_true(gate_str_equal(cause_of(&f), gate_str_from(rows[i].function)));
        gate_cause_sentence_cost(&text, &f.verdict, &f.verdict.causes.items[0]);
        if (!gate_str_ends(gate_buf_view(&text), gate_str_from(rows[i].old)))
            fail_msg("%.*s", GATE_STR_ARG(gate_buf_view(&text)));
    }
}

/* No single name explains the growth. */
TEST(new_code_of_many_names_is_one_cause) {
    AT_END(end) struct folded f;
    judge(&f, "", "main;o1;a 301\nmain;o2;b 307\nmain;o3;c 301\nmain;o4;d 301\nmain;o5;e 301\nmain;o6;f 301\n");
    assert_int_equal(outcome_of(&f, "no new code takes over"), GATE_OUTCOME_FAIL);
    assert_true(gate_str_equal(cause_of(&f), GATE_STR(GATE_ONE_SIDED_NAME)));
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_cause_sentence_cost(&text, &f.verdict, &f.verdict.causes.items[0]);
    assert_true(gate_str_equal(gate_buf_view(&text), GATE_STR("the largest new function is b (3.9%)")));
}

TEST(code_that_moved_out_of_its_caller_is_not_new) {
    AT_END(end) struct folded f;
    judge(&f, "main;h 2000\n", "main;h 400\nmain;h;part 1600\n");
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
    assert_int_equal(outcome_of(&f, "no new code takes over"), GATE_OUTCOME_WARN);
}

/* Growth near the limit, which more runs would have to confirm. With more runs, it would be excused. */
TEST(unconfirmed_new_code_has_the_excuse_of_confirmed) {
    static const char *const slower =
        "main;o1 1401\nmain;o2 1397\nmain;o3 1403\nmain;o4 1399\nmain;o5 1391\nmain;o6 1409\n";
    static const char *const cheaper = "main;o1 701\nmain;o2 697\nmain;o3 703\nmain;o4 699\nmain;o5 691\nmain;o6 709\n";
    static const struct {
        const char *others, *baseline, *canary;
        double ratio;
        bool is_known; /* otherwise it is estimated */
        enum gate_outcome outcome;
        enum gate_reason reason;
    } rows[] = {
        {others, "main;h 1500\n", "main;h 601\nmain;h;part 899\n", 1.0, true, GATE_OUTCOME_WARN, GATE_REASON_REPLACED},
        {others, "main;h 1500\n", "main;h 601\nmain;h;part 899\n", 1.0, false, GATE_OUTCOME_WARN, GATE_REASON_REPLACED},
        /* The canary's total grew by two fifths. The estimate takes that for more work, so h has its former share,
         * which is within the limit. If h keeps more of its cost, it is not. */
        {slower, "main;h 1500\n", "main;h 841\nmain;h;part 1259\n", 1.4, false, GATE_OUTCOME_WARN,
         GATE_REASON_REPLACED},
        {slower, "main;h 1500\n", "main;h 1741\nmain;h;part 1259\n", 1.4, false, GATE_OUTCOME_INCONCLUSIVE,
         GATE_REASON_REPLACED},
        {slower, "main;h 1500\n", "main;h 841\nmain;h;part 1259\n", 1.4, true, GATE_OUTCOME_WARN, GATE_REASON_REPLACED},
        /* The other functions became cheaper, so the share is over the limit, but the cost is not. */
        {cheaper, "main;h 1500\n", "main;h 601\nmain;h;part 899\n", 1.0, true, GATE_OUTCOME_WARN, GATE_REASON_REPLACED},
        {cheaper, "main;h 601\n", "main;h 601\nmain;h;part 760\n", 1.0, true, GATE_OUTCOME_INCONCLUSIVE,
         GATE_REASON_OWN_COST_OPEN},
        /* h lost 85 of 1,500 samples, only 1.6 standard deviations, so it may cost as much as before. */
        {others, "main;h 1500\n", "main;h 1415\nmain;h;part 830\n", 1.0, true, GATE_OUTCOME_INCONCLUSIVE,
         GATE_REASON_REPLACED},
        /* h lost nothing, so no code was moved out of it. */
        {others, "main;h 601\n", "main;h 601\nmain;h;part 899\n", 1.0, true, GATE_OUTCOME_INCONCLUSIVE,
         GATE_REASON_UNCONFIRMED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct folded f;
        char text[GATE_SIDES][1024];
        (void)snprintf(text[0], sizeof text[0], "%s%s", others, rows[i].baseline);
        (void)snprintf(text[1], sizeof text[1], "%s%s", rows[i].others, rows[i].canary);
        make_of(&f, text[0], text[1]);
        f.work = rows[i].is_known ? rows[i].ratio : 0.0;
        f.is_estimated = !rows[i].is_known;
        judge_made(&f, rows[i].ratio);
        const struct gate_finding *finding = finding_of(&f, "no new code takes over");
        if (finding == NULL || finding->outcome != rows[i].outcome || finding->reason != rows[i].reason)
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(finding == NULL ? GATE_STR("none") : finding->text));
        end(&f);
    }
}

/* With an implausible work ratio, by which a unit costs less than a third, moved code is not excused. */
TEST(moved_code_is_undecided_where_the_work_is_not_plausible) {
    for (int is_over = 0; is_over <= 1; is_over++) {
        AT_END(end) struct folded f;
        make_of(&f, "main;h 20000\n", "main;h 1200\nmain;h;part 18800\n");
        f.work = is_over ? 3.2 : 2.8;
        judge_made(&f, f.work);
        assert_int_equal(outcome_of(&f, "no new code takes over"),
                         is_over ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_WARN);
    }
}

/* "big" became ten times cheaper, so all other shares grew. Three functions are too few to estimate the work. */
TEST(an_improvement_elsewhere_makes_no_moved_code_new) {
    static const struct {
        const char *canary;
        enum gate_outcome outcome;
    } rows[] = {
        {"main;o1 2999\nmain;big 800\nmain;h 1200\nmain;h;part 1200\n", GATE_OUTCOME_INCONCLUSIVE},
        /* h lost nothing, so "part" is new code whatever the others did. */
        {"main;o1 2999\nmain;big 800\nmain;h 2400\nmain;h;part 2400\n", GATE_OUTCOME_FAIL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        make_of(&f, "main;o1 3001\nmain;big 8000\nmain;h 2400\n", rows[i].canary);
        judge_made(&f, 0.0);
        assert_int_equal(outcome_of(&f, "no new code takes over"), rows[i].outcome);
    }
}

/* All of the canary costs 1.8 times as much, as on a busy machine. By cost, h seems to have lost less than "part"
 * gained. */
TEST(code_that_moved_out_on_a_busy_machine_is_undecided) {
    static const struct {
        enum gate_format format;
        enum gate_outcome outcome;
    } rows[] = {{GATE_FORMAT_COLLAPSED, GATE_OUTCOME_INCONCLUSIVE}, {GATE_FORMAT_PPROF, GATE_OUTCOME_FAIL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        make_of(&f, "main;o1 4001\nmain;o2 3999\nmain;h 3000\n",
                "main;o1 7201\nmain;o2 7199\nmain;h 1080\nmain;h;part 4320\n");
        f.pair.pair.language = GATE_LANGUAGE_PYTHON;
        for (int side = 0; side < GATE_SIDES; side++)
            f.pair.profiles[side][0].format = rows[i].format;
        f.work = 1.0;
        judge_made(&f, 1.0);
        if (outcome_of(&f, "no new code takes over") != rows[i].outcome)
            fail_msg("row %zu: %d", i, (int)outcome_of(&f, "no new code takes over"));
    }
}

/* A new function between a caller and its callee. The baseline has 9,500 samples, so the limit on new code is 950. The
 * functions around it lost 1,600 samples, so 1,000 or 1,300 of its samples are new, with a standard deviation of 95. */
TEST(new_code_that_functions_around_it_lost_is_undecided) {
    static const struct {
        const char *canary;
        enum gate_outcome outcome;
    } rows[] = {
        {"main;h 900\nmain;h;wrap 2600\nmain;h;wrap;less 1000\n", GATE_OUTCOME_INCONCLUSIVE},
        {"main;h 900\nmain;h;wrap 2900\nmain;h;wrap;less 1000\n", GATE_OUTCOME_FAIL},
        /* The functions around it lost too little: only a quarter of its cost. */
        {"main;h 1500\nmain;h;wrap 2400\nmain;h;wrap;less 1400\n", GATE_OUTCOME_FAIL},
        /* The function that lost cost is not called by the new one. */
        {"main;h 1500\nmain;h;less 1000\nmain;h;wrap 1900\n", GATE_OUTCOME_FAIL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        make(&f, "main;h 1500\nmain;h;less 2000\n", rows[i].canary, true, GATE_BY_FUNCTION);
        f.work = 1.0;
        judge_made(&f, 1.0);
        if (outcome_of(&f, "no new code takes over") != rows[i].outcome)
            fail_msg("row %zu: %d", i, (int)outcome_of(&f, "no new code takes over"));
    }
}

/* In JavaScript, functions without a name share a frame. The cost that it lost may be that of functions that got a
 * name. New code that costs no more than that only warns, or is undecided if the work is not even estimated. If the
 * frame is a function with a name, the new code fails. */
TEST(functions_that_got_a_name_are_not_new) {
    static const struct {
        bool has_places, is_known;
        const char *name, *left; /* of 3,000 */
        enum gate_outcome outcome;
    } rows[] = {
        {true, true, "(anonymous)", "600", GATE_OUTCOME_WARN},
        {true, false, "(anonymous)", "600", GATE_OUTCOME_INCONCLUSIVE},
        {false, true, "(anonymous)", "600", GATE_OUTCOME_FAIL},
        {true, true, "get", "600", GATE_OUTCOME_FAIL},
        /* The frame lost only 600. */
        {true, true, "(anonymous)", "2400", GATE_OUTCOME_FAIL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        char baseline[64], canary[64];
        (void)snprintf(baseline, sizeof baseline, "main;h 301\nmain;%s 3000\n", rows[i].name);
        (void)snprintf(canary, sizeof canary, "main;h;feed 2400\nmain;%s %s\n", rows[i].name, rows[i].left);
        if (rows[i].is_known)
            make(&f, baseline, canary, true, GATE_BY_FUNCTION);
        else
            make_of(&f, baseline, canary);
        f.pair.pair.frames[fixture_frame(&f.pair, rows[i].name)].has_places = rows[i].has_places;
        f.work = rows[i].is_known ? 1.0 : 0.0;
        judge_made(&f, 1.0);
        if (outcome_of(&f, "no new code takes over") != rows[i].outcome)
            fail_msg("row %zu: %d", i, (int)outcome_of(&f, "no new code takes over"));
    }
}

/* The same for functions without an own caller: all new ones together are judged as one function, too. */
TEST(handlers_that_got_a_name_do_not_take_over) {
    static const struct {
        bool has_places;
        const char *canary;
        enum gate_outcome outcome;
    } rows[] = {
        {true, "feed 1501\nsearch 899\n(anonymous) 600\n", GATE_OUTCOME_WARN},
        {false, "feed 1501\nsearch 899\n(anonymous) 600\n", GATE_OUTCOME_FAIL},
        {true, "feed 2601\nsearch 1399\n(anonymous) 600\n", GATE_OUTCOME_FAIL}, /* 1,600 more than it lost */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        make(&f, "(anonymous) 3000\n", rows[i].canary, true, GATE_BY_FUNCTION);
        f.pair.pair.frames[fixture_frame(&f.pair, "(anonymous)")].has_places = rows[i].has_places;
        f.work = 1.0;
        judge_made(&f, 1.0);
        if (outcome_of(&f, "no function takes over") != rows[i].outcome)
            fail_msg("row %zu: %d", i, (int)outcome_of(&f, "no function takes over"));
    }
}

/* Judge by a budget on new code alone, at the same work. */
static void judge_new_code(struct folded *f, const char *baseline, const char *canary) {
    static const char text[] =
        "version: 1\nbudgets: [{name: new, measure: charged, select: {one_sided: true}, limit: +10pp}]\n";
    make(f, baseline, canary, true, GATE_BY_FUNCTION);
    const struct gate_verdict_options options = {.work = {1.0, 1.0}};
    f->comparison = (struct gate_comparison){
        .name = GATE_STR("cpu"), .work_ratio = 1.0, .pair = f->pair.pair, .deltas = f->pair.deltas};
    assert_true(
        gate_rules_parse(&f->rules, gate_str_from(text), GATE_STR("rules.yml"), NULL, &f->pair.arena, &f->pair.err));
    f->rules.equal = GATE_EQUAL_WORK;
    assert_true(gate_verdict_reach(&f->verdict, &f->rules, &f->comparison, 1, &options, &f->pair.arena, &f->pair.err));
}

/* The stacks are examined even if no other budget needs them. */
TEST(a_lone_budget_on_new_code_examines_stacks) {
    AT_END(end) struct folded f;
    judge_new_code(&f, "main;h 1500\nmain;h;less 2000\n", "main;h 900\nmain;h;wrap 2600\nmain;h;wrap;less 1000\n");
    assert_int_equal(outcome_of(&f, "new"), GATE_OUTCOME_INCONCLUSIVE);
}

/* Five new functions cost 1,506 samples, none of them half. The caller of three, h, is charged with 915; k grew by 200
 * without new code. A caller that costs no more with all that it calls is not the cause: its own code got other names.
 * Nor is h if all callers together gained over twice as much: it may only have taken over what k lost. */
TEST(new_code_has_the_cause_that_is_charged_with_most_of_it) {
#define BESIDE "main;r 2000\nmain;s 2000\nmain;t 2000\nmain;u 2000\n"
    static const struct {
        const char *baseline, *canary, *cause;
    } rows[] = {
        {"main;k 1000\n", "main;h;a 300\nmain;h;b 310\nmain;h;c 305\nmain;o1;d 301\nmain;o2;e 290\nmain;k 1200\n", "h"},
        {"main;k 1000\n", "main;h;a 300\nmain;o3;b 310\nmain;o4;c 305\nmain;o1;d 301\nmain;o2;e 290\nmain;k 1200\n",
         GATE_ONE_SIDED_NAME},
        {"main;h;k 2500\n", "main;h;a 300\nmain;h;b 310\nmain;h;c 305\nmain;o1;d 301\nmain;o2;e 290\nmain;h;k 1200\n",
         GATE_ONE_SIDED_NAME},
        {BESIDE "main;k 100\nmain;k;old 1600\n",
         BESIDE "main;k 100\nmain;h;a 900\nmain;h;b 910\nmain;h;c 905\nmain;r;d 800\nmain;s;e 805\nmain;t;f 800\n"
                "main;u;g 802\n",
         GATE_ONE_SIDED_NAME},
    };
#undef BESIDE
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        char text[GATE_SIDES][512];
        (void)snprintf(text[0], sizeof text[0], "main;h 601\n%s", rows[i].baseline);
        (void)snprintf(text[1], sizeof text[1], "main;h 601\n%s", rows[i].canary);
        judge_new_code(&f, text[0], text[1]);
        assert_int_equal(outcome_of(&f, "new"), GATE_OUTCOME_FAIL);
        if (!gate_str_equal(cause_of(&f), gate_str_from(rows[i].cause)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(cause_of(&f)));
    }
}

/* With one run per side, the variation of new code is assumed to be that of own code. A run-time compiler may have
 * inlined it, so in those languages it is undecided. */
TEST(one_run_decides_on_new_code_but_not_if_it_may_have_been_inlined) {
    static const struct {
        enum gate_language language;
        enum gate_outcome outcome;
    } rows[] = {{GATE_LANGUAGE_GO, GATE_OUTCOME_FAIL},
                {GATE_LANGUAGE_PYTHON, GATE_OUTCOME_FAIL},
                {GATE_LANGUAGE_NODE, GATE_OUTCOME_INCONCLUSIVE},
                {GATE_LANGUAGE_JVM, GATE_OUTCOME_INCONCLUSIVE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        make(&f, "main;h 300\n", "main;h 300\nmain;h;audit 1211\n", true, GATE_BY_FUNCTION);
        f.pair.pair.language = rows[i].language;
        judge_made(&f, 1.0);
        assert_int_equal(outcome_of(&f, "no new code takes over"), rows[i].outcome);
    }
}

/* A function that lost as much, but does not call the new code, does not excuse it. */
TEST(only_callers_may_have_had_new_code_inlined) {
    AT_END(end) struct folded f;
    make(&f, "main;h 300\nmain;k 2000\nmain;k;j 500\n", "main;h 300\nmain;h;audit 1611\nmain;k 400\nmain;k;j 500\n",
         true, GATE_BY_FUNCTION);
    f.pair.pair.language = GATE_LANGUAGE_NODE;
    judge_made(&f, 1.0);
    assert_int_equal(outcome_of(&f, "no new code takes over"), GATE_OUTCOME_FAIL);
}

/* Six new names of 3% each, 20% together. A sample of 41 lacks such a name by chance in a quarter of the cases: 1 -
 * e^(-41/30) = 0.745. A sample of 4,100 never does. */
TEST(new_names_count_less_against_a_baseline_of_few_samples) {
    static const struct {
        const char *baseline;
        double share;
    } rows[] = {{"main;o1 20\nmain;o2 21\n", 0.2 * 0.745}, {"main;o1 2030\nmain;o2 2070\n", 0.2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        double share = 0.0;
        make_of(&f, rows[i].baseline,
                "main;o1 239\nmain;o2 241\n"
                "main;o1;a 20\nmain;o1;b 20\nmain;o1;c 20\nmain;o2;d 20\nmain;o2;e 20\nmain;o2;f 20\n");
        judge_made(&f, 0.0);
        for (uint32_t b = 0; b < f.verdict.budget_count; b++)
            if (gate_str_equal(f.verdict.budgets[b].budget->name, GATE_STR("no new code takes over")))
                share = f.verdict.budgets[b].findings[0].evidence.share[GATE_CANARY];
        assert_true(fabs(share - rows[i].share) < 0.005);
    }
}

/* Append a stack for each of 30 functions beneath h, with `percent` percent of 1,500 samples in all. Also append stacks
 * of one sample, which real profiles have. */
static void put_parts(struct gate_buf *out, int percent) {
    for (int i = 0; i < 30; i++)
        gate_buf_printf(out, "main;h;part%d %d\nmain;o8;rare%d 1\n", i, (21 + 2 * i) * percent / 100, i);
}

/* A profiler that uses frame pointers misses the caller of a leaf function. So code that was moved out of functions
 * beneath `h` is charged to `h`, whose own small cost grows fivefold. Each of these functions lost too little to be
 * significant. With everything that it calls, `h` costs as much as before, or 380 of 10,000 more. */
TEST(new_code_that_a_caller_as_a_whole_does_not_show_breaks_no_ratio) {
    static const struct {
        int percent, runs;
        enum gate_outcome outcome;
    } rows[] = {{78, 1, GATE_OUTCOME_INCONCLUSIVE},
                {78, 3, GATE_OUTCOME_WARN},
                {100, 1, GATE_OUTCOME_FAIL},
                {100, 3, GATE_OUTCOME_FAIL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f = {0};
        const struct gate_pair_options options = {.folds = true};
        fixture_begin(&f.pair);
        for (int run = 0; run < rows[i].runs; run++)
            for (int side = 0; side < GATE_SIDES; side++) {
                struct gate_buf text = {0};
                gate_buf_printf(&text, "%smain;o7 %d\nmain;h 80\n", others, 2420 + run);
                put_parts(&text, side == GATE_CANARY ? rows[i].percent : 100);
                gate_buf_text(&text, side == GATE_CANARY ? "main;h;match 380\n" : "");
                gate_buf_char(&text, '\0');
                fixture_add(&f.pair, side, text.ptr);
                gate_buf_free(&text);
            }
        fixture_make(&f.pair, &options);
        f.work = 1.0;
        judge_made(&f, 1.0);
        if (outcome_of(&f, "no function doubles") != rows[i].outcome)
            fail_msg("row %zu: %d %s", i, (int)outcome_of(&f, "no function doubles"),
                     gate_reason_name(finding_of(&f, "no function doubles")->reason));
    }
}

/* All new code is charged to one function, whose cost differs much between runs. So its growth is undecided. The new
 * code is undecided, too, although it does not differ. With two callers, the new code is judged by itself. */
TEST(new_code_of_one_caller_is_as_sure_as_that_caller) {
    static const char *const canaries[] = {"main;h;new 700\n", "main;h;new 350\nmain;o1;new 350\n"};
    for (int callers = 1; callers <= 2; callers++) {
        AT_END(end) struct folded f = {0};
        const struct gate_pair_options options = {.folds = true};
        fixture_begin(&f.pair);
        for (int run = 0; run < 3; run++)
            for (int side = 0; side < GATE_SIDES; side++) {
                char text[512];
                int h = 200 + 280 * run;
                (void)snprintf(text, sizeof text, "main;o1 %d\nmain;o2 901\nmain;h %d\n%s", 2101 - h, h,
                               side == GATE_CANARY ? canaries[callers - 1] : "");
                fixture_add(&f.pair, side, text);
            }
        fixture_make(&f.pair, &options);
        f.work = 1.0;
        judge_made(&f, 1.0);
        const struct gate_finding *code = finding_of(&f, "no new code takes over");
        if (callers == 1)
            assert_int_equal(outcome_of(&f, "no function takes over"), GATE_OUTCOME_INCONCLUSIVE);
        assert_int_equal(code->outcome, callers == 1 ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL);
        assert_int_equal(code->reason, callers == 1 ? GATE_REASON_REPLACED : GATE_REASON_OVER);
        /* The own part of h costs what it did. */
        bool is_of_h = gate_str_find(code->text, GATE_STR("nearly all of it is charged to h, and"), 0) != SIZE_MAX;
        assert_int_equal(is_of_h, callers == 1);
    }
}

TEST(a_new_function_within_the_limits_is_named) {
    AT_END(end) struct folded f;
    judge(&f, "main;h 600\n", "main;h 300\nmain;h;audit 300\n");
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
    assert_true(warns(&f, "new_functions", "new in the profile: audit 4.5"));
}

/* Most of both sides has other names, and main is the only common caller, in which growth may be hidden. */
TEST(a_program_of_other_names_is_left_undecided) {
    struct folded f;
    judge(&f, "main;a1 9000\nmain;a2 9000\n", "main;b1 8000\nmain;b2 10000\n");
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_INCONCLUSIVE);
    assert_true(warns(&f, "replaced_code", "75"));
    end(&f);
    /* The work is known. The new functions cost half as much as those that are gone, then as much, then 6% of the total
     * more, which is over the limit. */
    static const char *const canaries[] = {"main;b1 4000\nmain;b2 5000\n", "main;b1 8000\nmain;b2 10000\n",
                                           "main;b1 9000\nmain;b2 10500\n"};
    for (int i = 0; i < 3; i++) {
        make(&f, "main;a1 9000\nmain;a2 9000\n", canaries[i], true, GATE_BY_FUNCTION);
        f.work = 1.0;
        judge_made(&f, 1.0);
        assert_int_equal(warns(&f, "replaced_code", ""), i == 2);
        end(&f);
    }
    judge(&f, "main;h 18000\n", "main;h 4000\nmain;h;part 14000\n"); /* nothing of the baseline is gone */
    assert_false(warns(&f, "replaced_code", ""));
    end(&f);
    judge(&f, "main;a1 9000\nmain;a2 9000\nmain;o7 400\n", "main;b1 8000\nmain;b2 10000\nmain;o7 14000\n");
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_FAIL); /* a failing run does not need the warning */
    assert_false(warns(&f, "replaced_code", ""));
    end(&f);
}

/* The warning needs over 25% with other names on one side, and at least half of that on the other. */
TEST(a_part_with_other_names_is_left_undecided_if_it_is_large_on_one_side) {
    static const struct {
        const char *baseline, *canary, *warning; /* NULL: none */
    } rows[] = {
        {"main 3880\nmain;a 3120\n", "main 3880\nmain;b 3500\n", "24.0% of the baseline and 26.2% of the canary"},
        {"main 4500\nmain;a 3800\n", "main 4500\nmain;b 1900\n", "26.6% of the baseline and 15.3% of the canary"},
        {"main 5500\nmain;a 4200\n", "main 5500\nmain;b 1500\n", NULL}, /* 26.8% and 11.5% */
        {"main 3880\nmain;a 3120\n", "main 3880\nmain;b 3120\n", NULL}, /* 24.0% of both */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        const char *warning = rows[i].warning != NULL ? rows[i].warning : "";
        judge(&f, rows[i].baseline, rows[i].canary);
        if (warns(&f, "replaced_code", warning) != (rows[i].warning != NULL))
            fail_msg("row %zu", i);
    }
}

/* A budget on a function that is gone is open if new functions of its callers cost more than its limit allows. */
TEST(a_named_function_that_is_gone_may_have_another_name) {
#define TAX "version: 1\nbudgets: [{name: b, measure: charged, limit: +30%, max_mde: 20pp, "
    static const struct {
        const char *rules, *baseline, *canary;
        bool is_open;
    } rows[] = {
        {TAX "select: '^tax$'}]\n", "main;h;tax 900\n", "main;h;vat 1500\n", true},
        {TAX "select: '^tax$'}]\n", "main;h;tax 60\n", "main;h;vat 79\n", false},          /* not surely more */
        {TAX "select: '^tax$'}]\n", "main;h;tax 30\n", "main;h;vat 1500\n", false},        /* 0.5% of the baseline */
        {TAX "select: '^(tax|vat)$'}]\n", "main;h;tax 900\n", "main;h;vat 1500\n", false}, /* it judges both */
        {TAX "select: '^tax$'}]\n", "main;h;tax 900\n", "main;h;vat 1100\n", false},       /* within the limit */
        {TAX "select: '^tax$'}]\n", "main;h;tax 900\n", "main;h 900\n", false},            /* nothing is new */
        {TAX "select: '^tax$'}]\n", "main;h;tax 900\n", "main;h 900\nmain;g;vat 1500\n", false}, /* another caller's */
        {TAX "select: '^tax$'}]\n", "main;h;tax 900\nmain;g;tax 200\nmain;g 9\n",
         "main;h 900\nmain;g;vat 2500\nmain;g 9\n", true}, /* one of two callers */
        {TAX "select: '^tax$'}]\n", "main;h;tax 900\nmain;h;fee 900\n", "main;h;vat 1900\n", false}, /* both are gone */
        {TAX "select: '^tax$', severity: warn}]\n", "main;h;tax 900\n", "main;h;vat 1500\n", false},
        {TAX "select: '^(tax|vat)$'}]\n", "main;h;tax 900\n", "main;h;tax 900\nmain;h;vat 900\n", false}, /* not gone */
        {TAX "select: {not: x}}]\n", "main;h;tax 900\n", "main;h;vat 1500\n", false}, /* names no function */
        {"version: 1\nbudgets: [{name: b, measure: charged, limit: {share_increase: +2pp}, max_mde: 20pp, select: "
         "'^tax$'}]\n",
         "main;h;tax 900\n", "main;h;vat 1250\n", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        const struct gate_verdict_options options = {0};
        make(&f, rows[i].baseline, rows[i].canary, true, GATE_BY_FUNCTION);
        f.comparison = (struct gate_comparison){
            .name = GATE_STR("cpu"), .work_ratio = 1.0, .pair = f.pair.pair, .deltas = f.pair.deltas};
        assert_true(gate_rules_parse(&f.rules, gate_str_from(rows[i].rules), GATE_STR("rules.yml"), NULL, &f.pair.arena,
                                     &f.pair.err));
        assert_true(gate_verdict_reach(&f.verdict, &f.rules, &f.comparison, 1, &options, &f.pair.arena, &f.pair.err));
        const struct gate_budget_result *b = &f.verdict.budgets[0];
        const bool is_open = b->finding_count > 0 && b->findings[0].reason == GATE_REASON_GONE;
        if (is_open != rows[i].is_open || (is_open && f.verdict.outcome != GATE_OUTCOME_INCONCLUSIVE))
            fail_msg("row %zu", i);
    }
#undef TAX
}

/* A new function that one budget leaves out and another selects has its own limit, and is not charged to its caller. */
TEST(a_new_function_with_its_own_limit_is_not_charged_to_its_caller) {
    static const struct {
        const char *budgets;
        enum gate_outcome outcome;
        bool is_folded;
    } rows[] = {
        {"{name: a, measure: charged, select: {not: '^vat$'}, limit: +5pp}, {name: b, measure: charged, select: "
         "'^vat$', limit: {share: 30%}}",
         GATE_OUTCOME_PASS, false},
        {"{name: a, measure: charged, select: {not: '^vat$'}, limit: +5pp}, {name: b, measure: charged, select: "
         "'^vat$', limit: {share: 10%}}",
         GATE_OUTCOME_FAIL, false},
        {"{name: a, measure: charged, select: {not: '^vat$'}, limit: +5pp}, {name: b, measure: charged, select: "
         "'^tax$', limit: {share: 30%}}",
         GATE_OUTCOME_FAIL, true},
        {"{name: a, measure: charged, limit: +5pp}, {name: b, measure: charged, select: '^vat$', limit: {share: 30%}}",
         GATE_OUTCOME_FAIL, true},
        {"{name: a, measure: charged, select: {not: '^tax$'}, limit: +5pp}, {name: b, measure: charged, select: "
         "'^tax$', limit: {share: 30%}}",
         GATE_OUTCOME_FAIL, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f = {0};
        const struct gate_verdict_options options = {0};
        fixture_begin(&f.pair);
        fixture_add(&f.pair, GATE_BASELINE, "main;h 2000\nmain;h;tax 600\nmain;a 5003\n");
        fixture_add(&f.pair, GATE_CANARY, "main;h 2000\nmain;h;vat 1601\nmain;a 5003\n");
        struct gate_str rules = gate_str_format(&f.pair.arena, "version: 1\nbudgets: [%s]\n", rows[i].budgets);
        if (!gate_rules_parse(&f.rules, rules, GATE_STR("rules.yml"), NULL, &f.pair.arena, &f.pair.err))
            fail_msg("%s", f.pair.err.message);
        const struct gate_pair_options pairing = {.folds = true, .frames = f.rules.frames};
        fixture_make(&f.pair, &pairing);
        f.comparison = (struct gate_comparison){
            .name = GATE_STR("cpu"), .work_ratio = 1.0, .pair = f.pair.pair, .deltas = f.pair.deltas};
        assert_true(gate_verdict_reach(&f.verdict, &f.rules, &f.comparison, 1, &options, &f.pair.arena, &f.pair.err));
        assert_true(
            f.pair.pair.frames[fixture_frame(&f.pair, "tax")].is_folded); /* gone, so it has no limit of its own */
        if (f.pair.pair.frames[fixture_frame(&f.pair, "vat")].is_folded != rows[i].is_folded ||
            (f.verdict.outcome == GATE_OUTCOME_PASS) != (rows[i].outcome == GATE_OUTCOME_PASS))
            fail_msg("row %zu: %d", i, f.verdict.outcome);
    }
}

/* Growth beneath a large caller hardly changes its share, but changes its cost. */
TEST(costs_of_a_program_of_other_names_are_judged) {
    static const struct {
        const char *rules;
        bool is_open;
    } rows[] = {
        {"version: 1\nbudgets: [{name: b, measure: charged, limit: {share_increase: +5pp}}]\n", true},
        {"version: 1\nbudgets: [{name: b, measure: charged_cost, per: run, limit: +50%}]\n", false},
        {"version: 1\nbudgets: [{name: b, measure: charged_cost, per: run, limit: +50%},"
         " {name: c, measure: charged, limit: {share_increase: +5pp}, severity: warn}]\n",
         false},
        {"version: 1\nequal: run\nbudgets: [{name: b, measure: charged, limit: {share_increase: +5pp}, max_mde: "
         "20pp}]\n",
         false},
        {"version: 1\nequal: run\nbudgets: [{name: b, measure: charged, limit: {share_increase: +5pp}, max_mde: "
         "6pp}]\n",
         true}, /* the interval of the total ends above that */
        {"version: 1\nequal: run\nbudgets: [{name: b, measure: charged, limit: {share_increase: +10pp}}]\n",
         false}, /* twice the limit, as no max_mde is given */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct folded f;
        make(&f, "main;a1 9000\nmain;a2 9000\n", "main;b1 8000\nmain;b2 10000\n", true, GATE_BY_FUNCTION);
        const struct gate_verdict_options options = {0};
        f.comparison = (struct gate_comparison){
            .name = GATE_STR("cpu"), .work_ratio = 1.0, .pair = f.pair.pair, .deltas = f.pair.deltas};
        assert_true(gate_rules_parse(&f.rules, gate_str_from(rows[i].rules), GATE_STR("rules.yml"), NULL, &f.pair.arena,
                                     &f.pair.err));
        assert_true(gate_verdict_reach(&f.verdict, &f.rules, &f.comparison, 1, &options, &f.pair.arena, &f.pair.err));
        assert_int_equal(warns(&f, "replaced_code", ""), rows[i].is_open);
        assert_int_equal(warns(&f, "replaced_code", "give the work"), i == 0); /* the others have it, or pass */
    }
}
