/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `trend` as text, Markdown and JUnit. */
#ifndef GATE_REPORT_TREND_TEXT_H
#define GATE_REPORT_TREND_TEXT_H

#include "gate/base/buf.h"
#include "gate/budget/trend_verdict.h"

/* ---- sentences, numbers and advice, for all formats -------------------------------------------------------------- */

/** Append a level: "12.3MB", "4.1%", "3.2ms/s". */
void gate_trend_words_level(struct gate_buf *out, double value, const struct gate_trend_result *result);

/** Append a slope with its interval: "+1.2MB per accept (90% CI [+1MB, +1.4MB])". */
void gate_trend_words_fit(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                          const struct gate_trend_result *result, const struct gate_trend_slope *slope);

/** Append the limit: "+1 pp per accept". */
void gate_trend_words_limit(struct gate_buf *out, const struct gate_trend_result *result,
                            const struct gate_trend_finding *finding);

/** Append the result in one sentence, without the series' name. Names of frames and revisions are not escaped. */
void gate_trend_words_sentence(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                               const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/** Append what to do next; may append nothing. */
void gate_trend_words_advice(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                             const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/**
 * Append the verdict in one line, without its word: "1 of 2 budgets broken: main.keep +1.2MB per accept". Not escaped.
 */
void gate_trend_words_headline(struct gate_buf *out, const struct gate_trend_verdict *verdict);

/** Append "10 builds, service shop, default; inuse_space". Not escaped. */
void gate_trend_words_source(struct gate_buf *out, const struct gate_trend_verdict *verdict);

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

#endif
