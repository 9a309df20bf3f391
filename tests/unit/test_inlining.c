/* SPDX-License-Identifier: Apache-2.0 */
/* budget/inlining.h: the share of a path's growth that its callers lost, in numbers. tests/unit/test_readings.c has the
 * whole verdicts. */
#include "gate/budget/inlining.h"

#include "near.h"
#include "reading_state_fixture.h"
#include "sweep.h"

#define CLOSE 1e-9

static const char *const path_of_f[] = {"shop.f", NULL};

/* Judge a fail of the path of shop.f, whose functions grew by `growth`. */
static struct gate_hypothesis judge(struct state_fixture *s, const uint8_t *marks, double growth, double most) {
    struct gate_hypothesis h = {
        .frame = fixture_frame(&s->f, "shop.f"), .outcome = GATE_OUTCOME_FAIL, .reason = GATE_REASON_OVER};
    assert_true(gate_reading_judge_inlined_path(&h, &s->state, marks, growth, most));
    return h;
}

static void assert_fails(const struct gate_hypothesis *h) {
    assert_int_equal(h->outcome, GATE_OUTCOME_FAIL);
    assert_int_equal(h->reason, GATE_REASON_OVER);
    assert_null(h->shift);
}

static void assert_open(const struct gate_hypothesis *h, double moved) {
    assert_int_equal(h->outcome, GATE_OUTCOME_INCONCLUSIVE);
    assert_int_equal(h->reason, GATE_REASON_SHIFT);
    assert_non_null(h->shift);
    assert_near(h->shift->moved, moved, CLOSE);
}

/* shop.f grew from 15% to 60%, so all others shrank to 0.4 / 0.85 of their shares. Beyond that, shop.a lost
 * 0.3 * 0.4 / 0.85 - 0.1, and shop.b half as much: 0.061765 together. */
TEST(callers_lost_what_their_shares_shrank_by_beyond_the_growth_of_the_path) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    s.comparison.pair.language = GATE_LANGUAGE_NATIVE;
    const uint8_t *marks = state_marks(&s, path_of_f);
    const double moved = 0.45 * 0.4 / 0.85 - 0.15;
    struct gate_hypothesis over = judge(&s, marks, 0.45, 0.45 - moved - 0.001),
                           within = judge(&s, marks, 0.45, 0.45 - moved + 0.001);
    assert_fails(&over);
    assert_open(&within, moved);
    assert_int_equal(within.shift->source_count, 1);
    assert_int_equal(within.shift->sources[0], fixture_frame(&s.f, "shop.a"));
    assert_int_equal(within.shift->within, GATE_NO_INDEX);
    assert_int_equal(within.shift->library, GATE_NO_INDEX);
    assert_ptr_equal(within.shift->beneath, marks);
}

/* At four times the work the total is half of what it was: shop.a lost 0.3 - 0.1 / 2, and shop.b half as much. */
TEST(callers_lost_cost_per_unit_of_work_if_it_is_known) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    s.comparison.pair.language = GATE_LANGUAGE_RUST;
    state_set_work(&s, 4.0);
    const uint8_t *marks = state_marks(&s, path_of_f);
    struct gate_hypothesis over = judge(&s, marks, 0.45, 0.074), within = judge(&s, marks, 0.45, 0.076);
    assert_fails(&over);
    assert_open(&within, 0.375);
}

/* What is left, 0.5 - 0.25, is the limit. */
TEST(growth_of_a_path_may_be_as_large_as_the_limit) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, "shop.a;shop.f 250\nshop.a 500\nshop.c 250\n", "shop.a;shop.f 500\nshop.a 250\nshop.c 250\n");
    s.comparison.pair.language = GATE_LANGUAGE_NATIVE;
    state_set_work(&s, 1.0);
    struct gate_hypothesis h = judge(&s, state_marks(&s, path_of_f), 0.5, 0.25);
    assert_open(&h, 0.25);
}

/* shop.f is the first frame of the table. It grew from 20% to 60%, so shop.a lost 0.4 * 0.4 / 0.8 - 0.1. */
TEST(the_first_frame_may_be_the_one_that_grew) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, "shop.a;shop.f 200\nshop.a 400\nshop.a;shop.c 400\n",
                "shop.a;shop.f 600\nshop.a 100\nshop.a;shop.c 300\n");
    s.comparison.pair.language = GATE_LANGUAGE_NATIVE;
    assert_int_equal(fixture_frame(&s.f, "shop.f"), 0);
    struct gate_hypothesis over = judge(&s, state_marks(&s, path_of_f), 0.4, 0.29),
                           within = judge(&s, state_marks(&s, path_of_f), 0.4, 0.31);
    assert_fails(&over);
    assert_open(&within, 0.1);
}

/* No share is left that could have shrunk with the others. */
TEST(a_path_of_all_of_the_canary_has_what_its_caller_lost) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, "shop.a;shop.f 500\nshop.a 500\n", "shop.a;shop.f 1000\n");
    s.comparison.pair.language = GATE_LANGUAGE_NATIVE;
    struct gate_hypothesis h = judge(&s, state_marks(&s, path_of_f), 0.5, 0.1);
    assert_open(&h, 0.5);
}

/* shop.f fell from 60% to 20%. The other shares could have grown, so none of them shrank by it: shop.a lost 0.3 - 0.1.
 */
TEST(shares_do_not_grow_by_a_path_that_fell) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, "shop.a;shop.f 600\nshop.a 300\nshop.c 100\n", "shop.a;shop.f 200\nshop.a 100\nshop.c 700\n");
    s.comparison.pair.language = GATE_LANGUAGE_NATIVE;
    struct gate_hypothesis h = judge(&s, state_marks(&s, path_of_f), 0.25, 0.1);
    assert_open(&h, 0.2);
}

TEST(a_path_whose_callers_lost_nothing_fails) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, "shop.a;shop.f 250\nshop.a 250\nshop.c 500\n", "shop.a;shop.f 350\nshop.a 250\nshop.c 400\n");
    s.comparison.pair.language = GATE_LANGUAGE_NATIVE;
    struct gate_hypothesis h = judge(&s, state_marks(&s, path_of_f), 0.1, 0.2);
    assert_fails(&h);
}

/* Elsewhere inlined functions are on the stacks, or a compiler at run time decides. */
TEST(only_native_programs_inline_a_path_before_they_run) {
    AT_END(state_end) struct state_fixture s;
    state_begin(&s, state_baseline, state_canary);
    state_set_work(&s, 4.0);
    const uint8_t *marks = state_marks(&s, path_of_f);
    for (int language = 0; language < GATE_LANGUAGES; language++) {
        bool is_native = language == GATE_LANGUAGE_NATIVE || language == GATE_LANGUAGE_RUST;
        s.comparison.pair.language = (enum gate_language)language;
        struct gate_hypothesis h = judge(&s, marks, 0.45, 0.2);
        assert_int_equal(h.outcome, is_native ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL);
    }
}

TEST(a_path_without_memory_for_its_reading_still_fails) {
    AT_END(state_end) struct state_fixture made;
    state_begin(&made, state_baseline, state_canary);
    made.comparison.pair.language = GATE_LANGUAGE_NATIVE;
    state_set_work(&made, 4.0);
    const uint8_t *marks = state_marks(&made, path_of_f);
    for (struct sweep s = {0}; sweep_next(&s, 16);) {
        struct gate_hypothesis h = {.frame = fixture_frame(&made.f, "shop.f"), .outcome = GATE_OUTCOME_FAIL};
        made.state.arena = &s.arena;
        made.state.err = &s.err;
        s.done = gate_reading_judge_inlined_path(&h, &made.state, marks, 0.45, 0.2);
        assert_int_equal(h.outcome, s.done ? GATE_OUTCOME_INCONCLUSIVE : GATE_OUTCOME_FAIL);
    }
}
