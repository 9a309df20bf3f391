/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `diff` as text. */
#ifndef GATE_REPORT_DIFF_TEXT_H
#define GATE_REPORT_DIFF_TEXT_H

#include "gate/report/report.h"

/**
 * Append the changed frames of the first comparison, without verdict and budgets.
 *
 * err: GATE_ERR_LIMIT `arena` is full; GATE_ERR_MEMORY
 */
GATE_MUST_CHECK bool gate_report_diff_text(struct gate_buf *out, const struct gate_verdict *verdict,
                                           const struct gate_report_options *options, struct gate_arena *arena,
                                           struct gate_error *err);

#endif
