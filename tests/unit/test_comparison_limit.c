/* SPDX-License-Identifier: Apache-2.0 */
/* session/comparison_limit.h: how many comparisons are made, given the cost of each, and the note about it. */
#include "gate/session/comparison_limit.h"
#include "tests/unit/unit.h"

struct fixture {
    struct gate_arena arena;
    struct gate_session session;
    struct gate_limits limits;
    struct gate_error err;
    char *said;
    size_t said_len;
};

/* Begin a run with a limit of `steps` steps. */
static void begin(struct fixture *t, uint64_t steps) {
    *t = (struct fixture){.limits = gate_limits_default()};
    gate_arena_init(&t->arena, 0);
    t->limits.steps = steps;
    t->session = (struct gate_session){.arena = &t->arena, .err = open_memstream(&t->said, &t->said_len)};
    assert_non_null(t->session.err);
}

static void end(struct fixture *t, const char *said) {
    assert_int_equal(fclose(t->session.err), 0);
    if (said == NULL)
        assert_int_equal(t->said_len, 0);
    else
        assert_non_null(strstr(t->said, said));
    free(t->said);
    gate_arena_free(&t->arena);
}

TEST(one_frame_takes_as_many_steps_as_64_records) {
    assert_int_equal(gate_comparison_limit_steps(0, 0), 0);
    assert_int_equal(gate_comparison_limit_steps(10, 2), 138);
    assert_true(gate_comparison_limit_steps(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(gate_comparison_limit_steps(1, UINT64_MAX / 2) == UINT64_MAX);
}

TEST(pairs_that_fit_are_all_compared) {
    struct fixture t;
    begin(&t, 16000);
    assert_int_equal(gate_comparison_limit_pairs(10, 100, &t.limits, &t.session), 10);
    assert_int_equal(gate_comparison_limit_pairs(0, 0, &t.limits, &t.session), 0);
    end(&t, NULL);
}

TEST(fewer_pairs_are_compared_over_the_step_limit) {
    struct fixture t;
    begin(&t, 16000);
    assert_int_equal(gate_comparison_limit_pairs(11, 100, &t.limits, &t.session), 10);
    end(&t, "about 10 pairs of them are compared, not 11; --max-steps");
    begin(&t, 16000);
    assert_int_equal(gate_comparison_limit_pairs(200, UINT64_MAX, &t.limits, &t.session),
                     GATE_COMPARISON_LIMIT_PAIRS_LEAST);
    end(&t, "about 6 pairs");
    begin(&t, 16000);
    assert_int_equal(gate_comparison_limit_pairs(3, UINT64_MAX, &t.limits, &t.session), 3);
    end(&t, NULL);
}

static void expect_draws(uint32_t wanted, bool decides, uint64_t each, uint32_t expected, const char *said) {
    struct fixture t;
    begin(&t, 1000); /* draws may take twice the limit, or eight times where somebody insists: 2000 and 8000 steps */
    uint32_t draws = 0;
    const struct gate_comparison_limit_draws request = {
        .wanted = wanted, .usual = 30, .decides = decides, .sizes = 4, .each = each};
    bool ok = gate_comparison_limit_draws(&draws, &request, &t.limits, &t.session, &t.err);
    assert_int_equal(ok, expected > 0);
    if (ok)
        assert_int_equal(draws, expected);
    else
        assert_int_equal(t.err.code, GATE_ERR_LIMIT);
    if (!ok)
        assert_non_null(strstr(t.err.message, "raise --max-steps"));
    end(&t, said);
}

TEST(draws_are_reduced_to_the_step_limit) {
    expect_draws(0, false, 16, 30, NULL);
    expect_draws(0, false, 0, 30, NULL);
    expect_draws(0, false, 17, 29, "29 draws are made of each size, not 30");
    expect_draws(0, false, 50, 10, "10 draws are made");
    expect_draws(0, false, 51, 0, NULL);
    expect_draws(0, false, UINT64_MAX, 0, NULL);
}

TEST(draws_for_a_decision_may_take_four_times_the_limit) {
    expect_draws(0, true, 66, 30, NULL);
    expect_draws(0, true, 67, 29, "29 draws are made of each size, not 30");
    expect_draws(0, true, 200, 10, "10 draws are made");
    expect_draws(0, true, 201, 0, NULL);
}

TEST(a_given_number_of_draws_is_never_reduced) {
    expect_draws(3, false, 600, 3, NULL);
    expect_draws(2, false, 1000, 2, NULL);
    expect_draws(2, false, 1001, 0, NULL);
    expect_draws(31, false, 66, 0, NULL);
}
