/* SPDX-License-Identifier: Apache-2.0 */
/* The reports that go to files, a row each (see report.h).
 * Pipeline: report/json.c, report/html.c, ... -> report/formats.c -> cli/reports.h makes options and files of them */
#include "gate/report/report.h"

const struct gate_report_format gate_report_formats[] = {
    {.name = "json",
     .file = "report.json",
     .help = "the verdict and every number behind it",
     .write = gate_report_json,
     .write_nothing = gate_nothing_compared_json},
    {.name = "junit",
     .file = "junit.xml",
     .help = "a test case per budget, for CI systems",
     .write = gate_report_junit,
     .write_nothing = gate_nothing_compared_junit,
     .marks_lines = true},
    {.name = "html",
     .file = "report.html",
     .help = "the page to look at: findings, table, diff flame graph",
     .write = gate_report_html,
     .draws = GATE_REPORT_DRAWS_MORE},
    {.name = "svg",
     .file = "flamegraph.svg",
     .help = "the diff flame graph alone",
     .write = gate_report_svg,
     .draws = GATE_REPORT_DRAWS_CALLERS},
    {.name = "markdown",
     .file = "report.md",
     .help = "a comment or step summary",
     .write = gate_report_markdown,
     .write_nothing = gate_nothing_compared_markdown,
     .is_summary = true},
    {.name = "gitlab-codequality",
     .help = "findings for GitLab's code quality",
     .write = gate_report_codequality,
     .marks_lines = true},
    {.name = "openmetrics", .help = "shares and verdict as metrics", .write = gate_report_openmetrics},
    {.name = "folded", .help = "collapsed stacks with a baseline and a canary column", .write = gate_report_folded},
    {.name = "speedscope", .help = "both sides for speedscope", .write = gate_report_speedscope},
    {.name = "pprof-diff",
     .help = "a profile that `go tool pprof` opens as a diff",
     .write = gate_report_pprof_diff,
     .is_binary = true},
    {.name = NULL},
};

_Static_assert(sizeof gate_report_formats / sizeof *gate_report_formats <= GATE_REPORT_FORMATS_MAX + 1,
               "cli/reports.h has room for GATE_REPORT_FORMATS_MAX reports");
