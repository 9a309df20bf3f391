/* SPDX-License-Identifier: Apache-2.0 */
/* The noise model of a check with a store: made of accepted runs that are not compared themselves.
 * Pipeline: cli/accepted.h + compare/noise.h -> cli/accepted_noise.h -> cli/judge.h */
#ifndef GATE_CLI_ACCEPTED_NOISE_H
#define GATE_CLI_ACCEPTED_NOISE_H

#include "gate/cli/accepted.h"
#include "gate/compare/comparison.h"
#include "gate/compare/odd_run.h"

/** Of fewer runs nobody can say which one is odd, so no model is made. */
enum { GATE_ACCEPTED_NOISE_LEAST = GATE_ODD_RUN_LEAST };

/**
 * Give a noise model to each whole comparison that has none, where five or more other runs of its kind were accepted on
 * the baseline's machine. A run that is not like the others is left out as `calibrate` does, and where the runs are of
 * two kinds, or the model knows too little of the profile, there is none. The runs compared are not among them: what
 * they vary by, the comparison measures itself.
 *
 * cli   is told what was done; NULL: nobody is
 * err   what loading and comparing say
 *
 * O(bytes of those runs) for each comparison.
 */
GATE_MUST_CHECK
bool gate_accepted_noise_apply(struct gate_comparison *comparisons, uint32_t count,
                               const struct gate_accepted *accepted, const struct gate_pair_options *pairing,
                               const struct gate_limits *limits, struct gate_cli *told, struct gate_arena *arena,
                               struct gate_error *err);

#endif
