/* SPDX-License-Identifier: Apache-2.0 */
/* What `pprofgate calibrate` says: how a noise model judges the runs it was made from, and which budgets such runs
 * decide. Pipeline: compare/noise.h + budget/decidable.h -> report/calibration.h -> cli/cmd_calibrate.c */
#ifndef GATE_REPORT_CALIBRATION_H
#define GATE_REPORT_CALIBRATION_H

#include "gate/base/buf.h"
#include "gate/budget/decidable.h"

enum { GATE_CALIBRATION_RUNS = 10, GATE_CALIBRATION_RUNS_TO_CHECK = 4 };

/** How the runs judged each other, each pair with a model of the others. No pairs: there were too few runs. */
struct gate_self_check {
    uint32_t pairs, failed, inconclusive;
    struct gate_decidable *budgets; /* one per budget of the rules */
};

/** Some lines for a terminal. Lists in `check` are sorted. */
void gate_calibration_text(struct gate_buf *out, const struct gate_noise *noise, struct gate_self_check *check,
                           const struct gate_rules *rules);

#endif
