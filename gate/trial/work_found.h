/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a run, found in what it printed.
 * Pipeline: trial/shell.h -> trial/work_found.h -> trial/trial.h */
#ifndef GATE_TRIAL_WORK_FOUND_H
#define GATE_TRIAL_WORK_FOUND_H

#include "gate/base/regex.h"

/**
 * The numbers that the group of each match holds, added up: "requests: 120" twice is 240.
 *
 * err   GATE_ERR_INPUT nothing matches, a group holds something else than a number of zero or more, or they are 0
 */
GATE_MUST_CHECK
bool gate_work_found_add(double *out, const struct gate_regex *regex, struct gate_str printed, struct gate_error *err);

#endif
