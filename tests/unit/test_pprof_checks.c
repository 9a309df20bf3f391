/* SPDX-License-Identifier: Apache-2.0 */
/* Inconsistent and malformed profiles: each mistake has its own message, with the kind and id, or the place. */
#include "profile_fixture.h"

#include "gate/model/location.h"

/* Add one mistake to a good profile, and expect that it is refused. */
static void mistake(void (*add)(struct gate_buf *), const char *part) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    put_types(&bytes);
    put_tables(&bytes);
    add(&bytes);
    expect_error(gate_buf_view(&bytes), NULL, GATE_ERR_FORMAT, part);
}

static void add_few_values(struct gate_buf *out) {
    struct gate_buf message = {0};
    PACKED(&message, 1, 1);
    PACKED(&message, 2, 1);
    put_message(out, 2, &message);
}
static void add_missing_location(struct gate_buf *out) {
    put_sample(out, 9, 1, 1, 1);
}
static void add_location_zero_in_sample(struct gate_buf *out) {
    put_sample(out, 0, 1, 1, 1);
}
static void add_location_twice(struct gate_buf *out) {
    put_location(out, 2, 1);
}
static void add_function_twice(struct gate_buf *out) {
    put_function(out, 1, S_MAIN);
}
static void add_location_zero(struct gate_buf *out) {
    put_location(out, 0, 1);
}
static void add_function_zero(struct gate_buf *out) {
    put_function(out, 0, S_MAIN);
}
static void add_missing_function(struct gate_buf *out) {
    put_location(out, 3, 77);
}
static void add_line_without_function(struct gate_buf *out) {
    put_location(out, 3, 0);
}
static void add_missing_mapping(struct gate_buf *out) {
    PUT(out, 4, {1, 3}, {2, 5});
}
static void add_mapping_zero(struct gate_buf *out) {
    PUT(out, 3, {2, 4096});
}
static void add_mapping_twice(struct gate_buf *out) {
    PUT(out, 3, {1, 1});
    PUT(out, 3, {1, 1});
}
static void add_name_out_of_range(struct gate_buf *out) {
    put_function(out, 3, 1000);
}
static void add_drop_out_of_range(struct gate_buf *out) {
    put_unpacked(out, 7, 1000);
}
static void add_comment_out_of_range(struct gate_buf *out) {
    PACKED(out, 13, 1, 1000);
}
static void add_type_out_of_range(struct gate_buf *out) {
    PUT(out, 1, {1, UINT64_MAX});
}
static void add_time_twice(struct gate_buf *out) {
    put_unpacked(out, 9, 1);
    put_unpacked(out, 9, 2);
}
static void add_label_out_of_range(struct gate_buf *out) {
    struct gate_buf message = {0};
    PACKED(&message, 2, 1, 1);
    PUT(&message, 3, {1, 1000});
    put_message(out, 2, &message);
}
static void add_group(struct gate_buf *out) {
    gate_buf_bytes(out, "\x0b\x0c", 2);
}
static void add_field_zero(struct gate_buf *out) {
    gate_buf_bytes(out, "\0\0", 2);
}
static void add_number_for_message(struct gate_buf *out) {
    put_unpacked(out, 4, 1);
}
static void add_message_for_number(struct gate_buf *out) {
    gate_wire_put_bytes(out, 12, GATE_STR("x"));
}
static void add_long_varint(struct gate_buf *out) {
    gate_buf_bytes(out, "\x60\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
}
static void add_cut_id(struct gate_buf *out) {
    struct gate_buf message = {0};
    gate_wire_put_bytes(&message, 1, GATE_STR("\x01\x81"));
    put_message(out, 2, &message);
}
static void add_bad_location(struct gate_buf *out) {
    gate_wire_put_bytes(out, 4, GATE_STR("\x08\x03\x22\x7f"));
}
static void add_location_id_of_bytes(struct gate_buf *out) {
    gate_wire_put_bytes(out, 4, GATE_STR("\x0a\x01\x03"));
}
static void add_location_line_of_number(struct gate_buf *out) {
    gate_wire_put_bytes(out, 4, GATE_STR("\x08\x03\x20\x01"));
}
static void add_line_function_of_bytes(struct gate_buf *out) {
    gate_wire_put_bytes(out, 4, GATE_STR("\x08\x03\x22\x03\x0a\x01\x01"));
}
static void add_line_cut(struct gate_buf *out) {
    gate_wire_put_bytes(out, 4, GATE_STR("\x08\x03\x22\x03\x08\x01\x10"));
}

/* A tag of five bytes, before a line. protobuf-c truncates its field number to that of another field. */
static void add_wrapped_tag(struct gate_buf *out) {
    gate_wire_put_bytes(out, 4, GATE_STR("\x08\x03\x80\x80\x80\x80\x10\x14\x22\x04\x08\x01\x10\x0a"));
}

TEST(inconsistent_profiles_are_refused_with_kind_and_id) {
    mistake(add_few_values, "sample 1 has 1 values, but the profile has 2 sample types");
    mistake(add_missing_location, "sample 1 refers to location 9");
    mistake(add_location_zero_in_sample, "sample 1 refers to location 0");
    mistake(add_location_twice, "two locations have the id 2");
    mistake(add_function_twice, "two functions have the id 1");
    mistake(add_location_zero, "a location has the reserved id 0");
    mistake(add_function_zero, "a function has the reserved id 0");
    mistake(add_missing_function, "location 3 refers to function 77");
    mistake(add_line_without_function, "location 3 refers to function 0");
    mistake(add_mapping_zero, "a mapping has the reserved id 0");
    mistake(add_mapping_twice, "two mappings have the id 1");
    mistake(add_name_out_of_range, "the name of a function is string 1000, but the string table has only 13");
    mistake(add_drop_out_of_range, "drop_frames is string 1000");
    mistake(add_comment_out_of_range, "a comment is string 1000");
    mistake(add_type_out_of_range, "the name of a sample type is string -1");
    mistake(add_label_out_of_range, "a label is string 1000");
    mistake(add_time_twice, "two profiles were concatenated");
}

TEST(malformed_bytes_are_refused_with_their_place) {
    mistake(add_group, "malformed protobuf at byte");
    mistake(add_field_zero, "malformed protobuf at byte");
    mistake(add_number_for_message, "has wire type 0, expected 2");
    mistake(add_message_for_number, "has wire type 2, expected 0");
    mistake(add_long_varint, "malformed protobuf at byte");
    mistake(add_cut_id, "malformed sample");
    mistake(add_wrapped_tag, "location number 3 is malformed");
    mistake(add_bad_location, "location number 3 is malformed");
    mistake(add_location_id_of_bytes, "location number 3 is malformed");
    mistake(add_location_line_of_number, "location number 3 is malformed");
    mistake(add_line_function_of_bytes, "location number 3 is malformed");
    mistake(add_line_cut, "location number 3 is malformed");
}

TEST(values_without_types_and_a_first_string_are_refused) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    put_tables(&bytes);
    put_sample(&bytes, 1, 1, 1, 1);
    expect_error(gate_buf_view(&bytes), NULL, GATE_ERR_FORMAT, "no sample types");
    bytes.len = 0;
    gate_wire_put_bytes(&bytes, 6, GATE_STR("first"));
    expect_error(gate_buf_view(&bytes), NULL, GATE_ERR_FORMAT, "'first', expected an empty one");
}

/* Like google/pprof, treat a mapping id that does not exist as no mapping. */
TEST(a_mapping_id_that_does_not_exist_is_no_mapping) {
    AT_END(gate_buf_free) struct gate_buf bytes = {0};
    struct gate_profile profile;
    const struct gate_limits limits = gate_limits_default();
    put_types(&bytes);
    put_tables(&bytes);
    add_missing_mapping(&bytes);
    assert_true(gate_profile_load(&profile, gate_buf_view(&bytes), &limits, &arena, &err));
    uint32_t location = gate_location_find(&profile, 3);
    assert_int_not_equal(location, GATE_NO_INDEX);
    assert_int_equal(gate_location_at(&profile, location).mapping, GATE_NO_INDEX);
}

/* Location 3 has three inlined calls. The stacks of the samples have 2, 4 and 6 frames. */
TEST(the_depth_counts_inlined_calls) {
    struct gate_buf bytes = {0}, location = {0};
    struct gate_profile profile;
    put_types(&bytes);
    put_tables(&bytes);
    gate_wire_put_number(&location, 1, 3);
    for (uint64_t i = 0; i < 3; i++)
        PUT(&location, 4, {1, 1}, {2, i + 1});
    put_message(&bytes, 4, &location);
    put_sample(&bytes, 1, 2, 1, 1);
    put_sample(&bytes, 3, 2, 1, 1);
    assert_true(gate_profile_load(&profile, gate_buf_view(&bytes), &(struct gate_limits){.depth = 4}, &arena, &err));
    assert_int_equal(profile.max_depth, 2);
    put_sample(&bytes, 3, 3, 1, 1);
    expect_error(gate_buf_view(&bytes), &(struct gate_limits){.depth = 5}, GATE_ERR_LIMIT,
                 "sample 3 is 6 frames deep with its inlined calls, more than 5; raise --max-depth");
    assert_true(gate_profile_load(&profile, gate_buf_view(&bytes), &(struct gate_limits){.depth = 6}, &arena, &err));
    gate_buf_free(&bytes);
}
