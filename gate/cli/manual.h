/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages, man(7), made from the tables of commands and options.
 * Pipeline: cli/command_table.h -> cli/manual.h -> cmd_manual.c */
#ifndef GATE_CLI_MANUAL_H
#define GATE_CLI_MANUAL_H

#include "gate/cli/command_table.h"

/** Append text for a line of roff: no byte of it is a request or an escape, also at a line's begin. */
void gate_manual_text(struct gate_buf *out, struct gate_str text);

/** "pprofgate-baseline-accept": arena memory, NULL when it is full. `command` NULL: "pprofgate". */
const char *gate_manual_name(const struct gate_command *group, const struct gate_command *command,
                             struct gate_arena *arena);

/** The page of the program, section 1: commands, exit statuses, environment, files. */
GATE_MUST_CHECK bool gate_manual_program(struct gate_buf *out, struct gate_cli *cli, struct gate_error *err);

/** The page of a command, section 1. */
GATE_MUST_CHECK
bool gate_manual_command(struct gate_buf *out, const struct gate_command *group, const struct gate_command *command,
                         struct gate_cli *cli, struct gate_error *err);

#endif
