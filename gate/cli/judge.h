/* SPDX-License-Identifier: Apache-2.0 */
/* From loaded profiles and rules to comparisons, with the guards' warnings, and to a verdict: what check, explain and
 * diff have in common.
 * Pipeline: cli/profile_options.h + cli/judge_options.h -> cli/load_sides.h -> cli/judge.h -> the command */
#ifndef GATE_CLI_JUDGE_H
#define GATE_CLI_JUDGE_H

#include "gate/budget/by.h"
#include "gate/budget/plan.h"
#include "gate/budget/verdict.h"
#include "gate/cli/cli.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/profile_options.h"

/** Everything that the command line names, loaded: one input, or one a `--pair`. */
struct gate_judge_inputs {
    struct gate_plan_input *items;
    uint32_t count;
};

/** What there is to judge. */
struct gate_judge_comparisons {
    const struct gate_rules *rules; /* what was asked for, spread over the pairs (budget/plan.h) */
    struct gate_plan plan;
    struct gate_by_list by; /* where the command line asked for it */
    struct gate_warning *warnings;
    uint32_t warning_count;
};

/** Load every profile that `profiles` names. err: what gate_load_sides says. */
GATE_MUST_CHECK
bool gate_judge_load(struct gate_judge_inputs *out, struct gate_cli *cli, const struct gate_profile_options *profiles,
                     struct gate_error *err);

/** Make the comparisons that `rules` need. err: what gate_plan_spread, gate_plan_make and gate_guards_check say. */
GATE_MUST_CHECK
bool gate_judge_compare(struct gate_judge_comparisons *out, const struct gate_judge_inputs *inputs,
                        const struct gate_profile_options *profiles, const struct gate_rules *rules,
                        struct gate_arena *arena, struct gate_error *err);

/**
 * Load, compare, decide. Earlier canaries of `options` are judged first, one by one, against the same baseline, which
 * is loaded once; work is not known of them, so their own cost is estimated. Where nobody asked for rules, they are
 * chosen by what the profiles hold (budget/default_rules.h).
 *
 * err   also GATE_ERR_CONFIG a noise model that is not of these profiles; GATE_ERR_INPUT a canary in its own history;
 *       GATE_ERR_USAGE a history beside --pair
 */
GATE_MUST_CHECK
bool gate_judge_reach(struct gate_verdict *out, struct gate_cli *cli, const struct gate_profile_options *profiles,
                      struct gate_rules *rules, const struct gate_judge_options *options, struct gate_error *err);

#endif
