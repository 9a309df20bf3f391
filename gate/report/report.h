/* SPDX-License-Identifier: Apache-2.0 */
/* Verdict in, bytes out: one file a format. Equal verdicts give equal bytes.
 * Pipeline: budget/verdict.h -> report/report.h -> cli/ writes the bytes */
#ifndef GATE_REPORT_REPORT_H
#define GATE_REPORT_REPORT_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/** Strict leaves out what Jenkins' schema (junit-10.xsd) refuses: file and line of a test case, and its properties. */
enum gate_junit_flavor { GATE_JUNIT_RICH, GATE_JUNIT_STRICT };

struct gate_report_options {
    uint32_t frame_limit; /* rows of the frame table; 0: all */
    double min_share;     /* of a box in a flame graph; 0.001 */
    bool colour;          /* terminal only */
    bool quiet;           /* terminal only: the verdict line and the broken budgets */
    uint32_t columns;     /* terminal only; 80. 0: lines are not broken */
    enum gate_junit_flavor junit_flavor;
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

#endif
