/* SPDX-License-Identifier: Apache-2.0 */
/* Which commands there are. A new one is a row here; help, completions and manual pages follow.
 * Pipeline: cli/cmd_*.c -> cli/command_table.h -> cli/run.h, cli/completion.h, cli/manual.h */
#ifndef GATE_CLI_COMMAND_TABLE_H
#define GATE_CLI_COMMAND_TABLE_H

#include "gate/cli/command.h"

/** Every command, NULL-terminated: those that work with profiles, then those about the program. */
extern const struct gate_command *const gate_command_table[];

enum { GATE_COMMAND_TABLE_MAX = 32 };

/** The commands of a group, or all where `group` is NULL. */
const struct gate_command *const *gate_command_table_of(const struct gate_command *group);

/** The command `name` of a group; NULL: it has none. */
const struct gate_command *gate_command_table_find(const struct gate_command *group, const char *name);

/** A command and its group, or NULL: called for each that is no group itself. False ends the walk. */
typedef bool gate_command_visit(void *context, const struct gate_command *group, const struct gate_command *command,
                                struct gate_error *err);

/** Call `visit` for each command, those of a group in its place. err: what `visit` says. */
GATE_MUST_CHECK bool gate_command_table_walk(gate_command_visit *visit, void *context, struct gate_error *err);

#endif
