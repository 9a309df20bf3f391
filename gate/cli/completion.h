/* SPDX-License-Identifier: Apache-2.0 */
/* What shells complete command lines by, made from the tables of commands and options.
 * Pipeline: cli/command_table.h -> cli/completion.h -> cli/completion_bash.c, _zsh.c, _fish.c -> cmd_completion.c */
#ifndef GATE_CLI_COMPLETION_H
#define GATE_CLI_COMPLETION_H

#include "gate/cli/command_table.h"

/** What the value of an option is, beside its words. */
enum gate_completion_value { GATE_VALUE_NONE, GATE_VALUE_ANY, GATE_VALUE_FILE, GATE_VALUE_FOLDER, GATE_VALUE_RULES };

/** An option without a value name has none; FILE, PATH and DIR are files and folders, of --rules presets too. */
enum gate_completion_value gate_completion_value_of(const struct gate_option *option);

/** The words that the value may be, NULL-terminated: its own, or presets. NULL: nobody knows, or the arena is full. */
const char *const *gate_completion_words(const struct gate_option *option, struct gate_arena *arena);

/** The first clause of a help text, without what would end a quoted string: enough beside a list. */
struct gate_str gate_completion_brief(struct gate_str help);

/** Append a script for one shell. err: GATE_ERR_MEMORY, GATE_ERR_LIMIT. */
typedef bool gate_completion_write(struct gate_buf *out, struct gate_cli *cli, struct gate_error *err);

gate_completion_write gate_completion_bash;
gate_completion_write gate_completion_zsh;
gate_completion_write gate_completion_fish;

#endif
