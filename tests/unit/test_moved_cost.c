/* SPDX-License-Identifier: Apache-2.0 */
/* budget/moved_cost.h in whole verdicts: cost that moved is distinguished from cost that grew, and renames are
 * suggested. */
#include "near.h"
#include "pair_fixture.h"

#include "gate/budget/moved_cost.h"
#include "gate/budget/verdict.h"
#include "gate/report/listing.h"

static const char others[] = "main;o1 1000\nmain;o2 1000\nmain;o3 1000\nmain;o4 1000\nmain;o5 1000\nmain;o6 1000\n";

struct moved {
    struct pair_fixture pair;
    struct gate_comparison comparison;
    struct gate_limit limit;
    struct gate_budget budget;
    struct gate_rules rules;
    struct gate_verdict verdict;
};

static void end(struct moved *m) {
    fixture_end(&m->pair);
}

/* Too few other functions to estimate the work. */
static const char one_other[] = "main;o1 6000\n";

static const char few_others[] = "main;o1 100\nmain;o2 100\nmain;o3 100\nmain;o4 100\nmain;o5 100\nmain;o6 100\n";

/* Options of reach_with. `work_ratio`: the canary's work divided by the baseline's, or 0 if it is not known. */
struct reach_options {
    enum gate_severity shift;
    double work_ratio;
    enum gate_language language;
    bool is_charged; /* the budget measures charged cost, and there are fewer other functions */
    bool has_one_other;
    bool is_cumulative; /* the budget measures cumulative cost */
    bool has_lines;     /* a function begins at the line with the number of its first letter in the alphabet */
};

/* Set whose code each frame is, by the begin of its name: "c." the C library's, "github.com/" a third party's, which
 * counts as own code, and "[" a binary without symbols. */
static void reach_with(struct moved *m, const char *baseline, const char *canary, const struct reach_options *wanted) {
    const struct gate_pair_options options = {.folds = true};
    const char *rest = wanted->has_one_other ? one_other : wanted->is_charged ? few_others : others;
    char text[GATE_SIDES][1024];
    fixture_begin(&m->pair);
    (void)snprintf(text[0], sizeof text[0], "%s%s", baseline, rest);
    (void)snprintf(text[1], sizeof text[1], "%s%s", canary, rest);
    fixture_add(&m->pair, GATE_BASELINE, text[0]);
    fixture_add(&m->pair, GATE_CANARY, text[1]);
    fixture_make(&m->pair, &options);
    for (uint32_t i = 0; i < m->pair.pair.frame_count; i++) {
        struct gate_frame *frame = &m->pair.pair.frames[i];
        if (wanted->has_lines) {
            frame->file = GATE_STR("h.go");
            frame->start_line = frame->name.ptr[0] - 'a' + 1;
        }
        if (gate_str_starts(frame->name, GATE_STR("github.com/")))
            frame->code = GATE_CODE_THIRD_PARTY;
        frame->is_symbolised = frame->name.ptr[0] != '[';
        if (!gate_str_starts(frame->name, GATE_STR("c.")))
            continue;
        frame->is_own = false;
        frame->mapping = GATE_STR("/usr/lib/libc.so.6");
    }
    m->pair.pair.language = wanted->language;
    m->comparison = (struct gate_comparison){.name = GATE_STR("cpu"), .pair = m->pair.pair, .deltas = m->pair.deltas};
    if (wanted->is_charged &&
        !gate_delta_fold(&m->comparison.deltas, &m->comparison.pair, NULL, &m->pair.arena, &m->pair.err))
        fail_msg("%s", m->pair.err.message);
    m->comparison.work_ratio = wanted->work_ratio;
    m->comparison.work_is_known = wanted->work_ratio > 0.0;
    const double work[GATE_SIDES] = {wanted->work_ratio > 0.0 ? 1.0 : 0.0, wanted->work_ratio};
    m->limit = (struct gate_limit){.severity = GATE_SEVERITY_ERROR, .value = wanted->is_charged ? 0.02 : 0.05};
    m->budget = (struct gate_budget){.name = GATE_STR("b"),
                                     .severity = GATE_SEVERITY_ERROR,
                                     .limits = &m->limit,
                                     .limit_count = 1,
                                     .shift = wanted->shift};
    if (wanted->is_charged)
        m->budget.measure = GATE_MEASURE_CHARGED;
    if (wanted->is_cumulative)
        m->budget.measure = GATE_MEASURE_CUMULATIVE;
    m->rules = (struct gate_rules){
        .alpha = 0.01, .alpha_margin = 0.05, .min_samples = 500, .budgets = &m->budget, .budget_count = 1};
    const struct gate_verdict_options given = {.work = {work[GATE_BASELINE], work[GATE_CANARY]}};
    if (!gate_verdict_reach(&m->verdict, &m->rules, &m->comparison, 1, &given, &m->pair.arena, &m->pair.err))
        fail_msg("%s", m->pair.err.message);
}

static void reach_of_work(struct moved *m, const char *baseline, const char *canary, enum gate_severity shift,
                          double work_ratio) {
    reach_with(m, baseline, canary, &(struct reach_options){.shift = shift, .work_ratio = work_ratio});
}

static void reach(struct moved *m, const char *baseline, const char *canary, enum gate_severity shift) {
    reach_of_work(m, baseline, canary, shift, 0.0);
}

static const struct gate_finding *worst(const struct moved *m) {
    return &m->verdict.budgets[0].findings[0];
}

/* Return the finding on a function, or NULL. */
static const struct gate_finding *finding_on(const struct moved *m, const char *function) {
    const struct gate_budget_result *result = &m->verdict.budgets[0];
    for (uint32_t i = 0; i < result->finding_count; i++)
        if (gate_str_equal(result->findings[i].function, gate_str_from(function)))
            return &result->findings[i];
    return NULL;
}

TEST(cost_that_moved_only_warns) {
    AT_END(end) struct moved m;
    reach(&m, "main;h;f 500\nmain;h;g 3500\nmain;h;k 500\n", "main;h;f 3500\nmain;h;g 500\nmain;h;k 500\n",
          GATE_SEVERITY_WARN);
    assert_true(gate_str_equal(worst(&m)->function, GATE_STR("f")));
    assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_WARN);
    assert_int_equal(worst(&m)->reason, GATE_REASON_SHIFT);
    assert_true(gate_str_find(worst(&m)->text, GATE_STR("the cost moved: g lost 28.6 pp within h, which did not grow"),
                              0) != SIZE_MAX);
    assert_int_equal(m.verdict.outcome, GATE_OUTCOME_PASS);
}

/* The call tree is walked only if some growth may be excused by it. */
TEST(only_growth_over_the_limit_is_searched) {
    struct moved m;
    for (int grew = 0; grew < 2; grew++) {
        reach(&m, "main;h;f 500\nmain;h;g 3500\n",
              grew ? "main;h;f 6500\nmain;h;g 3500\n" : "main;h;f 501\nmain;h;g 3501\n", GATE_SEVERITY_WARN);
        struct gate_hypothesis items[32];
        assert_true(m.verdict.hypothesis_count <= sizeof items / sizeof *items);
        memcpy(items, m.verdict.hypotheses, m.verdict.hypothesis_count * sizeof *items);
        const struct gate_hypothesis_list list = {.items = items, .count = m.verdict.hypothesis_count};
        assert_int_equal(gate_shift_is_wanted(&list, &m.rules, 0), grew);
        assert_false(gate_shift_is_wanted(&list, &m.rules, 1)); /* another comparison */
        end(&m);
    }
}

/* h calls itself, so f is at four nodes. None of them has half of the cost of f, but all have the same caller, h. */
TEST(a_recursive_caller_counts_as_one_caller) {
    AT_END(end) struct moved m;
    reach(&m, "main;h;f 201\nmain;h;h;f 99\nmain;h;h;h;f 100\nmain;h;h;h;h;f 100\nmain;h;h;g 3500\nmain;h;k 500\n",
          "main;h;f 900\nmain;h;h;f 901\nmain;h;h;h;f 850\nmain;h;h;h;h;f 849\nmain;h;h;g 500\nmain;h;k 500\n",
          GATE_SEVERITY_WARN);
    assert_true(gate_str_equal(worst(&m)->function, GATE_STR("f")));
    assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_WARN);
    assert_int_equal(worst(&m)->reason, GATE_REASON_SHIFT);
}

/* f has three callers, each with a fifth to two fifths of its cost. So growth beneath all three does not show that cost
 * moved within one of them. */
TEST(growth_below_several_callers_is_not_moved_cost) {
    AT_END(end) struct moved m;
    reach(&m, "main;a;f 201\nmain;b;f 199\nmain;c;f 200\nmain;a;g 3500\nmain;b;k 500\nmain;c;l 500\n",
          "main;a;f 1201\nmain;b;f 1199\nmain;c;f 1200\nmain;a;g 500\nmain;b;k 500\nmain;c;l 500\n",
          GATE_SEVERITY_WARN);
    assert_true(gate_str_equal(worst(&m)->function, GATE_STR("f")));
    assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_FAIL);
}

/* If the holder contains only one other function, or if several fell by one factor, the profile looks like one of a
 * worker that is always busy and became slower. */
TEST(a_worker_that_may_have_slowed_is_undecided) {
    static const char *const sides[][GATE_SIDES] = {
        {"main;h;f 500\nmain;h;g 3500\n", "main;h;f 3500\nmain;h;g 500\n"},
        {"main;h;f 400\nmain;h;g 2000\nmain;h;k 1600\n", "main;h;f 3100\nmain;h;g 500\nmain;h;k 400\n"}};
    for (size_t i = 0; i < 2; i++) {
        AT_END(end) struct moved m;
        reach(&m, sides[i][GATE_BASELINE], sides[i][GATE_CANARY], GATE_SEVERITY_WARN);
        assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_INCONCLUSIVE);
        assert_int_equal(worst(&m)->reason, GATE_REASON_SLOWED);
        assert_int_equal(m.verdict.outcome, GATE_OUTCOME_INCONCLUSIVE);
    }
}

/* The functions a, b and c contain most of the profile, so no decrease within them excuses the growth of f. If the work
 * is known, a decrease of a callee of f, or of one of its three nearest callers, makes the growth undecided. */
TEST(a_saving_of_a_neighbour_makes_growth_undecided) {
    static const struct {
        const char *saver;
        enum gate_outcome outcome;
    } rows[] = {{"main;d;c;b;a;f;k", GATE_OUTCOME_INCONCLUSIVE}, {"main;d;c;b;a;g", GATE_OUTCOME_FAIL},
                {"main;d;c;b;a", GATE_OUTCOME_INCONCLUSIVE},     {"main;d;c;b", GATE_OUTCOME_INCONCLUSIVE},
                {"main;d;c", GATE_OUTCOME_INCONCLUSIVE},         {"main;d", GATE_OUTCOME_FAIL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        char sides[GATE_SIDES][256];
        for (int s = 0; s < GATE_SIDES; s++)
            (void)snprintf(sides[s], sizeof sides[s], "main;d;c;b;a;f %d\nmain;d;c;b;a;h %d\n%s %d\n",
                           s == GATE_BASELINE ? 500 : 3500, s == GATE_BASELINE ? 9500 : 6500, rows[i].saver,
                           s == GATE_BASELINE ? 2500 : 500);
        reach_of_work(&m, sides[GATE_BASELINE], sides[GATE_CANARY], GATE_SEVERITY_WARN, 1.0);
        assert_true(gate_str_equal(worst(&m)->function, GATE_STR("f")));
        assert_int_equal(worst(&m)->outcome, rows[i].outcome);
        assert_int_equal(worst(&m)->reason,
                         rows[i].outcome == GATE_OUTCOME_FAIL ? GATE_REASON_OVER : GATE_REASON_SHIFT);
    }
}

/* g lost less than half of what f gained, and both searches find it: the one for an excuse, and the one that makes f
 * inconclusive. It must count once. */
TEST(a_saving_is_counted_once) {
    AT_END(end) struct moved m;
    char sides[GATE_SIDES][512] = {"main;h;g 410\nmain;h;g;f 100\n", "main;h;g 10\nmain;h;g;f 1100\n"};
    for (int s = 0; s < GATE_SIDES; s++)
        for (char k = 'a'; k <= 'k'; k++) /* each lost too little to be counted */
            (void)snprintf(sides[s] + strlen(sides[s]), 32, "main;h;k%c %d\n", k, s == GATE_BASELINE ? 200 : 145);
    reach_of_work(&m, sides[GATE_BASELINE], sides[GATE_CANARY], GATE_SEVERITY_WARN, 1.0);
    assert_true(gate_str_equal(worst(&m)->function, GATE_STR("f")));
    assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_FAIL);
}

/* Growth that would only warn with more samples does not ask for more samples. */
TEST(unconfirmed_growth_may_have_moved) {
    static const char before[] = "main;h;f 300\nmain;h;g 700\nmain;h;k 1300\n";
    static const struct {
        const char *after;
        enum gate_severity shift;
        enum gate_outcome outcome;
        enum gate_reason reason;
    } rows[] = {
        {"main;h;f 800\nmain;h;g 200\nmain;h;k 1300\n", GATE_SEVERITY_WARN, GATE_OUTCOME_WARN, GATE_REASON_SHIFT},
        {"main;h;f 800\nmain;h;g 200\nmain;h;k 1300\n", GATE_SEVERITY_ERROR, GATE_OUTCOME_INCONCLUSIVE,
         GATE_REASON_UNCONFIRMED},
        {"main;h;f 830\nmain;h;g 700\nmain;h;k 1300\n", GATE_SEVERITY_WARN, GATE_OUTCOME_INCONCLUSIVE,
         GATE_REASON_UNCONFIRMED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach(&m, before, rows[i].after, rows[i].shift);
        assert_int_equal(worst(&m)->outcome, rows[i].outcome);
        assert_int_equal(worst(&m)->reason, rows[i].reason);
    }
}

/* If the frame of a callee is missing, cost of the C library beneath it is charged to the caller. Then a decrease of
 * the callee that is otherwise too small makes the growth inconclusive, confirmed or not. A decrease of a caller does
 * not. */
TEST(growth_that_lacks_its_caller_needs_less_of_a_decrease) {
    static const struct {
        const char *before, *after;
        enum gate_language language;
        enum gate_outcome outcome;
        enum gate_reason reason;
    } rows[] = {
        {"main;h;f;c.memcmp 40\nmain;h;f;g 600\n", "main;h;f;c.memcmp 130\nmain;h;f;g 550\n", GATE_LANGUAGE_NATIVE,
         GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_SHIFT},
        {"main;h;f;c.memcmp 40\nmain;h;f;g 600\n", "main;h;f;c.memcmp 130\nmain;h;f;g 550\n", GATE_LANGUAGE_GO,
         GATE_OUTCOME_FAIL, GATE_REASON_OVER},
        {"main;o7 900\nmain;h;f;c.memcmp 40\nmain;h;f;g 600\n", "main;o7 900\nmain;h;f;c.memcmp 110\nmain;h;f;g 500\n",
         GATE_LANGUAGE_NATIVE, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_SHIFT},
        {"main;o7 900\nmain;h;f;c.memcmp 40\nmain;h;f;g 600\n", "main;o7 900\nmain;h;f;c.memcmp 110\nmain;h;f;g 500\n",
         GATE_LANGUAGE_GO, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED},
        {"main;h;f;c.memcmp 40\nmain;h 600\n", "main;h;f;c.memcmp 130\nmain;h 550\n", GATE_LANGUAGE_NATIVE,
         GATE_OUTCOME_FAIL, GATE_REASON_OVER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_with(
            &m, rows[i].before, rows[i].after,
            &(struct reach_options){
                .shift = GATE_SEVERITY_WARN, .work_ratio = 1.0, .language = rows[i].language, .is_charged = true});
        if (worst(&m)->outcome != rows[i].outcome || worst(&m)->reason != rows[i].reason)
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(worst(&m)->text));
    }
}

/* g became cheaper, and its caller h by as much, so the growth of f is another change. If at most a tenth of g is left,
 * f may have replaced g. */
TEST(a_caller_that_became_cheaper_does_not_excuse_growth) {
    static const struct {
        const char *after;
        bool is_excused;
    } rows[] = {{"main;h;f 2000\nmain;h;g 600\nmain;h;k 500\n", false},
                {"main;h;f 2000\nmain;h;g 352\nmain;h;k 500\n", false},
                {"main;h;f 2000\nmain;h;g 348\nmain;h;k 500\n", true},
                {"main;h;f 2000\nmain;h;k 500\n", true},
                {"main;h;f 2000\nmain;h;g 2500\nmain;h;k 500\n", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_of_work(&m, "main;h;f 1000\nmain;h;g 3500\nmain;h;k 500\n", rows[i].after, GATE_SEVERITY_WARN, 1.0);
        assert_true(gate_str_equal(worst(&m)->function, GATE_STR("f")));
        assert_int_equal(worst(&m)->outcome == GATE_OUTCOME_WARN, rows[i].is_excused);
    }
}

/* g became cheaper and f more expensive, so h costs as much as before. But f calls c.sort more often, which g never
 * called. */
TEST(library_calls_distinguish_new_work_from_moved_code) {
#define H(f, f_sort, g) "main;h;f " #f "\nmain;h;f;c.sort " #f_sort "\nmain;h;g " #g "\nmain;h;k 500\n"
#define E(e_sort, d) "main;i;d " #d "\nmain;i;e 500\nmain;i;e;c.sort " #e_sort "\n"
    static const char before[] = H(500, 500, 2500), after[] = H(500, 2500, 500);
    static const char of_g[] = H(500, 500, 500) "main;h;g;c.sort 2000\n";
    static const enum gate_language go = GATE_LANGUAGE_GO;
    static const enum gate_outcome fail = GATE_OUTCOME_FAIL, warn = GATE_OUTCOME_WARN;
    static const struct {
        const char *name, *baseline, *canary;
        enum gate_language language;
        enum gate_outcome outcome;
        double work; /* of the canary; of the baseline 1 */
        bool is_self, is_cumulative;
    } rows[] = {
        {"calls of f alone", before, after, go, fail, .work = 1},
        {"cumulative cost of f", before, after, go, fail, .work = 1, .is_cumulative = true},
        {"own cost of f", H(500, 500, 3200), H(1500, 2100, 600), go, warn, .work = 1, .is_self = true},
        {"calls of f alone, and of e", E(500, 2500) H(500, 500, 2500), E(2500, 500) H(500, 2500, 500), go, fail,
         .work = 1},
        {"calls of e alone", E(500, 2500) H(500, 500, 500) "main;h;g;c.sort 2000\n", E(2500, 500) H(500, 2500, 500), go,
         warn, .work = 1},
        {"calls that g made, in place of what f itself did", H(3000, 500, 500) "main;h;g;c.sort 2000\n",
         H(500, 4500, 500), go, warn, .work = 1},
        {"calls of f alone in Python, of which it had some", H(500, 1500, 2500), H(500, 3000, 1000),
         GATE_LANGUAGE_PYTHON, fail, .work = 1},
        {"in C the cost of calls may have been inlined", before, after, GATE_LANGUAGE_NATIVE, warn, .work = 1},
        {"calls that g made before", of_g, after, go, warn, .work = 1},
        {"calls of f in twice the work", before, "main;h;f 1000\nmain;h;f;c.sort 5000\nmain;h;g 1000\nmain;h;k 1000\n",
         go, fail, .work = 2},
        {"calls of g, and twice the work", of_g, "main;h;f 1000\nmain;h;f;c.sort 5000\nmain;h;g 1000\nmain;h;k 1000\n",
         go, warn, .work = 2},
        {"other code calls it less", H(500, 500, 2500) "main;e;c.sort 2000\n", H(500, 2500, 500) "main;e;c.sort 100\n",
         go, fail, .work = 1},
        {"less than half of the growth", H(1500, 500, 2500), H(2600, 1400, 500), go, warn, .work = 1},
        {"more than half of the growth, but not surely", H(1500, 500, 2500), H(2450, 1550, 500), go, warn, .work = 1},
        {"more than half of the growth, surely for twice the work", H(1500, 500, 2500),
         "main;h;f 4780\nmain;h;f;c.sort 3100\nmain;h;g 1000\nmain;h;k 1000\n", go, fail, .work = 2},
        {"calls of f alone, of the first frame that there is", "c.sort 1\n" H(500, 500, 2500),
         "c.sort 1\n" H(500, 2500, 500), go, fail, .work = 1},
        {"calls in place of what f itself did", H(1900, 500, 2500) "main;h;g;c.sort 500\n",
         H(500, 4000, 500) "main;h;g;c.sort 500\n", go, fail, .work = 1},
        {"g is gone, and may be what f is now", H(500, 500, 2000), "main;h;f 500\nmain;h;f;c.sort 2500\nmain;h;k 500\n",
         go, GATE_OUTCOME_INCONCLUSIVE, .work = 1},
    };
#undef H
#undef E
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_with(&m, rows[i].baseline, rows[i].canary,
                   &(struct reach_options){.shift = GATE_SEVERITY_WARN,
                                           .work_ratio = rows[i].work,
                                           .language = rows[i].language,
                                           .is_charged = !rows[i].is_self,
                                           .is_cumulative = rows[i].is_cumulative,
                                           .has_one_other = true});
        const struct gate_finding *f = finding_on(&m, "f");
        if (f == NULL || f->outcome != rows[i].outcome)
            fail_msg("%s: %.*s", rows[i].name, GATE_STR_ARG(f == NULL ? GATE_STR("none") : f->text));
    }
}

/* Return the hypothesis on a function. */
static const struct gate_hypothesis *hypothesis_on(const struct moved *m, const char *function) {
    for (size_t i = 0; i < m->verdict.hypothesis_count; i++)
        if (gate_str_equal(m->verdict.hypotheses[i].name, gate_str_from(function)))
            return &m->verdict.hypotheses[i];
    fail_msg("no hypothesis on '%s'", function);
    return NULL;
}

/* 10,000 samples per side, with the other functions. f calls itself, h is above it, and k beneath; o is on other
 * stacks. */
#define BEFORE                                                                                                         \
    "main;h;c.copy 500\nmain;c.copy 300\nmain;h;f;k;c.copy 200\nmain;h;c.fill 100\nmain;h;f;f 100\n"                   \
    "main;h;f;c.copy 50\nmain;o;c.copy 400\nmain;h 6000\nmain;z 1750\n"
#define AFTER(f, f_copy, z)                                                                                            \
    "main;h;c.copy 100\nmain;c.copy 150\nmain;h;f;k;c.copy 100\nmain;h;c.fill 40\nmain;h;f;f " f                       \
    "\nmain;h;f;c.copy " f_copy "\nmain;h;f;c.fill 90\nmain;o;c.copy 100\nmain;h 6000\nmain;z " z "\n"

/* The shares of all others shrink by the factor s of (1 - canary) / (1 - baseline) of f, and the limit is 1.5% + 2 pp.
 * c.copy: f gained 6% - 0.5%, and h, main and k lost 10% * s - 3.5%. c.fill: f gained 0.9%, and h lost 1% * s - 0.4%.
 * The smaller ones of each are added up. */
TEST(calls_with_another_caller_are_as_much_as_the_callers_lost) {
    static const struct {
        const char *canary;
        double f; /* share of f in the canary */
        bool is_open;
        bool is_limited_by_f; /* of c.copy, f gained less than the others lost */
    } rows[] = {
        {AFTER("100", "600", "2120"), 0.079, true, true},
        {AFTER("250", "600", "1970"), 0.094, true, true},   /* 9.4% - 6.02% = 3.38% */
        {AFTER("280", "600", "1940"), 0.097, false, true},  /* 9.7% - 6.02% = 3.68% */
        {AFTER("100", "700", "2020"), 0.089, true, false},  /* 8.9% - 6.27% = 2.63% */
        {AFTER("100", "800", "1920"), 0.099, false, false}, /* 9.9% - 6.16% = 3.74% */
        /* 20,000 samples with the shares of the first row */
        {"main;h;c.copy 200\nmain;c.copy 300\nmain;h;f;k;c.copy 200\nmain;h;c.fill 80\nmain;h;f;f 200\n"
         "main;h;f;c.copy 1200\nmain;h;f;c.fill 180\nmain;o;c.copy 200\nmain;h 12000\nmain;z 4840\n",
         0.079, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_with(
            &m, BEFORE, rows[i].canary,
            &(struct reach_options){.shift = GATE_SEVERITY_WARN, .language = GATE_LANGUAGE_NATIVE, .is_charged = true});
        const struct gate_hypothesis *h = hypothesis_on(&m, "f");
        double s = (1.0 - rows[i].f) / (1.0 - 0.015);
        double copy = rows[i].is_limited_by_f ? 0.06 - 0.005 : 0.1 * s - 0.035, fill = 0.01 * s - 0.004;
        if ((h->shift != NULL) != rows[i].is_open)
            fail_msg("row %zu", i);
        assert_int_equal(h->outcome, rows[i].is_open ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL);
        if (h->shift == NULL)
            continue;
        assert_near(h->shift->moved, copy + fill, 1e-9);
        assert_int_equal(h->shift->library, fixture_frame(&m.pair, "c.copy"));
        assert_int_equal(h->shift->within, GATE_NO_INDEX);
        assert_int_equal(h->shift->source_count, 3); /* h lost 6% * s - 1.4%, main 3% * s - 1.5%, k 2% * s - 1% */
        assert_int_equal(h->shift->sources[0], fixture_frame(&m.pair, "h"));
        assert_int_equal(h->shift->sources[1], fixture_frame(&m.pair, "main"));
        assert_int_equal(h->shift->sources[2], fixture_frame(&m.pair, "k"));
        assert_int_equal(h->shift->beneath[fixture_frame(&m.pair, "k")], 1);
        assert_int_equal(h->shift->beneath[fixture_frame(&m.pair, "f")], 0);
        assert_int_equal(h->shift->beneath[fixture_frame(&m.pair, "o")], 0);
    }
}

/* h or main called c.copy for f before, whose share grew from 1.5% to 9.9%. g grew as much, but main lost too little
 * for it, and h is on other stacks; or g grew itself. */
TEST(calls_of_one_function_do_not_excuse_another) {
#define F(copy) "main;h;f 100\nmain;h;f;c.copy " copy "\nmain;h 5500\n"
    static const struct {
        const char *baseline, *canary;
        uint32_t sources;
    } rows[] = {
        {F("50") "main;h;c.copy 1300\nmain;c.copy 200\nmain;i;g 100\nmain;i;g;c.copy 50\nmain;z 2100\n",
         F("890") "main;h;c.copy 300\nmain;c.copy 100\nmain;i;g 100\nmain;i;g;c.copy 890\nmain;z 1520\n", 2},
        {F("50") "main;c.copy 1500\nmain;i;g 150\nmain;z 2100\n",
         F("890") "main;c.copy 400\nmain;i;g 990\nmain;z 1520\n", 1},
    };
#undef F
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_with(
            &m, rows[i].baseline, rows[i].canary,
            &(struct reach_options){.shift = GATE_SEVERITY_WARN, .language = GATE_LANGUAGE_NATIVE, .is_charged = true});
        const struct gate_hypothesis *f = hypothesis_on(&m, "f"), *g = hypothesis_on(&m, "g");
        assert_non_null(f->shift);
        assert_near(f->shift->moved, 0.084, 1e-9);
        assert_int_equal(f->shift->source_count, rows[i].sources);
        assert_int_equal(g->outcome, GATE_OUTCOME_FAIL);
        assert_null(g->shift);
    }
}

/* h calls c.fill in place of c.copy, so it did not lose the calls that f makes now. */
TEST(a_caller_that_calls_something_else_instead_lost_nothing) {
    AT_END(end) struct moved m;
    reach_with(
        &m, "main;h;f 100\nmain;h;f;c.copy 50\nmain;h 5500\nmain;h;c.copy 1500\nmain;z 2250\n",
        "main;h;f 100\nmain;h;f;c.copy 890\nmain;h 5500\nmain;h;c.copy 400\nmain;h;c.fill 1100\nmain;z 1410\n",
        &(struct reach_options){.shift = GATE_SEVERITY_WARN, .language = GATE_LANGUAGE_NATIVE, .is_charged = true});
    assert_int_equal(hypothesis_on(&m, "f")->outcome, GATE_OUTCOME_FAIL);
    assert_null(hypothesis_on(&m, "f")->shift);
}

/* Elsewhere the stacks show who called, or the cost is not charged by the caller. */
TEST(calls_with_another_caller_are_of_charged_cost_in_native_programs) {
    static const struct {
        enum gate_language language;
        bool is_cumulative, is_open;
    } rows[] = {{GATE_LANGUAGE_NATIVE, false, true},
                {GATE_LANGUAGE_RUST, false, true},
                {GATE_LANGUAGE_GO, false, false},
                {GATE_LANGUAGE_JVM, false, false},
                {GATE_LANGUAGE_NATIVE, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_with(&m, "main;h;f 100\nmain;h;f;c.copy 50\nmain;h 5500\nmain;c.copy 1500\nmain;z 2250\n",
                   "main;h;f 100\nmain;h;f;c.copy 890\nmain;h 5500\nmain;c.copy 400\nmain;z 2510\n",
                   &(struct reach_options){.shift = GATE_SEVERITY_WARN,
                                           .language = rows[i].language,
                                           .is_charged = true,
                                           .is_cumulative = rows[i].is_cumulative});
        const struct gate_hypothesis *h = hypothesis_on(&m, "f");
        if ((h->shift != NULL && h->shift->library == fixture_frame(&m.pair, "c.copy")) != rows[i].is_open)
            fail_msg("row %zu", i);
    }
}
#undef BEFORE
#undef AFTER

/* A garbage collection ran in g on one side and in f on the other. Both cost little without it, and call nothing. */
TEST(collections_of_python_may_have_moved) {
    static const struct {
        const char *baseline, *canary;
        enum gate_language language;
        bool is_open;
    } rows[] = {
        {"main;a;f 60\nmain;b;g 1500\n", "main;a;f 1500\nmain;b;g 60\n", GATE_LANGUAGE_PYTHON, true},
        {"main;a;f 60\nmain;b;g 1500\n", "main;a;f 1500\nmain;b;g 60\n", GATE_LANGUAGE_GO, false},
        /* much of g is left */
        {"main;a;f 60\nmain;b;g 1500\n", "main;a;f 1500\nmain;b;g 500\n", GATE_LANGUAGE_PYTHON, false},
        /* f cost something before */
        {"main;a;f 500\nmain;b;g 1500\n", "main;a;f 1500\nmain;b;g 60\n", GATE_LANGUAGE_PYTHON, false},
        /* f calls a function that grew */
        {"main;a;f 60\nmain;b;g 1500\n", "main;a;f 1500\nmain;a;f;k 500\nmain;b;g 60\n", GATE_LANGUAGE_PYTHON, false},
        /* g lost less than half of what f gained */
        {"main;a;f 60\nmain;b;g 700\n", "main;a;f 1500\nmain;b;g 60\n", GATE_LANGUAGE_PYTHON, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_with(&m, rows[i].baseline, rows[i].canary,
                   &(struct reach_options){.shift = GATE_SEVERITY_WARN,
                                           .work_ratio = 1.0,
                                           .language = rows[i].language,
                                           .is_charged = true,
                                           .has_one_other = true});
        const struct gate_finding *f = finding_on(&m, "f");
        if (f == NULL || f->outcome != (rows[i].is_open ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(f == NULL ? GATE_STR("none") : f->text));
        if (rows[i].is_open) {
            assert_true(gate_str_find(f->why, GATE_STR("g lost "), 0) != SIZE_MAX);
            assert_true(gate_str_find(f->why, GATE_STR(", and Python's garbage collector, which no frame shows"), 0) !=
                        SIZE_MAX);
            assert_true(gate_str_find(f->advice, GATE_STR("with gc.disable()"), 0) != SIZE_MAX);
        }
    }
}

/* A function over the limit by its share, whose cost per unit of work is inconclusive: its cost may have moved, too. */
TEST(growth_of_an_undecided_cost_may_have_moved) {
    static const char before[] = "main;h;f 1000\nmain;h;g 2500\nmain;h;k 500\n";
    static const char after[] = "main;h;f 2400\nmain;h;g 2325\nmain;h;k 775\n";
    static const struct {
        const char *baseline, *canary;
        enum gate_severity shift;
        enum gate_outcome outcome;
        enum gate_reason reason;
    } rows[] = {{before, after, GATE_SEVERITY_WARN, GATE_OUTCOME_WARN, GATE_REASON_SHIFT},
                {before, after, GATE_SEVERITY_ERROR, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_OWN_COST_OPEN},
                /* h fell by more than twice the growth of f. */
                {before, "main;h;f 2400\nmain;h;g 600\nmain;h;k 775\n", GATE_SEVERITY_WARN, GATE_OUTCOME_INCONCLUSIVE,
                 GATE_REASON_OWN_COST_OPEN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_of_work(&m, rows[i].baseline, rows[i].canary, rows[i].shift, 1.55);
        assert_true(gate_str_equal(worst(&m)->function, GATE_STR("f")));
        if (worst(&m)->outcome != rows[i].outcome || worst(&m)->reason != rows[i].reason)
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(worst(&m)->text));
    }
}

TEST(a_budget_can_fail_on_moved_cost) {
    static const struct {
        enum gate_severity shift;
        enum gate_reason reason;
    } rows[] = {{GATE_SEVERITY_ERROR, GATE_REASON_SHIFT}, {GATE_SEVERITY_OFF, GATE_REASON_OVER}};
    for (size_t i = 0; i < 2; i++) {
        AT_END(end) struct moved m;
        reach(&m, "main;h;f 500\nmain;h;g 3500\n", "main;h;f 3500\nmain;h;g 500\n", rows[i].shift);
        assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_FAIL);
        assert_int_equal(worst(&m)->reason, rows[i].reason);
    }
}

/* A callee that is now inlined: its caller's self cost grew, its cumulative cost did not. */
TEST(cost_of_a_callee_that_is_now_inlined_only_warns) {
    AT_END(end) struct moved m;
    reach(&m, "main;f 500\nmain;f;g 3500\n", "main;f 4000\n", GATE_SEVERITY_WARN);
    assert_int_equal(worst(&m)->reason, GATE_REASON_SHIFT);
}

/* The function has more than half of the profile, so it excuses nothing. Without an estimate of the work the growth is
 * inconclusive, unless the rest of the profile would show less than a third of it. */
TEST(a_callee_inlined_in_most_of_the_profile_is_undecided) {
    static const struct {
        const char *baseline, *canary;
        bool is_open;
    } rows[] = {{"main;f 2000\nmain;f;g 8000\n", "main;f 9000\nmain;f;g 1000\n", true},
                {"main;f 9000\nmain;f;g 1000\n", "main;f 2000\nmain;f;g 8000\n", true},
                {"main;f 2000\nmain;f;g 28000\n", "main;f 29000\nmain;f;g 1000\n", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        reach_with(&m, rows[i].baseline, rows[i].canary,
                   &(struct reach_options){.shift = GATE_SEVERITY_WARN, .has_one_other = true});
        assert_false(m.comparison.work_is_estimated);
        assert_int_equal(worst(&m)->outcome == GATE_OUTCOME_INCONCLUSIVE && worst(&m)->reason == GATE_REASON_SHIFT,
                         rows[i].is_open);
    }
}

/* old has no cost of its own, so that only its cumulative cost fell. */
TEST(cost_that_left_another_caller_only_warns) {
    AT_END(end) struct moved m;
    reach_with(&m, "main;h;f;leaf 101\nmain;h;old;inner;leaf 3499\nmain;h;k 500\n",
               "main;h;f;leaf 3499\nmain;h;old;inner;leaf 101\nmain;h;k 500\n",
               &(struct reach_options){.shift = GATE_SEVERITY_WARN, .is_cumulative = true});
    const struct gate_finding *found = finding_on(&m, "f");
    assert_non_null(found);
    assert_int_equal(found->outcome, GATE_OUTCOME_WARN);
    assert_int_equal(found->reason, GATE_REASON_SHIFT);
}

/* If one frame grows, the shares of all others shrink. That is not moved cost. */
TEST(real_growth_still_fails) {
    AT_END(end) struct moved m;
    reach(&m, "main;h;f 500\nmain;h;g 3500\n", "main;h;f 6500\nmain;h;g 3500\n", GATE_SEVERITY_WARN);
    assert_true(gate_str_equal(worst(&m)->function, GATE_STR("f")));
    assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(worst(&m)->reason, GATE_REASON_OVER);
}

/* g shrank, but that does not excuse the growth, because h, which contains both, grew. */
TEST(a_saving_elsewhere_does_not_excuse) {
    AT_END(end) struct moved m;
    reach(&m, "main;h;f 500\nmain;h;g 3500\nmain;k 4000\n", "main;h;f 6500\nmain;h;g 2500\nmain;k 4000\n",
          GATE_SEVERITY_WARN);
    assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_FAIL);
}

/* All functions are beneath main: an unrelated function that became faster must not hide the growth of another one. */
TEST(a_caller_of_most_of_the_profile_does_not_excuse_growth) {
    AT_END(end) struct moved m;
    reach(&m, "main;f 500\nmain;g 3500\n", "main;f 3500\nmain;g 500\n", GATE_SEVERITY_WARN);
    assert_int_equal(worst(&m)->outcome, GATE_OUTCOME_FAIL);
}

/* Return the message of warning `index` of those with a code, or an empty string. */
static struct gate_str warning_of(const struct moved *m, const char *code, uint32_t index) {
    for (uint32_t i = 0; i < m->verdict.warning_count; i++)
        if (strcmp(gate_guard_name(m->verdict.warnings[i].guard), code) == 0 && index-- == 0)
            return m->verdict.warnings[i].message;
    return GATE_STR("");
}

TEST(a_rename_is_suggested) {
    struct moved m;
    reach(&m, "main;h;old;leaf 2000\n", "main;h;new;leaf 2100\n", GATE_SEVERITY_WARN);
    assert_true(gate_str_find(warning_of(&m, "renamed", 0), GATE_STR("in h, old is gone"), 0) != SIZE_MAX);
    assert_int_equal(m.verdict.replaced.count, 1);
    const struct gate_replaced *group = &m.verdict.replaced.items[0];
    assert_int_equal(group->gone_count, 1);
    assert_int_equal(group->new_count, 1);
    struct gate_renames renames;
    assert_true(gate_replaced_renames(&renames, &m.verdict.replaced, m.verdict.comparisons, &arena));
    assert_int_equal(renames.count, 1);
    assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("new")), GATE_STR("old")));
    assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("old")), GATE_STR("old")));
    end(&m);
    reach(&m, "main;o1;old;leaf 2000\nmain;o2;x 900\n", "main;o2;new;leaf 2100\nmain;o1;x 900\n",
          GATE_SEVERITY_WARN); /* another caller */
    assert_int_equal(warning_of(&m, "renamed", 0).len, 0);
    end(&m);
}

/* Two functions became one beneath a caller that also has a certain rename. The certain one is not joined with them. */
TEST(a_rename_that_is_certain_joins_nothing_else) {
    struct moved m;
    struct gate_renames renames;
    reach(&m, "main;h;a 2001\nmain;h;c 1203\nmain;h;d 907\nmain;g;a 911\n",
          "main;h;x 2001\nmain;h;z 2110\nmain;g;x 911\n", GATE_SEVERITY_WARN);
    assert_true(gate_replaced_renames(&renames, &m.verdict.replaced, m.verdict.comparisons, &arena));
    assert_int_equal(renames.count, 3);
    assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("x")), GATE_STR("a")));
    assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("z")), GATE_STR("c")));
    assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("d")), GATE_STR("c")));
    fixture_end(&m.pair);
}

/* One caller has several renames. They are paired by another caller that has one of them, or by a word that only two of
 * the names have. Costs do not pair them: the most expensive new function may be the one that grew. */
TEST(renames_of_one_caller_are_paired) {
    static const struct {
        const char *baseline, *canary, *of_x, *of_y;
    } rows[] = {
        {"main;h;a 2000\nmain;h;b 1200\n", "main;h;x 2000\nmain;h;y 1200\n", "x", "y"},
        {"main;h;a 2000\nmain;h;b 1200\nmain;g;b 900\n", "main;h;x 2000\nmain;h;y 1200\nmain;g;x 900\n", "b", "a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct moved m;
        struct gate_renames renames;
        reach(&m, rows[i].baseline, rows[i].canary, GATE_SEVERITY_WARN);
        assert_true(gate_replaced_renames(&renames, &m.verdict.replaced, m.verdict.comparisons, &arena));
        assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("x")), gate_str_from(rows[i].of_x)));
        assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("y")), gate_str_from(rows[i].of_y)));
        fixture_end(&m.pair);
    }
}

/* Functions of one file are paired in their order in the file, whatever they cost. Here the first letter of a name is
 * its line. */
TEST(renames_are_paired_by_lines) {
    static const struct {
        const char *canary, *of_x, *of_y;
    } rows[] = {
        {"main;h;x 1200\nmain;h;y 2000\n", "a", "b"},
        {"main;h;x 1200\nmain;h;y 1000\nmain;h;z 1000\n", "x",
         "y"}, /* three new ones for two gone ones: the order does not pair them */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        struct gate_renames renames;
        reach_with(&m, "main;h;a 2000\nmain;h;b 1200\n", rows[i].canary,
                   &(struct reach_options){.shift = GATE_SEVERITY_WARN, .has_lines = true});
        assert_true(gate_replaced_renames(&renames, &m.verdict.replaced, m.verdict.comparisons, &m.pair.arena));
        assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("x")), gate_str_from(rows[i].of_x)));
        assert_true(gate_str_equal(gate_renamed(&renames, GATE_STR("y")), gate_str_from(rows[i].of_y)));
    }
}
TEST(the_advice_to_rename_is_printed_once) {
    AT_END(end) struct moved m;
    reach(&m, "main;h;old 2000\nmain;g;a 500\n", "main;h;new 2000\nmain;g;b 500\n", GATE_SEVERITY_WARN);
    assert_true(gate_str_equal(warning_of(&m, "renamed", 0),
                               GATE_STR("cpu: in h, old is gone (23.5%) and new is new (23.5%): if they do the same "
                                        "work, frames.rename in the rules treats them as one function")));
    assert_true(
        gate_str_equal(warning_of(&m, "renamed", 1), GATE_STR("cpu: in g, a is gone (5.9%) and b is new (5.9%)")));
    assert_int_equal(warning_of(&m, "renamed", 2).len, 0);
}

TEST(a_recursive_function_counts_once) {
    AT_END(end) struct moved m;
    reach(&m, "main;h;old;v;old;v;old 2000\nmain;v 500\n", "main;h;new;v;new;v;new 2000\nmain;v 500\n",
          GATE_SEVERITY_WARN);
    assert_true(gate_str_find(warning_of(&m, "renamed", 0),
                              GATE_STR("in v, old is gone (23.5%) and new is new (23.5%)"), 0) != SIZE_MAX);
}

/* Append the table of replaced names, and print it if it is not as expected. */
static void assert_table(const struct moved *m, const char *expected) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    gate_replaced_table(&out, &m->verdict, &arena);
    gate_buf_char(&out, '\0');
    assert_string_equal(out.ptr, expected);
}

/* 8,500 samples per side; `leaf` is own code, so nothing is charged to its callers. A dollar begins a group in the text
 * of frames.rename, so it is doubled. */
TEST(the_table_of_replaced_names_has_renames_to_copy) {
    AT_END(end) struct moved m;
    reach(&m, "main;h;Old$;leaf 2000\nmain;g;a 500\n", "main;h;New;leaf 2000\nmain;g;b 300\nmain;g;c 200\n",
          GATE_SEVERITY_WARN);
    assert_table(&m, "in h                                                          23.5%    23.5%\n"
                     "  gone  Old$                                                     0%\n"
                     "  new   New                                                               0%\n"
                     "in g                                                           5.9%     5.9%\n"
                     "  gone  a                                                      5.9%\n"
                     "  new   b                                                               3.5%\n"
                     "  new   c                                                               2.4%\n"
                     "\n"
                     "If they do the same work, this in the rules treats them as one function:\n"
                     "\n"
                     "frames:\n"
                     "  rename:\n"
                     "    - {match: '^New$', to: 'Old$$'}\n"
                     "    - {match: '^b$', to: 'a'}\n"
                     "    - {match: '^c$', to: 'a'}\n");
}

/* In a comment on a pull request, a fence that does not begin a line would make the rest of the comment code. */
TEST(the_fence_of_a_long_table_begins_a_line) {
    static const char end[] = "\n``````````\n\n</details>\n";
    AT_END(gate_buf_free) struct gate_buf table = {0};
    AT_END(gate_buf_free) struct gate_buf out = {0};
    for (int i = 0; i < 1000; i++)
        gate_buf_text(&table, "  gone  f\n");
    gate_replaced_markdown(&out, gate_buf_view(&table));
    assert_true(out.len > table.len);
    assert_true(gate_str_ends(gate_buf_view(&out), gate_str_from(end)));
}

/* Compare two sides, and expect the renames to copy at the end of the table. */
static void expect_renames(const char *baseline, const char *canary, const char *expected) {
    AT_END(end) struct moved m;
    AT_END(gate_buf_free) struct gate_buf out = {0};
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    reach(&m, baseline, canary, GATE_SEVERITY_WARN);
    gate_replaced_table(&out, &m.verdict, &arena);
    if (!gate_str_ends(gate_buf_view(&out), gate_str_from(expected)))
        fail_msg("%.*s", GATE_STR_ARG(gate_buf_view(&out)));
}

/* In g, read is the largest that is gone, and in h it is renamed to parse. */
TEST(suggested_renames_do_not_chain) {
    expect_renames("main;h;parse 1501\nmain;h;read 499\nmain;g;read 403\nmain;g;parse 101\n",
                   "main;h;load 2000\nmain;g;scan 500\n",
                   "  rename:\n"
                   "    - {match: '^read$', to: 'parse'}\n"
                   "    - {match: '^load$', to: 'parse'}\n"
                   "    - {match: '^scan$', to: 'parse'}\n");
}

static const char no_renames[] = "\n"
                                 "The profiles do not show which of the names belong together. A line such as\n"
                                 "    - {match: '^new name$', to: 'gone name'}\n"
                                 "beneath 'frames: rename:' in the rules joins two.\n";

/* Closures have no names: their functions' names are compared as well. */
TEST(closures_of_two_functions_are_no_namesakes) {
    expect_renames("main;h;p.list.func1 1501\nmain;h;p.sum 499\n", "main;h;q.parse.func1 1501\nmain;h;q.load 499\n",
                   no_renames);
    expect_renames("main;h;a.js (anonymous) 1501\nmain;h;sum 499\n", "main;h;b.js (anonymous) 1501\nmain;h;load 499\n",
                   no_renames);
}

TEST(a_word_in_common_is_no_hint_if_costs_differ) {
    expect_renames("main;h;p.renderText 200\nmain;h;p.sum 1800\n", "main;h;q.renderAll 1500\nmain;h;q.load 500\n",
                   no_renames);
    expect_renames("main;h;p.renderText 600\nmain;h;p.sum 1400\n", "main;h;q.renderAll 1500\nmain;h;q.load 500\n",
                   "  rename:\n"
                   "    - {match: '^q\\.renderAll$', to: 'p.renderText'}\n"
                   "    - {match: '^q\\.load$', to: 'p.sum'}\n");
}

/* A library that is called in the place of own loops is no part of what they were. */
TEST(functions_of_two_packages_are_not_joined) {
    expect_renames("main;h;github.com/a/width.sum 2000\n",
                   "main;h;github.com/b/text.next 1501\nmain;h;github.com/b/text.property 499\n", no_renames);
    expect_renames("main;h;github.com/a/width.sum 2000\n",
                   "main;h;github.com/a/width.next 1501\nmain;h;github.com/a/table.property 499\n",
                   "  rename:\n"
                   "    - {match: '^github\\.com/a/width\\.next$', to: 'github.com/a/width.sum'}\n"
                   "    - {match: '^github\\.com/a/table\\.property$', to: 'github.com/a/width.sum'}\n");
}

/* Of a function of C that vanished and two that appeared, only names show that it was split: a compiler inlines others.
 */
TEST(functions_of_c_without_a_word_in_common_are_not_joined) {
    static const struct {
        enum gate_language language;
        const char *baseline, *canary;
        uint32_t count;
    } rows[] = {
        {GATE_LANGUAGE_NATIVE, "main;h;pool_append 2000\n", "main;h;scan_atts 1501\nmain;h;trim_end 499\n", 0},
        {GATE_LANGUAGE_NATIVE, "main;h;scan_atts 1501\nmain;h;trim_end 499\n", "main;h;pool_append 2000\n", 0},
        {GATE_LANGUAGE_NATIVE, "main;h;scan_atts 2000\n", "main;h;scan_name 1501\nmain;h;scan_value 499\n", 2},
        {GATE_LANGUAGE_NATIVE, "main;h;scan_name 1501\nmain;h;scan_value 499\n", "main;h;scan_atts 2000\n", 2},
        {GATE_LANGUAGE_NATIVE, "main;h;pool_append 2000\n", "main;h;scan_atts 2100\n", 1},
        {GATE_LANGUAGE_JVM, "main;h;pool_append 2000\n", "main;h;scan_atts 1501\nmain;h;trim_end 499\n", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct moved m;
        struct gate_renames renames;
        reach_with(&m, rows[i].baseline, rows[i].canary,
                   &(struct reach_options){.shift = GATE_SEVERITY_WARN, .language = rows[i].language});
        assert_true(gate_replaced_renames(&renames, &m.verdict.replaced, m.verdict.comparisons, &arena));
        assert_int_equal(renames.count, rows[i].count);
    }
}

/* Symbols are missing then, which another warning reports. */
TEST(a_binary_without_names_replaces_no_function) {
    AT_END(end) struct moved m;
    reach(&m, "main;h;parse 2000\n", "main;h;[shop] 2000\n", GATE_SEVERITY_WARN);
    assert_int_equal(m.verdict.replaced.count, 0);
    assert_int_equal(warning_of(&m, "renamed", 0).len, 0);
}

TEST(files_that_moved_are_reported) {
    struct moved m;
    reach(&m, "main;f (shop.py:3) 1000\n", "main;f (shop/__init__.py:3) 1000\n", GATE_SEVERITY_WARN);
    assert_true(gate_str_starts(
        warning_of(&m, "renamed", 0),
        GATE_STR(
            "cpu: code has another file, package, class or prefix in the canary, and its functions are taken for the "
            "same: shop.py is shop/__init__.py; --names exact ")));
    end(&m);
    reach(&m, "main;f (shop.py:3) 1000\n", "main;f (shop.py:3) 1000\n", GATE_SEVERITY_WARN);
    assert_int_equal(warning_of(&m, "renamed", 0).len, 0);
    end(&m);
}
