/* SPDX-License-Identifier: Apache-2.0 */
/* formats/python_profilers.c: stacks, times and mistakes of small files. */
#include "foreign_fixture.h"

#define ENTRY(stack, count, python, native)                                                                            \
    "[[" stack "],{\"count\":" count ",\"python_time\":" python ",\"c_time\":" native ",\"cpu_samples\":1}]"
#define FILE_OF(stacks) "{\"alloc_samples\":5,\"files\":{},\"growth_rate\":1.0,\"stacks\":[" stacks "]}"
#define SHOP                                                                                                           \
    FILE_OF(ENTRY("\"/my srv/shop.py <module>:12;\",\"/my srv/shop.py f:3;\"", "3", "0.25",                            \
                  "0.5") "," ENTRY("\"/my srv/shop.py <module>:12;\"", "1", "0.125", "0"))

TEST(stacks_have_counts_and_times) {
    struct gate_profile profile;
    expect_stacks(GATE_STR(SHOP), GATE_FORMAT_SCALENE, "samples", "f<<module> 3\n<module> 1\n");
    expect_stacks(GATE_STR(SHOP), GATE_FORMAT_SCALENE, "", "f<<module> 750000000\n<module> 125000000\n");
    expect_stacks(GATE_STR(FILE_OF(ENTRY("\"odd\",\"a:b\"", "3", "0.25", "0.5"))), GATE_FORMAT_SCALENE, "samples",
                  "a:b<odd 3\n");
    assert_true(gate_profile_load(&profile, GATE_STR(SHOP), NULL, &arena, &err));
    struct gate_location f = gate_location_at(&profile, 1);
    assert_true(gate_str_equal(profile.functions[0].file, GATE_STR("/my srv/shop.py")));
    assert_true(gate_location_line(&profile, &f, 0).line == 3 || gate_location_line(&profile, &f, 0).line == 12);
}

TEST(shares_of_the_time_are_multiplied_by_the_elapsed_time) {
    expect_stacks(
        GATE_STR("{\"alloc_samples\":5,\"elapsed_time_sec\":4.0,\"files\":{},\"growth_rate\":1.0,\"stacks\":[" ENTRY(
            "\"a.py f:3;\"", "3", "0.25", "0.5") "]}"),
        GATE_FORMAT_SCALENE, "wall/nanoseconds", "f 3000000000\n");
}

TEST(errors_name_the_place) {
    refused(FILE_OF(""), "no stacks in 'stacks'");
    refused(FILE_OF("[3]"), "stacks[0]: expected a list and numbers");
    refused(FILE_OF(ENTRY("3", "1", "1", "1")), "stacks[0]: expected texts as frames");
    refused(FILE_OF(ENTRY("\"f\"", "-1", "1", "1")), "stacks[0]: its count or time is out of range");
    refused(FILE_OF(ENTRY("\"f\"", "1", "-1", "0")), "stacks[0]: its count or time is out of range");
    refused(FILE_OF(ENTRY("\"f\"", "1", "9e9", "0")), "stacks[0]: its count or time is out of range");
    expect_limit(SHOP, &(struct gate_limits){.depth = 1}, "stacks[0] is 2 frames deep; raise --max-depth");
    expect_limit(SHOP, &(struct gate_limits){.steps = 9}, "--max-steps");
    expect_clean_errors_within_memory(GATE_STR(SHOP));
}
