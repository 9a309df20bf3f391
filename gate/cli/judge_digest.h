/* SPDX-License-Identifier: Apache-2.0 */
/* A name for all that a run decides by, so that another run can tell whether it is of the same: a ledger's next look, a
 * folder that is judged again.
 * Pipeline: rules/rules_digest.h + options -> cli/judge_digest.h -> cli/ledger_file.h */
#ifndef GATE_CLI_JUDGE_DIGEST_H
#define GATE_CLI_JUDGE_DIGEST_H

#include "gate/cli/cli.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/profile_options.h"
#include "gate/rules/rules.h"

/**
 * SHA-256, as hex, of the rules as they are written (rules/rules_digest.h), of the options that decide over them
 * (--sample-type, --where, --granularity, --names, --period, --mutex-fraction) and of the bytes of each noise model.
 * The profiles, the work done and which look it is are not in it, nor what is made of an inconclusive run.
 *
 * rules  before or after gate_judge_reach: it is the same
 * out    in the run's arena
 * err    GATE_ERR_USAGE a noise model on standard input, which is read only once; what reading a noise model says
 */
GATE_MUST_CHECK
bool gate_judge_digest(struct gate_str *out, const struct gate_rules *rules,
                       const struct gate_profile_options *profiles, const struct gate_judge_options *judging,
                       const struct gate_cli *cli, struct gate_error *err);

#endif
