/* SPDX-License-Identifier: Apache-2.0 */
/* budget/trend.h: a row for each rule of docs/statistics.md. */
#include "gate/budget/trend.h"

#include "tests/unit/unit.h"

#include <math.h>

/* Ten points that rise by 5 per point, with certainty, with and without the largest step. */
static struct gate_trend_case rising(void) {
    return (struct gate_trend_case){.fit = {.count = 10,
                                            .whole = {5, 4, 6, 45},
                                            .within = {5, 3.5, 6.5, 20},
                                            .log_p = -14,
                                            .log_p_least = -15,
                                            .inflation = 1,
                                            .step_at = 5,
                                            .step = 25,
                                            .residual = 5,
                                            .step_residual = 60},
                                    .limit = 2,
                                    .alpha = 0.01,
                                    .family = 3,
                                    .log_p_adjusted = -13};
}

static void assert_decided(struct gate_trend_case one, enum gate_outcome outcome, enum gate_trend_reason reason) {
    gate_trend_decide(&one);
    assert_int_equal(one.outcome, outcome);
    assert_int_equal(one.reason, reason);
}

TEST(a_slope_surely_over_the_limit_fails_or_warns) {
    struct gate_trend_case one = rising();
    assert_decided(one, GATE_OUTCOME_FAIL, GATE_TREND_OVER);
    one.warns_only = true;
    assert_decided(one, GATE_OUTCOME_WARN, GATE_TREND_SEVERITY_WARN);
}

TEST(a_slope_passes_if_its_interval_is_within_limit_or_max_mde) {
    struct gate_trend_case one = rising();
    one.limit = 6;
    assert_decided(one, GATE_OUTCOME_PROVEN, GATE_TREND_WITHIN);
    one.limit = 5.9;
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_UNCERTAIN);
    one.unseen = 6;
    assert_decided(one, GATE_OUTCOME_PASS, GATE_TREND_UNSEEN);
}

/* Each condition of a failure, removed in turn. */
TEST(a_failure_needs_each_of_its_conditions) {
    struct gate_trend_case one = rising();
    one.log_p_adjusted = log(0.011);
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_UNCERTAIN);
    one = rising();
    one.fit.whole.low = 2;
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_UNCERTAIN);
    one = rising();
    one.fit.within.low = 2;
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_STEP_OR_SLOPE);
    one.warns_only = true;
    assert_decided(one, GATE_OUTCOME_WARN, GATE_TREND_STEP_OR_SLOPE);
    one = rising();
    one.fit.log_p_least = log(0.02); /* no rise of such values can be significant */
    one.log_p_adjusted = -20;
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_UNCERTAIN);
}

TEST(a_step_is_a_warning_only_if_it_explains_the_rise) {
    struct gate_trend_case one = rising();
    one.fit.within = (struct gate_trend_slope){0, -1, 1, 20};
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_STEP_OR_SLOPE); /* the line fits better */
    one.fit.step_residual = 4;
    assert_decided(one, GATE_OUTCOME_WARN, GATE_TREND_STEP);
    one.fit.step = 1.9; /* the step is as large as the usual difference between points */
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_STEP_OR_SLOPE);
    one.fit.step = -25; /* a sudden fall does not excuse a slope */
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_STEP_OR_SLOPE);
    one.fit.step = 25;
    one.fit.within.high = 3;
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_STEP_OR_SLOPE);
    one.unseen = 3;
    assert_decided(one, GATE_OUTCOME_WARN, GATE_TREND_STEP);
}

TEST(too_few_points_are_inconclusive_even_within_the_limit) {
    struct gate_trend_case one = rising();
    one.fit.count = 4;
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_TOO_FEW_POINTS);
    one.limit = 100; /* four points prove nothing within the limit either */
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_TOO_FEW_POINTS);
    one = rising();
    one.fit.count = 6;
    one.family = 100;
    one.log_p_adjusted = log(100.0 / 720);
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_TOO_FEW_POINTS);
    gate_trend_decide(&one);
    assert_int_equal(one.points_needed, 8); /* 100 / 8! <= .01 */
    one = rising();
    one.fit.count = 3;
    one.family = 0; /* three points are significant for no series; with more, all twenty are tested */
    one.series = 20;
    gate_trend_decide(&one);
    assert_int_equal(one.points_needed, 7); /* 20 / 7! <= .01 */
    one = rising();
    one.fit.count = 5;
    one.family = 0; /* no series of the family can be significant; with one more point this one may be the first */
    one.alpha = 0.001;
    one.log_p_adjusted = 0.0;
    assert_decided(one, GATE_OUTCOME_INCONCLUSIVE, GATE_TREND_TOO_FEW_POINTS);
    gate_trend_decide(&one);
    assert_int_equal(one.points_needed, 7); /* 1 / 7! <= .001 */
}

TEST(more_points_are_needed_as_the_limit_nears_the_slope) {
    struct gate_trend_case one = rising();
    one.limit = 4.5;
    gate_trend_decide(&one);
    assert_int_equal(one.reason, GATE_TREND_UNCERTAIN);
    /* within the limit: the interval is 1.5 to either side, and 0.5 are left to the limit: 10 * 3^(2/3) */
    assert_int_equal(one.points_needed, 21);
    one.limit = 4.983;
    gate_trend_decide(&one);
    assert_int_equal(one.points_needed, 199);
    one.limit = 4.9835; /* 203 points: more than are advised */
    gate_trend_decide(&one);
    assert_int_equal(one.points_needed, 0);
    one.limit = 5;
    gate_trend_decide(&one);
    assert_int_equal(one.points_needed, 0); /* for a slope exactly at the limit no number of points decides */
}
