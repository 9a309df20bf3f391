/* SPDX-License-Identifier: Apache-2.0 */
/* pprof's text format (debug=1): small files written here, and real ones (fixtures/producers/go). The sums of a real
 * one must equal those of the pprof file that Go wrote at the same moment. */
#include "foreign_fixture.h"
#include "gate/formats/text_line.h"
#include "gate/model/location.h"

#define HEAP(header, record) "heap profile: 2: 2000 [3: 4000] @ " header "\n" record "\n"

TEST(names_below_a_stack_are_its_frames) {
    expect_stacks(GATE_STR(HEAP("heap/2", "2: 2000 [3: 4000] @ 0x401040 0x401080\n"
                                          "#\t0x40103f\tmain.(*shop).take+0x178\t/srv/shop.go:59\n"
                                          "#\t0x40107f\tmain.run[go.shape.int; 2]+0x4f\t\t/srv/shop.go:89\n\n"
                                          "0: 0 [1: 7] @ 0x401040\n#\t0x40103f\n")),
                  GATE_FORMAT_DEBUG_TEXT, "alloc_space",
                  "main.(*shop).take<main.run[go.shape.int; 2] 4000\n0x40103f 7\n");
    expect_stacks(
        GATE_STR("goroutine profile: total 4\n3 @ 0x9 0x8\n# labels: {\"a\":\"b\"}\n# Alloc = 1\n#\t0x9\tf+0x1\t\n\n"
                 "1 @ 0x9 0x8\n#\t0x9\tf\n"),
        GATE_FORMAT_DEBUG_TEXT, "goroutine", "f 4\n");
}

TEST(file_and_line_are_kept) {
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, GATE_STR("x profile: total 1\n1 @ 0x9\n#\t0x8\tf+0x1\tC:/a.go:12\n"), NULL,
                                  &arena, &err));
    assert_true(gate_str_equal(profile.functions[0].file, GATE_STR("C:/a.go")));
    struct gate_location location = gate_location_at(&profile, 0);
    assert_int_equal(gate_location_line(&profile, &location, 0).line, 12);
}

/* Go 1.20 and later scale by the sampling period themselves: each count is a multiple of it. */
TEST(mutex_records_are_not_scaled_twice) {
    static const char head[] = "--- mutex:\ncycles/second=1000000000\nsampling period=2\n";
    char text[300];
    snprintf(text, sizeof text, "%s700 4 @ 0x9\n80 2 @ 0x8\n", head);
    expect_stacks(gate_str_from(text), GATE_FORMAT_DEBUG_TEXT, "contentions", "0x8 4\n0x7 2\n");
    expect_stacks(gate_str_from(text), GATE_FORMAT_DEBUG_TEXT, "delay", "0x8 700\n0x7 80\n");
    snprintf(text, sizeof text, "%s700 4 @ 0x9\n80 3 @ 0x8\n", head); /* an older Go */
    expect_stacks(gate_str_from(text), GATE_FORMAT_DEBUG_TEXT, "contentions", "0x8 8\n0x7 6\n");
    expect_stacks(GATE_STR("--- contention:\ncycles/second=1000000000\nsampling period=2\n700 4 @ 0x9\n"),
                  GATE_FORMAT_DEBUG_TEXT, "delay", "0x8 1400\n");
}

TEST(delays_are_converted_from_cycles) {
    static const char mutex[] = "--- mutex:\ncycles/second=2000000000\nsampling period=5\n480000 2 @ 0x401040\n\n"
                                "#\t0x40103f\tf+0x1\t/a.go:3\n";
    struct gate_profile profile;
    double events = 0, weight_sq = 0;
    const int64_t values[2] = {10, 1200000};
    expect_stacks(gate_str_from(mutex), GATE_FORMAT_DEBUG_TEXT, "delay", "f 1200000\n");
    expect_stacks(gate_str_from(mutex), GATE_FORMAT_DEBUG_TEXT, "contentions", "f 10\n");
    /* With a sampling period of 5, the scaled count of 10 stands for two events. */
    assert_true(gate_profile_load(&profile, gate_str_from(mutex), NULL, &arena, &err));
    for (uint32_t column = 0; column < 2; column++) {
        struct gate_counts_model model = gate_counts_choose(&profile, column, NULL);
        gate_counts_of(&model, values, &events, &weight_sq);
        assert_true(events == 2);
    }
    expect_stacks(GATE_STR("--- contentionz 1 ---\ncycles/second = 1000000000\nms since reset = 7\n"
                           "discarded samples = 0\n 5 2 @ 0x9 0x8\n"),
                  GATE_FORMAT_DEBUG_TEXT, "delay", "0x8<0x7 5\n");
}

TEST(every_kind_of_heap_is_scaled_as_its_heading_says) {
    static const char record[] = "2: 2000 [3: 4000] @ 0x9";
    static const struct {
        const char *header, *stacks;
    } kinds[] = {{"heapprofile", "0x8 2000\n"},   {"heap_v2/1000", "0x8 3163\n"}, {"heap/2000", "0x8 3163\n"},
                 {"heapz_v2/1000", "0x8 3163\n"}, {"growthz", "0x8 2000\n"},      {"heap", "0x8 2000\n"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[200];
        snprintf(text, sizeof text, HEAP("%s", "%s"), kinds[i].header, record);
        expect_stacks(gate_str_from(text), GATE_FORMAT_DEBUG_TEXT, "", kinds[i].stacks);
    }
}

TEST(errors_name_the_line) {
    refused(HEAP("elsewhere", ""), "line 1: expected 'heap profile: OBJECTS");
    refused(HEAP("heap/x", ""), "line 1: expected 'heap profile: OBJECTS");
    refused(HEAP("heap/12x", ""), "line 1: expected 'heap profile: OBJECTS");
    refused(HEAP("heap/-2", ""), "line 1: expected 'heap profile: OBJECTS");
    refused(HEAP("heap/2", "2: 2000 @ 0x9"), "line 2: expected 'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESS …'");
    refused(HEAP("heap/2", "0: 2000 [1: 2] @ 0x9"), "line 2: 2000 bytes of no objects");
    refused(HEAP("heap/2", "1: 2 [1: 2] @ 0x9 main.run"), "line 2: expected addresses, found 'main.run'");
    refused(HEAP("heap/2", "1: 2 [1: 2] @ 0x12345678901234567"), "line 2: expected addresses");
    refused("--- mutex:\nsampling period=1\n3 @ 0x9\n", "line 3: expected 'CYCLES COUNT @ ADDRESS …', found '3 @ 0x9'");
    refused("goroutine profile: total 1\nx\n", "line 2: expected 'COUNT @ ADDRESS …', found 'x'");
    refused("--- contentionz 1 ---\nformat = java\nresolution = microseconds\n1 1 @ 0x3\n", "of a Java program");
    refused("goroutine 1 [running]:\nmain.main()\n", "debug=2");
    refused("--- threadz 1 ---\n", "a text profile of another kind");
    refused("my profile: total nothing\n", "text, not a profile");
    expect_error(GATE_STR("--- mutex:\nsampling period=9\n1 9223372036854775807 @ 0x9\n"), NULL, GATE_ERR_OVERFLOW,
                 "line 3: its scaled values do not fit");
}

TEST(limits_of_depth_and_samples_are_applied) {
    struct gate_limits depth = {.depth = 1}, samples = {.samples = 1};
    expect_error(GATE_STR("x profile: total 1\n1 @ 0x9 0x8\n"), &depth, GATE_ERR_LIMIT, "raise --max-depth");
    expect_error(GATE_STR("x profile: total 1\n1 @ 0x9\n#\t0x9\tf\ta:1\n#\t0x9\tf\ta:1\n"), &depth, GATE_ERR_LIMIT,
                 "line 4: a stack has more than 1 frames; raise --max-depth");
    expect_error(GATE_STR("x profile: total 1\n1 @ 0x9\n1 @ 0x8\n"), &samples, GATE_ERR_LIMIT, "raise --max-samples");
}

TEST(every_memory_limit_is_a_clean_error) {
    static const char text[] = HEAP("heap/2", "1: 2 [1: 2] @ 0x9\n#\t0x8\tf+0x1\t/a.go:3");
    expect_clean_errors_within_memory(gate_str_from(text));
}

TEST(numbers_are_read_to_their_ends) {
    struct gate_str rest = GATE_STR(" -9223372036854775808 9223372036854775807,");
    int64_t number = 0;
    uint64_t hex = 0;
    assert_true(gate_text_number(&rest, &number) && number == INT64_MIN);
    assert_true(gate_text_number(&rest, &number) && number == INT64_MAX);
    assert_false(gate_text_number(&rest, &number));
    assert_true(gate_text_mark(&rest, ',') && rest.len == 0);
    rest = GATE_STR("9223372036854775808");
    assert_false(gate_text_number(&rest, &number));
    assert_int_equal(rest.len, 19);
    rest = GATE_STR("0xFFFFFFFFFFFFFFFF 0xg");
    assert_true(gate_text_hex(&rest, &hex) && hex == UINT64_MAX);
    assert_true(gate_text_hex(&rest, &hex) && hex == 0); /* stops at the x */
    rest = GATE_STR("10000000000000000");
    assert_false(gate_text_hex(&rest, &hex));
}

TEST(sums_are_those_of_the_pprof_file) {
    static const struct {
        const char *kind, *type;
    } columns[] = {{"heap", "alloc_objects"}, {"heap", "alloc_space"}, {"heap", "inuse_objects"},
                   {"heap", "inuse_space"},   {"mutex", "delay"},      {"mutex", "contentions"},
                   {"block", "delay"},        {"block", "contentions"}};
    for (size_t i = 0; i < 2 * sizeof columns / sizeof *columns; i++) {
        char path[2][300];
        for (int j = 0; j < 2; j++)
            snprintf(path[j], sizeof path[j], GATE_SOURCE_DIR "/fixtures/producers/go/%s.%s.%s",
                     i % 2 == 0 ? "baseline" : "canary", columns[i / 2].kind, j == 0 ? "txt" : "pb.gz");
        struct gate_str text = sums_print(path[0], columns[i / 2].type, &arena);
        struct gate_str pprof = sums_print(path[1], columns[i / 2].type, &arena);
        if (text.len < 50 || !gate_str_equal(text, pprof))
            fail_msg("%s, %s: got\n%.*sexpected\n%.*s", path[0], columns[i / 2].type, GATE_STR_ARG(text),
                     GATE_STR_ARG(pprof));
    }
}
