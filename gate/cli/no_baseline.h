/* SPDX-License-Identifier: Apache-2.0 */
/* What a check comes to where its store holds nothing to compare with: it accepts the canary as the first baseline
 * where it is asked to, and never calls it passed. Pipeline: cli/accepted.h -> cli/no_baseline.h ->
 * report/nothing_compared.h, the exit status */
#ifndef GATE_CLI_NO_BASELINE_H
#define GATE_CLI_NO_BASELINE_H

#include "gate/cli/accepted.h"
#include "gate/report/nothing_compared.h"
#include "gate/rules/rules.h"

/**
 * What to report: FIRST, with the canary accepted where that is asked for and nothing whatever was accepted of this
 * service and environment, or NO BASELINE. Sets `cli->status`: 0 where it was accepted as the first; else by the guard
 * baseline_missing: inconclusive where it is an error (a failure where the rules make that of what is inconclusive), 0
 * where it warns or is off.
 *
 * out   texts in the run's arena
 * err   what gate_accepting_do says
 */
GATE_MUST_CHECK
bool gate_no_baseline_end(struct gate_nothing_compared *out, const struct gate_accepted *accepted,
                          const struct gate_rules *rules, const struct gate_limits *limits, struct gate_cli *cli,
                          struct gate_error *err);

#endif
