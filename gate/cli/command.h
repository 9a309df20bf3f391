/* SPDX-License-Identifier: Apache-2.0 */
/* A command as a row: its texts, its options, what a command line of it is read into, and what it does. One file a
 * command: cli/cmd_check.c, cli/cmd_inspect.c, ...; cli/run.c has the table.
 * Pipeline: cli/run.h -> cli/command.h -> cli/options.h -> the command */
#ifndef GATE_CLI_COMMAND_H
#define GATE_CLI_COMMAND_H

#include "gate/base/sandbox.h"
#include "gate/cli/cli.h"
#include "gate/cli/options.h"

/** A line of a shell, and what it is for. A NULL `line` ends a list. */
struct gate_example {
    const char *what;
    const char *line;
};

/** What a command takes beside options, for completions. */
enum gate_command_takes {
    GATE_TAKES_FILES,
    GATE_TAKES_RULES,     /* files, and the names of presets */
    GATE_TAKES_REVISIONS, /* of git */
    GATE_TAKES_COMMANDS,
    GATE_TAKES_SHELLS,
    GATE_TAKES_NOTHING
};

struct gate_command {
    const char *name;
    const char *summary; /* in the list of commands */
    const char *usage;   /* the head of its help */
    /* Commands of its own, NULL-terminated: the next word says which, and nothing below is set. NULL: it has none. */
    const struct gate_command *const *commands;
    const char *tail; /* behind the options, or NULL */
    const struct gate_example *examples;
    enum gate_command_takes takes;
    bool decides; /* it ends with a verdict, which GITHUB_OUTPUT is told */
    const struct gate_option_binding *options;
    size_t size;                 /* of the struct that the command line is read into */
    size_t arguments;            /* offset of its struct gate_paths for what is not an option */
    void (*begin)(void *wanted); /* set defaults other than zero; or NULL */
    /** What this command line needs beside files, an or of enum gate_sandbox_need; NULL: nothing. All else is given up
     * before `run` begins (cli/sealing.h); what is needed at first alone, `run` gives up itself. */
    unsigned (*needs)(const void *wanted);
    /** Do it. False with `err` set, or with GATE_OK when every message is written already: the exit status is 2. */
    bool (*run)(void *wanted, struct gate_cli *cli, struct gate_error *err);
};

/**
 * Read the words of `cli` and run the command, or print its help. An error is written to standard error here, and
 * nowhere else. Returns the exit status: 2 after an error, else what the command left in `cli->status`.
 */
int gate_command_run(const struct gate_command *command, struct gate_cli *cli);

/** All options of `command`, as for a run of it whose struct is fresh, and those of every command. */
GATE_MUST_CHECK
bool gate_command_options(struct gate_options *out, void **wanted, const struct gate_command *command,
                          struct gate_cli *cli, struct gate_error *err);

extern const struct gate_command gate_command_baseline, gate_command_baseline_accept, gate_command_baseline_list,
    gate_command_baseline_prune, gate_command_baseline_show, gate_command_calibrate, gate_command_capture,
    gate_command_check, gate_command_completion, gate_command_diff, gate_command_explain, gate_command_gate,
    gate_command_init, gate_command_inspect, gate_command_manual, gate_command_merge, gate_command_prove,
    gate_command_trend, gate_command_try, gate_command_validate, gate_command_version;

#endif
