/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of guards: a comparison of two texts of collapsed stacks. The test then sets times, periods and files of
 * the profiles. */
#ifndef GATE_TESTS_GUARD_FIXTURE_H
#define GATE_TESTS_GUARD_FIXTURE_H

#include "gate/base/buf.h"
#include "gate/guards/guards.h"
#include "tests/unit/pair_fixture.h"

struct guard_fixture {
    struct pair_fixture pair;
    struct gate_rules rules;
    enum gate_equal equal; /* of the comparison */
    bool is_judged;        /* check what needs the work; otherwise what needs the profiles alone */
    struct gate_warning *warnings;
    uint32_t count;
};

/* Four stacks with 1000 samples in total, of which no guard warns. */
#define PLAIN "main;serve;parse 300\nmain;serve;encode 300\nmain;serve;sort 200\nmain;serve;hash 200\n"

static inline void begin(struct guard_fixture *f, const char *baseline, const char *canary) {
    *f = (struct guard_fixture){0};
    fixture_begin(&f->pair);
    fixture_add(&f->pair, GATE_BASELINE, baseline);
    fixture_add(&f->pair, GATE_CANARY, canary);
}

static inline struct gate_profile *profile_of(struct guard_fixture *f, enum gate_side_name side) {
    return &f->pair.profiles[side][0];
}

/* Run all guards on the pair, which must already be made. */
static inline void check_guards(struct guard_fixture *f) {
    const struct gate_comparison comparison = {.pair = f->pair.pair, .deltas = f->pair.deltas, .equal = f->equal};
    enum gate_guard_stage stage = f->is_judged ? GATE_GUARDS_AS_JUDGED : GATE_GUARDS_AS_MADE;
    if (!gate_guards_check(&f->warnings, &f->count, stage, &comparison, &f->rules, &f->pair.arena, &f->pair.err))
        fail_msg("%s", f->pair.err.message);
}

/* Expect exactly one warning, with this code and with `part` in its text. If `code` is NULL, expect none. Makes the
 * pair if necessary, and ends the fixture. */
static inline void expect(struct guard_fixture *f, const char *code, const char *part) {
    if (f->pair.pair.frame_count == 0)
        fixture_make(&f->pair, NULL);
    check_guards(f);
    if (code == NULL && f->count != 0)
        fail_msg("unexpected: %s: %.*s", gate_guard_name(f->warnings[0].guard), GATE_STR_ARG(f->warnings[0].message));
    if (code != NULL) {
        if (f->count != 1 || strcmp(gate_guard_name(f->warnings[0].guard), code) != 0)
            fail_msg("expected '%s' alone, got %u: %s", code, (unsigned)f->count,
                     f->count == 0 ? "nothing" : gate_guard_name(f->warnings[0].guard));
        if (gate_str_find(f->warnings[0].message, gate_str_from(part), 0) == SIZE_MAX)
            fail_msg("'%s' is not in: %.*s", part, GATE_STR_ARG(f->warnings[0].message));
    }
    fixture_end(&f->pair);
}

static inline void set_type(struct gate_profile *profile, const char *type, const char *unit) {
    profile->sample_types[0] = (struct gate_value_type){gate_str_from(type), gate_str_from(unit)};
}

static inline void set_file(struct gate_profile *profile, const char *function, const char *file) {
    for (uint32_t i = 0; i < profile->function_count; i++)
        if (gate_str_equal(profile->functions[i].name, gate_str_from(function)))
            profile->functions[i].file = gate_str_from(file);
}

#endif
