/* SPDX-License-Identifier: Apache-2.0 */
/* V8's .heapprofile: small files, written here, have the expected stacks and sums. */
#include "foreign_fixture.h"

#define CALL(name, line) "\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"shop.js\",\"lineNumber\":" #line "}"
#define NODE(id, name, size, children)                                                                                 \
    "{" CALL(name, 4) ",\"selfSize\":" #size ",\"id\":" #id ",\"children\":[" children "]}"
#define FILE_OF(head, samples) "{\"head\":" head ",\"samples\":[" samples "]}"
#define SAMPLE(id) "{\"size\":9,\"nodeId\":" #id ",\"ordinal\":1}"

static const char shop[] =
    FILE_OF(NODE(1, "(root)", 0, NODE(2, "main", 0, NODE(3, "", 300, "")) "," NODE(4, "main", 8, "")),
            SAMPLE(3) "," SAMPLE(4) "," SAMPLE(3));

TEST(each_call_has_its_own_size) {
    expect_stacks(gate_str_from(shop), GATE_FORMAT_HEAPPROFILE, "", "main.(anonymous)<main 300\nmain 8\n");
    expect_stacks(gate_str_from(shop), GATE_FORMAT_HEAPPROFILE, "space/bytes", "main.(anonymous)<main 300\nmain 8\n");
}

TEST(samples_are_the_events) {
    struct gate_profile profile;
    double events = 0, weight_sq = 0;
    const int64_t values[2] = {4, 1000};
    expect_stacks(gate_str_from(shop), GATE_FORMAT_HEAPPROFILE, "samples", "main.(anonymous)<main 2\nmain 1\n");
    assert_true(gate_profile_load(&profile, gate_str_from(shop), NULL, &arena, &err));
    struct gate_counts_model model = gate_counts_choose(&profile, 1, NULL);
    gate_counts_of(&model, values, &events, &weight_sq);
    assert_true(events == 4 && weight_sq == 250000);
}

/* Without the list "samples" the number of samples behind a size is unknown. */
TEST(without_samples_nothing_is_counted) {
    static const char old[] = "{\"head\":" NODE(1, "(root)", 0, NODE(2, "main", 700, "")) "}";
    struct gate_profile profile;
    expect_stacks(gate_str_from(old), GATE_FORMAT_HEAPPROFILE, "", "main 700\n");
    assert_true(gate_profile_load(&profile, gate_str_from(old), NULL, &arena, &err));
    assert_int_equal(profile.sample_type_count, 1);
    assert_int_equal(gate_counts_choose(&profile, 0, NULL).kind, GATE_COUNTS_UNKNOWN);
}

/* V8 wrote neither ids nor samples before 2018. */
TEST(files_without_ids_are_read) {
    static const char text[] =
        "{\"head\":{\"callFrame\":{\"functionName\":\"(root)\"},\"selfSize\":0,\"children\":[{\"callFrame\":{"
        "\"functionName\":\"f\"},\"selfSize\":7,\"children\":[]},{\"callFrame\":{\"functionName\":\"g\"},"
        "\"selfSize\":9,\"children\":[]}]}%s}";
    char whole[500];
    snprintf(whole, sizeof whole, text, "");
    expect_stacks(gate_str_from(whole), GATE_FORMAT_HEAPPROFILE, "space", "f 7\ng 9\n");
    snprintf(whole, sizeof whole, text, ",\"samples\":[]");
    refused(whole, "expected numbers in 'id' and 'selfSize'");
}

TEST(the_size_of_the_root_has_an_empty_stack) {
    expect_stacks(GATE_STR(FILE_OF(NODE(1, "(root)", 16, NODE(2, "f", 8, "")), SAMPLE(1) "," SAMPLE(2))),
                  GATE_FORMAT_HEAPPROFILE, "", "16\nf 8\n");
}

/* Node 20 sometimes writes samples with an id that no node has. */
TEST(samples_without_a_call_are_skipped) {
    expect_stacks(GATE_STR(FILE_OF(NODE(1, "(root)", 0, NODE(2, "f", 8, "")), SAMPLE(7) "," SAMPLE(2))),
                  GATE_FORMAT_HEAPPROFILE, "samples", "f 1\n");
}

TEST(errors_name_the_place) {
    refused(FILE_OF(NODE(1, "r", 8, NODE(1, "f", 8, "")), SAMPLE(1)), "1 samples are of two nodes with one id");
    refused(FILE_OF(NODE(1, "r", -8, ""), ""), "node 1: a 'selfSize' of -8 is out of range");
    refused(FILE_OF(NODE(1, "r", 9e18, ""), ""), "out of range");
    refused(FILE_OF(NODE(1, "r", null, ""), ""), "expected numbers in 'id' and 'selfSize'");
    refused(FILE_OF(NODE(1, "r", 8, "3"), ""), "a call at depth 0: expected an object in 'callFrame'");
    refused(FILE_OF(NODE(1, "r", 8, ""), "{\"nodeId\":\"1\"}"), "samples[0]: expected a number in 'nodeId'");
    refused("{\"head\":{\"selfSize\":1", "malformed JSON at line 1");
}

TEST(deep_trees_meet_the_limit) {
    struct gate_limits limits = {.depth = 2};
    static const char deep[] =
        FILE_OF(NODE(1, "r", 0, NODE(2, "a", 0, NODE(3, "b", 0, NODE(4, "c", 1, "")))), SAMPLE(4));
    expect_error(gate_str_from(deep), &limits, GATE_ERR_LIMIT, "more than 2 frames; raise --max-depth");
    limits.depth = 3;
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, gate_str_from(deep), &limits, &arena, &err));
    assert_int_equal(profile.max_depth, 3);
}

TEST(every_memory_limit_is_a_clean_error) {
    expect_clean_errors_within_memory(gate_str_from(shop));
}
