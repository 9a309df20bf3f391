/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: their table, how one is run, and which files its sandbox allows. The program as a function. */
#ifndef GATE_CLI_COMMAND_H
#define GATE_CLI_COMMAND_H

#include "gate/budget/outcome.h"
#include "gate/cli/options.h"
#include "gate/session/session.h"

#include <stdio.h>

/** A shell command line, and its purpose. A NULL `line` ends a list. */
struct gate_example {
    const char *what;
    const char *line;
};

/** Kind of a command's arguments, for shell completions. */
enum gate_command_takes {
    GATE_TAKES_FILES,
    GATE_TAKES_RULES,     /* files, and names of presets */
    GATE_TAKES_REVISIONS, /* git revisions */
    GATE_TAKES_COMMANDS,
    GATE_TAKES_SHELLS,
    GATE_TAKES_NOTHING
};

/** A command or a group of commands. The texts are static. */
struct gate_command {
    const char *name;
    const char *summary; /* for the list of commands */
    const char *usage;   /* first lines of its help */
    /* Subcommands, NULL-terminated: the next word selects one, and the fields below are not set. NULL: no
     * subcommands. */
    const struct gate_command *const *commands;
    const char *tail; /* text after the options, or NULL */
    const struct gate_example *examples;
    enum gate_command_takes takes;
    bool writes;          /* it has outputs, so it takes --force */
    bool stores;          /* it changes the store of --store */
    bool needs_processes; /* it starts programs, opens connections or locks files (gate_system_has_processes) */
    bool decides;         /* it ends with a verdict, which is written to $GITHUB_OUTPUT */
    const struct gate_option_binding *options;
    size_t size;                 /* of the struct that receives the options */
    size_t arguments;            /* offset in that struct of the struct gate_paths for the arguments */
    void (*begin)(void *wanted); /* sets defaults other than zero and those of the option groups; may be NULL */
    /** Returns what this command line needs in addition to files and to what its option groups need, an or of enum
     * gate_sandbox_need; NULL: nothing. Everything else is denied before `run` begins (session/session.h). Later, `run`
     * denies what it does not need any more. */
    unsigned (*needs)(const void *wanted);
    /** Run the command. Returns false with `err` set, or with GATE_OK if all messages are written already: exit
     * status 2. */
    bool (*run)(void *wanted, struct gate_session *session, struct gate_error *err);
};

/** Collect all options of `command`, bound to a new struct of its kind (`*wanted`), and the global options. */
GATE_MUST_CHECK
bool gate_command_options(struct gate_options *out, void **wanted, const struct gate_command *command,
                          struct gate_session *session, struct gate_error *err);

extern const struct gate_command gate_command_baseline, gate_command_baseline_accept, gate_command_baseline_list,
    gate_command_baseline_prune, gate_command_baseline_show, gate_command_calibrate, gate_command_capture,
    gate_command_check, gate_command_completion, gate_command_diff, gate_command_explain, gate_command_gate,
    gate_command_init, gate_command_inspect, gate_command_manual, gate_command_merge, gate_command_prove,
    gate_command_summarize, gate_command_trend, gate_command_try, gate_command_validate, gate_command_version;

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
 * (session/session.h). */
int gate_run_alone(int argc, const char *const *argv, FILE *in, FILE *out, FILE *err);

#endif
