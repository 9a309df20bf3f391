/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `trend` as an HTML page. */
#ifndef GATE_REPORT_TREND_PAGE_H
#define GATE_REPORT_TREND_PAGE_H

#include "gate/report/trend_text.h"

/** Append a self-contained HTML page, with a chart for up to 30 held and 30 other series. */
void gate_trend_page(struct gate_buf *out, const struct gate_trend_verdict *verdict);

#endif
