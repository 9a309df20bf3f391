/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that judge: work done, noise models, earlier canaries. What they add to the rules.
 * Pipeline: cli/options.h -> cli/judge_options.h -> cli/judge.h */
#ifndef GATE_CLI_JUDGE_OPTIONS_H
#define GATE_CLI_JUDGE_OPTIONS_H

#include "gate/budget/tree_ahead.h"
#include "gate/cli/file_roles.h"
#include "gate/cli/options.h"
#include "gate/compare/looks.h"
#include "gate/compare/work.h"

struct gate_accepted;
struct gate_rules_from;

/** Zeroed: nothing told. */
struct gate_judge_options {
    struct gate_work work;        /* what the options and the environment told */
    const char *work_file;        /* what tells more, or NULL */
    struct gate_paths noise;      /* files of noise models */
    struct gate_rules_from *from; /* where they and the rules are read (cli/rules_from.h); NULL: as they lie */
    struct gate_paths history;    /* earlier canaries of this change, oldest first; files alone once finished */
    struct gate_looks looks;      /* which look at the change this is; no option's, but of who judges more than once */
    const struct gate_accepted *accepted; /* where the baseline is from a store (cli/accepted.h); NULL: it is not */
    const struct gate_str *left_out;      /* which rounds of a folder have nothing to compare (cli/left_out.h) */
    uint32_t left_out_count;
    struct gate_str command;   /* how to run it again */
    bool draws_trees;          /* reports that are wanted show call trees */
    bool walks_stacks;         /* and some of them want more than those */
    struct gate_errand errand; /* for reports, done while the budgets are decided */
};

/* Groups of rows; each fills a struct gate_judge_options. */
extern const struct gate_option_group gate_judge_options_work;    /* --work, --work-file, ... */
extern const struct gate_option_group gate_judge_options_noise;   /* --noise */
extern const struct gate_option_group gate_judge_options_history; /* --history */

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
