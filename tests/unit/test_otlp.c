/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP profiles. Real ones of each version have the figures of the pprof profile they were converted from. Small
 * messages made here test the details of each version. */
#include "gate/formats/reader.h"
#include "self_sums.h"

static const char source[] = "captures/fast-7.cpu.pb.gz";
static const char *const versions[] = {"producers/otlp/proto-1.5.otlp.gz", "producers/otlp/proto-1.7.otlp.gz",
                                       "producers/otlp/proto-1.8.otlp.gz", "producers/otlp/proto-1.11.otlp.gz"};

TEST(each_version_has_the_figures_of_its_source) {
    static const char *const types[] = {"samples", "cpu"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        for (size_t j = 0; j < 2; j++) {
            expect_text(self_sums(versions[i], types[j], &arena), self_sums(source, types[j], &arena));
        }
}

/* The header, the resource's labels, build ids and files are converted, too. */
TEST(each_version_keeps_the_header_of_its_source) {
    struct gate_profile from, profile;
    fixture_load(&from, source, &arena);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        fixture_load(&profile, versions[i], &arena);
        assert_int_equal(profile.format, GATE_FORMAT_OTLP);
        assert_true(profile.time_ns == from.time_ns && profile.duration_ns == from.duration_ns);
        assert_true(profile.period == from.period);
        expect_text(profile.period_type.unit, GATE_STR("nanoseconds"));
        assert_true(profile.function_count == from.function_count && profile.max_depth == from.max_depth);
        assert_int_equal(profile.max_labels, from.max_labels + 1); /* one more label: the service name */
        assert_true(profile.mapping_count != 0);
        expect_text(profile.mappings[0].build_id, from.mappings[0].build_id);
        expect_text(profile.default_sample_type, GATE_STR("samples"));
    }
}

/* Like the output of the eBPF profiler: samples without values, one timestamp per event. */
TEST(samples_with_only_timestamps_are_counted) {
    expect_text(self_sums("producers/otlp/times.otlp.gz", "samples/count", &arena),
                self_sums(source, "samples/count", &arena));
}

/* async-profiler wrote one recording in both formats. Its OTLP is of proto 1.8, with unpacked numbers. */
TEST(async_profilers_two_formats_agree) {
    expect_text(self_sums("producers/async-profiler/baseline.otlp", "cpu/count", &arena),
                self_sums("producers/async-profiler/baseline.pb", "cpu/count", &arena));
}

enum { T_NONE, T_CPU, T_NS, T_MAIN, T_LEAF, T_OFF_CPU, T_KEY, T_UNIT };

/* Two functions, two locations, stack 1 (main calls leaf), stack 2 (main); two attributes, a text and a number. */
static void put_dictionary(struct gate_buf *out) {
    static const char *const texts[] = {"", "cpu", "nanoseconds", "main", "leaf", "off_cpu", "key", "bytes"};
    struct gate_buf table = {0};
    PUT(&table, 1, {1, 0});
    PUT(&table, 2, {1, 0});
    for (uint64_t function = 1; function <= 2; function++) {
        struct gate_buf location = {0};
        PUT(&location, 3, {1, function});
        put_message(&table, 2, &location);
    }
    PUT(&table, 3, {1, 0});
    PUT(&table, 3, {1, T_MAIN});
    PUT(&table, 3, {1, T_LEAF});
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        gate_wire_put_bytes(&table, 5, gate_str_from(texts[i]));
    gate_wire_put_bytes(&table, 6, GATE_STR(""));
    gate_wire_put_bytes(&table, 6, GATE_STR("\x08\x06\x12\x03\x0a\x01v"));        /* key: "v" */
    gate_wire_put_bytes(&table, 6, GATE_STR("\x08\x06\x12\x02\x18\x05\x18\x07")); /* key: 5 bytes */
    gate_wire_put_bytes(&table, 7, GATE_STR(""));
    gate_wire_put_bytes(&table, 7, GATE_STR("\x0a\x02\x02\x01"));
    gate_wire_put_bytes(&table, 7, GATE_STR("\x0a\x01\x01"));
    put_message(out, 2, &table);
}

/* Put one profile with `samples` (messages of field 2) in its own resource and scope. */
static void put_resource(struct gate_buf *out, uint64_t type, struct gate_buf *samples) {
    struct gate_buf profile = {0}, scope = {0}, resource = {0};
    PUT(&profile, 1, {1, type}, {2, T_NS});
    gate_buf_str(&profile, gate_buf_view(samples));
    gate_buf_free(samples);
    put_message(&scope, 2, &profile);
    put_message(&resource, 2, &scope);
    put_message(out, 1, &resource);
}

/* One sample as in proto 1.9 and later. */
static void put_otlp_sample(struct gate_buf *samples, uint64_t stack, uint64_t attribute, uint64_t value,
                            uint32_t times) {
    struct gate_buf message = {0};
    gate_wire_put_number(&message, 1, stack);
    if (attribute != 0)
        PACKED(&message, 2, attribute);
    if (value != 0)
        PACKED(&message, 4, value);
    if (times != 0)
        gate_wire_put_bytes(&message, 5, (struct gate_str){"--------++++++++========", 8 * (size_t)times});
    put_message(samples, 2, &message);
}

static void expect_otlp(const struct gate_buf *bytes, const char *type, const char *wanted) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    uint32_t column = 0;
    expect_load(&profile, bytes, &arena);
    assert_int_equal(profile.format, GATE_FORMAT_OTLP);
    if (!gate_sample_type_find(&column, &profile, gate_str_from(type), &err))
        fail_msg("%s", err.message);
    expect_text(self_sums_print(&profile, column, &arena), gate_str_from(wanted));
}

TEST(a_dictionary_may_come_first) {
    struct gate_buf out = {0}, samples = {0}, framed = {0};
    put_otlp_sample(&samples, 1, 0, 30, 0);
    put_otlp_sample(&samples, 2, 0, 10, 0);
    put_dictionary(&out);
    put_resource(&out, T_CPU, &samples);
    expect_otlp(&out, "cpu", "leaf 30\nmain 10\n");
    for (int twice = 0; twice < 2; twice++) { /* the framing of the collector's file exporter */
        const char head[] = {0, 0, (char)(out.len >> 8), (char)out.len};
        gate_buf_bytes(&framed, head, sizeof head);
        gate_buf_str(&framed, gate_buf_view(&out));
    }
    expect_otlp(&framed, "cpu", "leaf 60\nmain 20\n");
    framed.len -= 3;
    expect_error(gate_buf_view(&framed), NULL, GATE_ERR_FORMAT, "of which the last is cut");
    gate_buf_free(&framed);
    gate_buf_free(&out);
}

/* If samples have values and timestamps, the values are summed and the timestamps counted in a second column. Each
 * sample type has its own columns. */
TEST(timestamps_of_values_are_counted_in_a_second_column) {
    struct gate_buf out = {0}, samples = {0}, more = {0}, message = {0};
    gate_wire_put_number(&message, 1, 1);
    PACKED(&message, 4, 5, 6, 7);
    gate_wire_put_bytes(&message, 5, GATE_STR("--------++++++++========"));
    put_message(&samples, 2, &message);
    put_otlp_sample(&more, 2, 0, 9, 1);
    put_resource(&out, T_CPU, &samples);
    put_resource(&out, T_OFF_CPU, &more);
    put_dictionary(&out);
    expect_otlp(&out, "", "leaf 18\nmain 0\n");
    expect_otlp(&out, "samples/count", "leaf 3\nmain 0\n");
    expect_otlp(&out, "off_cpu/nanoseconds", "leaf 0\nmain 9\n");
    expect_otlp(&out, "off_samples/count", "leaf 0\nmain 1\n");
    gate_buf_free(&out);
}

TEST(attributes_are_labels) {
    struct gate_profile profile;
    struct gate_buf out = {0}, samples = {0};
    AT_END(gate_sample_end) struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_label label;
    put_otlp_sample(&samples, 1, 1, 30, 0);
    put_otlp_sample(&samples, 1, 2, 10, 0);
    put_dictionary(&out);
    put_resource(&out, T_CPU, &samples);
    expect_load(&profile, &out, &arena);
    gate_sample_begin(&cursor, &profile);
    for (int i = 0; i < 2; i++) {
        assert_true(gate_sample_next(&cursor, &sample, &err));
        struct gate_label_walk walk = gate_labels_of(&cursor);
        assert_true(gate_labels_next(&walk, &label));
        expect_text(label.key, GATE_STR("key"));
        if (i == 0)
            expect_text(label.text, GATE_STR("v"));
        else
            assert_true(label.text.ptr == NULL && label.number == 5);
    }
    expect_text(label.unit, GATE_STR("bytes"));
    gate_buf_free(&out);
}

TEST(errors_name_the_mistake) {
    static const struct {
        uint64_t stack, attribute, type;
        const char *part;
    } rows[] = {
        {3, 0, T_CPU, "refers to stack 3, but its table holds 3"},
        {1, 77, T_CPU, "refers to attribute 77, but its table holds 3"},
        {1, 0, 99, "refers to string 99, but its table holds 8"},
    };
    struct gate_buf empty = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_buf out = {0}, samples = {0};
        put_otlp_sample(&samples, rows[i].stack, rows[i].attribute, 30, 0);
        put_dictionary(&out);
        put_resource(&out, rows[i].type, &samples);
        expect_error(gate_buf_view(&out), NULL, GATE_ERR_FORMAT, rows[i].part);
        gate_buf_free(&out);
    }
    put_dictionary(&empty);
    expect_error(gate_buf_view(&empty), NULL, GATE_ERR_FORMAT, "an OTLP message without a profile");
    gate_buf_free(&empty);
    expect_error(GATE_STR("{\"resourceProfiles\":[{}],\"dictionary\":{}}"), NULL, GATE_ERR_FORMAT, "without a profile");
}

TEST(limits_of_samples_and_depth_are_applied) {
    struct gate_buf out = {0}, samples = {0};
    const struct gate_limits rows[] = {{.samples = 1}, {.depth = 1}};
    const char *const parts[] = {"--max-samples", "--max-depth"};
    for (int i = 0; i < 8; i++)
        put_otlp_sample(&samples, 1, 0, 30, 0);
    put_dictionary(&out);
    put_resource(&out, T_CPU, &samples);
    for (size_t i = 0; i < 2; i++)
        expect_error(gate_buf_view(&out), &rows[i], GATE_ERR_LIMIT, parts[i]);
    expect_clean_errors_within_memory(gate_buf_view(&out));
    gate_buf_free(&out);
}

/* The limit of labels holds for each profile, not for all profiles of a file together. */
TEST(many_profiles_may_have_attributes) {
    enum { PROFILES = 4100 };
    AT_END(gate_buf_free) struct gate_buf out = {0};
    for (int i = 0; i < PROFILES; i++) {
        struct gate_buf samples = {0};
        put_otlp_sample(&samples, 1, 0, 30, 0);
        PACKED(&samples, 11, 1); /* attributes of the profile */
        put_resource(&out, T_CPU, &samples);
    }
    put_dictionary(&out);
    expect_otlp(&out, "cpu", "leaf 123000\n");
}

TEST(pprof_is_not_otlp) {
    AT_END(gate_buf_free) struct gate_buf out = {0};
    put_profile(&out);
    assert_false(gate_otlp_reader.sniff(gate_buf_view(&out)));
    assert_false(gate_otlp_reader.sniff(GATE_STR("")));
    assert_false(gate_otlp_reader.sniff(GATE_STR("\x12\x00")));
}
