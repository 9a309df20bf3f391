/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: a pair made from collapsed stacks written in the test, one per line, such as "main;serve;leaf 3". */
#ifndef GATE_TESTS_PAIR_FIXTURE_H
#define GATE_TESTS_PAIR_FIXTURE_H

#include "gate/compare/delta.h"
#include "gate/formats/format.h"
#include "tests/unit/unit.h"

enum { FIXTURE_RUNS_MAX = 12 };

struct pair_fixture {
    struct gate_arena arena;
    struct gate_error err;
    struct gate_profile profiles[GATE_SIDES][FIXTURE_RUNS_MAX];
    struct gate_run_input inputs[GATE_SIDES][FIXTURE_RUNS_MAX];
    uint32_t counts[GATE_SIDES];
    struct gate_pair pair;
    struct gate_delta_list deltas;
};

static inline void fixture_begin(struct pair_fixture *fixture) {
    *fixture = (struct pair_fixture){0};
    gate_arena_init(&fixture->arena, 0);
}

static inline void fixture_end(struct pair_fixture *fixture) {
    gate_arena_free(&fixture->arena);
}

static inline void fixture_add(struct pair_fixture *fixture, enum gate_side_name side, const char *stacks) {
    const struct gate_limits limits = gate_limits_default();
    uint32_t index = fixture->counts[side]++;
    assert_true(index < FIXTURE_RUNS_MAX);
    struct gate_profile *profile = &fixture->profiles[side][index];
    if (!gate_profile_load(profile, gate_str_from(stacks), &limits, &fixture->arena, &fixture->err))
        fail_msg("%s", fixture->err.message);
    fixture->inputs[side][index] = (struct gate_run_input){
        .path = side == GATE_BASELINE ? GATE_STR("base") : GATE_STR("canary"), .profile = profile};
}

/* Make the pair and its deltas. If `options` is NULL, use the defaults. */
static inline bool fixture_try(struct pair_fixture *fixture, const struct gate_pair_options *options) {
    static const struct gate_pair_options none;
    const struct gate_run_input *const inputs[GATE_SIDES] = {fixture->inputs[0], fixture->inputs[1]};
    return gate_pair_make(&fixture->pair, inputs, fixture->counts, options == NULL ? &none : options, &fixture->arena,
                          &fixture->err) &&
           gate_delta_fold(&fixture->deltas, &fixture->pair, NULL, &fixture->arena, &fixture->err);
}

static inline void fixture_make(struct pair_fixture *fixture, const struct gate_pair_options *options) {
    if (!fixture_try(fixture, options))
        fail_msg("%s", fixture->err.message);
}

/* Return the index of the frame `name`; the test fails if there is none. */
static inline uint32_t fixture_frame(const struct pair_fixture *fixture, const char *name) {
    for (uint32_t i = 0; i < fixture->pair.frame_count; i++)
        if (gate_str_equal(fixture->pair.frames[i].name, gate_str_from(name)))
            return i;
    fail_msg("no frame '%s'", name);
    return 0;
}

static inline int64_t fixture_value(const struct pair_fixture *fixture, const char *name, enum gate_measure measure,
                                    enum gate_side_name side) {
    return fixture->deltas.items[fixture_frame(fixture, name)].value[measure][side];
}

#endif
