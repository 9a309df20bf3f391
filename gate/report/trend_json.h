/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `trend` as JSON. */
#ifndef GATE_REPORT_TREND_JSON_H
#define GATE_REPORT_TREND_JSON_H

#include "gate/base/buf.h"
#include "gate/budget/trend.h"

/** Append the verdict as one JSON object, with the series and fits of all budgets (docs/trend.schema.json). */
void gate_trend_json(struct gate_buf *out, const struct gate_trend_verdict *verdict);

#endif
