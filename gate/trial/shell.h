/* SPDX-License-Identifier: Apache-2.0 */
/* Run the shell commands of a trial, with their environment, logs and timeout. */
#ifndef GATE_TRIAL_SHELL_H
#define GATE_TRIAL_SHELL_H

#include "gate/base/process.h"
#include "gate/compare/pair_types.h"

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

/** A running command. End it with gate_shell_close. */
struct gate_shell_run {
    const struct gate_shell_command *command;
    struct gate_child child;
    struct gate_child_output out, log; /* standard output; standard error */
    double began;                      /* start, on gate_interrupt_clock */
};

/** Return the folder of a run, PPROFGATE_OUT; NULL if the arena is full. */
const char *gate_shell_out_folder(const struct gate_shell *shell);

/** Start `command`. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_shell_start(struct gate_shell_run *out, const struct gate_shell *shell,
                      const struct gate_shell_command *command, struct gate_error *err);

/**
 * Wait until the command ends with success.
 *
 * err   GATE_ERR_INPUT it failed or exceeded the timeout, with its last output; GATE_ERR_IO an interrupt
 */
GATE_MUST_CHECK
bool gate_shell_finish(struct gate_shell_run *run, const struct gate_shell *shell, struct gate_error *err);

/**
 * Set `err` to GATE_ERR_INPUT "SIDE: 'NAME' WHY", with the command's last output and the path of its log. Returns
 * false.
 */
bool gate_shell_error(const struct gate_shell_run *run, const struct gate_shell *shell, struct gate_str why,
                      struct gate_error *err);

/** Stop the command and all processes that it started. */
void gate_shell_close(struct gate_shell_run *run);

/** Start the command and wait for its success. `*printed` is set to its standard output; `printed` may be NULL. */
GATE_MUST_CHECK
bool gate_shell_do(const struct gate_shell *shell, const struct gate_shell_command *command, struct gate_str *printed,
                   struct gate_error *err);

#endif
