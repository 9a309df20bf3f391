/* SPDX-License-Identifier: Apache-2.0 */
/* From a request and rules to comparisons, with the guards' warnings: what check, explain and diff begin with.
 * Pipeline: cli/request.h -> cli/sides.h -> budget/plan.h + guards/guards.h -> the command */
#ifndef GATE_CLI_INPUTS_H
#define GATE_CLI_INPUTS_H

#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/cli/request.h"

/** What there is to judge. */
struct gate_inputs {
    const struct gate_rules *rules; /* what was asked for, spread over the pairs (budget/plan.h) */
    struct gate_plan plan;
    struct gate_warning *warnings;
    uint32_t warning_count;
};

/**
 * Load every profile that `request` names and make the comparisons that `rules` need.
 *
 * err   what gate_sides_load, gate_plan_make and gate_guards_check say
 */
GATE_MUST_CHECK
bool gate_inputs_make(struct gate_inputs *out, struct gate_cli *cli, const struct gate_request *request,
                      const struct gate_rules *rules, struct gate_error *err);

enum { GATE_NOISE_MAX = 16 };

/** What a command line adds to the rules of a verdict. */
struct gate_judging {
    double work[GATE_SIDES]; /* 0: not told */
    struct gate_str command; /* how to run it again */
    const char *noise[GATE_NOISE_MAX]; /* files of noise models */
    uint32_t noise_count;
    struct gate_paths history; /* earlier canaries of this change, oldest first */
    size_t history_capacity;
};

/* Ids of the shared options of commands that judge; a command's own must stay below. */
enum {
    GATE_JUDGING_FIRST = 2000,
    GATE_JUDGING_WORK = GATE_JUDGING_FIRST,
    GATE_JUDGING_WORK_BASELINE,
    GATE_JUDGING_WORK_CANARY,
    GATE_JUDGING_NOISE,
    GATE_JUDGING_HISTORY,
    GATE_JUDGING_END
};

/* Rows for a command's option table. */
#define GATE_JUDGING_OPTIONS                                                                                           \
    {GATE_JUDGING_WORK, "work", 0, "SIDE=N",                                                                           \
     "work done while a side was taken (requests, iterations), as baseline=39752; once for each side; " \
     "else $PPROFGATE_WORK_BASELINE and $PPROFGATE_WORK_CANARY"},                                                      \
        {GATE_JUDGING_WORK_BASELINE, "work-baseline", 0, "N", "the same as --work baseline=N"},                        \
        {GATE_JUDGING_WORK_CANARY, "work-canary", 0, "N", "the same as --work canary=N"},                              \
        {GATE_JUDGING_NOISE, "noise", 0, "FILE",                                                                       \
         "how much runs of one build differ, from `pprofgate calibrate`; one file a sample type"},                     \
        {GATE_JUDGING_HISTORY, "history", 0, "PATH",                                                                   \
         "an earlier canary of this change, or a folder of them by name, oldest first: for budgets that `sustain`"}

/** Take one of them. */
GATE_MUST_CHECK
bool gate_judging_take(struct gate_judging *judging, int id, const char *value, struct gate_arena *arena,
                       struct gate_error *err);

/**
 * Take the work from PPROFGATE_WORK_BASELINE and PPROFGATE_WORK_CANARY where no option told it.
 * GATE_ERR_USAGE when the work of one side is told and not that of the other, or a variable is no number above zero.
 */
GATE_MUST_CHECK bool gate_judging_finish(struct gate_judging *judging, struct gate_error *err);

/** Load, compare, decide. */
GATE_MUST_CHECK
bool gate_inputs_judge(struct gate_verdict *out, struct gate_cli *cli, const struct gate_request *request,
                       const struct gate_rules *rules, const struct gate_judging *judging, struct gate_error *err);

#endif
