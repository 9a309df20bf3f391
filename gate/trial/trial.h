/* SPDX-License-Identifier: Apache-2.0 */
/* Two revisions, built and run in turn: each round adds one profile of each side, and of each kind, to a folder with a
 * manifest. Which side goes first is turned over from round to round.
 * Pipeline: trial/worktree.h + trial/try_plan.h -> trial/trial.h -> capture/manifest_file.h -> cli/cmd_try.c */
#ifndef GATE_TRIAL_TRIAL_H
#define GATE_TRIAL_TRIAL_H

#include "gate/capture/manifest_file.h"
#include "gate/trial/go_bench.h"
#include "gate/trial/try_plan.h"
#include "gate/trial/worktree.h"

/** What one round runs on each side. */
struct gate_trial_load {
    struct gate_str kind; /* "cpu", "profile" where only the command knows, or the benchmark's name */
    const char *commands[GATE_SIDES];
};

/** Who is told what goes on. */
struct gate_trial_listener {
    void *context;
    void (*stage)(void *context, const char *text);    /* what is waited for; static text */
    void (*note)(void *context, struct gate_str text); /* what the user should know of the result */
};

/** A pair of revisions to be tried; filled in by whoever tries, then gate_trial_begin. */
struct gate_trial {
    const struct gate_try_plan *plan;
    struct gate_worktree *worktree;
    struct gate_str commits[GATE_SIDES];
    const char *dir; /* of the profiles and their manifest */
    struct gate_trial_listener listener;
    struct gate_shell shell;
    struct gate_manifest manifest;
    struct gate_trial_load *loads;
    uint32_t load_count;
    /* Whose error it is, of GATE_ERR_INPUT or GATE_ERR_FORMAT: enum gate_side_name, or -1 for neither. After a round
     * the canary: what is judged then has to go with the baseline's. */
    int failed;
};

/** The shell's settings and the folder's manifest. err: what gate_manifest_file_begin says. */
GATE_MUST_CHECK bool gate_trial_begin(struct gate_trial *trial, struct gate_error *err);

/** Let others write to the folder; whether gate_trial_begin was well or not. */
void gate_trial_end(struct gate_trial *trial);

/**
 * Check a side out and build it.
 *
 * err   GATE_ERR_INPUT the build fails: its last lines; GATE_ERR_IO an interrupt
 */
GATE_MUST_CHECK bool gate_trial_build(struct gate_trial *trial, enum gate_side_name side, struct gate_error *err);

/** Find out what to run, once both sides are built. err: GATE_ERR_INPUT there is nothing that both sides have. */
GATE_MUST_CHECK bool gate_trial_find_loads(struct gate_trial *trial, struct gate_error *err);

/**
 * Run everything once on both sides, and add the profiles.
 *
 * round  1, 2, ...
 * err    GATE_ERR_INPUT a command fails, or leaves no profile; GATE_ERR_IO; what was taken before stays
 */
GATE_MUST_CHECK bool gate_trial_round(struct gate_trial *trial, uint32_t round, struct gate_error *err);

#endif
