/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of a try: `sh -c` in a side's checkout, what they print kept, and the end of it shown when they fail.
 * Pipeline: trial/child.h + trial/try_plan.h -> trial/shell.h -> trial/go_bench.h, trial/trial.h */
#ifndef GATE_TRIAL_SHELL_H
#define GATE_TRIAL_SHELL_H

#include "gate/compare/pair_types.h"
#include "gate/trial/child.h"
#include "gate/trial/output_file.h"

/** What all commands of one try share. */
struct gate_shell {
    struct gate_interrupt *interrupt;
    struct gate_arena *arena;
    const char *cache;       /* where logs and folders of runs are */
    const char *const *env;  /* the section's, NULL-terminated */
    double seconds, timeout; /* PPROFGATE_SECONDS, and how long a command may take */
};

/** One command. */
struct gate_shell_command {
    const char *name; /* "build", "run", "load": of messages and of its log */
    const char *text; /* of `sh -c` */
    const char *directory;
    enum gate_side_name side;
    uint32_t round;      /* 0: none */
    const char *profile; /* PPROFGATE_PROFILE, or NULL */
};

/** One that goes. Close it. */
struct gate_shell_run {
    const struct gate_shell_command *command;
    struct gate_child child;
    struct gate_output_file out, log; /* standard output; standard error */
    double began;                     /* gate_interrupt_clock */
};

/** The folder for what a side builds, PPROFGATE_BUILD. NULL: the arena is full. */
const char *gate_shell_build_folder(const struct gate_shell *shell, enum gate_side_name side);

/** The folder of a run, PPROFGATE_OUT. NULL: the arena is full. */
const char *gate_shell_out_folder(const struct gate_shell *shell);

/** Start it. err: GATE_ERR_IO. */
GATE_MUST_CHECK
bool gate_shell_start(struct gate_shell_run *out, const struct gate_shell *shell,
                      const struct gate_shell_command *command, struct gate_error *err);

/**
 * Wait until it has ended well.
 *
 * err   GATE_ERR_INPUT it ended badly or took too long: its last lines; GATE_ERR_IO an interrupt
 */
GATE_MUST_CHECK
bool gate_shell_finish(struct gate_shell_run *run, const struct gate_shell *shell, struct gate_error *err);

/** GATE_ERR_INPUT "SIDE: 'NAME' WHY" with the last lines of what it said and where all of it is. */
bool gate_shell_error(const struct gate_shell_run *run, const struct gate_shell *shell, struct gate_str why,
                      struct gate_error *err);

/** End it and all that it started. */
void gate_shell_close(struct gate_shell_run *run);

/** Start and finish it; `*printed` is its standard output, or NULL. */
GATE_MUST_CHECK
bool gate_shell_do(const struct gate_shell *shell, const struct gate_shell_command *command, struct gate_str *printed,
                   struct gate_error *err);

#endif
