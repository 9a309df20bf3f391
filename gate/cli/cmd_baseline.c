/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate baseline`: the commands on a store of accepted baselines. */
#include "gate/cli/command.h"

static const struct gate_command *const commands[] = {&gate_command_baseline_accept, &gate_command_baseline_list,
                                                      &gate_command_baseline_show, &gate_command_baseline_prune, NULL};

static const char usage[] = "Usage: pprofgate baseline COMMAND [options] ...\n"
                            "\n"
                            "Keeps profiles of good builds in a store, a plain folder, from which\n"
                            "`check --store` takes the baseline of a change.\n"
                            "\n"
                            "Commands:\n";

const struct gate_command gate_command_baseline = {
    .name = "baseline",
    .summary = "keep accepted baselines: accept, list, show, prune",
    .usage = usage,
    .commands = commands,
};
