/* SPDX-License-Identifier: Apache-2.0 */
/* A run that is a server: started, waited for until it answers, put under load while its profile is fetched, ended.
 * Pipeline: trial/shell.h -> trial/server_run.h -> trial/trial.h */
#ifndef GATE_TRIAL_SERVER_RUN_H
#define GATE_TRIAL_SERVER_RUN_H

#include "gate/trial/shell.h"
#include "gate/trial/try_plan.h"

/**
 * Do all that.
 *
 * bytes    the profile
 * printed  what the load printed; where there is none, what the server printed
 * err      GATE_ERR_INPUT the server or the load ends badly, nothing answers, no profile comes; GATE_ERR_IO
 */
GATE_MUST_CHECK
bool gate_server_run_take(struct gate_str *bytes, struct gate_str *printed, const struct gate_shell *shell,
                          const struct gate_try_plan *plan, const struct gate_shell_command *command,
                          struct gate_error *err);

#endif
