/* SPDX-License-Identifier: Apache-2.0 */
/* Judging HTTP answers: which are good, which are retried and after how long, and the messages for the others. */
#include "gate/capture/http.h"
#include "tests/unit/unit.h"

static const struct gate_answer_policy policy = {.retries = 4, .backoff_s = 0.5};

#define BUSY "Could not enable CPU profiling: cpu profiling already in use\n"

static const struct {
    enum gate_answer_failure failure;
    long status;
    const char *body;
    bool is_well, again;
    const char *message;
} answers[] = {
    {GATE_ANSWER_CAME, 200, "x", true, false, ""},
    {GATE_ANSWER_CAME, 204, "", false, false, "HTTP 204"},
    {GATE_ANSWER_CAME, 400, "too long\nx", false, false, "HTTP 400, \"too long\""},
    {GATE_ANSWER_CAME, 401, "<html>", false, false, "HTTP 401; authentication required"},
    {GATE_ANSWER_CAME, 403, "", false, false, "HTTP 403; it may want a token"},
    {GATE_ANSWER_CAME, 404, "", false, false, "net/http/pprof"},
    {GATE_ANSWER_CAME, 407, "", false, false, "HTTP 407; the proxy wants credentials"},
    {GATE_ANSWER_CAME, 408, "", false, true, "HTTP 408"},
    {GATE_ANSWER_CAME, 429, "", false, true, "HTTP 429"},
    {GATE_ANSWER_CAME, 500, "no", false, true, "HTTP 500, \"no\""},
    {GATE_ANSWER_CAME, 500, BUSY, false, true, "another CPU profile"},
    {GATE_ANSWER_CAME, 400, "{\"code\":\"invalid_argument\",\"message\":\"bad labels\"}", false, false,
     "HTTP 400, \"bad labels\""},
    {GATE_ANSWER_CAME, 422, "{\"status\":\"error\",\"error\":\"parse error\"}", false, false,
     "HTTP 422, \"parse error\""},
    {GATE_ANSWER_CAME, 400, "{\"message\":\"a\\u001b[2J\"}", false, false, "HTTP 400, \"{"},
    {GATE_ANSWER_CAME, 400, "{\"message\":\"no \\\"x\\\"\"}", false, false, "HTTP 400, \"no \"x\"\""},
    {GATE_ANSWER_CAME, 400, "{\"message\":\"tok\\/en\"}", false, false, "HTTP 400, \"{\"message\""},
    {GATE_ANSWER_CAME, 400, "{\"message\":7}", false, false, "HTTP 400, \"{\"message\":7}\""},
    {GATE_ANSWER_CAME, 501, "", false, false, "HTTP 501"},
    {GATE_ANSWER_CAME, 502, "", false, true, "HTTP 502"},
    {GATE_ANSWER_CAME, 503, "\x1b[2J", false, true, "HTTP 503"},
    {GATE_ANSWER_CAME, 504, "", false, true, "HTTP 504"},
    {GATE_ANSWER_NO_HOST, 0, "", false, false, "the host is not known: why"},
    {GATE_ANSWER_NO_CONNECTION, 0, "", false, true, "no connection: why"},
    {GATE_ANSWER_CUT, 200, "", false, true, "the answer was cut: why"},
    {GATE_ANSWER_TIMEOUT, 0, "", false, false, "--timeout"},
    {GATE_ANSWER_TLS, 0, "", false, false, "--ca-file"},
    {GATE_ANSWER_PROXY, 0, "", false, false, "why; check https_proxy and no_proxy"},
    {GATE_ANSWER_TOO_LARGE, 200, "", false, false, "larger than 9 bytes; raise --max-bytes"},
    {GATE_ANSWER_REFUSED_REDIRECT, 302, "", false, false, "redirects to why"},
    {GATE_ANSWER_OTHER, 0, "", false, false, "why"},
};

TEST(an_answer_succeeds_is_retried_or_fails) {
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const struct gate_answer answer = {.failure = answers[i].failure,
                                           .reason = "why",
                                           .status = answers[i].status,
                                           .body = gate_str_from(answers[i].body),
                                           .said = gate_str_from(answers[i].body),
                                           .max_bytes = 9,
                                           .attempt = 1};
        struct gate_answer_step step;
        struct gate_error why = {0};
        gate_answer_judge(&step, &answer, &policy, 0, &why);
        if (step.is_well != answers[i].is_well || step.again != answers[i].again ||
            strstr(why.message, answers[i].message) == NULL || strchr(why.message, '\x1b') != NULL)
            fail_msg("answer %zu: %s", i, why.message);
    }
}

TEST(messages_about_a_store_give_its_own_next_steps) {
    static const struct {
        long status;
        bool has_credentials;
        const char *message;
    } steps[] = {{401, false, "and --tenant for a store of several tenants"},
                 {401, true, "or --tenant ID is missing"},
                 {403, false, "it may want a token"},
                 {403, true, "lack permission"},
                 {404, false, "is the address that of the store itself"}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct gate_answer answer = {
            .status = steps[i].status, .is_of_store = true, .has_credentials = steps[i].has_credentials, .attempt = 1};
        struct gate_answer_step step;
        struct gate_error why = {0};
        gate_answer_judge(&step, &answer, &policy, 0, &why);
        assert_non_null(strstr(why.message, steps[i].message));
    }
}

static struct gate_answer_step step_of(uint32_t attempt, const char *body, double retry_after, double jitter) {
    const struct gate_answer answer = {
        .status = 503, .body = gate_str_from(body), .attempt = attempt, .retry_after_s = retry_after};
    struct gate_answer_step step;
    struct gate_error why = {0};
    gate_answer_judge(&step, &answer, &policy, jitter, &why);
    return step;
}

TEST(the_wait_doubles_up_to_a_limit) {
    assert_true(step_of(1, "", 0, 0).wait_s == 0.5);
    assert_true(step_of(2, "", 0, 0).wait_s == 1);
    assert_true(step_of(4, "", 0, 0).wait_s == 4);
    assert_true(step_of(1, "", 0, 1).wait_s == 0.25);
    assert_true(step_of(1, "", 30, 0.5).wait_s == 30);
    assert_true(step_of(8, BUSY, 0, 0).wait_s == 15);
    assert_true(step_of(1, BUSY, 0, 0).wait_s == 2);
}

TEST(retries_end_at_their_limit) {
    assert_true(step_of(4, "", 0, 0).again);
    assert_false(step_of(5, "", 0, 0).again);
    assert_true(step_of(8, BUSY, 0, 0).again);
    assert_false(step_of(9, BUSY, 0, 0).again);
    assert_true(step_of(1, "", 120, 0).again);
    assert_false(step_of(1, "", 121, 0).again);
}

TEST(a_line_that_was_cut_is_not_shown) {
    struct gate_answer answer = {.status = 500, .said = GATE_STR("whole\ncu"), .is_cut = true, .attempt = 1};
    struct gate_answer_step step;
    struct gate_error why = {0};
    gate_answer_judge(&step, &answer, &policy, 0, &why);
    assert_string_equal(why.message, "HTTP 500, \"whole\"");
    answer.said = GATE_STR("half a tok");
    gate_answer_judge(&step, &answer, &policy, 0, &why);
    assert_string_equal(why.message, "HTTP 500");
}

TEST(no_retry_begins_after_the_deadline) {
    struct gate_answer_policy until = {.retries = 4, .backoff_s = 0.5, .has_deadline = true, .left_s = 30.1};
    struct gate_answer answer = {.status = 503, .attempt = 1, .retry_after_s = 30, .waited_s = 2};
    struct gate_answer_step step;
    struct gate_error why = {0};
    gate_answer_judge(&step, &answer, &until, 0, &why);
    assert_true(step.again && !step.is_over);
    until.left_s = 29.9;
    gate_answer_judge(&step, &answer, &until, 0, &why);
    assert_true(!step.again && step.is_over);
    assert_string_equal(why.message, "timeout: HTTP 503, and the next retry would be in 30.0s");
    answer.attempt = 5; /* no retry is left, so the deadline is not the cause */
    gate_answer_judge(&step, &answer, &until, 0, &why);
    assert_true(!step.again && !step.is_over);
    until.left_s = -0.1;
    answer.failure = GATE_ANSWER_TIMEOUT;
    gate_answer_judge(&step, &answer, &until, 0, &why);
    assert_true(!step.again && step.is_over);
    assert_string_equal(why.message, "the time is over: no whole answer within 2 s");
    until.left_s = 0.0004; /* a timeout in whole milliseconds can end this early */
    gate_answer_judge(&step, &answer, &until, 0, &why);
    assert_true(!step.is_over);
    answer.is_short = true;
    gate_answer_judge(&step, &answer, &until, 0, &why);
    assert_true(!step.again && step.is_over);
}
