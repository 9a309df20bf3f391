/* SPDX-License-Identifier: Apache-2.0 */
/* report/trend_report.h: the sentence, the advice and the first line for each way in which a trend is decided. */
#include "gate/report/trend_report.h"
#include "tests/unit/unit.h"

#include <math.h>

/* 12 builds. main.f rises by 1.2 pp per build, and by 0.1 pp without its largest step, which is 8 pp at r5. */
static struct gate_trend_case judged_of(enum gate_outcome outcome, enum gate_trend_reason reason) {
    return (struct gate_trend_case){.outcome = outcome,
                                    .reason = reason,
                                    .limit = 0.01,
                                    .log_p_adjusted = log(0.001),
                                    .fit = {.count = 12,
                                            .whole = {.slope = 0.012, .low = 0.01, .high = 0.014},
                                            .within = {.slope = 0.001, .low = -INFINITY, .high = 0.002},
                                            .step_at = 1,
                                            .step = 0.08}};
}

/* Print the report of results with one finding each, and compare. */
static void expect_text(const struct gate_trend_case *judged, uint32_t count, const char *const *parts) {
    static const struct gate_rules rules = {.alpha = 0.01, .alpha_margin = 0.05};
    static const struct gate_limit limit = {.kind = GATE_LIMIT_SHARE_INCREASE, .value = 0.01, .text = GATE_STR("+1pp")};
    static const struct gate_budget budgets[] = {{.name = GATE_STR("b0"), .per = GATE_PER_ACCEPT},
                                                 {.name = GATE_STR("b1"), .per = GATE_PER_ACCEPT}};
    static const struct gate_series_point points[] = {{.title = GATE_STR("r4")}, {.title = GATE_STR("r5")}};
    static const struct gate_frame frame = {.name = GATE_STR("main.f")};
    struct gate_trend_finding findings[2];
    struct gate_trend_result results[2];
    AT_END(gate_buf_free) struct gate_buf out = {0};
    struct gate_trend_verdict verdict = {.outcome = GATE_OUTCOME_PASS,
                                         .rules = &rules,
                                         .points = points,
                                         .point_count = 2,
                                         .type = {GATE_STR("cpu"), GATE_STR("nanoseconds")},
                                         .results = results,
                                         .result_count = count,
                                         .from = GATE_STR("service shop")};
    const struct gate_trend_text_options options = {.columns = 500};
    for (uint32_t i = 0; i < count; i++) {
        findings[i] = (struct gate_trend_finding){
            .name = i == 0 ? GATE_STR("main.f") : GATE_STR("main.g"), .frame = &frame, .limit = &limit};
        findings[i].judged = judged[i];
        results[i] = (struct gate_trend_result){.budget = &budgets[i],
                                                .scale = GATE_SERIES_SHARE,
                                                .outcome = judged[i].outcome,
                                                .findings = &findings[i],
                                                .finding_count = 1,
                                                .held = judged[i].outcome == GATE_OUTCOME_PASS};
        if (judged[i].outcome > verdict.outcome && judged[i].outcome != GATE_OUTCOME_WARN)
            verdict.outcome = judged[i].outcome;
    }
    gate_trend_text(&out, &verdict, &options);
    for (; *parts != NULL; parts++)
        if (gate_str_find(gate_buf_view(&out), gate_str_from(*parts), 0) == SIZE_MAX)
            fail_msg("expected '%s' in\n%.*s", *parts, GATE_STR_ARG(gate_buf_view(&out)));
}

#define SLOPE "main.f: +1.2 pp per accept (90% CI [+1.0 pp, +1.4 pp])"

TEST(each_reason_has_its_sentence) {
    static const struct {
        enum gate_outcome outcome;
        enum gate_trend_reason reason;
        const char *parts[5];
    } rows[] = {
        {GATE_OUTCOME_FAIL,
         GATE_TREND_OVER,
         {"FAIL  1 of 1 budget broken: main.f", SLOPE "; p = 0.001\n", "breaks \"b0\" (+1 pp per accept)\n",
          "next: look at what this holds or does more of from build to build; as one step it would be +8.0 pp at "
          "r5\n"}},
        {GATE_OUTCOME_WARN,
         GATE_TREND_STEP,
         {"main.f: grew at once, by +8.0 pp at r5; without that step +0.10 pp per accept (90% CI [no end, +0.20 pp])\n",
          "warns: \"b0\"", "next: a change made it so, and 'pprofgate check' judges changes\n"}},
        {GATE_OUTCOME_INCONCLUSIVE,
         GATE_TREND_STEP_OR_SLOPE,
         {SLOPE ", with a step of +8.0 pp at r5: a step or a slope\n", "undecided: \"b0\"",
          "next: more builds will hardly decide it: accept more runs of each, or give the budget a 'max_mde'\n"}},
        {GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_UNCERTAIN, {SLOPE ": within the limit or over it\n"}},
        {GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_TOO_FEW_POINTS, {SLOPE ": 12 builds are too few for a trend\n"}},
        {GATE_OUTCOME_PASS, GATE_TREND_WITHIN, {"\"b0\" (+1 pp per accept): 1 held, the nearest main.f +1.2 pp"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_trend_case judged = judged_of(rows[i].outcome, rows[i].reason);
        expect_text(&judged, 1, rows[i].parts);
    }
}

TEST(sentences_contain_serial_correlation_and_points_needed) {
    struct gate_trend_case judged = judged_of(GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_UNCERTAIN);
    judged.fit.serial = 0.456;
    judged.points_needed = 13;
    expect_text(&judged, 1,
                (const char *const[]){"; each build is like the one before (serial correlation 0.46)\n",
                                      "next: accept about 1 more build\n", NULL});
    judged.fit.whole.low = 0.011; /* above the limit */
    judged.family = 40;
    expect_text(&judged, 1,
                (const char *const[]){": over the limit, but not significant among 40 series (p = 0.001); each", NULL});
    judged.points_needed = 14;
    expect_text(&judged, 1, (const char *const[]){"next: accept about 2 more builds\n", NULL});
    judged.points_needed = 12;
    expect_text(&judged, 1, (const char *const[]){"next: more builds will hardly decide it", NULL});
    judged.fit.whole.low = -INFINITY;
    judged.fit.whole.high = INFINITY;
    expect_text(&judged, 1, (const char *const[]){"main.f: +1.2 pp per accept (no interval): within", NULL});
    judged.fit.count = 1;
    expect_text(&judged, 1, (const char *const[]){"main.f: one build is too few for a trend\n", NULL});
}

TEST(the_first_line_counts_the_worst) {
    const struct gate_trend_case fails = judged_of(GATE_OUTCOME_FAIL, GATE_TREND_OVER),
                                 open = judged_of(GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_UNCERTAIN),
                                 warns = judged_of(GATE_OUTCOME_WARN, GATE_TREND_SEVERITY_WARN),
                                 holds = judged_of(GATE_OUTCOME_PASS, GATE_TREND_WITHIN);
    const struct {
        struct gate_trend_case judged[2];
        const char *text;
    } rows[] = {{{open, fails}, "FAIL  1 of 2 budgets broken: main.g +1.2 pp per accept\n"},
                {{fails, fails}, "FAIL  2 of 2 budgets broken: main.f +1.2 pp per accept\n"},
                {{warns, open}, "INCONCLUSIVE  1 of 2 budgets undecided: main.g +1.2 pp per accept\n"},
                {{holds, warns}, "PASS  1 of 2 budgets warning: main.g +1.2 pp per accept\n"},
                {{holds, holds}, "PASS  2 of 2 budgets hold\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_text(rows[i].judged, 2, (const char *const[]){rows[i].text, NULL});
    expect_text(&holds, 1, (const char *const[]){"PASS  1 of 1 budget holds\n", NULL});
}
