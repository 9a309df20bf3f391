/* SPDX-License-Identifier: Apache-2.0 */
/* What every command is handed, and the table of commands. One file a command: cli/cmd_check.c, cli/cmd_inspect.c, ... */
#ifndef GATE_CLI_CLI_H
#define GATE_CLI_CLI_H

#include "gate/base/buf.h"
#include "gate/cli/options.h"
#include "gate/cli/run.h"

struct gate_progress;

struct gate_cli {
    FILE *in;
    FILE *out;
    FILE *err;
    struct gate_arena *arena; /* of the run */
    struct gate_progress *progress; /* cli/progress.h; NULL: nobody is told */
};

/** `argv` starts behind the command's name. Returns the exit status; messages are written already. */
typedef int gate_command_run(struct gate_cli *cli, int argc, const char *const *argv);

gate_command_run gate_calibrate_run, gate_check_run, gate_diff_run, gate_explain_run, gate_init_run, gate_inspect_run, gate_merge_run,
    gate_validate_run;

/** "pprofgate: MESSAGE" on standard error, terminal-safe. Returns GATE_EXIT_ERROR. */
int gate_cli_fail(struct gate_cli *cli, const struct gate_error *err);

/** The same with a file's name, line and column in front, and the line with a caret beneath when `text` is given. */
int gate_cli_fail_at(struct gate_cli *cli, const struct gate_error *err, struct gate_str path, struct gate_str text);

/** Take one option, or an argument (GATE_OPTION_ARGUMENT), into the command's own `wanted`. */
typedef bool gate_take_option(void *wanted, int id, const char *value, struct gate_cli *cli, struct gate_error *err);

/** A command's command line: its help is the usage, the options and the tail. */
struct gate_syntax {
    const char *usage;
    const struct gate_option *options;
    gate_take_option *take;
    const char *tail; /* or NULL */
};

/** Read a command line into `wanted`. False when that was all: help or an error is written, `status` is the exit's. */
GATE_MUST_CHECK
bool gate_cli_read(int *status, struct gate_cli *cli, const struct gate_syntax *syntax, void *wanted, int argc,
                   const char *const *argv);

/** Write all of `text`; false when the stream fails (closed pipe, full disk). */
GATE_MUST_CHECK bool gate_cli_write(FILE *stream, struct gate_str text);

/** Whether `stream` is a terminal that wants colour: a tty, no NO_COLOR, TERM not dumb. */
bool gate_cli_wants_colour(FILE *stream);

#endif
