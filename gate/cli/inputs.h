/* SPDX-License-Identifier: Apache-2.0 */
/* From a request and rules to comparisons, with the guards' warnings: what check, explain and diff begin with.
 * Pipeline: cli/request.h -> cli/sides.h -> budget/plan.h + budget/guards.h -> the command */
#ifndef GATE_CLI_INPUTS_H
#define GATE_CLI_INPUTS_H

#include "gate/budget/plan.h"
#include "gate/cli/request.h"

/** What there is to judge. */
struct gate_inputs {
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

/** What a command line adds to the rules of a verdict. */
struct gate_judging {
    double work[GATE_SIDES]; /* 0: not told */
    struct gate_str command; /* how to run it again */
};

/** Load, compare, decide. */
GATE_MUST_CHECK
bool gate_inputs_judge(struct gate_verdict *out, struct gate_cli *cli, const struct gate_request *request,
                       const struct gate_rules *rules, const struct gate_judging *judging, struct gate_error *err);

#endif
