/* SPDX-License-Identifier: Apache-2.0 */
/* budget/samples_needed.h: the advice of a whole verdict on how many runs would decide it. */
#include "counts_fixture.h"

static void begin_runs(struct counts_fixture *f, uint32_t runs, int64_t total, double before, double after) {
    counts_begin(f, 3, runs, runs, total);
    counts_set_all(f, 1, (int64_t)(before * (double)total), (int64_t)(after * (double)total));
    counts_set_all(f, 0, total - (int64_t)(before * (double)total), total - (int64_t)(after * (double)total));
}

/* Whether a limit is too close to be decided depends on the number of runs. Ten runs of many samples each are still
 * advised, hundreds of runs of few are not. */
TEST(a_limit_is_too_close_by_the_number_of_runs) {
    static const struct {
        int64_t total;
        double canary;
        const char *advice;
    } rows[] = {{60000, 0.0913, " runs like these)"},
                {600, 0.0925, "these samples cannot separate the growth from the limit: "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin_runs(&f, 3, rows[i].total, 0.04, rows[i].canary);
        counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
        counts_reach(&f);
        const struct gate_finding *finding = counts_finding(&f, 0, "a");
        assert_int_equal(finding->reason, GATE_REASON_UNCONFIRMED);
        if (gate_str_find(finding->advice, gate_str_from(rows[i].advice), 0) == SIZE_MAX)
            fail_msg("%.*s", GATE_STR_ARG(finding->advice));
        assert_int_equal(f.verdict.settle_runs > 0.0, i == 0);
    }
}

/* Profiles thousands of times as long are not advised. A run of the fixture takes 10 s. */
TEST(longer_profiles_are_advised_up_to_a_factor) {
    static const struct {
        double canary;
        bool is_advised;
    } rows[] = {{0.0925, true}, {0.0902, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(counts_end) struct counts_fixture f;
        begin_runs(&f, 3, 6000, 0.04, rows[i].canary);
        counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
        counts_reach(&f);
        const struct gate_finding *finding = counts_finding(&f, 0, "a");
        bool is_advised = gate_str_find(finding->advice, GATE_STR(" as long"), 0) != SIZE_MAX;
        bool has_length = gate_str_find(finding->advice, GATE_STR("9.7x as long (1m38s each)"), 0) != SIZE_MAX;
        if (is_advised != rows[i].is_advised || has_length != is_advised)
            fail_msg("%.*s", GATE_STR_ARG(finding->advice));
    }
}

/* The advice of each inconclusive finding is the number of runs that decides the whole verdict. */
TEST(advice_is_for_the_verdict) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 600, 0.04, 61.5 / 600);
    for (uint32_t r = 0; r < 3; r++) {
        counts_set(&f, 2, GATE_BASELINE, r, 24);
        counts_set(&f, 2, GATE_CANARY, r, 62);
    }
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    counts_reach(&f);
    const struct gate_finding *a = counts_finding(&f, 0, "a"), *b = counts_finding(&f, 0, "b");
    assert_true(a->samples_to_settle > b->samples_to_settle);
    struct gate_str all =
        gate_str_format(&f.arena, "to decide all findings, about %.0f runs per side", f.verdict.settle_runs);
    assert_true(f.verdict.settle_runs == ceil(a->samples_to_settle / 600));
    if (gate_str_find(b->advice, all, 0) == SIZE_MAX || gate_str_find(a->advice, all, 0) != SIZE_MAX)
        fail_msg("%.*s\n%.*s", GATE_STR_ARG(a->advice), GATE_STR_ARG(b->advice));
    f.rules.on_inconclusive = GATE_ON_INCONCLUSIVE_PASS;
    counts_reach(&f);
    assert_true(f.verdict.settle_runs == 0.0); /* nothing is held up */
}

/* The cost per unit of work is inconclusive, and the work is given already: only more samples would help. */
TEST(an_undecided_own_cost_of_known_work_needs_more_samples) {
    AT_END(counts_end) struct counts_fixture f;
    begin_runs(&f, 3, 600, 0.05, 0.16);
    counts_budget(&f, "b", GATE_MEASURE_SELF, GATE_LIMIT_SHARE_INCREASE, 0.05);
    f.options.work[GATE_BASELINE] = 100;
    f.options.work[GATE_CANARY] = 150;
    counts_reach(&f);
    const struct gate_finding *finding = counts_finding(&f, 0, "a");
    assert_int_equal(finding->reason, GATE_REASON_OWN_COST_OPEN);
    if (!gate_str_starts(finding->advice, GATE_STR("about ")))
        fail_msg("%.*s", GATE_STR_ARG(finding->advice));
}
