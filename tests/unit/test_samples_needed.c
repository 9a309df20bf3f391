/* SPDX-License-Identifier: Apache-2.0 */
/* budget/samples_needed.h: how many runs, or how much longer ones, would decide an inconclusive hypothesis. The tests
 * repeat the measurement at random to check it. */
#include "tests/unit/decide_fixture.h"

#include "gate/base/hash.h"
#include "gate/budget/advice.h"
#include "gate/budget/samples_needed.h"
#include "gate/compare/student.h"

static const uint32_t one_run[GATE_SIDES] = {1, 1};

/* A hypothesis that was decided, and what would make it conclusive. */
struct settled {
    struct decide_room room;
    struct gate_hypothesis h;
    struct gate_decision_rules rules;
};

static void settle(struct settled *s, const struct decide_row *row, const uint32_t runs[GATE_SIDES]) {
    s->h = decide_hypothesis(row, &s->room);
    s->rules = decide_rules(row);
    s->room.evidence.variation = GATE_VARIATION_REPLICATES;
    gate_hypothesis_decide(&s->h, &s->rules);
    gate_samples_needed_find(&s->h, &s->rules, runs);
}

static double normal(uint64_t *random) {
    double u = ((double)(gate_hash_mix(++*random) >> 11) + 0.5) / 9007199254740992.0;
    return gate_normal_z(u);
}

/* Return the part of 2,000 random repetitions, with `factor` times the counts and the measured shares, that are
 * conclusive. */
static double decided_part(const struct settled *s, double factor) {
    enum { DRAWS = 2000 };
    uint64_t random = 1;
    int decided = 0;
    for (int i = 0; i < DRAWS; i++) {
        struct gate_hypothesis then = s->h;
        const struct gate_counts2 *c = &then.evidence->counts;
        double n1 = c->n1 * factor, n2 = c->n2 * factor, p1 = c->k1 / c->n1, p2 = c->k2 / c->n2;
        double k1 = n1 * p1 + sqrt(n1 * p1 * (1 - p1)) * normal(&random);
        double k2 = n2 * p2 + sqrt(n2 * p2 * (1 - p2)) * normal(&random);
        const struct gate_evidence drawn =
            decide_evidence((struct gate_counts2){fmax(k1, 0), n1, fmax(k2, 0), n2}, 1, true);
        then.evidence = &drawn;
        then.log_p = gate_hypothesis_family_log_p(&then, &drawn);
        then.log_p_adjusted = then.log_p <= then.log_level ? log(s->rules.alpha) : 0.0;
        gate_hypothesis_outcome(&then, &s->rules);
        decided += !gate_samples_needed_is_open(&then);
    }
    return (double)decided / DRAWS;
}

TEST(the_advised_samples_decide_nine_in_ten) {
    static const struct decide_row rows[] = {
        {"fails then", .limit = .05, .counts = {500, 1e4, 1020, 1e4}, .family = 10},
        {"fails then, once significant", .limit = .001, .counts = {500, 1e4, 560, 1e4}, .family = 1e5},
        {"proven then", .limit = .02, .counts = {50, 1e3, 60, 1e3}, .family = 10, .max_mde = 1e-9},
        {"has seen enough then", .limit = .05, .counts = {20, 400, 33, 400}, .family = 10, .max_mde = .06},
        {"share", GATE_LIMIT_SHARE, .1, {500, 1e4, 1020, 1e4}, .family = 10},
        {"ratio", GATE_LIMIT_INCREASE, 2, {500, 1e4, 1020, 1e4}, .family = 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct settled s;
        settle(&s, &rows[i], one_run);
        if (!(s.h.settle_factor > 1.0))
            fail_msg("%s: %s, factor %g", rows[i].name, gate_outcome_name(s.h.outcome), s.h.settle_factor);
        double enough = decided_part(&s, s.h.settle_factor), less = decided_part(&s, s.h.settle_factor / 1.5);
        if (enough < 0.86 || enough > 0.97 || less > 0.9)
            fail_msg("%s: %g times decide %g, less decides %g", rows[i].name, s.h.settle_factor, enough, less);
    }
}

/* Inconclusive own cost counts as decided once it is confirmed or excused. */
TEST(undecided_own_cost_gives_a_number_of_runs) {
    const struct decide_row row = {.limit = .05, .counts = {500, 1e4, 1500, 1e4}, .own = {30, 600, 75, 800}};
    struct settled s;
    settle(&s, &row, one_run);
    assert_int_equal(s.h.reason, GATE_REASON_OWN_COST_OPEN);
    assert_true(s.h.settle_factor > 1.0 && s.h.settle_factor < 100.0);
}

TEST(growth_at_its_limit_needs_an_unlimited_number_of_runs) {
    static const struct {
        double k2;
        bool is_advice;
    } rows[] = {{1000 + 1e-9, false}, {1000 + .5, false}, {1000 + 3, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct decide_row row = {.limit = .05, .counts = {500, 1e4, rows[i].k2, 1e4}, .max_mde = 1e-9};
        struct settled s;
        settle(&s, &row, one_run);
        assert_int_equal(s.h.reason, GATE_REASON_UNCONFIRMED);
        assert_int_equal(s.h.settle_factor > 0.0, rows[i].is_advice);
        assert_int_equal(s.h.longer_factor > 0.0, rows[i].is_advice);
    }
}

/* If runs differ by more than sampling explains, longer runs help little, and beyond some length not at all. */
TEST(longer_runs_do_not_reduce_run_to_run_variation) {
    const struct decide_row row = {.limit = .05, .counts = {5, 100, 6, 100}, .family = 10, .max_mde = 1e-9};
    static const double sampled[] = {100, 105, 1e4};
    double before = 0.0, runs = 0.0;
    for (size_t i = 0; i < sizeof sampled / sizeof *sampled; i++) {
        struct settled s;
        settle(&s, &row, one_run);
        s.room.evidence.sample_n[GATE_BASELINE] = s.room.evidence.sample_n[GATE_CANARY] = sampled[i];
        gate_samples_needed_find(&s.h, &s.rules, one_run);
        if (i == 0)
            decide_assert_near(s.h.longer_factor, s.h.settle_factor, 1e-9);
        else
            assert_true(s.h.settle_factor == runs);
        assert_true(i < 2 ? s.h.longer_factor > before : s.h.longer_factor == 0.0);
        before = s.h.longer_factor;
        runs = s.h.settle_factor;
    }
    /* Replicates say it by phi. */
    struct settled s;
    settle(&s, &row, one_run);
    s.room.evidence.phi = 3.0;
    gate_samples_needed_find(&s.h, &s.rules, one_run);
    assert_true(s.h.settle_factor > 2.0 * runs && s.h.longer_factor == 0.0);
}

/* What the runs of a build have in common is left with any number of them. */
TEST(more_runs_do_not_decide_what_they_have_in_common) {
    const struct decide_row row = {.limit = .05, .counts = {5, 100, 6, 100}, .family = 10, .max_mde = 1e-9};
    static const float common[] = {0.0F, 0.01F, 2.9F};
    double before = 0.0;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        struct settled s;
        settle(&s, &row, one_run);
        s.room.evidence.phi = 3.0;
        s.room.evidence.phi_common = common[i];
        gate_samples_needed_find(&s.h, &s.rules, one_run);
        assert_true(i < 2 ? s.h.settle_factor > before : s.h.settle_factor == 0.0);
        before = s.h.settle_factor;
    }
}

/* More runs measure the variation between runs better. */
TEST(runs_add_degrees_of_freedom) {
    const struct decide_row row = {.limit = .05, .counts = {500, 1e4, 1020, 1e4}, .family = 1e3};
    const uint32_t many[GATE_SIDES] = {5, 5};
    struct settled few, more;
    settle(&few, &row, one_run);
    settle(&more, &row, one_run);
    few.room.evidence.df = more.room.evidence.df = 3.0;
    gate_samples_needed_find(&few.h, &few.rules, one_run);
    gate_samples_needed_find(&more.h, &more.rules, many);
    assert_true(few.h.settle_factor > more.h.settle_factor);
    /* In pairs a round of both sides counts once: two rounds add as much as one run per side does otherwise */
    const uint32_t two[GATE_SIDES] = {2, 2};
    more.room.evidence.is_paired = true;
    gate_samples_needed_find(&more.h, &more.rules, two);
    assert_true(more.h.settle_factor == few.h.settle_factor);
}

/* One run per side and no noise model: for cumulative costs, groups and the runtime, several runs show less variation
 * than was assumed. */
TEST(several_runs_measure_less_variation_than_assumed) {
    const struct decide_row row = {.limit = .05, .counts = {5, 100, 6, 100}, .family = 10, .max_mde = 1e-9};
    double factor[2];
    for (int wide = 0; wide < 2; wide++) {
        struct settled s;
        settle(&s, &row, one_run);
        s.room.evidence.variation = GATE_VARIATION_ASSUMED;
        s.room.evidence.is_wide = wide;
        s.room.evidence.sample_n[GATE_BASELINE] = s.room.evidence.sample_n[GATE_CANARY] = 1e3;
        gate_samples_needed_find(&s.h, &s.rules, one_run);
        factor[wide] = s.h.settle_factor;
    }
    /* A quarter of the variation is left, but it has fewer degrees of freedom. */
    assert_true(factor[0] / factor[1] > 2.0 && factor[0] / factor[1] < 10.0 / (1.0 + 9.0 * 0.25));
}

/* A fail needs min_samples on one side, also for amounts, which can pass with fewer. */
TEST(samples_that_cannot_fail_do_not_decide) {
    const struct decide_row row = {
        .limit = .05, .counts = {5, 60, 12, 60}, .min_samples = 1000, .samples = {60, 60}, .max_mde = 1e-9};
    struct settled s;
    settle(&s, &row, one_run);
    assert_int_equal(s.h.reason, GATE_REASON_UNCONFIRMED);
    if (s.h.settle_factor < 1000.0 / 60 || s.h.longer_factor < 1000.0 / 60)
        fail_msg("%g, %g", s.h.settle_factor, s.h.longer_factor);
}

TEST(decided_hypotheses_need_no_samples) {
    const struct decide_row row = {.limit = .05, .counts = {500, 1e4, 500, 1e4}};
    struct settled s;
    settle(&s, &row, one_run);
    assert_true(s.h.settle_factor == 0.0 && s.h.longer_factor == 0.0);
}

/* The number of runs that decides one hypothesis does not decide the verdict while another one needs more. */
TEST(the_verdict_needs_the_runs_of_its_most_demanding_hypothesis) {
    struct gate_run runs[3] = {{.unit_ratio = 1}};
    struct gate_comparison comparison = {
        .pair.sides = {{.runs = runs, .run_count = 2}, {.runs = runs, .run_count = 3}}};
    struct gate_hypothesis h[] = {
        {.outcome = GATE_OUTCOME_INCONCLUSIVE, .reason = GATE_REASON_UNCONFIRMED, .settle_factor = 1.4},
        {.outcome = GATE_OUTCOME_INCONCLUSIVE, .reason = GATE_REASON_TOO_FEW_SAMPLES, .settle_factor = 2.1},
        {.outcome = GATE_OUTCOME_PASS, .reason = GATE_REASON_TOO_FEW_SAMPLES, .settle_factor = 6}};
    const uint32_t counts[GATE_SIDES] = {2, 3};
    assert_true(gate_samples_needed_runs(&h[0], counts) == 5.0);
    assert_true(gate_samples_needed_verdict_runs(h, 1, &comparison) == 5.0);
    assert_true(gate_samples_needed_verdict_runs(h, 3, &comparison) == 7.0);
    h[2] = h[1];
    h[2].settle_factor = 7.0; /* 21 runs are not recommended */
    assert_true(gate_samples_needed_verdict_runs(h, 3, &comparison) == 0.0);
    h[2].settle_factor = 0.0;
    assert_true(gate_samples_needed_verdict_runs(h, 3, &comparison) == 0.0);
    h[2].reason = GATE_REASON_DELAY_REPLICATES;
    assert_true(gate_samples_needed_verdict_runs(h, 3, &comparison) == 7.0);
    assert_true(gate_samples_needed_verdict_runs(h, 0, &comparison) == 0.0);
    runs[0].counts.repeats = 2.0; /* rounds of one process: no number of them decides */
    assert_true(gate_samples_needed_verdict_runs(h, 3, &comparison) == 0.0);
}

/* The limit on searches applies to all budgets together. Hypotheses that are decided, or need no search, do not use it
 * up. */
TEST(searches_stop_at_their_limit) {
    struct settled s;
    struct gate_hypothesis h[6];
    settle(&s, &(struct decide_row){.limit = .05, .counts = {500, 1e4, 1020, 1e4}, .family = 10}, one_run);
    assert_true(gate_samples_needed_is_open(&s.h) && gate_samples_needed_applies(&s.h));
    for (size_t i = 0; i < 6; i++)
        h[i] = s.h;
    h[1].reason = GATE_REASON_WITHIN;
    h[2].is_bystander = true;
    h[2].outcome = GATE_OUTCOME_PASS;
    size_t left = 3;
    assert_int_equal(gate_samples_needed_limit(h, 3, &left), 3);
    assert_int_equal(left, 2);
    assert_int_equal(gate_samples_needed_limit(h + 3, 3, &left), 2);
    assert_int_equal(left, 0);
    assert_int_equal(gate_samples_needed_limit(h, 6, &left), 0);
    assert_int_equal(gate_samples_needed_limit(h + 1, 2, &left), 2);
}

#define CAP "; without a noise model one run counts as at most 100 samples"
#define CLOSE "these samples cannot separate the growth from the limit: "
#define DECIDE " effective samples per side would decide it"
#define LONGER2 ", or as many runs as now that are 2.0x as long"
#define MANY "more than 20 runs per side like these would be needed"
#define OR_LIMIT "; otherwise raise the limit if this much may pass, or lower it if not"
#define OR_WORK "; with the work done on each side (--work baseline=N --work canary=N) fewer may suffice"
#define WORK "give the work done on each side (--work baseline=N --work canary=N)"

/* Two runs of 10 s in the baseline, with 100 events, and three of 15 s in the canary, with 200. */
TEST(advice_gives_samples_lengths_and_runs) {
    static const struct {
        enum gate_reason reason;
        double factor, longer, rho; /* settle_factor, longer_factor; rho is 0 if variation is measured */
        double all, repeats;        /* settle_runs of the verdict, and rounds of one process */
        const char *type, *name, *text;
        bool is_swapped, is_timeless, work_is_known;
        double min_samples;
    } rows[] = {
        {GATE_REASON_UNCONFIRMED, 1.4, 1.5, .all = 5, .repeats = 1,
         .text = "about 140" DECIDE " (30s of this load, or 5 runs like these)"},
        {GATE_REASON_UNCONFIRMED, 1.4, 1.5, .all = 7, .is_swapped = true,
         .text = "about 140" DECIDE
                 " (30s of this load, or 5 runs like these); to decide all findings, about 7 runs per side"},
        {GATE_REASON_UNCONFIRMED, 1.4, 2,
         .text =
             "about 5 runs like these per side would decide it (140 effective samples)" LONGER2 " (20s each) or have "
             "2.0x the load"},
        {GATE_REASON_UNCONFIRMED, 1.4, 101,
         .text = "about 5 runs like these per side would decide it (140 effective samples)"},
        {GATE_REASON_UNCONFIRMED, .3, 1.5, .is_timeless = true, .text = "about 30" DECIDE " (1 run like these)"},
        {GATE_REASON_UNCONFIRMED, 1.4,
         .text = "about 5 runs like these per side would decide it, longer runs would not"},
        {GATE_REASON_UNCONFIRMED, 1.4, 1.5, .type = "inuse_space",
         .text = "about 5 runs like these per side would decide it, longer runs would not"},
        {GATE_REASON_UNCONFIRMED, 1.4, 1.5, .name = "runtime.bgsweep",
         .text = "collector: compare GOGC, GOMEMLIMIT and the load of both sides; about 140" DECIDE
                 " (30s of this load, or 5 runs like these)"},
        {GATE_REASON_UNCONFIRMED, 1.4, 1.5, .repeats = 2,
         .text = "about 140" DECIDE ", and more rounds of one process have no more: sample memory more often (in Go "
                 "runtime.MemProfileRate), or compare more processes"},
        {GATE_REASON_MIN_SAMPLES, 1.4, 1.5, .text = "about 140" DECIDE " (28s of this load, or 5 runs like these)"},
        {GATE_REASON_MIN_SAMPLES, .3, 1.5, .text = "about 30" DECIDE " (6s of this load, or 1 run like these)"},
        /* Nothing can fail while both sides have fewer than min_samples: one of them must reach it. */
        {GATE_REASON_MIN_SAMPLES, 1.25, 1.5, .min_samples = 250,
         .text = "about 250 effective samples on one side would decide it (25s of this load, or 4 runs like these)"},
        {GATE_REASON_UNCONFIRMED, 1.3, 1.5, .min_samples = 250, .repeats = 2,
         .text = "about 260 effective samples on one side would decide it, and more rounds of one process have no "
                 "more: sample memory more often (in Go runtime.MemProfileRate), or compare more processes"},
        {GATE_REASON_UNCONFIRMED, 3, 3, .min_samples = 250,
         .text = "about 300" DECIDE " (1m of this load, or 9 runs like these)"},
        {GATE_REASON_MIN_SAMPLES, .text = "take both sides under the same load, at the same time since their start"},
        {GATE_REASON_TOO_FEW_SAMPLES, 7, 1.5,
         .text = "about 700" DECIDE " (30s of this load, or more than 20 runs like these)"},
        {GATE_REASON_TOO_FEW_SAMPLES, 20. / 3, 1.5,
         .text = "about 667" DECIDE " (30s of this load, or 20 runs like these)"},
        {GATE_REASON_UNCONFIRMED, 7, 100,
         .text = CLOSE MANY
         ", or as many runs as now that are 100.0x as long (16m40s each) or have 100.0x the load" OR_WORK OR_LIMIT},
        {GATE_REASON_UNCONFIRMED, 7, 101, .work_is_known = true, .text = CLOSE MANY OR_LIMIT},
        {GATE_REASON_UNCONFIRMED, 7, 2, .is_swapped = true,
         .text = CLOSE MANY LONGER2 " (20s each) or have 2.0x the load" OR_WORK OR_LIMIT},
        {GATE_REASON_UNCONFIRMED, 7, 2, .is_timeless = true,
         .text = CLOSE MANY LONGER2 " or have 2.0x the load" OR_WORK OR_LIMIT},
        {GATE_REASON_UNCONFIRMED, 7, 2, .type = "inuse_space", .text = CLOSE MANY OR_LIMIT},
        {GATE_REASON_UNCONFIRMED, .text = CLOSE "no number of runs like these would decide it" OR_WORK OR_LIMIT},
        {GATE_REASON_UNCONFIRMED, 1.4, 1.5, .01, .all = 9,
         .text = "about 5 runs per side would decide it; to decide all findings, about 9 runs per side" CAP},
        {GATE_REASON_UNCONFIRMED, 1.4, 1.5, .005, .text = "about 5 runs per side would decide it"},
        {GATE_REASON_TOO_FEW_SAMPLES, 7, 1.5, .01, .is_swapped = true, .text = MANY CAP},
        {GATE_REASON_OTHERS_SHRANK, .5, 1.5,
         .text = "to be sure, " WORK "; about 50" DECIDE " (30s of this load, or 2 runs like these)"},
        {GATE_REASON_OTHERS_SHRANK, .text = "to be sure, " WORK},
        {GATE_REASON_OWN_COST_OPEN, 1.4, 1.5, .work_is_known = true,
         .text = "about 140" DECIDE " (30s of this load, or 5 runs like these)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_run run = {.counts.repeats = rows[i].repeats};
        const struct gate_evidence evidence = {
            .rho = rows[i].rho, .variation = rows[i].rho > 0.0 ? GATE_VARIATION_ASSUMED : GATE_VARIATION_REPLICATES};
        const struct gate_hypothesis h = {.name = gate_str_from(rows[i].name == NULL ? "" : rows[i].name),
                                          .frame = GATE_NO_INDEX,
                                          .evidence = &evidence,
                                          .outcome = GATE_OUTCOME_INCONCLUSIVE,
                                          .reason = rows[i].reason,
                                          .settle_factor = rows[i].factor,
                                          .longer_factor = rows[i].longer};
        const int64_t s = rows[i].is_timeless ? 0 : INT64_C(1000000000);
        const int first = rows[i].is_swapped;
        struct gate_comparison comparison = {.work_is_known = rows[i].work_is_known};
        comparison.pair.type.type = gate_str_from(rows[i].type == NULL ? "cpu" : rows[i].type);
        comparison.pair.sides[first] =
            (struct gate_side){.runs = &run, .run_count = 2, .events = 100, .duration_ns = 20 * s};
        comparison.pair.sides[1 - first] =
            (struct gate_side){.runs = &run, .run_count = 3, .events = 200, .duration_ns = 45 * s};
        const struct gate_budget budget = {.owner = GATE_STR("me")};
        const struct gate_rules rules = {.min_samples = rows[i].min_samples};
        const struct gate_sentence wording = {
            .rules = &rules, .budget = &budget, .comparison = &comparison, .settle_runs = rows[i].all};
        struct gate_str text = gate_advice_on(&wording, &h, &arena);
        if (!gate_str_equal(text, gate_str_format(&arena, "%s; owner: me", rows[i].text)))
            fail_msg("row %zu: %.*s", i, GATE_STR_ARG(text));
    }
}
