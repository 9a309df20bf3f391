/* SPDX-License-Identifier: Apache-2.0 */
/* A trend as one HTML page: no network, no script, every series drawn.
 * Pipeline: report/trend_chart.h + report/trend_words.h -> report/trend_page.h -> cli/cmd_trend.c */
#ifndef GATE_REPORT_TREND_PAGE_H
#define GATE_REPORT_TREND_PAGE_H

#include "gate/report/trend_words.h"

void gate_trend_page(struct gate_buf *out, const struct gate_trend_verdict *verdict);

#endif
