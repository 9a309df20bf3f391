/* SPDX-License-Identifier: Apache-2.0 */
/* 95 % intervals of every row of a page's table, all measures of a frame together.
 * Pipeline: compare/comparison.h -> report/row_intervals.h -> the page's payload */
#ifndef GATE_REPORT_ROW_INTERVALS_H
#define GATE_REPORT_ROW_INTERVALS_H

#include "gate/compare/comparison.h"

struct gate_row_intervals {
    struct gate_interval of[GATE_MEASURES];
};

/** Those of `frames[rows[i]]` go to `out[i]`, to 1e-11. About 7 tests a frame and measure, in two threads. */
void gate_row_intervals_fill(struct gate_row_intervals *out, const struct gate_frame_judgement *frames,
                             const uint32_t *rows, uint32_t count);

#endif
