/* SPDX-License-Identifier: Apache-2.0 */
/* What `pprofgate trend` found, as text for people, as Markdown and as JUnit XML.
 * Pipeline: budget/trend_verdict.h + report/trend_words.h -> report/trend_text.h -> cli/cmd_trend.c */
#ifndef GATE_REPORT_TREND_TEXT_H
#define GATE_REPORT_TREND_TEXT_H

#include "gate/report/trend_words.h"

/** For a terminal of `columns`, with each series that is not held; `quiet`: the verdict and what is broken. */
void gate_trend_text(struct gate_buf *out, const struct gate_trend_verdict *verdict, uint32_t columns, bool quiet,
                     bool colour);

/** For a comment or a step summary. */
void gate_trend_text_markdown(struct gate_buf *out, const struct gate_trend_verdict *verdict);

/** A test case a budget. */
void gate_trend_text_junit(struct gate_buf *out, const struct gate_trend_verdict *verdict);

#endif
