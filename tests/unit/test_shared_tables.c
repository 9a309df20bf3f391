/* SPDX-License-Identifier: Apache-2.0 */
/* Shared tables: profiles that use them contain what they contained, and equal stacks and functions are stored once. */
#include "gate/model/shared_tables.h"
#include "profile_fixture.h"

#include "gate/base/hash.h"
#include "gate/formats/merge.h"
#include "gate/model/location.h"
#include "gate/model/stacks.h"

/* LATER: a location without an address that the first run does not have */
enum { RUNS = 4, LOCATIONS = 200, LATER = 220, SAMPLES = 150, STACKS = 60 };

/* A sample with one of STACKS stacks, at times with a label. */
static void put_drawn(struct gate_buf *out, uint64_t draw) {
    struct gate_buf message = {0};
    uint64_t ids[64], stack = gate_hash_mix(draw) % STACKS;
    size_t depth = gate_hash_mix(stack << 8) % 40;
    for (size_t i = 0; i < depth; i++)
        ids[i] = 1 + gate_hash_mix(stack << 8 | i) % LOCATIONS;
    put_packed(&message, 1, ids, depth);
    if (draw % 11 == 0) /* in some samples the second value is not a multiple of the first, or is missing */
        PACKED(&message, 2, draw % 2, draw % 22 * 7);
    else
        PACKED(&message, 2, 1 + draw % 3, 10 * (1 + draw % 3));
    if (draw % 4 == 0)
        PUT(&message, 3, {1, S_KEY}, {2, S_VALUE});
    if (draw % 5 == 0)
        PUT(&message, 3, {1, S_CPU}, {3, draw % 77}, {4, S_BYTES});
    put_message(out, 2, &message);
}

/* Location `i` of a run. Some have no line, some two, some no mapping and some no address. Runs are loaded at other
 * addresses. */
static void put_drawn_location(struct gate_buf *out, uint64_t i, uint64_t start) {
    struct gate_buf message = {0};
    gate_wire_put_number(&message, 1, i);
    if (i % 13 != 0)
        gate_wire_put_number(&message, 2, 1);
    if (i % 7 == 0 || i % 11 != 0)
        gate_wire_put_number(&message, 3, (i % 13 != 0 ? start : 0) + i);
    if (i % 7 != 0)
        PUT(&message, 4, {1, 1 + i % 2}, {2, i}, {3, i % 3});
    if (i % 5 == 0)
        PUT(&message, 4, {1, 2}, {2, 3});
    put_message(out, 4, &message);
}

static void put_run(struct gate_buf *out, uint64_t run, uint64_t samples, uint64_t build) {
    const uint64_t start = 4096 * (1 + run);
    put_types(out);
    for (uint64_t i = 0; i < samples; i++)
        put_drawn(out, run * SAMPLES + i);
    PUT(out, 3, {1, 1}, {2, start}, {3, start + 4096}, {5, S_FILE}, {6, build});
    for (uint64_t i = 1; i <= LOCATIONS; i++)
        put_drawn_location(out, i, start);
    if (run > 0)
        put_drawn_location(out, LATER, start);
    put_function(out, 1, S_MAIN);
    put_function(out, 2, S_LEAF);
    put_strings(out);
    put_unpacked(out, 7, S_MAIN);
    put_unpacked(out, 8, S_LEAF);
    put_unpacked(out, 9, 1000 + run);
    put_unpacked(out, 10, 500);
    put_unpacked(out, 12, 10);
    put_unpacked(out, 13, S_KEY);
    PUT(out, 11, {1, S_CPU}, {2, S_NANOSECONDS});
}

static void put_merged(struct gate_buf *out, const struct gate_profile *profiles, size_t count) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_merge_end) struct gate_merge merge;
    gate_merge_begin(&merge, &arena);
    for (size_t i = 0; i < count; i++)
        if (!gate_merge_add(&merge, &profiles[i], &arena, &err))
            fail_msg("%s", err.message);
    if (!gate_merge_write(out, &merge, GATE_CONTAINER_RAW, &err))
        fail_msg("%s", err.message);
}

static void expect_added(struct gate_profile *out, struct gate_shared_tables *tables,
                         const struct gate_profile *profile) {
    if (!gate_shared_tables_add(out, tables, profile, &err))
        fail_msg("not added: %s", err.message);
}

/* The second run has no samples. */
static uint64_t samples_of(size_t run) {
    return run == 1 ? 0 : SAMPLES;
}

TEST(shared_tables_do_not_change_profiles) {
    AT_END(gate_arena_free) struct gate_arena arena = {0}, shared = {0};
    struct gate_profile before[RUNS], after[RUNS];
    struct gate_shared_tables tables;
    struct gate_buf merged[2] = {{0}}, bytes[RUNS] = {{0}};
    gate_shared_tables_begin(&tables, &shared);
    for (size_t i = 0; i < RUNS; i++) {
        put_run(&bytes[i], i, samples_of(i), S_KEY);
        expect_load(&before[i], &bytes[i], &arena);
        AT_END(gate_buf_free) struct gate_buf again = {0};
        struct gate_arena each = {0};
        struct gate_profile profile;
        put_run(&again, i, samples_of(i), S_KEY);
        expect_load(&profile, &again, &each);
        expect_added(&after[i], &tables, &profile);
        gate_arena_free(&each); /* the tables keep no pointer into the profile */
    }
    gate_shared_tables_end(&tables);
    put_merged(&merged[0], before, RUNS);
    put_merged(&merged[1], after, RUNS);
    assert_int_equal(merged[0].len, merged[1].len);
    assert_memory_equal(merged[0].ptr, merged[1].ptr, merged[0].len);
    for (size_t i = 0; i < RUNS; i++) {
        assert_int_equal(after[i].sample_count, samples_of(i));
        assert_int_equal(after[i].time_ns, 1000 + (int64_t)i);
        assert_ptr_equal(after[i].functions, after[0].functions);
        assert_int_equal(after[i].function_count, 2);
        assert_ptr_equal(after[i].drop_frames.ptr, after[i].functions[0].name.ptr);
        assert_ptr_equal(after[i].keep_frames.ptr, after[i].functions[1].name.ptr);
        assert_int_equal(after[i].location_count, LOCATIONS + 1);
    }
    assert_int_equal(gate_location_at(&after[1], LOCATIONS).address, 0);
    gate_buf_free(&merged[0]);
    gate_buf_free(&merged[1]);
    for (size_t i = 0; i < RUNS; i++)
        gate_buf_free(&bytes[i]);
}

/* Locations that differ in one thing only, such as the column of minified code, stay apart. Equal ones become one. */
TEST(locations_that_differ_are_kept_apart) {
    static const uint64_t rows[][5] = {/* mapping, address, function, line, column */
                                       {0, 0, 1, 7, 3}, {0, 0, 1, 7, 4},    {0, 0, 1, 8, 3},    {0, 0, 2, 7, 3},
                                       {1, 0, 1, 7, 3}, {1, 4100, 1, 7, 3}, {1, 4101, 1, 7, 3}, {0, 0, 1, 7, 3}};
    enum { COUNT = sizeof rows / sizeof *rows };
    AT_END(gate_arena_free) struct gate_arena arena = {0}, shared = {0};
    struct gate_profile before, after;
    AT_END(gate_shared_tables_end) struct gate_shared_tables tables;
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    put_types(&bytes);
    PUT(&bytes, 3, {1, 1}, {2, 4096}, {3, 8192}, {5, S_FILE});
    put_function(&bytes, 1, S_MAIN);
    put_function(&bytes, 2, S_LEAF);
    for (uint64_t i = 0; i < COUNT; i++) {
        struct gate_buf location = {0}, sample = {0};
        gate_wire_put_number(&location, 1, i + 1);
        gate_wire_put_number(&location, 2, rows[i][0]);
        gate_wire_put_number(&location, 3, rows[i][1]);
        PUT(&location, 4, {1, rows[i][2]}, {2, rows[i][3]}, {3, rows[i][4]});
        put_message(&bytes, 4, &location);
        PACKED(&sample, 1, i + 1);
        PACKED(&sample, 2, 1, 10);
        put_message(&bytes, 2, &sample);
    }
    put_strings(&bytes);
    expect_load(&before, &bytes, &arena);
    gate_shared_tables_begin(&tables, &shared);
    expect_added(&after, &tables, &before);
    assert_int_equal(tables.location_keys.count, COUNT - 1);
    assert_int_equal(after.sample_count, COUNT);
}

/* Line of the innermost call of a location, or -1. */
static int64_t first_line(const struct gate_profile *profile, uint64_t id) {
    struct gate_location location = gate_location_at(profile, gate_location_find(profile, id));
    struct gate_line_walk walk = gate_location_lines(profile, &location);
    struct gate_line line;
    return gate_line_next(&walk, &line) ? line.line : -1;
}

/* Compare the stacks of a column. Returns whether the packed ones are small. */
static bool check_stacks(const struct gate_profile *before, const struct gate_profile *after, uint32_t column,
                         struct gate_arena *arena) {
    struct gate_stacks stacks[2];
    const struct gate_counts_options options = {0};
    const struct gate_counts_model model = gate_counts_choose(before, column, &options);
    struct gate_stack packed;
    if (!gate_stacks_collect(&stacks[0], before, &model, NULL, NULL, NULL, arena, &err) ||
        !gate_stacks_collect(&stacks[1], after, &model, NULL, NULL, NULL, arena, &err))
        fail_msg("%s", err.message);
    assert_non_null(stacks[1].packed);
    assert_int_equal(stacks[0].count, stacks[1].count);
    assert_int_equal(stacks[0].total, stacks[1].total);
    assert_true(stacks[0].weight_sq == stacks[1].weight_sq && stacks[0].events == stacks[1].events);
    assert_int_equal(gate_stacks_are_small(&stacks[0]), gate_stacks_are_small(&stacks[1]));
    struct gate_stacks_walk walk = gate_stacks_begin(&stacks[1]);
    for (uint32_t i = 0; i < stacks[0].count; i++) {
        const struct gate_stack plain = gate_stacks_at(&stacks[0], i);
        assert_true(gate_stacks_next(&packed, &walk));
        assert_int_equal(plain.value, packed.value);
        assert_true(plain.weight_sq == packed.weight_sq);
        uint64_t ids[2] = {0};
        uint32_t at[2] = {0};
        while (gate_stack_next(plain.ref, &at[0], &ids[0])) {
            assert_true(gate_stack_next(packed.ref, &at[1], &ids[1]));
            assert_int_equal(first_line(before, ids[0]), first_line(after, ids[1]));
        }
        assert_int_equal(at[1], packed.ref.len);
    }
    assert_false(gate_stacks_next(&packed, &walk));
    struct gate_stacks_walk jump = gate_stacks_begin(&stacks[1]);
    gate_stacks_skip(&jump, 3);
    assert_true(gate_stacks_next(&packed, &jump));
    assert_int_equal(packed.value, gate_stacks_at(&stacks[0], 3).value);
    gate_stacks_skip(&jump, UINT32_MAX);
    assert_false(gate_stacks_next(&packed, &jump));
    return gate_stacks_are_small(&stacks[1]);
}

/* Stacks of both profiles, with equal ones joined: there are as many as in the files. */
TEST(packed_stacks_are_those_of_the_files) {
    struct gate_profile before[2], after[2];
    struct gate_shared_tables tables;
    struct gate_buf bytes[2] = {{0}};
    gate_shared_tables_begin(&tables, &arena);
    for (size_t i = 0; i < 2; i++) {
        put_run(&bytes[i], i, SAMPLES, S_KEY);
        expect_load(&before[i], &bytes[i], &arena);
        expect_added(&after[i], &tables, &before[i]);
    }
    gate_shared_tables_end(&tables);
    assert_true(after[1].packed.end - after[1].packed.at < SAMPLES * 20);
    assert_true(after[1].bytes.len < SAMPLES * 40);
    for (size_t i = 0; i < 2; i++) {
        assert_true(check_stacks(&before[i], &after[i], 0, &arena));
        assert_false(check_stacks(&before[i], &after[i], 1, &arena));
    }
    gate_buf_free(&bytes[0]);
    gate_buf_free(&bytes[1]);
}

/* Return the sum of the values of one stack in the runs, times the number of the run, from 1. */
static int64_t sum_slowly(const struct gate_stacks runs[RUNS], struct gate_stack_ref ref) {
    int64_t sum = 0;
    for (size_t i = 0; i < RUNS; i++) {
        struct gate_stacks_walk walk = gate_stacks_begin(&runs[i]);
        struct gate_stack stack;
        while (gate_stacks_next(&stack, &walk))
            if (stack.ref.ids == ref.ids && stack.ref.len == ref.len)
                sum += stack.value * (int64_t)(i + 1);
    }
    return sum;
}

TEST(the_sum_of_runs_has_each_stack_once) {
    struct gate_arena arena = {0}, scratch = {0};
    struct gate_profile before, after[RUNS];
    struct gate_shared_tables tables;
    struct gate_buf bytes[RUNS] = {{0}};
    struct gate_stacks runs[RUNS];
    struct gate_stacks_sum sum = {.arena = &arena, .scratch = &scratch};
    int64_t total = 0, expected = 0;
    gate_shared_tables_begin(&tables, &arena);
    for (size_t i = 0; i < RUNS; i++) {
        put_run(&bytes[i], i, samples_of(i), S_KEY);
        expect_load(&before, &bytes[i], &arena);
        expect_added(&after[i], &tables, &before);
    }
    gate_shared_tables_end(&tables);
    for (size_t i = 0; i < RUNS; i++) {
        const struct gate_counts_model model = gate_counts_choose(&after[i], 1, NULL);
        assert_true(gate_stacks_collect(&runs[i], &after[i], &model, NULL, NULL, NULL, &arena, &err));
        assert_true(gate_stacks_sum_add(&sum, &runs[i], (int64_t)(i + 1)));
        expected += runs[i].total * (int64_t)(i + 1);
    }
    assert_true(sum.stacks.count >= runs[0].count && sum.stacks.count <= STACKS);
    for (uint32_t i = 0; i < sum.stacks.count; i++) {
        const struct gate_stack stack = gate_stacks_at(&sum.stacks, i);
        assert_int_equal(stack.value, sum_slowly(runs, stack.ref));
        total += stack.value;
    }
    assert_int_equal(total, expected);
    gate_arena_free(&scratch);
    gate_arena_free(&arena);
    for (size_t i = 0; i < RUNS; i++)
        gate_buf_free(&bytes[i]);
}

TEST(another_program_is_refused_without_an_error) {
    struct gate_profile profiles[2], out[2];
    struct gate_shared_tables tables;
    struct gate_buf bytes[2] = {{0}};
    gate_shared_tables_begin(&tables, &arena);
    for (size_t i = 0; i < 2; i++) {
        put_run(&bytes[i], i, SAMPLES, i == 0 ? S_KEY : S_VALUE);
        expect_load(&profiles[i], &bytes[i], &arena);
    }
    expect_added(&out[0], &tables, &profiles[0]);
    assert_false(gate_shared_tables_add(&out[1], &tables, &profiles[1], &err));
    assert_int_equal(err.code, GATE_OK);
    gate_shared_tables_end(&tables);
    gate_buf_free(&bytes[0]);
    gate_buf_free(&bytes[1]);
}

/* With each limit of memory: a clean error, or the right result. */
TEST(a_full_arena_is_an_error) {
    struct gate_profile profile;
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    bool was_full = false, was_added = false;
    put_run(&bytes, 0, SAMPLES, S_KEY);
    expect_load(&profile, &bytes, &arena);
    for (size_t limit = 1 << 14; !was_added; limit += 1 << 13) {
        AT_END(gate_arena_free) struct gate_arena small;
        struct gate_profile out; /* gate_shared_tables_end writes to it */
        AT_END(gate_shared_tables_end) struct gate_shared_tables tables;
        struct gate_error err = {0};
        gate_arena_init(&small, limit);
        gate_shared_tables_begin(&tables, &small);
        was_added = gate_shared_tables_add(&out, &tables, &profile, &err);
        was_full = was_full || !was_added;
        assert_true(was_added || err.code == GATE_ERR_LIMIT);
    }
    assert_true(was_full);
}
