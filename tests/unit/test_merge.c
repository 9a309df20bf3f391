/* SPDX-License-Identifier: Apache-2.0 */
/* Merging and writing: decoding inverts encoding, merging follows google/pprof, and equal inputs give equal bytes. */
#include "gate/formats/merge.h"
#include "gate/model/location.h"
#include "profile_fixture.h"

static void merge_all(struct gate_buf *out, const struct gate_buf *inputs, size_t count) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_merge_end) struct gate_merge merge;
    gate_merge_begin(&merge, &arena);
    for (size_t i = 0; i < count; i++) {
        struct gate_arena each = {0};
        struct gate_profile profile;
        expect_load(&profile, &inputs[i], &each);
        if (!gate_merge_add(&merge, &profile, &each, &err))
            fail_msg("%s", err.message);
        gate_arena_free(&each); /* the merge keeps no pointer into the input */
    }
    if (!gate_merge_write(out, &merge, GATE_CONTAINER_RAW, &err))
        fail_msg("%s", err.message);
}

static int64_t total_of(const struct gate_profile *profile, uint32_t column) {
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    int64_t total = 0;
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &err))
        total += sample.values[column];
    gate_sample_end(&cursor);
    return total;
}

TEST(writing_a_written_profile_gives_equal_bytes) {
    AT_END(gate_buf_free) struct gate_buf input = {0}, once = {0}, twice = {0};
    put_profile(&input);
    put_unpacked(&input, 9, 77);
    put_unpacked(&input, 14, S_SAMPLES);
    put_unpacked(&input, 13, S_KEY);
    PUT(&input, 3, {1, 8}, {2, 4096}, {3, 8192}, {5, S_FILE}, {6, S_KEY});
    merge_all(&once, &input, 1);
    merge_all(&twice, &once, 1);
    assert_int_equal(once.len, twice.len);
    assert_memory_equal(once.ptr, twice.ptr, once.len);
}

TEST(equal_stacks_add_up_and_headers_join) {
    struct gate_buf inputs[2] = {{0}}, merged = {0};
    struct gate_profile profile;
    for (uint64_t i = 0; i < 2; i++) {
        put_types(&inputs[i]);
        put_sample(&inputs[i], 2, 1, 3, 30);
        put_sample(&inputs[i], 1 + i, 1 + i, 1, 10);
        put_tables(&inputs[i]);
        put_unpacked(&inputs[i], 12, 10 + i);
        PUT(&inputs[i], 11, {1, S_CPU}, {2, S_NANOSECONDS});
        put_unpacked(&inputs[i], 9, 1000 - i);
        put_unpacked(&inputs[i], 10, 500);
        put_unpacked(&inputs[i], 13, S_KEY);
        put_unpacked(&inputs[i], 13, S_MAIN + i);
        put_unpacked(&inputs[i], 7, S_MAIN + i);
    }
    merge_all(&merged, inputs, 2);
    expect_load(&profile, &merged, &arena);
    assert_int_equal(profile.sample_count, 3);
    assert_int_equal(profile.location_count, 2);
    assert_int_equal(profile.function_count, 2);
    assert_int_equal(total_of(&profile, 0), 8);
    assert_int_equal(total_of(&profile, 1), 80);
    assert_int_equal(profile.period, 11);
    assert_int_equal(profile.time_ns, 999);
    assert_int_equal(profile.duration_ns, 1000);
    assert_int_equal(profile.comment_count, 4); /* the first comment names the program that wrote the profile */
    assert_true(gate_str_equal(profile.drop_frames, GATE_STR("main.main")));
    for (size_t i = 0; i < 2; i++)
        gate_buf_free(&inputs[i]);
    gate_buf_free(&merged);
}

static void put_mapped(struct gate_buf *out, uint64_t start) {
    struct gate_buf sample = {0};
    put_types(out);
    PACKED(&sample, 1, 1);
    PACKED(&sample, 2, 1, 10);
    put_message(out, 2, &sample);
    PUT(out, 3, {1, 1}, {2, start}, {3, start + 0x2000}, {5, S_FILE}, {6, S_KEY});
    PUT(out, 4, {1, 1}, {2, 1}, {3, start + 0x123});
    put_strings(out);
}

TEST(mappings_loaded_elsewhere_are_the_same) {
    struct gate_buf inputs[2] = {{0}}, merged = {0};
    struct gate_profile profile;
    put_mapped(&inputs[0], 0x555500000000);
    put_mapped(&inputs[1], 0x444400000000);
    merge_all(&merged, inputs, 2);
    expect_load(&profile, &merged, &arena);
    assert_int_equal(profile.mapping_count, 1);
    assert_int_equal(profile.location_count, 1);
    assert_int_equal(gate_location_at(&profile, 0).address, 0x555500000123);
    assert_int_equal(profile.sample_count, 1);
    assert_int_equal(total_of(&profile, 1), 20);
    for (size_t i = 0; i < 2; i++)
        gate_buf_free(&inputs[i]);
    gate_buf_free(&merged);
}

static void put_labels(struct gate_buf *out, bool swapped, uint64_t text) {
    struct gate_buf sample = {0};
    PACKED(&sample, 1, 1);
    PACKED(&sample, 2, 1, 10);
    if (swapped)
        PUT(&sample, 3, {1, S_CPU}, {3, 7}, {4, S_BYTES});
    PUT(&sample, 3, {1, S_KEY}, {2, text});
    if (!swapped)
        PUT(&sample, 3, {1, S_CPU}, {3, 7}, {4, S_BYTES});
    put_message(out, 2, &sample);
}

TEST(labels_keep_samples_apart_whatever_their_order) {
    AT_END(gate_buf_free) struct gate_buf input = {0}, merged = {0};
    struct gate_profile profile;
    put_types(&input);
    put_labels(&input, false, S_VALUE);
    put_labels(&input, true, S_VALUE);
    put_labels(&input, false, S_MAIN);
    put_tables(&input);
    merge_all(&merged, &input, 1);
    expect_load(&profile, &merged, &arena);
    assert_int_equal(profile.sample_count, 2);
    assert_true(profile.has_labels);
}

/* A profile of one sample type, with one sample of `value`. */
static void put_single(struct gate_buf *out, const char *type, const char *unit, const char *period_type,
                       const char *period_unit, uint64_t period, uint64_t value) {
    struct gate_buf sample = {0};
    PUT(out, 1, {1, 1}, {2, 2});
    PACKED(&sample, 2, value);
    put_message(out, 2, &sample);
    gate_wire_put_bytes(out, 6, GATE_STR(""));
    gate_wire_put_bytes(out, 6, gate_str_from(type));
    gate_wire_put_bytes(out, 6, gate_str_from(unit));
    gate_wire_put_bytes(out, 6, gate_str_from(period_type));
    gate_wire_put_bytes(out, 6, gate_str_from(period_unit));
    PUT(out, 11, {1, 3}, {2, 4});
    put_unpacked(out, 12, period);
}

TEST(units_become_the_finer_one_whichever_comes_first) {
    for (int swapped = 0; swapped < 2; swapped++) {
        struct gate_buf inputs[2] = {{0}}, merged = {0};
        struct gate_profile profile;
        put_single(&inputs[swapped], "cpu", "milliseconds", "cpu", "milliseconds", 10, 3);
        put_single(&inputs[1 - swapped], "cpu", "nanoseconds", "cpu", "nanoseconds", 5, 7);
        merge_all(&merged, inputs, 2);
        expect_load(&profile, &merged, &arena);
        assert_true(gate_str_equal(profile.sample_types[0].unit, GATE_STR("nanoseconds")));
        assert_int_equal(total_of(&profile, 0), 3000007);
        assert_int_equal(profile.period, 10000000);
        assert_true(gate_str_equal(profile.period_type.unit, GATE_STR("nanoseconds")));
        for (size_t i = 0; i < 2; i++)
            gate_buf_free(&inputs[i]);
        gate_buf_free(&merged);
    }
}

static void expect_unmergeable(struct gate_buf *inputs, enum gate_error_code code, const char *part) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    AT_END(gate_merge_end) struct gate_merge merge;
    struct gate_error err = {0};
    bool ok = true;
    gate_merge_begin(&merge, &arena);
    for (size_t i = 0; i < 2; i++) {
        struct gate_profile profile;
        expect_load(&profile, &inputs[i], &arena);
        ok = ok && gate_merge_add(&merge, &profile, &arena, &err);
        gate_buf_free(&inputs[i]);
    }
    if (ok || strstr(err.message, part) == NULL)
        fail_msg("'%s', expected '%s'", err.message, part);
    assert_int_equal(err.code, code);
}

/* The merge is one file, and thus one run: its total still counts time in which other programs had the processor. */
TEST(a_merge_keeps_that_its_samplers_count_preempted_time) {
    static const struct {
        const char *text;
        bool counts;
    } rows[] = {
        {"main (shop.py:1);serve (shop.py:2) 7\n", true},
        {"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\",\"scriptId\":\"1\",\"url\":\"a.js\","
         "\"lineNumber\":1,\"columnNumber\":1}}],\"startTime\":1,\"endTime\":9,\"samples\":[1],\"timeDeltas\":[2]}",
         false}, /* of V8, not of Python */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_arena arena = {0};
        struct gate_buf inputs[2] = {{0}}, once = {0}, twice = {0};
        struct gate_profile profile;
        gate_buf_text(&inputs[0], rows[i].text);
        gate_buf_text(&inputs[1], rows[i].text);
        merge_all(&once, inputs, 2);
        merge_all(&twice, &once, 1);
        expect_load(&profile, &twice, &arena);
        assert_int_equal(profile.format, GATE_FORMAT_PPROF);
        assert_int_equal(gate_profile_counts_preempted(&profile, GATE_LANGUAGE_PYTHON), rows[i].counts);
        assert_int_equal(gate_profile_counts_preempted(&profile, GATE_LANGUAGE_NODE), !rows[i].counts);
        assert_false(gate_profile_counts_preempted(&profile, GATE_LANGUAGE_GO));
        gate_arena_free(&arena);
        for (int b = 0; b < 2; b++)
            gate_buf_free(&inputs[b]);
        gate_buf_free(&once);
        gate_buf_free(&twice);
    }
}

TEST(profiles_that_cannot_be_added_are_refused) {
    struct gate_buf inputs[2] = {{0}};
    put_single(&inputs[0], "cpu", "ns", "cpu", "ns", 1, 1);
    put_single(&inputs[1], "wall", "ns", "cpu", "ns", 1, 1);
    expect_unmergeable(inputs, GATE_ERR_INPUT, "no sample type in common");
    put_single(&inputs[0], "cpu", "ns", "cpu", "ns", 1, 1);
    put_single(&inputs[1], "cpu", "ns", "wall", "ns", 1, 1);
    expect_unmergeable(inputs, GATE_ERR_INPUT, "'wall/ns', the first profile's is 'cpu/ns'");
    put_single(&inputs[0], "cpu", "ns", "cpu", "ns", 1, 1);
    put_single(&inputs[1], "cpu", "bytes", "cpu", "ns", 1, 1);
    expect_unmergeable(inputs, GATE_ERR_INPUT, "does not convert");
    put_single(&inputs[0], "cpu", "ns", "cpu", "ns", 1, INT64_MAX);
    put_single(&inputs[1], "cpu", "ns", "cpu", "ns", 1, 1);
    expect_unmergeable(inputs, GATE_ERR_OVERFLOW, "more than 64 bits");
    put_single(&inputs[0], "cpu", "s", "cpu", "s", 1, INT64_MAX / 2);
    put_single(&inputs[1], "cpu", "ns", "cpu", "ns", 1, 1);
    expect_unmergeable(inputs, GATE_ERR_OVERFLOW, "do not fit in 64 bits");
    put_single(&inputs[0], "cpu", "ns", "cpu", "ns", 1, 1);
    put_unpacked(&inputs[0], 14, 1);
    put_single(&inputs[1], "wall", "ns", "cpu", "ns", 1, 1);
    expect_unmergeable(inputs, GATE_ERR_INPUT, "lacks the sample type 'cpu', the default");
}

TEST(sample_types_are_intersected) {
    struct gate_buf inputs[2] = {{0}}, merged = {0};
    struct gate_profile profile;
    put_profile(&inputs[0]);
    put_single(&inputs[1], "cpu", "nanoseconds", "cpu", "nanoseconds", 1, 5);
    merge_all(&merged, inputs, 2);
    expect_load(&profile, &merged, &arena);
    assert_int_equal(profile.sample_type_count, 1);
    assert_int_equal(total_of(&profile, 0), 45);
    for (size_t i = 0; i < 2; i++)
        gate_buf_free(&inputs[i]);
    gate_buf_free(&merged);
}

TEST(a_saved_diff_carries_pprofs_label) {
    AT_END(gate_buf_free) struct gate_buf input = {0}, saved = {0};
    struct gate_profile profile, diff;
    AT_END(gate_merge_end) struct gate_merge merge;
    const struct gate_label base = {.key = GATE_STR("pprof::base"), .text = GATE_STR("true")};
    put_profile(&input);
    expect_load(&profile, &input, &arena);
    gate_merge_begin(&merge, &arena);
    assert_true(gate_merge_add(&merge, &profile, &arena, &err));
    assert_true(gate_merge_add_scaled(&merge, &profile, -1, &base, &arena, &err));
    assert_true(gate_merge_write(&saved, &merge, GATE_CONTAINER_ZSTD, &err));
    expect_load(&diff, &saved, &arena);
    assert_int_equal(diff.container, GATE_CONTAINER_ZSTD);
    assert_true(diff.is_saved_diff && diff.has_negative_values);
    assert_int_equal(diff.sample_count, 4);
    assert_int_equal(total_of(&diff, 0), 0);
}

TEST(a_merge_in_any_arena_fails_cleanly_or_succeeds) {
    AT_END(gate_arena_free) struct gate_arena each = {0};
    AT_END(gate_buf_free) struct gate_buf input = {0};
    struct gate_profile profile;
    bool done = false;
    put_profile(&input);
    expect_load(&profile, &input, &each);
    for (size_t limit = 16; limit < 200000 && !done; limit += 64) {
        AT_END(gate_arena_free) struct gate_arena arena;
        AT_END(gate_merge_end) struct gate_merge merge;
        struct gate_error err = {0};
        AT_END(gate_buf_free) struct gate_buf out = {0};
        gate_arena_init(&arena, limit);
        gate_merge_begin(&merge, &arena);
        done =
            gate_merge_add(&merge, &profile, &arena, &err) && gate_merge_write(&out, &merge, GATE_CONTAINER_GZIP, &err);
        assert_true(done || err.message[0] != '\0');
    }
    assert_true(done);
}
