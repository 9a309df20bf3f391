/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries: a run contains what its profile contained, and damaged or expanding files are refused. */
#include "gate/formats/summary.h"
#include "profile_fixture.h"

#include "gate/base/own_mark.h"
#include "gate/formats/merge.h"

/* A profile with labels, an inlined call, a location without a name, and a stack that two samples have. */
static void put_run(struct gate_buf *out, uint64_t run) {
    put_types(out);
    put_sample(out, 2, 1, 3 + run, 10 * (3 + run));
    put_sample(out, 3, 1, 2, 20);
    put_sample(out, 2, 1, 5, 50);
    struct gate_buf message = {0};
    PACKED(&message, 1, 4, 1);
    PACKED(&message, 2, 1, 11);
    PUT(&message, 3, {1, S_KEY}, {2, S_VALUE});
    PUT(&message, 3, {1, S_CPU}, {3, 7 + run}, {4, S_BYTES});
    put_message(out, 2, &message);
    PUT(out, 3, {1, 1}, {2, 4096}, {3, 8192}, {5, S_FILE}, {6, S_KEY});
    put_location(out, 1, 1);
    put_location(out, 2, 2);
    PUT(&message, 4, {1, 1}, {2, 3}, {3, 9});
    PUT(&message, 4, {1, 2}, {2, 4});
    gate_wire_put_number(&message, 1, 3);
    put_message(out, 4, &message);
    PUT(out, 4, {1, 4}, {2, 1}, {3, 4096 + 16});
    put_function(out, 1, S_MAIN);
    put_function(out, 2, S_LEAF);
    put_strings(out);
    put_unpacked(out, 9, 1000 + run);
    put_unpacked(out, 10, 500);
    PUT(out, 11, {1, S_CPU}, {2, S_NANOSECONDS});
    put_unpacked(out, 12, 10);
    put_unpacked(out, 13, S_KEY);
    put_unpacked(out, 14, S_CPU);
}

static void put_summary(struct gate_buf *out, uint64_t runs) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_summary_writer_end) struct gate_summary_writer writer;
    gate_summary_writer_begin(&writer, &arena);
    for (uint64_t i = 0; i < runs; i++) {
        struct gate_arena each = {0};
        struct gate_profile profile;
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        put_run(&bytes, i);
        expect_load(&profile, &bytes, &each);
        if (!gate_summary_writer_add(&writer, GATE_STR("cpu.pb.gz"), &profile, &err))
            fail_msg("not added: %s", err.message);
        gate_arena_free(&each); /* the summary keeps no pointer into the profile */
    }
    if (!gate_summary_writer_put(out, &writer, &err))
        fail_msg("not written: %s", err.message);
}

static void put_merged(struct gate_buf *out, struct gate_str bytes) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_merge_end) struct gate_merge merge;
    struct gate_profile profile;
    gate_merge_begin(&merge, &arena);
    if (!gate_profile_load(&profile, bytes, NULL, &arena, &err) || !gate_merge_add(&merge, &profile, &arena, &err) ||
        !gate_merge_write(out, &merge, GATE_CONTAINER_RAW, &err))
        fail_msg("%s", err.message);
}

TEST(runs_of_a_summary_equal_their_profiles) {
    AT_END(gate_buf_free) struct gate_buf file = {0};
    struct gate_summary summary;
    put_summary(&file, 2);
    put_summary(&file, 3); /* files can be concatenated */
    if (!gate_summary_read(&summary, gate_buf_view(&file), NULL, &arena, &err))
        fail_msg("not read: %s", err.message);
    assert_int_equal(summary.count, 5);
    for (uint32_t i = 0; i < summary.count; i++) {
        AT_END(gate_buf_free) struct gate_buf bytes = {0}, expected = {0}, found = {0};
        struct gate_str made;
        put_run(&bytes, i < 2 ? i : i - 2);
        put_merged(&expected, gate_buf_view(&bytes));
        if (!gate_summary_run_profile(&made, &summary.runs[i], &arena, &err))
            fail_msg("not made: %s", err.message);
        put_merged(&found, made);
        assert_int_equal(expected.len, found.len);
        assert_memory_equal(expected.ptr, found.ptr, found.len);
        assert_int_equal(gate_str_compare(summary.runs[i].name, GATE_STR("cpu.pb.gz")), 0);
    }
}

/* A summary is a pprof file, and pprof has no field for this. */
TEST(runs_keep_that_their_sampler_counts_preempted_time) {
    AT_END(gate_buf_free) struct gate_buf text = {0}, file = {0};
    struct gate_str made;
    struct gate_summary_writer writer;
    struct gate_summary summary;
    struct gate_profile profile;
    gate_buf_text(&text, "main (shop.py:1);serve (shop.py:2) 7\n");
    expect_load(&profile, &text, &arena);
    gate_summary_writer_begin(&writer, &arena);
    if (!gate_summary_writer_add(&writer, GATE_STR("run"), &profile, &err) ||
        !gate_summary_writer_put(&file, &writer, &err) ||
        !gate_summary_read(&summary, gate_buf_view(&file), NULL, &arena, &err) ||
        !gate_summary_run_profile(&made, &summary.runs[0], &arena, &err) ||
        !gate_profile_load(&profile, made, NULL, &arena, &err))
        fail_msg("%s", err.message);
    gate_summary_writer_end(&writer);
    assert_true(gate_profile_counts_preempted(&profile, GATE_LANGUAGE_PYTHON));
    assert_false(gate_profile_counts_preempted(&profile, GATE_LANGUAGE_NODE));
}

TEST(samples_are_not_joined) {
    AT_END(gate_buf_free) struct gate_buf file = {0};
    struct gate_summary summary;
    struct gate_profile profile;
    struct gate_str made;
    put_summary(&file, 1);
    if (!gate_summary_read(&summary, gate_buf_view(&file), NULL, &arena, &err) ||
        !gate_summary_run_profile(&made, &summary.runs[0], &arena, &err) ||
        !gate_profile_load(&profile, made, NULL, &arena, &err))
        fail_msg("%s", err.message);
    assert_int_equal(profile.sample_count, 4);
    assert_int_equal(profile.time_ns, 1000);
    assert_int_equal(profile.duration_ns, 500);
}

/* Read all runs. Returns the code of the first error. */
static enum gate_error_code read_all(struct gate_str file, const struct gate_limits *limits, size_t memory,
                                     struct gate_error *err) {
    struct gate_arena arena;
    struct gate_summary summary;
    gate_arena_init(&arena, memory);
    bool ok = gate_summary_read(&summary, file, limits, &arena, err);
    for (uint32_t i = 0; ok && i < summary.count; i++) {
        struct gate_str made;
        struct gate_profile profile;
        ok = gate_summary_run_profile(&made, &summary.runs[i], &arena, err) &&
             gate_profile_load(&profile, made, limits, &arena, err);
    }
    gate_arena_free(&arena);
    assert_int_equal(ok, err->code == GATE_OK);
    return err->code;
}

TEST(damaged_files_are_refused) {
    AT_END(gate_buf_free) struct gate_buf file = {0};
    uint32_t refused = 0;
    put_summary(&file, 2);
    for (size_t i = 0; i < file.len; i++) {
        refused += read_all((struct gate_str){file.ptr, i}, NULL, 0, &err) != GATE_OK;
    }
    assert_int_equal(refused, file.len); /* every cut */
    for (size_t i = 0; i < file.len; i++) {
        char kept = file.ptr[i];
        file.ptr[i] ^= 0x55;
        (void)read_all(gate_buf_view(&file), NULL, 0, &err); /* any answer, without a crash */
        file.ptr[i] = kept;
    }
}

static void expect_refused(struct gate_str file, const struct gate_limits *limits, enum gate_error_code code,
                           const char *part) {
    struct gate_error err = {0};
    assert_int_equal(read_all(file, limits, 0, &err), code);
    if (strstr(err.message, part) == NULL)
        fail_msg("said '%s', expected '%s'", err.message, part);
}

TEST(other_files_and_newer_versions_are_refused) {
    AT_END(gate_buf_free) struct gate_buf profile = {0}, part = {0}, file = {0}, empty = {0};
    put_run(&profile, 0);
    expect_refused(gate_buf_view(&profile), NULL, GATE_ERR_FORMAT, "it is no summary of runs");
    gate_wire_put_bytes(&file, GATE_SUMMARIES_MARK, GATE_STR(GATE_OWN_MARK_SUMMARY));
    gate_wire_put_bytes(&empty, GATE_SUMMARIES_MARK, GATE_STR(GATE_OWN_MARK_SUMMARY));
    expect_refused(gate_buf_view(&empty), NULL, GATE_ERR_INPUT, "holds no runs");
    gate_wire_put_number(&part, GATE_PART_VERSION, GATE_SUMMARY_VERSION + 1);
    gate_wire_put_bytes(&file, GATE_SUMMARIES_PART, gate_buf_view(&part));
    expect_refused(gate_buf_view(&file), NULL, GATE_ERR_FORMAT, "of version 2");
}

/* A run of a thousand bytes whose samples all have the same deep stack. */
TEST(a_file_that_expands_is_refused_before_it_does) {
    enum { DEPTH = 10000, SAMPLES = 1000 };
    struct gate_buf file = {0}, part = {0}, run = {0}, ids = {0}, stacks = {0}, tables = {0}, location = {0};
    const struct gate_limits few = {.steps = 1000 * 1000};
    for (int i = 0; i < DEPTH; i++)
        gate_wire_put_varint(&ids, 1);
    for (int i = 0; i < SAMPLES; i++)
        gate_wire_put_varint(&stacks, 0);
    gate_wire_put_number(&location, 1, 1);
    gate_wire_put_bytes(&tables, 4, gate_buf_view(&location));
    gate_wire_put_number(&part, GATE_PART_VERSION, GATE_SUMMARY_VERSION);
    gate_wire_put_bytes(&part, GATE_PART_TABLES, gate_buf_view(&tables));
    gate_wire_put_bytes(&part, GATE_PART_STACK, gate_buf_view(&ids));
    gate_wire_put_bytes(&run, GATE_RUN_STACKS, gate_buf_view(&stacks));
    gate_wire_put_bytes(&part, GATE_PART_RUN, gate_buf_view(&run));
    gate_wire_put_bytes(&file, GATE_SUMMARIES_MARK, GATE_STR(GATE_OWN_MARK_SUMMARY));
    gate_wire_put_bytes(&file, GATE_SUMMARIES_PART, gate_buf_view(&part));
    expect_refused(gate_buf_view(&file), &few, GATE_ERR_LIMIT, "--max-steps");
    struct gate_buf *const all[] = {&file, &part, &run, &ids, &stacks, &tables, &location};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gate_buf_free(all[i]);
}

TEST(a_full_arena_is_an_error) {
    AT_END(gate_buf_free) struct gate_buf file = {0};
    enum gate_error_code code = GATE_ERR_LIMIT;
    put_summary(&file, 2);
    for (size_t memory = 1 << 10; code != GATE_OK; memory += 1 << 10) {
        code = read_all(gate_buf_view(&file), NULL, memory, &err);
        assert_true(code == GATE_OK || code == GATE_ERR_LIMIT);
    }
}
