/* SPDX-License-Identifier: Apache-2.0 */
/* Verdict in, bytes out: one file a format. Equal verdicts give equal bytes.
 * Pipeline: budget/verdict.h -> report/report.h -> cli/ writes the bytes */
#ifndef GATE_REPORT_REPORT_H
#define GATE_REPORT_REPORT_H

#include "gate/base/buf.h"
#include "gate/report/trees.h"

/** Strict leaves out what Jenkins' schema (junit-10.xsd) refuses: file and line of a test case, and its properties. */
enum gate_junit_flavor { GATE_JUNIT_RICH, GATE_JUNIT_STRICT };

struct gate_report_options {
    uint32_t frame_limit; /* rows of the frame table; 0: all */
    double min_share;     /* of a box in a flame graph; 0.001 */
    bool colour;          /* terminal only */
    bool quiet;           /* terminal only: the verdict line and the broken budgets */
    uint32_t columns;     /* terminal only; 80. 0: lines are not broken */
    enum gate_junit_flavor junit_flavor;
    struct gate_trees *trees; /* call trees that reports share; NULL: each makes its own */
    size_t byte_limit;    /* Markdown only: rows are left out, and it says so, to stay below; 0: no limit, else >= 2048 */
};

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
