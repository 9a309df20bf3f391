/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `trend` as text, Markdown, JUnit, JSON and an HTML page. */
#ifndef GATE_REPORT_TREND_REPORT_H
#define GATE_REPORT_TREND_REPORT_H

#include "gate/base/buf.h"
#include "gate/base/own_mark.h"
#include "gate/budget/trend.h"

/** Options of gate_trend_text. */
struct gate_trend_text_options {
    uint32_t columns; /* of the terminal */
    bool quiet;       /* only the verdict and broken budgets */
    bool verbose;     /* all series that are undecided or warned about, not only the first three */
    bool colour;
};

/** Append the report for a terminal, with the series that are not held. */
void gate_trend_text(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                     const struct gate_trend_text_options *options);

/** Append the report for a comment or a step summary. */
void gate_trend_markdown(struct gate_buf *out, const struct gate_trend_verdict *verdict);

/** A report that `trend` writes to a file. */
struct gate_trend_report {
    const char *name, *file, *help; /* of its option; its file in the folder of --report */
    enum gate_own_mark mark;
    void (*write)(struct gate_buf *out, const struct gate_trend_verdict *verdict); /* appends */
};

enum { GATE_TREND_REPORTS = 4 };

/** The reports in the order of writing. */
extern const struct gate_trend_report gate_trend_reports[GATE_TREND_REPORTS];

#endif
