/* SPDX-License-Identifier: Apache-2.0 */
/* formats/stackprof.c: stacks and sums of small files are as expected. */
#include "foreign_fixture.h"

#define RAW ",\"raw\":[2,7,9,3,3,7,9,9,2]"
#define FILE_OF(mode, interval, rest)                                                                                  \
    "{\"version\":1.2,\"mode\":\"" mode "\",\"interval\":" interval ",\"frames\":{\"7\":{\"name\":\"main\",\"file\":"  \
    "\"a.rb\",\"line\":3,\"total_samples\":5,\"samples\":0},\"9\":{\"name\":\"Cart#add\",\"file\":\"b.rb\","           \
    "\"line\":null,\"total_samples\":5,\"samples\":5}}" rest "}"

TEST(stacks_are_those_of_raw) {
    const struct gate_str file = GATE_STR(FILE_OF("cpu", "1000", RAW));
    expect_stacks(file, GATE_FORMAT_STACKPROF, "samples", "Cart#add<main 3\nCart#add<Cart#add<main 2\n");
    expect_stacks(file, GATE_FORMAT_STACKPROF, "", "Cart#add<main 3000000\nCart#add<Cart#add<main 2000000\n");
    expect_stacks(GATE_STR(FILE_OF("wall", "10", RAW)), GATE_FORMAT_STACKPROF, "wall",
                  "Cart#add<main 30000\nCart#add<Cart#add<main 20000\n");
}

/* A sample is one in `interval` allocations. It still counts as one event. */
TEST(allocations_are_samples) {
    struct gate_profile profile;
    const struct gate_str file = GATE_STR(FILE_OF("object", "1000", RAW));
    expect_stacks(file, GATE_FORMAT_STACKPROF, "", "Cart#add<main 3\nCart#add<Cart#add<main 2\n");
    assert_true(gate_profile_load(&profile, file, NULL, &arena, &err));
    assert_int_equal(profile.sample_type_count, 1);
}

TEST(without_raw_a_stack_is_one_frame) {
    struct gate_profile profile;
    const struct gate_str file = GATE_STR(FILE_OF("cpu", "1000", ""));
    expect_stacks(file, GATE_FORMAT_STACKPROF, "samples", "Cart#add 5\n");
    assert_true(gate_profile_load(&profile, file, NULL, &arena, &err));
    assert_int_equal(profile.comment_count, 1);
}

TEST(errors_name_the_place) {
    refused(FILE_OF("cpu", "0", RAW), "a number above 0 in 'interval'");
    refused(FILE_OF("cpu", "1", ",\"raw\":[2,7,9]"), "raw[0]: a stack of 2 frames exceeds the list");
    refused(FILE_OF("cpu", "1", ",\"raw\":[-1,7,9]"), "raw[0]: a stack of -1 frames exceeds the list");
    refused(FILE_OF("cpu", "1", ",\"raw\":[1,8,9]"), "raw[1] is not among the frames");
    refused(FILE_OF("cpu", "1", ",\"raw\":[1,\"7\",9]"), "raw[1] is not among the frames");
    refused(FILE_OF("cpu", "1", ",\"raw\":[1,7,-9]"), "raw[2]: expected the number of samples");
    refused("{\"mode\":\"cpu\",\"interval\":1,\"frames\":{\"x\":{\"total_samples\":1}}}", "found 'x'");
    refused("{\"mode\":\"cpu\",\"interval\":1,\"frames\":{\"1\":{\"total_samples\":1}}}", "frames[1]: expected a text");
    refused("{\"mode\":\"cpu\",\"interval\":1,\"frames\":[],\"total_samples\":1}", "a map of frames");
    expect_error(GATE_STR(FILE_OF("cpu", "1000", ",\"raw\":[1,7,9223372036854775807]")), NULL, GATE_ERR_OVERFLOW,
                 "too many to multiply");
    expect_limit(FILE_OF("cpu", "1", RAW), &(struct gate_limits){.depth = 1}, "raw[0] is 2 frames deep");
    expect_limit(FILE_OF("cpu", "1", RAW), &(struct gate_limits){.steps = 9}, "--max-steps");
    expect_clean_errors_within_memory(GATE_STR(FILE_OF("cpu", "1000", RAW)));
}
