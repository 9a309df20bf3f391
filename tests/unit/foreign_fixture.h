/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of formats that are not pprof share: the stacks of a text, and how it is refused. */
#ifndef GATE_TESTS_FOREIGN_FIXTURE_H
#define GATE_TESTS_FOREIGN_FIXTURE_H

#include "gate/profile/stacks.h"
#include "profile_fixture.h"

/* "leaf<caller<root value" of each joined stack of the last column, a line each, in order of appearance. */
static inline struct gate_str stacks_print(const struct gate_profile *profile, uint32_t column,
                                           struct gate_arena *arena) {
    struct gate_counts_model model = {GATE_COUNTS_VALUE, column, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1};
    struct gate_stacks stacks;
    struct gate_error err = {0};
    struct gate_buf out = {0};
    assert_true(gate_stacks_collect(&stacks, profile, &model, NULL, NULL, NULL, arena, &err));
    for (uint32_t i = 0; i < stacks.count; i++) {
        uint64_t id = 0;
        for (uint32_t at = 0; gate_stack_next(stacks.items[i].ref, &at, &id);) {
            const struct gate_location *location = &profile->locations[gate_location_find(profile, id)];
            if (location->line_count == 0)
                gate_buf_printf(&out, "%#llx", (unsigned long long)location->address);
            else
                gate_buf_str(&out, profile->functions[profile->lines[location->line_first].function].name);
            gate_buf_char(&out, at < stacks.items[i].ref.len ? '<' : ' ');
        }
        gate_buf_printf(&out, "%lld\n", (long long)stacks.items[i].value);
    }
    struct gate_str text = gate_str_copy(arena, gate_buf_view(&out));
    gate_buf_free(&out);
    return text;
}

static inline void expect_stacks(struct gate_str bytes, enum gate_format format, const char *type, const char *wanted) {
    struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_profile profile;
    uint32_t column = 0;
    if (!gate_profile_load(&profile, bytes, NULL, &arena, &err))
        fail_msg("not read: %s", err.message);
    assert_int_equal(profile.format, format);
    assert_true(gate_sample_type_find(&column, &profile, gate_str_from(type), &err));
    struct gate_str got = stacks_print(&profile, column, &arena);
    if (!gate_str_equal(got, gate_str_from(wanted)))
        fail_msg("got\n%.*sexpected\n%s", GATE_STR_ARG(got), wanted);
    gate_arena_free(&arena);
}

static inline void refused(const char *text, const char *part) {
    expect_error(gate_str_from(text), NULL, GATE_ERR_FORMAT, part);
}

#endif
