/* SPDX-License-Identifier: Apache-2.0 */
/* budget/finding.h: which of a budget's decided hypotheses are listed, in what order, and what is counted. */
#include "tests/unit/counts_fixture.h"

#include "gate/budget/finding.h"
#include "gate/budget/readings.h"
#include "gate/compare/allocator.h"
#include "gate/compare/upgrades.h"
#include "gate/formats/counted_cpu.h"

enum { ITEMS_MAX = 12 };

struct findings {
    struct counts_fixture counts;
    struct gate_limit limits[2];
    struct gate_budget budget;
    struct gate_budget_result result;
    struct gate_hypothesis items[ITEMS_MAX];
    struct gate_evidence evidence[ITEMS_MAX]; /* evidence of each item */
    size_t count;
};

static void begin(struct findings *f) {
    *f = (struct findings){0};
    counts_begin(&f->counts, 10, 1, 1, 1000);
    f->limits[0] = (struct gate_limit){.value = 0.05, .severity = GATE_SEVERITY_ERROR};
    f->limits[1] = (struct gate_limit){.kind = GATE_LIMIT_INCREASE, .value = 2.0, .severity = GATE_SEVERITY_ERROR};
    f->budget = (struct gate_budget){.name = GATE_STR("b")};
}

/* Add a hypothesis on a frame whose share grows from 10% by `delta`, whatever `limit` is. */
static struct gate_hypothesis *add(struct findings *f, uint32_t frame, int limit, double delta,
                                   enum gate_outcome outcome, enum gate_reason reason) {
    static const struct gate_shift shift = {.library = GATE_NO_INDEX};
    struct gate_hypothesis *h = &f->items[f->count++];
    *h = (struct gate_hypothesis){.frame = frame,
                                  .name = f->counts.frames[frame].name,
                                  .limit = &f->limits[limit],
                                  .limit_value = f->limits[limit].value,
                                  .severity = GATE_SEVERITY_ERROR,
                                  .is_tested = true,
                                  .detectable = 0.02,
                                  .outcome = outcome,
                                  .reason = reason,
                                  .shift = reason == GATE_REASON_SHIFT ? &shift : NULL};
    struct gate_evidence *evidence = &f->evidence[h - f->items];
    *evidence = (struct gate_evidence){
        .share = {0.1, 0.1 + delta}, .delta = delta, .dilution = 1.0, .phi = 1.0, .df = INFINITY};
    h->evidence = evidence;
    return h;
}

static void make(struct findings *f) {
    struct gate_sentence wording = {&f->counts.rules, &f->budget, &f->counts.comparison, false, 0, 0.05};
    f->result = (struct gate_budget_result){.budget = &f->budget};
    if (!gate_finding_make(&f->result, f->items, f->count, &wording, &f->counts.arena, &f->counts.err))
        fail_msg("%s", f->counts.err.message);
}

static void end(struct findings *f) {
    counts_end(&f->counts);
}

/* Compare the first letters of the listed frames, in order, with `expected`. */
static void assert_listed(const struct findings *f, const char *expected) {
    char found[ITEMS_MAX + 1] = "";
    for (uint32_t i = 0; i < f->result.finding_count; i++)
        found[i] = f->result.findings[i].function.ptr[0];
    assert_string_equal(found, expected);
}

TEST(the_worst_come_first) {
    AT_END(end) struct findings f;
    begin(&f);
    add(&f, 1, 0, 0.01, GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN);
    add(&f, 2, 0, 0.06, GATE_OUTCOME_WARN, GATE_REASON_SHIFT);
    add(&f, 3, 0, 0.06, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    add(&f, 4, 0, 0.09, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    add(&f, 5, 0, 0.20, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_UNCONFIRMED);
    add(&f, 6, 0, 0.04, GATE_OUTCOME_PASS, GATE_REASON_WITHIN);
    make(&f);
    assert_listed(&f, "dceb");
    assert_int_equal(f.result.outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(f.result.tested, 6);
    assert_int_equal(f.result.proven, 1);
    assert_int_equal(f.result.passed, 1);
}

/* Among equal outcomes the larger growth comes first, whatever its limit. Then the name decides, then the frame
 * index. */
TEST(equal_findings_are_sorted_by_growth_then_name) {
    AT_END(end) struct findings f;
    begin(&f);
    add(&f, 1, 0, 0.06, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    add(&f, 2, 1, 0.15, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    add(&f, 3, 0, 0.09, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    add(&f, 5, 0, 0.06, GATE_OUTCOME_FAIL, GATE_REASON_OVER); /* equal to the first */
    add(&f, 4, 0, 0.06, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    f.items[4].name = f.items[3].name;
    add(&f, 6, 0, -0.2, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    make(&f);
    assert_listed(&f, "bcaeef");
    assert_int_equal(f.result.findings[3].frame, 4);
    assert_int_equal(f.result.findings[4].frame, 5);
}

/* Under a limit of 0 any growth is infinitely far over the limit, so "b" is nearest. */
TEST(any_growth_is_over_a_limit_of_zero) {
    AT_END(end) struct findings f;
    begin(&f);
    f.limits[0].value = 0.0;
    add(&f, 1, 0, 0.0, GATE_OUTCOME_PASS, GATE_REASON_WITHIN);
    add(&f, 2, 0, 0.01, GATE_OUTCOME_PASS, GATE_REASON_WITHIN);
    add(&f, 3, 0, -0.5, GATE_OUTCOME_PASS, GATE_REASON_WITHIN);
    make(&f);
    assert_listed(&f, "b");
}

TEST(if_all_frames_hold_the_nearest_to_its_limit_is_kept) {
    AT_END(end) struct findings f;
    begin(&f);
    add(&f, 1, 0, 0.01, GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN);
    add(&f, 2, 0, 0.03, GATE_OUTCOME_PROVEN, GATE_REASON_WITHIN);
    add(&f, 3, 0, 0.02, GATE_OUTCOME_PASS, GATE_REASON_WITHIN);
    make(&f);
    assert_listed(&f, "b");
    assert_int_equal(f.result.outcome, GATE_OUTCOME_PASS);
    assert_int_equal(f.result.proven, 2);
    f.count = 2;
    make(&f);
    assert_int_equal(f.result.outcome, GATE_OUTCOME_PROVEN);
    f.count = 0;
    make(&f);
    assert_int_equal(f.result.outcome, GATE_OUTCOME_PASS);
    assert_int_equal(f.result.finding_count, 0);
    assert_true(isnan(f.result.detectable));
}

/* Of a frame's limits the one with the worst outcome is listed, then the one of stricter severity, then the first. */
TEST(the_worst_limit_of_a_frame_is_its_finding) {
    AT_END(end) struct findings f;
    begin(&f);
    add(&f, 1, 0, 0.06, GATE_OUTCOME_WARN, GATE_REASON_SEVERITY_WARN);
    add(&f, 1, 1, 0.06, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    add(&f, 2, 0, 0.06, GATE_OUTCOME_WARN, GATE_REASON_SHIFT)->severity = GATE_SEVERITY_WARN;
    add(&f, 2, 1, 0.06, GATE_OUTCOME_WARN, GATE_REASON_SHIFT);
    add(&f, 3, 0, 0.02, GATE_OUTCOME_WARN, GATE_REASON_SHIFT);
    add(&f, 3, 1, 0.02, GATE_OUTCOME_WARN, GATE_REASON_SHIFT);
    f.items[4].is_tested = f.items[5].is_tested = f.items[1].is_tested = false;
    make(&f);
    assert_listed(&f, "abc");
    assert_true(f.result.findings[0].limit == &f.limits[1]);
    assert_true(f.result.findings[1].limit == &f.limits[1]);
    assert_true(f.result.findings[2].limit == &f.limits[0]);
    assert_int_equal(f.result.tested, 2);
}

/* Several frames with too few samples are listed as one, but only if their outcome is a warning. */
TEST(warnings_for_lack_of_samples_are_listed_once) {
    static const struct {
        enum gate_outcome outcome;
        uint32_t findings;
    } rows[] = {{GATE_OUTCOME_WARN, 2}, {GATE_OUTCOME_INCONCLUSIVE, 4}};
    for (size_t i = 0; i < 2; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        for (uint32_t frame = 1; frame < 4; frame++)
            add(&f, frame, 0, 0.01 * frame, rows[i].outcome, GATE_REASON_TOO_FEW_SAMPLES);
        add(&f, 4, 0, 0.06, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
        make(&f);
        assert_int_equal(f.result.finding_count, rows[i].findings);
        assert_true(f.result.findings[1].function.ptr[0] == 'c');
        bool told = gate_str_ends(f.result.findings[1].text, GATE_STR(" (2 more frames alike)"));
        assert_int_equal(told, rows[i].outcome == GATE_OUTCOME_WARN);
    }
}

TEST(findings_have_the_numbers_of_their_hypothesis) {
    AT_END(end) struct findings f;
    begin(&f);
    struct gate_hypothesis *h = add(&f, 1, 0, 0.06, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    const struct gate_evidence own = {.share = {0.1, 0.12}, .dilution = 1.0};
    h->own = &own;
    h->log_p_adjusted = -9.0;
    h->settle_factor = 2.5;
    h->measure = GATE_CUMULATIVE;
    add(&f, 2, 0, 0.01, GATE_OUTCOME_PASS, GATE_REASON_WITHIN)->detectable = 0.04;
    h = add(&f, 3, 0, 0.055, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    h->detectable = INFINITY;
    h = add(&f, 4, 0, 0.052, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    h->is_cost = true;
    h->is_tested = false;
    h->detectable = 0.9;
    make(&f);
    const struct gate_finding *a = &f.result.findings[0], *c = &f.result.findings[1], *d = &f.result.findings[2];
    assert_true(fabs(a->own_cost_ratio - 1.2) < 1e-12 && a->log_p_adjusted == -9.0 && a->samples_to_settle == 2500.0);
    assert_int_equal(a->measure, GATE_CUMULATIVE);
    assert_true(a->detectable == 0.02 && isnan(c->detectable) && isnan(c->own_cost_ratio));
    assert_true(c->samples_to_settle == 0.0);
    assert_true(fabs(d->own_cost_ratio - 1.52) < 1e-12);
    assert_true(f.result.detectable == 0.04); /* the largest among the tested */
}

/* A finding about the budget itself comes before all frames. It replaces a frame that is listed only because it is
 * nearest to its limit. */
TEST(plain_findings_come_first) {
    AT_END(end) struct findings f;
    begin(&f);
    add(&f, 1, 0, 0.06, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    make(&f);
    struct gate_arena *arena = &f.counts.arena;
    assert_true(gate_finding_add_plain(&f.result, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_EXPIRED, "why", "do", arena,
                                       &f.counts.err));
    assert_int_equal(f.result.finding_count, 2);
    assert_int_equal(f.result.outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(f.result.findings[0].frame, GATE_NO_INDEX);
    assert_int_equal(f.result.findings[1].frame, 1);
    assert_true(gate_str_equal(f.result.findings[0].text, GATE_STR("\"b\": why")));
    f.items[0].outcome = GATE_OUTCOME_PASS;
    make(&f);
    assert_true(gate_finding_add_plain(&f.result, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_EXPIRED, "why", "do", arena,
                                       &f.counts.err));
    assert_int_equal(f.result.finding_count, 1);
    assert_int_equal(f.result.outcome, GATE_OUTCOME_INCONCLUSIVE);
}

/* A budget that no growth can fail has no detectable growth: either `min_samples` forbids a fail, or delays of one run
 * per side do. */
TEST(a_budget_that_cannot_fail_detects_no_growth) {
    static const struct {
        double min_samples;
        bool is_restrained;
        enum gate_severity severity;
        enum gate_reason hindrance;
        const char *why;
    } rows[] = {
        {1000, false, GATE_SEVERITY_ERROR, GATE_REASON_WITHIN,
         "this comparison can only detect growth of 2.0 pp or more"},
        {1001, false, GATE_SEVERITY_ERROR, GATE_REASON_MIN_SAMPLES,
         "fewer than 1,001 effective samples on both sides (min_samples), so nothing can fail"},
        {1000, true, GATE_SEVERITY_ERROR, GATE_REASON_DELAY_REPLICATES,
         "a delay profile with one run per side cannot fail"},
        {1001, true, GATE_SEVERITY_WARN, GATE_REASON_WITHIN,
         "this comparison can only detect growth of 2.0 pp or more"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_hypothesis *h = add(&f, 1, 0, 0.01, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES);
        h->is_restrained = rows[i].is_restrained;
        h->severity = rows[i].severity;
        f.counts.rules.min_samples = rows[i].min_samples;
        make(&f);
        assert_int_equal(f.result.hindrance, rows[i].hindrance);
        assert_int_equal(isnan(f.result.detectable), rows[i].hindrance != GATE_REASON_WITHIN);
        assert_int_equal(isnan(f.result.findings[0].detectable), rows[i].hindrance != GATE_REASON_WITHIN);
        if (!gate_str_equal(f.result.findings[0].why, gate_str_from(rows[i].why)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(f.result.findings[0].why));
    }
}

/* The cap on the samples of a run is mentioned only if the runs have more samples than the cap. */
TEST(advice_says_if_longer_runs_would_not_help) {
    for (int more = 0; more < 2; more++) {
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_hypothesis *h = add(&f, 1, 0, 0.01, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES);
        f.evidence[0].variation = GATE_VARIATION_ASSUMED;
        f.evidence[0].rho = more ? 1.0 / 500 : 1.0 / 2000;
        h->settle_factor = 2.5;
        make(&f);
        const char *expected =
            more ? "about 3 runs per side would decide it; without a noise model one run counts as at most "
                   "500 samples"
                 : "about 3 runs per side would decide it";
        if (!gate_str_equal(f.result.findings[0].advice, gate_str_from(expected)))
            fail_msg("%.*s", GATE_STR_ARG(f.result.findings[0].advice));
    }
}

/* Nobody can look at what a library does more often, if no function of their own calls it. */
TEST(code_without_own_callers_has_advice_of_its_own) {
    for (int is_own = 0; is_own <= 1; is_own++) {
        AT_END(end) struct findings f;
        begin(&f);
        f.counts.frames[1].is_own = is_own;
        add(&f, 1, 0, 0.5, GATE_OUTCOME_FAIL, GATE_REASON_OVER)->measure = GATE_CHARGED;
        make(&f);
        assert_int_equal(strstr(f.result.findings[0].advice.ptr, "versions of libraries") != NULL, !is_own);
        assert_int_equal(strstr(f.result.findings[0].advice.ptr, "look at what this function does") != NULL, is_own);
    }
}

/* No function grew apart from the others, so the advice is about settings: those of the profile's own runtime. */
TEST(advice_on_settings_is_for_the_profiles_language) {
    static const struct {
        enum gate_language language;
        const char *expected, *never;
    } rows[] = {{GATE_LANGUAGE_GO, "GOGC", "Xmx"},
                {GATE_LANGUAGE_JVM, "-Xmx", "GOGC"},
                {GATE_LANGUAGE_NODE, "UV_THREADPOOL_SIZE", "GOGC"},
                {GATE_LANGUAGE_PYTHON, "PYTHONMALLOC", "GOGC"},
                {GATE_LANGUAGE_RUST, "build flags", "GO"},
                {GATE_LANGUAGE_NATIVE, "build flags", "GO"},
                {GATE_LANGUAGE_UNKNOWN, "build flags", "GO"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        f.counts.comparison.pair.language = rows[i].language;
        f.counts.comparison.name = GATE_STR("cpu");
        f.counts.comparison.work_is_known = true;
        f.counts.comparison.work_ratio = 1.0;
        f.counts.comparison.equal = GATE_EQUAL_RUN;
        f.counts.comparison.pair.type.type = GATE_STR("cpu");
        add(&f, 1, 0, 0.5, GATE_OUTCOME_FAIL, GATE_REASON_OVER)->is_total = true;
        make(&f);
        assert_non_null(strstr(f.result.findings[0].advice.ptr, rows[i].expected));
        assert_null(strstr(f.result.findings[0].advice.ptr, rows[i].never));
    }
}

/* An impractical number of runs is not recommended. */
TEST(an_impractical_number_of_runs_is_not_recommended) {
    static const struct {
        enum gate_variation variation;
        double factor;
        const char *advice;
    } rows[] = {
        {GATE_VARIATION_ASSUMED, 20.0, "about 20 runs per side would decide it"},
        {GATE_VARIATION_ASSUMED, 20.5, "more than 20 runs per side like these would be needed"},
        {GATE_VARIATION_MODEL, 20.0, "about 20 runs like these per side would decide it, longer runs would not"},
        {GATE_VARIATION_MODEL, 84.0,
         "more than 20 runs per side like these would be needed, and longer runs would not decide it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_hypothesis *h = add(&f, 1, 0, 0.01, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_TOO_FEW_SAMPLES);
        f.evidence[0].variation = rows[i].variation;
        f.evidence[0].rho = 1.0 / 2000;
        h->settle_factor = rows[i].factor;
        make(&f);
        if (!gate_str_equal(f.result.findings[0].advice, gate_str_from(rows[i].advice)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(f.result.findings[0].advice));
    }
}

/* So many hypotheses that two threads share them. Counts, order and the largest detectable growth are those of one
 * thread, and the frame at the boundary is not split. */
TEST(two_threads_give_the_findings_of_one) {
    enum { MANY = 6000, A_FRAME = 3 };
    static struct gate_hypothesis many[MANY];
    AT_END(end) struct findings f;
    begin(&f);
    const struct gate_hypothesis within = *add(&f, 1, 0, 0.01, GATE_OUTCOME_PASS, GATE_REASON_WITHIN);
    const struct gate_hypothesis over = *add(&f, 2, 0, 0.08, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    const struct gate_hypothesis most = *add(&f, 3, 0, 0.09, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
    for (uint32_t first = 0; first < A_FRAME; first++) { /* offset of the frame at the boundary */
        for (uint32_t i = 0; i < MANY; i++) {
            many[i] = i == 500 ? over : i == 5500 ? most : within;
            many[i].frame = (i + first) / A_FRAME;
            many[i].is_tested = i % A_FRAME == 0;
            many[i].detectable = i == 4500 ? 0.07 : 0.01;
        }
        struct gate_sentence wording = {&f.counts.rules, &f.budget, &f.counts.comparison, false, 0, 0.05};
        f.result = (struct gate_budget_result){.budget = &f.budget};
        assert_true(gate_finding_make(&f.result, many, MANY, &wording, &f.counts.arena, &f.counts.err));
        uint32_t frames = (MANY + first + A_FRAME - 1) / A_FRAME;
        assert_listed(&f, "cb");
        assert_int_equal(f.result.passed, frames - 2);
        assert_int_equal(f.result.proven, 0);
        assert_int_equal(f.result.tested, MANY / A_FRAME);
        assert_int_equal(f.result.outcome, GATE_OUTCOME_FAIL);
        assert_true(f.result.detectable == 0.07);
    }
}

/* What is judged: a function; new code; a function that new code moved out of others; new code of one caller; or a
 * function, by a reading that names none. */
enum reading_of { A_FUNCTION, NEW_CODE, MOVED_OUT, ONE_CALLER, ALL };

struct reading_case {
    enum gate_reason reason;
    enum gate_outcome outcome;
    enum reading_of of;
    const char *why, *advice;
};

static const char GIVE_WORK[] =
    "give the work done on each side (--work baseline=N --work canary=N); or use --equal time if both sides had the "
    "same load, or --equal run if each profile is one whole execution of the same task";
static const char JOIN[] =
    "check that the new function does the work of the old one; 'frames.rename' in the rules joins them";

static const char JOIN_OR_WORK[] =
    "check that the new function does the work of the old one; 'frames.rename' in the rules joins them; or give the "
    "work done on each side (--work baseline=N --work canary=N)";

static const struct reading_case READINGS[] = {
    {GATE_REASON_OTHERS_CHEAPER, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "b may only have become cheaper: all other functions grew by the same factor", GIVE_WORK},
    {GATE_REASON_TOTAL_FELL, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "per run it is within the limit: the canary's total per run is 1.30x the baseline's", GIVE_WORK},
    {GATE_REASON_WAITING_MOVED, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "all waiting together per run is 1.30x the baseline's: what waited elsewhere before may wait here now",
     "look at what it waits for: if it is an idle receiver, or the next lock after one that was fixed, raise the limit "
     "and give a reason"},
    {GATE_REASON_CUT_STACKS, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "25.0% of the baseline and 31.0% of the canary are in stacks that the profiler cut: it may be missing in them",
     "raise the profiler's stack depth, if it has a setting; 'measure: charged', and totals with the work given, do "
     "not "
     "depend on it"},
    {GATE_REASON_FEW_RUNS, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "in 1 of the canary's 4 runs only: it may not wait so in each run, or the holder of a lock had no processor in "
     "one, "
     "and all others waited",
     "compare more runs per side, on a machine that has a processor free"},
    {GATE_REASON_TOTAL_GREW, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "within the limit by the work that other functions indicate, but the total per run is 1.30x the baseline's, "
     "so "
     "that they may cost more instead of doing more",
     GIVE_WORK},
    {GATE_REASON_REPLACED, GATE_OUTCOME_INCONCLUSIVE, NEW_CODE,
     "the code may have moved out of b, whose own part costs less now", JOIN_OR_WORK},
    {GATE_REASON_REPLACED, GATE_OUTCOME_WARN, A_FUNCTION,
     "it may be a new name: functions that are gone (the largest: b) cost about as much as all new ones", JOIN},
    {GATE_REASON_REPLACED, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "it may be a new name: functions that are gone (the largest: b) cost about as much as all new ones, but the "
     "total per run is 1.30x the baseline's",
     JOIN_OR_WORK},
    {GATE_REASON_SINCE_START, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "these allocations count from the start of the process: beside those of b it is not sure to be over the limit",
     "capture what is allocated within a window (allocs?seconds=N in Go), or use --equal run if both sides were up for "
     "the same time under the same load"},
    {GATE_REASON_START_UP, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "it grew at the start of the program only: that part depends on how long the profile is",
     "begin the profile after the start, or compare three runs per side, with --equal run if each profile is one whole "
     "execution of the same task"},
    {GATE_REASON_ONE_START, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "it grew at the start of the program only, and one run per side does not show how much that varies",
     "compare three runs per side"},
    {GATE_REASON_SMALL_START, GATE_OUTCOME_WARN, A_FUNCTION,
     "not confirmed, at the start of the program only, and within the limit in points: start-up code varies with "
     "caches on disk, and its part with how long the profile is",
     "to be sure, begin the profile after the start, or compare more runs per side"},
    {GATE_REASON_SLOWED, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "the other functions in b fell by the same factor: the cost moved, or a worker that is always busy completes less "
     "work",
     GIVE_WORK},
    {GATE_REASON_UNEQUAL_LOAD, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "the two sides had different loads, which changes the cost of the same code",
     "put both sides under the same load and compare again"},
    {GATE_REASON_PREEMPTED, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "this profiler also counts time in which other programs had the processor, and so few runs do not show how much",
     "compare five runs per side, best taken in turn as 'capture', 'gate' and 'try' do"},
    {GATE_REASON_MISPLACED, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "it may be the cost of another function that the JVM compiled into the same method, which did not grow as much: "
     "samples may confuse them",
     "judge a function that calls it, or benchmark it alone"},
    {GATE_REASON_MISPLACED, GATE_OUTCOME_WARN, A_FUNCTION,
     "samples of it may be those of others that the JVM compiled into the same methods: it and all of these went from "
     "25.0% to 31.0%",
     "judge a function that calls it, or benchmark it alone"},
    {GATE_REASON_INLINED_TOGETHER, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "the compiler at run time inlines it, or others into it, in some runs only: it and all that may have its cost "
     "then "
     "went from 25.0% to 31.0%",
     "compare more runs per side"},
    {GATE_REASON_ONE_FUNCTION, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "most of it is the growth of b alone, which by itself differs so much from run to run that it may be noise",
     "compare more runs per side"},
    {GATE_REASON_ONE_FUNCTION, GATE_OUTCOME_PASS, A_FUNCTION,
     "most of it is the growth of b alone, which is judged by itself", ""},
    {GATE_REASON_UPGRADED, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "a.org/x v1.0.0 → v1.1.0 has other functions, and all of it went from 25.0% to 31.0%",
     "benchmark what the program calls of the library with both versions, or compare more runs per side"},
    {GATE_REASON_REPLACED, GATE_OUTCOME_WARN, MOVED_OUT,
     "the code may have moved out of b, whose own part costs less now",
     "check that the code was moved on purpose (a function that was split)"},
    {GATE_REASON_REPLACED, GATE_OUTCOME_INCONCLUSIVE, ONE_CALLER,
     "nearly all of it is charged to b, and there are not enough samples to confirm that this function grew over its "
     "limit",
     "compare more runs per side"},
    {GATE_REASON_SLOWER_MACHINE, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "the other functions but b cost 1.25x as much per run, too: without that it is not surely over the limit, so the "
     "canary's machine may have been slower",
     "compare more runs per side, taken in turn as 'capture', 'gate' and 'try' do"},
    {GATE_REASON_SLOWER_MACHINE, GATE_OUTCOME_INCONCLUSIVE, ALL,
     "the other functions cost 1.25x as much per run, too: without that it is within the limit, so the canary's "
     "machine "
     "may have been slower",
     "compare more runs per side, taken in turn as 'capture', 'gate' and 'try' do"},
    {GATE_REASON_BUSIER_MACHINE, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "all other functions cost 1.25x as much per run: measured by them it is over the limit. This profiler also counts "
     "time in which other programs had the processor: the baseline's machine may have been busier",
     "compare three runs per side, taken in turn as 'capture', 'gate' and 'try' do, or any five"},
    {GATE_REASON_THREADS, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "as a part of the threads that it runs in, it is within the limit: on a busy machine this profiler sees more of a "
     "thread in one run than in the next",
     "compare three runs per side"},
    {GATE_REASON_INLINED_NAMES, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "with line tables the crate pprof names it, or another function inlined into the same caller, by chance",
     "build with debug = 0, or profile with perf"},
    {GATE_REASON_OTHER_NAMES, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "not enough samples to confirm it, and functions that it calls have other names now, so that none of these could "
     "be judged by itself",
     "join the names by 'frames.rename' (beneath \"Replaced names\"), or compare more runs per side"},
    {GATE_REASON_ONE_MOMENT, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "goroutines that wait in a queue are many at one moment and few at the next, and one or two snapshots per side do "
     "not show which they are",
     "compare three or more snapshots per side, some seconds apart"},
    {GATE_REASON_UNEQUAL_WINDOWS, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "the profiles of both sides did not last equally long, and per run it is on the other side of the limit",
     "leave more of the machine's processors free, so that profiles end in time, or count the work (--work-metric)"},
    {GATE_REASON_GONE, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "the canary does not have it, and new functions of its callers have 31.0% where those that are gone had 25.0%: it "
     "may be one of them, under another name",
     "if one of the new functions is this one, join the names by 'frames.rename' (beneath \"Replaced names\"), or let "
     "the "
     "budget select it, too; if this one was removed, remove its budget"},
    {GATE_REASON_NAMELESS, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "part of it has no function name in the canary, and may be code that the baseline has under its names",
     "give the symbols of the canary (--symbols), or profile a binary that is not stripped"},
    {GATE_REASON_MINIFIED, GATE_OUTCOME_INCONCLUSIVE, A_FUNCTION,
     "minified functions lost at least half as much, and in the baseline it may have been one of them",
     "name each side by its source maps (pprofgate merge --symbols)"},
    {GATE_REASON_OWN_CALLERS, GATE_OUTCOME_FAIL, A_FUNCTION,
     "a is new, and your own functions that call it grew together by more than this limit",
     "look at why so many functions call it; if that is intended, raise this budget's limit and give a reason"},
};

/* Where another reading contradicts a decision, the finding contains the reason and what to do. */
TEST(a_contradicting_reading_is_in_the_sentence) {
    for (size_t i = 0; i < sizeof READINGS / sizeof *READINGS; i++) {
        const struct gate_upgrade library = {{GATE_STR("a.org/x"), GATE_STR("a.org/x")},
                                             {GATE_STR("v1.0.0"), GATE_STR("v1.1.0")}};
        bool is_upgrade = READINGS[i].reason == GATE_REASON_UPGRADED;
        const struct gate_reading reading = {.frame = READINGS[i].of == ALL ? GATE_NO_INDEX : 2,
                                             .is_moved_out = READINGS[i].of == MOVED_OUT,
                                             .is_of_one_caller = READINGS[i].of == ONE_CALLER,
                                             .ratio = 1.0,
                                             .total = 1.3,
                                             .equal = GATE_EQUAL_RUN,
                                             .upgrade = is_upgrade ? &library : NULL,
                                             .whole = {.25, .31},
                                             .over = 1,
                                             .runs = 4};
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_hypothesis *h = add(&f, 1, 0, 0.1, READINGS[i].outcome, READINGS[i].reason);
        h->reading = &reading;
        h->is_new_code = READINGS[i].of == NEW_CODE || READINGS[i].of == ONE_CALLER;
        f.counts.comparison.work_ratio = 0.8;
        make(&f);
        assert_int_equal(f.result.finding_count, 1);
        assert_string_equal(f.result.findings[0].why.ptr, READINGS[i].why);
        assert_string_equal(f.result.findings[0].advice.ptr, READINGS[i].advice);
    }
}

#define BEGIN_LATER "begin the profile after the start, or "

/* --equal run decides growth of start-up code only if several runs confirm it. */
TEST(start_up_code_has_its_own_advice) {
    static const struct {
        uint32_t runs;
        bool is_broken;
        const char *advice;
    } rows[] = {{1, true, BEGIN_LATER "compare three runs per side, with --equal run if each"},
                {1, false, BEGIN_LATER "compare three runs per side, with --equal run if each"},
                {3, true, BEGIN_LATER "use --equal run if each"},
                {3, false, BEGIN_LATER "compare more runs per side, with --equal run if each"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_side *sides = f.counts.comparison.pair.sides;
        const struct gate_run one = sides[GATE_BASELINE].runs[0], two = sides[GATE_CANARY].runs[0];
        struct gate_run runs[GATE_SIDES][3] = {{one, one, one}, {two, two, two}};
        for (int side = 0; side < GATE_SIDES; side++) {
            sides[side].runs = runs[side];
            sides[side].run_count = rows[i].runs;
        }
        add(&f, 1, 0, 0.1, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_START_UP)->is_broken = rows[i].is_broken;
        make(&f);
        if (!gate_str_starts(f.result.findings[0].advice, gate_str_from(rows[i].advice)))
            fail_msg("row %zu: %s", i, f.result.findings[0].advice.ptr);
    }
}

/* `gate` has no --work: it reads the work of its rounds from a counter. */
TEST(rounds_are_advised_to_read_a_counter) {
    static const char *const advice[] = {
        "give the work done on each side (--work baseline=N --work canary=N); or",
        "give the work done on each side (--work-metric COUNTER of 'capture' and 'gate'); or"};
    for (uint32_t round = 0; round < 2; round++) {
        const struct gate_reading reading = {.frame = 2, .ratio = 1.0, .total = 1.3, .equal = GATE_EQUAL_RUN};
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_side *canary = &f.counts.comparison.pair.sides[GATE_CANARY];
        assert_true(canary->run_count > 0);
        struct gate_run run = canary->runs[0];
        run.input.round = round;
        canary->runs = &run;
        canary->run_count = 1;
        add(&f, 1, 0, 0.1, GATE_OUTCOME_INCONCLUSIVE, GATE_REASON_SLOWED)->reading = &reading;
        make(&f);
        assert_true(gate_str_starts(f.result.findings[0].advice, gate_str_from(advice[round])));
    }
}

/* Where a unit of work is the same on both sides, cost that moved leaves its caller as it was. */
TEST(advice_for_cost_that_may_have_moved_is_to_give_the_work) {
    static const char on_purpose[] = "check that the work was moved on purpose (inlining, a rename, a split function)";
    static const struct {
        enum gate_outcome outcome;
        bool work_is_known;
        const char *more;
    } rows[] = {{GATE_OUTCOME_INCONCLUSIVE, false,
                 "; the work done on each side (--work baseline=N --work canary=N), or --equal time if both sides had "
                 "the same load, may decide it"},
                {GATE_OUTCOME_INCONCLUSIVE, true, ""},
                {GATE_OUTCOME_WARN, false, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        add(&f, 1, 0, 0.1, rows[i].outcome, GATE_REASON_SHIFT);
        f.counts.comparison.work_is_known = rows[i].work_is_known;
        make(&f);
        struct gate_str advice = f.result.findings[0].advice;
        if (!gate_str_starts(advice, gate_str_from(on_purpose)) ||
            strcmp(advice.ptr + strlen(on_purpose), rows[i].more) != 0)
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(advice));
    }
}

/* Where a function fails or is undecided, its advice has the versions of the library that it is of. */
TEST(a_function_of_an_upgraded_library_has_its_versions) {
    static const char versions[] = "the sides have different versions of its library: a.org/x v1.0.0 → v1.1.0";
    static const struct {
        const char *file;
        enum gate_outcome outcome;
        bool is_told;
    } rows[] = {{"a.org/x@v1.1.0/x.go", GATE_OUTCOME_FAIL, true},
                {"a.org/x@v1.1.0/x.go", GATE_OUTCOME_INCONCLUSIVE, true},
                {"a.org/x@v1.1.0/x.go", GATE_OUTCOME_WARN, false},
                {"a.org/y@v1.1.0/y.go", GATE_OUTCOME_FAIL, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_upgrade library = {{GATE_STR("a.org/x"), GATE_STR("a.org/x")},
                                       {GATE_STR("v1.0.0"), GATE_STR("v1.1.0")}};
        struct gate_hypothesis *h = add(&f, 1, 0, 0.1, rows[i].outcome, GATE_REASON_OVER);
        struct gate_pair *pair = &f.counts.comparison.pair;
        pair->upgrades = &library;
        pair->upgrade_count = 1;
        pair->frames[h->frame].file = gate_str_from(rows[i].file);
        make(&f);
        if ((strstr(f.result.findings[0].advice.ptr, versions) != NULL) != rows[i].is_told)
            fail_msg("row %zu: %s", i, f.result.findings[0].advice.ptr);
    }
}

/* A frame of V8 that has a line for a name: what to look for. Other languages may have functions of such names. */
TEST(advice_for_an_unknown_function_is_to_find_it) {
    static const struct {
        const char *name;
        enum gate_language language;
        bool is_told;
    } rows[] = {{"line 72 (inlined)", GATE_LANGUAGE_NODE, true},
                {"line 72 (inlined)", GATE_LANGUAGE_PYTHON, false},
                {"line72", GATE_LANGUAGE_NODE, false},
                {" (inlined)", GATE_LANGUAGE_NODE, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_hypothesis *h = add(&f, 1, 0, 0.1, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
        struct gate_pair *pair = &f.counts.comparison.pair;
        pair->language = rows[i].language;
        pair->frames[h->frame].name = gate_str_from(rows[i].name);
        make(&f);
        if ((strstr(f.result.findings[0].advice.ptr, "look for one at this line, of any file") != NULL) !=
            rows[i].is_told)
            fail_msg("row %zu: %s", i, f.result.findings[0].advice.ptr);
    }
}

/* The advice on the JVM's collector is the function that allocates more, where one is known, and settings. */
TEST(a_collector_that_grew_names_what_allocates_more) {
    static const char names[] = "look at Cart.add, which allocates more: 2kB → 9kB (--rules heap judges allocations)";
    static const struct gate_allocator allocator = {GATE_STR("Cart.add"), {2048, 9216}};
    static const struct {
        const char *frame;
        const struct gate_allocator *allocator;
        bool is_told;
    } rows[] = {
        {GATE_COLLECTOR_FRAME, &allocator, true}, {GATE_COLLECTOR_FRAME, NULL, false}, {"Cart.sum", &allocator, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        struct gate_hypothesis *h = add(&f, 1, 0, 0.1, GATE_OUTCOME_FAIL, GATE_REASON_OVER);
        h->name = gate_str_from(rows[i].frame);
        f.counts.comparison.allocator = rows[i].allocator;
        make(&f);
        bool has_settings = strstr(f.result.findings[0].advice.ptr, "compare -Xmx, the collector") != NULL;
        if ((strstr(f.result.findings[0].advice.ptr, names) != NULL) != rows[i].is_told ||
            has_settings != (strcmp(rows[i].frame, GATE_COLLECTOR_FRAME) == 0))
            fail_msg("row %zu: %s", i, f.result.findings[0].advice.ptr);
    }
}

/* Three runs per side do not rule out that one side was captured on a busy machine. */
TEST(a_total_of_a_wall_clock_sampler_may_be_a_busy_machine) {
    static const struct {
        enum gate_format format;
        bool is_total;
        enum gate_outcome outcome;
        double delta;
        bool is_told;
    } rows[] = {
        {GATE_FORMAT_CPUPROFILE, true, GATE_OUTCOME_INCONCLUSIVE, 0.3, true},
        {GATE_FORMAT_CPUPROFILE, true, GATE_OUTCOME_FAIL, 0.3, true},
        {GATE_FORMAT_CPUPROFILE, true, GATE_OUTCOME_WARN, 0.3, false},
        {GATE_FORMAT_CPUPROFILE, true, GATE_OUTCOME_INCONCLUSIVE, -0.05, false},
        {GATE_FORMAT_CPUPROFILE, false, GATE_OUTCOME_FAIL, 0.3, false},
        {GATE_FORMAT_PPROF, true, GATE_OUTCOME_FAIL, 0.3, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(end) struct findings f;
        begin(&f);
        f.counts.comparison.pair.language = GATE_LANGUAGE_NODE;
        f.counts.profile.format = rows[i].format;
        enum gate_reason reason = rows[i].outcome == GATE_OUTCOME_FAIL ? GATE_REASON_OVER : GATE_REASON_UNCONFIRMED;
        add(&f, 1, 0, rows[i].delta, rows[i].outcome, reason)->is_total = rows[i].is_total;
        make(&f);
        assert_int_equal(gate_str_find(f.result.findings[0].advice, GATE_STR("a busy machine"), 0) != SIZE_MAX,
                         rows[i].is_told);
    }
}
