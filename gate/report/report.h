/* SPDX-License-Identifier: Apache-2.0 */
/* Verdict in, bytes out: one file a format. Equal verdicts give equal bytes.
 * Pipeline: budget/verdict.h -> report/report.h -> cli/ writes the bytes */
#ifndef GATE_REPORT_REPORT_H
#define GATE_REPORT_REPORT_H

#include "gate/base/buf.h"
#include "gate/report/checkout.h"
#include "gate/report/nothing_compared.h"
#include "gate/report/trees.h"

/** Strict leaves out what Jenkins' schema (junit-10.xsd) refuses: file and line of a test case, and its properties. */
enum gate_junit_flavor { GATE_JUNIT_RICH, GATE_JUNIT_STRICT };

/** What a test case is that cannot be decided. By the rules: an error, or skipped where `on_inconclusive` passes it. */
enum gate_junit_inconclusive { GATE_JUNIT_BY_RULES, GATE_JUNIT_SKIPPED, GATE_JUNIT_ERROR };

/** `frame_limit` of --frames 0. */
#define GATE_REPORT_NO_FRAMES UINT32_MAX

struct gate_report_options {
    uint32_t frame_limit; /* rows of a frame table; 0: all; GATE_REPORT_NO_FRAMES: none. Read by gate_report_rows */
    double min_share;     /* of a box in a flame graph; 0.001 */
    bool colour;          /* terminal only */
    bool quiet;           /* terminal only: the verdict line and the broken budgets */
    uint32_t columns;     /* terminal only; 80. 0: lines are not broken */
    enum gate_junit_flavor junit_flavor;
    enum gate_junit_inconclusive junit_inconclusive;
    struct gate_trees *trees;             /* call trees that reports share; NULL: each makes its own */
    const struct gate_checkout *checkout; /* that marks of lines are to land in; NULL: not known */
    struct gate_str report_url;           /* Markdown only: where the whole report is to be read; empty: nowhere */
    bool report_url_is_run;               /* it is the pipeline's run, which holds the reports */
    bool without_verdict;                 /* HTML only: no rules apply and nothing is decided */
    const char *source_url;               /* HTML only: where sources are, with {path} and {line}; NULL: nobody said */
    size_t byte_limit; /* Markdown only: rows are left out, and it says so, to stay below; 0: no limit, else >= 2048 */
};

/** Rows of a table that holds `most` by itself, as `frame_limit` has it. */
static inline uint32_t gate_report_rows(uint32_t frame_limit, uint32_t most) {
    if (frame_limit == GATE_REPORT_NO_FRAMES)
        return 0;
    return frame_limit == 0 || frame_limit > most ? most : frame_limit;
}

/** Make one report: appends to `out`. */
typedef bool gate_report_write(struct gate_buf *out, const struct gate_verdict *verdict,
                               const struct gate_report_options *options, struct gate_arena *arena,
                               struct gate_error *err);

/** Which call trees a report draws: none; by caller; by callee and by owner too, a page. */
enum gate_report_draws { GATE_REPORT_DRAWS_NOTHING, GATE_REPORT_DRAWS_CALLERS, GATE_REPORT_DRAWS_MORE };

/** A report that goes to a file. A new one is a function here and a row in formats.c; options and files follow. */
struct gate_report_format {
    const char *name; /* of its option: "json" is --json FILE */
    const char *file; /* its name in --report DIR; NULL: not of that usual set */
    const char *help;
    gate_report_write *write;
    gate_nothing_compared_write *write_nothing; /* where nothing was compared; NULL: then there is no such report */
    bool is_binary;                             /* not for a terminal */
    enum gate_report_draws draws;
    bool walks_stacks; /* whatever trees there are: they may not be given back before (budget/tree_ahead.h) */
    bool is_large;     /* and written from its beginning to its end: nothing looks back at what stands in `out` */
    bool marks_lines;  /* of code: options->checkout is to be known */
    bool is_summary;   /* appended to the step summary of GitHub Actions as well */
};

enum { GATE_REPORT_FORMATS_MAX = 16 };

/** Every report that goes to a file, in the order of writing; ends with a NULL name. */
extern const struct gate_report_format gate_report_formats[];

/* Each appends to `out`; scratch memory comes from `arena`. Names in them are escaped for the format. */
GATE_MUST_CHECK bool gate_report_terminal(struct gate_buf *out, const struct gate_verdict *verdict,
                                          const struct gate_report_options *options, struct gate_arena *arena,
                                          struct gate_error *err);
GATE_MUST_CHECK bool gate_report_json(struct gate_buf *out, const struct gate_verdict *verdict,
                                      const struct gate_report_options *options, struct gate_arena *arena,
                                      struct gate_error *err);
GATE_MUST_CHECK bool gate_report_junit(struct gate_buf *out, const struct gate_verdict *verdict,
                                       const struct gate_report_options *options, struct gate_arena *arena,
                                       struct gate_error *err);
GATE_MUST_CHECK bool gate_report_svg(struct gate_buf *out, const struct gate_verdict *verdict,
                                     const struct gate_report_options *options, struct gate_arena *arena,
                                     struct gate_error *err);
GATE_MUST_CHECK bool gate_report_html(struct gate_buf *out, const struct gate_verdict *verdict,
                                      const struct gate_report_options *options, struct gate_arena *arena,
                                      struct gate_error *err);

/* A comment or step summary for GitHub and GitLab: verdict, findings, movers. */
GATE_MUST_CHECK bool gate_report_markdown(struct gate_buf *out, const struct gate_verdict *verdict,
                                          const struct gate_report_options *options, struct gate_arena *arena,
                                          struct gate_error *err);
/* GitHub workflow commands on standard output: at most 10 errors and 10 warnings, worst first. */
GATE_MUST_CHECK bool gate_report_github(struct gate_buf *out, const struct gate_verdict *verdict,
                                        const struct gate_report_options *options, struct gate_arena *arena,
                                        struct gate_error *err);
/* GitLab's artifacts:reports:codequality. */
GATE_MUST_CHECK bool gate_report_codequality(struct gate_buf *out, const struct gate_verdict *verdict,
                                             const struct gate_report_options *options, struct gate_arena *arena,
                                             struct gate_error *err);
/* OpenMetrics text, for GitLab's artifacts:reports:metrics and for Prometheus. */
GATE_MUST_CHECK bool gate_report_openmetrics(struct gate_buf *out, const struct gate_verdict *verdict,
                                             const struct gate_report_options *options, struct gate_arena *arena,
                                             struct gate_error *err);
/* Collapsed stacks with a baseline and a canary column, of the first comparison; every stack, whatever min_share. */
GATE_MUST_CHECK bool gate_report_folded(struct gate_buf *out, const struct gate_verdict *verdict,
                                        const struct gate_report_options *options, struct gate_arena *arena,
                                        struct gate_error *err);
/* speedscope's JSON with the two sides of each comparison as profiles; every stack, whatever min_share. */
GATE_MUST_CHECK bool gate_report_speedscope(struct gate_buf *out, const struct gate_verdict *verdict,
                                            const struct gate_report_options *options, struct gate_arena *arena,
                                            struct gate_error *err);

/* A pprof profile that `go tool pprof` opens as a diff, of the first comparison; gzip. */
GATE_MUST_CHECK bool gate_report_pprof_diff(struct gate_buf *out, const struct gate_verdict *verdict,
                                            const struct gate_report_options *options, struct gate_arena *arena,
                                            struct gate_error *err);

/* What `pprofgate diff` shows of the first comparison: no verdict, no budgets. */
GATE_MUST_CHECK bool gate_report_diff_text(struct gate_buf *out, const struct gate_verdict *verdict,
                                           const struct gate_report_options *options, struct gate_arena *arena,
                                           struct gate_error *err);
GATE_MUST_CHECK bool gate_report_diff_json(struct gate_buf *out, const struct gate_verdict *verdict,
                                           const struct gate_report_options *options, struct gate_arena *arena,
                                           struct gate_error *err);

#endif
