/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the commands of a trial, and its server: start it, wait until it answers, run the load, fetch a profile, stop
 * it. */
#ifndef GATE_TRIAL_TRIAL_COMMAND_H
#define GATE_TRIAL_TRIAL_COMMAND_H

#include "gate/base/process.h"
#include "gate/base/str.h"
#include "gate/compare/pair_types.h"
#include "gate/trial/try_plan.h"

/** Settings that all commands of a trial share. */
struct gate_shell {
    struct gate_interrupt *interrupt;
    struct gate_arena *arena;
    const char *cache;       /* folder that contains the logs and the folders of runs */
    const char *const *env;  /* variables from the rules' section `try`, NULL-terminated */
    double seconds, timeout; /* PPROFGATE_SECONDS; timeout of a command */
};

/** One command. */
struct gate_shell_command {
    const char *name; /* "build", "run", "load": used in messages and in the name of its log */
    const char *text; /* for `sh -c` */
    const char *directory;
    enum gate_side_name side;
    uint32_t round;      /* 0: not part of a round */
    const char *profile; /* PPROFGATE_PROFILE, or NULL */
};

/** Return the folder of a run, PPROFGATE_OUT; NULL if the arena is full. */
const char *gate_shell_out_folder(const struct gate_shell *shell);

/** Start the command and wait for its success. `*printed` is set to its standard output; `printed` may be NULL. */
GATE_MUST_CHECK
bool gate_shell_do(const struct gate_shell *shell, const struct gate_shell_command *command, struct gate_str *printed,
                   struct gate_error *err);

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
