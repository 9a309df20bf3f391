/* SPDX-License-Identifier: Apache-2.0 */
/* How the reports of `pprofgate trend` say what was found: numbers, sentences, advice, a small drawing in text.
 * Pipeline: budget/trend_verdict.h -> report/trend_words.h -> report/trend_text.h, report/trend_page.h, ... */
#ifndef GATE_REPORT_TREND_WORDS_H
#define GATE_REPORT_TREND_WORDS_H

#include "gate/base/buf.h"
#include "gate/budget/trend_verdict.h"

/** "12.3MB", "4.1 %", "3.2ms/s": a level. */
void gate_trend_words_level(struct gate_buf *out, double value, const struct gate_trend_result *result);

/** "+1.2MB per accept": a change a unit of x, with its sign. */
void gate_trend_words_slope(struct gate_buf *out, double slope, const struct gate_trend_result *result);

/** "+1.2MB per accept (90 % CI +1MB … +1.4MB)". */
void gate_trend_words_fit(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                          const struct gate_trend_result *result, const struct gate_trend_slope *slope);

/** "+1 pp per accept". */
void gate_trend_words_limit(struct gate_buf *out, const struct gate_trend_result *result,
                            const struct gate_trend_finding *finding);

/** What was found, one sentence without the name; unescaped text of frames and revisions is in it. */
void gate_trend_words_sentence(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                               const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/** What to do next; may write nothing. */
void gate_trend_words_advice(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                             const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/** "1 of 2 budgets broken: main.keep +1.2MB per accept": the verdict in a line, without its word; unescaped. */
void gate_trend_words_headline(struct gate_buf *out, const struct gate_trend_verdict *verdict);

/** "10 accepted builds, service shop, default; inuse_space"; unescaped. */
void gate_trend_words_source(struct gate_buf *out, const struct gate_trend_verdict *verdict);

/** Bars of the newest points, from half of the largest or the least, whichever is lower; at most `most`. */
void gate_trend_words_spark(struct gate_buf *out, const struct gate_series *series, uint32_t most);

#endif
