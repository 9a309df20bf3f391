/* SPDX-License-Identifier: Apache-2.0 */
/* Run a server for a trial: start it, wait until it answers, run the load, fetch a profile, stop it. */
#ifndef GATE_TRIAL_SERVER_RUN_H
#define GATE_TRIAL_SERVER_RUN_H

#include "gate/base/str.h"
#include "gate/trial/shell.h"
#include "gate/trial/try_plan.h"

/* ---- readiness: HOST:PORT accepts a connection, or a URL answers with success ------------------------------------ */

/**
 * Try once whether `place` answers.
 *
 * place  "HOST:PORT", "[::1]:6060", or a URL
 * err    GATE_ERR_USAGE `place` has another form; else why it does not answer
 */
GATE_MUST_CHECK bool gate_reachable_try(const char *place, struct gate_arena *arena, struct gate_error *err);

/* ---- a run ------------------------------------------------------------------------------------------------------- */

/**
 * Start the server, wait until it answers, fetch its profile under load, and stop it.
 *
 * bytes    the profile
 * printed  output of the load; without a load, that of the server
 * err      GATE_ERR_INPUT the server or the load fails, the server does not answer, or no profile comes; GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_server_run_take(struct gate_str *bytes, struct gate_str *printed, const struct gate_shell *shell,
                          const struct gate_try_plan *plan, const struct gate_shell_command *command,
                          struct gate_error *err);

#endif
