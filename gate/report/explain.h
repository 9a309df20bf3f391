/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `explain`: every number of the decision on one frame. */
#ifndef GATE_REPORT_EXPLAIN_H
#define GATE_REPORT_EXPLAIN_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"

/** The frame to explain, and the width of the output. */
struct gate_explain_frame {
    uint32_t comparison; /* index in the verdict */
    uint32_t frame;      /* index in the comparison's pair */
    uint32_t columns;    /* 0: do not wrap lines */
};

/** Append the facts of a frame, and for each budget of the rules whether it selects the frame and how it was decided.
 * Names are escaped for a terminal. err: as gate_select_frames. */
GATE_MUST_CHECK
bool gate_report_explain(struct gate_buf *out, const struct gate_verdict *verdict,
                         const struct gate_explain_frame *what, struct gate_arena *arena, struct gate_error *err);

/**
 * Append the data of other readings of a comparison (budget/readings.h): the totals, the known fact, and for each own
 * function its growth and the common growth of all others. `columns` and errors as above.
 */
GATE_MUST_CHECK
bool gate_report_explain_readings(struct gate_buf *out, const struct gate_verdict *verdict, uint32_t comparison,
                                  uint32_t columns, struct gate_arena *arena, struct gate_error *err);

#endif
