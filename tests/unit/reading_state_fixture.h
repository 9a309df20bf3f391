/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of one reading alone: its state, made from stacks of two sides, given as text. */
#ifndef GATE_TESTS_READING_STATE_FIXTURE_H
#define GATE_TESTS_READING_STATE_FIXTURE_H

#include "tests/unit/pair_fixture.h"

#include "gate/budget/moved_cost.h"
#include "gate/budget/reading_state.h"

struct state_fixture {
    struct pair_fixture f;
    struct gate_comparison comparison;
    struct gate_tree tree;
    struct gate_reading_state state;
};

/* Make the state. Functions that begin with "shop." are own code. The work is not known. */
static inline void state_begin(struct state_fixture *s, const char *baseline, const char *canary) {
    const struct gate_tree_options all = {.min_share = 0};
    fixture_begin(&s->f);
    fixture_add(&s->f, GATE_BASELINE, baseline);
    fixture_add(&s->f, GATE_CANARY, canary);
    fixture_make(&s->f, NULL);
    for (uint32_t i = 0; i < s->f.pair.frame_count; i++)
        s->f.pair.frames[i].is_own = gate_str_starts(s->f.pair.frames[i].name, GATE_STR("shop."));
    s->comparison = (struct gate_comparison){.pair = s->f.pair, .work_ratio = 1.0};
    if (!gate_delta_fold(&s->comparison.deltas, &s->comparison.pair, NULL, &s->f.arena, &s->f.err) ||
        !gate_tree_merge(&s->tree, &s->comparison.pair, &s->comparison.deltas, &all, &s->f.arena, &s->f.err))
        fail_msg("%s", s->f.err.message);
    s->state = (struct gate_reading_state){
        .comparison = &s->comparison, .tree = &s->tree, .arena = &s->f.arena, .err = &s->f.err};
}

/* Let the canary have done `ratio` times the work of the baseline. */
static inline void state_set_work(struct state_fixture *s, double ratio) {
    s->comparison.work_ratio = ratio;
    s->comparison.work_is_known = true;
    s->comparison.equal = GATE_EQUAL_WORK;
    s->comparison.work_in_force[GATE_BASELINE] = 1.0;
    s->comparison.work_in_force[GATE_CANARY] = ratio;
}

/* Return a byte per frame: 1 for the functions named, which end with NULL. */
static inline uint8_t *state_marks(struct state_fixture *s, const char *const *names) {
    uint8_t *marks = GATE_NEW_ARRAY(&s->f.arena, uint8_t, s->f.pair.frame_count);
    assert_non_null(marks);
    for (; *names != NULL; names++)
        marks[fixture_frame(&s->f, *names)] = 1;
    return marks;
}

static inline void state_end(struct state_fixture *s) {
    fixture_end(&s->f);
}

/* 1,000 and 2,000 samples. Shares: shop.f 15% and 60%, shop.a 30% and 10%, shop.b 15% and 5%, shop.c 25% and 3%,
 * shop.main 5% and 20%, and the library's start, which is above all, 10% and 2%. Only shop.c does not call shop.f. */
static const char state_baseline[] = "start;shop.main;shop.a;shop.f;copy 100\nstart;shop.main;shop.b;shop.f 50\n"
                                     "start;shop.main;shop.a 300\nstart;shop.main;shop.b 150\n"
                                     "start;shop.main;shop.c 250\nstart;shop.main 50\nstart 100\n";
static const char state_canary[] = "start;shop.main;shop.a;shop.f;copy 900\nstart;shop.main;shop.b;shop.f 300\n"
                                   "start;shop.main;shop.a 200\nstart;shop.main;shop.b 100\n"
                                   "start;shop.main;shop.c 60\nstart;shop.main 400\nstart 40\n";

#endif
