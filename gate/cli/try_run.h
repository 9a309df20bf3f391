/* SPDX-License-Identifier: Apache-2.0 */
/* One pair of revisions, tried and judged: what `pprofgate try` does once, and its --bisect for each commit.
 * Pipeline: trial/trial.h -> cli/try_run.h -> cli/cmd_try.c, cli/try_bisect.h */
#ifndef GATE_CLI_TRY_RUN_H
#define GATE_CLI_TRY_RUN_H

#include "gate/cli/rounds.h"
#include "gate/trial/trial.h"

/** What is the same for every pair. */
struct gate_try_run {
    struct gate_cli *cli;
    struct gate_decision *decision; /* of no paths: those of the profiles are found */
    struct gate_rules *rules;
    const struct gate_try_plan *plan;
    struct gate_worktree *worktree;
    double max_seconds; /* of running; 0: as many rounds as the plan has */
};

/** A pair. */
struct gate_try_pair {
    struct gate_str commits[GATE_SIDES];
    const char *dir;        /* of the profiles */
    bool baseline_is_built; /* by an earlier pair */
};

/**
 * Build, then run in turn and judge until it is decided.
 *
 * out     memory of run->cli->arena
 * failed  whose error it is, as gate_trial has it
 * err     what gate_trial_build, and gate_rounds_run say
 */
GATE_MUST_CHECK
bool gate_try_run_pair(struct gate_verdict *out, int *failed, const struct gate_try_run *run,
                       const struct gate_try_pair *pair, struct gate_error *err);

#endif
