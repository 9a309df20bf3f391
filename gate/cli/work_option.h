/* SPDX-License-Identifier: Apache-2.0 */
/* --work: what runs did while they were captured, as people write it.
 * Pipeline: cli/options.h -> cli/work_option.h -> compare/work.h */
#ifndef GATE_CLI_WORK_OPTION_H
#define GATE_CLI_WORK_OPTION_H

#include "gate/cli/input.h"
#include "gate/cli/options.h"
#include "gate/compare/work.h"

/** struct gate_work: "baseline=N", "canary=N1,N2,N3" (one a run) or "canary:LABEL=VALUE:N", with one or more numbers.
 */
gate_option_reader gate_work_option_side;

/** struct gate_work: the numbers of one side alone, "N" or "N1,N2". */
gate_option_reader gate_work_option_baseline;
gate_option_reader gate_work_option_canary;

/** struct gate_work, of the baseline: "N1,N2" or "LABEL=VALUE:N1,N2", of runs that have no sides. */
gate_option_reader gate_work_option_runs;

/**
 * Numbers as the environment has them, of one side.
 *
 * err   GATE_ERR_USAGE with `name` in front
 */
GATE_MUST_CHECK
bool gate_work_option_text(struct gate_work *work, enum gate_side_name side, const char *name, const char *text,
                           struct gate_arena *arena, struct gate_error *err);

/** Add what a file tells (rules/work_file.h), "-" being standard input, and `work` does not; errors name it, with line
 * and column. */
GATE_MUST_CHECK
bool gate_work_option_file(struct gate_work *work, struct gate_cli *cli, const char *path, struct gate_error *err);

#endif
