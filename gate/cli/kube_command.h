/* SPDX-License-Identifier: Apache-2.0 */
/* Running the command that a kubeconfig names for who we are, as kubectl does: without a shell, with nothing on
 * standard input, and for a minute at most. Pipeline: capture/kube_exec.h -> cli/kube_command.h -> cli/kube_sources.h
 */
#ifndef GATE_CLI_KUBE_COMMAND_H
#define GATE_CLI_KUBE_COMMAND_H

#include "gate/capture/kube_exec.h"

/**
 * Ask it. What it says on standard error goes to ours.
 *
 * err   GATE_ERR_CONFIG the command is not there, fails, is late, or what gate_kube_exec_check and
 * gate_kube_exec_answer say, with its name; GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_kube_command_ask(struct gate_kube_exec_answer *out, const struct gate_kube_exec *exec,
                           const struct gate_kube_exec_cluster *cluster, struct gate_arena *arena,
                           struct gate_error *err);

#endif
