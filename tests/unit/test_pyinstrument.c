/* SPDX-License-Identifier: Apache-2.0 */
/* formats/python_profilers.c: a call costs what it took less its callees. */
#include "foreign_fixture.h"
#include "gate/model/effective_samples.h"

#define CALL(name, time, children)                                                                                     \
    "{\"function\":\"" name "\",\"file_path\":\"a.py\",\"line_no\":3,\"time\":" time ",\"children\":[" children "]}"
#define FILE_OF(root) "{\"duration\":1.0,\"sample_count\":10,\"root_frame\":" root "}"
#define SHOP                                                                                                           \
    FILE_OF(CALL("main", "1.0",                                                                                        \
                 CALL("f", "0.75", CALL("[self]", "0.25", "") "," CALL("g", "0.5", "")) "," CALL("g", "0.125", "")))

TEST(self_time_is_total_time_less_that_of_callees) {
    expect_stacks(GATE_STR(SHOP), GATE_FORMAT_PYINSTRUMENT, "wall",
                  "g<f<main 500000000\nf<main 250000000\ng<main 125000000\nmain 125000000\n");
    expect_stacks(GATE_STR(FILE_OF(CALL("main", "1.0", CALL("f", "1.000000001", "")))), GATE_FORMAT_PYINSTRUMENT, "",
                  "f<main 1000000001\n");
}

TEST(the_period_is_the_mean_sample) {
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, GATE_STR(SHOP), NULL, &arena, &err));
    assert_int_equal(profile.period, 100000000);
    assert_int_equal(gate_counts_choose(&profile, 0, NULL).kind, GATE_COUNTS_PERIOD);
}

TEST(errors_name_the_place) {
    refused(FILE_OF("null"), "the profile has no samples");
    refused(FILE_OF(CALL("f", "\"1\"", "")), "a call at depth 0: expected a text in 'function'");
    refused(FILE_OF(CALL("f", "1", "3")), "a call at depth 1: expected a text in 'function'");
    refused(FILE_OF(CALL("f", "1e10", "")), "seconds in 'time'");
    expect_limit(SHOP, &(struct gate_limits){.depth = 2}, "a stack has more than 2 frames; raise --max-depth");
    expect_limit(SHOP, &(struct gate_limits){.steps = 9}, "--max-steps");
    expect_clean_errors_within_memory(GATE_STR(SHOP));
}
