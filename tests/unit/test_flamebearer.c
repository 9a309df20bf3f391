/* SPDX-License-Identifier: Apache-2.0 */
/* Pyroscope's flamebearer JSON. Small files are written here. Real ones have the same sums as the pprof files from
 * which Pyroscope's own packages made them (fixtures/producers/pyroscope). */
#include "foreign_fixture.h"

#define GRAPH(metadata, levels)                                                                                        \
    "{\"version\":1,\"flamebearer\":{\"names\":[\"total\",\"main\",\"leaf\",\"other\"],\"levels\":[" levels            \
    "],\"numTicks\":10,\"maxSelf\":4},\"metadata\":{" metadata "}}"
#define SINGLE "\"format\":\"single\",\"sampleRate\":100,\"units\":\"samples\""

/* Level 0: total 10. Level 1: main 6 (self 2), other 4. Level 2: a gap of 1 and leaf 1, a gap of 1 and leaf 3, then
 * main 2, called by other. */
static const char shop[] = GRAPH(SINGLE, "[0,10,0,0],[0,6,2,1,0,4,2,3],[1,1,1,2,1,3,3,2,0,2,2,1]");

TEST(bars_have_the_callers_below_them) {
    expect_stacks(gate_str_from(shop), GATE_FORMAT_FLAMEBEARER, "samples/count",
                  "main 2\nother 2\nleaf<main 4\nmain<other 2\n");
    expect_stacks(GATE_STR(GRAPH(SINGLE, "[0,5,2,0],[1,3,3,1,0,0,0,2]")), GATE_FORMAT_FLAMEBEARER, "", "2\nmain 3\n");
}

TEST(bars_have_no_lines) {
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, gate_str_from(shop), NULL, &arena, &err));
    struct gate_location bar = gate_location_at(&profile, 0);
    assert_int_equal(gate_location_line(&profile, &bar, 0).line, 0);
}

TEST(units_select_the_sample_type) {
    static const struct {
        const char *units, *rate, *type;
    } units[] = {{"samples", "100", "samples/count"},
                 {"samples", "1000000000", "cpu/nanoseconds"},
                 {"objects", "100", "objects/count"},
                 {"bytes", "1000000000", "space/bytes"},
                 {"lock_nanoseconds", "100", "delay/nanoseconds"},
                 {"lock_samples", "100", "contentions/count"},
                 {"goroutines", "100", "goroutine/count"},
                 {"", "0", "samples/count"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 GRAPH("\"format\":\"single\",\"sampleRate\":%s,\"units\":\"%s\"", "[0,5,0,0],[0,5,5,1]"),
                 units[i].rate, units[i].units);
        expect_stacks(gate_str_from(text), GATE_FORMAT_FLAMEBEARER, units[i].type, "main 5\n");
    }
}

TEST(errors_name_the_place) {
    refused(GRAPH("\"format\":\"double\"", "[0,5,0,0]"), "a comparison of two profiles");
    refused(GRAPH("\"format\":\"triple\"", "[0,5,0,0]"), "metadata.format: expected 'single', found 'triple'");
    refused(GRAPH(SINGLE, ""), "expected a list of levels");
    refused(GRAPH(SINGLE, "[0,5,0]"), "flamebearer.levels[0]: expected a list of numbers, four of each bar");
    refused(GRAPH(SINGLE, "7"), "flamebearer.levels[0]: expected a list of numbers");
    refused(GRAPH(SINGLE, "[0,5,0,0],[0,5,5,9]"), "flamebearer.levels[1][3]: no name");
    refused(GRAPH(SINGLE, "[0,5,0,0],[0,5,-5,1]"), "flamebearer.levels[1][2]: expected a whole number");
    refused(GRAPH(SINGLE, "[0,5,0,0],[0,5,1.5,1]"), "flamebearer.levels[1][2]: expected a whole number");
    refused(GRAPH(SINGLE, "[0,5,0,0],[0,5,6,1]"), "flamebearer.levels[1][2]: a self value that is more");
    refused(GRAPH(SINGLE, "[0,5,0,0],[0,6,6,1]"), "flamebearer.levels[1][0]: a bar without a parent");
    refused(GRAPH(SINGLE, "[0,5,0,0],[0,2,0,1,0,2,0,1],[1,2,2,2]"), "flamebearer.levels[2][0]: a bar without");
    refused(GRAPH(SINGLE, "[0,5,0,0],[],[0,2,2,2]"), "flamebearer.levels[2][0]: a bar without");
    refused("{\"flamebearer\":{\"names\":[3]},\"metadata\":{\"format\":\"single\"}}", "names[0]: expected a text");
    refused("{\"flamebearer\":1,\"metadata\":{\"format\":\"single\"}}", "expected a list in 'flamebearer.names'");
    expect_error(GATE_STR(GRAPH(SINGLE, "[9223372036854775807,1,0,0]")), NULL, GATE_ERR_OVERFLOW, "levels[0]");
}

TEST(limits_of_depth_and_memory_are_applied) {
    struct gate_limits limits = {.depth = 1};
    expect_error(gate_str_from(shop), &limits, GATE_ERR_LIMIT, "the graph has 3 levels; raise --max-depth");
    expect_clean_errors_within_memory(gate_str_from(shop));
}

TEST(sums_equal_those_of_the_drawn_flame_graph) {
    static const struct {
        const char *drawn, *type, *pprof, *pprof_type;
    } files[] = {{"heap.flamebearer.json", "space", "go/baseline.heap.pb.gz", "inuse_space"},
                 {"cpu.flamebearer.json", "cpu", "pprof-rs/baseline.pb", "cpu"},
                 {"samples.flamebearer.json", "samples", "pprof-rs/baseline.pb", "samples"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[2][300];
        snprintf(path[0], sizeof path[0], GATE_SOURCE_DIR "/fixtures/producers/pyroscope/%s", files[i].drawn);
        snprintf(path[1], sizeof path[1], GATE_SOURCE_DIR "/fixtures/producers/%s", files[i].pprof);
        struct gate_str drawn = sums_print(path[0], files[i].type, &arena);
        struct gate_str pprof = sums_print(path[1], files[i].pprof_type, &arena);
        if (drawn.len < 50 || !gate_str_equal(drawn, pprof))
            fail_msg("%s: got\n%.*sexpected\n%.*s", path[0], GATE_STR_ARG(drawn), GATE_STR_ARG(pprof));
    }
}
