/* SPDX-License-Identifier: Apache-2.0 */
/* 95% confidence intervals for the rows of a table of frames. */
#ifndef GATE_REPORT_ROW_INTERVALS_H
#define GATE_REPORT_ROW_INTERVALS_H

#include "gate/compare/comparison.h"

struct gate_row_intervals {
    struct gate_interval of[GATE_MEASURES];
};

/** gate_evidence_ci95 or gate_evidence_ci95_near. */
typedef struct gate_interval gate_row_interval(const struct gate_evidence *evidence);

/**
 * Compute the intervals of `frames[rows[i]]` into `out[i]`. Equal evidence is computed once. Many rows are divided
 * between two threads.
 */
void gate_row_intervals_fill(struct gate_row_intervals *out, const struct gate_frame_judgement *frames,
                             const uint32_t *rows, uint32_t count, gate_row_interval *find);

#endif
