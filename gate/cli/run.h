/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and the program as a function. */
#ifndef GATE_CLI_RUN_H
#define GATE_CLI_RUN_H

#include "gate/budget/outcome.h"
#include "gate/cli/command.h"

#include <stdio.h>

/* ---- the table of commands; a new command is a row, and help, completions and manual pages follow from it -------- */

/** Every command, NULL-terminated: first those that work with profiles, then those about the program. */
extern const struct gate_command *const gate_command_table[];

enum { GATE_COMMAND_TABLE_MAX = 32 };

/** Return the commands of a group, or all commands if `group` is NULL. */
const struct gate_command *const *gate_command_table_of(const struct gate_command *group);

/** Return the command `name` of a group, or NULL if there is none. */
const struct gate_command *gate_command_table_find(const struct gate_command *group, const char *name);

/** Called for each command that is not a group. `group` may be NULL. Returning false ends the walk. */
typedef bool gate_command_visit(void *context, const struct gate_command *group, const struct gate_command *command,
                                struct gate_error *err);

/** Call `visit` for each command; a group is replaced by its commands. err: errors of `visit`. */
GATE_MUST_CHECK bool gate_command_table_walk(gate_command_visit *visit, void *context, struct gate_error *err);

/* ---- the program as a function, with its streams as arguments, so that tests run it in process ------------------- */

/** Run a command line. `argv[0]` is the program's name. Returns the exit status, an enum gate_exit. */
int gate_run(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err);

/** Like gate_run, for a process that does nothing else: also applies the command's sandbox, for good
 * (session/sandboxing.h). */
int gate_run_alone(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err);

#endif
