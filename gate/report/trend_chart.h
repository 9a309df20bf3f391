/* SPDX-License-Identifier: Apache-2.0 */
/* One series of a trend as SVG: points, fitted line with its interval, the limit's line.
 * Pipeline: budget/trend_verdict.h -> report/trend_chart.h -> report/trend_page.h */
#ifndef GATE_REPORT_TREND_CHART_H
#define GATE_REPORT_TREND_CHART_H

#include "gate/report/trend_words.h"

/** Append an <svg>; red is what grew over its limit. Nothing where there are fewer than two points. */
void gate_trend_chart(struct gate_buf *out, const struct gate_trend_verdict *verdict,
                      const struct gate_trend_result *result, const struct gate_trend_finding *finding);

#endif
