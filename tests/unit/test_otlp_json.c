/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP profiles as JSON. Those of the collector have the figures of their source. Small ones made here test that each
 * kind of value is read, or refused with its name. */
#include "gate/formats/otlp_json.h"
#include "gate/formats/reader.h"
#include "gate/model/stacks.h"
#include "self_sums.h"

TEST(the_collectors_json_has_the_figures_of_its_source) {
    static const char *const types[] = {"samples", "cpu"};
    for (size_t j = 0; j < 2; j++) {
        expect_text(self_sums("producers/otlp/proto-1.11.json.gz", types[j], &arena),
                    self_sums("captures/fast-7.cpu.pb.gz", types[j], &arena));
    }
}

/* JSON and protobuf of one profile give the same header, labels and build id. */
TEST(json_gives_the_same_profile_as_protobuf) {
    struct gate_profile from, profile;
    fixture_load(&from, "producers/otlp/proto-1.11.otlp.gz", &arena);
    fixture_load(&profile, "producers/otlp/proto-1.11.json.gz", &arena);
    assert_int_equal(profile.format, GATE_FORMAT_OTLP_JSON);
    assert_true(profile.time_ns == from.time_ns && profile.duration_ns == from.duration_ns);
    assert_true(profile.period == from.period && profile.sample_count == from.sample_count);
    assert_true(profile.function_count == from.function_count && profile.max_depth == from.max_depth);
    assert_int_equal(profile.max_labels, from.max_labels);
    expect_text(profile.mappings[0].build_id, from.mappings[0].build_id);
}

/* The samples of the second line have timestamps instead of values. */
TEST(each_line_is_a_message) {
    struct gate_profile one, both;
    fixture_load(&one, "producers/otlp/proto-1.11.json.gz", &arena);
    fixture_load(&both, "producers/otlp/lines.json.gz", &arena);
    struct gate_stacks stacks[2];
    struct gate_profile *const profiles[] = {&one, &both};
    for (int i = 0; i < 2; i++) {
        const struct gate_counts_model model = gate_counts_choose(profiles[i], 0, NULL);
        assert_true(gate_stacks_collect(&stacks[i], profiles[i], &model, NULL, NULL, NULL, &arena, &err));
    }
    assert_int_equal(stacks[0].total, 368);
    assert_int_equal(stacks[1].total, 736);
}

static bool try_text(const char *text, struct gate_buf *out, struct gate_error *err) {
    struct gate_arena arena = {0};
    *err = (struct gate_error){0};
    bool ok = gate_otlp_json_write(out, gate_str_from(text), &arena, err);
    gate_arena_free(&arena);
    return ok;
}

#define ATTRIBUTE(value) "{\"dictionary\":{\"attributeTable\":[{\"value\":" value "}]},\"resourceProfiles\":null}"

/* `bytes` is the attribute's value; the tags and lengths of the messages around it come before it. */
TEST(values_are_written_as_protobuf_has_them) {
    static const struct {
        const char *text, *bytes;
        size_t len;
    } rows[] = {
        {ATTRIBUTE("{\"stringValue\":\"a\"}"),
         "\x0a\x01"
         "a",
         3},
        {ATTRIBUTE("{\"boolValue\":true}"), "\x10\x01", 2},
        {ATTRIBUTE("{\"intValue\":\"300\"}"), "\x18\xac\x02", 3},
        {ATTRIBUTE("{\"intValue\":0}"), "\x18\x00", 2},
        {ATTRIBUTE("{\"intValue\":\"-1\"}"), "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
        {ATTRIBUTE("{\"intValue\":\"18446744073709551615\"}"), "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
        {ATTRIBUTE("{\"doubleValue\":1}"), "\x21\0\0\0\0\0\0\xf0\x3f", 9},
        {ATTRIBUTE("{\"bytesValue\":\"Y2E=\"}"),
         "\x3a\x02"
         "ca",
         4},
        {ATTRIBUTE("{\"bytesValue\":\"-_8\"}"), "\x3a\x02\xfb\xff", 4},
        {ATTRIBUTE("{\"string_value_strindex\":7}"), "\x40\x07", 2},
        {ATTRIBUTE("{\"arrayValue\":{\"values\":[{\"boolValue\":false}]}}"), "\x2a\x04\x0a\x02\x10\x00", 6},
        {ATTRIBUTE("{\"unheardOf\":1}"), "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        if (!try_text(rows[i].text, &out, &err))
            fail_msg("row %zu: %s", i, err.message);
        struct gate_str found = gate_buf_view(&out);
        assert_true(found.len == 4 + 6 + rows[i].len);
        assert_memory_equal(found.ptr + found.len - rows[i].len, rows[i].bytes, rows[i].len);
    }
}

TEST(what_is_of_another_kind_is_refused_by_name) {
    static const char *const rows[][2] = {
        {ATTRIBUTE("{\"intValue\":1.5}"), "expected a whole number in 'intValue'"},
        {ATTRIBUTE("{\"intValue\":\"\"}"), "expected a whole number in 'intValue'"},
        {ATTRIBUTE("{\"intValue\":\"-\"}"), "expected a whole number in 'intValue'"},
        {ATTRIBUTE("{\"intValue\":\"1e3\"}"), "expected a whole number in 'intValue'"},
        {ATTRIBUTE("{\"intValue\":\"99999999999999999999\"}"), "expected a whole number in 'intValue'"},
        {ATTRIBUTE("{\"boolValue\":1}"), "expected true or false in 'boolValue'"},
        {ATTRIBUTE("{\"doubleValue\":\"1\"}"), "expected a number in 'doubleValue'"},
        {ATTRIBUTE("{\"bytesValue\":\"?\"}"), "expected base64 in 'bytesValue'"},
        {ATTRIBUTE("7"), "expected a map in 'value'"},
        {"{\"dictionary\":{\"stringTable\":[1]}}", "expected a text in 'stringTable'"},
        {"{\"dictionary\":{\"stringTable\":\"x\"}}", "expected a list in 'stringTable'"},
        {"{\"dictionary\":{\"linkTable\":[{\"traceId\":\"0g\"}]}}", "expected hexadecimal digits in 'traceId'"},
        {"{\"dictionary\":{\"linkTable\":[{\"traceId\":\"012\"}]}}", "expected hexadecimal digits in 'traceId'"},
        {"{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":[{}]}]}]}]}",
         "of protocols before 1.8 only protobuf is read"},
        {"{} [7]", "OTLP profiles as JSON: expected a map with 'resourceProfiles'"},
        {"{} 7", "malformed JSON"},
        {"{} x", ""},
        {"{\"resourceProfiles\":", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        AT_END(gate_buf_free) struct gate_buf out = {0};
        struct gate_error err;
        assert_false(try_text(rows[i][0], &out, &err));
        if (strstr(err.message, rows[i][1]) == NULL || err.message[0] == '\0')
            fail_msg("row %zu: %s", i, err.message);
    }
}

TEST(only_otlp_json_is_recognised) {
    assert_true(gate_otlp_json_reader.sniff(GATE_STR("{\"resourceProfiles\":[]}")));
    assert_true(gate_otlp_json_reader.sniff(GATE_STR("{ \"dictionary\": {}, \"resource_profiles\": []}")));
    assert_false(gate_otlp_json_reader.sniff(GATE_STR("[{\"resourceProfiles\":[]}]")));
    assert_false(gate_otlp_json_reader.sniff(GATE_STR("{\"resourceSpans\":[]}")));
    assert_false(gate_otlp_json_reader.sniff(GATE_STR("{\"dictionary\": {}}")));
}
