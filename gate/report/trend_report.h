/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `trend` as text, Markdown, JUnit and an HTML page. */
#ifndef GATE_REPORT_TREND_REPORT_H
#define GATE_REPORT_TREND_REPORT_H

#include "gate/base/buf.h"
#include "gate/budget/trend.h"

/** Append the result in one sentence, without the series' name. Names of frames and revisions are not escaped. */
void gate_trend_words_sentence(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                               const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/** Append what to do next; may append nothing. */
void gate_trend_words_advice(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                             const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/** How gate_trend_text writes. */
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
void gate_trend_text_markdown(struct gate_buf *out, const struct gate_trend_verdict *verdict);

/** Append the report with a test case per budget. */
void gate_trend_text_junit(struct gate_buf *out, const struct gate_trend_verdict *verdict);

/* ---- the output of `trend` as an HTML page ----------------------------------------------------------------------- */

/** Append a self-contained HTML page, with a chart for up to 30 held and 30 other series. */
void gate_trend_page(struct gate_buf *out, const struct gate_trend_verdict *verdict);

#endif
