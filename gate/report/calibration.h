/* SPDX-License-Identifier: Apache-2.0 */
/* What `pprofgate calibrate` says: how a noise model judges the runs it was made from, and which budgets such runs
 * decide. Pipeline: compare/noise.h + compare/odd_run.h + budget/decidable.h -> report/calibration.h ->
 * cli/cmd_calibrate.c */
#ifndef GATE_REPORT_CALIBRATION_H
#define GATE_REPORT_CALIBRATION_H

#include "gate/base/buf.h"
#include "gate/budget/decidable.h"
#include "gate/compare/odd_run.h"

enum { GATE_CALIBRATION_RUNS = 10, GATE_CALIBRATION_RUNS_TO_CHECK = 4 };

/** How the runs judged each other, each pair with a model of the others. No pairs: there were too few runs. */
struct gate_self_check {
    uint32_t pairs, failed, inconclusive;
    struct gate_decidable *budgets; /* one per budget of the rules */
};

/** The runs that were not like the others, and what became of them. */
struct gate_odd_report {
    struct gate_odd_run_list list; /* of the baseline side of `pair` */
    const struct gate_pair *pair;
    bool is_kept; /* the user asked for it */
};

/** Whether the odd runs are no part of the model: there are some, they are few, and nobody asked to keep them. */
bool gate_calibration_leaves_out(const struct gate_odd_report *report);

/** A warning for each odd run: the function that makes it odd, in it and in the others. Nothing where none is odd. */
void gate_calibration_odd_text(struct gate_buf *out, const struct gate_odd_report *report);

/** The same as comments of the noise model, which come before it: which runs are no part of it, and why. */
void gate_calibration_odd_comment(struct gate_buf *out, const struct gate_odd_report *report);

/** Some lines for a terminal. Lists in `check` are sorted. */
void gate_calibration_text(struct gate_buf *out, const struct gate_noise *noise, struct gate_self_check *check,
                           const struct gate_rules *rules);

#endif
