/* SPDX-License-Identifier: Apache-2.0 */
/* The report formats: options, the table of formats, and a function per format. */
#ifndef GATE_REPORT_REPORT_H
#define GATE_REPORT_REPORT_H

#include "gate/base/buf.h"
#include "gate/base/json_io.h"
#include "gate/base/own_mark.h"
#include "gate/report/checkout.h"
#include "gate/report/trees.h"

/* ---- the program that wrote a JSON report ------------------------------------------------------------------------ */

/** Append the keys "generator", with name and version, and, if the program has a build id, "generator_build". */
void gate_generator_json(struct gate_json *json);

/* ---- reports of a run without a baseline ------------------------------------------------------------------------- */

/* Nothing was compared: the canary is the first run, or its baseline is missing. Only reports that contain a verdict
 * exist for such a run. */

/** JUnit's state of a run that compared nothing. SARIF's level follows from it. */
enum gate_nothing_state { GATE_NOTHING_SKIPPED, GATE_NOTHING_ERROR, GATE_NOTHING_FAILURE };

/** A run without a baseline, as its reports show it. */
struct gate_nothing_compared {
    const char *word;        /* verdict in JSON: "first", "no_baseline" */
    const char *capitals;    /* "FIRST", "NO BASELINE" */
    struct gate_str message; /* what happened */
    struct gate_str next;    /* what to do; may be empty */
    const char *severity;    /* severity of the guard baseline_missing: "error", "warn", "off" */
    enum gate_nothing_state state;
};

/** Append one report. Returns false if memory runs out. */
typedef bool gate_nothing_compared_write(struct gate_buf *out, const struct gate_nothing_compared *nothing);

/* ---- reports of a verdict: a file per format; equal verdicts give equal bytes ------------------------------------ */

/**
 * GATE_JUNIT_STRICT leaves out the attributes that Jenkins' schema (junit-10.xsd) refuses: file and line of a test
 * case, and its properties.
 */
enum gate_junit_flavor { GATE_JUNIT_RICH, GATE_JUNIT_STRICT };

/**
 * Result of a test case that is inconclusive. GATE_JUNIT_BY_RULES: an error, or skipped if `on_inconclusive` in the
 * rules lets it pass.
 */
enum gate_junit_inconclusive { GATE_JUNIT_BY_RULES, GATE_JUNIT_SKIPPED, GATE_JUNIT_ERROR };

/** Value of `frame_limit` for --frames 0. */
#define GATE_REPORT_NO_FRAMES UINT32_MAX

/** Options of all formats; a format reads only its own. */
struct gate_report_options {
    uint32_t frame_limit; /* rows of a frame table; 0: default; GATE_REPORT_NO_FRAMES: none. Read by gate_report_rows */
    double min_share;     /* minimum share of a box in a flame graph, such as 0.001 */
    bool colour;          /* terminal only */
    bool quiet;           /* terminal only: print only the verdict and the broken budgets */
    bool verbose;         /* terminal only: print all causes in full, movers, detectable growth and inputs */
    uint32_t columns;     /* terminal only: width, such as 80; 0: do not wrap lines */
    enum gate_junit_flavor junit_flavor;
    enum gate_junit_inconclusive junit_inconclusive;
    struct gate_trees *trees;             /* call trees shared by all reports; NULL: each report makes its own */
    const struct gate_checkout *checkout; /* files of the checkout, for marks on lines of code; NULL: not known */
    struct gate_str report_url;           /* Markdown only: address of the full report; empty: none */
    bool report_url_is_run;               /* `report_url` is the pipeline's run, which holds the reports */
    bool without_verdict;                 /* HTML only: there are no rules, so nothing was decided */
    const char *source_url;               /* HTML only: address of sources, with {path} and {line}; NULL: not given */
    const char *markdown_source_url;      /* Markdown only: as source_url, and safe between < and >; NULL: no links */
    size_t byte_limit; /* Markdown only: maximum size. Rows beyond it are left out, with a note; 0: no limit, else >=
                          2048 */
};

/** Return the number of rows to show of a table that has at most `most`. */
static inline uint32_t gate_report_rows(uint32_t frame_limit, uint32_t most) {
    if (frame_limit == GATE_REPORT_NO_FRAMES)
        return 0;
    return frame_limit == 0 || frame_limit > most ? most : frame_limit;
}

/** Append one report to `out`. */
typedef bool gate_report_write(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_report_options *options, struct gate_arena *arena,
                               struct gate_error *err);

/** Call trees that a report draws: none; by caller; by caller, by callee and by owner. */
enum gate_report_draws { GATE_REPORT_DRAWS_NOTHING, GATE_REPORT_DRAWS_CALLERS, GATE_REPORT_DRAWS_MORE };

/**
 * A report format. To add one, define such a row in a file, declare it below, and add its address in report.c; options
 * and file names follow.
 */
struct gate_report_format {
    const char *name; /* name of its option: "json" gives --json FILE */
    const char *file; /* file name in --report DIR; NULL: not written there */
    const char *help;
    enum gate_own_mark mark; /* mark by which an earlier report of this format is recognised */
    gate_report_write *write;
    gate_nothing_compared_write *write_nothing; /* for a run without a baseline; NULL: no such report */
    bool is_binary;                             /* must not be printed to a terminal */
    enum gate_report_draws draws;
    bool walks_stacks; /* walks the stacks, so they must not be freed before (budget/call_trees.h) */
    bool is_large;     /* large, and written in order without reading `out` back, so that it can be streamed to its
                          file */
    bool marks_lines;  /* marks lines of code: needs options->checkout */
    bool is_rare;      /* the help names its option only with --all */
    bool is_summary;   /* also appended to the step summary of GitHub Actions */
};

enum { GATE_REPORT_FORMATS_MAX = 16 };

/** All reports that are written to files, in the order of writing; ends with NULL. */
extern const struct gate_report_format *const gate_report_formats[];

/* The reports, each defined in the file of its format. Names are escaped for the format; `arena` is for scratch memory.
 * Errors of `write`: GATE_ERR_LIMIT `arena` is full; GATE_ERR_MEMORY; of gate_report_pprof_diff also as
 * gate_merge_add. */

/** Text for a terminal; no row of gate_report_formats. */
extern const struct gate_report_format gate_report_terminal;

extern const struct gate_report_format gate_report_json, gate_report_junit, gate_report_svg, gate_report_html;

/** For a comment or step summary on GitHub and GitLab: verdict, findings, functions that changed most. */
extern const struct gate_report_format gate_report_markdown;

/** GitHub workflow commands for standard output: at most 10 errors and 10 warnings, worst first. No row of
 * gate_report_formats. */
extern const struct gate_report_format gate_report_github;

/** For GitLab's artifacts:reports:codequality. */
extern const struct gate_report_format gate_report_codequality;

/** SARIF 2.1.0: a result per cause, for GitHub code scanning. */
extern const struct gate_report_format gate_report_sarif;

/** OpenMetrics text, for GitLab's artifacts:reports:metrics and for Prometheus. */
extern const struct gate_report_format gate_report_openmetrics;

/**
 * Collapsed stacks of the first comparison, with a baseline and a canary column. Has every stack; ignores min_share.
 */
extern const struct gate_report_format gate_report_folded;

/** speedscope's JSON, with each side of each comparison as a profile. Has every stack; ignores min_share. */
extern const struct gate_report_format gate_report_speedscope;

/** A gzipped pprof profile of the first comparison, which `go tool pprof` opens as a diff. */
extern const struct gate_report_format gate_report_pprof_diff;

/** The JSON of `diff`, which has no verdict. No row of gate_report_formats. */
extern const struct gate_report_format gate_report_diff_json;

#endif
