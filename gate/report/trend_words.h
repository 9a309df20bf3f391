/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about series of `trend`. Names of frames and revisions are not escaped. */
#ifndef GATE_REPORT_TREND_WORDS_H
#define GATE_REPORT_TREND_WORDS_H

#include "gate/base/buf.h"
#include "gate/budget/trend.h"

/** Append an amount that is no share, in the unit of the values: "12.3MB", "3.2ms". */
void gate_trend_words_amount(struct gate_buf *out, double value, const struct gate_trend_result *result);

/** Append a level: "12.3MB", "4.1%", "3.2ms/s". */
void gate_trend_words_level(struct gate_buf *out, double value, const struct gate_trend_result *result);

/** Append "+1.2MB per accept": a change per unit of x, with its sign. */
void gate_trend_words_slope(struct gate_buf *out, double slope, const struct gate_trend_result *result);

/** Append a slope with its interval: "+1.2MB per accept (90% CI [+1MB, +1.4MB])". */
void gate_trend_words_fit(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                          const struct gate_trend_result *result, const struct gate_trend_slope *slope);

/** Append the limit: "+1 pp per accept". */
void gate_trend_words_limit(struct gate_buf *out, const struct gate_trend_result *result,
                            const struct gate_trend_finding *finding);

/** Append the result of a series in one sentence, without its name. */
void gate_trend_words_sentence(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                               const struct gate_trend_result *result, const struct gate_trend_finding *finding);

/** Append what to do next about a series; may append nothing. */
void gate_trend_words_advice(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                             const struct gate_trend_result *result, const struct gate_trend_finding *finding);

#endif
