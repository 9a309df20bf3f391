/* SPDX-License-Identifier: Apache-2.0 */
/* budget/verdict.h: verdicts of whole runs: several comparisons, exposure, guards, waivers, history, and the outcome.
 * test_verdict.c tests single budgets. */
#include "tests/unit/counts_fixture.h"

#include "gate/budget/decide.h"

/* Frames "a" to "h" at 5% each, except "a", which grows from 4% to `after`. */
static void begin(struct counts_fixture *f, uint32_t runs, int64_t total, double after) {
    counts_begin(f, 9, runs, runs, total);
    for (uint32_t i = 2; i < 9; i++)
        counts_set_all(f, i, total / 20, total / 20);
    int64_t others = 7 * (total / 20), before = total / 25, grown = (int64_t)(after * (double)total);
    counts_set_all(f, 1, before, grown);
    counts_set_all(f, 0, total - others - before, total - others - grown);
}

/* ---- the one outcome --------------------------------------------------------------------------------------------- */

struct outcome_row {
    const char *name;
    double limit; /* growth of "a" in points; 14% of 6000 counts are proven, fail, or (unsure) neither */
    bool is_unsure, is_raised;
    enum gate_on_inconclusive what;
    enum gate_outcome outcome;
};

#define HOLD GATE_ON_INCONCLUSIVE_INCONCLUSIVE

static const struct outcome_row outcomes[] = {
    {"all within", .5, false, false, HOLD, GATE_OUTCOME_PASS},
    {"one fails", .05, false, false, HOLD, GATE_OUTCOME_FAIL},
    {"one fails, what cannot be decided passes", .05, false, false, GATE_ON_INCONCLUSIVE_PASS, GATE_OUTCOME_FAIL},
    {"one is undecided", .05, true, false, HOLD, GATE_OUTCOME_INCONCLUSIVE},
    {"undecided: pass", .05, true, false, GATE_ON_INCONCLUSIVE_PASS, GATE_OUTCOME_PASS},
    {"undecided: warn", .05, true, false, GATE_ON_INCONCLUSIVE_WARN, GATE_OUTCOME_PASS},
    {"undecided: fail", .05, true, false, GATE_ON_INCONCLUSIVE_FAIL, GATE_OUTCOME_FAIL},
    {"a raised guard is undecided", .5, false, true, HOLD, GATE_OUTCOME_INCONCLUSIVE},
    {"a raised guard: pass does not pass it", .5, false, true, GATE_ON_INCONCLUSIVE_PASS, GATE_OUTCOME_INCONCLUSIVE},
    {"a raised guard: warn does not either", .5, false, true, GATE_ON_INCONCLUSIVE_WARN, GATE_OUTCOME_INCONCLUSIVE},
    {"a raised guard: fail fails it", .5, false, true, GATE_ON_INCONCLUSIVE_FAIL, GATE_OUTCOME_FAIL},
    {"a raised guard beside a fail", .05, false, true, HOLD, GATE_OUTCOME_FAIL},
};

static void becomes(void **state) {
    const struct outcome_row *row = *state;
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, row->is_unsure ? 600 : 60000, row->is_unsure ? .10 : .14);
    struct gate_guard_rule guard = {.guard = GATE_GUARD_IDLE, .severity = GATE_SEVERITY_ERROR};
    struct gate_warning idle = {.guard = GATE_GUARD_IDLE, .message = GATE_STR("the canary did nothing")};
    f.rules.guards = &guard;
    f.rules.guard_count = 1;
    f.rules.on_inconclusive = row->what;
    f.options.warnings = &idle;
    f.options.warning_count = row->is_raised;
    counts_budget(&f, "first", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .5);
    counts_budget(&f, "second", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, row->limit);
    counts_budget(&f, "third", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .5);
    counts_reach(&f);
    assert_int_equal(f.verdict.outcome, row->outcome);
    assert_int_equal(f.verdict.guard_raised, row->is_raised);
    assert_int_equal(f.verdict.budget_count, 3);
}

static void warnings_do_not_change_the_outcome(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 60000, .14);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05)->severity = GATE_SEVERITY_WARN;
    f.rules.on_inconclusive = GATE_ON_INCONCLUSIVE_FAIL;
    counts_reach(&f);
    assert_int_equal(f.verdict.budgets[0].outcome, GATE_OUTCOME_WARN);
    assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
}

/* ---- what is compared, and what costs are divided by ------------------------------------------------------------- */

static void a_budget_finds_its_comparison(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 6000, .04);
    struct gate_comparison comparisons[3] = {f.comparison, f.comparison, f.comparison};
    comparisons[1].name = GATE_STR("by name");
    comparisons[2].pair.type.type = GATE_STR("by_type");
    static const struct {
        const char *type;
        uint32_t at;
    } types[] = {{"", 0}, {"by name", 1}, {"by_type", 2}, {"samples", 0}, {"heap", GATE_NO_INDEX}};
    for (size_t i = 0; i < 5; i++)
        counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05)->sample_type =
            gate_str_from(types[i].type);
    assert_true(gate_verdict_reach(&f.verdict, &f.rules, comparisons, 3, &f.options, &f.arena, &f.err));
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(f.verdict.budgets[i].comparison, types[i].at);
    assert_int_equal(f.verdict.budgets[3].outcome, GATE_OUTCOME_PROVEN);
    assert_int_equal(f.verdict.budgets[4].findings[0].reason, GATE_REASON_NOT_COMPARABLE);
    assert_true(gate_str_starts(f.verdict.budgets[4].findings[0].advice, GATE_STR("give profiles with")));
    for (size_t i = 0; i < 3; i++)
        assert_non_null(comparisons[i].frames);
    assert_true(gate_verdict_reach(&f.verdict, &f.rules, NULL, 0, &f.options, &f.arena, &f.err));
    assert_int_equal(f.verdict.budgets[0].comparison, GATE_NO_INDEX);
}

/* Twice the total with twice the work, time or runs: the cost per unit is the same. */
struct exposure_row {
    const char *name;
    enum gate_budget_measure measure;
    enum gate_limit_kind kind;
    double work[GATE_SIDES], rules_work[GATE_SIDES];
    int64_t seconds[GATE_SIDES];
    double ratio; /* ratio of cost; 0: cannot be compared */
    bool is_per_second;
};

static const struct exposure_row exposures[] = {
    {"total per unit of work", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .work = {10, 20}, .seconds = {10, 10},
     .ratio = .5},
    {"total per second", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .seconds = {10, 20}, .ratio = .5,
     .is_per_second = true},
    {"total per second, one second", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .seconds = {1, 1}, .ratio = 1,
     .is_per_second = true},
    {"work of one side is none", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .work = {10, 0}, .seconds = {10, 20},
     .ratio = .5, .is_per_second = true},
    {"total of the rules' work", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .rules_work = {10, 40}, .seconds = {9, 9},
     .ratio = .25},
    {"the command line's work comes first", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .work = {10, 20},
     .rules_work = {10, 40}, .seconds = {9, 9}, .ratio = .5},
    {"work of less than one", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .work = {.5, .25}, .rules_work = {1, 1},
     .seconds = {9, 9}, .ratio = 2},
    {"total that nothing divides", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .seconds = {10, 0}, .ratio = 0},
    {"total that nothing divides, baseline", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, .seconds = {0, 10}, .ratio = 0},
    {"total as an amount needs no time", GATE_MEASURE_TOTAL, GATE_LIMIT_ABSOLUTE, .seconds = {0, 0}, .ratio = 1},
    {"cost per unit of work", GATE_MEASURE_TOTAL_COST, GATE_LIMIT_INCREASE, .work = {10, 20}, .seconds = {9, 9},
     .ratio = .5},
    {"cost without work", GATE_MEASURE_TOTAL_COST, GATE_LIMIT_INCREASE, .seconds = {9, 9}, .ratio = 0},
    {"self cost without work", GATE_MEASURE_SELF_COST, GATE_LIMIT_INCREASE, .seconds = {9, 9}, .ratio = 0},
    {"cumulative cost without work", GATE_MEASURE_CUMULATIVE_COST, GATE_LIMIT_INCREASE, .seconds = {9, 9}, .ratio = 0},
};

static void divides(void **state) {
    const struct exposure_row *row = *state;
    COUNTS(f, 1, 2, 2, 10000);
    counts_set_all(&f, 0, 10000, 10000);
    struct gate_profile profiles[GATE_SIDES] = {{.duration_ns = row->seconds[0]}, {.duration_ns = row->seconds[1]}};
    for (int side = 0; side < GATE_SIDES; side++) {
        f.comparison.pair.sides[side].duration_ns = 2 * row->seconds[side];
        f.options.work[side] = row->work[side];
        f.rules.work[side] = row->rules_work[side];
        for (int r = 0; r < 2; r++)
            f.runs[side][r].input.profile = &profiles[side];
    }
    counts_budget(&f, "b", row->measure, row->kind, row->ratio > 0.0 ? row->ratio * .99 : 1.5);
    f.limits[0].text = GATE_STR("5000count");
    counts_reach(&f);
    const struct gate_finding *finding = &f.verdict.budgets[0].findings[0];
    if (row->ratio == 0.0) {
        assert_int_equal(finding->reason, GATE_REASON_NOT_COMPARABLE);
        bool is_total = row->measure == GATE_MEASURE_TOTAL;
        struct gate_str why = is_total ? GATE_STR("totals are compared") : GATE_STR("a cost needs the work done");
        assert_true(gate_str_find(finding->text, why, 0) != SIZE_MAX);
        assert_true(gate_str_starts(finding->advice, GATE_STR("give --work")));
    } else if (row->kind == GATE_LIMIT_ABSOLUTE) {
        assert_int_equal(finding->reason, GATE_REASON_OVER);
    } else {
        double found = finding->evidence.share[GATE_CANARY] / finding->evidence.share[GATE_BASELINE];
        if (!(fabs(found - row->ratio) < 1e-12))
            fail_msg("found %g times the cost, expected %g", found, row->ratio);
        assert_int_equal(gate_str_find(finding->text, GATE_STR("second"), 0) != SIZE_MAX, row->is_per_second);
    }
}

/* Amounts are per unit of the work that is given for each side. */
static void amounts_are_per_unit_of_the_given_work(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 60000, .14);
    f.options.work[GATE_BASELINE] = 30;
    f.options.work[GATE_CANARY] = 60;
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_ABSOLUTE, 0);
    f.limits[0].text = GATE_STR("600count"); /* a unit of work costs 6000 */
    counts_reach(&f);
    const struct gate_hypothesis *h = &f.verdict.hypotheses[1];
    assert_true(fabs(h->limit_value - 0.1) < 1e-12);
    assert_true(fabs(h->evidence->share[GATE_CANARY] - 0.07) < 1e-12);
}

/* A budget that needs work is left out if the work of one side is not given. */
static void budgets_that_require_work_are_left_out_without_it(void **state) {
    static const struct {
        double work[GATE_SIDES];
        bool is_asked;
    } works[] = {{{0, 0}, false}, {{10, 0}, false}, {{0, 10}, false}, {{10, 10}, true}, {{.5, .5}, true}};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, 3, 60000, .04);
        f.options.work[GATE_BASELINE] = works[i].work[0];
        f.options.work[GATE_CANARY] = works[i].work[1];
        counts_budget(&f, "b", GATE_MEASURE_TOTAL_COST, GATE_LIMIT_INCREASE, 1.5)->requires = GATE_REQUIRES_WORK;
        counts_reach(&f);
        assert_int_equal(f.verdict.budget_count, works[i].is_asked);
    }
}

/* All warnings about a comparison are listed, not only the first: here few samples, and one run per side. */
static void all_warnings_are_reported(void **state) {
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 1, 200, .04);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .5);
    counts_reach(&f);
    assert_true(f.verdict.warning_count >= 2);
    for (uint32_t i = 0; i < f.verdict.warning_count; i++)
        assert_true(f.verdict.warnings[i].message.len > 0);
}

/* A run without a duration makes the duration of its side unknown, whichever run it is. */
static void a_cost_per_second_needs_the_duration_of_every_run(void **state) {
    for (int silent = 0; silent < 4; silent++) {
        COUNTS(f, 1, 2, 2, 10000);
        counts_set_all(&f, 0, 10000, 10000);
        struct gate_profile mute = {.duration_ns = 0};
        f.runs[silent / 2][silent % 2].input.profile = &mute;
        counts_budget(&f, "b", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, 1.5);
        counts_reach(&f);
        assert_int_equal(f.verdict.budgets[0].findings[0].reason, GATE_REASON_NOT_COMPARABLE);
    }
}

/* A budget of the total has a limit on a ratio and one on an amount. The ratio needs durations, whether it comes first
 * or last. */
static void a_ratio_beside_an_amount_needs_time(void **state) {
    for (int first = 0; first < 2; first++) {
        COUNTS(f, 1, 2, 2, 10000);
        counts_set_all(&f, 0, 10000, 10000);
        f.comparison.pair.sides[GATE_CANARY].duration_ns = 0;
        struct gate_budget *budget = counts_budget(&f, "b", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, 1.5);
        f.limits[1] = f.limits[0];
        f.limits[first].kind = GATE_LIMIT_ABSOLUTE;
        f.limits[first].text = GATE_STR("20000count");
        budget->limit_count = 2;
        counts_reach(&f);
        assert_int_equal(f.verdict.budgets[0].findings[0].reason, GATE_REASON_NOT_COMPARABLE);
    }
}

/* ---- what is wrong with a budget as such ------------------------------------------------------------------------- */

struct plain_row {
    const char *name;
    enum gate_severity severity;
    bool must_match, selects_nothing;
    const char *expires;
    enum gate_outcome outcome;
    enum gate_reason reason;
};

static const struct plain_row plain[] = {
    {"must match, and does", GATE_SEVERITY_ERROR, true, false, "", GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN},
    {"must match, and does not", GATE_SEVERITY_ERROR, true, true, "", GATE_OUTCOME_FAIL, GATE_REASON_NO_MATCH},
    {"must match, advisory", GATE_SEVERITY_WARN, true, true, "", GATE_OUTCOME_WARN, GATE_REASON_NO_MATCH},
    {"expired yesterday", GATE_SEVERITY_ERROR, false, false, "2026-01-31", GATE_OUTCOME_INCONCLUSIVE,
     GATE_REASON_EXPIRED},
    {"expired, advisory", GATE_SEVERITY_WARN, false, false, "2026-01-31", GATE_OUTCOME_INCONCLUSIVE,
     GATE_REASON_EXPIRED},
    {"its last day", GATE_SEVERITY_ERROR, false, false, "2026-02-01", GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN},
};

static void complains(void **state) {
    const struct plain_row *row = *state;
    AT_END(counts_end) struct counts_fixture f;
    begin(&f, 3, 60000, .04);
    struct gate_regex *nowhere = NULL;
    assert_true(gate_regex_compile(&nowhere, GATE_STR("nowhere"), &f.err));
    struct gate_budget *budget = counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .05);
    budget->severity = row->severity;
    budget->must_match = row->must_match;
    budget->expires = gate_str_from(row->expires);
    budget->select.function.regex = row->selects_nothing ? nowhere : NULL;
    f.options.today = GATE_STR("2026-02-01");
    counts_reach(&f);
    assert_int_equal(f.verdict.budgets[0].outcome, row->outcome);
    assert_int_equal(f.verdict.budgets[0].findings[0].reason, row->reason);
    f.options.today = GATE_STR("");
    counts_reach(&f);
    if (row->reason == GATE_REASON_EXPIRED) /* without a date no waiver expires */
        assert_int_equal(f.verdict.budgets[0].outcome, GATE_OUTCOME_PROVEN);
    gate_regex_free(nowhere);
}

/* An expired waiver makes the run inconclusive, whatever the severity and on_inconclusive are. */
static void expired_waivers_make_the_run_inconclusive(void **state) {
    static const enum gate_severity severities[] = {GATE_SEVERITY_OFF, GATE_SEVERITY_WARN, GATE_SEVERITY_ERROR};
    static const struct {
        enum gate_on_inconclusive what;
        enum gate_outcome outcome;
    } rows[] = {{GATE_ON_INCONCLUSIVE_INCONCLUSIVE, GATE_OUTCOME_INCONCLUSIVE},
                {GATE_ON_INCONCLUSIVE_PASS, GATE_OUTCOME_INCONCLUSIVE},
                {GATE_ON_INCONCLUSIVE_WARN, GATE_OUTCOME_INCONCLUSIVE},
                {GATE_ON_INCONCLUSIVE_FAIL, GATE_OUTCOME_FAIL}};
    for (size_t s = 0; s < sizeof severities / sizeof *severities; s++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            AT_END(counts_end) struct counts_fixture f;
            begin(&f, 3, 60000, .04);
            counts_budget(&f, "held", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
            struct gate_budget *old = counts_budget(&f, "old", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
            old->severity = severities[s];
            old->expires = GATE_STR("2026-01-31");
            f.rules.on_inconclusive = rows[r].what;
            f.options.today = GATE_STR("2026-01-31"); /* its last day */
            counts_reach(&f);
            assert_int_equal(f.verdict.outcome, GATE_OUTCOME_PASS);
            assert_int_equal(f.verdict.budget_count, severities[s] == GATE_SEVERITY_OFF ? 1 : 2);
            f.options.today = GATE_STR("2026-02-01");
            counts_reach(&f);
            assert_int_equal(f.verdict.budgets[1].outcome, GATE_OUTCOME_INCONCLUSIVE);
            assert_int_equal(f.verdict.budgets[1].findings[0].reason, GATE_REASON_EXPIRED);
            assert_int_equal(f.verdict.outcome, rows[r].outcome);
        }
}

/* A budget of the user's rules should match a frame, so one that does not gets a warning. A preset's budget need not
 * match, and a total matches no frame. */
static void unmatched_budgets_are_reported(void **state) {
    static const struct {
        enum gate_budget_measure measure;
        const char *source;
        bool must_match, is_told;
    } told[] = {{GATE_MEASURE_SELF, "rules.yml", false, true},
                {GATE_MEASURE_SELF, "rules.yml", true, false}, /* a finding reports it */
                {GATE_MEASURE_SELF, "recommended (built in)", false, false}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin(&f, 3, 60000, .04);
        struct gate_regex *nowhere = NULL;
        assert_true(gate_regex_compile(&nowhere, GATE_STR("nowhere"), &f.err));
        counts_budget(&f, "before", GATE_MEASURE_TOTAL, GATE_LIMIT_INCREASE, 1.5);
        struct gate_budget *budget = counts_budget(&f, "b", told[i].measure, GATE_LIMIT_SHARE_INCREASE, .05);
        budget->source = gate_str_from(told[i].source);
        budget->must_match = told[i].must_match;
        budget->select.function.regex = nowhere;
        counts_budget(&f, "cost", GATE_MEASURE_TOTAL_COST, GATE_LIMIT_INCREASE, 1.5); /* undecided: matched nothing */
        counts_budget(&f, "heap", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, .5)->sample_type = GATE_STR("heap");
        counts_reach(&f);
        assert_int_equal(f.verdict.warning_count, told[i].is_told);
        if (told[i].is_told)
            assert_true(f.verdict.warnings[0].guard == GATE_GUARD_NO_MATCH);
        gate_regex_free(nowhere);
    }
}

#define ADD(rows, test)                                                                                                \
    for (size_t i = 0; i < sizeof rows / sizeof *(rows); i++) {                                                        \
        union {                                                                                                        \
            const void *row;                                                                                           \
            void *state;                                                                                               \
        } of_row = {&(rows)[i]}; /* cmocka's state is not const */                                                     \
        tests[at++] = (struct CMUnitTest){(rows)[i].name, test, NULL, NULL, of_row.state};                             \
    }

int main(void) {
    static struct CMUnitTest tests[64] = {
        cmocka_unit_test(warnings_do_not_change_the_outcome),
        cmocka_unit_test(a_budget_finds_its_comparison),
        cmocka_unit_test(amounts_are_per_unit_of_the_given_work),
        cmocka_unit_test(budgets_that_require_work_are_left_out_without_it),
        cmocka_unit_test(all_warnings_are_reported),
        cmocka_unit_test(a_cost_per_second_needs_the_duration_of_every_run),
        cmocka_unit_test(a_ratio_beside_an_amount_needs_time),
        cmocka_unit_test(unmatched_budgets_are_reported),
        cmocka_unit_test(expired_waivers_make_the_run_inconclusive),
    };
    size_t at = 9;
    ADD(outcomes, becomes)
    ADD(exposures, divides)
    ADD(plain, complains)
    return _cmocka_run_group_tests("verdict", tests, at, NULL, NULL);
}
