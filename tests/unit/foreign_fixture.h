/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of formats other than pprof: print the stacks of a profile, and expect an error for a malformed text. */
#ifndef GATE_TESTS_FOREIGN_FIXTURE_H
#define GATE_TESTS_FOREIGN_FIXTURE_H

#include "gate/model/location.h"
#include "gate/model/stacks.h"
#include "profile_fixture.h"

/* Return one line "leaf<caller<root value" per distinct stack of sample type `column`, in order of appearance. */
static inline struct gate_str stacks_print(const struct gate_profile *profile, uint32_t column,
                                           struct gate_arena *arena) {
    struct gate_counts_model model = {GATE_COUNTS_VALUE, column, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1, 0, NULL};
    struct gate_stacks stacks;
    struct gate_error err = {0};
    struct gate_buf out = {0};
    assert_true(gate_stacks_collect(&stacks, profile, &model, NULL, NULL, NULL, arena, &err));
    for (uint32_t i = 0; i < stacks.count; i++) {
        uint64_t id = 0;
        for (uint32_t at = 0; gate_stack_next(gate_stacks_at(&stacks, i).ref, &at, &id);) {
            const struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
            if (location.line_count == 0)
                gate_buf_printf(&out, "%#llx", (unsigned long long)location.address);
            else
                gate_buf_str(&out, profile->functions[gate_location_leaf(profile, &location)].name);
            gate_buf_char(&out, at < gate_stacks_at(&stacks, i).ref.len ? '<' : ' ');
        }
        gate_buf_printf(&out, "%lld\n", (long long)gate_stacks_at(&stacks, i).value);
    }
    struct gate_str text = gate_str_copy(arena, gate_buf_view(&out));
    gate_buf_free(&out);
    return text;
}

static inline void expect_stacks(struct gate_str bytes, enum gate_format format, const char *type, const char *wanted) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
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
}

static inline void refused(const char *text, const char *part) {
    expect_error(gate_str_from(text), NULL, GATE_ERR_FORMAT, part);
}

static inline void expect_limit(const char *text, const struct gate_limits *limits, const char *part) {
    expect_error(gate_str_from(text), limits, GATE_ERR_LIMIT, part);
}

static inline struct gate_str read_fixture(const char *path, struct gate_arena *arena) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    char *bytes = gate_arena_alloc(arena, 1 << 20);
    assert_non_null(bytes);
    size_t len = fread(bytes, 1, 1 << 20, file);
    assert_true(len < 1 << 20);
    (void)fclose(file);
    return (struct gate_str){bytes, len};
}

struct stack_sum {
    struct gate_str name;
    int64_t self, cumulative;
    uint32_t seen_in; /* the last stack that added to `cumulative`, counted from 1 */
};

static inline int stack_sum_order(const void *a, const void *b) {
    return gate_str_compare(((const struct stack_sum *)a)->name, ((const struct stack_sum *)b)->name);
}

/* Return one line "name self cumulative" per function with a value, sorted by name. A recursive stack counts once. */
static inline struct gate_str stack_sums_print(const struct gate_profile *profile, const struct gate_stacks *stacks,
                                               struct gate_arena *arena) {
    struct stack_sum sums[1000];
    struct gate_buf out = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < stacks->count; i++) {
        const struct gate_stack stack = gate_stacks_at(stacks, i);
        uint64_t id = 0;
        bool is_leaf = true;
        for (uint32_t at = 0; stack.value != 0 && gate_stack_next(stack.ref, &at, &id);) {
            const struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
            struct gate_line_walk lines = gate_location_lines(profile, &location);
            for (struct gate_line line; gate_line_next(&lines, &line); is_leaf = false) {
                struct gate_str name = profile->functions[line.function].name;
                uint32_t k = 0;
                while (k < count && !gate_str_equal(sums[k].name, name))
                    k++;
                if (k == count)
                    sums[count++] = (struct stack_sum){.name = name};
                assert_true(count < sizeof sums / sizeof *sums);
                sums[k].self += is_leaf ? stack.value : 0;
                sums[k].cumulative += sums[k].seen_in != i + 1 ? stack.value : 0;
                sums[k].seen_in = i + 1;
            }
        }
    }
    qsort(sums, count, sizeof *sums, stack_sum_order);
    for (uint32_t k = 0; k < count; k++)
        gate_buf_printf(&out, "%.*s %lld %lld\n", GATE_STR_ARG(sums[k].name), (long long)sums[k].self,
                        (long long)sums[k].cumulative);
    struct gate_str text = gate_str_copy(arena, gate_buf_view(&out));
    gate_buf_free(&out);
    return text;
}

/* Load the file and return stack_sums_print of its sample type `type`. */
static inline struct gate_str sums_print(const char *path, const char *type, struct gate_arena *arena) {
    struct gate_error err = {0};
    struct gate_profile profile;
    struct gate_stacks stacks;
    uint32_t column = 0;
    assert_true(gate_profile_load(&profile, read_fixture(path, arena), NULL, arena, &err));
    assert_true(gate_sample_type_find(&column, &profile, gate_str_from(type), &err));
    struct gate_counts_model model = {GATE_COUNTS_VALUE, column, GATE_NO_INDEX, GATE_NO_INDEX, 0, 1, 0, NULL};
    assert_true(gate_stacks_collect(&stacks, &profile, &model, NULL, NULL, NULL, arena, &err));
    return stack_sums_print(&profile, &stacks, arena);
}

#endif
