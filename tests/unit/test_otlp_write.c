/* SPDX-License-Identifier: Apache-2.0 */
/* Writing OTLP: reading it back and writing it as pprof gives the bytes that writing pprof directly gives. */
#include "gate/formats/merge.h"
#include "gate/model/location.h"
#include "self_sums.h"

/* Merge one profile, and write it as OTLP if `otlp` is true, else as pprof. */
static void write_one(struct gate_buf *out, struct gate_str bytes, bool otlp) {
    AT_END(gate_arena_free) struct gate_arena arena = {0}, each = {0};
    struct gate_profile profile;
    AT_END(gate_merge_end) struct gate_merge merge;
    gate_merge_begin(&merge, &arena);
    if (!gate_profile_load(&profile, bytes, NULL, &each, &err) || !gate_merge_add(&merge, &profile, &each, &err) ||
        !(otlp ? gate_merge_pack_otlp(gate_sink_of_buf(out), &merge, GATE_CONTAINER_RAW, &err)
               : gate_merge_write(out, &merge, GATE_CONTAINER_RAW, &err)))
        fail_msg("%s", err.message);
}

static void expect_round_trip(struct gate_str bytes, const char *name) {
    AT_END(gate_buf_free) struct gate_buf direct = {0}, otlp = {0}, back = {0};
    write_one(&direct, bytes, false);
    write_one(&otlp, bytes, true);
    write_one(&back, gate_buf_view(&otlp), false);
    if (!gate_str_equal(gate_buf_view(&direct), gate_buf_view(&back)))
        fail_msg("%s: %zu bytes became %zu", name, direct.len, back.len);
}

TEST(real_profiles_survive_otlp_unchanged) {
    static const char *const names[] = {"captures/fast-7.cpu.pb.gz",
                                        "captures/mix-1.heap.pb.gz",
                                        "captures/lock-1.mutex.pb.gz",
                                        "producers/pprof-rs/baseline.pb",
                                        "producers/node-pprof/canary.pb.gz",
                                        "producers/async-profiler/canary.pb",
                                        "producers/perf/baseline.collapsed",
                                        "producers/gperftools/baseline.prof",
                                        "producers/perf/canary.script.gz",
                                        "producers/otlp/proto-1.7.otlp.gz",
                                        "producers/node-cpu-prof/baseline.cpuprofile",
                                        "bad/inlined.pb.gz",
                                        "bad/no-lines.pb.gz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        expect_round_trip(fixture_read(names[i], &arena), names[i]);
    }
}

/* Everything that a header and labels can contain: comments, dropped frames, a default type, numbers with units, a
 * zero. */
TEST(a_full_header_survives_otlp_unchanged) {
    struct gate_buf out = {0}, message = {0};
    put_types(&out);
    PACKED(&message, 1, 2, 1);
    PACKED(&message, 2, 3, 30);
    PUT(&message, 3, {1, S_KEY}, {2, S_VALUE});
    PUT(&message, 3, {1, S_BYTES}, {3, 4096}, {4, S_BYTES});
    PUT(&message, 3, {1, S_FILE}, {4, S_BYTES});
    put_message(&out, 2, &message);
    PACKED(&message, 2, 0, 7);
    put_message(&out, 2, &message);
    PUT(&out, 3, {1, 1}, {2, 4096}, {3, 8192}, {5, S_FILE}, {6, S_VALUE});
    put_tables(&out);
    put_unpacked(&out, 7, S_LEAF);
    put_unpacked(&out, 8, S_MAIN);
    put_unpacked(&out, 9, 1700000000000000000);
    put_unpacked(&out, 10, 5000000000);
    PUT(&out, 11, {1, S_CPU}, {2, S_NANOSECONDS});
    put_unpacked(&out, 12, 10);
    PACKED(&out, 13, S_KEY, S_VALUE);
    put_unpacked(&out, 14, S_SAMPLES);
    expect_round_trip(gate_buf_view(&out), "full");
    gate_buf_free(&out);
}

/* V8 counts the columns of functions from 0; pprof and OTLP count from 1. */
TEST(function_columns_survive_pprof_and_otlp) {
    static const char shop[] = "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"t\",\"url\":\"shop.js\","
                               "\"lineNumber\":0,\"columnNumber\":41}},{\"id\":2,\"callFrame\":{\"functionName\":"
                               "\"u\",\"url\":\"shop.js\",\"lineNumber\":2,\"columnNumber\":-1}}],"
                               "\"samples\":[1,2],\"timeDeltas\":[0,5],\"startTime\":0,\"endTime\":10}";
    struct gate_profile profile;
    for (int way = 0; way < 3; way++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        if (way != 0)
            write_one(&out, gate_str_from(shop), way == 2);
        assert_true(
            gate_profile_load(&profile, way == 0 ? gate_str_from(shop) : gate_buf_view(&out), NULL, &arena, &err));
        assert_int_equal(profile.location_count, 2);
        for (uint32_t i = 0; i < 2; i++) {
            struct gate_location location = gate_location_at(&profile, i);
            struct gate_line line = gate_location_line(&profile, &location, 0);
            bool is_first = gate_str_equal(profile.functions[line.function].name, GATE_STR("t"));
            assert_int_equal(location.line_count, 1);
            assert_int_equal(line.line, is_first ? 1 : 3);
            assert_int_equal(line.column, is_first ? 42 : 0);
        }
    }
}

TEST(equal_input_gives_equal_bytes) {
    AT_END(gate_buf_free) struct gate_buf in = {0}, first = {0}, second = {0};
    put_profile(&in);
    write_one(&first, gate_buf_view(&in), true);
    write_one(&second, gate_buf_view(&in), true);
    assert_true(gate_str_equal(gate_buf_view(&first), gate_buf_view(&second)));
}
