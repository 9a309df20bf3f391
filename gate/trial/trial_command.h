/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and runs the commands of a trial, and its server: start it, wait until it answers, run the load, fetch a
 * profile, stop it. */
#ifndef GATE_TRIAL_TRIAL_COMMAND_H
#define GATE_TRIAL_TRIAL_COMMAND_H

#include "gate/base/process.h"
#include "gate/base/str.h"
#include "gate/compare/pair_types.h"
#include "gate/rules/rules.h"

/* ---- the plan: section `try` of the rules, completed by its preset and the command line ----------------------------
 *
 * Commands run with `sh -c` in the side's checkout, in the subdirectory that the user is in. Their environment has
 * PPROFGATE_SIDE (baseline, canary), PPROFGATE_ROUND, PPROFGATE_SECONDS (duration of a profile), PPROFGATE_BUILD (a
 * folder for build output), PPROFGATE_OUT (a folder that is empty before each run) and PPROFGATE_PROFILE: the file in
 * PPROFGATE_OUT that a run writes its profile to, unless `profile` in the rules names another place. */

/** Options of the command line that override the section. Zeroed: none. */
struct gate_try_plan_options {
    const char *bench;          /* for the preset go-bench; or NULL */
    double seconds;             /* or 0 */
    uint32_t rounds;            /* or 0 */
    struct gate_str rules_name; /* for messages */
};

/** A complete plan. Texts end in a NUL. */
struct gate_try_plan {
    enum gate_try_preset preset;
    const char *build;        /* NULL: nothing is built */
    const char *run;          /* NULL for go-bench, which has a command per benchmark */
    const char *load;         /* NULL: there is no load, or `run` includes it */
    const char *profile_glob; /* relative to the directory; NULL: the profile is in PPROFGATE_PROFILE, or fetched
                                 from `profile_url` */
    const char *profile_url;  /* NULL: `run` writes the profile to a file */
    const char *ready;        /* URL or HOST:PORT that answers when the server is ready; NULL: there is no server */
    const char *bench;        /* pattern for go-bench */
    const char *suffix;       /* end of a stored profile's name, ".pb.gz"; empty: that of the file the run wrote */
    double work;              /* work of one run; 0: not given */
    const struct gate_regex *work_regex;
    double seconds, timeout_seconds;
    uint32_t rounds;
    const char *const *env; /* "NAME=VALUE", NULL-terminated */
};

/**
 * Complete the section with its preset and the options.
 *
 * err   GATE_ERR_CONFIG there is no section `try`; GATE_ERR_USAGE an option that the preset does not take
 */
GATE_MUST_CHECK
bool gate_try_plan_make(struct gate_try_plan *out, const struct gate_try_rules *section,
                        const struct gate_try_plan_options *options, struct gate_arena *arena, struct gate_error *err);

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/** Settings that all commands of a trial share. */
struct gate_shell {
    struct gate_interrupt *interrupt;
    struct gate_arena *arena;
    const char *cache;       /* folder with the logs and the folders of runs */
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
