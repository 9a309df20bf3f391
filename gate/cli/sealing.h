/* SPDX-License-Identifier: Apache-2.0 */
/* A run that gives up what its command does not need: each command's `needs` says it, in the table.
 * Pipeline: base/sandbox.h -> cli/sealing.h -> cli/command.h, and commands whose need ends before they read profiles */
#ifndef GATE_CLI_SEALING_H
#define GATE_CLI_SEALING_H

#include "gate/base/sandbox.h"
#include "gate/cli/cli.h"

/** Give up all but `needs`, an or of enum gate_sandbox_need; nothing in a run inside of another program. With --verbose
 * it is told where the system denies it. */
void gate_sealing_narrow(struct gate_cli *cli, unsigned needs);

/** What became of it, for `version`. `.ptr` NULL: the arena is full. */
struct gate_str gate_sealing_sentence(const struct gate_cli *cli);

#endif
