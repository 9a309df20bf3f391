/* SPDX-License-Identifier: Apache-2.0 */
/* Every number of the decision on one frame, for people who disagree with it.
 * Pipeline: budget/verdict.h -> report/explain.h -> `pprofgate explain` */
#ifndef GATE_REPORT_EXPLAIN_H
#define GATE_REPORT_EXPLAIN_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/**
 * Append what is known of frame `frame` of comparison `comparison`, and for each budget of the rules whether it sees
 * the frame and how it decided. Names are escaped for a terminal.
 *
 * err   what gate_select_frames says
 */
GATE_MUST_CHECK
bool gate_report_explain(struct gate_buf *out, const struct gate_verdict *verdict, uint32_t comparison, uint32_t frame,
                         struct gate_arena *arena, struct gate_error *err);

#endif
