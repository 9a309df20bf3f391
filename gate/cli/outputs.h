/* SPDX-License-Identifier: Apache-2.0 */
/* Which reports a command line asks for, and writing them: all are made before the first is written. */
#ifndef GATE_CLI_OUTPUTS_H
#define GATE_CLI_OUTPUTS_H

#include "gate/cli/options.h"
#include "gate/cli/output.h"
#include "gate/cli/places.h"
#include "gate/report/report.h"

/** Every report that goes to a file, in the order of writing. */
enum gate_output_kind {
    GATE_OUTPUT_JSON,
    GATE_OUTPUT_JUNIT,
    GATE_OUTPUT_HTML,
    GATE_OUTPUT_SVG,
    GATE_OUTPUT_MARKDOWN,
    GATE_OUTPUT_CODEQUALITY,
    GATE_OUTPUT_OPENMETRICS,
    GATE_OUTPUT_FOLDED,
    GATE_OUTPUT_SPEEDSCOPE,
    GATE_OUTPUT_PPROF_DIFF,
    GATE_OUTPUT_KINDS
};

enum gate_annotations { GATE_ANNOTATIONS_AUTO, GATE_ANNOTATIONS_ALWAYS, GATE_ANNOTATIONS_NEVER };

struct gate_outputs {
    const char *paths[GATE_OUTPUT_KINDS]; /* or NULL */
    const char *folder;                   /* --report, or NULL */
    int annotations;                      /* enum gate_annotations */
    int junit_flavor;                     /* enum gate_junit_flavor */
    struct gate_report_options options;
};

/* Ids of the shared options start here; a command's own must stay below. */
enum {
    GATE_OUTPUT_FIRST = 1000,
    GATE_OUTPUT_FOLDER = GATE_OUTPUT_FIRST + GATE_OUTPUT_KINDS,
    GATE_OUTPUT_FLAVOR,
    GATE_OUTPUT_ANNOTATIONS,
    GATE_OUTPUT_FRAMES,
    GATE_OUTPUT_MIN_SHARE,
    GATE_OUTPUT_QUIET,
    GATE_OUTPUT_END
};

/* Rows for a command's option table. */
#define GATE_OUTPUT_OPTIONS                                                                                            \
    {0, "", 0, NULL, "Reports (FILE may be -, standard output):"},                                                     \
        {GATE_OUTPUT_FOLDER, "report", 0, "DIR",                                                                       \
         "the usual set: report.html, report.json, report.md, junit.xml, flamegraph.svg"},                             \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_HTML, "html", 0, "FILE",                                                      \
         "the page to look at: findings, table, diff flame graph"},                                                    \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_SVG, "svg", 0, "FILE", "the diff flame graph alone"},                         \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_JSON, "json", 0, "FILE", "the verdict and every number behind it"},           \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_JUNIT, "junit", 0, "FILE", "a test case per budget, for CI systems"},         \
        {GATE_OUTPUT_FLAVOR, "junit-flavor", 0, "HOW",                                                                 \
         "rich (default), or strict: without what Jenkins' schema refuses"},                                           \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_MARKDOWN, "markdown", 0, "FILE", "a comment or step summary"},                \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_CODEQUALITY, "gitlab-codequality", 0, "FILE", "findings for GitLab's code quality"}, \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_OPENMETRICS, "openmetrics", 0, "FILE", "shares and verdict as metrics"},      \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_FOLDED, "folded", 0, "FILE",                                                  \
         "collapsed stacks with a baseline and a canary column"},                                                      \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_SPEEDSCOPE, "speedscope", 0, "FILE", "both sides for speedscope"},            \
        {GATE_OUTPUT_FIRST + GATE_OUTPUT_PPROF_DIFF, "pprof-diff", 0, "FILE",                                          \
         "a profile that `go tool pprof` opens as a diff"},                                                            \
        {GATE_OUTPUT_ANNOTATIONS, "github-annotations", 0, "WHEN",                                                     \
         "workflow commands on standard output: auto (in GitHub Actions), always or never"},                           \
        {GATE_OUTPUT_FRAMES, "frames", 0, "N|all", "rows of the frame tables (default 100)"},                          \
        {GATE_OUTPUT_MIN_SHARE, "min-share", 0, "PERCENT", "smallest box of a flame graph (default 0.1; 0: all)"},             \
        {GATE_OUTPUT_QUIET, "quiet", 'q', NULL, "only the verdict and the broken budgets"}

void gate_outputs_init(struct gate_outputs *outputs);

/** Take one shared option. */
GATE_MUST_CHECK
bool gate_outputs_take(struct gate_outputs *outputs, int id, const char *value, struct gate_error *err);

/** GATE_ERR_USAGE when two reports want standard output or one file, or one would overwrite what `places` has as read. */
GATE_MUST_CHECK
bool gate_outputs_finish(const struct gate_outputs *outputs, struct gate_places *places, struct gate_arena *arena,
                         struct gate_error *err);

/**
 * Make and write every report, then the text for people: to standard output, or to standard error when a report went
 * there. In GitHub Actions the Markdown is appended to $GITHUB_STEP_SUMMARY too.
 *
 * err   GATE_ERR_IO; nothing is left half-written
 */
GATE_MUST_CHECK
bool gate_outputs_write(const struct gate_outputs *outputs, const struct gate_verdict *verdict, struct gate_cli *cli,
                        struct gate_error *err);

#endif
