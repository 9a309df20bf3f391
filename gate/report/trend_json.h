/* SPDX-License-Identifier: Apache-2.0 */
/* Every number of a trend, by docs/trend.schema.json.
 * Pipeline: budget/trend_verdict.h -> report/trend_json.h -> cli/cmd_trend.c */
#ifndef GATE_REPORT_TREND_JSON_H
#define GATE_REPORT_TREND_JSON_H

#include "gate/base/buf.h"
#include "gate/budget/trend_verdict.h"

void gate_trend_json(struct gate_buf *out, const struct gate_trend_verdict *verdict);

#endif
