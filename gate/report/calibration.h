/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `calibrate` as text. */
#ifndef GATE_REPORT_CALIBRATION_H
#define GATE_REPORT_CALIBRATION_H

#include "gate/base/buf.h"
#include "gate/budget/verdict.h"
#include "gate/compare/odd_run.h"

enum { GATE_CALIBRATION_RUNS = 10, GATE_CALIBRATION_RUNS_TO_CHECK = 4 };

/**
 * Result of judging the runs against each other: each pair with a noise model of the other runs. `pairs` is 0 if there
 * were too few runs.
 */
struct gate_self_check {
    uint32_t pairs, failed, inconclusive;
    struct gate_decidability *budgets; /* one per budget of the rules */
};

/** The odd runs: those that differ from all others. */
struct gate_odd_report {
    struct gate_odd_run_list list; /* of the baseline side of `pair` */
    const struct gate_pair *pair;
    bool is_kept; /* the user asked to keep them (--keep-odd) */
};

/**
 * Return whether the odd runs are left out of the noise model: there are some, they are a minority, and --keep-odd is
 * not set.
 */
bool gate_calibration_leaves_out(const struct gate_odd_report *report);

/**
 * Append a warning for each odd run, with the function that makes it odd and its share in this run and in the others.
 * Appends nothing if there is no odd run.
 */
void gate_calibration_odd_text(struct gate_buf *out, const struct gate_odd_report *report);

/** Append the same as comments for the noise model's file, if the odd runs are left out. */
void gate_calibration_odd_comment(struct gate_buf *out, const struct gate_odd_report *report);

/** Append the result for a terminal. Sorts the lists in `check`. */
void gate_calibration_text(struct gate_buf *out, const struct gate_noise *noise, struct gate_self_check *check,
                           const struct gate_rules *rules);

#endif
