/* SPDX-License-Identifier: Apache-2.0 */
/* The table of report formats, and reports of a run without a baseline. */
#include "gate/report/report.h"

#include "gate/base/buf.h"
#include "gate/base/build_id.h"
#include "gate/base/json_io.h"
#include "gate/base/own_mark.h"
#include "gate/report/checkout.h"
#include "gate/report/trees.h"

/* ---- the program that wrote a JSON report ------------------------------------------------------------------------ */

void gate_generator_json(struct gate_json *json) {
    char build[GATE_OWN_BUILD_TEXT];
    gate_own_build_id(build);
    gate_json_key(json, "generator");
    gate_json_text(json, "pprofgate " GATE_VERSION);
    if (build[0] == '\0')
        return;
    gate_json_key(json, "generator_build");
    gate_json_text(json, build);
}

/* ---- reports of a run without a baseline ------------------------------------------------------------------------- */

enum { SCHEMA_VERSION = 1, INDENT = 4 };

bool gate_nothing_compared_terminal(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    size_t line = out->len;
    gate_buf_printf(out, "%s  ", nothing->capitals);
    gate_escape_terminal(out, nothing->message);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, INDENT, GATE_WRAP_COLUMNS);
    if (nothing->next.len == 0)
        return !out->failed;
    line = out->len;
    gate_buf_text(out, "  next: ");
    gate_escape_terminal(out, nothing->next);
    gate_buf_char(out, '\n');
    gate_wrap_since(out, line, INDENT, GATE_WRAP_COLUMNS);
    return !out->failed;
}

static bool nothing_compared_json(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    struct gate_json json = {.out = out, .indent = 2};
    gate_json_open(&json, '{');
    gate_json_key(&json, "schema_version");
    gate_json_integer(&json, SCHEMA_VERSION);
    gate_json_key(&json, "verdict");
    gate_json_text(&json, nothing->word);
    gate_generator_json(&json);
    gate_json_key(&json, "warnings");
    gate_json_open(&json, '[');
    gate_json_open_flat(&json, '{');
    gate_json_key(&json, "code");
    gate_json_text(&json, "baseline_missing");
    gate_json_key(&json, "severity");
    gate_json_text(&json, nothing->severity);
    gate_json_key(&json, "message");
    gate_json_string(&json, nothing->message);
    gate_json_close(&json, '}');
    gate_json_close(&json, ']');
    gate_json_close(&json, '}');
    return !out->failed;
}

static bool nothing_compared_junit(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    static const char *const elements[] = {"skipped", "error", "failure"};
    bool is_error = nothing->state == GATE_NOTHING_ERROR, is_failure = nothing->state == GATE_NOTHING_FAILURE;
    gate_buf_printf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"pprofgate\" tests=\"1\" failures=\"%d\" errors=\"%d\" time=\"0\">\n"
        "  <testsuite name=\"pprofgate\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"0\">\n"
        "    <testcase name=\"there is a baseline\" classname=\"pprofgate\" time=\"0\">\n"
        "      <%s%s message=\"",
        is_failure, is_error, is_failure, is_error, nothing->state == GATE_NOTHING_SKIPPED, elements[nothing->state],
        nothing->state == GATE_NOTHING_SKIPPED ? "" : " type=\"NoBaseline\"");
    gate_escape_xml(out, nothing->message);
    gate_buf_text(out, "\"/>\n    </testcase>\n");
    gate_buf_printf(out, "    <system-out>%s: ", nothing->capitals);
    gate_escape_xml(out, nothing->message);
    gate_buf_text(out, "</system-out>\n  </testsuite>\n</testsuites>\n");
    return !out->failed;
}

static bool nothing_compared_markdown(struct gate_buf *out, const struct gate_nothing_compared *nothing) {
    gate_buf_printf(out, "## pprofgate: %s\n" GATE_OWN_MARK_MARKDOWN "\n", nothing->capitals);
    gate_escape_markdown(out, nothing->message);
    gate_buf_text(out, "\n");
    if (nothing->next.len > 0) {
        gate_buf_text(out, "\nNext: ");
        gate_escape_markdown(out, nothing->next);
        gate_buf_text(out, "\n");
    }
    return !out->failed;
}

/* ---- the reports that are written to files ----------------------------------------------------------------------- */

const struct gate_report_format gate_report_formats[] = {
    {.name = "json",
     .mark = GATE_OWN_JSON,
     .file = "report.json",
     .help = "the verdict and every number behind it",
     .write = gate_report_json,
     .write_nothing = nothing_compared_json,
     .is_large = true},
    {.name = "junit",
     .mark = GATE_OWN_JUNIT,
     .file = "junit.xml",
     .help = "a test case per budget, for CI systems",
     .write = gate_report_junit,
     .write_nothing = nothing_compared_junit,
     .marks_lines = true},
    {.name = "html",
     .mark = GATE_OWN_HTML,
     .file = "report.html",
     .help = "HTML page: findings, table, diff flame graph",
     .write = gate_report_html,
     .draws = GATE_REPORT_DRAWS_MORE,
     .is_large = true},
    {.name = "svg",
     .is_rare = true,
     .mark = GATE_OWN_SVG,
     .file = "flamegraph.svg",
     .help = "the diff flame graph alone",
     .write = gate_report_svg,
     .draws = GATE_REPORT_DRAWS_CALLERS,
     .is_large = true},
    {.name = "markdown",
     .mark = GATE_OWN_MARKDOWN,
     .file = "report.md",
     .help = "a comment or step summary",
     .write = gate_report_markdown,
     .write_nothing = nothing_compared_markdown,
     .marks_lines = true,
     .is_summary = true},
    {.name = "gitlab-codequality",
     .is_rare = true,
     .mark = GATE_OWN_CODEQUALITY,
     .help = "findings for GitLab's code quality",
     .write = gate_report_codequality,
     .marks_lines = true},
    {.name = "sarif",
     .is_rare = true,
     .mark = GATE_OWN_SARIF,
     .help = "findings for GitHub code scanning, as SARIF 2.1.0",
     .write = gate_report_sarif,
     .write_nothing = gate_nothing_compared_sarif,
     .marks_lines = true},
    {.name = "openmetrics",
     .is_rare = true,
     .mark = GATE_OWN_OPENMETRICS,
     .help = "shares and verdict as metrics",
     .write = gate_report_openmetrics},
    {.name = "folded",
     .is_rare = true,
     .mark = GATE_OWN_FOLDED,
     .help = "collapsed stacks with a baseline and a canary column",
     .write = gate_report_folded,
     .walks_stacks = true},
    {.name = "speedscope",
     .is_rare = true,
     .mark = GATE_OWN_SPEEDSCOPE,
     .help = "both sides for speedscope",
     .write = gate_report_speedscope,
     .walks_stacks = true},
    {.name = "pprof-diff",
     .is_rare = true,
     .mark = GATE_OWN_PPROF,
     .help = "a profile that `go tool pprof` opens as a diff",
     .write = gate_report_pprof_diff,
     .walks_stacks = true,
     .is_binary = true},
    {.name = NULL},
};

_Static_assert(sizeof gate_report_formats / sizeof *gate_report_formats <= GATE_REPORT_FORMATS_MAX + 1,
               "session/reports.h has room for GATE_REPORT_FORMATS_MAX reports");
