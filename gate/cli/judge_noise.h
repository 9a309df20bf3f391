/* SPDX-License-Identifier: Apache-2.0 */
/* The noise models that a command line names: read, and handed to the comparisons that they are about.
 * Pipeline: cli/judge_options.h + rules/noise_file.h -> cli/judge_noise.h -> cli/judge.h */
#ifndef GATE_CLI_JUDGE_NOISE_H
#define GATE_CLI_JUDGE_NOISE_H

#include "gate/budget/plan.h"
#include "gate/cli/cli.h"
#include "gate/cli/judge_options.h"
#include "gate/rules/noise_file.h"

/** One, read. */
struct gate_judge_noise {
    struct gate_noise noise;
    struct gate_noise_naming naming;
    const char *name; /* of its file */
};

/** Read all that `options` name: `*out` has one each. err: names the file. */
GATE_MUST_CHECK
bool gate_judge_noise_read(struct gate_judge_noise **out, const struct gate_judge_options *options,
                           const struct gate_cli *cli, struct gate_error *err);

/**
 * Give a model to the comparisons that it is about; a model about none of them is a mistake.
 *
 * is_history  of an earlier canary: a model of told traffic is left out, since nobody can tell what that one served
 * err         GATE_ERR_CONFIG it is of other names, other traffic, another program or another sample type
 */
GATE_MUST_CHECK
bool gate_judge_noise_apply(struct gate_plan *plan, const struct gate_judge_noise *model,
                            const struct gate_frame_options *frames, bool is_history, struct gate_error *err);

#endif
