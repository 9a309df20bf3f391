/* SPDX-License-Identifier: Apache-2.0 */
/* The pprof decoder: valid encodings of one profile, truncated and hostile bytes, limits, and each part of the
 * format. */
#include "gate/model/location.h"
#include "gate/model/sample.h"
#include "profile_fixture.h"

TEST(a_whole_profile_is_read) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    put_profile(&bytes);
    expect_load(&profile, &bytes, &arena);
    assert_int_equal(profile.sample_type_count, 2);
    assert_true(gate_str_equal(profile.sample_types[1].type, GATE_STR("cpu")));
    assert_true(gate_str_equal(profile.sample_types[1].unit, GATE_STR("nanoseconds")));
    assert_int_equal(profile.sample_count, 2);
    assert_int_equal(profile.max_depth, 2);
    assert_int_equal(profile.period, 10);
    assert_int_equal(profile.function_count, 2);
    assert_int_equal(profile.functions[0].start_line, 7);
    assert_true(gate_str_equal(profile.functions[1].name, GATE_STR("main.leaf")));
    struct gate_location leaf = gate_location_at(&profile, 1);
    assert_int_equal(leaf.line_count, 1);
    assert_int_equal(gate_location_line(&profile, &leaf, 0).line, 10);
    assert_int_equal(leaf.mapping, GATE_NO_INDEX);
    assert_false(profile.has_negative_values || profile.has_labels || profile.is_saved_diff);
}

TEST(every_spelling_of_a_sample_is_the_same_sample) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_buf spelled[5] = {{0}};
    struct gate_profile profile;
    AT_END(gate_sample_end) struct gate_sample_cursor cursor;
    struct gate_sample sample;
    PACKED(&spelled[0], 1, 2); /* in pieces, packed and unpacked; first, so that the scratch is empty */
    PACKED(&spelled[0], 2, 3);
    put_unpacked(&spelled[0], 1, 1);
    put_unpacked(&spelled[0], 2, 30);
    put_unpacked(&spelled[1], 1, 2); /* all unpacked */
    put_unpacked(&spelled[1], 1, 1);
    put_unpacked(&spelled[1], 2, 3);
    put_unpacked(&spelled[1], 2, 30);
    PACKED(&spelled[2], 2, 3, 30); /* values first, as Go writes them */
    PACKED(&spelled[2], 1, 2, 1);
    PACKED(&spelled[3], 1, 2, 1);
    PACKED(&spelled[3], 2, 3, 30);
    put_unpacked(&spelled[4], 1, 2); /* unpacked first, then an empty piece and unknown fields of each wire type */
    gate_wire_put_bytes(&spelled[4], 1, GATE_STR(""));
    gate_wire_put_bytes(&spelled[4], 99, GATE_STR("future"));
    put_unpacked(&spelled[4], 98, 1);
    gate_buf_bytes(&spelled[4],
                   "\xB9\x06"
                   "12345678",
                   10); /* field 103, 64 bits */
    gate_buf_bytes(&spelled[4],
                   "\xBD\x06"
                   "1234",
                   6); /* field 103, 32 bits */
    PACKED(&spelled[4], 1, 1);
    PACKED(&spelled[4], 2, 3, 30);
    put_types(&bytes);
    for (size_t i = 0; i < 5; i++)
        put_message(&bytes, 2, &spelled[i]);
    put_tables(&bytes);
    expect_load(&profile, &bytes, &arena);
    gate_sample_begin(&cursor, &profile);
    for (size_t i = 0; i < 5; i++) {
        assert_true(gate_sample_next(&cursor, &sample, &err));
        assert_int_equal(gate_stack_depth(sample.stack), 2);
        assert_int_equal(sample.stack.len, 2);
        assert_memory_equal(sample.stack.ids, "\x02\x01", 2);
        assert_int_equal(sample.value_count, 2);
        assert_int_equal(sample.values[0], 3);
        assert_int_equal(sample.values[1], 30);
        assert_int_equal(gate_stack_is_borrowed(&cursor, sample.stack), i == 0 || i == 1 || i == 4);
    }
    assert_false(gate_sample_next(&cursor, &sample, &err));
    assert_int_equal(err.code, GATE_OK);
}

TEST(unknown_fields_at_the_top_are_skipped) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    put_profile(&bytes);
    gate_wire_put_bytes(&bytes, 100, GATE_STR("future"));
    put_unpacked(&bytes, 101, 7);
    put_unpacked(&bytes, 15, S_FILE); /* doc_url */
    expect_load(&profile, &bytes, &arena);
    assert_int_equal(profile.sample_count, 2);
}

/* A profile that is truncated anywhere gives an error, or a shorter profile that is consistent. */
TEST(a_truncated_profile_is_refused_or_consistent) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    size_t refused = 0;
    put_profile(&bytes);
    for (size_t len = 0; len < bytes.len; len++) {
        struct gate_arena arena = {0};
        struct gate_error err = {0};
        struct gate_profile profile;
        char *exact = malloc(len + 1); /* reallocated to `len` bytes below, so that ASan reports reads past the end */
        memcpy(exact, bytes.ptr, len);
        char *fitted = realloc(exact, len == 0 ? 1 : len);
        bool ok = gate_profile_load(&profile, (struct gate_str){fitted, len}, NULL, &arena, &err);
        assert_true(ok || err.message[0] != '\0');
        refused += !ok;
        gate_arena_free(&arena);
        free(fitted);
    }
    assert_true(refused > bytes.len / 2);
    expect_error(gate_str_slice(gate_buf_view(&bytes), 0, bytes.len - 3), NULL, GATE_ERR_FORMAT,
                 "the profile is truncated");
}

TEST(names_keep_their_nul_and_become_utf8) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    put_types(&bytes);
    put_tables(&bytes);
    PUT(&bytes, 5, {1, 3}, {2, S_STRINGS});
    PUT(&bytes, 5, {1, 4}, {2, S_STRINGS + 1});
    gate_wire_put_bytes(&bytes, 6, (struct gate_str){"a\0b", 3});
    gate_wire_put_bytes(&bytes, 6, GATE_STR("caf\xe9 long enough to pass eight bytes"));
    expect_load(&profile, &bytes, &arena);
    assert_true(gate_str_equal(profile.functions[2].name, (struct gate_str){"a\0b", 3}));
    assert_true(gate_str_equal(profile.functions[3].name, GATE_STR("caf\xEF\xBF\xBD long enough to pass eight bytes")));
}

TEST(caps_name_their_option) {
    struct gate_buf bytes = {0}, location = {0};
    put_profile(&bytes);
    expect_error(gate_buf_view(&bytes), &(struct gate_limits){.samples = 1}, GATE_ERR_LIMIT, "--max-samples");
    expect_error(gate_buf_view(&bytes), &(struct gate_limits){.strings = 3}, GATE_ERR_LIMIT, "--max-strings");
    expect_error(gate_buf_view(&bytes), &(struct gate_limits){.depth = 1}, GATE_ERR_LIMIT, "--max-depth");
    expect_error(gate_buf_view(&bytes), &(struct gate_limits){.inflated_bytes = 10}, GATE_ERR_LIMIT, "--max-size");
    gate_wire_put_number(&location, 1, 3);
    for (int i = 0; i < 3; i++)
        PUT(&location, 4, {1, 1});
    put_message(&bytes, 4, &location);
    expect_error(gate_buf_view(&bytes), &(struct gate_limits){.lines = 2}, GATE_ERR_LIMIT, "--max-lines");
    gate_buf_free(&bytes);
}

/* A mapping with a million unknown fields, which protobuf-c would store in many times their size. */
TEST(a_hostile_message_is_refused_before_it_is_large) {
    struct gate_buf bytes = {0}, mapping = {0};
    put_types(&bytes);
    put_tables(&bytes);
    for (int i = 0; i < 1000000; i++)
        gate_buf_bytes(&mapping, "\x78\x01", 2);
    put_message(&bytes, 3, &mapping);
    expect_error(gate_buf_view(&bytes), NULL, GATE_ERR_LIMIT, "too large to be real");
    gate_buf_free(&bytes);
}

TEST(every_arena_limit_is_a_clean_error) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    put_profile(&bytes);
    expect_clean_errors_within_memory(gate_buf_view(&bytes));
}

TEST(empty_stacks_zero_and_negative_values_are_kept) {
    struct gate_buf bytes = {0}, empty = {0};
    struct gate_profile profile;
    put_types(&bytes);
    PACKED(&empty, 2, 0, (uint64_t)-5);
    put_message(&bytes, 2, &empty);
    put_tables(&bytes);
    expect_load(&profile, &bytes, &arena);
    assert_int_equal(profile.sample_count, 1);
    assert_int_equal(profile.max_depth, 0);
    assert_true(profile.has_negative_values);
    gate_buf_free(&bytes);
}

TEST(inlined_lines_are_innermost_first) {
    struct gate_buf bytes = {0}, location = {0};
    struct gate_profile profile;
    put_types(&bytes);
    put_tables(&bytes);
    gate_wire_put_number(&location, 1, 3);
    gate_wire_put_number(&location, 3, 0x1234);
    PUT(&location, 4, {1, 2}, {2, 5});
    PUT(&location, 4, {1, 1}, {2, 6});
    put_message(&bytes, 4, &location);
    expect_load(&profile, &bytes, &arena);
    const struct gate_location inlined = gate_location_at(&profile, 2);
    assert_int_equal(inlined.line_count, 2);
    assert_int_equal(inlined.address, 0x1234);
    assert_int_equal(gate_location_leaf(&profile, &inlined), 1);
    assert_int_equal(gate_location_line(&profile, &inlined, 1).function, 0);
    gate_buf_free(&bytes);
}

TEST(ids_of_any_size_are_found) {
    static const uint64_t ids[] = {UINT64_MAX, 1, UINT64_C(1) << 40, UINT64_C(0x8000000000000000), 12345678901};
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    put_types(&bytes);
    for (size_t i = 0; i < 5; i++) {
        put_location(&bytes, ids[i], ids[i] ^ 2);
        put_function(&bytes, ids[i] ^ 2, S_MAIN);
        put_sample(&bytes, ids[i], ids[0], 1, 1);
    }
    put_strings(&bytes);
    expect_load(&profile, &bytes, &arena);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(gate_location_find(&profile, ids[i]), i);
        struct gate_location location = gate_location_at(&profile, i);
        assert_int_equal(gate_location_leaf(&profile, &location), i);
    }
    assert_int_equal(gate_location_find(&profile, 0), GATE_NO_INDEX);
    assert_int_equal(gate_location_find(&profile, 2), GATE_NO_INDEX);
}

TEST(a_saved_diff_is_recognised_by_its_label) {
    struct gate_buf bytes = {0}, message = {0};
    struct gate_profile profile;
    put_profile(&bytes);
    PACKED(&message, 2, (uint64_t)-3, (uint64_t)-30);
    PUT(&message, 3, {1, S_BASE}, {2, S_TRUE});
    put_message(&bytes, 2, &message);
    expect_load(&profile, &bytes, &arena);
    assert_true(profile.is_saved_diff && profile.has_labels && profile.has_negative_values);
    gate_buf_free(&bytes);
}

TEST(headers_are_read) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    put_profile(&bytes);
    put_unpacked(&bytes, 7, S_MAIN);
    put_unpacked(&bytes, 8, S_LEAF);
    put_unpacked(&bytes, 9, 1700000000);
    put_unpacked(&bytes, 10, 5000);
    put_unpacked(&bytes, 13, S_KEY);
    PACKED(&bytes, 13, S_VALUE, S_FILE);
    put_unpacked(&bytes, 14, S_SAMPLES);
    PUT(&bytes, 3, {1, 8}, {2, 4096}, {3, 8192}, {4, 16}, {5, S_FILE}, {6, S_KEY});
    expect_load(&profile, &bytes, &arena);
    assert_true(gate_str_equal(profile.drop_frames, GATE_STR("main.main")));
    assert_true(gate_str_equal(profile.keep_frames, GATE_STR("main.leaf")));
    assert_true(gate_str_equal(profile.default_sample_type, GATE_STR("samples")));
    assert_int_equal(profile.time_ns, 1700000000);
    assert_int_equal(profile.duration_ns, 5000);
    assert_int_equal(profile.comment_count, 3);
    assert_true(gate_str_equal(profile.comments[2], GATE_STR("a.go")));
    assert_int_equal(profile.mappings[0].limit, 8192);
    assert_true(gate_str_equal(profile.mappings[0].build_id, GATE_STR("key")));
}
