/* SPDX-License-Identifier: Apache-2.0 */
/* The work that was accepted with a baseline, where that of the canary is told too.
 * Pipeline: store/record.h -> cli/accepted_work.h -> cli/judge_options.h */
#ifndef GATE_CLI_ACCEPTED_WORK_H
#define GATE_CLI_ACCEPTED_WORK_H

#include "gate/cli/judge_options.h"
#include "gate/store/match.h"

/**
 * Add the work of the runs of `match` as the baseline's, and that of `canary` (a manifest's) as the canary's where the
 * options do not tell it. Nothing is added unless both sides have it; what the options tell of the baseline stays.
 *
 * match    its runs are of one kind, in the order in which they are compared
 * canary   `count` runs as they are compared
 * err      GATE_ERR_USAGE the options tell the canary's work and the accepted runs have none; GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_accepted_work_tell(struct gate_judge_options *judging, const struct gate_match *match,
                             const struct gate_record_run *canary, uint32_t count, struct gate_arena *arena,
                             struct gate_error *err);

/**
 * The same of one kind among several: the work of the runs of `kind` on both sides, where every one of them has it.
 *
 * err   GATE_ERR_LIMIT
 */
GATE_MUST_CHECK
bool gate_accepted_work_tell_pair(struct gate_work *work, const struct gate_match *match,
                                  const struct gate_record_run *canary, uint32_t count, struct gate_str kind,
                                  struct gate_arena *arena, struct gate_error *err);

#endif
