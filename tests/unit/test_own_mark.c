/* SPDX-License-Identifier: Apache-2.0 */
/* base/own_mark.h: the beginnings that mark a file as written by pprofgate. test_own_file.c tests real reports. */

#include "gate/base/buf.h"
#include "gate/base/own_mark.h"
#include "tests/unit/unit.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define SARIF "{\n  \"$schema\": \"" GATE_OWN_MARK_SARIF "\",\n  \"version\": \"2.1.0\",\n  \"runs\": [\n    {\n"
#define PAGE "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"

struct row {
    enum gate_own_mark mark;
    struct gate_str text;
    bool is_own;
};

#define ROW(mark, text, is_own)                                                                                        \
    { mark, {text, sizeof(text) - 1}, is_own }

static const struct row rows[] = {
    ROW(GATE_OWN_RULES, "# Rules of pprofgate: what a canary may cost more than its baseline.\n", false),
    ROW(GATE_OWN_JSON, "{\n  \"schema_version\": 1,\n  \"generator\": \"pprofgate 9.9\"\n}\n", true),
    ROW(GATE_OWN_JSON, "{\n  \"schema_version\": 1,\n  \"verdict\": \"pass\",\n  \"generator\": \"pprofgate 9.9\"",
        true),
    ROW(GATE_OWN_JSON, "{\n  \"schema_version\": 1,\n  \"generator\": \"pprofgateway 1\"\n}\n", false),
    ROW(GATE_OWN_JSON, "{\n  \"schema_version\": 1,\n  \"of\": {\n    \"generator\": \"pprofgate 9.9\"", false),
    ROW(GATE_OWN_JSON, "{\n  \"schema_version\": 1,\n  \"text\": \"\\n  \\\"generator\\\": \\\"pprofgate 9\"", false),
    /* reformatted by another program */
    ROW(GATE_OWN_JSON, "{\"schema_version\":1,\"generator\":\"pprofgate 9.9\"}", false),
    ROW(GATE_OWN_JUNIT, XML "<testsuites name=\"pprofgate\" tests=\"1\">", true),
    ROW(GATE_OWN_JUNIT, XML "<testsuites name=\"pprofgate trend\" tests=\"1\">", true),
    ROW(GATE_OWN_JUNIT, XML "<testsuites name=\"pprofgate tests of mine\" tests=\"1\">", false),
    ROW(GATE_OWN_JUNIT, XML "<testsuites name=\"pytest tests\"><testsuite name=\"pprofgate\" tests=\"1\">", false),
    ROW(GATE_OWN_HTML, PAGE "<meta charset=\"utf-8\">\n" GATE_OWN_MARK_HTML "<title>", true),
    ROW(GATE_OWN_HTML, PAGE "<meta charset=\"utf-8\">\n<title>pprofgate</title>", false),
    ROW(GATE_OWN_HTML, "<!DOCTYPE html>\n" GATE_OWN_MARK_HTML, false),
    ROW(GATE_OWN_SVG, XML GATE_OWN_MARK_SVG "<svg>", true),
    ROW(GATE_OWN_SVG, XML "<svg>" GATE_OWN_MARK_SVG, false),
    ROW(GATE_OWN_MARKDOWN, "## pprofgate: PASS\n" GATE_OWN_MARK_MARKDOWN "\n", true),
    ROW(GATE_OWN_MARKDOWN, "## Notes\n\n## pprofgate: PASS\n" GATE_OWN_MARK_MARKDOWN, false),
    ROW(GATE_OWN_MARKDOWN, "# Notes\n" GATE_OWN_MARK_MARKDOWN, false),
    ROW(GATE_OWN_MARKDOWN, "## pprofgate: how we use it\n", false),
    ROW(GATE_OWN_CODEQUALITY, "[\n  {\n    \"engine_name\": \"pprofgate\",\n", true),
    ROW(GATE_OWN_CODEQUALITY, "[]\n", true),
    ROW(GATE_OWN_CODEQUALITY, "[]\n{}", false),
    ROW(GATE_OWN_CODEQUALITY, "[\n  {\n    \"engine_name\": \"eslint\",\n", false),
    ROW(GATE_OWN_SARIF, SARIF "      \"tool\": {\n        \"driver\": {\n          \"name\": \"pprofgate\",\n", true),
    ROW(GATE_OWN_SARIF, SARIF "      \"tool\": {\n        \"driver\": {\n          \"name\": \"CodeQL\",\n", false),
    ROW(GATE_OWN_OPENMETRICS, "# TYPE pprofgate_verdict stateset\n", true),
    ROW(GATE_OWN_OPENMETRICS, "# TYPE http_requests counter\n# TYPE pprofgate_verdict stateset\n", false),
    ROW(GATE_OWN_FOLDED, "pprofgate 0 0\nmain;work 3 4\n", true),
    ROW(GATE_OWN_FOLDED, "main;work 3 4\n", false),
    ROW(GATE_OWN_SPEEDSCOPE,
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"pprofgate 9.9\"", true),
    ROW(GATE_OWN_SPEEDSCOPE,
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"py-spy\"", false),
    ROW(GATE_OWN_PPROF, "\x32\x00\x32\x16# written by pprofgate\x0A\x04", true),
    ROW(GATE_OWN_PPROF, "\x0A\x04\x08\x01\x10\x02\x32\x00\x32\x16# written by pprofgate", false),
    ROW(GATE_OWN_OTLP, "\x0A\x20\x12\x1E\x0A\x0B\x0A\x09pprofgate", true),
    ROW(GATE_OWN_OTLP, "\x0A\x20\x12\x1E\x0A\x0B\x0A\x09other-one", false),
    ROW(GATE_OWN_NOISE, "# How much runs of one build differ, written by pprofgate calibrate; used\nversion: 1\n",
        true),
    ROW(GATE_OWN_NOISE,
        "# Left out, not like the others: \"a\"\n# How much runs of one build differ, written by pprofgate "
        "calibrate; used\n",
        true),
    ROW(GATE_OWN_NOISE, "# Left out, not like the others: \"a\"\nversion: 1\n", false),
    ROW(GATE_OWN_MANUAL, ".TH PPROFGATE-CHECK 1 \"\" \"pprofgate 9.9\" \"User Commands\"\n", true),
    ROW(GATE_OWN_MANUAL, ".TH PPROFGATE 1 \"\" \"mine\"\n", false),
};

TEST(only_what_pprofgate_wrote_is_recognised) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (gate_own_mark_is_in(rows[i].mark, rows[i].text) != rows[i].is_own)
            fail_msg("row %zu: expected %d of '%.*s'", i, rows[i].is_own, GATE_STR_ARG(rows[i].text));
}

TEST(a_mark_that_is_cut_is_not_recognised) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t len = 0; len < 12 && rows[i].is_own && rows[i].mark != GATE_OWN_CODEQUALITY; len++)
            assert_false(gate_own_mark_is_in(rows[i].mark, gate_str_slice(rows[i].text, 0, len)));
}

TEST(a_format_does_not_pass_for_another) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int mark = 0; mark < GATE_OWN_MARKS; mark++)
            assert_true((enum gate_own_mark)mark == rows[i].mark ||
                        !gate_own_mark_is_in((enum gate_own_mark)mark, rows[i].text));
}

TEST(a_mark_far_from_the_beginning_does_not_count) {
    AT_END(gate_buf_free) struct gate_buf text = {0};
    gate_buf_text(&text, PAGE);
    gate_buf_repeat(&text, '\n', 1000);
    gate_buf_text(&text, GATE_OWN_MARK_HTML);
    assert_false(gate_own_mark_is_in(GATE_OWN_HTML, gate_buf_view(&text)));
}

TEST(every_format_has_a_name) {
    for (int mark = 0; mark < GATE_OWN_MARKS; mark++)
        assert_memory_equal(gate_own_mark_name((enum gate_own_mark)mark), "the ", 4);
}
