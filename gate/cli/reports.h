/* SPDX-License-Identifier: Apache-2.0 */
/* Which reports a command line asks for, and writing them: all are made before the first is written. */
#ifndef GATE_CLI_REPORTS_H
#define GATE_CLI_REPORTS_H

#include "gate/cli/options.h"
#include "gate/cli/outfile.h"
#include "gate/cli/overwrite.h"
#include "gate/report/report.h"

/** Every report that goes to a file, in the order of writing. */
enum gate_reports_kind {
    GATE_REPORTS_JSON,
    GATE_REPORTS_JUNIT,
    GATE_REPORTS_HTML,
    GATE_REPORTS_SVG,
    GATE_REPORTS_MARKDOWN,
    GATE_REPORTS_CODEQUALITY,
    GATE_REPORTS_OPENMETRICS,
    GATE_REPORTS_FOLDED,
    GATE_REPORTS_SPEEDSCOPE,
    GATE_REPORTS_PPROF_DIFF,
    GATE_REPORTS_KINDS
};

enum gate_reports_annotations { GATE_ANNOTATIONS_AUTO, GATE_ANNOTATIONS_ALWAYS, GATE_ANNOTATIONS_NEVER };

struct gate_reports {
    const char *paths[GATE_REPORTS_KINDS]; /* or NULL */
    const char *folder;                   /* --report, or NULL */
    int annotations;                      /* enum gate_reports_annotations */
    int junit_flavor;                     /* enum gate_junit_flavor */
    struct gate_report_options options;
};

/* Ids of the shared options start here; a command's own must stay below. */
enum {
    GATE_REPORTS_FIRST = 1000,
    GATE_REPORTS_FOLDER = GATE_REPORTS_FIRST + GATE_REPORTS_KINDS,
    GATE_REPORTS_FLAVOR,
    GATE_REPORTS_ANNOTATIONS,
    GATE_REPORTS_FRAMES,
    GATE_REPORTS_MIN_SHARE,
    GATE_REPORTS_QUIET,
    GATE_REPORTS_END
};

/* Rows for a command's option table. */
#define GATE_REPORTS_OPTIONS                                                                                            \
    {0, "", 0, NULL, "Reports (FILE may be -, standard output):"},                                                     \
        {GATE_REPORTS_FOLDER, "report", 0, "DIR",                                                                       \
         "the usual set: report.html, report.json, report.md, junit.xml, flamegraph.svg"},                             \
        {GATE_REPORTS_FIRST + GATE_REPORTS_HTML, "html", 0, "FILE",                                                      \
         "the page to look at: findings, table, diff flame graph"},                                                    \
        {GATE_REPORTS_FIRST + GATE_REPORTS_SVG, "svg", 0, "FILE", "the diff flame graph alone"},                         \
        {GATE_REPORTS_FIRST + GATE_REPORTS_JSON, "json", 0, "FILE", "the verdict and every number behind it"},           \
        {GATE_REPORTS_FIRST + GATE_REPORTS_JUNIT, "junit", 0, "FILE", "a test case per budget, for CI systems"},         \
        {GATE_REPORTS_FLAVOR, "junit-flavor", 0, "HOW",                                                                 \
         "rich (default), or strict: without what Jenkins' schema refuses"},                                           \
        {GATE_REPORTS_FIRST + GATE_REPORTS_MARKDOWN, "markdown", 0, "FILE", "a comment or step summary"},                \
        {GATE_REPORTS_FIRST + GATE_REPORTS_CODEQUALITY, "gitlab-codequality", 0, "FILE", "findings for GitLab's code quality"}, \
        {GATE_REPORTS_FIRST + GATE_REPORTS_OPENMETRICS, "openmetrics", 0, "FILE", "shares and verdict as metrics"},      \
        {GATE_REPORTS_FIRST + GATE_REPORTS_FOLDED, "folded", 0, "FILE",                                                  \
         "collapsed stacks with a baseline and a canary column"},                                                      \
        {GATE_REPORTS_FIRST + GATE_REPORTS_SPEEDSCOPE, "speedscope", 0, "FILE", "both sides for speedscope"},            \
        {GATE_REPORTS_FIRST + GATE_REPORTS_PPROF_DIFF, "pprof-diff", 0, "FILE",                                          \
         "a profile that `go tool pprof` opens as a diff"},                                                            \
        {GATE_REPORTS_ANNOTATIONS, "github-annotations", 0, "WHEN",                                                     \
         "workflow commands on standard output: auto (in GitHub Actions), always or never"},                           \
        {GATE_REPORTS_FRAMES, "frames", 0, "N|all", "rows of the frame tables (default 100)"},                          \
        {GATE_REPORTS_MIN_SHARE, "min-share", 0, "PERCENT", "smallest box of a flame graph (default 0.1; 0: all)"},             \
        {GATE_REPORTS_QUIET, "quiet", 'q', NULL, "only the verdict and the broken budgets"}

void gate_reports_init(struct gate_reports *outputs);

/** Take one shared option. */
GATE_MUST_CHECK
bool gate_reports_take(struct gate_reports *outputs, int id, const char *value, struct gate_error *err);

/** GATE_ERR_USAGE when two reports want standard output or one file, or one would overwrite what `places` has as read. */
GATE_MUST_CHECK
bool gate_reports_finish(const struct gate_reports *outputs, struct gate_overwrite *places, struct gate_arena *arena,
                         struct gate_error *err);

/**
 * Make and write every report, then the text for people: to standard output, or to standard error when a report went
 * there. In GitHub Actions the Markdown is appended to $GITHUB_STEP_SUMMARY too.
 *
 * err   GATE_ERR_IO; nothing is left half-written
 */
GATE_MUST_CHECK
bool gate_reports_write(const struct gate_reports *outputs, const struct gate_verdict *verdict, struct gate_cli *cli,
                        struct gate_error *err);

#endif
