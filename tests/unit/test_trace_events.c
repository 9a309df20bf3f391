/* SPDX-License-Identifier: Apache-2.0 */
/* formats/v8_profiles.c: CPU profiles in traces of events. A real trace has the counts that another program finds in
 * its chunks. Small ones test how chunks are combined. */
#include "self_sums.h"

/* Counted by a Python script in the same events: samples of each process, by the name of their node. */
TEST(a_trace_of_chromium_has_its_samples) {
    struct gate_profile profile;
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    int64_t samples = 0;
    fixture_load(&profile, "producers/chromium/trace.json.gz", &arena);
    assert_int_equal(profile.format, GATE_FORMAT_TRACE_EVENTS);
    struct gate_str sums = self_sums_print(&profile, 0, &arena);
    assert_true(gate_str_find(sums, GATE_STR("\nroundPrice 5964\n"), 0) != SIZE_MAX);
    assert_true(gate_str_find(sums, GATE_STR("(garbage collector) 147\n"), 0) != SIZE_MAX);
    assert_true(gate_str_find(sums, GATE_STR("(program) 91\n"), 0) != SIZE_MAX);
    gate_sample_begin(&cursor, &profile);
    while (gate_sample_next(&cursor, &sample, &err))
        samples += sample.values[0];
    gate_sample_end(&cursor);
    assert_int_equal(samples, 7693);
    assert_int_equal(profile.comment_count, 2);
    expect_text(profile.comments[0], GATE_STR("9780 idle samples left out"));
    expect_text(profile.comments[1], GATE_STR("571 ms without a processor left out"));
}

#define EVENT(pid, name, data)                                                                                         \
    "{\"ph\":\"P\",\"pid\":" pid ",\"tid\":7,\"id\":\"0x1\",\"name\":\"" name "\",\"args\":{\"data\":{" data "}}}"
#define NODE(id, name, above) "{\"id\":" id ",\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"a.js\"}" above "}"
#define FIRST EVENT("1", "Profile", "\"startTime\":1000")
#define CHUNK                                                                                                          \
    EVENT("1", "ProfileChunk",                                                                                         \
          "\"cpuProfile\":{\"nodes\":[" NODE("1", "(root)", "") "," NODE(                                              \
              "2", "f", ",\"parent\":1") "],"                                                                          \
                                         "\"samples\":[2]},\"timeDeltas\":[10]")
#define MORE                                                                                                           \
    EVENT("1", "ProfileChunk",                                                                                         \
          "\"cpuProfile\":{\"nodes\":[" NODE("3", "g", ",\"parent\":2") "],\"samples\":[3,3]},"                        \
                                                                        "\"timeDeltas\":[20,30],\"endTime\":1100")
#define OTHER                                                                                                          \
    EVENT("2", "ProfileChunk",                                                                                         \
          "\"cpuProfile\":{\"nodes\":[" NODE("1", "h", "") "],\"samples\":[1,1]},\"timeDeltas\":[5,5]")
#define WHOLE(tid, name)                                                                                               \
    "{\"ph\":\"I\",\"pid\":1,\"tid\":" tid ",\"name\":\"CpuProfile\",\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":["  \
    "{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[2]},{\"id\":2,\"callFrame\":{"                \
    "\"functionName\":\"" name "\"}}],\"samples\":[2,2],\"timeDeltas\":[10,20],\"startTime\":5,\"endTime\":105}}}}"
#define NAME "{\"ph\":\"M\",\"pid\":1,\"tid\":7,\"name\":\"thread_name\",\"args\":{\"name\":\"Main\"}}"

/* The parent of a node may be in an earlier chunk. Each process has its own node numbers. A sample lasts until the next
 * one. */
TEST(chunks_are_put_together) {
    static const char list[] = "[" FIRST "," CHUNK "," MORE "," OTHER "," NAME "]";
    static const char object[] = "{\"traceEvents\":[" FIRST "," CHUNK "," MORE "," OTHER "]}";
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "samples", "f 1\ng 2\nh 2\n");
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, object, "samples", "f 1\ng 2\nh 2\n");
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "cpu", "f 20000\ng 70000\nh 5000\n");
}

#define EMPTY EVENT("3", "ProfileChunk", "\"cpuProfile\":{\"samples\":[1,1]},\"timeDeltas\":[5,5]")

static void expect_comment(const char *text, const char *wanted) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    assert_true(gate_profile_load(&profile, gate_str_from(text), NULL, &arena, &err));
    assert_int_equal(profile.comment_count, 1);
    expect_text(profile.comments[0], gate_str_from(wanted));
}

/* A trimmed trace lacks the first chunks, so f, the caller of g, is missing. */
TEST(missing_callers_cut_stacks) {
    static const char list[] = "[" FIRST "," MORE "]";
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "samples", "g 2\n");
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "cpu", "g 80000\n");
    expect_comment(list, "2 samples lack their outer callers, which the file does not contain");
}

TEST(samples_of_missing_calls_are_left_out) {
    static const char list[] =
        "[" CHUNK "," EVENT("1", "ProfileChunk", "\"cpuProfile\":{\"samples\":[9,2,9]},\"timeDeltas\":[5,5,5]") "]";
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "samples", "f 2\n");
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "cpu", "f 10000\n");
    expect_comment(list, "2 samples of calls that the file does not contain left out");
}

TEST(a_profile_without_calls_does_not_spoil_others) {
    static const char list[] = "[" CHUNK "," EMPTY "]";
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "samples", "f 1\n");
    expect_comment(list, "2 samples of calls that the file does not contain left out");
}

/* Chrome 65 and 66: whole profiles, whose nodes list their children. */
TEST(whole_profiles_are_read) {
    static const char list[] =
        "[" WHOLE("7", "f") "," WHOLE("8", "g") "," NAME ",{\"ph\":\"I\",\"name\":\"x\",\"id\":18446744073709551615}]";
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "samples", "f 2\ng 2\n");
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "cpu", "f 90000\ng 90000\n");
}

/* Samples at 10, 40, 20 and 60 us of 100 us: sorted, f lasts 10 + 40 us, and g 20 + 20 us. */
TEST(samples_are_sorted_by_time) {
    static const char list[] =
        "[" FIRST
        "," EVENT("1", "ProfileChunk",
                  "\"cpuProfile\":{\"nodes\":[" NODE("1", "f", "") "," NODE(
                      "2", "g", "") "],"
                                    "\"samples\":[1,2,2,1]},\"timeDeltas\":[10,30,-20,40],\"endTime\":1100") "]";
    expect_self_sums(GATE_FORMAT_TRACE_EVENTS, list, "cpu", "f 50000\ng 40000\n");
}

TEST(the_thread_is_a_label) {
    struct gate_profile profile;
    static const char list[] = "[" NAME "," FIRST "," CHUNK "]";
    assert_true(gate_profile_load(&profile, gate_str_from(list), NULL, &arena, &err));
    assert_true(profile.has_labels);
}

TEST(errors_name_the_mistake) {
    expect_error(GATE_STR("{\"traceEvents\":[]}"), NULL, GATE_ERR_FORMAT, "disabled-by-default-v8.cpu_profiler");
    expect_error(GATE_STR("[" FIRST "," EMPTY "]"), NULL, GATE_ERR_FORMAT, "a trace of events without a CPU profile");
    expect_error(GATE_STR("{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1}],\"viztracer_metadata\":{}}"), NULL,
                 GATE_ERR_FORMAT, "a trace of VizTracer, which has every call and no samples");
    expect_error(GATE_STR("[{\"cat\":\"py-spy\",\"ph\":\"B\",\"pid\":1,\"name\":\"f\"}]"), NULL, GATE_ERR_FORMAT,
                 "a trace of py-spy, which does not have its samples: record with 'py-spy record --format raw");
    expect_error(GATE_STR("{\"traceEvents\":[" FIRST), NULL, GATE_ERR_FORMAT, "malformed JSON");
    expect_clean_errors_within_memory(GATE_STR("[" FIRST "," CHUNK "," MORE "," NAME "]"));
}
