/* SPDX-License-Identifier: Apache-2.0 */
/* 95 % intervals of every row of a page's table, all measures of a frame together.
 * Pipeline: compare/comparison.h -> report/row_intervals.h -> the page's payload */
#ifndef GATE_REPORT_ROW_INTERVALS_H
#define GATE_REPORT_ROW_INTERVALS_H

#include "gate/compare/comparison.h"

struct gate_row_intervals {
    struct gate_interval of[GATE_MEASURES];
};

/** gate_evidence_ci95, or the near one. */
typedef struct gate_interval gate_row_interval(const struct gate_evidence *evidence);

/** Those of `frames[rows[i]]` go to `out[i]`: found once where evidence is alike, in two threads where rows are many.
 */
void gate_row_intervals_fill(struct gate_row_intervals *out, const struct gate_frame_judgement *frames,
                             const uint32_t *rows, uint32_t count, gate_row_interval *find);

#endif
