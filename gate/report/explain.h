/* SPDX-License-Identifier: Apache-2.0 */
/* Every number of the decision on one frame, for people who disagree with it.
 * Pipeline: budget/verdict.h -> report/explain.h -> `pprofgate explain` */
#ifndef GATE_REPORT_EXPLAIN_H
#define GATE_REPORT_EXPLAIN_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/** What to explain, for lines of how many columns. */
struct gate_explain_frame {
    uint32_t comparison; /* of the verdict */
    uint32_t frame;      /* of the comparison's pair */
    uint32_t columns;    /* 0: lines are not broken */
};

/**
 * Append what is known of a frame, and for each budget of the rules whether it sees
 * the frame and how it decided. Names are escaped for a terminal.
 *
 * err   what gate_select_frames says
 */
GATE_MUST_CHECK
bool gate_report_explain(struct gate_buf *out, const struct gate_verdict *verdict,
                         const struct gate_explain_frame *what, struct gate_arena *arena, struct gate_error *err);

#endif
