/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that judge: work done, noise models, earlier canaries. What they add to the rules.
 * Pipeline: cli/options.h -> cli/judge_options.h -> cli/judge.h */
#ifndef GATE_CLI_JUDGE_OPTIONS_H
#define GATE_CLI_JUDGE_OPTIONS_H

#include "gate/cli/file_roles.h"
#include "gate/cli/options.h"
#include "gate/compare/pair.h"

/** Zeroed: nothing told. */
struct gate_judge_options {
    double work[GATE_SIDES];   /* 0: not told */
    struct gate_paths noise;   /* files of noise models */
    struct gate_paths history; /* earlier canaries of this change, oldest first; files alone once finished */
    struct gate_str command;   /* how to run it again */
};

/** Rows that fill a struct gate_judge_options. */
extern const struct gate_option_group gate_judge_options_group;

/** Note the files in `roles`. */
GATE_MUST_CHECK
bool gate_judge_options_note(const struct gate_judge_options *options, struct gate_file_roles *roles,
                             struct gate_arena *arena, struct gate_error *err);

/**
 * Take the work from PPROFGATE_WORK_BASELINE and PPROFGATE_WORK_CANARY where no option told it, and expand the history.
 *
 * err   GATE_ERR_USAGE the work of one side is told and not that of the other, or a variable is not a number above
 *       zero; what gate_paths_expand says
 */
GATE_MUST_CHECK
bool gate_judge_options_finish(struct gate_judge_options *options, struct gate_arena *arena, struct gate_error *err);

#endif
